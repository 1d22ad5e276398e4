#include "store.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "committer.hpp"
#include "thresher/core/assert.hpp"
#include "thresher/protocols/dag/policy.hpp"

namespace thresher::dag {

Store::Store(const Committee& committee, const Rules& rules, std::uint64_t gc_depth,
             std::shared_ptr<Names> names)
    : judge_{committee, rules, gc_depth},
      certify_(committee.at_least(rules.certify)),
      amplify_(committee.at_least(rules.amplify)),
      names_(std::move(names)),
      shares_names_(names_ != nullptr),
      highest_accepted_(committee.size()) {
  if (!shares_names_) names_ = std::make_shared<Names>(committee.size());
}

// A copy goes its own way, on a thread of its own perhaps, so names that only the original used are
// copied too. The shapes of its blocks, which never change, are shared. All members are here but
// what a walk works with.
Store::Store(const Store& other)
    : judge_(other.judge_),
      certify_(other.certify_),
      amplify_(other.amplify_),
      names_(other.names_),
      shares_names_(other.shares_names_),
      floor_(other.floor_),
      top_(other.top_),
      full_top_(other.full_top_),
      highest_accepted_(other.highest_accepted_),
      version_(other.version_),
      rounds_(other.rounds_) {
  if (shares_names_) return;
  names_ = std::make_shared<Names>(judge_.committee.size());
  Round round = floor_;
  for (RoundInfo& info : rounds_) {
    ++round.value;
    info.names = std::make_shared<NamesOf>(*info.names);
    names_->put(round, info.names);
  }
}

Store& Store::operator=(const Store& other) {
  if (this != &other) *this = Store(other);
  return *this;
}

void Store::grow(Round round) {
  const std::uint32_t n = judge_.committee.size();
  while (top().value < round.value) {
    ++top_.value;
    RoundInfo info;
    info.entries.reserve(n);
    info.first.resize(n);
    info.names = names_->at(top_);
    info.held_named = info.accepted_named = info.delivered_named = Row(n);
    info.own_named = info.passed_named = Row(n);
    info.held = Tally(judge_.committee);
    info.accepted = Tally(judge_.committee);
    info.kills = Tally(judge_.committee);
    rounds_.push_back(std::move(info));
  }
}

// --- lookups
// --------------------------------------------------------------------------------------

const Entry* Store::find(const Edge& edge) const {
  const Entry* e = first(edge.round, edge.author);
  if (e == nullptr) return nullptr;
  // An equivocator's further blocks hang off its first.
  const RoundInfo& info = at(edge.round);
  while (e->block->digest != edge.digest) {
    if (e->next_of_author == 0) return nullptr;
    e = &info.entries[e->next_of_author - 1];
  }
  return e;
}

Entry* Store::find(const Edge& edge) {
  return const_cast<Entry*>(std::as_const(*this).find(edge));
}

const Entry* Store::first(Round round, NodeId author) const {
  if (!in_range(round) || !judge_.committee.contains(author)) return nullptr;
  const RoundInfo& info = at(round);
  const std::uint32_t index = info.first[author.value];
  return index == 0 ? nullptr : &info.entries[index - 1];
}

std::optional<Edge> Store::first_unsettled(const Entry& entry) const {
  for (const Line& line : entry.shape->lines()) {
    if (line.round <= floor_) break;
    const Row& accepted = at(line.round).accepted_named;
    if (line.authors.within(accepted)) continue;
    std::optional<Edge> found;
    line.authors.for_each_outside(accepted, [&](NodeId author) {
      if (!found) found = named_edge(line, author);
    });
    return found;
  }
  for (const Edge& e : entry.shape->others) {
    if (!settled(e)) return e;
  }
  return std::nullopt;
}

std::optional<Edge> Store::parent_by(const Entry& entry, NodeId author) const {
  const Round before{entry.block->round().value - 1};
  if (before <= floor_) return std::nullopt;
  if (entry.shape->parents().contains(author))
    return named_edge(entry.shape->lines().front(), author);
  for (const Edge& e : entry.shape->others) {
    if (e.round == before && e.author == author) return e;
  }
  return std::nullopt;
}

// U5, and `mysticeti`: Q of its references vote for the leader block.
bool Store::certifies(const Entry& entry, const Candidate& c) const {
  const std::uint32_t votes = entry.shape->parents().shared(c.voters);
  if (votes >= certify_) return true;
  const Round before{entry.block->round().value - 1};
  Tally others;
  for (const Edge& e : entry.shape->others) {
    if (e.round != before || !c.votes.contains(e.author)) continue;
    const Entry* parent = find(e);
    const Edge* vote = parent == nullptr ? nullptr : vote_of(*parent);
    if (vote != nullptr && *vote == c.leader) others.add(e.author);
  }
  return votes + others.count() >= certify_;
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

const Tally& Store::kills(Round round) const {
  return in_range(round) ? at(round).kills : none_.kills;
}

Candidate* Store::candidate_for(Round slot, const Digest& leader) {
  if (!in_range(slot)) return nullptr;
  auto& all = at(slot).candidates;
  const auto it = std::find_if(all.begin(), all.end(),
                               [&](const Candidate& c) { return c.leader.digest == leader; });
  return it == all.end() ? nullptr : &*it;
}

bool Store::certified_by_accepted(Round slot, const Candidate& c) const {
  const Round voters{slot.value + judge_.rules.votes_after()};
  return in_range(voters) && at(voters).accepted_named.shared(c.voters) >= certify_;
}

const Entry* Store::by_digest(Round round, const Digest& digest) const {
  if (!in_range(round)) return nullptr;
  for (const Entry& e : at(round).entries) {
    if (e.block->digest == digest) return &e;
  }
  return nullptr;
}

const Entry* Store::accepted_leader(Round slot, NodeId leader) const {
  const Entry* e = first(slot, leader);
  while (e != nullptr && !e->accepted) {
    e = e->next_of_author == 0 ? nullptr : &at(slot).entries[e->next_of_author - 1];
  }
  return e;
}

std::optional<Edge> Store::accepted_edge(Round round, NodeId author) const {
  if (!in_range(round)) return std::nullopt;
  // Where nobody has twins the entry, which may be far, need not be looked at.
  const RoundInfo& info = at(round);
  if (info.entries.size() == info.held.count() && info.accepted_named.contains(author))
    return Edge{author, round, info.names->of[author.value].digest};
  const Entry* e = accepted_leader(round, author);
  return e == nullptr ? std::nullopt : std::optional(e->edge());
}

bool Store::well_formed(const BlockPtr& block) const {
  const auto judged = [&] { return dag::well_formed(*block, judge_); };
  if (!judge_.committee.contains(block->author())) return judged();
  const auto names = names_of(block->round());
  if (names == nullptr) return judged();
  NamesOf::Named& named = names->of[block->author().value];
  if (named.is_packed(block)) return true;
  if (named.is(block)) {
    if (const ShapePtr known = named.shape.lock()) return known->well_formed;
  }
  const bool formed = judged();
  // The references of a packed block are far, and would be looked through by everyone who gets it.
  if (formed && block->header.packed && named.taken && named.digest == block->digest)
    named.packed = block;
  return formed;
}

BlockPtr Store::unpacked(const BlockPtr& block) const {
  const Round round = block->round();
  const Round before{round.value - 1};
  // Where nobody has twins the named parents that are held are the only ones.
  if (!in_range(before) || at(before).entries.size() != at(before).held.count()) return nullptr;
  const auto names = names_of(round);
  if (names == nullptr) return nullptr;
  const NamesOf::Named& named = names->of[block->author().value];
  if (!named.is_packed(block) && !(named.taken && named.digest == block->digest)) return nullptr;
  const ShapePtr shape = named.shape.lock();
  if (shape == nullptr || !shape->parents().within(at(before).held_named)) return nullptr;
  const bool all_named = std::none_of(shape->others.begin(), shape->others.end(),
                                      [&](const Edge& e) { return e.round == before; });
  return all_named ? named.block.lock() : nullptr;
}

// --- what comes in
// --------------------------------------------------------------------------------

// Worked out by the first who holds the block; the others find it under the block's name.
ShapePtr Store::shape(const BlockPtr& block) {
  NamesOf::Named& named = at(block->round()).names->of[block->author().value];
  const bool same = named.is(block);
  if (!named.taken) {
    named.taken = true;
    named.digest = block->digest;
  }
  const bool is_named = same || named.digest == block->digest;
  if (is_named) {
    if (ShapePtr known = named.shape.lock()) return known;
  }
  ShapePtr made = make_shape(*block, judge_, [this](Round round) { return names_of(round); });
  if (is_named) {
    named.shape = made;
    named.block = block;
  }
  return made;
}

Entry& Store::place(BlockPtr block) {
  const NodeId author = block->author();
  THRESHER_ASSERT(block->round() > floor_, "what lies below the floor is decided and forgotten");
  grow(block->round());
  RoundInfo& info = at(block->round());
  ++version_;
  ShapePtr shape = this->shape(block);
  const NamesOf::Named& named = info.names->of[author.value];
  const bool is_named = named.is(block) || named.digest == block->digest;
  // In order of arrival: the new block goes to the end of its author's chain.
  std::uint32_t* link = &info.first[author.value];
  while (*link != 0) link = &info.entries[*link - 1].next_of_author;
  *link = static_cast<std::uint32_t>(info.entries.size() + 1);
  info.entries.push_back({.block = std::move(block), .shape = std::move(shape), .named = is_named});
  if (is_named) info.held_named.insert(author);
  info.held.add(author);
  return info.entries.back();
}

bool Store::count(Entry& entry, const std::optional<Edge>& vote) {
  // Votes read off its history count when the block is accepted.
  bool latched = !judge_.rules.coin && this->vote(entry, vote);
  const Header& h = entry.block->header;
  if (judge_.rules.edges == Edges::kSparse && h.claim) {
    latched |= count_claim(entry, claimed(h, judge_.committee));
  }
  if (judge_.rules.two_delays) latched |= count_kill(entry);
  return latched;
}

bool Store::vote(Entry& entry, const std::optional<Edge>& vote) {
  ++version_;
  bool fresh = false;
  entry.vote = vote && in_range(vote->round) ? candidate(*vote, fresh) : 0;
  if (fresh) count_voters(vote->round, entry.vote);
  return count_vote(entry);
}

bool Store::accept(Entry& entry, const std::optional<Edge>& claim) {
  const NodeId author = entry.block->author();
  RoundInfo& info = at(entry.block->round());
  ++version_;
  entry.accepted = true;
  if (entry.named) info.accepted_named.insert(author);
  info.accepted.add(author);
  Round& highest = highest_accepted_[author.value];
  highest = std::max(highest, entry.block->round());
  if (info.accepted.count() >= judge_.committee.at_least(judge_.rules.complete))
    full_top_ = std::max(full_top_, entry.block->round());
  if (judge_.rules.edges == Edges::kSparse || !claim) return false;
  return count_claim(entry, *claim);
}

// --- votes and claims
// -----------------------------------------------------------------------------

const Edge* Store::candidate_of(const Entry& entry, std::uint32_t index, std::uint64_t back) const {
  const Round slot{entry.block->round().value - back};
  if (index == 0 || !in_range(slot)) return nullptr;
  return &at(slot).candidates[index - 1].leader;
}

// 1 + its index. Pre: in range.
std::uint32_t Store::candidate(const Edge& leader, bool& fresh) {
  auto& all = at(leader.round).candidates;
  const auto it =
      std::find_if(all.begin(), all.end(), [&](const Candidate& c) { return c.leader == leader; });
  fresh = it == all.end();
  const auto number = static_cast<std::uint32_t>(it - all.begin()) + 1;
  const Committee& c = judge_.committee;
  if (fresh) all.push_back({leader, Tally(c), Tally(c), Tally(c), Row(c.size())});
  return number;
}

// Blocks that arrived before the first vote for a leader are dead votes for it.
void Store::count_voters(Round slot, std::uint32_t number) {
  for (const Entry& e : round(Round{slot.value + judge_.rules.votes_after()})) {
    if (judge_.rules.coin && !e.accepted) continue;
    count_vote(e, at(slot).candidates[number - 1], number);
  }
}

void Store::set_vote(Entry& entry, const std::optional<Edge>& vote) {
  bool fresh = false;
  entry.vote = vote && in_range(vote->round) ? candidate(*vote, fresh) : 0;
}

void Store::count_vote(const Entry& entry, Candidate& c, std::uint32_t number) const {
  const NodeId author = entry.block->author();
  (judge_.rules.policy->votes_for(entry, number) ? c.votes : c.dead).add(author);
  if (entry.vote == number && entry.named) c.voters.insert(author);
}

bool Store::count_vote(const Entry& entry) {
  const Round round = entry.block->round();
  if (round.value <= judge_.rules.votes_after()) return false;
  const Round slot{round.value - judge_.rules.votes_after()};
  if (!in_range(slot)) return false;
  bool latched = false;
  std::uint32_t number = 0;
  for (Candidate& c : at(slot).candidates) {
    count_vote(entry, c, ++number);
    latched |= latch(c);
  }
  return latched;
}

bool Store::count_claim(Entry& entry, const Edge& leader) {
  if (!in_range(leader.round)) return false;
  bool fresh = false;
  entry.claim = candidate(leader, fresh);
  if (fresh) count_voters(leader.round, entry.claim);
  Candidate& c = at(leader.round).candidates[entry.claim - 1];
  c.claims.add(entry.block->author());
  return latch(c);
}

bool Store::testify(const Edge& leader, NodeId author, bool claims) {
  if (!in_range(leader.round)) return false;
  ++version_;
  bool fresh = false;
  const std::uint32_t number = candidate(leader, fresh);
  if (fresh) count_voters(leader.round, number);
  Candidate& c = at(leader.round).candidates[number - 1];
  (claims ? c.claims : c.votes).add(author);
  return latch(c);
}

// A block is a vote, or none, on the round before, and may KILL the one before that.
bool Store::count_kill(const Entry& entry) {
  const Header& h = entry.block->header;
  bool latched = h.round.value > 1 && latch_kill(Round{h.round.value - 1});
  if (!h.kill || !in_range(Round{h.round.value - 2})) return latched;
  at(Round{h.round.value - 2}).kills.add(h.author);
  latched |= latch_kill(Round{h.round.value - 2});
  return latched;
}

// T1 and T2: enough authors without a vote for any block of the round, or f+1 that KILL it.
bool Store::latch_kill(Round round) {
  if (!in_range(round) || at(round).killable) return false;
  const Committee& committee = judge_.committee;
  const Threshold enough = judge_.rules.skip;
  const RoundInfo& info = at(round);
  const bool dead =
      held_authors(Round{round.value + 1}).reached(enough, committee) &&
      std::all_of(info.candidates.begin(), info.candidates.end(),
                  [&](const Candidate& c) { return c.dead.reached(enough, committee); });
  if (!dead && !info.kills.reached(judge_.rules.amplify, committee)) return false;
  prove_kill(round);
  return true;
}

void Store::prove_kill(Round round) {
  if (!in_range(round)) return;
  RoundInfo& info = at(round);
  info.killable = true;
  THRESHER_ASSERT(std::none_of(info.candidates.begin(), info.candidates.end(),
                               [](const Candidate& c) { return c.evidence; }),
                  "P2': no round has a certificate and evidence for a KILL");
}

bool Store::keep_kill(Round round) {
  if (!killable(round)) return false;
  return !std::exchange(at(round).kill_kept, true);
}

void Store::forget_votes(Round slot) {
  ++version_;
  for (Round r = slot; r <= top_; ++r.value) {
    at(r).candidates.clear();
    for (Entry& e : at(r).entries) {
      if (r > slot) e.vote = 0;
      if (r.value > slot.value + 1) e.claim = 0;
    }
  }
}

// N5
bool Store::latch(Candidate& c) const {
  if (c.evidence) return false;
  c.evidence = c.votes.count() >= certify_ || c.claims.count() >= amplify_;
  THRESHER_ASSERT(!c.evidence || !killable(c.leader.round),
                  "P2': no round has a certificate and evidence for a KILL");
  return c.evidence;
}

// --- walks down
// -----------------------------------------------------------------------------------

// 1 + index of the named block of an author; 0: not held.
std::uint32_t Store::named_index(const RoundInfo& info, NodeId author) const {
  std::uint32_t i = info.first[author.value];
  while (i != 0 && !info.entries[i - 1].named) i = info.entries[i - 1].next_of_author;
  return i;
}

void Store::list_named(const RoundInfo& info, const Row& authors) {
  marking_.clear();
  const bool no_twins = info.entries.size() == info.held.count();
  authors.for_each([&](NodeId author) {
    marking_.push_back((no_twins ? info.first[author.value] : named_index(info, author)) - 1);
  });
}

void Store::mark(Entry& entry, const Mark& mark) {
  entry.*mark.entry = true;
  if (entry.named) (at(entry.block->round()).*mark.row).insert(entry.block->author());
}

void Store::deliver(Entry& entry) {
  mark(entry, kDelivered);
}

void Store::reach(const Edge& edge, Round lowest, const Mark& mark) {
  if (edge.round < lowest) return;
  const Entry* entry = find(edge);
  if (entry == nullptr || entry->*mark.entry) return;
  Front& front = fronts_[edge.round.value - floor_.value - 1];
  front.any = true;
  if (entry->named) {
    front.named.insert(edge.author);
  } else {
    const auto index = entry - at(edge.round).entries.data();
    front.others.push_back(static_cast<std::uint32_t>(index));
  }
}

void Store::spread(const Entry& entry, Round lowest, const Mark& mark) {
  for (const Line& line : entry.shape->lines()) {
    if (line.round <= floor_ || line.round < lowest) break;
    Front& front = fronts_[line.round.value - floor_.value - 1];
    front.any = true;
    front.named.add(line.authors);
  }
  for (const Edge& e : entry.shape->others) reach(e, lowest, mark);
}

template <class F>
void Store::walk(std::span<const Edge> from, Round lowest, const Mark& how, F visit) {
  while (fronts_.size() < rounds_.size())
    fronts_.push_back({Row(judge_.committee.size()), {}, false});
  for (const Edge& edge : from) reach(edge, lowest, how);
  // Edges go down, so a round is complete when those above it are done.
  for (Round r = top_; r > floor_; --r.value) {
    Front& front = fronts_[r.value - floor_.value - 1];
    if (!front.any) continue;
    RoundInfo& info = at(r);
    const auto take = [&](std::uint32_t index) {
      Entry& entry = info.entries[index];
      entry.*how.entry = true;
      visit(Place{r, entry.block->author(), index});
      spread(entry, lowest, how);
    };
    Row& marked = info.*how.row;
    front.named.keep(info.held_named, marked);
    list_named(info, front.named);
    for (std::size_t i = 0; i < marking_.size(); ++i) {
      // The data about a block is far in memory, and the same for all that share names.
      if (i + 2 * kAhead < marking_.size())
        __builtin_prefetch(&info.entries[marking_[i + 2 * kAhead]]);
      if (i + kAhead < marking_.size()) {
        const Entry& ahead = info.entries[marking_[i + kAhead]];
        __builtin_prefetch(ahead.shape.get());
        __builtin_prefetch(ahead.block.get());
      }
      take(marking_[i]);
    }
    marked.add(front.named);
    for (const std::uint32_t index : front.others) {
      if (!(info.entries[index].*how.entry)) take(index);
    }
    front.named.clear();
    front.others.clear();
    front.any = false;
  }
}

std::vector<Place> Store::deliver_history(std::span<const Edge> from, Round lowest) {
  std::vector<Place> out;
  walk(from, lowest, kDelivered, [&](const Place& place) { out.push_back(place); });
  // Rounds came from the top down, and named blocks of each by author.
  std::reverse(out.begin(), out.end());
  for (auto it = out.begin(); it != out.end();) {
    const auto end =
        std::find_if(it, out.end(), [&](const Place& place) { return place.round != it->round; });
    std::reverse(it, end);
    it = end;
  }
  const auto before = [&](const Place& a, const Place& b) {
    if (a.round != b.round || a.author != b.author)
      return std::tie(a.round, a.author) < std::tie(b.round, b.author);
    return entry(a).block->digest < entry(b).block->digest;
  };
  if (!std::is_sorted(out.begin(), out.end(), before)) std::sort(out.begin(), out.end(), before);
  return out;
}

void Store::enter_own_history(std::span<const Edge> from) {
  walk(from, Round{0}, kOwn, [](const Place&) {});
}

std::vector<Place> Store::pass_on(std::span<const Edge> from, Round lowest) {
  std::vector<Place> out;
  walk(from, lowest, kPassed, [&](const Place& place) { out.push_back(place); });
  return out;
}

}  // namespace thresher::dag
