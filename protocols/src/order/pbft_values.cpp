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

/// Those that say that they accepted or delivered it.
std::vector<NodeId> Pbft::holders(std::uint64_t slot, const Digest& digest,
                                  const SlotLog::Vouched* vouched) const {
  NodeSet all;
  if (vouched != nullptr) all = vouched->by;
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

// R6, R9: those that have their turn are asked, at growing pauses. Of f+1 that accepted a value one
// is correct and gives it. What others delivered is not urgent: one is asked, and then the next.
void Pbft::fetch(std::uint64_t slot, const Digest& digest, const SlotLog::Vouched* vouched,
                 Fx& fx) {
  Asked& asked = asks_[slot];
  const std::vector<NodeId> from = holders(slot, digest, vouched);
  const std::size_t most = vouched != nullptr ? 1 : config_.committee.at_least(kValidity);
  const std::size_t some = std::min(from.size(), most);
  for (std::size_t k = 0; k < some; ++k)
    fx.send(from[(config_.self.value + asked.times + k) % from.size()], Fetch{slot, digest});
  asked.times += some;
  asked.pause = asked.pause == 0 ? kNear : std::min(2 * asked.pause, kAgain);
  asked.next = ticks_ + asked.pause;
}

// R6, R9
void Pbft::fetch_missing(Fx& fx) {
  asks_.erase(asks_.begin(), asks_.lower_bound(delivered()));
  const std::uint64_t end = std::max(highest_, delivered() + kAnswers);
  for (std::uint64_t slot = delivered(); slot < end; ++slot) {
    const auto vouched = log_.vouched(slot);
    if (vouched && settle(slot, vouched->digest)) continue;
    const bool proposed = log_.decided(slot) != nullptr || proposals_.contains({view_, slot});
    if (!vouched && (proposed || !active_ || !fits(slot))) continue;
    const auto digest = vouched ? std::optional(vouched->digest) : named(slot);
    if (!digest) continue;
    const bool sent = !vouched && slot >= first_;  // and most likely near
    const Asked& asked =
        asks_.try_emplace(slot, Asked{ticks_ + (sent ? kNear : 0), 0, 0}).first->second;
    if (ticks_ >= asked.next) fetch(slot, *digest, vouched ? &*vouched : nullptr, fx);
  }
}

// R9: f+1 named it. Whether its value is here, and so decided now.
bool Pbft::settle(std::uint64_t slot, const Digest& digest) {
  const auto value = value_of(slot, digest);
  return value && log_.decide(slot, *value);
}

// R6, R11
bool Pbft::receive(NodeId from, const Fetch& m, Fx& fx) {
  const auto value = value_of(m.slot, m.digest);
  if (value && served_.value(from, m.digest, value->size())) fx.send(from, Fetched{m.slot, *value});
  return false;
}

// R6, R9. More than one may have been asked, so what is here already is nobody's offence.
bool Pbft::receive(NodeId, const Fetched& m, Fx&) {
  if (m.value.size() > config_.value_bytes) {
    ++refused_;
    return false;
  }
  const auto vouched = log_.vouched(m.slot);
  const bool wanted = active_ && fits(m.slot) && !proposals_.contains({view_, m.slot});
  if (!vouched && !wanted) return false;
  const auto digest = vouched ? std::optional(vouched->digest) : named(m.slot);
  if (!digest || hash(m.value.view()) != *digest) return false;
  asks_.erase(m.slot);
  if (vouched) return log_.decide(m.slot, m.value);
  return proposals_.try_emplace({view_, m.slot}, m.value).second;
}

}  // namespace thresher
