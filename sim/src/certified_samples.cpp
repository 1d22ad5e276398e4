// Liars that choose their samples: see certified_lies.hpp.
#include <algorithm>

#include "certified_lies.hpp"

namespace thresher::sim {
namespace {

void shuffle(std::vector<NodeId>& ids, Prng& rng) {
  for (std::size_t k = ids.size(); k > 1; --k) std::swap(ids[k - 1], ids[rng.below(k)]);
}

bool disjoint(const NodeSet& a, const NodeSet& b) {
  bool out = true;
  a.for_each([&](NodeId id) { out = out && !b.contains(id); });
  return out;
}

}  // namespace

bool CertifiedLies::leads(NodeId id, Round round) const {
  return certified::has_anchor(round) && order_->leader(round) == id;
}

// Those whose certified vertices of the next round refer to the anchor.
NodeSet CertifiedLies::voters_for(Round anchor) const {
  NodeSet out(committee_.size());
  const auto after = by_round_.find(anchor.value + 1);
  if (after == by_round_.end()) return out;
  for (const auto& [author, vertex] : after->second) {
    if (votes_for(vertex->header, anchor)) out.insert(author);
  }
  return out;
}

bool CertifiedLies::committed(Round anchor) const {
  const auto known = by_round_.find(anchor.value);
  return known != by_round_.end() && known->second.contains(order_->leader(anchor)) &&
         voters_for(anchor).size() >= committee_.at_least(rules_.commit);
}

// Looks at the graph itself, not at what the liar wanted: references to older rounds than that of
// the votes cannot lead to the anchor below them.
void CertifiedLies::judge(const certified::Vertex& vertex) {
  const Round target{vertex.round().value - 2};
  if (target.value == 0 || !committed(target)) return;
  ++grinding_.anchors;
  if (disjoint(vertex.header.parents, voters_for(target))) ++grinding_.missed;
}

// An ordinary vertex withholds its vote for the anchor below, but of a liar; an anchor shuns those
// who voted for the anchor before it, and waits until enough of them and of the others can be
// named.
std::optional<certified::Header> CertifiedLies::craft_sampled(NodeId id, Round round, bool lies,
                                                              Prng& rng) {
  const auto known = by_round_.find(round.value - 1);
  if (known == by_round_.end()) return std::nullopt;
  const OfRound& before = known->second;
  NodeSet shunned(committee_.size());
  const Round below{round.value - 1};
  const NodeId leader = order_->leader(Round{below.value + below.value % 2});
  const bool theirs = pending_.contains(leader);
  if (lies && certified::has_anchor(below) && !theirs) shunned.insert(leader);
  const bool strikes = lies && leads(id, round) && round.value > 2;
  if (strikes) {
    shunned = voters_for(Round{round.value - 2});
    const std::size_t others = before.size() - shunned.size();
    const bool ready = others >= committee_.faults() && committed(Round{round.value - 2});
    if (!ready && before.size() < committee_.size()) return std::nullopt;
  }
  certified::Header h;
  h.author = id;
  h.round = round;
  if (!take_sample(h, before, shunned, strikes, rng)) return std::nullopt;
  if (certified::has_anchor(below) && theirs && before.contains(leader)) h.parents.insert(leader);
  if (h.parents.contains(id)) {
    h.self = below;
    return h;
  }
  // The latest own vertex, but for one that must not be reached: of the anchor below, which the
  // edge would vote for, or of a voter.
  for (const auto& [r, vertices] : by_round_) {
    const bool avoided = r == below.value && shunned.contains(id);
    if (r < round.value && vertices.contains(id) && !avoided) h.self = Round{r};
  }
  if (h.self == below) h.parents.insert(id);
  return h;
}

// False when there are too few vertices to draw from. Without verifiable sampling the sample is
// whatever the author says. Else different sets are tried until one draws no shunned node: all that
// are not shunned, and as many of the shunned as make a set that is large enough.
bool CertifiedLies::take_sample(certified::Header& h, const OfRound& before, const NodeSet& shunned,
                                bool lies, Prng& rng) {
  std::vector<NodeId> good;
  std::vector<NodeId> bad;
  for (const auto& [author, vertex] : before)
    (shunned.contains(author) ? bad : good).push_back(author);
  shuffle(good, rng);
  shuffle(bad, rng);
  const std::size_t least = committee_.at_least(rules_.dense);
  if (before.size() < least) return false;
  if (rules_.parents != certified::Parents::kVerifiable) {
    good.resize(std::min<std::size_t>(good.size(), rules_.sample));
    h.parents = NodeSet(committee_.size());
    for (const NodeId id : good) h.parents.insert(id);
    if (lies) ++grinding_.tries;
    return true;
  }
  good.resize(std::min(good.size(), least));
  std::vector<bool> taken(bad.size());
  std::fill_n(taken.begin(), least - good.size(), true);
  const auto digest_of = [&](NodeId id) { return &before.at(id)->digest; };
  for (std::uint64_t i = 0; i < (lies ? tries_ : 1); ++i) {
    h.sampled_from = NodeSet(committee_.size());
    for (const NodeId id : good) h.sampled_from.insert(id);
    for (std::size_t k = 0; k < bad.size(); ++k) {
      if (taken[k]) h.sampled_from.insert(bad[k]);
    }
    const Digest unique = certified::unique_value(h.sampled_from, digest_of);
    h.parents = certified::sample_parents(h.ref(), h.sampled_from, unique, rules_.sample);
    if (lies) ++grinding_.tries;
    const bool next = std::prev_permutation(taken.begin(), taken.end());
    if (disjoint(h.parents, shunned) || !next) break;
  }
  return true;
}

}  // namespace thresher::sim
