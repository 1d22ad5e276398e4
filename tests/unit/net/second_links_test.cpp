// Two connections with one node's key: a reconnecting process, a restarted one, a second one.
#include <gtest/gtest.h>

#include "../../integration/node/raw_peer.hpp"
#include "thresher/net/codec.hpp"
#include "transport_host.hpp"

namespace thresher::net {
namespace {

// Node 0 of two is a transport; node 1 is whoever the test lets connect with its key. An old link
// is waited for as long as it takes to answer: the test may run beside others.
class SecondLink : public testing::Test {
 protected:
  SecondLink() { wait_for_answers(3'600'000'000); }
  void wait_for_answers(std::uint64_t answer_us) {
    host_.reset();
    options_ = nodes(2);
    options_[0].answer_us = answer_us;
    host_ = std::make_unique<Host>(options_[0]);
  }
  std::unique_ptr<RawPeer> connect(const Incarnation& start) {
    auto peer = std::make_unique<RawPeer>(options_[0].nodes[0].port, options_[1].key);
    EXPECT_TRUE(peer->greet(options_[0].chain, start));
    return peer;
  }
  Incarnation start_number(std::uint64_t count) const {
    return signed_incarnation(options_[1].key, options_[1].chain, {count, random_nonce(), {}});
  }
  // Whether what this peer says comes through.
  bool heard(RawPeer& peer) {
    const std::uint64_t before = host_->frames(1);
    EXPECT_TRUE(peer.write(bytes_of({kPush, {}, {}})));
    return Network::eventually([&] { return host_->frames(1) > before; });
  }
  std::optional<wire::OtherProcess> told(RawPeer& peer) {
    const auto frame = peer.frame();
    if (!frame || frame->kind != kOtherProcess) return std::nullopt;
    return wire::decode<wire::OtherProcess>(frame->control.view());
  }

  std::vector<TransportOptions> options_;
  std::unique_ptr<Host> host_;
};

TEST_F(SecondLink, BothProcessesAreToldAndTheNewOneIsTurnedAway) {
  wait_for_answers(3'000'000);  // and so long the new one may read what it was told
  const Incarnation first = start_number(3);
  const Incarnation second = start_number(3);
  const auto old = connect(first);
  ASSERT_TRUE(heard(*old));
  const auto fresh = connect(second);
  const std::uint64_t before = host_->frames(1);
  ASSERT_TRUE(fresh->write(bytes_of({kPush, {}, {}})));
  const auto to_old = told(*old);
  ASSERT_TRUE(to_old);
  EXPECT_TRUE(to_old->incarnation.same_start(second));
  EXPECT_FALSE(to_old->speaks);
  ASSERT_TRUE(old->write(bytes_of({kAlive, {}, {}})));
  const auto to_fresh = told(*fresh);
  ASSERT_TRUE(to_fresh);
  EXPECT_TRUE(to_fresh->incarnation.same_start(first));
  EXPECT_TRUE(to_fresh->speaks);
  EXPECT_EQ(to_fresh->address.rfind("127.0.0.1:", 0), 0u) << to_fresh->address;
  EXPECT_TRUE(fresh->ends());
  EXPECT_EQ(host_->frames(1), before);
  EXPECT_TRUE(heard(*old));
  ASSERT_EQ(host_->errors().size(), 1u);
  EXPECT_NE(host_->errors()[0].find("two processes run with the key of node 1"), std::string::npos);
}

// The machine was cut off, and its node starts elsewhere or again: the old link answers nothing.
TEST_F(SecondLink, ADeadLinkGivesWay) {
  wait_for_answers(300'000);
  const auto old = connect(start_number(3));
  ASSERT_TRUE(heard(*old));
  const auto fresh = connect(start_number(4));
  EXPECT_TRUE(heard(*fresh));
  EXPECT_TRUE(told(*old));
  EXPECT_TRUE(old->ends());
  EXPECT_TRUE(host_->errors().empty());
}

TEST_F(SecondLink, TheNewOneIsLetInAtOnceWhenTheOldLinkEnds) {
  auto old = connect(start_number(3));
  ASSERT_TRUE(heard(*old));
  const auto fresh = connect(start_number(4));
  old.reset();
  EXPECT_TRUE(heard(*fresh));
  // Told the other way round, the node took a peer with a link for one without.
  EXPECT_EQ(host_->told(),
            (std::vector<std::pair<ConnectionId, bool>>{{1, true}, {1, false}, {1, true}}));
  EXPECT_TRUE(host_->up(1));
  std::vector<bool> changes;
  for (const LinkChange& change : host_->changes()) changes.push_back(change.up);
  EXPECT_EQ(changes, (std::vector<bool>{true, false, true}));
}

TEST_F(SecondLink, AProcessThatReconnectsReplacesItsOldLinkAtOnce) {
  const Incarnation start = start_number(3);
  const auto old = connect(start);
  ASSERT_TRUE(heard(*old));
  const auto fresh = connect(start);
  EXPECT_TRUE(heard(*fresh));
  EXPECT_FALSE(told(*old));
  EXPECT_TRUE(host_->errors().empty());
}

// The newest of those that wait counts; the link that answers stays, however many come.
TEST_F(SecondLink, ManyNewOnesDoNotPushOutALinkThatAnswers) {
  const auto old = connect(start_number(3));
  ASSERT_TRUE(heard(*old));
  for (std::uint64_t k = 4; k < 24; ++k) {
    const auto fresh = connect(start_number(k));
    const auto to_old = told(*old);
    ASSERT_TRUE(to_old) << k;
    EXPECT_EQ(to_old->incarnation.count, k);
    ASSERT_TRUE(old->write(bytes_of({kAlive, {}, {}})));
    ASSERT_TRUE(told(*fresh)) << k;
  }
  EXPECT_TRUE(heard(*old));
}

TEST_F(SecondLink, AStrangerAndAForgedStartBringNothingAbout) {
  const auto old = connect(start_number(3));
  ASSERT_TRUE(heard(*old));
  RawPeer stranger(options_[0].nodes[0].port, crypto::SigningKey::generate());
  EXPECT_FALSE(stranger.greet(options_[0].chain, start_number(9)) && !stranger.ends());
  RawPeer forger(options_[0].nodes[0].port, options_[1].key);
  Incarnation forged = start_number(9);
  forged.count = 10;
  (void)forger.greet(options_[0].chain, forged);
  EXPECT_TRUE(forger.ends());
  EXPECT_TRUE(heard(*old));
  EXPECT_EQ(host_->frames(1), 2u);
}

}  // namespace
}  // namespace thresher::net
