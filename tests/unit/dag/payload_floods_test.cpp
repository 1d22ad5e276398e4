// What a liar can make a node keep by payloads and by evidence; the rows are those of the
// reliability checklist (docs/threat-model.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "shape.hpp"
#include "target.hpp"
#include "thresher/protocols/dag/two_delay.hpp"
#include "thresher/protocols/payload_limit.hpp"

namespace thresher::dag {
namespace {

// A block for each round of the window, with as much payload as fits a frame: 2 GiB of one liar.
TEST(Floods, Row1PayloadsWithinTheWindowFillOneQuota) {
  constexpr std::uint32_t kPayload = 1u << 20;
  const Bytes bytes = Bytes::from(std::vector<std::byte>(kPayload));
  const Digest root = hash(bytes.view());
  const auto heavy = [&](std::uint16_t author, std::uint64_t round, std::uint64_t salt) {
    Header h = block(author, round, salt)->header;
    h.payload_root = root;
    h.payload_bytes = kPayload;
    return make_block(std::move(h), {bytes, root}, {}, {});
  };
  Target t;
  const Limits limits;
  const std::uint64_t most = limits.waiting_bytes_per_peer / kPayload;
  ASSERT_LT(most, limits.window / 2);
  for (std::uint64_t r = 3; r < limits.window; ++r) t.push(1, heavy(1, r, 0));
  EXPECT_EQ(t.node_.footprint().blocks, most);
  t.push(2, heavy(2, 3, 0));  // who has a quota of its own
  EXPECT_EQ(t.node_.footprint().blocks,
            most + 2);  // with the node's own, now that others are there
}

/// A chain of one author whose blocks hold a MiB each, and how many of them somebody keeps whole.
class HeavyChain {
 public:
  HeavyChain(std::uint16_t author, std::uint64_t rounds) {
    const Bytes bytes = Bytes::from(std::vector<std::byte>(kBytes));
    const Payload payload{bytes, hash(bytes.view())};
    Edge last{NodeId{author}, Round{0}, {}};
    for (std::uint64_t r = 1; r <= rounds; ++r) {
      Header h;
      h.author = NodeId{author};
      h.round = Round{r};
      h.self = last;
      h.payload_root = payload.root;
      h.payload_bytes = kBytes;
      mould_.push_back(make_block(std::move(h), payload, {}, {}));
      last = mould_.back()->edge();
    }
  }
  /// As it comes off the wire: a block of its own each time.
  BlockPtr block(std::uint64_t round) {
    auto out = std::make_shared<const Block>(*mould_[round - 1]);
    made_.emplace_back(out);
    return out;
  }
  Edge edge(std::uint64_t round) const { return mould_[round - 1]->edge(); }
  std::size_t kept() const {
    const auto lives = [](const auto& one) { return !one.expired(); };
    return static_cast<std::size_t>(std::count_if(made_.begin(), made_.end(), lives));
  }
  static constexpr std::uint32_t kBytes = 1u << 20;

