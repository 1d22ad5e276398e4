// Vertices that the log of peers delivered and that wait to be held with their references, and how
// far up vertices are held without them.
//
//   LogVertices log;
//   log.add(logged);
//   if (const auto slot = log.take(ref)) ...           // it came from a peer, with its references
//   for (const Logged& one : log.take_if(of_no_use_any_more)) hold_without_them(one);
//   log.holds_bare(round);                             // one of that round
//   if (round <= log.bare()) ...                       // references of that round may be missing
//
// Guarantees: one vertex of each name waits, the last that was added. bare() never falls. Memory:
// what the host delivered, above the floor.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "restored_records.hpp"

namespace thresher::certified {

class LogVertices {
 public:
  void add(const Logged& one) { waiting_.insert_or_assign(one.vertex->ref(), one); }
  /// The slot of the commit that delivered it; empty: it does not wait.
  std::optional<Round> take(const Ref& ref) {
    const auto it = waiting_.find(ref);
    if (it == waiting_.end()) return std::nullopt;
    const Round slot = it->second.slot;
    waiting_.erase(it);
    return slot;
  }
  /// Those for which `of_them(const Ref&)` is true, in order of their names.
  template <class F>
  std::vector<Logged> take_if(F of_them) {
    std::vector<Logged> out;
    std::erase_if(waiting_, [&](const auto& entry) {
      if (!of_them(entry.first)) return false;
      out.push_back(entry.second);
      return true;
    });
    return out;
  }
  void forget(Round floor) {
    std::erase_if(waiting_, [&](const auto& entry) { return entry.first.round <= floor; });
  }

  void holds_bare(Round round) { bare_ = std::max(bare_, round); }
  /// The highest round of a vertex that is held without its references; 0: none is.
  Round bare() const { return bare_; }

 private:
  std::map<Ref, Logged> waiting_;
  Round bare_{0};
};

}  // namespace thresher::certified
