#include "store.hpp"

#include <algorithm>
#include <utility>

#include "committer.hpp"

namespace thresher::dag {

Store::Store(const Committee& committee, const Rules& rules)
    : committee_(committee), rules_(rules) {}

void Store::grow(Round round) {
  while (top().value < round.value) {
    RoundInfo info;
    info.first.resize(committee_.size());
    info.all_delivered = NodeSet(committee_.size());
    info.all_in_own_history = NodeSet(committee_.size());
    info.held = Tally(committee_);
    info.accepted = Tally(committee_);
    rounds_.push_back(std::move(info));
    ++top_.value;
  }
}

const Entry* Store::find(const Edge& edge) const {
  if (!in_range(edge.round) || !committee_.contains(edge.author)) return nullptr;
  const RoundInfo& info = at(edge.round);
  const Slot& slot = info.first[edge.author.value];
  if (slot.index == 0) return nullptr;
  if (slot.digest == edge.digest) return &info.entries[slot.index - 1];
  // An equivocator's further blocks hang off its first.
  for (std::uint32_t i = info.entries[slot.index - 1].next_of_author; i != 0;) {
    const Entry& e = info.entries[i - 1];
    if (e.block->digest == edge.digest) return &e;
    i = e.next_of_author;
  }
  return nullptr;
}

Entry* Store::find(const Edge& edge) {
  return const_cast<Entry*>(std::as_const(*this).find(edge));
}

const Entry* Store::first(Round round, NodeId author) const {
  if (!in_range(round) || !committee_.contains(author)) return nullptr;
  const RoundInfo& info = at(round);
  const std::uint32_t index = info.first[author.value].index;
  return index == 0 ? nullptr : &info.entries[index - 1];
}

bool Store::insert(BlockPtr block, std::optional<Edge> vote) {
  const Round round = block->round();
  const NodeId author = block->author();
  grow(round);
  RoundInfo& info = at(round);
  ++version_;
  // In order of arrival: the new block goes to the end of its author's chain.
  Slot& first = info.first[author.value];
  if (first.index == 0) first.digest = block->digest;
  std::uint32_t* link = &first.index;
  while (*link != 0) link = &info.entries[*link - 1].next_of_author;
  *link = static_cast<std::uint32_t>(info.entries.size() + 1);
  const bool sparse = rules_.edges == Edges::kSparse;
  std::optional<Edge> claim;
  if (sparse && block->header.claim) claim = claimed(block->header, committee_);
  info.entries.push_back({.block = std::move(block), .vote = vote, .claim = claim});
  info.held.add(author);
  info.all_delivered.erase(author);
  info.all_in_own_history.erase(author);

  // What is read off its history counts when the block is accepted.
  bool latched = !rules_.coin && count_vote(info.entries.back());
  if (claim) latched |= count_claim(*claim, author);
  return latched;
}

bool Store::count_vote(const Entry& entry) {
  const Round round = entry.block->round();
  if (round.value <= rules_.votes_after()) return false;
  const Round slot{round.value - rules_.votes_after()};
  if (!in_range(slot)) return false;
  if (entry.vote) candidate(*entry.vote);
  bool latched = false;
  for (Candidate& c : at(slot).candidates) {
    (votes_for(entry.vote, c.leader) ? c.votes : c.dead).add(entry.block->author());
    latched |= latch(c);
  }
  return latched;
}

bool Store::vote(Entry& entry, std::optional<Edge> vote) {
  ++version_;
  entry.vote = vote;
  return count_vote(entry);
}

bool Store::accept(Entry& entry, std::optional<Edge> claim) {
  const Round round = entry.block->round();
  const NodeId author = entry.block->author();
  ++version_;
  entry.accepted = true;
  Slot& slot = at(round).first[author.value];
  slot.accepted |= slot.digest == entry.block->digest;
  Tally& accepted = at(round).accepted;
  accepted.add(author);
  if (accepted.count() >= committee_.at_least(rules_.complete))
    full_top_ = std::max(full_top_, round);
  if (rules_.edges == Edges::kSparse || !claim) return false;
  entry.claim = claim;
  return count_claim(*claim, author);
}

void Store::note_marked(const RoundInfo& info, NodeId author, bool Entry::*mark, NodeSet& marked) {
  for (std::uint32_t i = info.first[author.value].index; i != 0;) {
    const Entry& e = info.entries[i - 1];
    if (!(e.*mark)) return;
    i = e.next_of_author;
  }
  marked.insert(author);
}

void Store::deliver(Entry& entry) {
  entry.delivered = true;
  RoundInfo& info = at(entry.block->round());
  note_marked(info, entry.block->author(), &Entry::delivered, info.all_delivered);
}

void Store::enter_own_history(Entry& entry) {
  entry.in_own_history = true;
  RoundInfo& info = at(entry.block->round());
  note_marked(info, entry.block->author(), &Entry::in_own_history, info.all_in_own_history);
}

Candidate& Store::candidate(const Edge& leader) {
  auto& all = at(leader.round).candidates;
  for (Candidate& c : all) {
    if (c.leader == leader) return c;
  }
  all.push_back({leader, Tally(committee_), Tally(committee_), Tally(committee_), false});
  // Blocks that arrived before the first vote for this leader are dead votes for it.
  const Round voters{leader.round.value + rules_.votes_after()};
  if (in_range(voters)) {
    for (const Entry& e : at(voters).entries) {
      if (rules_.coin && !e.accepted) continue;
      (votes_for(e.vote, leader) ? all.back().votes : all.back().dead).add(e.block->author());
    }
  }
  return all.back();
}

bool Store::votes_for(const std::optional<Edge>& vote, const Edge& leader) const {
  return vote == leader || (vote && !rules_.one_vote);
}

bool Store::count_claim(const Edge& leader, NodeId author) {
  if (!in_range(leader.round)) return false;
  Candidate& c = candidate(leader);
  c.claims.add(author);
  return latch(c);
}

bool Store::latch(Candidate& c) {
  if (c.evidence) return false;
  c.evidence =
      c.votes.reached(rules_.certify, committee_) || c.claims.reached(rules_.amplify, committee_);
  return c.evidence;
}

const Tally& Store::held_authors(Round round) const {
  return in_range(round) ? at(round).held : none_.held;
}
const Tally& Store::accepted_authors(Round round) const {
  return in_range(round) ? at(round).accepted : none_.accepted;
}
const std::vector<Candidate>& Store::candidates(Round slot) const {
  return in_range(slot) ? at(slot).candidates : none_.candidates;
}
const std::vector<Entry>& Store::round(Round round) const {
  return in_range(round) ? at(round).entries : none_.entries;
}
std::vector<Entry>& Store::round(Round round) {
  return in_range(round) ? at(round).entries : none_.entries;
}

bool Store::has_evidence(Round slot, const Digest& leader) const {
  const auto& all = candidates(slot);
  return std::any_of(all.begin(), all.end(),
                     [&](const Candidate& c) { return c.leader.digest == leader && c.evidence; });
}

const Entry* Store::by_digest(Round round, const Digest& digest) const {
  if (!in_range(round)) return nullptr;
  for (const Entry& e : at(round).entries) {
    if (e.block->digest == digest) return &e;
  }
  return nullptr;
}

const Entry* Store::accepted_leader(Round slot, NodeId leader) const {
  if (!in_range(slot)) return nullptr;
  const RoundInfo& info = at(slot);
  for (std::uint32_t i = info.first[leader.value].index; i != 0;) {
    const Entry& e = info.entries[i - 1];
    if (e.accepted) return &e;
    i = e.next_of_author;
  }
  return nullptr;
}

}  // namespace thresher::dag