 private:
  std::vector<BlockPtr> mould_;
  std::vector<std::weak_ptr<const Block>> made_;
};

/// Hands over what the node asks for of an author until it asks for nothing of it.
template <class Find>
void hand_over(Target& t, std::uint16_t author, Find find) {
  for (int silent = 0; silent < 40;) {
    const auto asked = t.asked_in(1);
    const auto wanted = std::find_if(asked.begin(), asked.end(),
                                     [&](const Edge& e) { return e.author == NodeId{author}; });
    if (wanted != asked.end()) t.give(author, {find(wanted->round.value)});
    silent = wanted == asked.end() ? silent + 1 : 0;
  }
}
void hand_over(Target& t, HeavyChain& chain, std::uint16_t author) {
  hand_over(t, author, [&](std::uint64_t round) { return chain.block(round); });
}

std::uint64_t accepted_of(const Target& t, std::uint16_t author) {
  std::vector<Edge> all;
  t.node_.accepted(Round{0}, all);
  return static_cast<std::uint64_t>(std::count_if(
      all.begin(), all.end(), [&](const Edge& e) { return e.author == NodeId{author}; }));
}

/// Where correct nodes' blocks rest on the chain of node 1, all of it is taken.
void expect_accepted_once_others_are_as_far(Target& t, HeavyChain& chain, std::uint64_t rounds) {
  for (const std::uint16_t i : {std::uint16_t{2}, std::uint16_t{3}}) {
    Header h = block(i, rounds + 1)->header;
    h.self = {NodeId{i}, Round{0}, {}};
    h.vote = chain.edge(rounds).digest;
    h.vote_author = NodeId{1};
    t.push(i, make_block(std::move(h), block(i, rounds + 1)->payload, {}, {}));
  }
  hand_over(t, chain, 1);
  EXPECT_EQ(accepted_of(t, 1), rounds);
  EXPECT_EQ(accepted_of(t, 2), 1u);
}

// From the top each block is named by the one above it, so a liar's own chain was held in spite of
// its quota: 256 blocks, 2 GiB. Their headers are held now, and where a correct node's block rests
// on the chain, the payloads are asked for again and everything is accepted.
TEST(Floods, Row1AChainPushedFromTheTopFillsOneQuota) {
  constexpr std::uint64_t kRounds = 200;
  Target t;
  const std::uint64_t most = Limits{}.waiting_bytes_per_peer / HeavyChain::kBytes;
  HeavyChain chain(1, kRounds);
  for (std::uint64_t r = kRounds; r > 1; --r) t.push(1, chain.block(r));
  EXPECT_LE(chain.kept(), most);
  EXPECT_EQ(t.node_.footprint().blocks, kRounds - 1) << "headers are held";
  expect_accepted_once_others_are_as_far(t, chain, kRounds);
}

// From the bottom each block can be accepted at once, and as many bytes piled up in rounds that
// nobody else had reached.
TEST(Floods, Row1AChainAheadOfEverybodyFillsOneQuota) {
  constexpr std::uint64_t kRounds = 200;
  Target t;
  const std::uint64_t most = Limits{}.waiting_bytes_per_peer / HeavyChain::kBytes;
  HeavyChain chain(1, kRounds);
  for (std::uint64_t r = 1; r <= kRounds; ++r) t.push(1, chain.block(r));
  EXPECT_LE(chain.kept(), most + 2);  // the rounds that this node is in do not count
  t.push(1, chain.block(kRounds));    // and from the top
  for (std::uint64_t r = kRounds; r > 1; --r) t.push(1, chain.block(r));
  hand_over(t, chain, 1);
  EXPECT_LE(chain.kept(), most + 2);
  expect_accepted_once_others_are_as_far(t, chain, kRounds);
}

// What is accepted, or falls below the floor, gives its room back; what is named is taken anyway.
TEST(Floods, Row1PayloadsThatWereAcceptedLeaveTheirQuota) {
  Limits limits;
  limits.waiting_bytes_per_peer = 16;  // two of these blocks
  Target t(Rules::thresher(), limits);
  const std::vector<BlockPtr> blocks = chain(1, 9, 1);
  t.push(1, blocks[3]);
  t.push(1, blocks[4]);
  t.push(1, blocks[6]);  // no room, and nobody names it
  EXPECT_EQ(t.node_.footprint().blocks, 2u);
  t.push(2, block(2, 9));                                  // somebody else is as far
  for (std::size_t k = 3; k-- > 0;) t.push(1, blocks[k]);  // each named by the one after it
  const auto again = [&](std::uint64_t round) { return blocks[round - 1]; };
  hand_over(t, 1, again);  // of two the header alone was held
  EXPECT_EQ(accepted_of(t, 1), 5u);
  t.push(1, blocks[6]);
  t.push(1, blocks[7]);
  EXPECT_EQ(t.node_.footprint().blocks, 7u + 2);  // and the node's own and that of node 2
  t.push(1, blocks[5]);
  t.push(1, blocks[8]);
  EXPECT_EQ(t.node_.footprint().blocks, 9u + 2);
  hand_over(t, 1, again);
  EXPECT_EQ(accepted_of(t, 1), 9u);
}

// A KILL that nothing proves, about which the liar's own answers bring ever new twins: of an author
// two votes say as much as a thousand.
TEST(Floods, Row2TwinsAsEvidenceForAKillAreNotCollected) {
  const auto rules = with_two_delays(Rules::thresher(), *Committee::of(4), 0);
  ASSERT_TRUE(rules);
  Target t(*rules);
  Header kill = block(1, 5)->header;
  kill.self = {NodeId{1}, Round{0}, {}};
  kill.kill = true;
  t.push(1, make_block(std::move(kill), block(1, 5)->payload, {}, {}));
  std::uint64_t salt = 0;
  int answers = 0;
  for (int tick = 0; tick < 4000; ++tick) {
    t.sent_.clear();
    t.feed(Expired{{2, {}}});
    for (const Send<Message>& s : std::exchange(t.sent_, {})) {
      const auto* asked = std::get_if<WantEvidence>(&s.message);
      if (asked == nullptr || s.to != NodeId{1}) continue;
      Evidence lies{asked->slot, asked->leader, {}};
      for (int k = 0; k < 4; ++k) {
        Header h = block(1, 4, ++salt)->header;
        if (k > 0) h.vote = hash(Writer().u64(salt / 2).view());
        lies.headers.push_back(make_block(std::move(h), {}, {}, {}));
      }
      t.feed(Received<Message>{NodeId{1}, std::move(lies)});
      ++answers;
    }
  }
  EXPECT_GT(answers, 50);
  EXPECT_LE(t.node_.footprint().proofs, 2u);
}

/// One block of node 1 with so much payload.
BlockPtr with_payload(std::uint64_t round, std::uint32_t bytes) {
  const Bytes all = Bytes::from(std::vector<std::byte>(bytes));
  const Payload payload{all, hash(all.view())};
  Header h = block(1, round)->header;
  h.payload_root = payload.root;
  h.payload_bytes = bytes;
  return make_block(std::move(h), payload, {}, {});
}

// A block that fits a push and no answer was accepted by whom its author pushed it to, who then
// referred to what nobody could give to the others.
TEST(Floods, Row1ABlockTooLargeToBePassedOnIsRefused) {
  for (const Rules& rules : {Rules::thresher(), Rules::mysticeti(), Rules::mahi_mahi()}) {
    Target t(rules);
    const Judge judge{*Committee::of(4), rules, 1000};
    EXPECT_TRUE(well_formed(*with_payload(1, kMostPayloadBytes), judge));
    EXPECT_FALSE(well_formed(*with_payload(1, kMostPayloadBytes + 1), judge));
    const std::uint64_t refused = t.node_.stats().refused;
    const std::size_t blocks = t.node_.footprint().blocks;
    t.push(1, with_payload(1, kMostPayloadBytes + 1));
    EXPECT_EQ(t.node_.stats().refused, refused + 1);
    EXPECT_EQ(t.node_.footprint().blocks, blocks);
    t.push(1, with_payload(1, kMostPayloadBytes));
    EXPECT_EQ(t.node_.stats().refused, refused + 1);
    EXPECT_GT(t.node_.footprint().blocks, blocks);
  }
}

// Also what a header says without its payload, as in evidence and where the payload comes later.
TEST(Floods, Row1AHeaderThatSaysTooMuchIsRefused) {
  const Judge judge{*Committee::of(4), Rules::thresher(), 1000};
  EXPECT_FALSE(well_formed(*header_alone(with_payload(1, kMostPayloadBytes + 1)), judge));
}

// A host that asks for more than peers take would end its own node's part in the protocol.
TEST(Floods, Row1AnOwnPayloadThatPeersRefuseIsNotTaken) {
  Target t;
  const Bytes all = Bytes::from(std::vector<std::byte>(kMostPayloadBytes + 1));
  t.feed(Requested<Submit>{{{all, hash(all.view())}, {}}});
  for (const auto& [round, own] : t.own_) EXPECT_LE(own->header.payload_bytes, kMostPayloadBytes);
}

}  // namespace
}  // namespace thresher::dag
