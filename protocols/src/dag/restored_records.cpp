#include "restored_records.hpp"

#include <algorithm>

namespace thresher::dag {

void RestoredRecords::add(const Commit& commit, Schedule after) {
  commits_.insert_or_assign(commit.slot, commit);
  if (commits_.rbegin()->first == commit.slot) after_ = std::move(after);
}

std::vector<RestoredRecords::Held> RestoredRecords::take_blocks_by_round() {
  std::vector<Held> out = take_blocks();
  std::stable_sort(out.begin(), out.end(), [](const Held& a, const Held& b) {
    return a.block->round() < b.block->round();
  });
  return out;
}

std::vector<RestoredRecords::Commit> RestoredRecords::take_commits() {
  std::vector<Commit> out;
  for (const auto& [slot, commit] : std::exchange(commits_, {})) out.push_back(commit);
  after_.reset();
  return out;
}

const RestoredRecords::Commit* RestoredRecords::last_commit() const {
  return commits_.empty() ? nullptr : &commits_.rbegin()->second;
}

}  // namespace thresher::dag
