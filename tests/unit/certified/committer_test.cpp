// The committer on hand-made DAGs: when it commits, what it skips, and that it repeats itself.
#include "thresher/protocols/certified/committer.hpp"

#include <gtest/gtest.h>

namespace thresher::certified {
namespace {

const Committee kFour = *Committee::of(4);

class Graph {
 public:
  void add(std::uint16_t author, std::uint64_t round, std::vector<std::uint16_t> parents) {
    auto v = std::make_shared<Vertex>();
    v->header.author = NodeId{author};
    v->header.round = Round{round};
    for (const std::uint16_t p : parents) {
      v->header.parents.insert(NodeId{p});
      if (p == author) v->header.self = Round{round - 1};
    }
    v->digest = digest_of(v->header, {});
    const Ref ref = v->ref();
    store.insert(std::move(v));
    store.accept(ref);
  }
  void round(std::uint64_t r, std::vector<std::uint16_t> authors,
             std::vector<std::uint16_t> parents) {
    for (const std::uint16_t a : authors)
      add(a, r, r == 1 ? std::vector<std::uint16_t>{} : parents);
  }
  std::vector<std::uint64_t> committed(const Rules& rules, std::uint64_t last = 0) const {
    std::vector<std::uint64_t> out;
    for (const Anchor& a : commit(store, rules, Round{last})) out.push_back(a.ref.round.value);
    return out;
  }
  Store store{kFour};
};

using Rounds = std::vector<std::uint64_t>;

TEST(Committer, ValidityVotesCommitADenseAnchor) {
  Graph g;
  g.round(1, {0, 1, 2, 3}, {});
  g.round(2, {0, 1, 2, 3}, {0, 1, 2, 3});
  g.add(1, 3, {0, 1, 2});
  EXPECT_EQ(g.committed(Rules::bullshark()), Rounds{});
  g.add(2, 3, {0, 1, 2});
  EXPECT_EQ(g.committed(Rules::bullshark()), Rounds{2});
  EXPECT_EQ(g.committed(Rules::anchored_bullshark()), Rounds{});
  g.add(3, 3, {0, 1, 3});
  EXPECT_EQ(g.committed(Rules::anchored_bullshark()), Rounds{2});
  EXPECT_EQ(g.committed(Rules::anchored_bullshark(), 2), Rounds{});
}

TEST(Committer, AnEarlierAnchorComesAlongIfTheLaterReachesIt) {
  Graph g;
  g.round(1, {0, 1, 2, 3}, {});
  g.round(2, {0, 1, 2, 3}, {0, 1, 2, 3});
  g.add(0, 3, {0, 1, 2});
  g.add(1, 3, {1, 2, 3});
  g.add(2, 3, {1, 2, 3});
  g.round(4, {0, 1, 2}, {0, 1, 2});  // the anchor of 4 is node 1
  g.round(5, {0, 1, 2}, {0, 1, 2});
  EXPECT_EQ(g.committed(Rules::bullshark()), (Rounds{2, 4}));
  const auto anchors = commit(g.store, Rules::bullshark(), Round{0});
  EXPECT_FALSE(anchors[0].direct);
  EXPECT_TRUE(anchors[1].direct);
}

TEST(Committer, AnAnchorThatNobodyReachesIsLeftOut) {
  Graph g;
  g.round(1, {0, 1, 2, 3}, {});
  g.round(2, {0, 1, 2, 3}, {0, 1, 2, 3});
  g.round(3, {1, 2, 3}, {1, 2, 3});
  g.round(4, {1, 2, 3}, {1, 2, 3});
  g.round(5, {1, 2, 3}, {1, 2, 3});
  EXPECT_EQ(g.committed(Rules::bullshark()), Rounds{4});
}

TEST(Committer, AsksNothingOfWhatWasForgotten) {
  Graph g;
  g.round(1, {0, 1, 2, 3}, {});
  for (std::uint64_t r = 2; r <= 9; ++r) g.round(r, {0, 1, 2, 3}, {0, 1, 2, 3});
  EXPECT_EQ(g.committed(Rules::anchored_bullshark()), (Rounds{2, 4, 6, 8}));
  g.store.raise_floor(Round{3}, [](const Cell&) {});
  EXPECT_EQ(g.committed(Rules::anchored_bullshark(), 4), (Rounds{6, 8}));
  EXPECT_EQ(g.store.size(), 24u);
}

TEST(Store, VotesAreEdgesToTheAnchor) {
  Graph g;
  g.round(1, {0, 1, 2, 3}, {});
  g.round(2, {0, 1, 2}, {0, 1, 2});
  g.add(0, 3, {0, 1, 2});
  g.add(1, 3, {1, 2});
  EXPECT_EQ(g.store.votes({NodeId{0}, Round{2}}), 1u);
  EXPECT_TRUE(g.store.reaches({NodeId{0}, Round{3}}, {NodeId{0}, Round{2}}));
  EXPECT_FALSE(g.store.reaches({NodeId{1}, Round{3}}, {NodeId{0}, Round{2}}));
  EXPECT_TRUE(g.store.reaches({NodeId{1}, Round{3}}, {NodeId{0}, Round{1}}));
}

}  // namespace
}  // namespace thresher::certified
