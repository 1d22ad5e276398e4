// Records as a host reads them, of a disk or of the log of peers, until a node makes use of them.
//
//   RestoredRecords<Held, Schedule> restored;
//   restored.add({block, vouched});                // in any order
//   restored.add({slot, before, leader}, schedule);
//   for (const Held& one : restored.take_blocks_by_round()) place(one.block);   // at the start
//   for (const auto& commit : restored.take_commits()) deliver_again(commit);
//   const auto blocks = restored.take_blocks();    // of a log: those of one commit
//
// Guarantees: what is taken is gone. Of two records of one commit the later one counts. Checks
// nothing: the host checks what it reads, and whoever takes blocks knows which it has.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "thresher/core/hash.hpp"
#include "thresher/core/ids.hpp"

namespace thresher::chassis {

/// A commit as its record tells it.
struct RestoredCommit {
  Round slot;
  Round before;  ///< slot of the commit before it
  Digest leader{};
};

/// `H`: a block and what its record says of it, with `round()`. `Leaders`: who leads when.
template <class H, class Leaders>
class RestoredRecords {
 public:
  using Held = H;
  using Commit = RestoredCommit;

  void add(Held one) { blocks_.push_back(std::move(one)); }
  /// `after`: who leads when the commit is made.
  void add(const Commit& commit, Leaders after) {
    commits_.insert_or_assign(commit.slot, commit);
    if (commits_.rbegin()->first == commit.slot) after_ = std::move(after);
  }

  /// In the order in which they were added.
  std::vector<Held> take_blocks() { return std::exchange(blocks_, {}); }
  /// The same, but lower rounds first.
  std::vector<Held> take_blocks_by_round() {
    std::vector<Held> out = take_blocks();
    std::stable_sort(out.begin(), out.end(),
                     [](const Held& a, const Held& b) { return a.round() < b.round(); });
    return out;
  }
  /// Lower slots first.
  std::vector<Commit> take_commits() {
    std::vector<Commit> out;
    for (const auto& [slot, commit] : std::exchange(commits_, {})) out.push_back(commit);
    after_.reset();
    return out;
  }

  /// The highest commit; null: there is none.
  const Commit* last_commit() const {
    return commits_.empty() ? nullptr : &commits_.rbegin()->second;
  }
  /// Who leads after it. Pre: there is one.
  const Leaders& leaders() const { return *after_; }
  /// Calls `visit(const Held&)` for all blocks.
  template <class F>
  void each_block(F visit) const {
    for (const Held& one : blocks_) visit(one);
  }

 private:
  std::vector<Held> blocks_;
  std::map<Round, Commit> commits_;  // by slot
  std::optional<Leaders> after_;     // the last of them
};

}  // namespace thresher::chassis
