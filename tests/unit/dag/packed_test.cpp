// Dense parents by a bitmap and one hash (S1): the same blocks, the same DAG, fewer bytes.
#include <gtest/gtest.h>

#include <deque>

#include "thresher/core/prng.hpp"
#include "thresher/protocols/dag/dag.hpp"

namespace thresher::dag {
namespace {

constexpr std::size_t kFixedBytes = 153;  // a header without votes, claims and references
constexpr std::size_t kEdgeBytes = 42;

Digest numbered(std::uint64_t k) {
  Writer w;
  w.u64(k);
  return hash(w.view());
}

/// A block of round 5 by node 0 of n that refers to the next `parents` nodes and to a straggler.
BlockPtr dense_block(std::uint32_t n, std::uint32_t parents, bool straggler) {
  Header h;
  h.author = NodeId{0};
  h.round = Round{5};
  h.self = {NodeId{0}, Round{4}, numbered(1000)};
  for (std::uint32_t i = 1; i <= parents; ++i) {
    h.refs.push_back({NodeId{static_cast<std::uint16_t>(i)}, Round{4}, numbered(i)});
  }
  if (straggler) h.refs.push_back({NodeId{static_cast<std::uint16_t>(n - 1)}, Round{2}, {}});
  return make_block(std::move(h), {}, {}, {});
}

std::vector<Edge> parents_in(const BlockPtr& block) {
  std::vector<Edge> out;
  for (const Edge& e : block->header.refs) {
    if (e.round == Round{4}) out.push_back(e);
  }
  return out;
}

std::vector<std::byte> encoded(const BlockPtr& block) {
  Writer w;
  encode_header(*block, w);
  return w.take();
}

BlockPtr decoded(const std::vector<std::byte>& bytes, std::uint32_t n) {
  Reader in(bytes);
  const auto block = decode_slim(in, {}, n);
  return block && in.done() ? *block : nullptr;
}

TEST(Packed, BothFormsAreOneBlock) {
  for (const std::uint32_t n : {4u, 7u, 8u, 9u, 64u, 100u, 400u}) {
    const Committee committee = *Committee::of(n);
    const BlockPtr whole = dense_block(n, n - 2, true);
    const BlockPtr packed = pack(whole, committee);
    ASSERT_TRUE(packed->header.packed);
    EXPECT_EQ(packed->header.refs.size(), 1u);  // the straggler
    for (const BlockPtr& block : {whole, packed}) {
      EXPECT_EQ(digest_of(block->header, {}), whole->digest) << n;
      const auto bytes = encoded(block);
      EXPECT_EQ(bytes.size(), header_bytes(block->header)) << n;
      const BlockPtr again = decoded(bytes, n);
      ASSERT_TRUE(again) << n;
      EXPECT_EQ(again->digest, whole->digest) << n;
      EXPECT_EQ(encoded(again), bytes) << n;
    }
    const BlockPtr unpacked = unpack(packed, parents_in(whole));
    ASSERT_TRUE(unpacked);
    EXPECT_EQ(unpacked->header.refs, whole->header.refs);
    std::vector<Edge> other = parents_in(whole);
    other[0].digest = numbered(77);
    EXPECT_EQ(unpack(packed, other), nullptr);
  }
}

TEST(Packed, BytesOfABlock) {
  const BlockPtr whole = dense_block(100, 99, false);
  const BlockPtr packed = pack(whole, *Committee::of(100));
  EXPECT_EQ(header_bytes(whole->header), kFixedBytes + 99 * kEdgeBytes);  // 4311
  EXPECT_EQ(header_bytes(packed->header), kFixedBytes + 13 + 32);         // 198
}

TEST(Packed, AMalformedBitmapIsRefused) {
  constexpr std::size_t kBitmapAt = 2 + 8 + 1 + 32 + 4 + 8 + 32;
  const auto good = encoded(pack(dense_block(10, 6, true), *Committee::of(10)));
  ASSERT_TRUE(decoded(good, 10));
  auto beyond = good;
  beyond[kBitmapAt + 1] |= std::byte{0x04};  // node 10 of 0 to 9
  EXPECT_FALSE(decoded(beyond, 10));
  auto nobody = good;
  nobody[kBitmapAt] = nobody[kBitmapAt + 1] = std::byte{0};
  EXPECT_FALSE(decoded(nobody, 10));
  EXPECT_FALSE(decoded(good, 8));   // a bitmap that is too long, or
  EXPECT_FALSE(decoded(good, 17));  // too short, shifts what follows
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(decoded({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)}, 10));
  }
}

