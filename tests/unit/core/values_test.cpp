// The values of the core: committees, thresholds, sets, bytes, transcripts, results, numbers,
// names.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "thresher/core/committee.hpp"
#include "thresher/core/hash.hpp"
#include "thresher/core/hex.hpp"
#include "thresher/core/names.hpp"
#include "thresher/core/node_ids.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/core/result.hpp"
#include "thresher/core/signature_list.hpp"
#include "thresher/core/transcript.hpp"

namespace thresher {
namespace {

TEST(Hex, ReadsWhatItWroteAndRefusesTheRest) {
  const std::vector<std::byte> bytes{std::byte{0}, std::byte{0x9f}, std::byte{0xa0},
                                     std::byte{255}};
  EXPECT_EQ(to_hex(bytes), "009fa0ff");
  EXPECT_EQ(from_hex("009fa0ff"), bytes);
  EXPECT_EQ(from_hex("009FA0FF"), bytes);
  EXPECT_TRUE(from_hex("")->empty());
  for (const char* bad : {"0", "0g", "g0", " 0", "0x", "00 ", "/0", ":0", "@0", "`0"}) {
    EXPECT_FALSE(from_hex(bad)) << bad;
  }
}

// Leaders and coins come of it: nodes on machines of another byte order must agree.
TEST(Digest, HasAPrefixThatIsTheSameOnEveryMachine) {
  Digest d;
  for (std::size_t i = 0; i < d.bytes.size(); ++i) d.bytes[i] = static_cast<std::byte>(i + 0xf9);
  EXPECT_EQ(d.prefix(), 0x00fffefdfcfbfaf9u);
  EXPECT_EQ(hash(as_view("abc")).prefix(), 0x723942633c81ddbdu);
}

TEST(Committee, RefusesWhatCannotTolerateItsFaults) {
  EXPECT_FALSE(Committee::make(0, 0));
  EXPECT_FALSE(Committee::of(0));
  EXPECT_FALSE(Committee::make(3, 1));
  EXPECT_TRUE(Committee::make(4, 1));
  EXPECT_FALSE(Committee::make(6, 2));
  EXPECT_TRUE(Committee::make(4096, 1365));
  EXPECT_FALSE(Committee::make(4096, 1366));
  EXPECT_FALSE(Committee::make(4097, 1));
  EXPECT_FALSE(Committee::make(4, 0xffffffffu));
}

TEST(Committee, ContainsItsMembersOnly) {
  const auto committee = Committee::of(7);
  ASSERT_TRUE(committee);
  EXPECT_EQ(committee->faults(), 2u);
  EXPECT_TRUE(committee->contains(NodeId{6}));
  EXPECT_FALSE(committee->contains(NodeId{7}));
}

TEST(NodeIds, AreEachIdBelowASizeAndEndAtTheLargestThereIs) {
  std::vector<NodeId> seen;
  for (const NodeId id : node_ids(3)) seen.push_back(id);
  EXPECT_EQ(seen, (std::vector{NodeId{0}, NodeId{1}, NodeId{2}}));
  for (const NodeId id : node_ids(0)) ADD_FAILURE() << "nobody, and yet " << id.value;

  std::size_t count = 0;
  NodeId last;
  for (const NodeId id : node_ids(NodeIds::kMost)) {
    last = id;
    ++count;
  }
  EXPECT_EQ(count, NodeIds::kMost);
  EXPECT_EQ(last.value, 0xffff);
  EXPECT_THROW((void)node_ids(NodeIds::kMost + 1), InvariantBroken);
}

// The definitions of the thresholds, not their formulas, for every committee there can be.
TEST(Threshold, MeansWhatItsNameSaysForEveryCommittee) {
  for (std::uint32_t n = 1; n <= Committee::kMaxSize; ++n) {
    for (std::uint32_t f = 0; f <= (n - 1) / 3; ++f) {
      const auto committee = Committee::make(n, f);
      ASSERT_TRUE(committee);
      const std::uint32_t q = committee->at_least(kQuorum);
      const std::uint32_t available = committee->at_least(kAvailability);
      ASSERT_GT(2 * q, n + f) << n << " " << f;        // two of them share a correct node
      ASSERT_LE(2 * (q - 1), n + f) << n << " " << f;  // one fewer need not
      ASSERT_EQ(available + f, n);                     // f silent nodes block nobody
      ASSERT_LE(q, available) << n << " " << f;        // a quorum can be waited for
      ASSERT_EQ(committee->at_least(kValidity) - f, 1u);
      ASSERT_EQ(committee->at_least(kStrong) - f, committee->at_least(kValidity));
      ASSERT_LE(committee->at_least(kStrong), available);
      ASSERT_EQ(committee->at_least(kAny), 1u);
    }
  }
}

TEST(NodeSet, ComparesAndMergesByTheWord) {
  const auto set_of = [](std::initializer_list<std::uint16_t> ids) {
    NodeSet set(70);
    for (const std::uint16_t id : ids) set.insert(NodeId{id});
    return set;
  };
  NodeSet some = set_of({1, 64});
  EXPECT_TRUE(some.subset_of(set_of({1, 2, 64})));
  EXPECT_FALSE(some.subset_of(set_of({1, 2, 65})));
  EXPECT_FALSE(set_of({200}).subset_of(set_of({1, 2})));
  EXPECT_TRUE(NodeSet().subset_of(some));
  EXPECT_TRUE(some.below(65));
  EXPECT_FALSE(some.below(64));
  EXPECT_TRUE(NodeSet(70).below(0));

  some.merge(set_of({1, 3, 130}));
  EXPECT_EQ(some.size(), 4U);
  EXPECT_TRUE(some.contains(NodeId{130}));
  std::vector<std::uint16_t> outside;
  some.for_each_outside(set_of({3}), [&](NodeId id) { outside.push_back(id.value); });
  EXPECT_EQ(outside, (std::vector<std::uint16_t>{1, 64, 130}));
  EXPECT_TRUE(some.erase(NodeId{64}));
  EXPECT_FALSE(some.erase(NodeId{64}));
  EXPECT_EQ(some.size(), 3U);
}

// The room of a set counted, so that {1} was not {1} once one of them had held a larger id.
TEST(NodeSet, IsEqualByItsMembersAlone) {
  NodeSet small(4);
  small.insert(NodeId{1});
  NodeSet large(400);
  large.insert(NodeId{1});
  EXPECT_EQ(small, large);
  EXPECT_EQ(large, small);
  EXPECT_EQ(NodeSet(), NodeSet(70));
  large.insert(NodeId{300});
  EXPECT_NE(small, large);
  small.insert(NodeId{2});
  EXPECT_NE(small, large);  // as many, and others
  EXPECT_NE(large, small);
}

TEST(NodeSet, CountsEachNodeOnceAndVisitsInOrder) {
  NodeSet set(100);
  EXPECT_TRUE(set.empty());
  for (const NodeId id : {NodeId{99}, NodeId{0}, NodeId{64}, NodeId{63}, NodeId{64}}) {
    (void)set.insert(id);
  }
  EXPECT_FALSE(set.insert(NodeId{99}));
  EXPECT_TRUE(set.insert(NodeId{1000}));  // beyond the capacity: it grows
  EXPECT_FALSE(set.contains(NodeId{1001}));
  EXPECT_FALSE(set.contains(NodeId{65000}));
  std::vector<std::uint16_t> seen;
  set.for_each([&](NodeId id) { seen.push_back(id.value); });
  EXPECT_EQ(seen, (std::vector<std::uint16_t>{0, 63, 64, 99, 1000}));
  EXPECT_EQ(set.size(), seen.size());
}

TEST(SignatureList, VisitsSignersInOrderAndIsNeverGoodByHalf) {
  SignatureList list;
  const auto any = [](NodeId, const Signature&) { return true; };
  EXPECT_FALSE(list.all(any)) << "nobody signed";
  for (const std::uint16_t id : std::array<std::uint16_t, 3>{70, 3, 65})
    list.signers.insert(NodeId{id});
  EXPECT_FALSE(list.all(any)) << "signatures are missing";
  for (const std::byte mark : {std::byte{3}, std::byte{65}, std::byte{70}}) {
    list.signatures.emplace_back();
    list.signatures.back()[0] = mark;
  }
  const auto own = [](NodeId id, const Signature& s) { return s[0] == std::byte(id.value); };
  EXPECT_TRUE(list.all(own));
  for (Signature& s : list.signatures) {
    s[0] ^= std::byte{1};
    EXPECT_FALSE(list.all(own));
    s[0] ^= std::byte{1};
  }
  list.signatures.push_back(list.signatures.back());
  EXPECT_FALSE(list.all(any)) << "one signature too many";
}

TEST(Tally, ReachesAThresholdWithDistinctMembersOnly) {
  const auto committee = Committee::of(4);
  ASSERT_TRUE(committee);
  Tally tally(*committee);
  EXPECT_TRUE(tally.add(NodeId{1}));
  EXPECT_FALSE(tally.add(NodeId{1}));
  EXPECT_FALSE(tally.reached(kValidity, *committee));
  EXPECT_TRUE(tally.add(NodeId{2}));
  EXPECT_TRUE(tally.reached(kValidity, *committee));
  EXPECT_FALSE(tally.reached(kQuorum, *committee));
  EXPECT_TRUE(tally.add(NodeId{3}));
  EXPECT_TRUE(tally.reached(kQuorum, *committee));
  EXPECT_EQ(tally.count(), 3u);
}

TEST(Bytes, SlicesShareMemoryAndCompareByContent) {
  const Bytes whole = Bytes::copy_of(as_view("abcabc"));
  const Bytes first = whole.slice(0, 3);
  const Bytes second = whole.slice(3, 3);
  EXPECT_EQ(first, second);
  EXPECT_NE(first, whole);
  EXPECT_EQ(second.view().data(), whole.view().data() + 3);
  EXPECT_EQ(second.slice(1, 1), Bytes::copy_of(as_view("b")));
  EXPECT_EQ(whole.slice(6, 0), Bytes{});
  EXPECT_TRUE(Bytes{}.view().empty());
}

// Whatever they were made from, and whoever goes first.
// Its size stayed, with no memory behind it.
TEST(Bytes, WhatWasMovedFromIsEmpty) {
  Bytes a = Bytes::copy_of(as_view("abc"));
  Bytes b = std::move(a);
  EXPECT_TRUE(a.empty());  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(a, Bytes{});
  EXPECT_EQ(hash(a.view()), hash({}));
  a = std::move(b);
  EXPECT_TRUE(b.empty());  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(as_text(a.view()), "abc");
}

TEST(Bytes, APartKeepsTheWholeAlive) {
  auto room = std::make_unique_for_overwrite<std::byte[]>(3);
  std::ranges::copy(as_view("abc"), room.get());
  std::vector<Bytes> parts;
  for (const Bytes& whole : {Bytes::from(std::move(room), 3), Bytes::copy_of(as_view("abc")),
                             Bytes::from({std::byte{'a'}, std::byte{'b'}, std::byte{'c'}})}) {
    parts.push_back(whole.slice(1, 2));
  }
  for (const Bytes& part : parts) EXPECT_EQ(as_text(part.view()), "bc");
}

TEST(Bytes, NothingIsNothingHoweverItWasMade) {
  for (const Bytes& none : {Bytes::from({}), Bytes::from(std::make_unique<std::byte[]>(0), 0),
                            Bytes::copy_of({}), Bytes{}}) {
    EXPECT_TRUE(none.empty());
    EXPECT_TRUE(none.view().empty());
    EXPECT_EQ(none, Bytes{});
    EXPECT_EQ(none.slice(0, 0), Bytes{});
  }
}

// Computed with another implementation: hashlib.blake2b(x, digest_size=32).
TEST(Hash, IsBlake2bWith32Bytes) {
  EXPECT_EQ(to_hex(hash({}).bytes),
            "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
  EXPECT_EQ(to_hex(hash(as_view("abc")).bytes),
            "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
  EXPECT_TRUE(Digest{}.is_zero());
  EXPECT_FALSE(hash({}).is_zero());
}

TEST(Writer, IsLittleEndianAndFixedWidth) {
  Writer w;
  w.u8(0x01).u16(0x0203).u32(0x04050607).u64(0x08090a0b0c0d0e0f).bytes(as_view("z"));
  EXPECT_EQ(to_hex(w.view()),
            "01030207060504"
            "0f0e0d0c0b0a0908"
            "7a");
}

TEST(Reader, StaysFailedAfterAShortRead) {
  Writer w;
  w.u16(7).u32(9);
  Reader whole(w.view());
  EXPECT_EQ(whole.u16(), 7);
  EXPECT_FALSE(whole.done());
  EXPECT_EQ(whole.remaining(), 4u);
  EXPECT_EQ(whole.u32(), 9u);
  EXPECT_TRUE(whole.done());

  Reader cut(w.view());
  EXPECT_EQ(cut.u64(), 0u);
  EXPECT_FALSE(cut.ok());
  EXPECT_EQ(cut.u8(), 0u);  // a byte is there, but nothing is read after a failure
  EXPECT_TRUE(cut.bytes(0).empty());
  EXPECT_TRUE(cut.digest().is_zero());
  EXPECT_FALSE(cut.done());
}

TEST(Reader, FillsOrLeavesAsItIs) {
  Reader reader(as_view("abcde"));
  std::array<std::byte, 3> three{};
  reader.fill(three);
  EXPECT_EQ(as_text(three), "abc");
  reader.fill(three);  // two are left
  EXPECT_EQ(as_text(three), "abc");
  EXPECT_FALSE(reader.ok());
}

// Words lie at any address, and a short one at the very end of what may be read.
TEST(Reader, ReadsEachWidthAtEachPlace) {
  for (std::size_t before = 0; before < 9; ++before) {
    Writer w;
    w.bytes(std::vector<std::byte>(before));
    w.u8(0xf1).u16(0xf2f3).u32(0xf4f5f6f7).u64(0xf8f9fafbfcfdfeff).u16(0x8001).u8(0x80);
    const std::vector<std::byte> exact = w.take();
    Reader in(exact);
    EXPECT_EQ(in.bytes(before).size(), before);
    EXPECT_EQ(in.u8(), 0xf1u);
    EXPECT_EQ(in.u16(), 0xf2f3u);
    EXPECT_EQ(in.u32(), 0xf4f5f6f7u);
    EXPECT_EQ(in.u64(), 0xf8f9fafbfcfdfeffu);
    EXPECT_EQ(in.u16(), 0x8001u);
    EXPECT_EQ(in.u8(), 0x80u);
    EXPECT_TRUE(in.done());
  }
}

TEST(Reader, DoesNotBelieveAnAbsurdLength) {
  Reader reader(as_view("abc"));
  EXPECT_TRUE(reader.bytes(~std::size_t{0}).empty());
  EXPECT_FALSE(reader.ok());
}

Digest signed_digest(std::string_view domain, const ChainContext& context, std::uint32_t field) {
  Transcript t(domain, context);
  t.u32(field);
  return t.digest();
}

TEST(Transcript, SeparatesDomainsChainsAndEpochs) {
  const ChainContext chain{hash(as_view("one")), 3};
  const Digest base = signed_digest("thresher/a/1", chain, 5);
  EXPECT_EQ(base, signed_digest("thresher/a/1", chain, 5));
  EXPECT_NE(base, signed_digest("thresher/b/1", chain, 5));
  EXPECT_NE(base, signed_digest("thresher/a/1", {hash(as_view("two")), 3}, 5));
  EXPECT_NE(base, signed_digest("thresher/a/1", {chain.chain, 4}, 5));
  EXPECT_NE(base, signed_digest("thresher/a/1", chain, 6));
}

TEST(Transcript, ADomainCannotBorrowBytesOfItsNeighbour) {
  // Without the length in front, "a" + chain that starts with 'b' would read as "ab" + chain.
  ChainContext starts_with_b;
  starts_with_b.chain.bytes[0] = std::byte{'b'};
  const auto a = Transcript("a", starts_with_b).take();
  const auto ab = Transcript("ab", {}).take();
  EXPECT_NE(std::vector(a.begin(), a.begin() + 4), std::vector(ab.begin(), ab.begin() + 4));
}

TEST(Result, GivesItsValueAwayWhereNobodyKeepsIt) {
  const auto made = [] { return Result<std::unique_ptr<int>>(std::make_unique<int>(7)); };
  const std::unique_ptr<int> value = *made();
  EXPECT_EQ(*value, 7);
}

TEST(Result, HoldsAValueOrAnError) {
  Result<std::string> good(std::string("x"));
  ASSERT_TRUE(good);
  EXPECT_EQ(*good, "x");
  EXPECT_EQ(good->size(), 1u);
  const Result<std::string> bad(Errc::kTooLarge);
  EXPECT_FALSE(bad);
  EXPECT_EQ(bad.error(), Errc::kTooLarge);
}

TEST(ResultDeathTest, ReadingTheAbsentSideAborts) {
  const Result<int> bad(Errc::kIo);
  const Result<int> good(1);
  EXPECT_DEATH((void)*bad, "");
  EXPECT_DEATH((void)good.error(), "");
}

TEST(Errc, NamesAreDistinct) {
  const std::array all{Errc::kMalformed, Errc::kUnknownSender,
                       Errc::kTooLarge,  Errc::kQuotaExceeded,
                       Errc::kIo,        Errc::kCorrupt};
  for (const Errc a : all) {
    EXPECT_NE(to_string(a), "unknown");
    for (const Errc b : all) EXPECT_EQ(a == b, to_string(a) == to_string(b));
  }
}

TEST(Prng, MatchesSplitMix64AndSeparatesStreams) {
  EXPECT_EQ(mix64(0), 0xe220a8397b1dcdafULL);  // the published first output for seed 0
  Prng a(1, 2);
  Prng same(1, 2);
  Prng other(1, 3);
  std::size_t equal = 0;
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t x = a.next();
    EXPECT_EQ(x, same.next());
    equal += x == other.next() ? 1u : 0u;
  }
  EXPECT_EQ(equal, 0u);
}

TEST(Prng, BelowCoversItsRangeEvenly) {
  Prng rng(7);
  std::array<int, 10> seen{};
  for (int i = 0; i < 10000; ++i) ++seen.at(rng.below(10));  // at() throws beyond the bound
  for (const int count : seen) EXPECT_NEAR(count, 1000, 150);
  EXPECT_FALSE(rng.chance_ppm(0));
  EXPECT_TRUE(rng.chance_ppm(1'000'000));
}

// With a bound of 2^33 the product of 64 bits ran over, and all draws lay below 2^32.
TEST(Prng, BelowBearsBoundsOfMoreThan32Bits) {
  for (const std::uint64_t bound : {std::uint64_t{1} << 32, (std::uint64_t{1} << 33) + 7,
                                    std::uint64_t{3} << 50, ~std::uint64_t{0}}) {
    Prng rng(11);
    std::array<int, 4> quarters{};
    for (int i = 0; i < 4000; ++i) {
      const std::uint64_t drawn = rng.below(bound);
      ASSERT_LT(drawn, bound);
      ++quarters.at(drawn / (bound / 4 + 1));
    }
    for (const int count : quarters) EXPECT_NEAR(count, 1000, 150) << bound;
  }
}

TEST(Names, FindsTheNearestAndGivesUpOnStrangers) {
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  const std::vector<std::string> known{"threshold", "protocol", "storage"};
  EXPECT_EQ(nearest("treshold", known), "threshold");
  EXPECT_EQ(nearest("storege", known), "storage");
  EXPECT_FALSE(nearest("xyz", known));
  EXPECT_FALSE(nearest("storage", {}));
  // Whoever wrote the file may have written anything: no answer is worth seconds.
  EXPECT_FALSE(nearest(std::string(201, 's'), std::vector<std::string>{std::string(201, 's')}));
  EXPECT_FALSE(nearest("s", std::vector<std::string>(2'001, "s")));
  EXPECT_LT(unknown_name("key", std::string(100'000, 'k'), known).size(), 300u);
  EXPECT_EQ(unknown_name("key", "storege", known),
            "unknown key `storege`; did you mean `storage`?");
  EXPECT_EQ(unknown_name("key", "xyz", known, " in `coin`"),
            "unknown key `xyz` in `coin`; known: " + name_list(known));
  const Error error = unknown("key", "storege", known);
  EXPECT_EQ(error.code, ErrorCode::kMissing);
  EXPECT_EQ(error.where, "storege");
  EXPECT_EQ(error.remedy, "did you mean `storage`?");
  EXPECT_EQ(error.text(), unknown_name("key", "storege", known));
}

}  // namespace
}  // namespace thresher
