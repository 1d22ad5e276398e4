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
    // Four sums beside each other: one alone would wait for each multiplication. An array of them
    // would be computed in vectors, which take six instructions a product of 64 bits.
    Sums sums{mixed_ ^ t.position, mixed_ + 1, mixed_ + 2, mixed_ + 3};
    std::size_t at = 0;
    for (; at + kStep <= t.data.size(); at += kStep) sums.add(t.data.data() + at);
    std::array<std::byte, kStep> tail{};
    std::memcpy(tail.data(), t.data.data() + at, t.data.size() - at);
    sums.add(tail.data());
    mixed_ = mix64(t.data.size());
    for (const std::uint64_t sum : {sums.a, sums.b, sums.c, sums.d}) mixed_ = mix64(mixed_ ^ sum);
    ++count_;
  }
  Digest state() const override {
    Writer w;
    w.u64(mixed_).u64(count_);
    return hash(w.view());
  }

 private:
  static constexpr std::size_t kStep = 32;  // bytes

  struct Sums {
    std::uint64_t a, b, c, d;

    void add(const std::byte* step) {
      mix(a, step);
      mix(b, step + 8);
      mix(c, step + 16);
      mix(d, step + 24);
    }
    static void mix(std::uint64_t& sum, const std::byte* at) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, sizeof word);
      sum = (sum ^ word) * 0x9e3779b97f4a7c15ULL + (sum >> 29);
    }
  };

  std::uint64_t mixed_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace thresher::cli
