// What a run sent, by the kind of message.
//
//   SentKinds kinds;
//   const std::uint32_t kind = kinds.of("block");
//   kinds.sent(kind, facts, 9);                        // to nine nodes
//   for (const SentKind& k : kinds.all()) ...          // sorted by label
//
// Guarantees: counts every copy that leaves a node, arrive or not. A look-up a message and two
// additions a copy: it counts in every run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "thresher/sim/outcome.hpp"
#include "thresher/sim/subject.hpp"

namespace thresher::sim {

class SentKinds {
 public:
  /// The number of a label, from now on the same.
  std::uint32_t of(std::string_view label) {
    const auto known = std::find_if(kinds_.begin(), kinds_.end(),
                                    [&](const SentKind& k) { return k.label == label; });
    if (known != kinds_.end()) return static_cast<std::uint32_t>(known - kinds_.begin());
    kinds_.push_back({label, 0, 0, 0});
    return static_cast<std::uint32_t>(kinds_.size() - 1);
  }
  void sent(std::uint32_t kind, const MessageFacts& facts, std::uint64_t copies) {
    SentKind& k = kinds_[kind];
    k.messages += copies;
    k.bytes += copies * facts.bytes;
    k.payload_bytes += copies * facts.payload_bytes;
  }
  std::vector<SentKind> all() const {
    std::vector<SentKind> out = kinds_;
    std::sort(out.begin(), out.end(),
              [](const SentKind& a, const SentKind& b) { return a.label < b.label; });
    return out;
  }

 private:
  std::vector<SentKind> kinds_;
};

}  // namespace thresher::sim
