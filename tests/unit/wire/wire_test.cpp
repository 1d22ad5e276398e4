// Messages as bytes: what is written is read back, and nothing else is.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "thresher/core/prng.hpp"
#include "thresher/protocols/broadcast/by_name.hpp"
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
  switch (rng.below(8)) {
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
      return pbft::Decided{rng.next(), some_bytes(rng)};
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
  switch (rng.below(7)) {
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
    default:
      return chained_echo::Floor{origin, head()};
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

TEST(Wire, StrangersAndStrayPayloadsAreRefused) {
  const WireParts want = encode(Pbft::Message(bracha::Want{{NodeId{6}, 1}}));
  EXPECT_TRUE(decode_pbft(want, kSeven));
  EXPECT_FALSE(decode_pbft(want, *Committee::of(4)));
  EXPECT_FALSE(decode_pbft({want.control, Bytes::copy_of(as_view("stray"))}, kSeven));
}

}  // namespace
}  // namespace thresher
