// A peer that asks a total order the same thing again and again gets it three times in a period,
// and a peer that asks once in each period gets everything. And a node for which nothing waits says
// what it has to say again at growing pauses.
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "../../timed.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/protocols/coin/ideal_coin.hpp"
#include "thresher/protocols/order/honey_badger.hpp"
#include "thresher/protocols/order/honey_badger_wire.hpp"
#include "thresher/protocols/order/hotstuff2.hpp"
#include "thresher/protocols/order/leader_chain_wire.hpp"
#include "thresher/protocols/order/pbft.hpp"
#include "thresher/protocols/order/pbft_wire.hpp"
#include "thresher/protocols/order/simplex.hpp"

namespace thresher {
namespace {

constexpr std::uint16_t kNodes = 4;
constexpr std::uint16_t kLiar = 3;
constexpr std::size_t kValueBytes = 4000;
constexpr std::uint64_t kSlots = 20;    // more than one answer names
constexpr std::uint64_t kAnswers = 16;  // names in one answer
constexpr std::uint64_t kPeriod = 4;    // Delta
constexpr std::uint64_t kTimes = 1000;
constexpr std::uint64_t kGiven = order::Served::kTimes;

Bytes numbered(std::uint64_t k) {
  auto bytes = Writer().u64(k).take();
  bytes.resize(kValueBytes);
  return Bytes::from(std::move(bytes));
}

template <class Node>
Node fresh(NodeId id) {
  if constexpr (std::is_same_v<Node, Pbft>) {
    return Pbft({.committee = *Committee::of(kNodes), .self = id});
  } else if constexpr (std::is_same_v<Node, HoneyBadger>) {
    HoneyBadger::Config c;
    c.committee = *Committee::of(kNodes);
    c.self = id;
    c.coin = std::make_shared<coin::IdealCoin>(2, id, 7);
    return HoneyBadger(c);
  } else {
    LeaderChain::Config config;
    config.committee = *Committee::of(kNodes);
    config.self = id;
    return Node(config);
  }
}

// Idle nodes ask of themselves now and then.
template <class Message>
bool is_question(const Message& message) {
  return std::visit(
      [](const auto& m) {
        using M = std::decay_t<decltype(m)>;
        return std::is_same_v<M, pbft::Want> || std::is_same_v<M, leader_chain::Want>;
      },
      message);
}

struct Answers {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::map<std::size_t, std::uint64_t> of;  // by type
};

// Node 0 has delivered some slots, and everybody is still. Node 3 lies.
template <class Node>
class Asked {
 public:
  using Message = typename Node::Message;

  Asked() : net(kNodes, fresh<Node>) {
    for (std::uint64_t k = 0; k < kSlots; ++k) {
      net.feed(0, Requested<typename Node::Request>{{numbered(k)}});
      net.run_until(net.now() + 20 * kDelta);
    }
    net.run_until(net.now() + 100 * kDelta);
    net.kill(kLiar);  // says what the test says, and no more
    pass(kPeriod + 1);
  }
  /// What node 0 says to the liar when that says so much in half a Delta.
  Answers ask(const Message& question, std::uint64_t times) {
    Answers out;
    net.link = [&](std::uint16_t from, std::uint16_t to, const Message& m) -> std::int64_t {
      if (from == 0 && to == kLiar && !is_question(m)) {
        ++out.messages;
        out.bytes += encode(m).size();
        ++out.of[m.index()];
      }
      return from == kLiar && to == 0 ? 10 : kLost;
    };
    for (std::uint64_t i = 0; i < times; ++i) net.say(kLiar, 0, question);
    net.run_until(net.now() + kDelta / 2);
    return out;
  }
  void pass(std::uint64_t delta) {
    net.link = [](std::uint16_t, std::uint16_t, const Message&) { return kLost; };
    net.run_until(net.now() + delta * kDelta);
  }
  /// However often it asks, the liar gets what three questions bring; in the next period it gets
  /// that again, and one question is answered in full.
  Answers expect_a_few(const Message& question, std::uint64_t messages) {
    Answers one;
    for (int period = 0; period < 3; ++period) {
      one = ask(question, 1);
      EXPECT_EQ(one.messages, messages);
      pass(kPeriod + 1);
      const Answers many = ask(question, kTimes);
      EXPECT_EQ(many.messages, kGiven * messages);
      EXPECT_EQ(many.bytes, kGiven * one.bytes);
      pass(kPeriod + 1);
    }
    return one;
  }

