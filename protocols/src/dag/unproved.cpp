#include "unproved.hpp"

namespace thresher::dag {

void Unproved::add(const Edge& leader, const Edge& claimer) {
  const auto it = claims_.try_emplace({leader.round, leader.digest}, OpenClaim{leader}).first;
  it->second.leader = leader;
  it->second.claimers.push_back(claimer);
}

void Unproved::wake(Round slot, const Digest& leader, std::vector<Edge>& ready) {
  const auto it = claims_.find({slot, leader});
  if (it == claims_.end()) return;
  const auto& claimers = it->second.claimers;
  ready.insert(ready.end(), claimers.begin(), claimers.end());
  claims_.erase(it);
}

void Unproved::forget(Round floor, std::vector<Edge>& ready) {
  while (!claims_.empty() && claims_.begin()->first.first <= floor) {
    const auto& claimers = claims_.begin()->second.claimers;
    ready.insert(ready.end(), claimers.begin(), claimers.end());
    claims_.erase(claims_.begin());
  }
}

const Edge* Unproved::find(Round slot, const Digest& leader) const {
  const auto it = claims_.find({slot, leader});
  return it == claims_.end() ? nullptr : &it->second.leader;
}

bool Unproved::answered(Round slot, const Digest& leader, NodeId peer) {
  return claims_.at({slot, leader}).asked.erase(peer);
}

std::size_t Unproved::waiting() const {
  std::size_t out = 0;
  for (const auto& [name, claim] : claims_) out += claim.claimers.size();
  return out;
}

}  // namespace thresher::dag
