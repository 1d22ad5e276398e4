// The application of `thresher node run`: keeps a running digest of everything applied.
#pragma once

#include <cstring>

#include "thresher/core/prng.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/net/node.hpp"

namespace thresher::cli {

class LogApp final : public net::App {
 public:
  void apply(const net::Transaction& t) override {
    mixed_ = mix64(mixed_ ^ t.position);
    std::size_t i = 0;
    for (; i + 8 <= t.data.size(); i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, t.data.data() + i, 8);
      mixed_ = (mixed_ ^ word) * 0x9e3779b97f4a7c15ULL + (mixed_ >> 29);
    }
    for (; i < t.data.size(); ++i)
      mixed_ = mixed_ * 257 + std::to_integer<std::uint64_t>(t.data[i]);
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
