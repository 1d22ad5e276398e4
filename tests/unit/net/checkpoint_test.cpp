// Statements, certificates and proofs: their bytes, and what must not pass for one.
#include "thresher/net/checkpoint.hpp"

#include <gtest/gtest.h>

#include <random>

#include "thresher/coding/merkle_range.hpp"
#include "thresher/core/base64.hpp"
#include "thresher/net/log_proof.hpp"

namespace thresher::net {
namespace {

struct Keys {
  std::vector<crypto::SigningKey> keys;
  Genesis genesis;

  explicit Keys(std::uint32_t n) {
    genesis.f = (n - 1) / 3;
    for (std::uint32_t i = 0; i < n; ++i) {
      keys.push_back(crypto::SigningKey::generate());
      genesis.nodes.push_back(
          {keys.back().public_key(), "127.0.0.1", static_cast<std::uint16_t>(9000 + i)});
    }
  }
  Certificate certificate(const Checkpoint& c, const std::vector<std::uint16_t>& signers) const {
    Certificate out{c, {NodeSet(static_cast<std::uint32_t>(keys.size())), {}}};
    for (const std::uint16_t i : signers) {
      out.signatures.signers.insert(NodeId{i});
      out.signatures.signatures.push_back(
          signed_checkpoint(keys[i], NodeId{i}, genesis.context(), c).signature);
    }
    return out;
  }
};

Digest digest(std::uint64_t seed) {
  return hash(Writer().u64(seed).view());
}

Checkpoint some_checkpoint() {
  return {Round{1024}, 77, digest(1), digest(2), digest(3)};
}

/// A log of `length` entries, and the proof of one of them.
LogProof some_proof(const Keys& k, std::uint64_t length, std::uint64_t position) {
  LogProof out;
  out.position = position;
  const auto content = [](std::uint64_t i) {
    return LeafContent{client_id_of({}), i, digest(i), digest(i + 1)};
  };
  out.content = content(position);
  coding::MerkleRange range;
  std::map<coding::MerklePlace, Digest> full;
  for (std::uint64_t leaf = 0; leaf < leaves_of(length); ++leaf) {
    std::vector<LeafContent> contents;
    for (std::uint64_t i = 0; i < positions_in(leaf, length); ++i)
      contents.push_back(content(leaf * kLeafPositions + i));
    range.append(leaf_of(contents),
                 [&](const coding::MerkleNode& n) { full.emplace(n.place, n.hash); });
    if (leaf != position / kLeafPositions) continue;
    out.beside = contents;
    out.beside.erase(out.beside.begin() + static_cast<std::ptrdiff_t>(position % kLeafPositions));
  }
  out.path = coding::merkle_path(position / kLeafPositions, leaves_of(length),
                                 [&](coding::MerklePlace place) { return full.at(place); });
  Checkpoint c = some_checkpoint();
  c.length = length;
  c.root = range.root();
  out.certificate = k.certificate(c, {0, 1, 3});
  return out;
}

TEST(Checkpoint, AQuorumOfMembersMakesACertificateAndNothingLess) {
  const Keys k(4);
  const Checkpoint c = some_checkpoint();
  EXPECT_TRUE(check_certificate(k.genesis, k.certificate(c, {0, 1, 2})));
  EXPECT_TRUE(check_certificate(k.genesis, k.certificate(c, {0, 1, 2, 3})));
  EXPECT_FALSE(check_certificate(k.genesis, k.certificate(c, {0, 2})));
  EXPECT_FALSE(check_certificate(k.genesis, k.certificate(c, {})));
  Certificate forged = k.certificate(c, {0, 1, 2});
  forged.signatures.signatures[1] = forged.signatures.signatures[0];
  const auto held = check_certificate(k.genesis, forged);
  ASSERT_FALSE(held);
  EXPECT_EQ(held.error().code, ErrorCode::kRejected);
  EXPECT_NE(held.error().what.find("node 1"), std::string::npos);
  Certificate stranger = k.certificate(c, {0, 1, 2});
  stranger.signatures.signers = NodeSet(4);
  for (const NodeId i : {NodeId{0}, NodeId{1}, NodeId{9}}) stranger.signatures.signers.insert(i);
  EXPECT_FALSE(check_certificate(k.genesis, stranger));
  Genesis other = k.genesis;
  other.chain = "another";
  EXPECT_FALSE(check_certificate(other, k.certificate(c, {0, 1, 2})));
}

TEST(Checkpoint, EveryFieldIsSigned) {
  const Keys k(4);
  const Checkpoint c = some_checkpoint();
  std::vector<Checkpoint> changed(5, c);
  changed[0].slot = Round{1025};
  changed[1].length = 78;
  changed[2].log_hash = digest(9);
  changed[3].root = digest(9);
  changed[4].state = digest(9);
  for (const Checkpoint& other : changed) {
    Certificate moved = k.certificate(c, {0, 1, 2});
    moved.checkpoint = other;
    EXPECT_FALSE(check_certificate(k.genesis, moved));
  }
}

// Raft has no Byzantine members, so a majority certifies.
TEST(Checkpoint, OfRaftAMajorityIsEnough) {
  Keys k(5);
  k.genesis.protocol = "raft";
  const Checkpoint c = some_checkpoint();
  EXPECT_TRUE(check_certificate(k.genesis, k.certificate(c, {0, 1, 2})));
  EXPECT_FALSE(check_certificate(k.genesis, k.certificate(c, {0, 1})));
  k.genesis.protocol = "pbft";
  EXPECT_FALSE(check_certificate(k.genesis, k.certificate(c, {0, 1, 2})));
}

TEST(Checkpoint, BytesComeBackAndCutOnesDoNot) {
  const Keys k(4);
  const Certificate c = k.certificate(some_checkpoint(), {1, 2, 3});
  const Bytes bytes = encode(c);
  const auto back = decode_certificate(bytes.view(), 4);
  ASSERT_TRUE(back);
  EXPECT_EQ(encode(*back), bytes);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decode_certificate(bytes.view().first(size), 4)) << size;
  EXPECT_FALSE(decode_certificate(bytes.view(), 3)) << "a signer that is no member";
  const SignedCheckpoint s =
      signed_checkpoint(k.keys[2], NodeId{2}, k.genesis.context(), some_checkpoint());
  const Bytes one = encode(s);
  for (std::size_t size = 0; size < one.size(); ++size)
    EXPECT_FALSE(decode_signed_checkpoint(one.view().first(size), 4)) << size;
  ASSERT_TRUE(decode_signed_checkpoint(one.view(), 4));
  EXPECT_TRUE(signature_holds(k.genesis, *decode_signed_checkpoint(one.view(), 4)));
  EXPECT_FALSE(decode_signed_checkpoint(one.view(), 2));
}

TEST(Checkpoint, TheFirstCommitInEachKSlotsHasOne) {
  EXPECT_FALSE(has_checkpoint(Round{0}, Round{1}, 4));
  EXPECT_FALSE(has_checkpoint(Round{1}, Round{3}, 4));
  EXPECT_TRUE(has_checkpoint(Round{3}, Round{4}, 4));
  EXPECT_TRUE(has_checkpoint(Round{3}, Round{9}, 4));
  EXPECT_FALSE(has_checkpoint(Round{9}, Round{11}, 4));
  EXPECT_FALSE(has_checkpoint(Round{0}, Round{100}, 0)) << "0: never";
}

TEST(LogProof, HoldsForItsTransactionPositionAndResultAlone) {
  const Keys k(4);
  const LogProof proof = some_proof(k, 1000, 613);
  EXPECT_TRUE(check_log_proof(k.genesis, proof));
  std::vector<LogProof> forged(10, proof);
  forged[0].position = 612;
  forged[1].content.sequence ^= 1;
  forged[2].content.payload = digest(1);
  forged[3].content.result = digest(1);
  forged[4].content.client.bytes[0] ^= std::byte{1};
  forged[5].path.pop_back();
  forged[6].beside.pop_back();
  forged[7].beside.push_back(proof.content);
  std::swap(forged[8].beside[0], forged[8].beside[1]);
  std::swap(forged[9].beside[0], forged[9].content);
  for (const LogProof& other : forged) EXPECT_FALSE(check_log_proof(k.genesis, other));
  LogProof beyond = proof;
  beyond.position = 1000;
  EXPECT_FALSE(check_log_proof(k.genesis, beyond));
  LogProof few = proof;
  few.certificate = k.certificate(proof.certificate.checkpoint, {0, 1});
  EXPECT_FALSE(check_log_proof(k.genesis, few));
}

TEST(LogProof, ComesBackFromBytesAndFromText) {
  const Keys k(4);
  for (const std::uint64_t length : {1u, 2u, 255u, 256u, 257u, 1000u}) {
    const LogProof proof = some_proof(k, length, length / 2);
    const Bytes bytes = encode(proof);
    const auto back = decode_log_proof(bytes.view(), 4);
    ASSERT_TRUE(back);
    EXPECT_EQ(encode(*back), bytes);
    for (std::size_t size = 0; size < bytes.size(); size += 7)
      EXPECT_FALSE(decode_log_proof(bytes.view().first(size), 4));
    const auto read = parse_log_proof(write_log_proof(proof));
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(encode(*read), bytes);
    EXPECT_TRUE(check_log_proof(k.genesis, *read));
  }
}

// Ten million entries make a path of 22 hashes; what the hashes are does not change the size.
TEST(LogProof, OfTenMillionEntriesAndFourNodesStaysBelowTwoKilobytes) {
  const Keys k(4);
  LogProof proof = some_proof(k, 4, 2);  // with four results
  proof.position = 9'999'990;
  proof.content.sequence = ~std::uint64_t{0};
  proof.path.assign(22, digest(5));
  Checkpoint c = proof.certificate.checkpoint;
  c.length = 10'000'000;
  c.slot = Round{100'000'000};
  proof.certificate = k.certificate(c, {1, 2, 3});
  EXPECT_LT(write_log_proof(proof).size(), 2000u);
  EXPECT_LT(encode(proof).size(), 1500u);
  LogProof alike = proof;
  for (LeafContent& b : alike.beside) b.result = alike.content.result;
  EXPECT_LE(write_log_proof(alike).size(), 1848u);
  LogProof differs = proof;
  for (std::size_t i = 0; i < differs.beside.size(); ++i)
    differs.beside[i].client.bytes[0] ^= static_cast<std::byte>(1 + i);
  EXPECT_LE(write_log_proof(differs).size(), 2048u);
}

TEST(Checkpoint, ACertificateOfMoreThanAQuorumIsCutToOne) {
  const Keys k(4);
  const Certificate all = k.certificate(some_checkpoint(), {0, 1, 2, 3});
  const Certificate cut = with_signatures(all, 3);
  EXPECT_EQ(encode(cut), encode(k.certificate(some_checkpoint(), {0, 1, 2})));
  EXPECT_TRUE(check_certificate(k.genesis, cut));
  EXPECT_EQ(encode(with_signatures(all, 4)), encode(all));
}

TEST(LogProof, TextThatIsNoneIsRefusedWithAWord) {
  const Keys k(4);
  const std::string good = write_log_proof(some_proof(k, 9, 3));
  for (const char* text : {"", "{", "[]", "{}", R"({"schema":1})", R"({"schema":2,"position":-1})"})
    EXPECT_FALSE(parse_log_proof(text)) << text;
  for (const char* key : {"position", "client", "sequence", "payload", "result", "beside", "path",
                          "checkpoint", "signatures", "root", "state"}) {
    std::string without = good;
    const auto at = without.find('"' + std::string(key) + '"');
    ASSERT_NE(at, std::string::npos);
    without[at + 1] = '_';
    const auto read = parse_log_proof(without);
    ASSERT_FALSE(read) << key;
    EXPECT_EQ(read.error().code, ErrorCode::kMalformed);
    EXPECT_NE(read.error().text().find(key), std::string::npos) << read.error();
  }
  // A member has one name.
  for (const char* name : {"", "00", "01", "+0"}) {
    std::string other = good;
    other.replace(other.find("\"0\":"), 4, "\"" + std::string(name) + "\":");
    EXPECT_FALSE(parse_log_proof(other)) << name;
  }
  // Whatever one letter becomes, it is refused or does not hold: nothing crashes.
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    std::string changed = good;
    char& c = changed[random() % changed.size()];
    const char before = std::exchange(c, static_cast<char>(random() % 256));
    const auto read = parse_log_proof(changed);
    if (read && c != before && encode(*read) != encode(*parse_log_proof(good))) {
      EXPECT_FALSE(check_log_proof(k.genesis, *read)) << changed;
    }
  }
}

TEST(Base64, ComesBackAndHasOneSpelling) {
  for (std::size_t size = 0; size < 70; ++size) {
    std::vector<std::byte> bytes(size, std::byte{0xfb});
    const std::string text = to_base64(bytes);
    EXPECT_EQ(text.find('='), std::string::npos);
    EXPECT_EQ(from_base64(text), bytes);
  }
  EXPECT_FALSE(from_base64("YQ=="));
  EXPECT_FALSE(from_base64("YR")) << "bits that say nothing are zero";
  EXPECT_FALSE(from_base64("a b"));
  EXPECT_FALSE(from_base64("a"));
}

}  // namespace
}  // namespace thresher::net
