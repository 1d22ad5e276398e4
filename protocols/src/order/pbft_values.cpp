// Values that a node of PBFT knows by their digests alone: a view change chose them, or the leader
// voted for them. Who accepted them is asked.
#include <algorithm>

#include "pbft_parts.hpp"

namespace thresher {

using namespace pbft;  // NOLINT(google-build-using-namespace): the protocol's own vocabulary

// R3: the leader's own vote names its proposal, which may have been lost.
void Pbft::note_named(std::uint64_t slot, const Ballot& b) {
  if (active_ && slot >= first_ && b.votes[kPrepare].spoke.contains(leader(view_)))
    highest_ = std::max(highest_, slot + 1);
}

// R3, R6: what this view's leader proposes there, as far as is known.
std::optional<Digest> Pbft::named(std::uint64_t slot) const {
  if (slot < first_) {
    const auto chosen = chosen_.find(slot);
    return chosen == chosen_.end() ? std::nullopt : std::optional(chosen->second);
  }
  const auto s = slots_.find(slot);
  if (s == slots_.end()) return std::nullopt;
  const auto b = s->second.ballots.find(view_);
  if (b == s->second.ballots.end()) return std::nullopt;
  const Votes& votes = b->second.votes[kPrepare];
  if (!votes.spoke.contains(leader(view_))) return std::nullopt;
  if (votes.of_first.members().contains(leader(view_))) return votes.first;
  for (const auto& [digest, tally] : votes.others) {
    if (tally.members().contains(leader(view_))) return digest;
  }
  return std::nullopt;
}

std::optional<Bytes> Pbft::value_of(std::uint64_t slot, const Digest& digest) const {
  static const Digest kHole = hash({});
  if (digest == kHole) return Bytes{};
  if (const auto s = slots_.find(slot); s != slots_.end()) {
    const auto kept = s->second.values.find(digest);
    if (kept != s->second.values.end()) return kept->second;
  }
  if (const Bytes* delivered = log_.delivered_value(digest)) return *delivered;
  if (const order::Queued* request = requests_.find(digest)) return request->value;
  return std::nullopt;
}

/// Those that say that they accepted it: in their view changes, or by their votes.
std::vector<NodeId> Pbft::holders(std::uint64_t slot, const Digest& digest) const {
  NodeSet all;
  for (const auto& [id, change] : changes_) {
    const auto claim = change.claims.find(slot);
    if (claim != change.claims.end() && claim->second.seen.contains(digest)) all.insert(id);
  }
  if (const auto s = slots_.find(slot); s != slots_.end()) {
    if (const auto b = s->second.ballots.find(view_); b != s->second.ballots.end()) {
      const Votes& votes = b->second.votes[kPrepare];
      const auto others = votes.others.find(digest);
      if (digest == votes.first) all.merge(votes.of_first.members());
      if (others != votes.others.end()) all.merge(others->second.members());
    }
  }
  std::vector<NodeId> out;
  all.for_each([&](NodeId id) {
    if (id != config_.self) out.push_back(id);
  });
  return out;
}

// R6. Of f+1 that accepted it one is correct and gives it; others have their turn next.
void Pbft::fetch_missing(Fx& fx) {
  if (!active_) return;
  for (std::uint64_t slot = delivered(); slot < highest_; ++slot) {
    if (!fits(slot) || proposals_.contains({view_, slot})) continue;
    const auto digest = named(slot);
    if (!digest) continue;
    const bool chosen = slot < first_;
    auto& asked =
        asks_.try_emplace(slot, Asked{ticks_ + (chosen ? 0 : kNear), kNear, 0}).first->second;
    if (ticks_ < asked.next) continue;
    const std::vector<NodeId> from = holders(slot, *digest);
    const std::size_t some =
        std::min<std::size_t>(from.size(), config_.committee.at_least(kValidity));
    for (std::size_t k = 0; k < some; ++k)
      fx.send(from[(asked.times * some + k) % from.size()], Fetch{slot, *digest});
    ++asked.times;
    asked.next = ticks_ + asked.pause;
    asked.pause = std::min(2 * asked.pause, kAgain);
  }
}

// R6
bool Pbft::receive(NodeId from, const Fetch& m, Fx& fx) {
  const auto value = value_of(m.slot, m.digest);
  if (value && serve(from, value->size(), fx)) fx.send(from, Fetched{m.slot, *value});
  return false;
}

// R6. More than one were asked, so what is here already is nobody's offence.
bool Pbft::receive(NodeId, const Fetched& m, Fx&) {
  const bool wanted = active_ && fits(m.slot) && !proposals_.contains({view_, m.slot});
  if (m.value.size() > config_.value_bytes) ++refused_;
  if (!wanted || m.value.size() > config_.value_bytes) return false;
  const auto digest = named(m.slot);
  if (!digest || hash(m.value.view()) != *digest) return false;
  asks_.erase(m.slot);
  return proposals_.try_emplace({view_, m.slot}, m.value).second;
}

}  // namespace thresher
