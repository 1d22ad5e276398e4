#include "missing.hpp"

#include <algorithm>
#include <utility>

#include "thresher/core/assert.hpp"

namespace thresher::dag {

MissingBlocks::MissingBlocks(const Committee& committee)
    : remembered_(committee.at_least(kValidity)), charged_(committee.size()) {}

void MissingBlocks::need(const Edge& edge, const Edge& child, NodeId from) {
  const auto [it, fresh] =
      missing_.try_emplace(edge, Missing{child.author, Search(edge.author), {}});
  Missing& one = it->second;
  if (fresh) {
    ++charged_[child.author.value];
    fresh_.push_back(edge);
  }
  one.search.prefer(child.author);
  one.search.prefer(from);
  const auto same_author = [&](const Edge& e) { return e.author == child.author; };
  if (one.children.size() < remembered_ &&
      std::none_of(one.children.begin(), one.children.end(), same_author)) {
    one.children.push_back(child);
  }
}

void MissingBlocks::discharge(NodeId author) {
  THRESHER_ASSERT(charged_[author.value] > 0, "what is missing was charged once");
  --charged_[author.value];
}

void MissingBlocks::pushed(const Edge& edge) {
  on_trial_.erase(edge);
  longer_.erase(edge);
  if (const auto it = missing_.find(edge); it != missing_.end()) it->second.pushed = true;
}

void MissingBlocks::found(const Edge& edge) {
  const auto it = missing_.find(edge);
  if (it == missing_.end()) return;
  discharge(it->second.charged);
  if (it->second.search.begun() && !it->second.pushed) on_trial_.insert(edge);
  missing_.erase(it);
}

void MissingBlocks::forget(Round floor) {
  std::erase_if(missing_, [&](const auto& one) {
    if (one.first.round > floor) return false;
    discharge(one.second.charged);
    return true;
  });
}

const MissingBlocks::Missing* MissingBlocks::find(const Edge& edge) const {
  const auto it = missing_.find(edge);
  return it == missing_.end() ? nullptr : &it->second;
}

}  // namespace thresher::dag
