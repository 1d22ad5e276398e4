// The store against a naive one: what is read off bits is what a look at every digest would find,
// with twins, stragglers and references to nothing, whoever else uses the same names.
#include "store.hpp"

#include <gtest/gtest.h>

#include <set>

#include "committer.hpp"
#include "thresher/core/assert.hpp"
#include "thresher/core/prng.hpp"

namespace thresher::dag {
namespace {

constexpr std::uint64_t kRounds = 9;
constexpr std::uint64_t kDeepest = 6;  // of a reference, in rounds below the block
constexpr std::uint64_t kGcDepth = 100;

NodeId node(std::uint64_t i) {
  return NodeId{static_cast<std::uint16_t>(i)};
}

Edge edge_of(const BlockPtr& b) {
  return {b->author(), b->round(), b->digest};
}

/// Blocks of all rounds, some with twins, which refer to each other and now and then to nothing.
class Graph {
 public:
  Graph(std::uint32_t n, std::uint64_t seed) : committee_(*Committee::of(n)), rng_(seed, 1) {
    for (std::uint64_t r = 1; r <= kRounds; ++r) {
      for (std::uint64_t i = 0; i < n; ++i) {
        if (rng_.below(10) == 0) continue;  // silent in this round
        add(r, i);
        if (rng_.below(5) == 0) add(r, i);
      }
    }
  }
  const Committee& committee() const { return committee_; }
  const std::vector<BlockPtr>& all() const { return all_; }
  std::vector<BlockPtr> shuffled(std::uint64_t seed) const {
    std::vector<BlockPtr> out = all_;
    Prng rng(seed, 2);
    for (std::size_t i = out.size(); i > 1; --i) std::swap(out[i - 1], out[rng.below(i)]);
    return out;
  }

 private:
  void add(std::uint64_t r, std::uint64_t author) {
    Header h;
    h.author = node(author);
    h.round = Round{r};
    h.payload_bytes = static_cast<std::uint32_t>(all_.size());  // so that twins differ
    if (const auto self = pick(r - 1, author)) h.self = *self;
    for (std::uint64_t i = 0; i < committee_.size() && r > 1; ++i) {
      if (i == author) continue;
      const std::uint64_t back = rng_.below(4) != 0 ? 1 : 1 + rng_.below(std::min(r - 1, kDeepest));
      if (const auto e = pick(r - back, i)) h.refs.push_back(*e);
      if (rng_.below(40) == 0) h.refs.push_back({node(i), Round{r - 1}, hash(as_view("nothing"))});
      // What no rule allows: both of a pair of twins.
      if (rng_.below(8) != 0) continue;
      if (const auto twin = pick(r - 1, i)) h.refs.push_back(*twin);
    }
    all_.push_back(make_block(std::move(h), {}, {}, {}));
  }
  std::optional<Edge> pick(std::uint64_t round, std::uint64_t author) {
    std::vector<Edge> found;
    for (const BlockPtr& b : all_) {
      if (b->round().value == round && b->author() == node(author)) found.push_back(edge_of(b));
    }
    if (found.empty()) return std::nullopt;
    return found[rng_.below(found.size())];
  }

  Committee committee_;
  Prng rng_;
  std::vector<BlockPtr> all_;
};

/// A store, and beside it maps that know what it should answer.
class Pair {
 public:
  Pair(const Committee& committee, const std::shared_ptr<Names>& names)
      : committee_(committee), store_(committee, rules(), kGcDepth, names) {}

  static Rules rules() { return Rules::mysticeti(); }
  /// No round above it is complete, and it is not higher than that: next_round() looks from there.
  Round full_top() const {
    Round out{0};
    std::map<Round, std::set<NodeId>> authors;
    for (const Edge& e : accepted_) {
      authors[e.round].insert(e.author);
      if (authors[e.round].size() >= committee_.at_least(rules().complete))
        out = std::max(out, e.round);
    }
    return out;
  }
  Store& store() { return store_; }

