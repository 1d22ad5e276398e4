// What an equivocator can make a node keep by the payloads of its further blocks, alone and with
// the help of another liar; the row is that of the reliability checklist (docs/threat-model.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "target.hpp"

namespace thresher::dag {
namespace {

constexpr std::uint16_t kLiar = 1;
constexpr std::uint32_t kBytes = 1u << 20;
constexpr std::uint64_t kDepth = 8;

/// A tree of the liar's blocks, a MiB each, in which every block stands for two others of the round
/// below; and how many of them somebody keeps whole.
class HeavyTree {
 public:
  explicit HeavyTree(const Committee& committee) : committee_(committee), root_(grow(kDepth)) {}
  const BlockPtr& root() const { return root_; }
  std::size_t size() const { return all_.size(); }
  /// As it comes off the wire: a block of its own each time; null: not of this tree.
  BlockPtr block(const Edge& edge) {
    const auto it = all_.find(edge.digest);
    if (it == all_.end()) return nullptr;
    auto out = std::make_shared<const Block>(*it->second);
    made_.emplace_back(out);
    return out;
  }
  std::size_t kept() const {
    const auto lives = [](const auto& one) { return !one.expired(); };
    return static_cast<std::size_t>(std::count_if(made_.begin(), made_.end(), lives));
  }

 private:
  BlockPtr grow(std::uint64_t round) {
    Header h;
    h.author = NodeId{kLiar};
    h.round = Round{round};
    h.self = {h.author, Round{0}, {}};
    h.payload_bytes = kBytes;
    std::vector<std::byte> raw(kBytes);
    ++salt_;
    std::memcpy(raw.data(), &salt_, sizeof(salt_));
    const Bytes bytes = Bytes::from(std::move(raw));
    h.payload_root = hash(bytes.view());
    if (round > 1) {
      const BlockPtr other = grow(round - 1);
      h.self = grow(round - 1)->edge();
      h.vote = other->digest;
      if (leader_of(other->round(), committee_) != h.author) h.vote_author = h.author;
    }
    const Payload payload{bytes, h.payload_root};
    const BlockPtr made = make_block(std::move(h), payload, {}, {});
    all_.emplace(made->digest, made);
    return made;
  }

  Committee committee_;
  std::uint64_t salt_ = 0;
  std::map<Digest, BlockPtr> all_;
  std::vector<std::weak_ptr<const Block>> made_;
  BlockPtr root_;
};

/// A node of `n` that has written a block of the round above the tree, or of its root.
Target above_the_tree(std::uint32_t n) {
  Target t;
  Config config = Target::config(Rules::thresher());
  config.committee = *Committee::of(n);
  t.node_ = Dag(config);
  t.feed(Start{0});
  const Bytes waits = Bytes::copy_of(as_view("for a leader"));
  t.feed(Requested<Submit>{{{waits, hash(waits.view())}, {}}});
  std::vector<Edge> last(n);
  for (std::uint64_t r = 1; r <= kDepth; ++r) {
    for (std::uint16_t i = 2; i < n; ++i) {
      Header h;
      h.author = NodeId{i};
      h.round = Round{r};
      h.self = r > 1 ? last[i] : Edge{h.author, Round{0}, {}};
      const BlockPtr b = make_block(std::move(h), {}, {}, {});
      last[i] = b->edge();
      t.push(i, b);
    }
    t.wait_out();
  }
  return t;
}

/// Hands over what the node asks for until it asks for nothing in so many ticks.
void hand_over(Target& t, HeavyTree& tree, int quiet) {
  for (int silent = 0; silent < quiet;) {
    std::vector<BlockPtr> answer;
    for (const Edge& e : t.asked_in(1)) {
      if (BlockPtr b = tree.block(e)) answer.push_back(std::move(b));
    }
    silent = answer.empty() ? silent + 1 : 0;
    if (!answer.empty()) t.give(kLiar, std::move(answer));
  }
}

/// A block of somebody who does not equivocate, for the round after the tree's.
BlockPtr on_top(const HeavyTree& tree, std::uint16_t author, const Committee& committee) {
  Header h = block(author, kDepth + 1)->header;
  h.self = {NodeId{author}, Round{0}, {}};
  h.vote = tree.root()->digest;
  if (leader_of(Round{kDepth}, committee) != NodeId{kLiar}) h.vote_author = NodeId{kLiar};
  return make_block(std::move(h), block(author, kDepth + 1)->payload, {}, {});
}

std::size_t accepted_of(const Target& t, std::uint16_t author) {
  std::vector<Edge> all;
  t.node_.accepted(Round{0}, all);
  return static_cast<std::size_t>(std::count_if(
      all.begin(), all.end(), [&](const Edge& e) { return e.author == NodeId{author}; }));
}

constexpr std::size_t kMost = (64u << 20) / kBytes;

// All of its twins were accepted, and kept whole. Where a correct node took the tree, everything
// is asked for again and accepted.
TEST(Floods, Row1ATreeOfHeavyTwinsFillsOneQuotaOfBytes) {
  const Committee committee = *Committee::of(4);
  Target t = above_the_tree(4);
  HeavyTree tree(committee);
  ASSERT_GT(tree.size(), 3 * kMost);
  t.push(kLiar, tree.block(tree.root()->edge()));
  hand_over(t, tree, 100);
  // Twins, and one block of each round; beside what is accepted as much may wait.
  EXPECT_LE(accepted_of(t, kLiar), kMost + kDepth);
  EXPECT_LE(tree.kept(), 2 * kMost + kDepth);
  t.push(2, on_top(tree, 2, committee));
  t.push(3, on_top(tree, 3, committee));
  hand_over(t, tree, 100);
  EXPECT_EQ(accepted_of(t, kLiar), tree.size());
  EXPECT_EQ(accepted_of(t, 2), kDepth + 1);
}

// Another liar, which does not equivocate, has its own quota: what its blocks rest on is taken up
// to that, and then slowly, because it may be correct.
TEST(Floods, Row1WhoRestsOnHeavyTwinsFillsOneQuotaOfBytes) {
  const Committee committee = *Committee::of(7);
  Target t = above_the_tree(7);
  HeavyTree tree(committee);
  t.push(kLiar, tree.block(tree.root()->edge()));
  hand_over(t, tree, 100);
  t.push(2, on_top(tree, 2, committee));
  hand_over(t, tree, 20);
  EXPECT_GT(accepted_of(t, kLiar), kMost + kDepth);
  EXPECT_LE(accepted_of(t, kLiar), 2 * kMost + 2 * kDepth);
  EXPECT_LE(tree.kept(), 3 * kMost + 2 * kDepth);
  hand_over(t, tree, 100);
  EXPECT_EQ(accepted_of(t, kLiar), tree.size());
  EXPECT_EQ(accepted_of(t, 2), kDepth + 1);
}

}  // namespace
}  // namespace thresher::dag
