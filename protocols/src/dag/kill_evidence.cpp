#include "kill_evidence.hpp"

#include <algorithm>
#include <set>

#include "committer.hpp"

namespace thresher::dag {

KillEvidence::Vote KillEvidence::vote_of(const BlockPtr& b) const {
  return b->header.vote ? Vote(voted(b->header, committee_)) : std::nullopt;
}

void KillEvidence::add(const BlockPtr& block) {
  const Header& h = block->header;
  if (!concerns(h, round_)) return;
  if (h.round.value == round_.value + 2) {
    const auto same = [&](const BlockPtr& b) { return b->author() == h.author; };
    if (std::none_of(kills_.begin(), kills_.end(), same)) kills_.push_back(block);
    return;
  }
  Votes& votes = voters_[h.author];
  if (votes.empty()) order_.push_back(h.author);
  const auto alike = [&](const BlockPtr& b) { return vote_of(b) == vote_of(block); };
  // An author that voted in two ways votes for no block, however many more it signs.
  if (votes.size() < 2 && std::none_of(votes.begin(), votes.end(), alike)) votes.push_back(block);
}

// T1. An author does not vote for a block when some block of its does not.
bool KillEvidence::dead() const {
  const std::uint32_t enough = committee_.at_least(rules_.skip);
  if (voters_.size() < enough) return false;
  std::set<Edge> all;
  for (const auto& [author, votes] : voters_) {
    for (const BlockPtr& b : votes) {
      if (const Vote vote = vote_of(b)) all.insert(*vote);
    }
  }
  return std::all_of(all.begin(), all.end(), [&](const Edge& leader) {
    const auto against = std::count_if(voters_.begin(), voters_.end(), [&](const auto& voter) {
      return std::any_of(voter.second.begin(), voter.second.end(),
                         [&](const BlockPtr& b) { return vote_of(b) != leader; });
    });
    return against >= static_cast<std::ptrdiff_t>(enough);
  });
}

// One block of an author without a vote says as much as all of its blocks, and so do two that vote
// differently.
std::vector<BlockPtr> KillEvidence::few() const {
  KillEvidence chosen(round_, committee_, rules_);
  std::vector<BlockPtr> out;
  for (const BlockPtr& b : kills_) {
    if (!killed() || chosen.killed()) break;
    chosen.add(b);
    out.push_back(b);
  }
  if (killed()) return out;
  for (const NodeId author : order_) {
    if (chosen.dead()) break;
    const Votes& votes = voters_.at(author);
    const auto blame =
        std::find_if(votes.begin(), votes.end(), [](const BlockPtr& b) { return !b->header.vote; });
    const auto take = [&](const BlockPtr& b) {
      chosen.add(b);
      out.push_back(b);
    };
    if (blame != votes.end()) {
      take(*blame);
    } else {
      std::for_each(votes.begin(), votes.end(), take);
    }
  }
  return out;
}

}  // namespace thresher::dag