  Timed<Node> net;
};

TEST(RepeatedQuestions, PbftNamesSlotsAFewTimes) {
  Asked<Pbft> run;
  ASSERT_EQ(run.net.node(0).delivered(), kSlots);
  const Answers one = run.expect_a_few(pbft::Want{1, 0}, kAnswers + 1);
  EXPECT_LE(one.bytes, 1000u);
}

// Whoever goes on asks from where it is by then, and waits for no period.
TEST(RepeatedQuestions, PbftNamesTheNextSlotsAtOnce) {
  Asked<Pbft> run;
  EXPECT_EQ(run.ask(pbft::Want{1, 0}, 1).messages, kAnswers + 1);
  EXPECT_EQ(run.ask(pbft::Want{1, kAnswers}, 1).messages, kSlots - kAnswers + 1);
}

TEST(RepeatedQuestions, PbftGivesAValueAFewTimes) {
  Asked<Pbft> run;
  const Answers one = run.expect_a_few(pbft::Fetch{5, hash(numbered(5).view())}, 1);
  EXPECT_GT(one.bytes, kValueBytes);
}

template <class Message, class Ask, class Node>
void expect_a_request(Asked<Node>& run) {
  run.net.link = [](std::uint16_t, std::uint16_t, const Message&) { return kLost; };
  run.net.feed(0, Requested<typename Node::Request>{{numbered(kSlots)}});
  const Ask question{hash(numbered(kSlots).view())};
  for (int period = 0; period < 3; ++period) {
    const Answers many = run.ask(question, kTimes);
    EXPECT_LT(many.bytes, (kGiven + 1) * kValueBytes);
    EXPECT_GT(many.bytes, kValueBytes);
    run.pass(kPeriod + 1);
  }
}

TEST(RepeatedQuestions, PbftGivesARequestAFewTimes) {
  Asked<Pbft> run;
  expect_a_request<Pbft::Message, pbft::Ask>(run);
}

// The leader of view 2, whose predecessor was silent, says of whom it began.
TEST(RepeatedQuestions, PbftSaysAFewTimesHowAViewBegan) {
  Timed<Pbft> net(kNodes, fresh<Pbft>);
  net.kill(1);
  net.feed(0, Requested<Pbft::Request>{{numbered(1)}});
  net.run_until(60 * kDelta);
  ASSERT_EQ(net.node(2).view(), 2u);
  ASSERT_EQ(net.node(2).delivered(), 1u);
  std::uint64_t begun = 0;
  net.link = [&](std::uint16_t from, std::uint16_t, const Pbft::Message& m) -> std::int64_t {
    begun += from == 2 && std::holds_alternative<pbft::NewView>(m) ? 1 : 0;
    return 10;
  };
  for (std::uint64_t i = 0; i < kTimes; ++i) net.say(kLiar, 2, pbft::Want{2, 1});
  net.run_until(net.now() + kDelta / 2);
  EXPECT_EQ(begun, kGiven);
  net.run_until(net.now() + (kPeriod + 1) * kDelta);
  net.say(kLiar, 2, pbft::Want{2, 1});
  net.run_until(net.now() + kDelta / 2);
  EXPECT_EQ(begun, kGiven + 1);
}

template <class Node>
class RepeatedQuestionsToAChain : public ::testing::Test {};
using Family = ::testing::Types<Simplex, HotStuff2>;
TYPED_TEST_SUITE(RepeatedQuestionsToAChain, Family);

TYPED_TEST(RepeatedQuestionsToAChain, SlotsAndCertificatesAreNamedAFewTimes) {
  Asked<TypeParam> run;
  ASSERT_EQ(run.net.node(0).delivered(), kSlots);
  const Answers first = run.ask(leader_chain::Want{1, 0}, 1);
  EXPECT_GT(first.messages, kAnswers);
  run.pass(kPeriod + 1);
  const Answers one = run.expect_a_few(leader_chain::Want{1, 0}, first.messages);
  EXPECT_LE(one.bytes, 2500u);
}

TYPED_TEST(RepeatedQuestionsToAChain, AValueIsGivenAFewTimes) {
  Asked<TypeParam> run;
  const Answers one = run.expect_a_few(leader_chain::Fetch{5, hash(numbered(5).view())}, 1);
  EXPECT_GT(one.bytes, kValueBytes);
}

TYPED_TEST(RepeatedQuestionsToAChain, ABlockIsGivenAFewTimes) {
  Asked<TypeParam> run;
  (void)run.expect_a_few(leader_chain::WantBlock{run.net.node(0).final_block()}, 1);
}

TYPED_TEST(RepeatedQuestionsToAChain, ARequestIsGivenAFewTimes) {
  Asked<TypeParam> run;
  expect_a_request<LeaderChain::Message, leader_chain::Ask>(run);
}

TEST(RepeatedQuestions, HoneyBadgerGivesSlotsAFewTimes) {
  Asked<HoneyBadger> run;
  ASSERT_EQ(run.net.node(0).delivered(), kSlots);
  const honey_badger::Status question{0, 0, 0, true};
  for (int period = 0; period < 3; ++period) {
    const Answers many = run.ask(question, kTimes);
    constexpr std::size_t kDecided = 3;
    EXPECT_EQ(many.of.at(kDecided), kGiven * kSlots);
    EXPECT_LE(many.messages, kGiven * (kSlots + 1) + 1) << "one may be the word of a tick";
    run.pass(kPeriod + 1);
  }
}

// One node of a quiet cluster: how often it says something.
std::uint64_t said_in(Timed<Pbft>& net, std::uint64_t delta,
                      const std::function<bool(std::uint16_t, const Pbft::Message&)>& counts) {
  std::uint64_t said = 0;
  const auto before = net.link;
  net.link = [&](std::uint16_t from, std::uint16_t, const Pbft::Message& m) {
    said += counts(from, m) ? 1 : 0;
    return std::int64_t{300};
  };
  net.run_until(net.now() + delta * kDelta);
  net.link = before;  // that one counts in what is gone when this returns
  return said;
}

// A liar broadcasts a view change to two nodes and falls silent. The others repeated what they said
// of it every 4 Delta, until the next view: 12 messages each time.
TEST(PbftHum, AHalfOpenViewChangeIsSpokenOfEverMoreSeldom) {
  Timed<Pbft> net(kNodes, fresh<Pbft>);
  net.feed(0, Requested<Pbft::Request>{{numbered(1)}});
  net.run_until(50 * kDelta);
  ASSERT_EQ(net.node(0).delivered(), 1u);
  net.kill(kLiar);
  const Bytes change = Bytes::from(Writer().u64(0).u32(0).take());
  for (const std::uint16_t to : std::initializer_list<std::uint16_t>{0, 1})
    net.say(kLiar, to, Bracha::Message(bracha::Init{{NodeId{kLiar}, 0}, change}));
  net.run_until(net.now() + 10 * kDelta);
  const auto of_broadcasts = [](std::uint16_t, const Pbft::Message& m) {
    return std::holds_alternative<Bracha::Message>(m);
  };
  const std::uint64_t early = said_in(net, 1000, of_broadcasts);
  EXPECT_GT(early, 0u);
  EXPECT_LE(early, 400u);
  EXPECT_LE(said_in(net, 1000, of_broadcasts), 400u);
  EXPECT_EQ(net.node(0).view(), 1u);
  // With something to order it is spoken of as before, and nobody is late.
  net.feed(0, Requested<Pbft::Request>{{numbered(2)}});
  net.run_until(net.now() + 10 * kDelta);
  EXPECT_EQ(net.node(2).delivered(), 2u);
}

// Node 3 was cut off with a request, and left the view alone. The others ordered it in theirs.
TEST(PbftHum, ANodeAloneInItsViewAsksEverMoreSeldom) {
  Timed<Pbft> net(kNodes, fresh<Pbft>);
  net.feed(0, Requested<Pbft::Request>{{numbered(1)}});
  net.run_until(50 * kDelta);
  bool cut = true;
  net.link = [&](std::uint16_t from, std::uint16_t to, const Pbft::Message&) {
    return cut && (from == kLiar || to == kLiar) ? kLost : std::int64_t{300};
  };
  net.feed(kLiar, Requested<Pbft::Request>{{numbered(2)}});
  net.run_until(net.now() + 20 * kDelta);
  ASSERT_EQ(net.node(kLiar).view(), 2u);
  cut = false;
  net.run_until(net.now() + 100 * kDelta);
  ASSERT_EQ(net.node(kLiar).view(), 2u);
  ASSERT_EQ(net.node(0).view(), 1u);
  ASSERT_EQ(net.node(kLiar).delivered(), 2u);
  const auto mine = [](std::uint16_t from, const Pbft::Message&) { return from == kLiar; };
  EXPECT_LE(said_in(net, 1000, mine), 150u);
  const std::uint64_t later = said_in(net, 1000, mine);
  EXPECT_LE(later, 150u);
  EXPECT_GT(later, 0u) << "others may have lost its word";
  // When one more comes to its view, everybody does.
  net.kill(1);
  net.feed(0, Requested<Pbft::Request>{{numbered(3)}});
  net.run_until(net.now() + 40 * kDelta);
  EXPECT_EQ(net.node(2).delivered(), 3u);
  EXPECT_EQ(net.node(kLiar).delivered(), 3u);
}

template <class Node>
class LeaderChainHum : public ::testing::Test {
 public:
  using Message = LeaderChain::Message;
  /// What node 0 says in 1,000 Delta after the liar, which leads the view, told it alone and fell
  /// silent; twice. Then the others order what they submit.
  void expect_quiet_after(const Message& told) {
    Timed<Node> net(kNodes, fresh<Node>);
    net.kill(kFirstLeader);
    net.say(kFirstLeader, 0, told);
    std::uint64_t said = 0;
    const auto open_link = [&](std::uint16_t from, std::uint16_t, const Message&) {
      said += from == 0 ? 1 : 0;
      return std::int64_t{300};
    };
    net.link = open_link;
    for (int k = 0; k < 2; ++k) {
      said = 0;
      net.run_until(net.now() + 1000 * kDelta);
      EXPECT_EQ(net.node(0).view(), 1u);
      EXPECT_GT(said, 0u) << "others may have lost its word";
      EXPECT_LE(said, 300u);
    }
    net.feed(2, Requested<typename Node::Request>{{numbered(2)}});
    net.run_until(net.now() + 40 * kDelta);
    EXPECT_GE(net.node(3).delivered(), 1u);
    EXPECT_EQ(net.node(0).delivered(), net.node(3).delivered());
  }

  static constexpr std::uint16_t kFirstLeader = 1;
};
TYPED_TEST_SUITE(LeaderChainHum, Family);

// Both before: 12 messages every 4 Delta, for ever.
TYPED_TEST(LeaderChainHum, ARequestThatOneNodeKnowsIsSpokenOfEverMoreSeldom) {
  this->expect_quiet_after(leader_chain::Forward{numbered(1), false});
}

TYPED_TEST(LeaderChainHum, ABlockThatOneNodeKnowsIsSpokenOfEverMoreSeldom) {
  this->expect_quiet_after(leader_chain::Propose{{1, {}, 0, {numbered(1)}}, {}, {}});
}

}  // namespace
}  // namespace thresher
