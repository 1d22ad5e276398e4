// One node of a leader chain alone: what it says, and what it says again.
#include "thresher/protocols/order/leader_chain.hpp"

#include <gtest/gtest.h>

#include <string_view>
#include <utility>
#include <vector>

namespace thresher {
namespace {

constexpr std::uint64_t kTicks = 4;  // without news, before things are said again

Bytes text(std::string_view of) {
  return Bytes::copy_of(as_view(of));
}

// What is to be signed is, at once.
class Alone {
 public:
  Alone(const leader_chain::Rules& rules, std::uint16_t self)
      : node_(rules, {.committee = *Committee::of(4), .self = NodeId{self}}) {
    feed(Start{1});
  }
  void feed(const InputOf<LeaderChain>& input) {
    LeaderChain::Fx fx;
    step(node_, input, fx);
    std::vector<InputOf<LeaderChain>> answers;
    for (const auto& effect : fx.list()) {
      if (const auto* e = std::get_if<Endorse>(&effect)) answers.push_back(Endorsed{e->ticket, {}});
      const auto* s = std::get_if<Send<LeaderChain::Message>>(&effect);
      const auto* vote = s == nullptr ? nullptr : std::get_if<leader_chain::Vote>(&s->message);
      if (vote != nullptr) votes.emplace_back(s->to.value, *vote);
    }
    for (const auto& answer : answers) feed(answer);
  }
  void say(std::uint16_t from, LeaderChain::Message m) {
    feed(Received<LeaderChain::Message>{NodeId{from}, std::move(m)});
  }
  void tick() { feed(Expired{{1, {}}}); }

  const LeaderChain& node() const { return node_; }
  std::vector<std::pair<std::uint16_t, leader_chain::Vote>> votes;  ///< to one node, and to whom

 private:
  LeaderChain node_;
};

// R11. The vote for a block goes to the next leader alone. It was sent once: when it was lost, so
// was the block, and often its view.
TEST(LeaderChainVotes, ForABlockAreSaidAgainToTheNextLeader) {
  Alone t(leader_chain::Rules::hotstuff2(), 3);
  t.say(1, leader_chain::Propose{{1, {}, 0, {text("payload")}}, {}, {}});
  ASSERT_EQ(t.votes.size(), 1u);
  EXPECT_EQ(t.votes[0].first, 2u);
  for (std::uint64_t k = 0; k < kTicks; ++k) t.tick();
  ASSERT_EQ(t.votes.size(), 2u);
  EXPECT_EQ(t.votes[1].first, 2u);
  EXPECT_EQ(t.votes[1].second.view, 1u);
  EXPECT_EQ(t.votes[1].second.digest, t.votes[0].second.digest);
  EXPECT_EQ(t.votes[1].second.kind, leader_chain::Kind::kNotarize);
}

// What is kept in order to be said again is one vote a view, of views that are near.
TEST(LeaderChainVotes, ThatAreKeptToBeSaidAgainAreBounded) {
  Alone t(leader_chain::Rules::hotstuff2(), 3);
  t.say(1, leader_chain::Propose{{1, {}, 0, {text("payload")}}, {}, {}});
  EXPECT_LE(t.node().footprint().votes, 1u);
  for (std::uint16_t other = 0; other < 3; ++other) {
    t.say(other,
          leader_chain::Vote{leader_chain::Kind::kNotarize, 1, t.votes[0].second.digest, {}});
  }
  EXPECT_EQ(t.node().refused(), 3u) << "votes for another's block are not this node's to count";
  EXPECT_EQ(t.node().view(), 1u);
}

}  // namespace
}  // namespace thresher