  void insert(const BlockPtr& b) {
    if (b->round() <= floor_) return;
    Entry& entry = store_.place(b);
    held_[edge_of(b)] = b;
    const auto vote = store_.parent_by(entry, leader(b->round().value - 1));
    EXPECT_EQ(vote, naive_parent(*b, leader(b->round().value - 1)));
    votes_[edge_of(b)] = vote;
    store_.count(entry, vote);
    settle();
  }
  void check() {
    for (const auto& [edge, b] : held_) {
      const Entry* entry = store_.find(edge);
      ASSERT_NE(entry, nullptr);
      EXPECT_EQ(entry->accepted, accepted_.contains(edge));
      EXPECT_EQ(entry->delivered, delivered_.contains(edge));
      std::set<Edge> missing;
      store_.each_missing(*entry, [&](const Edge& e) { missing.insert(e); });
      EXPECT_EQ(missing, naive_missing(*b));
      check_votes(*entry);
    }
    for (std::uint64_t r = floor_.value + 1; r <= store_.top().value; ++r) check_edges(Round{r});
    EXPECT_EQ(store_.full_top(), full_top());
  }
  void deliver(const BlockPtr& from) {
    const Edge leader = edge_of(from);
    const Round lowest{leader.round.value > 5 ? leader.round.value - 5 : 0};
    std::set<Edge> expected;
    naive_walk(leader, lowest, expected);
    std::vector<Edge> in_order;
    for (const Place& place : store_.deliver_history(std::span(&leader, 1), lowest))
      in_order.push_back(store_.entry(place).edge());
    EXPECT_EQ(std::set<Edge>(in_order.begin(), in_order.end()), expected);
    EXPECT_EQ(in_order.size(), expected.size());
    EXPECT_TRUE(std::is_sorted(in_order.begin(), in_order.end(), [](const Edge& a, const Edge& b) {
      return std::tie(a.round, a.author, a.digest) < std::tie(b.round, b.author, b.digest);
    }));
    delivered_.insert(expected.begin(), expected.end());
  }
  void raise(Round floor) {
    floor_ = floor;
    store_.raise_floor(floor, [&](const Entry& e) { held_.erase(e.edge()); });
    settle();
  }

 private:
  NodeId leader(std::uint64_t round) const { return node(round % committee_.size()); }
  bool settled(const Edge& e) const { return e.round <= floor_ || accepted_.contains(e); }

  // Accepts all that can be, and sees that the store finds what cannot.
  void settle() {
    for (bool again = true; again;) {
      again = false;
      for (const auto& [edge, b] : held_) {
        if (accepted_.contains(edge)) continue;
        Entry& entry = *store_.find(edge);
        const bool ready = each_edge(*b, committee_, [&](const Edge& e) { return settled(e); });
        const auto unsettled = store_.first_unsettled(entry);
        ASSERT_EQ(!unsettled, ready);
        if (unsettled) {
          EXPECT_FALSE(settled(*unsettled));
        }
        if (!ready) continue;
        store_.accept(entry, std::nullopt);
        accepted_.insert(edge);
        again = true;
      }
    }
  }
  std::optional<Edge> naive_parent(const Block& b, NodeId author) const {
    std::optional<Edge> found;
    if (b.round().value - 1 <= floor_.value) return found;
    each_edge(b, committee_, [&](const Edge& e) {
      if (e.round.value + 1 == b.round().value && e.author == author) found = e;
      return !found;
    });
    return found;
  }
  std::set<Edge> naive_missing(const Block& b) const {
    std::set<Edge> out;
    each_edge(b, committee_, [&](const Edge& e) {
      if (e.round > floor_ && !held_.contains(e)) out.insert(e);
      return true;
    });
    return out;
  }
  void naive_walk(const Edge& at, Round lowest, std::set<Edge>& out) const {
    const auto it = held_.find(at);
    if (it == held_.end() || at.round < lowest || delivered_.contains(at)) return;
    if (!out.insert(at).second) return;
    each_edge(*it->second, committee_, [&](const Edge& e) {
      naive_walk(e, lowest, out);
      return true;
    });
  }
  void check_votes(const Entry& entry) const {
    const Block& b = *entry.block;
    if (b.round().value < 3 || b.round().value - 2 <= floor_.value) return;
    for (const Candidate& c : store_.candidates(Round{b.round().value - 2})) {
      Tally authors(committee_);
      each_edge(b, committee_, [&](const Edge& e) {
        const auto vote = votes_.find(e);
        if (held_.contains(e) && vote->second == c.leader) authors.add(e.author);
        return true;
      });
      EXPECT_EQ(store_.certifies(entry, c), authors.reached(rules().certify, committee_));
    }
  }
  void check_edges(Round round) {
    for (std::uint64_t i = 0; i < committee_.size(); ++i) {
      const Entry* first = store_.accepted_leader(round, node(i));
      const auto edge = store_.accepted_edge(round, node(i));
      ASSERT_EQ(edge.has_value(), first != nullptr);
      if (edge) {
        EXPECT_EQ(*edge, first->edge());
      }
    }
  }

