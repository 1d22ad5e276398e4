// The application of `thresher node run`: keeps a running digest of everything applied.
#pragma once

#include <array>
#include <cstring>

#include "thresher/core/prng.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/net/node.hpp"

namespace thresher::cli {

class LogApp final : public net::App {
 public:
  void apply(const net::Transaction& t) override {
    // Four sums beside each other: one alone would wait for each multiplication.
    std::array<std::uint64_t, 4> sums{mixed_ ^ t.position, mixed_ + 1, mixed_ + 2, mixed_ + 3};
    std::array<std::uint64_t, 4> words{};
    const auto step = [&] {
      for (std::size_t k = 0; k < sums.size(); ++k) {
        sums[k] = (sums[k] ^ words[k]) * 0x9e3779b97f4a7c15ULL + (sums[k] >> 29);
      }
    };
    std::size_t at = 0;
    for (; at + sizeof words <= t.data.size(); at += sizeof words) {
      std::memcpy(words.data(), t.data.data() + at, sizeof words);
      step();
    }
    words = {};
    std::memcpy(words.data(), t.data.data() + at, t.data.size() - at);
    step();
    mixed_ = mix64(t.data.size());
    for (const std::uint64_t sum : sums) mixed_ = mix64(mixed_ ^ sum);
    ++count_;
  }
  Digest state() const override {
    Writer w;
    w.u64(mixed_).u64(count_);
    return hash(w.view());
  }

 private:
  std::uint64_t mixed_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace thresher::cli