/// A block that decodes is written again byte for byte, so it has one spelling in each form.
TEST(Packed, DecodingIsCanonical) {
  Prng random(1, 9);
  const auto whole = encoded(dense_block(10, 6, true));
  const auto packed = encoded(pack(dense_block(10, 6, true), *Committee::of(10)));
  std::uint64_t accepted = 0;
  for (int k = 0; k < 50'000; ++k) {
    auto bytes = k % 2 == 0 ? whole : packed;
    for (std::uint64_t flips = 1 + random.below(3); flips > 0; --flips) {
      bytes[random.below(bytes.size())] ^= static_cast<std::byte>(1 + random.below(255));
    }
    const BlockPtr block = decoded(bytes, 10);
    if (!block) continue;
    ++accepted;
    EXPECT_EQ(encoded(block), bytes);
  }
  EXPECT_GT(accepted, 1000u);
}

/// One node whose signature checks always pass.
class Node {
 public:
  Node(std::uint16_t self, const Rules& rules, std::uint32_t n,
       std::shared_ptr<Names> names = nullptr) {
    Config c;
    c.names = std::move(names);
    c.committee = *Committee::of(n);
    c.self = NodeId{self};
    c.rules = rules;
    dag_ = std::make_unique<Dag>(std::move(c));
  }
  void feed(const InputOf<Dag>& input) {
    std::deque<InputOf<Dag>> todo{input};
    while (!todo.empty()) {
      const InputOf<Dag> next = std::move(todo.front());
      todo.pop_front();
      Dag::Fx fx;
      step(*dag_, next, fx);
      for (auto& effect : fx.list()) {
        if (const auto* v = std::get_if<Verify>(&effect)) todo.push_back(Verified{v->ticket, true});
        if (const auto* e = std::get_if<Endorse>(&effect)) todo.push_back(Endorsed{e->ticket, {}});
        if (const auto* t = std::get_if<ArmTimer>(&effect)) {
          if (t->after.value == 0) todo.push_back(Expired{t->id});
        }
        if (const auto* b = std::get_if<Broadcast<Message>>(&effect)) {
          if (const auto* p = std::get_if<Push>(&b->message)) pushed_.push_back(p->block);
        }
        if (auto* s = std::get_if<Send<Message>>(&effect)) sent_.push_back(s->message);
        if (const auto* d = std::get_if<Deliver<Committed>>(&effect)) {
          for (const BlockPtr& block : d->output.blocks) log_.push_back(block->digest);
        }
      }
    }
  }
  std::unique_ptr<Dag> dag_;
  std::deque<BlockPtr> pushed_;
  std::vector<Message> sent_;
  std::vector<Digest> log_;
};

struct Outcome {
  std::vector<std::vector<Digest>> logs;
  std::size_t bytes = 0;
};

/// Lockstep: everything that was pushed reaches everybody, in the order it was pushed.
Outcome lockstep(const Rules& rules, std::uint32_t n, std::uint64_t rounds,
                 const std::shared_ptr<Names>& names = nullptr) {
  std::deque<Node> nodes;
  for (std::uint16_t i = 0; i < n; ++i) nodes.emplace_back(i, rules, n, names);
  for (Node& node : nodes) node.feed(Start{0});
  nodes[0].feed(Requested<Submit>{{{{}, numbered(1)}}});
  Outcome run;
  std::uint64_t number = 0;
  while (nodes[0].dag_->round().value < rounds) {
    bool any = false;
    for (std::uint16_t from = 0; from < n; ++from) {
      while (!nodes[from].pushed_.empty()) {
        any = true;
        const BlockPtr block = nodes[from].pushed_.front();
        nodes[from].pushed_.pop_front();
        run.bytes += encoded(block).size();
        for (std::uint16_t to = 0; to < n; ++to) {
          if (to != from) nodes[to].feed(Received<Message>{NodeId{from}, Push{block}});
        }
      }
    }
    if (!any) break;
    nodes[0].feed(Requested<Submit>{{{{}, numbered(++number)}}});
  }
  for (const Node& node : nodes) run.logs.push_back(node.log_);
  return run;
}

TEST(Packed, TheDagIsTheSameInBothForms) {
  for (const std::uint32_t n : {4u, 10u}) {
    const Outcome whole = lockstep(Rules::mysticeti(), n, 30);
    const Outcome packed = lockstep(Rules::mysticeti_bitmap(), n, 30);
    EXPECT_EQ(whole.logs, packed.logs);
    const auto names = make_names(*Committee::of(n));
    const Outcome shared = lockstep(Rules::mysticeti_bitmap(), n, 30, names);
    EXPECT_EQ(shared.logs, packed.logs);
    EXPECT_EQ(shared.bytes, packed.bytes);
    EXPECT_GT(whole.logs[0].size(), 20u * n);
    EXPECT_LT(packed.bytes, whole.bytes);
  }
}

