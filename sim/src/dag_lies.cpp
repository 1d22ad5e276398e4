#include "dag_lies.hpp"

#include <algorithm>

namespace thresher::sim {
namespace {

constexpr std::size_t kRoundsKnown = 16;

dag::Edge edge_to(const dag::BlockPtr& b) {
  return {b->author(), b->round(), b->digest};
}

}  // namespace

void DagLies::note(const dag::BlockPtr& block) {
  auto& same_round = by_round_[block->round().value];
  const bool known = known_.contains(block->digest);
  if (known) return;
  same_round.push_back(block);
  known_.emplace(block->digest, block);
  while (by_round_.size() > kRoundsKnown) {
    for (const auto& old : by_round_.begin()->second) known_.erase(old->digest);
    by_round_.erase(by_round_.begin());
  }
}

std::string_view DagLies::vouched_by(const dag::Header& h) const {
  if (liars_.contains(h.author)) return {};
  if (h.claim && shown_to_some_.contains(*h.claim)) return kClaims;
  const auto hidden = [this](const dag::Edge& e) { return shown_to_some_.contains(e.digest); };
  return std::any_of(h.refs.begin(), h.refs.end(), hidden) ? kNames : std::string_view{};
}

std::vector<dag::BlockPtr> DagLies::leaders(std::uint64_t round) const {
  std::vector<dag::BlockPtr> found;
  const auto it = by_round_.find(round);
  if (it == by_round_.end()) return found;
  const NodeId leader = turn(Round{round});
  std::copy_if(it->second.begin(), it->second.end(), std::back_inserter(found),
               [&](const auto& b) { return b->author() == leader; });
  return found;
}

// A vote and a claim say whose block they mean, unless node r mod n wrote it.
void DagLies::say_whose(dag::Header& h) const {
  const auto whose = [&](const Name& name, std::uint64_t back) -> std::optional<NodeId> {
    const auto it = name ? known_.find(*name) : known_.end();
    if (it == known_.end()) return std::nullopt;
    const NodeId author = it->second->author();
    const bool usual = author == dag::leader_of(Round{h.round.value - back}, committee_);
    return usual ? std::nullopt : std::optional(author);
  };
  h.vote_author = whose(h.vote, 1);
  h.claim_author = whose(h.claim, 2);
}

// Another leader block of the round, or none.
bool DagLies::name_another(std::uint64_t round, Name& name, std::uint64_t salt) const {
  std::vector<Name> options;
  if (name) options.push_back(std::nullopt);
  for (const auto& b : leaders(round)) {
    if (name != b->digest) options.emplace_back(b->digest);
  }
  if (options.empty()) return false;
  name = options[mix64(salt + 2) % options.size()];
  return true;
}

bool DagLies::change_claim(dag::Header& h, std::uint64_t salt) const {
  h.claim_author.reset();
  if (kills_ && !h.kill && mix64(salt + 6) % 3 == 0) {  // in place of the claim, if there is one
    h.claim.reset();
    return h.kill = true;
  }
  h.kill = false;
  if (name_another(h.round.value - 2, h.claim, salt)) {
    say_whose(h);
    return true;
  }
  h.claim = Digest{};  // nobody has such a block
  h.claim->bytes[salt % 32] = std::byte{1};
  return true;
}

// Leaves a parent out, or puts another block of some parent's author in the place of one.
bool DagLies::change_refs(dag::Header& h, std::uint64_t salt) const {
  const std::size_t at = mix64(salt + 3) % h.refs.size();
  std::vector<dag::Edge> twins;
  const auto it = by_round_.find(h.round.value - 1);
  if (it != by_round_.end()) {
    for (const auto& b : it->second) {
      const dag::Edge edge = edge_to(b);
      const bool listed = std::find(h.refs.begin(), h.refs.end(), edge) != h.refs.end();
      const bool named = std::any_of(h.refs.begin(), h.refs.end(),
                                     [&](const auto& r) { return r.author == edge.author; });
      if (!listed && named && edge != h.self) twins.push_back(edge);
    }
  }
  if (twins.empty() || salt % 3 == 0) {
    h.refs.erase(h.refs.begin() + static_cast<std::ptrdiff_t>(at));
    return true;
  }
  h.refs[at] = twins[mix64(salt + 4) % twins.size()];
  std::sort(h.refs.begin(), h.refs.end());
  return true;
}

// An older block of its own: what lies between is denied.
bool DagLies::change_self(dag::Header& h, std::uint64_t salt) const {
  std::vector<dag::Edge> older;
  for (const auto& [round, blocks] : by_round_) {
    if (round >= h.round.value) break;
    for (const auto& b : blocks) {
      if (b->author() == h.author && edge_to(b) != h.self) older.push_back(edge_to(b));
    }
  }
  if (older.empty()) return false;
  h.self = older[mix64(salt + 5) % older.size()];
  return true;
}

bool DagLies::change(dag::Header& h, dag::Payload& payload, Mutation by) const {
  const std::uint64_t salt = by.salt();
  if ((h.vote || h.claim || h.kill) && by.picks("support")) {  // says nothing for anybody
    h.vote.reset();
    h.claim.reset();
    h.vote_author.reset();
    h.claim_author.reset();
    h.kill = false;
    return true;
  }
  if (h.round.value >= 2 && by.picks("vote")) {
    const bool made = name_another(h.round.value - 1, h.vote, salt);
    say_whose(h);
    if (made) return true;
  }
  if (h.round.value >= 3 && by.picks("claim")) return change_claim(h, salt);
  if (!h.refs.empty() && by.picks("refs")) return change_refs(h, salt);
  if (by.picks("self") && change_self(h, salt)) return true;
  if (!by.picks("payload") || !another_payload(payload.bytes)) return false;
  payload.root = h.payload_root = hash(payload.bytes.view());
  return true;
}

}  // namespace thresher::sim
