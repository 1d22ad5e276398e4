#include "thresher/net/evidence.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <span>

#include "ledger/evidence_gate.hpp"
#include "thresher/core/hex.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/crypto/signing_key.hpp"
#include "thresher/protocols/certified/vertex.hpp"
#include "thresher/protocols/dag/block.hpp"

namespace thresher::net {
namespace {

struct Net {
  explicit Net(const std::string& protocol = "thresher") {
    genesis.protocol = protocol;
    genesis.f = 1;
    genesis.chain = "evidence";
    for (int i = 0; i < 4; ++i) {
      keys.push_back(crypto::SigningKey::generate());
      genesis.nodes.push_back({keys.back().public_key(), "127.0.0.1", 1});
    }
  }
  /// A signed header; `salt` makes it another one.
  void block(std::uint16_t author, std::uint64_t round, std::uint8_t salt, Writer& out,
             std::size_t signer) const {
    dag::Header header;
    header.author = NodeId{author};
    header.round = Round{round};
    header.self.author = NodeId{author};
    header.payload_root.bytes[0] = std::byte{salt};
    const auto bare = dag::make_block(header, {{}, header.payload_root}, {}, genesis.context());
    encode_header(*dag::make_block(header, {{}, header.payload_root},
                                   keys[signer].sign(bare->digest.bytes), genesis.context()),
                  out);
  }
  Bytes two(std::uint16_t author, std::uint64_t first, std::uint64_t second, std::uint8_t salt = 2,
            std::size_t signer = 3) const {
    Writer out;
    block(author, first, 1, out, signer);
    block(author, second, salt, out, signer);
    return Bytes::from(out.take());
  }
  std::string against(const Bytes& bytes) const {
    const auto found = verify_evidence(genesis, bytes.view());
    return found ? "node " + std::to_string(found->author.value) : found.error().text();
  }

  Genesis genesis;
  std::vector<crypto::SigningKey> keys;
};

TEST(Evidence, IsTwoSignedStatementsForOneRound) {
  const Net net;
  EXPECT_EQ(net.against(net.two(3, 7, 7)), "node 3");
  const auto found = verify_evidence(net.genesis, net.two(3, 7, 7).view());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->round, Round{7});
  EXPECT_NE(found->first, found->second);
}

TEST(Evidence, NothingElseIs) {
  const Net net;
  EXPECT_EQ(net.against(net.two(3, 7, 8)), "its statements are of two rounds");
  EXPECT_EQ(net.against(net.two(3, 7, 7, 1)), "its statements are the same");
  EXPECT_EQ(net.against(net.two(3, 7, 7, 2, 0)), "a signature is not that of the member's key");
  EXPECT_EQ(net.against(net.two(9, 7, 7)), "its author is not a member");
  Writer both;
  net.block(3, 7, 1, both, 3);
  net.block(2, 7, 2, both, 2);
  EXPECT_EQ(net.against(Bytes::from(both.take())), "its statements are of two members");
  const Bytes good = net.two(3, 7, 7);
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_EQ(net.against(good.slice(0, size)),
              "it does not hold two statements of a member of this ledger");
  }
  Writer longer;
  longer.bytes(good.view()).u8(0);
  EXPECT_EQ(net.against(Bytes::from(longer.take())),
            "it does not hold two statements of a member of this ledger");
}

RC_GTEST_PROP(Evidence, AnyBytesAreReadOrRefused, (const std::vector<std::uint8_t>& bytes)) {
  static const Net dag;
  static const Net certified("bullshark");
  for (const Net* net : {&dag, &certified}) {
    RC_ASSERT(!verify_evidence(net->genesis, std::as_bytes(std::span(bytes))));
  }
}

// What was signed for one ledger means nothing in another.
TEST(Evidence, OfAnotherLedgerProvesNothing) {
  Net net;
  const Bytes good = net.two(3, 7, 7);
  net.genesis.chain = "another";
  EXPECT_EQ(net.against(good), "a signature is not that of the member's key");
}

TEST(Evidence, EveryByteCounts) {
  const Net net;
  const Bytes good = net.two(3, 7, 7);
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::vector<std::byte> bytes(good.view().begin(), good.view().end());
    bytes[i] ^= std::byte{1};
    EXPECT_FALSE(verify_evidence(net.genesis, bytes)) << i;
  }
}

