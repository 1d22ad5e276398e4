// Records as a host reads them, of a disk or of the log of peers, until a node makes use of them.
//
//   RestoredRecords restored;
//   restored.add({block, vouched});                // in any order
//   restored.add({slot, before, leader}, schedule);
//   for (const auto& one : restored.take_blocks_by_round()) place(one.block);   // at the start
//   for (const auto& commit : restored.take_commits()) deliver_again(commit);
//   const auto blocks = restored.take_blocks();    // of a log: those of one commit
//
// Guarantees: what is taken is gone. Of two records of one commit the later one counts. Checks
// nothing: the host checks what it reads, and whoever takes blocks knows which it has.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "schedule.hpp"

namespace thresher::dag {

class RestoredRecords {
 public:
  struct Held {
    BlockPtr block;
    bool vouched;  ///< it came with the log of peers
  };
  struct Commit {
    Round slot;
    Round before;  ///< slot of the commit before it
    Digest leader{};
  };

  void add(Held one) { blocks_.push_back(std::move(one)); }
  /// `after`: who leads when the commit is made.
  void add(const Commit& commit, Schedule after);

  /// In the order in which they were added.
  std::vector<Held> take_blocks() { return std::exchange(blocks_, {}); }
  /// The same, but lower rounds first.
  std::vector<Held> take_blocks_by_round();
  /// Lower slots first.
  std::vector<Commit> take_commits();

  /// The highest commit; null: there is none.
  const Commit* last_commit() const;
  /// Who leads after it. Pre: there is one.
  const Schedule& schedule() const { return *after_; }
  /// Calls `visit(const BlockPtr&)` for all blocks.
  template <class F>
  void each_block(F visit) const {
    for (const Held& one : blocks_) visit(one.block);
  }

 private:
  std::vector<Held> blocks_;
  std::map<Round, Commit> commits_;  // by slot
  std::optional<Schedule> after_;    // the last of them
};

}  // namespace thresher::dag
