// The root of a payload: what it is made of, and that no two payloads have the same.
#include "thresher/net/payload_root.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "life/log_tree.hpp"
#include "thresher/core/hex.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/crypto/sha256.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/net/log_proof.hpp"
#include "thresher/net/payload_root.hpp"
#include "wire/hashed_payloads.hpp"
#include "wire/transactions.hpp"

namespace thresher::net {
namespace {

using Buffer = std::vector<std::byte>;

Buffer filled(std::size_t size, std::uint8_t with) {
  return Buffer(size, std::byte{with});
}

net::RunHead run_of(std::uint8_t client) {
  net::RunHead run;
  run.client.bytes[0] = std::byte{client};
  run.valid = {Round{1}, Round{9}};
  return run;
}

/// Transactions of these sizes, two clients in turns.
Buffer payload_of(const std::vector<std::size_t>& sizes) {
  Buffer out;
  RunWriter writer(out);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    writer.add(run_of(static_cast<std::uint8_t>(i % 2)), i,
               filled(sizes[i], static_cast<std::uint8_t>(i)));
  return out;
}

/// The hash that the docs define, written down once more: the payload with hashes in the places
/// of the data that `hashes` names.
Digest by_the_book(ByteView payload, const DataHashes& hashes,
                   const std::vector<std::size_t>& sizes) {
  Buffer input;
  const auto append = [&input](ByteView part) {
    input.insert(input.end(), part.begin(), part.end());
  };
  append(as_view("thresher/payload-root/2"));
  append(Writer().u64(payload.size()).view());
  std::size_t at = 0;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    append(payload.subspan(at, hashes[i].offset - at));
    append(hash(payload.subspan(hashes[i].offset, sizes[i])).bytes);
    at = hashes[i].offset + sizes[i];
  }
  append(payload.subspan(at));
  return crypto::sha256(input);
}

TEST(PayloadRoot, ItHasHashesInThePlaceOfDataOfMiddleLength) {
  const Buffer payload = payload_of({0, 128, 129, 512, 8192, 8193, 700});
  DataHashes hashes;
  const Digest root = payload_root(payload, &hashes);
  ASSERT_EQ(hashes.size(), 4u);  // 129, 512, 8192 and 700
  EXPECT_EQ(root, by_the_book(payload, hashes, {129, 512, 8192, 700}));
  EXPECT_EQ(root, payload_root(payload));
}

TEST(PayloadRoot, TheHashesAreThoseThatAProofNames) {
  const Buffer payload = payload_of({200, 3, 300, 300, 129});
  DataHashes hashes;
  (void)payload_root(payload, &hashes);
  HashCursor cursor(payload, std::move(hashes));
  std::size_t known = 0;
  each_transaction(payload, [&](const auto&, std::uint64_t, ByteView data) {
    const Digest* found = cursor.of(data);
    EXPECT_EQ(found != nullptr, data.size() >= kLeastHashed);
    if (found == nullptr) return;
    EXPECT_EQ(*found, payload_hash(data));
    ++known;
  });
  EXPECT_EQ(known, 4u);
}

// As of the transactions that the ledger skips.
TEST(PayloadRoot, TheCursorFindsWhatFollowsOthersThatNobodyAskedFor) {
  const Buffer payload = payload_of({200, 300, 400});
  DataHashes hashes;
  (void)payload_root(payload, &hashes);
  HashCursor cursor(payload, std::move(hashes));
  std::vector<ByteView> all;
  each_transaction(payload,
                   [&](const auto&, std::uint64_t, ByteView data) { all.push_back(data); });
  ASSERT_TRUE(cursor.of(all[2]));
  EXPECT_EQ(*cursor.of(all[2]), payload_hash(all[2]));
}

// The bytes of a hash where the data was: malformed, since the run says that it is longer.
TEST(PayloadRoot, HashesWrittenIntoAPayloadDoNotMakeItsRootThatOfAnother) {
  const Buffer honest = payload_of({512});
  Buffer forged(honest.begin(), honest.begin() + kRunHead + kEntryHead);
  const Digest stands = hash(ByteView(honest).subspan(kRunHead + kEntryHead));
  forged.insert(forged.end(), stands.bytes.begin(), stands.bytes.end());
  EXPECT_NE(payload_root(honest), payload_root(forged));
  // As long as the honest one, by bytes that are not a transaction.
  forged.resize(honest.size());
  EXPECT_NE(payload_root(honest), payload_root(forged));
}

TEST(PayloadRoot, EveryBitCounts) {
  Prng rng(4711);
  Buffer payload = payload_of({40, 512, 0, 130, 9000});
  payload.resize(payload.size() + 5);  // a malformed rest
  const Digest root = payload_root(payload);
  for (int i = 0; i < 3000; ++i) {
    const auto at = rng.below(payload.size());
    const std::byte bit{static_cast<std::uint8_t>(1u << rng.below(8))};
    payload[at] ^= bit;
    EXPECT_NE(payload_root(payload), root) << "byte " << at;
    payload[at] ^= bit;
  }
  EXPECT_EQ(payload_root(payload), root);
}

TEST(PayloadRoot, AnyBytesHaveOne) {
  Prng rng(4712);
  std::map<Digest, Buffer> seen;
  for (int i = 0; i < 3000; ++i) {
    Buffer payload = rng.below(2) == 0 ? payload_of({200, 10, 600}) : filled(rng.below(400), 0);
    payload.resize(rng.below(payload.size() + 1));
    for (std::size_t flips = rng.below(3); flips > 0 && !payload.empty(); --flips)
      payload[rng.below(payload.size())] = static_cast<std::byte>(rng.below(256));
    const auto [it, fresh] = seen.try_emplace(payload_root(payload), payload);
    EXPECT_TRUE(fresh || it->second == payload);
  }
}

// A node of another build has to compute the same: change kWireVersion with this.
TEST(PayloadRoot, ItStaysWhatItIs) {
  EXPECT_EQ(to_hex(payload_root(payload_of({3, 512, 129, 8193})).bytes),
            "8db8cfdb18c5cf4e634db64330f33adcc89c58e95155831dbdd4ba31918f8ceb");
}

TEST(HashedPayloads, KeepsWhatWasComputedUntilItIsTaken) {
  HashedPayloads hashed(true);
  const Buffer payload = payload_of({200, 300, 4});
  const Digest root = hashed.root_of(payload);
  EXPECT_EQ(root, payload_root(payload));
  EXPECT_EQ(hashed.root_of(payload), root);  // from another peer
  EXPECT_EQ(hashed.size(), 2 + HashedPayloads::kOfPayload);
  EXPECT_EQ(hashed.take(root).size(), 2u);
  EXPECT_TRUE(hashed.take(root).empty());
  EXPECT_EQ(hashed.size(), 0u);
}

// What was worked out beside the loop counts for the frame that is looked at, and for no other.
TEST(HashedPayloads, WhatWasPreparedIsUsedWhileItsFrameIsLookedAt) {
  for (const bool keeps : {false, true}) {
    HashedPayloads hashed(keeps);
    const Bytes payload = Bytes::from(payload_of({200, 300, 4}));
    const Digest root = payload_root(payload.view());
    Frame frame{kPush, {}, payload};
    frame.prepared = prepare_payload(frame);
    ASSERT_TRUE(frame.prepared);
    // A wrong root shows that it was not computed once more.
    PreparedPayload wrong(payload.view());
    wrong.root = {};
    frame.prepared = std::make_shared<const PreparedPayload>(wrong);
    hashed.expect(frame);
    EXPECT_EQ(hashed.root_of(payload.view()), Digest{});
    EXPECT_EQ(hashed.root_of(Bytes::copy_of(payload.view()).view()), root) << "other bytes";
    EXPECT_EQ(hashed.root_of(payload.view().first(payload.size() - 1)),
              payload_root(payload.view().first(payload.size() - 1)));
    hashed.expect({});
    EXPECT_EQ(hashed.root_of(payload.view()), root);
    EXPECT_EQ(hashed.take(root).size(), keeps ? 2u : 0u);
  }
  EXPECT_FALSE(prepare_payload(Frame{kLogPart, {}, Bytes::from(payload_of({200}))}));
}

TEST(HashedPayloads, WithoutCheckpointsNothingIsKept) {
  HashedPayloads hashed(false);
  const Buffer payload = payload_of({200});
  EXPECT_EQ(hashed.root_of(payload), payload_root(payload));
  EXPECT_EQ(hashed.size(), 0u);
}

TEST(HashedPayloads, TheOldestGoFirstWhenAPeerSendsWithoutEnd) {
  HashedPayloads hashed(true);
  constexpr std::size_t kEach = 512;
  std::vector<Digest> roots;
  for (std::size_t i = 0; i < HashedPayloads::kMost / kEach + 4; ++i) {
    std::vector<std::size_t> sizes(kEach, kLeastHashed);
    sizes.push_back(i % 128);
    Buffer payload = payload_of(sizes);
    payload.resize(payload.size() + i / 128);
    roots.push_back(hashed.root_of(payload));
    EXPECT_LE(hashed.size(), HashedPayloads::kMost);
  }
  EXPECT_TRUE(hashed.take(roots.front()).empty());
  EXPECT_EQ(hashed.take(roots.back()).size(), kEach);
}

// Each payload costs memory of its own, however few hashes it has.
TEST(HashedPayloads, ManySmallPayloadsCountForWhatTheyTake) {
  HashedPayloads hashed(true);
  for (std::size_t i = 0; i < HashedPayloads::kMost / 4; ++i) {
    Buffer payload = payload_of({kLeastHashed});
    std::memcpy(payload.data() + kRunHead + kEntryHead, &i, sizeof i);
    (void)hashed.root_of(payload);
  }
  EXPECT_LE(hashed.size(), HashedPayloads::kMost);
}

TEST(LogTree, HashesThatAreKnownChangeNothing) {
  const Buffer payload = payload_of({200, 10, 300, 8193, 129});
  DataHashes hashes;
  (void)payload_root(payload, &hashes);
  HashCursor cursor(payload, std::move(hashes));
  LogTree computed, told;
  std::uint64_t position = 0;
  each_transaction(payload, [&](const auto& run, std::uint64_t sequence, ByteView data) {
    const Transaction t{position++, run.client, sequence, data, 0, 0};
    computed.add(t, {});
    told.add(t, {}, cursor.of(data));
  });
  (void)computed.take_records();
  (void)told.take_records();
  EXPECT_EQ(computed.root(), told.root());
}

}  // namespace
}  // namespace thresher::net
