// RFC 9381, appendix B.3 (ECVRF-EDWARDS25519-SHA512-TAI) as published, read from THRESHER_VECTORS.
#include "thresher/crypto/vrf.hpp"
#include "vector_text.hpp"

namespace thresher::crypto {
namespace {

TEST(VrfVectors, ProofsAndOutputsAreThePublishedOnes) {
  const auto text = vector_text("vrf/ecvrf-edwards25519-tai.json");
  if (!text) GTEST_SKIP() << "no vrf vectors: set THRESHER_VECTORS to their folder";
  const auto seeds = strings_named(*text, "SK"), keys = strings_named(*text, "PK");
  const auto inputs = strings_named(*text, "alpha"), proofs = strings_named(*text, "pi");
  const auto outputs = strings_named(*text, "beta");
  ASSERT_EQ(seeds.size(), 3U);
  for (const auto& column : {keys, inputs, proofs, outputs}) ASSERT_EQ(column.size(), 3U);
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    const auto seed = hex_array<32>(seeds[i]), key = hex_array<32>(keys[i]);
    const auto input = hex_bytes(inputs[i]);
    const auto proof = hex_array<80>(proofs[i]);
    const auto output = hex_array<64>(outputs[i]);
    EXPECT_EQ(vrf_public_key(seed), key) << i;
    EXPECT_EQ(verify_vrf(key, input, proof), output) << i;
    const auto made = prove_vrf(seed, input);
    ASSERT_TRUE(made) << i;
    EXPECT_EQ(made->proof, proof) << i;
    EXPECT_EQ(made->output, output) << i;
  }
}

}  // namespace
}  // namespace thresher::crypto
