#include "certified_lies.hpp"

#include <algorithm>

namespace thresher::sim {
namespace {

constexpr std::size_t kRoundsKnown = 32;
constexpr std::uint64_t kAnchorShown = 350'000;  // of a million, while it plots
constexpr std::uint64_t kEverybody = 1'000'000;
constexpr std::string_view kSampleField = "sample";

// Does all of it at once: votes, denials, few who see its anchors, and all that late.
bool plots(std::uint64_t mood) {
  return mix64(mood + 2) % 3 == 0;
}

}  // namespace

void CertifiedLies::note(const certified::VertexPtr& vertex) {
  if (!vertex) return;
  by_round_[vertex->round().value].emplace(vertex->author(), vertex);
  if (by_round_.size() > kRoundsKnown) by_round_.erase(by_round_.begin());
}

// Signatures of one text are equal, which tells whose this is.
void CertifiedLies::heard(const certified::Vote& vote) {
  for (auto& [liar, pending] : pending_) {
    if (pending.proposal->digest != vote.digest) continue;
    for (std::uint32_t i = 0; i < committee_.size(); ++i) {
      const NodeId voter{static_cast<std::uint16_t>(i)};
      if (signer_.sign(voter, vote.digest) == vote.signature)
        pending.votes.emplace(voter, vote.signature);
    }
  }
}

// The highest round in which others have certified vertices.
std::uint64_t CertifiedLies::top(NodeId besides) const {
  for (auto it = by_round_.rbegin(); it != by_round_.rend(); ++it) {
    if (it->second.size() > it->second.count(besides)) return it->first;
  }
  return 0;
}

// The latest round that lacks no more than its vertex: the others have composed theirs.
std::uint64_t CertifiedLies::awaited(NodeId liar) const {
  const std::size_t others = committee_.at_least(rules_.complete) - 1;
  for (auto it = by_round_.rbegin(); it != by_round_.rend(); ++it) {
    if (it->second.size() - it->second.count(liar) >= others) return it->first;
  }
  return 0;
}

std::vector<Forged<certified::Message>> CertifiedLies::forge(NodeId id, std::string_view field,
                                                             std::uint64_t mood,
                                                             std::uint64_t salt) {
  Prng rng(salt, 3);
  const bool plot = field.empty() && plots(mood);
  if (auto done = certify(id)) {
    note(done->vertex);
    const bool anchor = leads(id, done->round);
    const bool sampled = rules_.sample > 0 && !rules_.dense_anchor;
    if (sampled && anchor) judge(*done->vertex);
    std::uint64_t shown = 400'000 + 200'000 * (mood % 4);  // of a million
    if (plot && anchor) shown = kAnchorShown;
    if (field == kSampleField) shown = kEverybody;
    return {{*std::move(done), shown}};
  }
  const auto waiting = pending_.find(id);
  const std::uint64_t last =
      waiting == pending_.end() ? 0 : waiting->second.proposal->header.round.value;
  std::uint64_t next = plot ? awaited(id) : top(id) + 1;
  // Others wait for an anchor, so it may come when they have certified theirs.
  if (field == kSampleField && leads(id, Round{next - 1}) && last + 1 < next) --next;
  if (next == 0 || last >= next) return {};
  auto header = craft(id, Round{next}, field, mood, rng);
  if (!header ||
      certified::flaw_of(*header, rules_, committee_, gc_depth_) != certified::Flaw::kNone) {
    return {};
  }
  const Signature signature = signer_.sign(id, certified::digest_of(*header, {}));
  auto proposal = certified::make_proposal(*std::move(header), signature, {});
  pending_[id] = {proposal, {{id, signature}}};
  return {{certified::Propose{std::move(proposal)}}};
}

std::optional<certified::Certify> CertifiedLies::certify(NodeId id) {
  const auto it = pending_.find(id);
  if (it == pending_.end()) return std::nullopt;
  const Pending& pending = it->second;
  const certified::Proposal& proposal = *pending.proposal;
  const auto known = by_round_.find(proposal.header.round.value);
  const bool done = known != by_round_.end() && known->second.contains(id);
  if (done || pending.votes.size() < committee_.at_least(rules_.certify)) return std::nullopt;
  certified::Certificate certificate;
  for (const auto& [voter, signature] : pending.votes) {
    certificate.signers.insert(voter);
    if (!joint_) certificate.signatures.push_back(signature);
  }
  if (joint_) certificate.signatures = {joint_->combine(proposal.digest, certificate)};
  return certified::Certify{proposal.header.round, proposal.digest, certificate,
                            certified::make_vertex(proposal, {}, certificate)};
}

std::optional<certified::Header> CertifiedLies::craft(NodeId id, Round round,
                                                      std::string_view field, std::uint64_t mood,
                                                      Prng& rng) {
  const auto lies = [&](std::string_view about) { return field.empty() || field == about; };
  certified::Header h;
  h.author = id;
  h.round = round;
  if (round.value == 1) return h;
  if (field == kSampleField || rules_.parents == certified::Parents::kVerifiable)
    return craft_sampled(id, round, lies(kSampleField), rng);
  const bool plot = field.empty() && plots(mood);
  h.self =
      plot ? before_votes(id, round) : self_of(id, round, lies("self") ? mix64(mood) % 4 : 0, rng);
  if (by_round_.find(round.value - 1) == by_round_.end()) return std::nullopt;
  const bool votes = plot || !lies("parents") || rng.below(4) < mix64(mood + 1) % 5;
  h.parents = parents_of(h, votes, lies("parents"), rng);
  return h;
}

// The latest vertex of its own that it does not forget, which it does `forgets` times of 4.
Round CertifiedLies::self_of(NodeId id, Round round, std::uint64_t forgets, Prng& rng) const {
  Round self{0};
  for (const auto& [r, vertices] : by_round_) {
    if (r < round.value && vertices.contains(id) && rng.below(4) >= forgets) self = Round{r};
  }
  return self;
}

// The latest vertex of its own that is older than the last anchor for which it voted; but a vote
// for an own anchor is the edge to it.
Round CertifiedLies::before_votes(NodeId id, Round round) const {
  std::uint64_t below = round.value;
  const auto own = [&](std::uint64_t r) -> const certified::Vertex* {
    const auto it = by_round_.find(r);
    if (it == by_round_.end()) return nullptr;
    const auto found = it->second.find(id);
    return found == it->second.end() ? nullptr : found->second.get();
  };
  const Round before{round.value - 1};
  const bool led = leads(id, before);
  if (led && own(before.value) != nullptr) return before;
  for (const auto& [r, vertices] : by_round_) {
    const certified::Vertex* v = r < round.value ? own(r) : nullptr;
    if (v != nullptr && r > 1 && votes_for(v->header, Round{r - 1})) below = r - 1;
  }
  while (below > 1 && own(--below) == nullptr) continue;
  return own(below) != nullptr && below < round.value ? Round{below} : Round{0};
}

bool CertifiedLies::votes_for(const certified::Header& h, Round anchor) const {
  return certified::has_anchor(anchor) && h.parents.contains(order_->leader(anchor));
}

// Just enough for an anchor, in a drawn order; else the anchor before, if it gets the vote.
NodeSet CertifiedLies::parents_of(const certified::Header& h, bool votes, bool hides,
                                  Prng& rng) const {
  NodeSet parents(committee_.size());
  const bool chained = h.self.value + 1 == h.round.value;
  if (chained) parents.insert(h.author);
  std::vector<NodeId> others;
  for (const auto& [author, vertex] : by_round_.at(h.round.value - 1)) {
    if (author != h.author) others.push_back(author);
  }
  const bool dense =
      certified::must_be_dense(h.ref(), rules_, committee_) ||
      (certified::may_be_dense(h.ref(), rules_, committee_) && leads(h.author, h.round));
  if (dense) {
    for (std::size_t k = others.size(); k > 1 && hides; --k)
      std::swap(others[k - 1], others[rng.below(k)]);
    for (const NodeId author : others) {
      if (parents.size() < committee_.at_least(rules_.dense)) parents.insert(author);
    }
    return parents;
  }
  const Round before{h.round.value - 1};
  if (!certified::has_anchor(before) || !votes) return parents;
  const NodeId anchor = order_->leader(before);
  if (std::find(others.begin(), others.end(), anchor) != others.end()) parents.insert(anchor);
  return parents;
}

std::optional<certified::Message> CertifiedLies::vote(NodeId id,
                                                      const certified::Propose& proposed) const {
  const certified::Proposal& p = *proposed.proposal;
  return certified::Message{certified::Vote{p.header.round, p.digest, signer_.sign(id, p.digest)}};
}

std::optional<certified::Message> CertifiedLies::hand_out(const certified::Want& want) const {
  certified::Give give;
  for (const certified::Ref& ref : want.vertices) {
    const auto it = by_round_.find(ref.round.value);
    if (it == by_round_.end()) continue;
    const auto found = it->second.find(ref.author);
    if (found != it->second.end()) give.vertices.push_back(found->second);
  }
  if (give.vertices.empty()) return std::nullopt;
  return certified::Message{std::move(give)};
}

}  // namespace thresher::sim
