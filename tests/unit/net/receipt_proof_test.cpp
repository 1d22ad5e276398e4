#include "thresher/net/receipt_proof.hpp"

#include <gtest/gtest.h>

#include "../../integration/node/payloads.hpp"
#include "thresher/net/payload_root.hpp"
#include "wire/receipt_proof_codec.hpp"

namespace thresher::net {
namespace {

// Node 1 wrote the transaction in round 4, node 0 (the leader) took it in round 5, three nodes
// claim that in round 7.
struct Scene {
  std::vector<crypto::SigningKey> keys;
  Genesis genesis;
  Bytes payload;
  dag::CommitProof proof;

  explicit Scene(const Parameters& parameters = {}) {
    genesis.f = 1;
    genesis.parameters = parameters;
    for (std::uint16_t i = 0; i < 4; ++i) {
      keys.push_back(crypto::SigningKey::generate());
      genesis.nodes.push_back(
          {keys[i].public_key(), "127.0.0.1", static_cast<std::uint16_t>(9 + i)});
    }
    payload = block_of(some_client(77), {{3, "hello"}});
    dag::Header h = header(1, 4);
    h.payload_root = payload_root(payload.view());
    h.payload_bytes = static_cast<std::uint32_t>(payload.size());
    const dag::BlockPtr block = sign(h, 1);
    h = header(0, 5);
    h.refs = {{block->author(), block->round(), block->digest}};
    const dag::BlockPtr leader = sign(h, 0);
    proof.path = {leader, block};
    for (std::uint16_t i = 0; i < 3; ++i) proof.witnesses.push_back(claim(i, i));
  }
  static dag::Header header(std::uint16_t author, std::uint64_t round) {
    dag::Header h;
    h.author = NodeId{author};
    h.round = Round{round};
    h.self = {h.author, Round{0}, {}};
    return h;
  }
  dag::BlockPtr sign(const dag::Header& h, std::size_t key) const {
    const Digest digest = dag::digest_of(h, genesis.context());
    return dag::make_block(h, {{}, h.payload_root}, keys[key].sign(digest.bytes),
                           genesis.context());
  }
  dag::BlockPtr claim(std::uint16_t author, std::size_t key) const {
    dag::Header h = header(author, 7);
    h.claim = proof.path.front()->digest;
    h.claim_author = NodeId{0};
    return sign(h, key);
  }
  dag::BlockPtr vote(std::uint16_t author) const {
    dag::Header h = header(author, 6);
    h.vote = proof.path.front()->digest;
    h.vote_author = NodeId{0};
    return sign(h, author);
  }
  Result<ProvenPlace, Error> verify(const char* text = "hello") const {
    return verify_receipt(genesis, encode_receipt_proof(proof, payload.view()).view(),
                          as_view(text));
  }
};

TEST(ReceiptProof, AQuorumOfClaimsAndAPathProveATransaction) {
  const Scene scene;
  const auto place = scene.verify();
  ASSERT_TRUE(place) << place.error();
  EXPECT_EQ(place->client, some_client(77));
  EXPECT_EQ(place->sequence, 3u);
  EXPECT_EQ(place->leader, scene.proof.path[0]->digest);
  EXPECT_EQ(place->block, scene.proof.path[1]->digest);
}

TEST(ReceiptProof, AnotherTransactionIsRefused) {
  EXPECT_FALSE(Scene().verify("hell"));
  EXPECT_FALSE(Scene().verify(""));
}

TEST(ReceiptProof, NoByteMayChange) {
  const Scene scene;
  const Bytes whole = encode_receipt_proof(scene.proof, scene.payload.view());
  std::vector<std::byte> bytes(whole.view().begin(), whole.view().end());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] ^= std::byte{1};
    EXPECT_FALSE(verify_receipt(scene.genesis, bytes, as_view("hello"))) << i;
    bytes[i] ^= std::byte{1};
  }
  EXPECT_FALSE(
      verify_receipt(scene.genesis, ByteView(bytes).first(bytes.size() - 1), as_view("hello")));
}

TEST(ReceiptProof, ForgedAndRepeatedAndMissingClaimsAreRefused) {
  Scene scene;
  scene.proof.witnesses[2] = scene.claim(2, 3);
  EXPECT_FALSE(scene.verify());
  scene.proof.witnesses[2] = scene.claim(1, 1);
  EXPECT_FALSE(scene.verify());
  scene.proof.witnesses.pop_back();
  EXPECT_FALSE(scene.verify());
  scene.proof.witnesses.push_back(scene.claim(3, 3));
  EXPECT_TRUE(scene.verify());
}

TEST(ReceiptProof, APathThatIsBrokenIsRefused) {
  Scene scene;
  scene.proof.path[1] = scene.sign(Scene::header(1, 4), 1);
  EXPECT_FALSE(scene.verify());
  EXPECT_FALSE(verify_receipt(scene.genesis, {}, as_view("hello")));
}

// In a ledger with the two-delay path so many votes prove a commit too, and nowhere else do.
TEST(ReceiptProof, VotesProveACommitWhereTheyMakeOne) {
  Parameters parameters{{"fast", "0"}};
  for (const bool fast : {true, false}) {
    Scene scene(fast ? parameters : Parameters{});
    scene.proof.witnesses.clear();
    for (std::uint16_t i = 0; i < 4; ++i) scene.proof.witnesses.push_back(scene.vote(i));
    EXPECT_EQ(bool(scene.verify()), fast);
    scene.proof.witnesses.pop_back();
    EXPECT_FALSE(scene.verify());  // three of four
    scene.proof.witnesses.push_back(scene.vote(2));
    EXPECT_FALSE(scene.verify());  // one of them twice
    scene.proof.witnesses.back() = scene.claim(3, 3);
    EXPECT_FALSE(scene.verify());  // a claim is not a vote
    scene.proof.witnesses.clear();
    for (std::uint16_t i = 0; i < 3; ++i) scene.proof.witnesses.push_back(scene.claim(i, i));
    EXPECT_TRUE(scene.verify());
  }
}

}  // namespace
}  // namespace thresher::net
