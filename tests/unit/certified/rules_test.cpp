// What a voter checks of a header beyond its shape: samples that everybody can draw again, and the
// side on which an author votes in a wave.
#include <gtest/gtest.h>

#include "bench.hpp"

namespace thresher::certified {
namespace {

NodeSet set_of(std::initializer_list<std::uint16_t> ids) {
  NodeSet out;
  for (const std::uint16_t id : ids) out.insert(NodeId{id});
  return out;
}

// Seven nodes, verifiable samples of two; node 0 votes. Round 1 has the vertices of 1 to 6.
class VerifiableSamples : public testing::Test {
 protected:
  VerifiableSamples() {
    for (std::uint16_t a = 1; a < 7; ++a) digests_[a] = t_.certify(a, 1, {})->digest;
    votes_ = t_.sent<Vote>(1).size();
    refused_ = t_.node().stats().refused;
  }
  // The header of node 1 for round 2 as the rules have it.
  Header honest(const NodeSet& from) const {
    Header h;
    h.author = NodeId{1};
    h.round = Round{2};
    h.self = Round{1};
    h.sampled_from = from;
    const Digest unique = unique_value(from, [&](NodeId id) { return &digests_.at(id.value); });
    h.parents = sample_parents(h.ref(), from, unique, 2);
    h.parents.insert(NodeId{1});
    return h;
  }
  bool voted(const Header& h) {
    t_.say(1, Propose{Desk::sealed(h)});
    return t_.sent<Vote>(1).size() > votes_;
  }
  std::uint64_t refused() const { return t_.node().stats().refused - refused_; }

  Desk t_{7, Rules::sparse_bullshark(2, true)};
  std::map<std::uint16_t, Digest> digests_;
  std::size_t votes_ = 0;
  std::uint64_t refused_ = 0;
};

TEST_F(VerifiableSamples, TheDrawnOneGetsAVote) {
  EXPECT_TRUE(voted(honest(set_of({1, 2, 3, 4, 5}))));
  EXPECT_EQ(refused(), 0u);
}
TEST_F(VerifiableSamples, AnotherOneIsRefused) {
  const Header drawn = honest(set_of({1, 2, 3, 4, 5, 6}));
  for (std::uint16_t a = 2; a < 7; ++a) {
    for (std::uint16_t b = static_cast<std::uint16_t>(a + 1); b < 7; ++b) {
      Header h = drawn;
      h.parents = set_of({1, a, b});
      if (h.parents == drawn.parents) continue;
      const std::uint64_t before = refused();
      EXPECT_FALSE(voted(h)) << a << " and " << b;
      EXPECT_GT(refused(), before);
    }
  }
  EXPECT_TRUE(t_.accused.empty());
}
TEST_F(VerifiableSamples, OneOfItMissingIsRefused) {
  Header h = honest(set_of({1, 2, 3, 4, 5}));
  h.parents = set_of({1});
  EXPECT_FALSE(voted(h));
  EXPECT_EQ(refused(), 1u);
}
TEST_F(VerifiableSamples, ASetThatIsTooSmallIsRefused) {
  EXPECT_FALSE(voted(honest(set_of({1, 2, 3, 4}))));
  EXPECT_EQ(refused(), 1u);
}
TEST_F(VerifiableSamples, ASetWithAVertexThatIsNotHereWaitsForIt) {
  digests_[0] = digests_[1];  // nobody made a vertex of node 0
  EXPECT_FALSE(voted(honest(set_of({0, 1, 2, 3, 4}))));
  EXPECT_EQ(refused(), 0u);
  EXPECT_EQ(t_.node().footprint().missing, 1u);
}
TEST_F(VerifiableSamples, WhoSamplesLocallyMayNameWhomItLikes) {
  Desk local(7, Rules::sparse_bullshark(2));
  for (std::uint16_t a = 1; a < 7; ++a) local.certify(a, 1, {});
  const std::size_t before = local.sent<Vote>(1).size();
  local.say(1, Propose{local.header(1, 2, {1, 5, 6})});
  EXPECT_EQ(local.sent<Vote>(1).size(), before + 1);
}

// All of round 5 vote for the steady leader of round 4, so the wave that opens in round 6 is
// entered on the steady side.
TEST(Sides, AHeaderOnTheWrongSideIsRefused) {
  for (const bool lies : {true, false}) {
    Desk t(4, Rules::bullshark_async());
    for (std::uint64_t r = 1; r <= 5; ++r) {
      for (std::uint16_t a = 1; a < 4; ++a) {
        t.certify(a, r,
                  r == 1 ? std::vector<std::uint16_t>{} : std::vector<std::uint16_t>{1, 2, 3});
      }
    }
    const std::size_t before = t.sent<Vote>(1).size();
    const std::uint64_t refused = t.node().stats().refused;
    Header h = t.header(1, 6, {1, 2, 3})->header;
    h.fallback = lies;
    t.say(1, Propose{Desk::sealed(h)});
    EXPECT_EQ(t.sent<Vote>(1).size(), before + (lies ? 0 : 1)) << lies;
    EXPECT_EQ(t.node().stats().refused, refused + (lies ? 1 : 0)) << lies;
    EXPECT_TRUE(t.accused.empty());
  }
}

}  // namespace
}  // namespace thresher::certified