/// A packed block that came before its parents is asked for in full, and one that names parents
/// which are not those held here is too.
TEST(Packed, WhatCannotBeUnpackedIsAskedForInFull) {
  Node node(3, Rules::mysticeti_bitmap(), 4);
  node.feed(Start{0});
  std::vector<BlockPtr> first;
  for (std::uint16_t i = 0; i < 3; ++i) {
    Header h;
    h.author = NodeId{i};
    h.round = Round{1};
    h.self = {h.author, Round{0}, {}};
    first.push_back(make_block(std::move(h), {}, {}, {}));
  }
  const auto second = [&](const Digest& of_two) {
    Header h;
    h.author = NodeId{0};
    h.round = Round{2};
    h.self = {h.author, Round{1}, first[0]->digest};
    h.refs = {{NodeId{1}, Round{1}, first[1]->digest}, {NodeId{2}, Round{1}, of_two}};
    return make_block(std::move(h), {}, {}, {});
  };
  const BlockPtr early = second(first[2]->digest);
  const Committee committee = *Committee::of(4);
  node.feed(Received<Message>{NodeId{0}, Push{pack(early, committee)}});
  EXPECT_EQ(node.dag_->footprint().waiting, 1u);
  node.feed(Expired{{2, {}}});
  std::vector<Edge> wanted;
  for (const Message& m : node.sent_) {
    if (const auto* want = std::get_if<Want>(&m)) wanted = want->blocks;
  }
  EXPECT_EQ(wanted, (std::vector<Edge>{{NodeId{0}, Round{2}, early->digest}}));
  // The parents come after all: the block is unpacked without the answer.
  for (std::uint16_t i = 0; i < 3; ++i) {
    node.feed(Received<Message>{NodeId{i}, Push{first[i]}});
  }
  EXPECT_EQ(node.dag_->footprint().missing, 0u);
  EXPECT_EQ(node.dag_->footprint().waiting, 0u);
  EXPECT_GE(node.dag_->stats().blocks_accepted, 4u);
}

/// Nodes that share names share the verdict on one object. Another with the same digest, or by the
/// same author, has to stand for itself.
TEST(Packed, AVerdictIsOfOneObject) {
  constexpr std::uint32_t kNodes = 4;
  const Committee committee = *Committee::of(kNodes);
  const auto names = make_names(committee);
  std::vector<BlockPtr> first;
  for (std::uint16_t i = 0; i < kNodes; ++i) {
    Header h;
    h.author = NodeId{i};
    h.round = Round{1};
    h.self = {h.author, Round{0}, {}};
    first.push_back(make_block(std::move(h), {}, {}, {}));
  }
  const auto second = [&](std::uint32_t parents, std::uint32_t mark) {
    Header h;
    h.author = NodeId{0};
    h.round = Round{2};
    h.payload_root = numbered(mark);
    h.self = {h.author, Round{1}, first[0]->digest};
    for (std::uint16_t i = 1; i <= parents; ++i) {
      h.refs.push_back({NodeId{i}, Round{1}, first[i]->digest});
    }
    return make_block(std::move(h), {}, {}, {});
  };
  const BlockPtr good = pack(second(2, 0), committee);
  const BlockPtr few = pack(second(1, 1), committee);  // a twin of it without parents enough
  auto long_bitmap = std::make_shared<Block>(*good);   // the digest does not tell the members
  long_bitmap->header.packed->members = kNodes + 1;
  std::deque<Node> nodes;  // names last as long as those that have the round
  for (const std::vector<BlockPtr>& order : {std::vector<BlockPtr>{long_bitmap, few, good},
                                             std::vector<BlockPtr>{good, long_bitmap, few},
                                             std::vector<BlockPtr>{few, good, long_bitmap}}) {
    for (const BlockPtr& block : order) {
      Node& node = nodes.emplace_back(3, Rules::mysticeti_bitmap(), kNodes, names);
      node.feed(Start{0});
      for (std::uint16_t i = 0; i < 3; ++i) {
        node.feed(Received<Message>{NodeId{i}, Push{first[i]}});
      }
      const std::uint64_t accepted = node.dag_->stats().blocks_accepted;
      node.feed(Received<Message>{NodeId{0}, Push{block}});
      EXPECT_EQ(node.dag_->stats().refused, block == good ? 0u : 1u);
      EXPECT_EQ(node.dag_->stats().blocks_accepted > accepted, block == good);
    }
  }
}

TEST(Packed, AWrongHashOrABitmapOverTheQuotaLeavesLittleBehind) {
  Node node(3, Rules::mysticeti_bitmap(), 4);
  node.feed(Start{0});
  for (std::uint64_t k = 0; k < 20'000; ++k) {
    Header h;
    h.author = NodeId{0};
    h.round = Round{2 + k % 200};
    h.self = {h.author, Round{1 + k % 200}, numbered(k)};
    h.packed = Packed{NodeSet(4), 4, numbered(k)};
    h.packed->authors.insert(NodeId{1});
    h.packed->authors.insert(NodeId{2});
    node.feed(Received<Message>{NodeId{0}, Push{make_block(std::move(h), {}, {}, {})}});
  }
  const Footprint f = node.dag_->footprint();
  EXPECT_LE(f.waiting + f.missing + f.pending, 2u * 256u);
}

}  // namespace
}  // namespace thresher::dag
