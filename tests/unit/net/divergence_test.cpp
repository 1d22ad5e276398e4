// The search for the first result that differs, and the tree that it walks.
#include "life/divergence.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <span>
#include <utility>

#include "store/memory_store.hpp"
#include "thresher/net/codec.hpp"

namespace thresher::net {
namespace {

Digest digest(std::uint64_t seed) {
  return hash(Writer().u64(seed).view());
}

const ApplyResult kRight{false, Bytes::copy_of(as_view("100 left"))};
const ApplyResult kWrong{true, Bytes::copy_of(as_view("overdrawn"))};

/// A log of `length` entries whose result at `wrong` differs; every part of its tree.
struct Log {
  std::vector<std::vector<LeafContent>> leaves;
  std::uint64_t length;
  std::optional<std::uint64_t> wrong_at;
  std::map<coding::MerklePlace, Digest> full;
  coding::MerkleRange range;

  explicit Log(std::uint64_t entries, std::optional<std::uint64_t> wrong = {}) : length(entries) {
    for (std::uint64_t i = 0; i < length; ++i) {
      if (i % kLeafPositions == 0) leaves.emplace_back();
      leaves.back().push_back({{}, i, digest(1), digest_of(i == wrong ? kWrong : kRight)});
    }
    wrong_at = wrong;
    for (const auto& contents : leaves)
      range.append(leaf_of(contents),
                   [&](const coding::MerkleNode& n) { full.emplace(n.place, n.hash); });
  }
  const ApplyResult* result(std::uint64_t position) const {
    return position == wrong_at ? &kWrong : &kRight;
  }
  Digest part(std::uint64_t begin, std::uint64_t end) const {
    return coding::merkle_part(begin, end,
                               [&](coding::MerklePlace place) { return full.at(place); });
  }
  TreePart answer(const WantTree& want) const {
    TreePart out{want, true, {}, {}, {}, {}};
    if (want.end - want.begin == 1) {
      out.leaf = leaves[want.begin];
      for (std::size_t i = 0; i < out.leaf.size(); ++i) {
        const ApplyResult* known = result(want.begin * kLeafPositions + i);
        out.results.push_back(known == nullptr ? std::nullopt : std::optional(*known));
      }
    } else {
      const std::uint64_t middle = coding::merkle_middle(want.begin, want.end);
      out.left = part(want.begin, middle);
      out.right = part(middle, want.end);
    }
    return out;
  }
};

/// A search on `here`, of which the questions wait in `asked`.
struct Searched {
  const Log& here;
  std::vector<std::pair<NodeId, WantTree>> asked;
  std::vector<NodeId> blamed;
  bool written = true;  // what this node has of its own log
  bool knows = true;    // what its application answered
  DivergenceSearch search;

