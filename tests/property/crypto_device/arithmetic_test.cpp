// The device's arithmetic, carry chains included, against the portable field and libsodium.
#include <gtest/gtest.h>
#include <sodium.h>

#include <cstring>

#include "device/combine.hpp"
#include "device/tables32.hpp"
#include "edwards.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/crypto/signing_key.hpp"

namespace thresher::crypto::device {
namespace {

using Bytes = std::array<std::byte, 32>;

Bytes frozen_bytes(const Fe& x) {
  const Fe f = fe_freeze(x);
  Bytes out;
  std::memcpy(out.data(), f.w, out.size());
  return out;
}

/// The same number over the portable field: the top bit weighs 19.
ed25519::Fe portable(const Fe& x) {
  Bytes bytes;
  std::memcpy(bytes.data(), x.w, bytes.size());
  ed25519::Fe out = ed25519::fe_from_bytes(bytes);
  out.limb[0] += 19 * (x.w[7] >> 31);
  return out;
}

Bytes portable_bytes(const ed25519::Fe& x) {
  return ed25519::fe_to_bytes(x);
}

/// Words that make carries run: all ones, all zeros, p and its neighbours, 2^256 - 38 and its own.
std::vector<Fe> numbers(std::size_t random_ones) {
  std::vector<Fe> out;
  Prng random(3);
  const Fe p{{0xffffffedu, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, 0x7fffffffu}};
  for (u32 near = 0; near < 3; ++near) {
    Fe around = p;
    around.w[0] += near - 1;
    out.push_back(around);
    out.push_back({{0u - 37u - near, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u}});
    out.push_back({{0u - near, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u}});
    out.push_back(fe_small(near));
    out.push_back(fe_small(36 + near));
  }
  out.push_back({{0, 0, 0, 0, 0, 0, 0, 0x80000000u}});
  for (std::size_t i = 0; i < random_ones; ++i) {
    Fe x;
    for (u32& word : x.w) {
      const std::uint64_t kind = random.below(4);
      word = kind == 0 ? 0 : kind == 1 ? ~0u : static_cast<u32>(random.below(1ull << 32));
    }
    out.push_back(x);
  }
  return out;
}

TEST(Field32, AgreesWithThePortableField) {
  const auto all = numbers(120);
  for (const Fe& a : all) {
    EXPECT_EQ(frozen_bytes(a), portable_bytes(portable(a)));
    EXPECT_EQ(frozen_bytes(fe_sqr(a)), portable_bytes(ed25519::fe_sqr(portable(a))));
    EXPECT_EQ(fe_is_zero(a), ed25519::fe_is_zero(portable(a)));
    EXPECT_EQ(fe_is_odd(a), ed25519::is_odd(portable(a)));
    for (const Fe& b : all) {
      ASSERT_EQ(frozen_bytes(fe_mul(a, b)),
                portable_bytes(ed25519::fe_mul(portable(a), portable(b))));
      ASSERT_EQ(frozen_bytes(fe_add(a, b)),
                portable_bytes(ed25519::fe_add(portable(a), portable(b))));
      ASSERT_EQ(frozen_bytes(fe_sub(a, b)),
                portable_bytes(ed25519::fe_sub(portable(a), portable(b))));
    }
  }
}

TEST(Field32, Inverts) {
  for (const Fe& a : numbers(20)) {
    const Fe product = fe_mul(a, fe_invert(a));
    EXPECT_TRUE(fe_is_zero(a) ? fe_is_zero(product) : fe_is_zero(fe_sub(product, fe_small(1))));
  }
}

TEST(Point32, DecodesWhatThePortableDecoderDoes) {
  std::size_t points = 0;
  for (const Fe& encoding : numbers(300)) {
    Bytes bytes;
    std::memcpy(bytes.data(), encoding.w, bytes.size());
    const auto wanted = ed25519::decode(bytes);
    Extended got;
    ASSERT_EQ(decode(encoding, got), wanted.has_value());
    if (!wanted) continue;
    ++points;
    EXPECT_EQ(frozen_bytes(got.x), portable_bytes(wanted->x));
    EXPECT_EQ(frozen_bytes(got.y), portable_bytes(wanted->y));
    EXPECT_EQ(frozen_bytes(got.t), portable_bytes(wanted->t));
  }
  EXPECT_GT(points, 100u);
}

TEST(Scalar32, ReducesLikeLibsodium) {
  Prng random(4);
  for (int round = 0; round < 3000; ++round) {
    u32 x[16];
    for (u32& word : x) {
      const std::uint64_t kind = random.below(round < 1000 ? 3 : 8);
      word = kind == 0 ? 0 : kind == 1 ? ~0u : static_cast<u32>(random.below(1ull << 32));
    }
    std::array<unsigned char, 64> wide;
    std::array<unsigned char, 32> wanted;
    std::memcpy(wide.data(), x, wide.size());
    crypto_core_ed25519_scalar_reduce(wanted.data(), wide.data());
    const Scalar got = reduced(x);
    ASSERT_EQ(std::memcmp(got.w, wanted.data(), 32), 0) << "round " << round;
    ASSERT_TRUE(below_order(got));
  }
}

TEST(Scalar32, ComparesWithTheOrderAndReadsDigits) {
  Scalar below = group_order(), above = group_order();
  --below.w[0];
  ++above.w[0];
  EXPECT_TRUE(below_order(below));
  EXPECT_FALSE(below_order(group_order()));
  EXPECT_FALSE(below_order(above));
  EXPECT_FALSE(below_order({{~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u}}));
  const Scalar by_16 = biased(below, kHalves16), by_256 = biased(below, kHalves256);
  // Horner's rule modulo 2^32 gives back the lowest word; the highest digits stay small.
  u32 sum_16 = 0, sum_256 = 0;
  for (int i = kKeyDigits; i-- > 0;) sum_16 = 16 * sum_16 + static_cast<u32>(digit16(by_16.w, i));
  for (int i = kBaseDigits; i-- > 0;) {
    sum_256 = 256 * sum_256 + static_cast<u32>(digit256(by_256.w, i));
  }
  EXPECT_EQ(sum_16, below.w[0]);
  EXPECT_EQ(sum_256, below.w[0]);
  EXPECT_EQ(digit16(by_16.w, kKeyDigits - 1), 1);
  EXPECT_EQ(digit256(by_256.w, kBaseDigits - 1), 16);
}

TEST(Sha512Thread, AgreesWithLibsodiumAtEverySizeUpToFourBlocks) {
  Prng random(6);
  std::array<u32, 16> ends;
  for (u32& word : ends) word = static_cast<u32>(random.below(1ull << 32));
  for (u32 size = 0; size < 520; ++size) {
    std::vector<u64> message(size / 8 + 1, 0xeeeeeeeeeeeeeeeeu);  // junk behind the last byte
    auto* bytes = reinterpret_cast<unsigned char*>(message.data());
    for (u32 i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>(random.below(256));
    u32 got[16];
    sha512_of({ends.data(), ends.data() + 8, message.data(), size}, got);
    crypto_hash_sha512_state state;
    std::array<unsigned char, 64> wanted;
    crypto_hash_sha512_init(&state);
    crypto_hash_sha512_update(&state, reinterpret_cast<const unsigned char*>(ends.data()), 64);
    crypto_hash_sha512_update(&state, bytes, size);
    crypto_hash_sha512_final(&state, wanted.data());
    ASSERT_EQ(std::memcmp(got, wanted.data(), 64), 0) << size;
  }
}

TEST(Tables, HoldTheMultiplesTheyName) {
  const BaseTable& base = base_table();
  // 256^i B has entry 1 of row i; 128 of it twice is entry 1 of the next row.
  for (int row = 0; row + 1 < kBaseDigits; ++row) {
    Extended half = to_extended(add_entry(identity(), base.entry[row][128], false));
    const Extended p = to_extended(add_entry(half, base.entry[row][128], false));
    const Extended rest = to_extended(add_entry(p, base.entry[row + 1][1], true));
    EXPECT_TRUE(fe_is_zero(rest.x)) << row;
    EXPECT_TRUE(fe_is_zero(fe_sub(rest.y, rest.z))) << row;
  }
}

TEST(Combination, DrawsItsCoefficientsFromChaCha20) {
  const std::array<u32, 8> secret{1, 2, 3, 4, 5, 6, 7, 0xffffffffu};
  const std::array<u32, 2> number{9, 10};
  std::array<unsigned char, 8 * 64> stream;
  crypto_stream_chacha20(stream.data(), stream.size(),
                         reinterpret_cast<const unsigned char*>(number.data()),
                         reinterpret_cast<const unsigned char*>(secret.data()));
  for (u32 i = 0; i < 8; ++i) {
    u32 z[4];
    coefficient(secret.data(), number.data(), i, z);
    EXPECT_EQ(std::memcmp(z, stream.data() + 64 * i, sizeof z), 0) << i;
  }
}

/// Which groups of 8 honest signatures settle when those named are damaged by `how`.
template <class Damage>
std::vector<u32> settled(u32 count, const std::vector<u32>& where, Damage how,
                         std::vector<StageResult>& outcomes) {
  std::vector<Record> records(count);
  std::vector<u64> messages(count);
  std::vector<Scratch> scratch(count);
  for (u32 i = 0; i < count; ++i) {
    SigningKey::Seed seed{};
    seed[0] = static_cast<std::byte>(i);
    const SigningKey key = SigningKey::from_seed(seed);
    messages[i] = i;
    const Signature signature = key.sign(std::as_bytes(std::span(&messages[i], 1)));
    std::memcpy(records[i].r, signature.data(), 32);
    std::memcpy(records[i].s, signature.data() + 32, 32);
    std::memcpy(records[i].key, key.public_key().data(), 32);
    records[i].offset = 8 * i;
    records[i].size = 8;
  }
  for (const u32 i : where) how(records[i]);
  const Batch batch{records.data(), reinterpret_cast<const u8*>(messages.data()),
                    count,          &base_table(),
                    nullptr,        scratch.data()};
  Combination all{batch, 8, (count + 7) / 8, {1, 2, 3}, {4}, {}, {}, {}};
  std::vector<Extended> windows(all.groups * kWindows), buckets(windows.size() * kBuckets);
  std::vector<u32> out(all.groups);
  all.windows = windows.data();
  all.buckets = buckets.data();
  all.settled = out.data();
  for (u32 i = 0; i < count; ++i) hash_stage(batch, i);
  for (u32 i = 0; i < 2 * count; ++i) decode_stage(batch, i);
  for (u32 i = 0; i < count; ++i) scale_stage(all, i);
  for (u32 i = 0; i < all.groups * kWindows; ++i) bucket_stage(all, i);
  for (u32 i = 0; i < all.groups; ++i) settle_stage(all, i);
  outcomes.clear();
  for (u32 i = 0; i < count; ++i) outcomes.push_back(group_outcome(all, i));
  return out;
}

// A combination that never settled would give right verdicts all the same, only slower.
TEST(Combination, SettlesHonestGroupsAndLeavesOthersOpen) {
  std::vector<StageResult> outcomes;
  EXPECT_EQ(settled(
                20, {}, [](Record&) {}, outcomes),
            (std::vector<u32>{1, 1, 1}));
  for (const StageResult o : outcomes) EXPECT_EQ(o, StageResult::kValid);
  EXPECT_EQ(settled(
                20, {9, 19}, [](Record& r) { r.s[1] ^= 2; }, outcomes),
            (std::vector<u32>{1, 0, 0}));
  EXPECT_EQ(outcomes[7], StageResult::kValid);
  EXPECT_EQ(outcomes[8], StageResult::kUnsettled);
  // Two errors that cancel under equal coefficients do not under secret ones.
  bool up = false;
  const auto cancelling = [&up](Record& r) {
    up = !up;
    r.s[0] += up ? 1 : 0xffffffffu;
  };
  EXPECT_EQ(settled(8, {2, 5}, cancelling, outcomes), (std::vector<u32>{0}));
}

TEST(Combination, IsNotSpoiledByWhatIsBadByItself) {
  std::vector<StageResult> outcomes;
  const auto no_key = [](Record& r) { std::memset(r.key, 0, 32), r.key[0] = 2; };
  EXPECT_EQ(settled(12, {3}, no_key, outcomes), (std::vector<u32>{1, 1}));
  EXPECT_EQ(outcomes[3], StageResult::kBadKey);
  EXPECT_EQ(outcomes[4], StageResult::kValid);
  const auto no_r = [](Record& r) { std::memset(r.r, 0, 32), r.r[0] = 2; };
  EXPECT_EQ(settled(12, {3}, no_r, outcomes), (std::vector<u32>{1, 1}));
  EXPECT_EQ(outcomes[3], StageResult::kBad);
  EXPECT_EQ(settled(
                12, {11}, [](Record& r) { r.s[7] |= 0xf0000000u; }, outcomes),
            (std::vector<u32>{1, 1}));
  EXPECT_EQ(outcomes[11], StageResult::kBad);
}

}  // namespace
}  // namespace thresher::crypto::device
