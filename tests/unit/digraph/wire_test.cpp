// Messages of sync-auth and async-auth as bytes: what is written is read back, and nothing else is.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "thresher/core/prng.hpp"
#include "thresher/protocols/digraph/digraph_wire.hpp"

namespace thresher::digraph {
namespace {

constexpr std::uint32_t kNodes = 7;

NodeId some_node(Prng& rng) {
  return NodeId{static_cast<std::uint16_t>(rng.below(kNodes))};
}

Signature some_signature(Prng& rng) {
  Signature out{};
  for (std::byte& b : out) b = static_cast<std::byte>(rng.next());
  return out;
}

std::shared_ptr<const SignatureList> some_list(Prng& rng) {
  auto out = std::make_shared<SignatureList>();
  for (std::uint16_t k = 0; k < kNodes; ++k) {
    if (k != 3 && rng.below(2) == 0) continue;
    out->signers.insert(NodeId{k});
    out->signatures.push_back(some_signature(rng));
  }
  return out;
}

Relay some_relay(Prng& rng) {
  Inputs heard(kNodes);
  heard[rng.below(kNodes)] = {Heard::Count::kOne, rng.next()};
  const bool input = rng.below(2) == 0;
  return {input ? Phase::kInputs : Phase::kStatements, some_node(rng),
          input ? content_of(rng.next()) : content_of(heard), some_list(rng)};
}

AsyncAuth::Message some_message(Prng& rng) {
  using namespace async_auth;  // NOLINT(google-build-using-namespace): its messages
  const auto round = static_cast<std::uint32_t>(rng.next());
  const auto value = static_cast<std::int64_t>(rng.next());
  switch (rng.below(4)) {
    case 0:
      return Proposal{some_node(rng), round, value, some_signature(rng)};
    case 1:
      return Support{some_node(rng), some_node(rng), round, value, some_signature(rng)};
    case 2:
      return Certificate{some_node(rng), round, value, some_list(rng)};
    default: {
      Values values(kNodes);
      for (auto& v : values) {
        if (rng.below(2) == 0) v = static_cast<std::int64_t>(rng.next());
      }
      return Report{some_node(rng), round, values, some_signature(rng)};
    }
  }
}

template <class M, class D>
void reads_back(const M& message, Prng& rng, D decode) {
  const WireParts parts = encode(message);
  const auto again = decode(parts, kNodes);
  RC_ASSERT(again.has_value());
  RC_ASSERT(encode(*again).control == parts.control);
  RC_ASSERT(parts.size() <= largest_message(kNodes));
  const Bytes cut = parts.control.slice(0, rng.below(parts.control.size()));
  RC_ASSERT(!decode({cut, {}}, kNodes));
  std::vector<std::byte> longer(parts.control.view().begin(), parts.control.view().end());
  longer.push_back(std::byte{0});
  RC_ASSERT(!decode({Bytes::from(std::move(longer)), {}}, kNodes));
  RC_ASSERT(!decode({parts.control, parts.control}, kNodes));
  // Damaged bytes are refused, or are another message in the one way to write it.
  std::vector<std::byte> other(parts.control.view().begin(), parts.control.view().end());
  other[rng.below(other.size())] ^= static_cast<std::byte>(1 + rng.below(255));
  const WireParts damaged{Bytes::from(std::move(other)), {}};
  const auto read = decode(damaged, kNodes);
  if (read) RC_ASSERT(encode(*read).control == damaged.control);
}

RC_GTEST_PROP(DigraphWire, WhatIsWrittenIsReadBackAndNothingElse, (std::uint64_t seed)) {
  Prng rng(seed);
  reads_back(some_relay(rng), rng, decode_sync_auth);
  reads_back(some_message(rng), rng, decode_async_auth);
}

TEST(DigraphWire, RefusesNodesThatThereAreNot) {
  Prng rng(1);
  Relay relay = some_relay(rng);
  relay.origin = NodeId{kNodes};
  EXPECT_FALSE(decode_sync_auth(encode(relay), kNodes));
  using namespace async_auth;  // NOLINT(google-build-using-namespace): its messages
  const NodeId none{kNodes};
  for (const AsyncAuth::Message& m : {AsyncAuth::Message(Proposal{none, 1, 5, {}}),
                                      AsyncAuth::Message(Support{none, {}, 1, 5, {}}),
                                      AsyncAuth::Message(Support{{}, none, 1, 5, {}}),
                                      AsyncAuth::Message(Certificate{none, 1, 5, some_list(rng)}),
                                      AsyncAuth::Message(Report{none, 1, Values(kNodes), {}}),
                                      AsyncAuth::Message(Report{{}, 1, Values(kNodes + 1), {}})}) {
    EXPECT_FALSE(decode_async_auth(encode(m), kNodes)) << m.index();
  }
}

}  // namespace
}  // namespace thresher::digraph