  Searched(const Log& mine, const Log& theirs, std::vector<NodeId> peers)
      : here(mine), search(difference(mine, theirs, std::move(peers)), hooks()) {
    search.begin(0);
  }
  static Checkpoints::Difference difference(const Log& mine, const Log& theirs,
                                            std::vector<NodeId> peers) {
    const Checkpoint a{Round{9}, mine.length, {}, mine.range.root(), {}};
    const Checkpoint b{Round{9}, theirs.length, {}, theirs.range.root(), {}};
    return {{}, a, b, std::move(peers)};
  }
  DivergenceSearch::Hooks hooks() {
    return {[this](NodeId to, const Frame& f) {
              asked.emplace_back(to, *decode_want_tree(f.control.view()));
            },
            [this](std::uint64_t begin, std::uint64_t end) {
              return written ? std::optional(here.part(begin, end)) : std::nullopt;
            },
            [this](std::uint64_t leaf) {
              return written ? std::optional(here.leaves[leaf]) : std::nullopt;
            },
            [this](std::uint64_t position) { return knows ? here.result(position) : nullptr; },
            [this](NodeId who) { blamed.push_back(who); }};
  }
};

TEST(Divergence, EveryPlantedResultOfEveryLengthIsNamed) {
  for (const std::uint64_t length : {1u, 2u, 3u, 7u, 64u, 65u, 255u, 300u}) {
    const Log there(length);
    for (std::uint64_t wrong = 0; wrong < length; wrong += 1 + length / 40) {
      const Log here(length, wrong);
      Searched s(here, there, {NodeId{1}, NodeId{2}});
      while (!s.search.over()) {
        const auto [to, want] = s.asked.back();
        s.search.answer(to, there.answer(want), 0);
      }
      ASSERT_TRUE(s.search.found()) << length << ' ' << wrong;
      EXPECT_EQ(s.search.found()->position, wrong);
      EXPECT_EQ(s.search.found()->here.result, digest_of(kWrong));
      EXPECT_EQ(s.search.found()->there.result, digest_of(kRight));
      EXPECT_EQ(s.search.found()->result_here, kWrong);
      EXPECT_EQ(s.search.found()->result_there, kRight);
      EXPECT_TRUE(s.blamed.empty());
    }
  }
}

TEST(Divergence, AmongManyItTakesAQuestionForEachDoubling) {
  const Log there(100'000);
  const Log here(100'000, 65'432);
  Searched s(here, there, {NodeId{3}});
  while (!s.search.over()) s.search.answer(NodeId{3}, there.answer(s.asked.back().second), 0);
  ASSERT_TRUE(s.search.found());
  EXPECT_EQ(s.search.found()->position, 65'432u);
  EXPECT_LE(s.search.questions(), 16u);
}

// A liar's answer does not hash to what it signed. The search goes on with the next one.
TEST(Divergence, ALiarIsNamedAndDoesNotLeadAstray) {
  const Log there(300), here(300, 177), lies(300, 20);
  Searched s(here, there, {NodeId{1}, NodeId{2}});
  while (!s.search.over()) {
    const auto [to, want] = s.asked.back();
    s.search.answer(to, (to == NodeId{1} ? lies : there).answer(want), 0);
  }
  ASSERT_TRUE(s.search.found());
  EXPECT_EQ(s.search.found()->position, 177u);
  ASSERT_FALSE(s.blamed.empty());
  for (const NodeId who : s.blamed) EXPECT_EQ(who, NodeId{1});
}

TEST(Divergence, WhoIsSilentOrKnowsNothingIsPassedOverAndTheSearchEnds) {
  const Log there(300), here(300, 5);
  Searched s(here, there, {NodeId{1}, NodeId{2}});
  s.search.answer(NodeId{2}, there.answer(s.asked.back().second), 0);  // was not asked
  EXPECT_EQ(s.asked.size(), 1u);
  TreePart nothing = there.answer(s.asked.back().second);
  nothing.known = false;
  s.search.answer(NodeId{1}, nothing, 0);
  ASSERT_EQ(s.asked.size(), 2u);
  EXPECT_EQ(s.asked.back().first, NodeId{2});
  s.search.tick(DivergenceSearch::kPatience + 1);
  ASSERT_EQ(s.asked.size(), 3u);
  EXPECT_EQ(s.asked.back().first, NodeId{1});
  s.search.tick(DivergenceSearch::kSearch + 1);
  EXPECT_TRUE(s.search.over());
  EXPECT_FALSE(s.search.found());
}

// A peer may have forgotten what its application answered, or say something else than it signed;
// the position is named all the same.
TEST(Divergence, AResultIsShownWhereItHasTheHashThatWasSigned) {
  const Log there(30), here(30, 17);
  const auto search = [&](const std::function<void(TreePart&)>& spoil, bool knows) {
    Searched s(here, there, {NodeId{1}});
    s.knows = knows;
    while (!s.search.over()) {
      TreePart part = there.answer(s.asked.back().second);
      spoil(part);
      s.search.answer(NodeId{1}, part, 0);
    }
    EXPECT_EQ(s.search.found()->position, 17u);
    return *s.search.found();
  };
  const auto forgets = search([](TreePart& p) { p.results.assign(p.leaf.size(), {}); }, false);
  EXPECT_FALSE(forgets.result_here);
  EXPECT_FALSE(forgets.result_there);
  const auto lies = search([](TreePart& p) { p.results.assign(p.leaf.size(), kWrong); }, true);
  EXPECT_EQ(lies.result_here, kWrong);
  EXPECT_FALSE(lies.result_there);
}

TEST(Divergence, PartsWithResultsComeBackAsTheyWentAndLongOnesAreMalformed) {
  const Log log(30);
  TreePart part = log.answer({Round{3}, 1, 2});
  part.results[1].reset();
  const auto again = decode_tree_part(encode(part).view());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->leaf, part.leaf);
  EXPECT_EQ(again->results, part.results);
  part.results[0]->bytes = Bytes::from(std::vector<std::byte>(kMostShownResult + 1));
  EXPECT_FALSE(decode_tree_part(encode(part).view()));
}

// The disk may be behind what was applied when a peer answers: at any question, the last one too.
TEST(Divergence, WhatIsNotWrittenDownYetIsLookedAtLater) {
  const Log there(30), here(30, 17);
  for (std::size_t late = 1; late < 5; ++late) {
    Searched s(here, there, {NodeId{1}});
    std::uint64_t now = 0;
    for (std::size_t k = 1; !s.search.over() && k < 20; ++k) {
      s.written = k != late;
      s.search.answer(NodeId{1}, there.answer(s.asked.back().second), now);
      if (s.written) continue;
      EXPECT_FALSE(s.search.over());
      now += DivergenceSearch::kPatience + 1;
      s.search.tick(now);
    }
    ASSERT_TRUE(s.search.found()) << late;
    EXPECT_EQ(s.search.found()->position, 17u);
  }
}

TEST(Divergence, QuestionsAndAnswersComeBackFromBytes) {
  const WantTree want{Round{7}, 3, 9};
  const Bytes bytes = encode(want);
  ASSERT_TRUE(decode_want_tree(bytes.view()));
  EXPECT_EQ(decode_want_tree(bytes.view())->end, 9u);
  EXPECT_FALSE(decode_want_tree(encode(WantTree{Round{7}, 3, 3}).view())) << "an empty part";
  const Log log(30);
  for (const WantTree& of : {WantTree{Round{7}, 0, 8}, WantTree{Round{7}, 7, 8}}) {
    const Bytes part = encode(log.answer(of));
    ASSERT_TRUE(decode_tree_part(part.view()));
    EXPECT_EQ(encode(*decode_tree_part(part.view())), part);
    for (std::size_t size = 0; size < part.size(); ++size)
      EXPECT_FALSE(decode_tree_part(part.view().first(size)));
  }
}

Transaction entry(std::uint64_t i, const std::string& data) {
  return {i, {}, i, as_view(data)};
}

// However commits cut the log, the tree and its records are the same.
TEST(LogTree, ComesBackFromItsBytesAtEveryLength) {
  const std::string data = "the same for all";
  LogTree tree, later;
  std::size_t records = 0;
  for (std::uint64_t i = 0; i < 700; ++i) {
    tree.add(entry(i, data), digest(i / 300));
    later.add(entry(i, data), digest(i / 300));
    records += tree.take_records().size();
    Writer w;
    save_tree(tree.peaks(), tree.open_results(), tree.open_leaf(), w);
    LogTree again;
    Reader in(w.view());
    ASSERT_TRUE(again.restore(in, i + 1));
    EXPECT_TRUE(in.done());
    EXPECT_EQ(again.root(), tree.root());
    EXPECT_EQ(again.open_results(), tree.open_results());
    Reader wrong(w.view());
    EXPECT_FALSE(again.restore(wrong, i + 2));
    EXPECT_EQ(tree.length(), i + 1);
  }
  EXPECT_EQ(records, 2u);
  EXPECT_EQ(later.length(), 700u);
  EXPECT_EQ(later.take_records().size(), 2u);
  EXPECT_EQ(later.root(), tree.root());
}

TEST(LogTree, IsTheTreeOverTheLeavesThatProofsHold) {
  LogTree tree;
  coding::MerkleRange expected;
  std::vector<LeafContent> leaf;
  const std::vector<std::string> data{"", "a", std::string(300, 'x'), std::string(70, 'y')};
  for (std::uint64_t i = 0; i < 600; ++i) {
    tree.add(entry(i, data[i % 4]), digest(i));
    leaf.push_back({{}, i, payload_hash(as_view(data[i % 4])), digest(i)});
    if (leaf.size() == kLeafPositions) expected.append(leaf_of(std::exchange(leaf, {})));
    if (i % 37 == 0) (void)tree.take_records();
  }
  (void)tree.take_records();
  EXPECT_EQ(tree.root(), expected.root());
}

// What is hashed tells its form by its length, so no leaf passes for another, nor for an inner
// node.
TEST(LogTree, LeavesOfEveryFormDiffer) {
  std::set<std::size_t> sizes;
  for (std::size_t positions = 1; positions <= kLeafPositions; ++positions) {
    for (const bool alike : {true, false}) {
      if (positions == 1 && !alike) continue;
      std::vector<LeafContent> contents(positions);
      for (std::size_t i = 0; i < positions; ++i)
        contents[i] = {{}, i, digest(i), digest(alike ? 9 : 10 + i)};
      EXPECT_TRUE(sizes.insert(leaf_bytes(contents).size).second) << positions;
    }
  }
  EXPECT_FALSE(sizes.contains(coding::kMerkleParentBytes));
}

// However often the open leaf is looked at, and wherever a restart falls, the root is the same.
TEST(LogTree, AnOpenLeafCountsFromItsFirstPosition) {
  LogTree tree;
  const std::string data = "x";  // for as long as the tree may hash it
  std::vector<LeafContent> all;
  for (std::uint64_t i = 0; i < 300; ++i) {
    tree.add(entry(i, data), digest(i % 5));
    all.push_back({{}, i, payload_hash(as_view("x")), digest(i % 5)});
    (void)tree.take_records();
    coding::MerkleRange expected;
    for (std::size_t at = 0; at < all.size(); at += kLeafPositions)
      expected.append(leaf_of(
          std::span(all).subspan(at, std::min<std::size_t>(kLeafPositions, all.size() - at))));
    ASSERT_EQ(tree.root(), expected.root()) << i;
  }
}

TEST(LogTree, AChunkWhoseResultsAreAlikeCostsOneOfThem) {
  const std::string data = "d";
  LogTree alike, each;
  for (std::uint64_t i = 0; i < LogTree::kChunk; ++i) {
    alike.add(entry(i, data), digest(0));
    each.add(entry(i, data), digest(i));
  }
  EXPECT_LT(alike.take_records().at(0).value.size(), 100u);
  EXPECT_GT(each.take_records().at(0).value.size(), 32 * LogTree::kChunk);
}

}  // namespace
}  // namespace thresher::net
