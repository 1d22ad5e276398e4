// Messages as bytes: what is written is read back, and nothing else is.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "thresher/core/prng.hpp"
#include "thresher/protocols/broadcast/by_name.hpp"
#include "thresher/protocols/order/leader_chain_wire.hpp"
#include "thresher/protocols/order/pbft_wire.hpp"
#include "thresher/protocols/order/raft_wire.hpp"

namespace thresher {
namespace {

const Committee kSeven = *Committee::of(7);

Bytes some_bytes(Prng& rng) {
  std::vector<std::byte> out(rng.below(40));
  for (std::byte& b : out) b = static_cast<std::byte>(rng.next());
  return Bytes::from(std::move(out));
}

Digest some_digest(Prng& rng) {
  return hash(Bytes::from({static_cast<std::byte>(rng.next())}).view());
}

Bracha::Message some_bracha(Prng& rng) {
  const bracha::Instance at{NodeId{static_cast<std::uint16_t>(rng.below(7))}, rng.next()};
  switch (rng.below(5)) {
    case 0:
      return bracha::Init{at, some_bytes(rng)};
    case 1:
      return bracha::Statement{at, rng.below(2) == 0 ? bracha::kEcho : bracha::kReadied,
                               some_digest(rng), rng.below(2) == 0};
    case 2:
      return bracha::Want{at, rng.below(2) == 0};
    case 3:
      return bracha::Floor{at.origin, at.number, rng.below(2) == 0};
    default:
      return bracha::Give{at, some_bytes(rng)};
  }
}

Pbft::Message some_pbft(Prng& rng) {
  switch (rng.below(12)) {
    case 0:
      return pbft::PrePrepare{rng.next(), rng.next(), some_bytes(rng)};
    case 1:
      return pbft::Vote{rng.next(), rng.next(), some_digest(rng),
                        rng.below(2) == 0 ? pbft::kPrepare : pbft::kCommit};
    case 2:
      return pbft::NewView{rng.next(), {NodeId{6}, NodeId{0}, NodeId{3}}};
    case 3:
      return pbft::Forward{some_bytes(rng), rng.below(2) == 0};
    case 4:
      return pbft::Checkpoint{rng.next(), rng.next()};
    case 5:
      return pbft::Want{rng.next(), rng.next()};
    case 6:
      return pbft::Ordered{rng.next(), some_digest(rng)};
    case 7:
      return pbft::Fetch{rng.next(), some_digest(rng)};
    case 8:
      return pbft::Fetched{rng.next(), some_bytes(rng)};
    case 9:
      return pbft::Offer{some_digest(rng), rng.below(2) == 0};
    case 10:
      return pbft::Ask{some_digest(rng), rng.below(2) == 0};
    default:
      return some_bracha(rng);
  }
}

SignedBroadcast::Message some_signed(Prng& rng) {
  const broadcast::Instance at{NodeId{static_cast<std::uint16_t>(rng.below(7))}, rng.next()};
  switch (rng.below(6)) {
    case 0:
      return signed_broadcast::Propose{at, some_bytes(rng)};
    case 1:
      return signed_broadcast::Vote{at, some_digest(rng), {std::byte{7}}};
    case 2: {
      SignatureList list{NodeSet(7), {}};
      for (std::uint16_t k = 0; k < 7; ++k) {
        if (rng.below(2) == 0) continue;
        list.signers.insert(NodeId{k});
        list.signatures.push_back({static_cast<std::byte>(rng.next())});
      }
      return signed_broadcast::Certificate{at, some_digest(rng),
                                           std::make_shared<const SignatureList>(std::move(list))};
    }
    case 3:
      return signed_broadcast::Want{at, rng.below(2) == 0, rng.below(2) == 0};
    case 4:
      return signed_broadcast::Give{at, some_bytes(rng)};
    default: {
      signed_broadcast::Have have{.origins = {}, .asks = rng.below(2) == 0};
      for (std::uint16_t k = 0; k < rng.below(7); ++k) {
        const std::uint64_t below = rng.below(1000);
        have.origins.push_back({NodeId{k}, rng.below(1000), below, {below + 2, below + 9}});
      }
      return have;
    }
  }
}

ChainedEcho::Message some_chained(Prng& rng) {
  const NodeId origin{static_cast<std::uint16_t>(rng.below(7))};
  const auto head = [&] { return chained_echo::Head{rng.next(), some_digest(rng)}; };
  switch (rng.below(8)) {
    case 0:
      return chained_echo::Extend{{origin, rng.next()}, some_bytes(rng), rng.below(2) == 0};
    case 1: {
      const chained_echo::Head ready = rng.below(2) == 0 ? head() : chained_echo::Head{3, {}};
      return chained_echo::Status{origin, head(), ready, rng.below(2) == 0};
    }
    case 2:
      return chained_echo::Trace{origin, head(), head()};
    case 3: {
      chained_echo::Path path{origin, head(), {}};
      for (std::uint64_t k = rng.below(5); k > 0; --k) path.payloads.push_back(some_digest(rng));
      return path;
    }
    case 4:
      return chained_echo::Want{origin, head()};
    case 5:
      return chained_echo::Give{origin, head(), some_bytes(rng)};
    case 6:
      return chained_echo::Floor{origin, head()};
    default:
      return chained_echo::Delivered{origin, head()};
  }
}

Raft::Message some_raft(Prng& rng) {
  switch (rng.below(5)) {
    case 0:
      return raft::RequestVote{rng.next(), rng.next(), rng.next(), rng.below(2) == 0};
    case 1:
      return raft::RequestVoteReply{rng.next(), rng.below(2) == 0, rng.below(2) == 0};
    case 2: {
      raft::AppendEntries m{rng.next(), rng.next(), rng.next(), rng.next(), {}};
      for (std::uint64_t k = rng.below(4); k > 0; --k) {
        m.entries.push_back({rng.next(), some_bytes(rng)});
      }
      return m;
    }
    case 3:
      return raft::AppendEntriesReply{rng.next(), rng.next(), rng.below(2) == 0};
    default:
      return raft::Forward{some_bytes(rng)};
  }
}

RC_GTEST_PROP(Wire, RaftIsReadBackAndCutOffRefused, (std::uint64_t seed)) {
  Prng rng(seed);
  const WireParts parts = encode(some_raft(rng));
  const auto again = decode_raft(parts);
  RC_ASSERT(again.has_value());
  RC_ASSERT(encode(*again).control == parts.control);
  RC_ASSERT(encode(*again).payload == parts.payload);
  const std::size_t cut = rng.below(parts.control.size());
  RC_ASSERT(!decode_raft({parts.control.slice(0, cut), parts.payload}));
}

// Written, read and written again; and neither less nor more.
template <class M>
void reads_back(const M& message, Prng& rng) {
  const WireParts parts = encode(message);
  const auto again = broadcast::decode(std::type_identity<M>{}, parts, kSeven);
  RC_ASSERT(again.has_value());
  RC_ASSERT(encode(*again).control == parts.control);
  RC_ASSERT(encode(*again).payload == parts.payload);
  const std::size_t cut = rng.below(parts.control.size());
  RC_ASSERT(!broadcast::decode(std::type_identity<M>{},
                               {parts.control.slice(0, cut), parts.payload}, kSeven));
  std::vector<std::byte> longer(parts.control.view().begin(), parts.control.view().end());
  longer.push_back(std::byte{0});
  RC_ASSERT(!broadcast::decode(std::type_identity<M>{},
                               {Bytes::from(std::move(longer)), parts.payload}, kSeven));
}
RC_GTEST_PROP(Wire, BroadcastsAreReadBackAndCutOffRefused, (std::uint64_t seed)) {
  Prng rng(seed);
  reads_back(some_signed(rng), rng);
  reads_back(some_chained(rng), rng);
}

RC_GTEST_PROP(Wire, WhatIsWrittenIsReadBack, (std::uint64_t seed)) {
  Prng rng(seed);
  const WireParts parts = encode(some_pbft(rng));
  const auto again = decode_pbft(parts, kSeven);
  RC_ASSERT(again.has_value());
  const WireParts twice = encode(*again);
  RC_ASSERT(twice.control == parts.control);
  RC_ASSERT(twice.payload == parts.payload);
}

RC_GTEST_PROP(Wire, NoOtherLengthIsRead, (std::uint64_t seed)) {
  Prng rng(seed);
  const WireParts parts = encode(some_pbft(rng));
  const std::size_t cut = rng.below(parts.control.size());
  RC_ASSERT(!decode_pbft({parts.control.slice(0, cut), parts.payload}, kSeven));
  std::vector<std::byte> longer(parts.control.view().begin(), parts.control.view().end());
  longer.push_back(std::byte{0});
  RC_ASSERT(!decode_pbft({Bytes::from(std::move(longer)), parts.payload}, kSeven));
}

RC_GTEST_PROP(Wire, AnyBytesAreReadOrRefused, (std::uint64_t seed)) {
  Prng rng(seed);
  const WireParts junk{some_bytes(rng), some_bytes(rng)};
  if (const auto m = decode_pbft(junk, kSeven)) {
    RC_ASSERT(encode(*m).control == junk.control);
    RC_ASSERT(encode(*m).payload == junk.payload);
  }
}

leader_chain::Certificate some_certificate(Prng& rng) {
  const bool skip = rng.below(2) == 0;
  leader_chain::Certificate c{
      skip ? leader_chain::Kind::kSkip : leader_chain::Kind::kNotarize, rng.next(), {}, nullptr};
  if (!skip) c.digest = some_digest(rng);
  SignatureList list{NodeSet(7), {}};
  for (std::uint16_t i = 0; i < 7; ++i) {
    if (rng.below(2) == 0) continue;
    list.signers.insert(NodeId{i});
    list.signatures.emplace_back();
    list.signatures.back()[3] = static_cast<std::byte>(rng.next());
  }
  c.list = std::make_shared<const SignatureList>(std::move(list));
  return c;
}
leader_chain::Block some_block(Prng& rng) {
  leader_chain::Block block{rng.next(), {rng.next(), some_digest(rng)}, rng.next(), {}};
  for (std::uint64_t k = rng.below(4); k > 0; --k) block.values.push_back(some_bytes(rng));
  return block;
}
LeaderChain::Message some_leader_chain(Prng& rng) {
  switch (rng.below(13)) {
    case 0: {
      leader_chain::Propose m{some_block(rng), {}, {}};
      if (rng.below(2) == 0) m.parent = some_certificate(rng);
      for (std::uint64_t k = rng.below(3); k > 0; --k) m.skips.push_back(some_certificate(rng));
      return m;
    }
    case 1: {
      leader_chain::Vote m{static_cast<leader_chain::Kind>(rng.below(leader_chain::kKinds)),
                           rng.next(),
                           some_digest(rng),
                           {}};
      m.signature[63] = static_cast<std::byte>(rng.next());
      return m;
    }
    case 2:
      return some_certificate(rng);
    case 3:
      return leader_chain::Forward{some_bytes(rng), rng.below(2) == 0};
    case 4:
      return leader_chain::Want{rng.next(), rng.next()};
    case 5:
      return leader_chain::Status{rng.next(), rng.next()};
    case 6:
      return leader_chain::WantBlock{{rng.next(), some_digest(rng)}};
    case 7:
      return leader_chain::Give{some_block(rng)};
    case 8:
      return leader_chain::Ordered{rng.next(), some_digest(rng)};
    case 9:
      return leader_chain::Fetch{rng.next(), some_digest(rng)};
    case 10:
      return leader_chain::Offer{some_digest(rng), rng.below(2) == 0};
    case 11:
      return leader_chain::Ask{some_digest(rng), rng.below(2) == 0};
    default:
      return leader_chain::Decided{rng.next(), some_bytes(rng)};
  }
}

RC_GTEST_PROP(Wire, TheLeaderChainIsReadBackAndCutOffRefused, (std::uint64_t seed)) {
  Prng rng(seed);
  const WireParts parts = encode(some_leader_chain(rng));
  const auto again = decode_leader_chain(parts, kSeven);
  RC_ASSERT(again.has_value());
  const WireParts twice = encode(*again);
  RC_ASSERT(twice.control == parts.control);
  RC_ASSERT(twice.payload == parts.payload);
  const std::size_t cut = rng.below(parts.control.size());
  RC_ASSERT(!decode_leader_chain({parts.control.slice(0, cut), parts.payload}, kSeven));
  std::vector<std::byte> longer(parts.control.view().begin(), parts.control.view().end());
  longer.push_back(std::byte{0});
  RC_ASSERT(!decode_leader_chain({Bytes::from(std::move(longer)), parts.payload}, kSeven));
}

// One byte of a real message changed: read as what it says, or refused; never more, never a crash.
RC_GTEST_PROP(Wire, ALeaderChainMessageWithAWrongByteIsReadOrRefused, (std::uint64_t seed)) {
  Prng rng(seed);
  WireParts parts = encode(some_leader_chain(rng));
  std::vector<std::byte> bytes(parts.control.view().begin(), parts.control.view().end());
  bytes[rng.below(bytes.size())] ^= static_cast<std::byte>(1 + rng.below(255));
  parts.control = Bytes::from(std::move(bytes));
  if (const auto m = decode_leader_chain(parts, kSeven)) {
    RC_ASSERT(encode(*m).control == parts.control);
    RC_ASSERT(encode(*m).payload == parts.payload);
  }
}

RC_GTEST_PROP(Wire, AnyBytesAreALeaderChainMessageOrRefused, (std::uint64_t seed)) {
  Prng rng(seed);
  const WireParts junk{some_bytes(rng), some_bytes(rng)};
  if (const auto m = decode_leader_chain(junk, kSeven)) {
    RC_ASSERT(encode(*m).control == junk.control);
    RC_ASSERT(encode(*m).payload == junk.payload);
  }
}

// A slice keeps all of what it is cut from: one byte that is kept kept a megabyte that was decided
// or refused long ago.
TEST(Wire, WhatIsKeptOfAMessageDoesNotKeepTheRest) {
  const Bytes small = Bytes::copy_of(as_view("s"));
  const Bytes large = Bytes::from(std::vector<std::byte>(1u << 20));
  const auto lies_in = [](const Bytes& part, const Bytes& whole) {
    const auto* at = part.view().data();
    return at >= whole.view().data() && at < whole.view().data() + whole.size();
  };
  const WireParts append =
      encode(Raft::Message(raft::AppendEntries{1, 1, 1, 1, {{1, small}, {1, large}, {1, small}}}));
  const auto raft = decode_raft(append);
  const auto& entries = std::get<raft::AppendEntries>(*raft).entries;
  EXPECT_FALSE(lies_in(entries[0].value, append.payload));
  EXPECT_TRUE(lies_in(entries[1].value, append.payload));
  EXPECT_FALSE(lies_in(entries[2].value, append.payload));
  EXPECT_EQ(entries[2].value, small);
  leader_chain::Block block;
  block.values = {small, large};
  const WireParts give = encode(LeaderChain::Message(leader_chain::Give{block}));
  const auto chain = decode_leader_chain(give, kSeven);
  const auto& values = std::get<leader_chain::Give>(*chain).block.values;
  EXPECT_FALSE(lies_in(values[0], give.payload));
  EXPECT_TRUE(lies_in(values[1], give.payload));
  EXPECT_EQ(values[0], small);
}

TEST(Wire, StrangersAndStrayPayloadsAreRefused) {
  const WireParts want = encode(Pbft::Message(bracha::Want{{NodeId{6}, 1}}));
  EXPECT_TRUE(decode_pbft(want, kSeven));
  EXPECT_FALSE(decode_pbft(want, *Committee::of(4)));
  EXPECT_FALSE(decode_pbft({want.control, Bytes::copy_of(as_view("stray"))}, kSeven));
}

}  // namespace
}  // namespace thresher