  Committee committee_;
  Store store_;
  Round floor_{0};
  std::map<Edge, BlockPtr> held_;
  std::map<Edge, std::optional<Edge>> votes_;
  std::set<Edge> accepted_;
  std::set<Edge> delivered_;
};

void fill(Pair& pair, const std::vector<BlockPtr>& blocks, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to; ++i) pair.insert(blocks[i]);
  pair.check();
}

TEST(Store, AnswersAsALookAtEveryDigestWould) {
  for (const std::uint32_t n : {4u, 7u, 70u}) {
    for (std::uint64_t seed = 1; seed <= (n < 10 ? 40u : 2u); ++seed) {
      SCOPED_TRACE("n " + std::to_string(n) + ", seed " + std::to_string(seed));
      const Graph graph(n, seed);
      const auto names = make_names(graph.committee());
      // In three orders, so that each holds other twins first; two share what is named.
      Pair first(graph.committee(), names);
      Pair second(graph.committee(), names);
      Pair alone(graph.committee(), nullptr);
      fill(first, graph.all(), 0, graph.all().size());
      for (Pair* pair : {&second, &alone}) {
        const auto blocks = graph.shuffled(seed + (pair == &alone ? 1000 : 0));
        fill(*pair, blocks, 0, blocks.size() / 2);
        // A copy goes its own way.
        Pair copy = *pair;
        fill(copy, blocks, blocks.size() / 2, blocks.size());
        pair->deliver(blocks[0]);
        pair->raise(Round{2});
        fill(*pair, blocks, blocks.size() / 2, blocks.size());
      }
      for (Pair* pair : {&first, &second, &alone}) {
        pair->deliver(graph.all()[graph.all().size() * 3 / 4]);
        pair->deliver(graph.all().back());
        pair->check();
      }
    }
  }
}

// A store with a round, or a block of the next one, keeps what its names stand for.
TEST(Store, NamesOutliveWhoGaveThem) {
  const Committee committee = *Committee::of(4);
  const auto names = make_names(committee);
  const auto block = [](std::uint64_t author, std::uint64_t round, std::vector<Edge> refs,
                        std::uint32_t mark) {
    Header h;
    h.author = node(author);
    h.round = Round{round};
    h.refs = std::move(refs);
    h.payload_bytes = mark;
    return make_block(std::move(h), {}, {}, {});
  };
  const BlockPtr x = block(0, 1, {}, 1);
  const BlockPtr twin = block(0, 1, {}, 2);
  const BlockPtr above = block(1, 2, {edge_of(x)}, 3);
  Store late(committee, Rules::mysticeti(), kGcDepth, names);
  {
    Store early(committee, Rules::mysticeti(), kGcDepth, names);
    early.insert(x, std::nullopt);
    early.insert(above, std::nullopt);
    late.insert(above, std::nullopt);
    early.raise_floor(Round{2}, [](const Entry&) {});
  }
  late.insert(twin, std::nullopt);
  std::vector<Edge> missing;
  late.each_missing(*late.find(edge_of(above)), [&](const Edge& e) { missing.push_back(e); });
  EXPECT_EQ(missing, std::vector<Edge>{edge_of(x)});
  Entry& accepted = *late.find(edge_of(twin));
  late.accept(accepted, std::nullopt);
  EXPECT_EQ(late.first_unsettled(*late.find(edge_of(above))), edge_of(x));
}

// More than f liars can certify two blocks of one slot. Neither is committed then: the node stops.
TEST(Committer, StopsWhereTwoBlocksOfASlotAreCertified) {
  const Committee committee = *Committee::of(4);
  const Rules rules = Rules::thresher();
  const Schedule schedule(committee, rules);
  Store store(committee, rules, kGcDepth, nullptr);
  const Round slot{1};
  const NodeId leader = schedule.leader(slot);
  const auto place = [&](std::uint32_t bytes) {
    Header h;
    h.author = leader;
    h.round = slot;
    h.payload_bytes = bytes;
    Entry& entry = store.place(make_block(std::move(h), {}, {}, {}));
    store.accept(entry, {});
    return entry.edge();
  };
  const Edge one = place(1);
  const Edge other = place(2);
  const auto certify = [&](const Edge& block) {
    for (std::uint64_t i = 0; i < committee.at_least(rules.commit); ++i)
      store.testify(block, node(i), true);
  };
  certify(one);
  const auto decided = decide(store, committee, schedule, rules, slot);
  ASSERT_EQ(decided.size(), 1u);
  EXPECT_EQ(decided[0].ruling, Ruling::kCommit);
  EXPECT_EQ(decided[0].leader, one);
  certify(other);
  EXPECT_THROW((void)decide(store, committee, schedule, rules, slot), InvariantBroken);
}

}  // namespace
}  // namespace thresher::dag
