// Messages of the DAG as frames: what comes back, and what is refused.
#include <gtest/gtest.h>

#include "thresher/core/prng.hpp"
#include "thresher/crypto/sha256.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/net/payload_root.hpp"
#include "thresher/net/wire.hpp"
#include "thresher/protocols/payload_limit.hpp"

namespace thresher::net {
namespace {

constexpr std::uint32_t kNodes = 7;

dag::BlockPtr block(std::uint16_t author, std::uint64_t round, const std::string& text) {
  const Bytes bytes = Bytes::copy_of(as_view(text));
  dag::Header h;
  h.author = NodeId{author};
  h.round = Round{round};
  h.self = {h.author, Round{round - 1}, crypto::sha256(as_view("before"))};
  h.vote = crypto::sha256(as_view("a leader"));
  dag::Payload payload;
  if (!text.empty()) payload = {bytes, payload_root(bytes.view())};
  h.payload_root = payload.root;
  h.payload_bytes = static_cast<std::uint32_t>(payload.bytes.size());
  Signature signature{};
  signature[0] = static_cast<std::byte>(author);
  return dag::make_block(h, payload, signature, {});
}

void expect_same(const dag::BlockPtr& a, const dag::BlockPtr& b) {
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->digest, b->digest);
  EXPECT_EQ(a->signature, b->signature);
  EXPECT_EQ(a->payload.bytes, b->payload.bytes);
}

TEST(DagCodec, APushAloneHasTheFrameThatItAlwaysHad) {
  const Frame frame = encode(dag::Push{block(1, 5, "mine"), {}});
  EXPECT_EQ(frame.kind, kPush);
  const auto back = decode(frame, {}, kNodes);
  ASSERT_TRUE(back);
  expect_same(std::get<dag::Push>(*back).block, block(1, 5, "mine"));
}

TEST(DagCodec, APushComesBackWithWhatGoesAlong) {
  const dag::Push push{block(1, 5, "mine"), {block(2, 3, ""), block(3, 4, "of another")}};
  const Frame frame = encode(push);
  EXPECT_EQ(frame.kind, kPushWith);
  EXPECT_TRUE(of_protocol(frame.kind));
  const auto back = decode(frame, {}, kNodes);
  ASSERT_TRUE(back);
  const auto& again = std::get<dag::Push>(*back);
  expect_same(again.block, push.block);
  ASSERT_EQ(again.attached.size(), 2u);
  expect_same(again.attached[0], push.attached[0]);
  expect_same(again.attached[1], push.attached[1]);
}

TEST(DagCodec, AProofComesBack) {
  const dag::Equivocation proof{block(4, 9, ""), dag::header_alone(block(4, 9, "other"))};
  const Frame frame = encode(proof);
  EXPECT_TRUE(of_protocol(frame.kind));
  const auto back = decode(frame, {}, kNodes);
  ASSERT_TRUE(back);
  const auto& again = std::get<dag::Equivocation>(*back);
  expect_same(again.first, proof.first);
  expect_same(again.second, proof.second);
}

// Evidence for a KILL may have two headers of each author that voted twice.
TEST(DagCodec, EvidenceWithTwoHeadersOfEachComesBack) {
  dag::Evidence evidence{Round{8}, {}, {}};
  for (std::uint16_t i = 0; i < kNodes; ++i) {
    evidence.headers.push_back(dag::header_alone(block(i, 9, "one")));
    evidence.headers.push_back(dag::header_alone(block(i, 9, "two")));
  }
  const auto back = decode(encode(evidence), {}, kNodes);
  ASSERT_TRUE(back);
  EXPECT_EQ(std::get<dag::Evidence>(*back).headers.size(), 2 * kNodes);
  evidence.headers.push_back(evidence.headers.front());
  EXPECT_FALSE(decode(encode(evidence), {}, kNodes));
}

// A slice keeps its frame: a block of one byte would hold the 8 MiB that came with it.
TEST(DagCodec, ASmallBlockDoesNotHoldItsFrame) {
  const std::string large(1u << 20, 'x');
  const Frame frame = encode(dag::Push{block(1, 5, "mine"), {block(2, 3, large)}});
  const auto within = [&](const dag::BlockPtr& b) {
    const ByteView all = frame.payload.view();
    const std::byte* at = b->payload.bytes.view().data();
    return at >= all.data() && at < all.data() + all.size();
  };
  const auto back = decode(frame, {}, kNodes);
  ASSERT_TRUE(back);
  const auto& push = std::get<dag::Push>(*back);
  EXPECT_FALSE(within(push.block));
  EXPECT_TRUE(within(push.attached.at(0))) << "nor is what fills its frame copied";
  expect_same(push.attached[0], block(2, 3, large));
}

// Nor does the other part of a frame count for nothing.
TEST(DagCodec, APartOfAFrameWithALargeHeadIsCopied) {
  const Frame frame{kGive, Bytes::from(std::vector<std::byte>(1000)),
                    Bytes::copy_of(as_view("ab"))};
  EXPECT_EQ(as_text(kept_part(frame, 1, 1).view()), "b");
  EXPECT_NE(kept_part(frame, 1, 1).view().data(), frame.payload.view().data() + 1);
}

TEST(DagCodec, WhatIsNoPushWithOthersOrNoProofIsRefused) {
  Frame alone = encode(dag::Give{{block(1, 5, "mine")}});
  alone.kind = kPushWith;  // one block has a frame of its own
  EXPECT_FALSE(decode(alone, {}, kNodes));
  Frame longer = encode(dag::Push{block(1, 5, "mine"), {block(2, 3, "x")}});
  longer.payload = Bytes::copy_of(as_view("minexy"));  // a byte that no block has
  EXPECT_FALSE(decode(longer, {}, kNodes));
  longer.payload = Bytes::copy_of(as_view("mine"));  // one too few
  EXPECT_FALSE(decode(longer, {}, kNodes));
  const Bytes junk = Bytes::copy_of(as_view("no header"));
  EXPECT_FALSE(
      decode({kEquivocation, wire::encode(wire::Equivocation{junk, junk}), {}}, {}, kNodes));
  EXPECT_FALSE(decode({kEquivocation, {}, {}}, {}, kNodes));
}

TEST(DagCodec, RandomBytesAreRefusedOrMeanOneThing) {
  Prng random(3, 7);
  const Frame samples[] = {
      encode(dag::Push{block(1, 5, "mine"), {block(2, 3, ""), block(3, 4, "of another")}}),
      encode(dag::Equivocation{block(4, 9, ""), dag::header_alone(block(4, 9, "other"))})};
  for (const Frame& sample : samples) {
    for (int i = 0; i < 20'000; ++i) {
      std::string text(as_text(sample.control.view()));
      text[random.below(text.size())] = static_cast<char>(random.below(256));
      const Frame frame{sample.kind, Bytes::copy_of(as_view(text)), sample.payload};
      const auto once = decode(frame, {}, kNodes);
      if (!once) continue;
      const Frame again = encode(*once);
      const auto twice = decode(again, {}, kNodes);
      ASSERT_TRUE(twice);
      EXPECT_EQ(encode(*twice).control, again.control);
    }
  }
}

/// As a connection counts it: the head of a frame is in front of both parts.
std::size_t size_of(const Frame& frame) {
  return 9 + frame.control.size() + frame.payload.size();
}
/// The limit counts what follows the size field.
const std::size_t kLimit = TransportOptions{}.max_frame_bytes + 4;

// A push of exactly 8 MiB went into a frame, and no answer with that block in it did: a peer that
// was given it closed its link to whoever gave it, again and again.
TEST(DagCodec, ABlockThatCannotBePassedOnIsMalformed) {
  Frame push = encode(dag::Push{block(1, 5, "mine")});
  const std::string full(kLimit - 9 - push.control.size(), 'x');
  push = encode(dag::Push{block(1, 5, full)});
  ASSERT_EQ(size_of(push), kLimit);
  EXPECT_FALSE(decode(push, {}, kNodes));
  EXPECT_GT(size_of(encode(dag::Give{{block(1, 5, full)}})), kLimit);

  const std::string most(kMostPayloadBytes, 'x');
  const dag::BlockPtr good = block(1, 5, most);
  const dag::BlockPtr bad = block(2, 4, most + 'x');
  const dag::BlockPtr small = block(3, 5, "small");
  EXPECT_TRUE(decode(encode(dag::Push{good}), {}, kNodes));
  EXPECT_TRUE(decode(encode(dag::Give{{small, good}}), {}, kNodes));
  EXPECT_TRUE(decode(encode(dag::Push{small, {good}}), {}, kNodes));
  EXPECT_FALSE(decode(encode(dag::Push{bad}), {}, kNodes));
  EXPECT_FALSE(decode(encode(dag::Give{{small, bad}}), {}, kNodes));
  EXPECT_FALSE(decode(encode(dag::Push{small, {bad}}), {}, kNodes));
}

// Its content is not hashed first: that takes as long as for a good one.
TEST(DagCodec, APayloadThatIsTooLargeIsNotHashed) {
  const std::string large(kMostPayloadBytes + 1, 'x');
  const auto none = [](ByteView) -> Digest {
    ADD_FAILURE() << "hashed";
    return {};
  };
  EXPECT_FALSE(decode(encode(dag::Push{block(1, 5, large)}), {}, kNodes, none));
  EXPECT_FALSE(decode(encode(dag::Give{{block(1, 5, large)}}), {}, kNodes, none));
}

/// A block of a committee of `n` that refers to as many as it can.
dag::BlockPtr widest(std::uint32_t n, const std::string& text) {
  const dag::BlockPtr plain = block(1, 5, text);
  dag::Header h = plain->header;
  h.claim = h.vote;
  h.vote_author = h.claim_author = NodeId{2};
  for (std::uint32_t i = 0; i < n; ++i)
    h.refs.push_back({NodeId{static_cast<std::uint16_t>(i)}, Round{4}, *h.vote});
  return dag::make_block(h, plain->payload, {}, {});
}

// What limits allow of answers and attachments, in a frame each, also for the largest committee.
TEST(DagCodec, TheLargestAnswersFitAFrame) {
  const dag::Limits limits;
  const std::string most(kMostPayloadBytes, 'x');
  for (const std::uint32_t n : {4u, 100u, 1000u}) {
    const dag::BlockPtr one = widest(n, most);
    EXPECT_LE(size_of(encode(dag::Give{{one}})), kLimit) << n;
    dag::Give many;
    std::uint64_t bytes = 0;
    const dag::BlockPtr empty = widest(n, "");
    while (many.blocks.size() < limits.give_blocks &&
           (bytes += dag::header_bytes(empty->header)) <= limits.give_bytes)
      many.blocks.push_back(empty);
    EXPECT_LE(size_of(encode(many)), kLimit) << n;
    // Its own payload, as much again of others' as attached_bytes lets by, and headers in number.
    dag::Push push{one, {block(2, 4, std::string(limits.attached_bytes, 'y'))}};
    while (push.attached.size() < limits.attached_blocks) push.attached.push_back(block(3, 3, ""));
    EXPECT_LE(size_of(encode(push)), kLimit) << n;
    EXPECT_LE(size_of(encode(dag::Equivocation{one, one})), kLimit) << n;
  }
  dag::Evidence evidence{Round{8}, {}, std::vector<dag::BlockPtr>(2 * 100, widest(100, ""))};
  EXPECT_LE(size_of(encode(evidence)), kLimit);
}

}  // namespace
}  // namespace thresher::net
