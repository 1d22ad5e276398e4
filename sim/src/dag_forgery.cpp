#include <algorithm>

#include "dag_lies.hpp"
#include "stuffing/dag.hpp"

namespace thresher::sim {
namespace {

constexpr std::uint64_t kThird = 333'334;
constexpr std::uint64_t kAll = 3;  // thirds
constexpr std::size_t kMostHidden = 1024;
constexpr std::uint64_t kSpoken = 4;      // quarters of the correct nodes
constexpr std::uint64_t kMostBehind = 6;  // rounds: a late vote may still make a certificate

}  // namespace

// What a liar likes for a while.
struct DagLies::Taste {
  Taste(std::uint64_t mood, std::uint64_t rounds_late) : lag(rounds_late) {
    Prng rng(mood, 1);
    const bool plain = rng.below(3) == 0;  // blames all, claims all, denies that it blamed
    equivocates = rng.below(2) == 0 && !plain;
    shown_of_3 = 1 + rng.below(3);
    claims_of_4 = rng.below(5);
    votes_of_4 = rng.below(5);
    forgets_of_8 = rng.below(5);
    if (lag > 0) hoards(rng, mix64(mood) | 1);
    if (!plain || lag > 0) return;
    shown_of_3 = 3;
    claims_of_4 = 4;
    votes_of_4 = 0;
    forgets_of_8 = 4;
  }
  // Keeps for a few what would prove to all that a leader block has a certificate.
  void hoards(Prng& rng, std::uint64_t audience) {
    equivocates = equivocates && rng.below(4) == 0;
    if (rng.below(4) > 0) friends = audience;
    orphans = rng.below(4) > 0;
    forgets_of_8 = 0;
    votes_of_4 = 4;
    claims_of_4 = 4 * rng.below(2);
    leads_to_all = rng.below(2) == 0;
    lead_after = rng.below(kSpoken);
    support_after = 1 + rng.below(kSpoken);
  }
  bool equivocates = false;
  std::uint64_t shown_of_3 = 3;
  std::uint64_t claims_of_4 = 4;
  std::uint64_t votes_of_4 = 4;
  std::uint64_t forgets_of_8 = 0;
  std::uint64_t lag = 0;      // rounds that all but its leader blocks come late; 0: now and then
  bool orphans = false;       // names own blocks before that nobody will ever see
  bool leads_to_all = false;  // in time or not
  /// How many of four correct nodes spoke in the round after before a leader block comes, and in
  /// the round `lag` after it before votes and claims do.
  std::uint64_t lead_after = 0;
  std::uint64_t support_after = 0;
  std::uint64_t friends = 0;  // who sees its votes and claims, always the same; 0: others each time
};

// A block in the making.
struct DagLies::Draft {
  Taste taste;
  std::string_view field;
  std::uint32_t dense;
  Prng rng;
  dag::Header header{};