TEST(Evidence, OfCertifiedProtocolsIsTwoProposals) {
  const Net net("bullshark");
  Writer out;
  for (const std::byte salt : {std::byte{1}, std::byte{2}}) {
    certified::Header header;
    header.author = NodeId{3};
    header.round = Round{5};
    header.payload_root.bytes[0] = salt;
    const auto bare = certified::make_proposal(header, {}, net.genesis.context());
    const Signature signature = net.keys[3].sign(bare->digest.bytes);
    encode_proposal(*certified::make_proposal(header, signature, net.genesis.context()), 4, out);
  }
  EXPECT_EQ(net.against(Bytes::from(out.take())), "node 3");
  EXPECT_EQ(net.against(net.two(3, 7, 7)),
            "it does not hold two statements of a member of this ledger");
}

// Members can fill blocks with it, and each pair of statements costs two signatures.
TEST(Evidence, OfAnAuthorsInOneCommitSixteenAreVerified) {
  const Net net;
  const Bytes good = net.two(3, 7, 7);
  const Bytes forged = net.two(3, 7, 7, 2, 1);
  EvidenceGate gate;
  const auto look = [&](std::uint64_t slot, ByteView data, std::uint16_t author) {
    return gate.look(net.genesis, Transaction{0, kEvidenceClient, 3, data, slot, 0},
                     NodeId{author});
  };
  for (int k = 0; k < 100; ++k) EXPECT_FALSE(look(1, as_view("nonsense"), 3));
  for (int k = 0; k < 8; ++k) EXPECT_TRUE(look(1, good.view(), 3));
  for (int k = 0; k < 8; ++k) EXPECT_FALSE(look(1, forged.view(), 3));
  EXPECT_EQ(look(1, good.view(), 3).error().text(),
            "the commit has evidence enough from this transaction's author without it");
  EXPECT_TRUE(look(1, good.view(), 2)) << "another author's proof is hidden by these";
  EXPECT_TRUE(look(2, good.view(), 3));
}

TEST(Evidence, FilesAreReadBackAndBadOnesNamed) {
  const Net net;
  const auto folder =
      std::filesystem::temp_directory_path() / ("thresher-evidence-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  };
  const Bytes good = net.two(3, 7, 7);
  const auto found = verify_evidence(net.genesis, good.view());
  ASSERT_TRUE(found);
  const std::string text = evidence_text(net.genesis, *found, good.view());
  const std::string path = write("node3-round7.json", text);
  const auto again = load_evidence(path, net.genesis);
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(again->author, NodeId{3});
  EXPECT_EQ(evidence_files(folder.string()), std::vector<std::string>{path});
  EXPECT_TRUE(evidence_files(folder.string() + "/none").empty());
  const auto why = [&](const std::string& name, const std::string& content) {
    const auto result = load_evidence(write(name, content), net.genesis);
    return result ? std::string() : result.error().text();
  };
  std::string other = text;
  other.replace(other.find(to_hex(net.genesis.context().chain.bytes)), 4, "0000");
  EXPECT_NE(why("other.json", other).find("is of another ledger"), std::string::npos);
  EXPECT_NE(why("cut.json", text.substr(0, 100)).find("is not JSON"), std::string::npos);
  EXPECT_NE(why("none.json", "{}").find("is no file of evidence"), std::string::npos);
  std::string wrong = text;
  wrong[wrong.find("\"bytes\": \"") + 30] ^= 1;
  EXPECT_NE(why("wrong.json", wrong).find("proves nothing"), std::string::npos);
  const std::string nowhere = (folder / "missing.json").string();
  const Error missing = load_evidence(nowhere, net.genesis).error();
  EXPECT_EQ(missing.code, ErrorCode::kMissing);
  EXPECT_EQ(missing.where, nowhere);
  EXPECT_NE(missing.text().find("missing"), std::string::npos);
  const auto code = [&](const std::string& name) {
    return load_evidence((folder / name).string(), net.genesis).error().code;
  };
  EXPECT_EQ(code("other.json"), ErrorCode::kMismatch);
  EXPECT_EQ(code("cut.json"), ErrorCode::kMalformed);
  EXPECT_NE(code("wrong.json"), ErrorCode::kMissing);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace thresher::net
