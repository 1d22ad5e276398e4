// The authors whose last headers wait, and for what: a vertex that they stand on, or the round
// before them. Rule R2.
//
//   WaitingHeaders waiting(committee);
//   waiting.wait_for(author, ref);                        // for the first such vertex
//   for (NodeId id : waiting.woken(settled)) consider(id);
//   waiting.wait_for_round(author);                       // it is not complete
//   waiting.take_gated().for_each(consider);              // a round was completed
//
// Guarantees: an author's header waits for one vertex at a time, and is named until it goes on.
// Whoever was named is looked at again and may wait for another.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "thresher/protocols/certified/vertex.hpp"

namespace thresher::certified {

class WaitingHeaders {
 public:
  explicit WaitingHeaders(const Committee& committee)
      : members_(committee.size()), asleep_(members_), on_(members_), gated_(members_) {}

  void wait_for(NodeId author, const Ref& ref) {
    asleep_.insert(author);
    on_[author.value] = ref;
  }
  void go_on(NodeId author) { asleep_.erase(author); }
  /// Its header waits for a vertex.
  bool waits(NodeId author) const { return asleep_.contains(author); }
  /// Pre: waits(author).
  const Ref& on(NodeId author) const { return on_[author.value]; }
  /// Those that wait for a vertex for which `here(const Ref&)` is true. They wait on until they go
  /// on or wait for another.
  template <class F>
  std::vector<NodeId> woken(F here) const {
    std::vector<NodeId> out;
    asleep_.for_each([&](NodeId id) {
      if (here(on_[id.value])) out.push_back(id);
    });
    return out;
  }

  void wait_for_round(NodeId author) { gated_.insert(author); }
  /// How many wait for a round.
  std::uint32_t gated() const { return gated_.size(); }
  /// They do not wait for it any more.
  NodeSet take_gated() { return std::exchange(gated_, NodeSet(members_)); }

 private:
  std::uint32_t members_;
  NodeSet asleep_;
  std::vector<Ref> on_;  // by author
  NodeSet gated_;
};

}  // namespace thresher::certified
