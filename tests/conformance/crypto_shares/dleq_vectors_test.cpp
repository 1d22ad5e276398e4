// RFC 9496 (the group) and RFC 9497 (the proofs) as published, read from THRESHER_VECTORS.
#include "thresher/crypto/dleq.hpp"
#include "vector_text.hpp"

namespace thresher::crypto {
namespace {

class Group : public testing::Test {
 protected:
  void SetUp() override {
    const auto text = vector_text("ristretto255/rfc9496.json");
    if (!text) GTEST_SKIP() << "no ristretto255 vectors: set THRESHER_VECTORS to their folder";
    text_ = *text;
  }
  std::string text_;
};

TEST_F(Group, SmallMultiplesOfTheGenerator) {
  const auto multiples = list_named(text_, "small_multiples");
  ASSERT_EQ(multiples.size(), 16U);
  for (std::size_t i = 0; i < multiples.size(); ++i) {
    RistrettoScalar scalar{};
    scalar[0] = static_cast<std::byte>(i);
    const auto expected = hex_array<32>(multiples[i]);
    EXPECT_EQ(ristretto_valid(expected), i != 0) << i;
    if (i == 0) continue;  // the identity, which this library refuses on purpose
    EXPECT_EQ(ristretto_base(scalar), expected) << i;
    if (i == 1) continue;
    EXPECT_EQ(ristretto_multiply(scalar, hex_array<32>(multiples[1])), expected) << i;
  }
}

TEST_F(Group, BadEncodingsAreRefused) {
  const auto bad = list_named(text_, "bad_encodings");
  ASSERT_EQ(bad.size(), 29U);
  for (const auto& hex : bad) EXPECT_FALSE(ristretto_valid(hex_array<32>(hex))) << hex;
}

TEST_F(Group, TheOneWayMap) {
  const auto part = std::string_view(text_).substr(text_.find("\"one_way_map\""));
  const auto inputs = strings_named(part, "uniform64");
  const auto points = strings_named(part, "point");
  ASSERT_EQ(inputs.size(), 11U);
  ASSERT_EQ(points.size(), inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_EQ(ristretto_map(hex_array<64>(inputs[i])), hex_array<32>(points[i])) << i;
  }
}

TEST(DleqVectors, PublishedProofsVerifyAndOursReachTheSamePoint) {
  const auto text = vector_text("dleq-voprf/ristretto255-mode1.json");
  if (!text) GTEST_SKIP() << "no dleq-voprf vectors: set THRESHER_VECTORS to their folder";
  // The tag is "HashToGroup-" followed by the context of the suite.
  const auto tag = hex_bytes(strings_named(*text, "groupDST").at(0));
  const ByteView context = ByteView(tag).subspan(std::string_view("HashToGroup-").size());
  const auto key = hex_array<32>(strings_named(*text, "pkSm").at(0));
  const auto secret = hex_array<32>(strings_named(*text, "skSm").at(0));
  const auto blinded = strings_named(*text, "BlindedElement");
  const auto evaluated = strings_named(*text, "EvaluationElement");
  const auto proofs = strings_named(*text, "proof");
  ASSERT_EQ(proofs.size(), 2U);
  ASSERT_EQ(blinded.size(), proofs.size());
  ASSERT_EQ(evaluated.size(), proofs.size());
  for (std::size_t i = 0; i < proofs.size(); ++i) {
    const auto bytes = hex_array<64>(proofs[i]);
    DleqProof proof;
    std::copy(bytes.begin(), bytes.begin() + 32, proof.challenge.begin());
    std::copy(bytes.begin() + 32, bytes.end(), proof.response.begin());
    const DleqStatement statement{key, hex_array<32>(blinded[i]), hex_array<32>(evaluated[i])};
    EXPECT_TRUE(verify_dleq(context, statement, proof)) << i;
    const auto made = prove_dleq(context, secret, statement.element);
    ASSERT_TRUE(made) << i;
    EXPECT_EQ(made->statement.public_key, statement.public_key) << i;
    EXPECT_EQ(made->statement.evaluated, statement.evaluated) << i;
  }
}

}  // namespace
}  // namespace thresher::crypto