  bool lies(std::string_view about) const { return field.empty() || field == about; }
};

// The highest round in which others have spoken.
std::uint64_t DagLies::top(NodeId besides) const {
  for (auto it = by_round_.rbegin(); it != by_round_.rend(); ++it) {
    const auto other = [&](const auto& b) { return b->author() != besides; };
    if (std::any_of(it->second.begin(), it->second.end(), other)) return it->first;
  }
  return 0;
}

std::vector<dag::BlockPtr> DagLies::blocks_of(std::uint64_t round, NodeId author) const {
  std::vector<dag::BlockPtr> found;
  const auto it = by_round_.find(round);
  if (it == by_round_.end()) return found;
  std::copy_if(it->second.begin(), it->second.end(), std::back_inserter(found),
               [&](const auto& b) { return b->author() == author; });
  return found;
}

std::vector<Forged<dag::Message>> DagLies::forge(NodeId id, std::uint32_t dense,
                                                 const FaultAction& action, std::uint64_t mood,
                                                 std::uint64_t salt) {
  std::vector<Forged<dag::Message>> made;
  Draft draft{Taste(mood, action.amount), action.field, dense, Prng(salt, 2)};
  for (const Round round : rounds_to_speak_in(draft, id)) speak(draft, id, round, made);
  return made;
}

// One block of a round, or two.
void DagLies::speak(Draft& draft, NodeId id, Round round, std::vector<Forged<dag::Message>>& made) {
  std::uint64_t own = 0;
  for (const auto& [r, blocks] : by_round_) {
    for (const auto& b : blocks) own = b->author() == id ? r : own;
  }
  const bool twice = draft.taste.equivocates;
  if (!twice && own >= round.value) return;
  for (std::uint64_t v = twice ? 1 + draft.rng.below(2) : 1; v > 0; --v) {
    draft.header = {};
    draft.header.author = id;
    draft.header.round = round;
    if (!craft(draft)) break;
    Writer w;
    w.u16(id.value).u64(++forged_);
    const Bytes bytes = Bytes::from(w.take());
    dag::Payload payload{bytes, hash(bytes.view())};
    draft.header.payload_root = payload.root;
    draft.header.payload_bytes = static_cast<std::uint32_t>(bytes.size());
    const Signature signature = signer_.sign(id, dag::digest_of(draft.header, {}));
    auto block = dag::make_block(draft.header, std::move(payload), signature, {});
    note(block);
    const bool leads = turn(round) == id;
    const bool to_all = draft.taste.shown_of_3 == kAll || (leads && draft.taste.leads_to_all);
    if (!to_all) hide(*block);
    made.push_back({dag::Push{std::move(block)}, (to_all ? kAll : draft.taste.shown_of_3) * kThird,
                    leads ? 0 : draft.taste.friends});
  }
}

// Some see it alone. They may have to prove what they say because of it.
void DagLies::hide(const dag::Block& block) {
  if (shown_to_some_.size() > kMostHidden) shown_to_some_.clear();
  shown_to_some_.insert(block.digest);
  if (block.header.vote) shown_to_some_.insert(*block.header.vote);
}

// The round that others speak in next, or a late one. With a lag leader blocks come in time for
// some, votes and claims when so many others have said theirs without them.
std::vector<Round> DagLies::rounds_to_speak_in(Draft& draft, NodeId id) const {
  const std::uint64_t next = top(id) + 1;
  const Taste& taste = draft.taste;
  if (taste.lag == 0) {
    const std::uint64_t behind =
        draft.rng.below(4) == 0 ? draft.rng.below(kMostBehind) : draft.rng.below(2);
    return {Round{next > behind ? next - behind : 1}};
  }
  std::vector<Round> rounds;
  for (std::uint64_t r = next > kMostBehind ? next - kMostBehind : 1; r <= next; ++r) {
    if (turn(Round{r}) == id) {
      if (spoken(r + 1, taste.lead_after)) rounds.push_back(Round{r});
    } else if (r > 1 && spoken(r - 1 + taste.lag, taste.support_after)) {
      rounds.push_back(Round{r});
    }
  }
  return rounds;
}

// Whether so many quarters of the correct nodes have spoken in a round.
bool DagLies::spoken(std::uint64_t round, std::uint64_t quarters) const {
  const auto it = by_round_.find(round);
  if (quarters == 0 || it == by_round_.end()) return quarters == 0;
  NodeSet authors(committee_.size());
  for (const auto& b : it->second) {
    if (!liars_.contains(b->author())) authors.insert(b->author());
  }
  const std::uint64_t correct = committee_.size() - liars_.size();
  return authors.size() * kSpoken >= quarters * correct;
}

bool DagLies::craft(Draft& draft) const {
  dag::Header& h = draft.header;
  const std::uint64_t round = h.round.value;
  point_back(draft);
  if (round >= 2) {
    h.vote = supported(draft, round - 1, draft.lies("vote") ? draft.taste.votes_of_4 : 4);
  }
  if (round >= 3) {
    h.claim = supported(draft, round - 2, draft.lies("claim") ? draft.taste.claims_of_4 : 4);
  }
  if (draft.field == "support") h.vote = h.claim = std::nullopt;
  h.kill = kills_ && round >= 3 && !h.claim && draft.lies("claim") &&
           draft.rng.below(4) < draft.taste.claims_of_4;
  say_whose(h);
  const bool leads = turn(h.round) == h.author;
  return round < 2 || !leads || add_parents(draft);
}

// Mostly the last own block before this round.
void DagLies::point_back(Draft& draft) const {
  dag::Header& h = draft.header;
  h.self = {h.author, Round{0}, {}};
  const std::uint64_t forgets = draft.lies("self") ? draft.taste.forgets_of_8 : 0;
  const bool leads = turn(h.round) == h.author;
  if (draft.lies("self") && draft.taste.orphans && !leads && h.round.value > 1) {
    h.self = {h.author, Round{h.round.value - 1}, hash(Writer().u64(draft.rng.next()).view())};
    return;
  }
  for (const auto& [round, blocks] : by_round_) {
    if (round >= h.round.value) break;
    for (const auto& b : blocks) {
      if (b->author() != h.author) continue;
      if (h.self.round < b->round() || draft.rng.below(8) < forgets)
        h.self = {h.author, b->round(), b->digest};
    }
  }
}

DagLies::Name DagLies::supported(Draft& draft, std::uint64_t round, std::uint64_t odds) const {
  const auto options = leaders(round);
  if (options.empty() || draft.rng.below(4) >= odds) return std::nullopt;
  return options[draft.rng.below(options.size())]->digest;
}

// Just enough parents of the round before, in a drawn order: what is left out stays hidden.
bool DagLies::add_parents(Draft& draft) const {
  dag::Header& h = draft.header;
  std::vector<std::uint16_t> order;
  for (std::uint32_t i = 0; i < committee_.size(); ++i) {
    if (i != h.author.value) order.push_back(static_cast<std::uint16_t>(i));
  }
  for (std::size_t k = order.size(); k > 1 && draft.lies("refs"); --k) {
    std::swap(order[k - 1], order[draft.rng.below(k)]);
  }
  std::uint32_t count = h.self.round.value + 1 == h.round.value ? 1 : 0;
  for (const std::uint16_t author : order) {
    if (count >= draft.dense) break;
    const auto found = blocks_of(h.round.value - 1, NodeId{author});
    if (found.empty()) continue;
    const auto& b = found[draft.rng.below(found.size())];
    h.refs.push_back({b->author(), b->round(), b->digest});
    ++count;
  }
  if (draft.lies("refs") && draft.rng.below(4) == 0) double_a_parent(draft);
  std::sort(h.refs.begin(), h.refs.end());
  return count >= draft.dense;
}

// Twins of liars stand in for the parents that are to stay hidden.
void DagLies::double_a_parent(Draft& draft) const {
  dag::Header& h = draft.header;
  const auto it = by_round_.find(h.round.value - 1);
  if (it == by_round_.end()) return;
  std::size_t replaced = 0;
  for (const auto& twin : it->second) {
    const dag::Edge edge{twin->author(), twin->round(), twin->digest};
    if (!liars_.contains(edge.author) || edge == h.self) continue;
    if (std::find(h.refs.begin(), h.refs.end(), edge) != h.refs.end()) continue;
    while (replaced < h.refs.size() && liars_.contains(h.refs[replaced].author)) ++replaced;
    if (replaced == h.refs.size()) return;
    h.refs[replaced] = edge;
  }
}

std::vector<dag::Message> DagLies::stuff(NodeId id, const dag::Message& heard, std::uint64_t salt) {
  return stuff_with(DagStuffing{id, committee_, rule_, signer_, top(id) + 1, twins_}, heard, salt);
}

std::optional<dag::Message> DagLies::hand_out(const dag::Message& asked) const {
  const auto* want = std::get_if<dag::Want>(&asked);
  if (want == nullptr) return std::nullopt;
  dag::Give give;
  for (const dag::Edge& edge : want->blocks) {
    const auto it = known_.find(edge.digest);
    if (it != known_.end()) give.blocks.push_back(it->second);
  }
  if (give.blocks.empty()) return std::nullopt;
  return dag::Message{std::move(give)};
}

}  // namespace thresher::sim
