// One PBFT node alone: what it makes of a view change.
#include "thresher/protocols/order/pbft.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "thresher/core/transcript.hpp"

namespace thresher {
namespace {

// Node 2 leads view 2 of four. Node 3 claims that `value` was prepared in slot 0 of view 1, and the
// first `witnesses` of nodes 0 and 1 say that it was proposed to them.
class ViewChangeTo2 {
 public:
  explicit ViewChangeTo2(std::uint16_t witnesses, std::string_view value = kText) {
    for (const std::uint16_t origin : kOthers) {
      Writer w;
      const bool saw = origin == 3 || origin < witnesses;
      w.u64(0).u32(saw ? 1 : 0);
      if (saw) {
        const ByteView text = as_view(value);
        w.u64(0).u64(origin == 3 ? 1 : 0);
        if (origin == 3) w.bytes(hash(text).bytes);
        w.u8(1).bytes(hash(text).bytes).u64(1);
      }
      broadcast(origin, Bytes::from(w.take()));
    }
  }

  /// The view change of node 2 itself arrives too.
  void deliver_own() {
    const Bytes payload = own_;
    broadcast(2, payload);
  }

  /// Somebody gives what the view change named.
  void give(std::string_view value) {
    receive(0, pbft::Fetched{0, Bytes::copy_of(as_view(value))});
  }

  static constexpr std::string_view kText = "claimed";
  static constexpr std::uint16_t kOthers[] = {0, 1, 3};
  bool started = false;              ///< the new-view went out
  std::optional<Digest> voted;       ///< in slot 0 of view 2
  std::vector<std::uint16_t> asked;  ///< for the value

 private:
  void broadcast(std::uint16_t origin, const Bytes& payload) {
    const bracha::Instance i{NodeId{origin}, 0};
    if (origin != 2) receive(origin, Bracha::Message(bracha::Init{i, payload}));
    for (const auto c : {bracha::kEcho, bracha::kReadied}) {
      for (const std::uint16_t from : kOthers)
        receive(from, Bracha::Message(bracha::Statement{i, c, hash(payload.view())}));
    }
  }
  void receive(std::uint16_t from, Pbft::Message m) {
    Pbft::Fx fx;
    step(node_, InputOf<Pbft>{Received<Pbft::Message>{NodeId{from}, std::move(m)}}, fx);
    for (auto& effect : fx.list()) {
      const auto* s = std::get_if<Send<Pbft::Message>>(&effect);
      if (s != nullptr && std::holds_alternative<pbft::Fetch>(s->message))
        asked.push_back(s->to.value);
      const auto* b = std::get_if<Broadcast<Pbft::Message>>(&effect);
      if (b == nullptr) continue;
      started |= std::holds_alternative<pbft::NewView>(b->message);
      if (const auto* v = std::get_if<pbft::Vote>(&b->message)) voted = v->digest;
      const auto* inner = std::get_if<Bracha::Message>(&b->message);
      const auto* init = inner == nullptr ? nullptr : std::get_if<bracha::Init>(inner);
      if (init != nullptr) own_ = init->payload;
    }
  }

  Pbft node_{Pbft::Config{.committee = *Committee::of(4), .self = NodeId{2}}};
  Bytes own_;
};

TEST(PbftViewChange, ProposesAPreparedValueAgain) {
  ViewChangeTo2 run(1);
  EXPECT_TRUE(run.started);
  EXPECT_EQ(run.asked, (std::vector<std::uint16_t>{0, 3})) << "who said that they have it";
  run.give("another");
  EXPECT_FALSE(run.voted.has_value());
  run.give(ViewChangeTo2::kText);
  ASSERT_TRUE(run.voted.has_value());
  EXPECT_EQ(*run.voted, hash(as_view(ViewChangeTo2::kText)));
}

// A hole that was filled in view 1 may be decided somewhere. Its slot went to the next request, and
// logs forked (schedule 90003203, n = 7).
TEST(PbftViewChange, ProposesAPreparedHoleAgain) {
  ViewChangeTo2 run(1, "");
  EXPECT_TRUE(run.started);
  ASSERT_TRUE(run.voted.has_value());
  EXPECT_EQ(*run.voted, hash(ByteView{}));
}

TEST(PbftViewChange, AClaimThatNobodyElseBearsOutIsNotBelieved) {
  ViewChangeTo2 run(0);
  EXPECT_FALSE(run.started);  // a quorum without the claim is missing yet
  run.deliver_own();
  EXPECT_TRUE(run.started);
  EXPECT_FALSE(run.voted.has_value());
}

// One node that hears from others what was decided.
class Follower {
 public:
  explicit Follower(const Pbft::Config& config) : node_(config) { feed(Start{1}); }

  void feed(const InputOf<Pbft>& input) {
    Pbft::Fx fx;
    step(node_, input, fx);
    for (auto& effect : fx.list()) {
      if (const auto* d = std::get_if<Deliver<pbft::Delivery>>(&effect))
        delivered.push_back({d->output.slot, d->output.value});
      sent += std::holds_alternative<Send<Pbft::Message>>(effect) ? 1 : 0;
      if (const auto* s = std::get_if<Send<Pbft::Message>>(&effect)) {
        const auto* given = std::get_if<pbft::Fetched>(&s->message);
        if (given != nullptr) sent_bytes += given->value.size();
      }
    }
  }
  void say(std::uint16_t from, Pbft::Message m) {
    feed(Received<Pbft::Message>{NodeId{from}, std::move(m)});
  }
  void decide(std::uint64_t slot, const Bytes& value) {
    for (std::uint16_t from = 1; from <= 2; ++from)
      say(from, pbft::Ordered{slot, hash(value.view())});
    say(2, pbft::Fetched{slot, value});
  }
  void adopt(std::uint64_t slot, const Bytes& value) {
    feed(Restored{pbft::kDecisions, pbft::decision_key(slot),
                  Bytes::copy_of(as_view(pbft::kDelivered)), value});
  }

  const Pbft& node() const { return node_; }
  std::vector<std::pair<std::uint64_t, Bytes>> delivered;
  std::size_t sent = 0;
  std::size_t sent_bytes = 0;

 private:
  Pbft node_;
};

// A copy that was not delivered counted as the last sight of its value, but who took the log over
// from others never saw it: the next copy was a copy for some and new for others, and logs forked.
TEST(PbftCopies, AreTheSameForWhoTookTheLogOver) {
  const Pbft::Config config{.self = NodeId{0}, .window = 8, .history = 32};
  const Bytes copied = Bytes::copy_of(as_view("paid once"));
  const auto value_at = [&](std::uint64_t slot) {
    if (slot == 0 || slot == 31 || slot == 40) return copied;
    return Bytes::from(Writer().u64(slot).take());
  };
  Follower saw_all(config);
  for (std::uint64_t slot = 0; slot <= 50; ++slot) saw_all.decide(slot, value_at(slot));
  Follower took_over(config);
  for (const auto& [slot, value] : saw_all.delivered) {
    if (slot < 36) took_over.adopt(slot, value);
  }
  for (std::uint64_t slot = 36; slot <= 50; ++slot) took_over.decide(slot, value_at(slot));
  EXPECT_EQ(took_over.delivered, saw_all.delivered);
  EXPECT_EQ(saw_all.delivered.size(), 50u);  // slot 31 is a copy, slot 40 is not any more
}

Bytes sized(std::uint64_t number, std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < sizeof number; ++i)
    bytes[i] = static_cast<std::byte>(number >> 8 * i);
  return Bytes::from(std::move(bytes));
}

// Everything that one peer can say, as large as it may be, again and again.
TEST(PbftBounds, HoldWhateverOnePeerSays) {
  const Pbft::Config config{.self = NodeId{0}, .window = 4, .history = 64, .value_bytes = 4096};
  Follower t(config);
  const auto most = Pbft::most_held(config);
  for (std::uint64_t k = 0; k < 300; ++k) {
    const Bytes value = sized(k, config.value_bytes);
    t.say(1, pbft::Forward{value});
    t.say(1, pbft::Forward{sized(k + 1000, config.value_bytes), true});
    t.say(1, pbft::PrePrepare{1 + k % 5, k % 9, value});
    t.say(1, pbft::Vote{1 + k % 5, k % 9, hash(value.view()), pbft::kPrepare});
    t.say(1, pbft::Ordered{k % 9, hash(value.view())});
    t.say(1, pbft::Fetched{k % 9, value});
    t.say(1, pbft::Offer{hash(value.view()), k % 2 == 0});
    const Bytes change = sized(k, Pbft::largest_view_change(config));
    t.say(1, Bracha::Message(bracha::Init{{NodeId{1}, k}, change}));
    t.say(1, Bracha::Message(bracha::Give{{NodeId{1}, k}, change}));
    const auto held = t.node().footprint();
    ASSERT_LE(held.request_bytes, (config.window + 1) * config.value_bytes);
    ASSERT_LE(held.proposal_bytes, most.proposal_bytes);
    ASSERT_LE(held.slots, most.slots);
    ASSERT_LE(held.view_changes.payload_bytes, most.view_changes.payload_bytes / 4);
    ASSERT_LE(held.view_changes.instances, most.view_changes.instances);
  }
  EXPECT_GT(t.node().footprint().view_changes.payload_bytes, 0u);
  EXPECT_GT(t.node().footprint().request_bytes, 0u);
}

// Of all that it may ask for, each a few times.
TEST(PbftBounds, WhatOnePeerIsSentIsBounded) {
  constexpr std::uint64_t kSlots = 40;
  Follower t({.self = NodeId{0}, .value_bytes = 1 << 20});
  for (std::uint64_t slot = 0; slot < kSlots; ++slot) t.decide(slot, sized(slot, 1 << 20));
  ASSERT_EQ(t.node().delivered(), kSlots);
  const auto wanted = [](std::uint64_t slot) {
    return pbft::Fetch{slot, hash(sized(slot, 1 << 20).view())};
  };
  for (std::uint64_t k = 0; k < 5 * kSlots; ++k) t.say(3, wanted(k % kSlots));
  EXPECT_EQ(t.sent_bytes, std::size_t{64} << 20);
  t.say(2, wanted(0));
  EXPECT_EQ(t.sent_bytes, std::size_t{65} << 20);
  t.feed(Expired{{6, {}}});
  t.say(3, wanted(0));
  EXPECT_EQ(t.sent_bytes, std::size_t{66} << 20);
}

// When a link was cut, all that its sender said comes at once, about views and slots that are over.
// Thousands of refused messages were counted to correct nodes, and their operators told.
TEST(PbftLate, WhatComesLateIsNobodysOffence) {
  constexpr std::uint64_t kSlots = 20;
  const Pbft::Config config{.self = NodeId{0}, .window = 4, .history = 64};
  const auto all_of = [](Follower& t, std::uint64_t view, std::uint64_t slot) {
    const Bytes value = sized(slot, 16);
    const auto leader = static_cast<std::uint16_t>(view % 4);
    t.say(leader, pbft::PrePrepare{view, slot, value});
    for (std::uint16_t from = 1; from < 4; ++from) {
      for (const auto phase : {pbft::kPrepare, pbft::kCommit})
        t.say(from, pbft::Vote{view, slot, hash(value.view()), phase});
    }
  };
  Follower t(config);
  for (std::uint64_t slot = 0; slot < kSlots; ++slot) t.decide(slot, sized(slot, 16));
  for (std::uint16_t from = 1; from < 4; ++from) t.say(from, pbft::Checkpoint{1, kSlots});
  all_of(t, 1, 0);
  EXPECT_EQ(t.node().refused(), 0u) << "slots that are over";
  for (std::uint16_t from = 1; from < 4; ++from) t.say(from, pbft::Checkpoint{7, kSlots});
  ASSERT_EQ(t.node().view(), 7u);
  all_of(t, 1, kSlots);
  t.say(2, pbft::NewView{2, {NodeId{1}, NodeId{2}, NodeId{3}}});
  EXPECT_EQ(t.node().refused(), 0u) << "views that are over";
  t.say(1, pbft::Vote{7, 1000, {}, pbft::kPrepare});
  EXPECT_EQ(t.node().refused(), 1u) << "far away";
}

// f peers that claim any view move nobody; one more does.
TEST(PbftViews, AreJoinedOnTheWordOfAValiditySet) {
  Follower t({.committee = *Committee::of(7), .self = NodeId{0}});
  t.say(1, pbft::Checkpoint{1'000'000, 0});
  t.say(2, pbft::Want{900'000, 0});
  EXPECT_EQ(t.node().view(), 1u);
  t.say(3, pbft::Checkpoint{500, 0});
  EXPECT_EQ(t.node().view(), 500u);
}

// Under full load requests wait for their turn for many ticks. Copies of all of them every few
// ticks once filled the links until views ended before they decided anything.
TEST(PbftAgain, RequestsThatWaitAreOfferedAgainSeldom) {
  constexpr std::uint64_t kRequests = 4, kTicks = 64, kAgain = 16;
  constexpr TimerId kProgress{2, {}};
  Pbft node{Pbft::Config{.committee = *Committee::of(4), .self = NodeId{0}}};
  std::uint64_t sent = 0, offered = 0;
  const auto feed = [&](const InputOf<Pbft>& input) {
    Pbft::Fx fx;
    step(node, input, fx);
    for (const auto& effect : fx.list()) {
      const auto* b = std::get_if<Broadcast<Pbft::Message>>(&effect);
      sent += b != nullptr && std::holds_alternative<pbft::Forward>(b->message) ? 1 : 0;
      offered += b != nullptr && std::holds_alternative<pbft::Offer>(b->message) ? 1 : 0;
    }
  };
  feed(Start{});
  for (std::uint64_t i = 0; i < kRequests; ++i) {
    feed(Requested<Pbft::Request>{{Bytes::copy_of(as_view("request " + std::to_string(i)))}});
  }
  EXPECT_EQ(sent, kRequests);
  for (std::uint64_t t = 0; t < kTicks; ++t) feed(Expired{kProgress});
  EXPECT_EQ(sent, kRequests);
  EXPECT_GT(offered, 0u) << "what was lost has to be said again";
  EXPECT_LE(offered, kRequests * kTicks / kAgain);
}

// The record of a claim, and what a restarted node says of it when it leaves its view: the same.
TEST(PbftClaims, OfAnyNumberOfValuesAreBroadcastAsTheyWereKept) {
  for (const std::uint16_t values : std::initializer_list<std::uint16_t>{1, 5, 254, 255, 300}) {
    Writer w;
    w.u64(0);
    if (values < 255) w.u8(static_cast<std::uint8_t>(values));
    if (values >= 255) w.u8(255).u16(values);
    for (std::uint16_t k = 0; k < values; ++k) {
      Digest value{};
      value.bytes[0] = static_cast<std::byte>(k >> 8);
      value.bytes[1] = static_cast<std::byte>(k & 255);
      w.bytes(value.bytes).u64(1);
    }
    const Bytes claim = Bytes::from(w.take());
    Pbft node{Pbft::Config{.committee = *Committee::of(64), .self = NodeId{0}}};
    Pbft::Fx fx;
    step(node, InputOf<Pbft>{Restored{12, pbft::decision_key(0), claim, {}}}, fx);
    step(node, InputOf<Pbft>{Start{1}}, fx);
    Bytes change;
    for (const auto& effect : fx.list()) {
      const auto* b = std::get_if<Broadcast<Pbft::Message>>(&effect);
      const auto* inner = b == nullptr ? nullptr : std::get_if<Bracha::Message>(&b->message);
      const auto* init = inner == nullptr ? nullptr : std::get_if<bracha::Init>(inner);
      if (init != nullptr) change = init->payload;
    }
    constexpr std::size_t kBefore = 8 + 4 + 8;  // floor, slots, number
    ASSERT_EQ(change.size(), kBefore + claim.size()) << values;
    EXPECT_EQ(change.slice(kBefore, claim.size()), claim) << values;
    EXPECT_LE(change.size(), Pbft::largest_view_change({.committee = *Committee::of(64)}));
  }
}

// Two nodes, or more, whose messages a test hands on as it likes.
struct Said {
  std::vector<Persist> kept;
  std::vector<std::pair<std::uint16_t, Pbft::Message>> sent;  ///< to whom
  std::vector<Pbft::Message> broadcast;
};
Said feed(Pbft& node, const InputOf<Pbft>& input) {
  Pbft::Fx fx;
  step(node, input, fx);
  Said out;
  for (const auto& effect : fx.list()) {
    if (const auto* p = std::get_if<Persist>(&effect)) out.kept.push_back(*p);
    if (const auto* s = std::get_if<Send<Pbft::Message>>(&effect))
      out.sent.emplace_back(s->to.value, s->message);
    if (const auto* b = std::get_if<Broadcast<Pbft::Message>>(&effect))
      out.broadcast.push_back(b->message);
  }
  return out;
}
Said feed(Pbft& node, std::uint16_t from, Pbft::Message m) {
  return feed(node, InputOf<Pbft>{Received<Pbft::Message>{NodeId{from}, std::move(m)}});
}
template <class M>
std::vector<M> only(const std::vector<Pbft::Message>& all) {
  std::vector<M> out;
  for (const Pbft::Message& m : all) {
    if (const auto* one = std::get_if<M>(&m)) out.push_back(*one);
  }
  return out;
}

// R3: the leader's vote names the proposal that was lost; who voted for it gives it. Proposals in
// full, said again every few ticks, once filled the links of loaded machines until no view lasted.
TEST(PbftValues, AProposalThatWasLostIsAskedForByItsName) {
  const Committee committee = *Committee::of(4);
  Pbft leader{Pbft::Config{.committee = committee, .self = NodeId{1}}};
  Pbft other{Pbft::Config{.committee = committee, .self = NodeId{0}}};
  const Bytes value = sized(7, 4000);
  const Said proposal = feed(leader, Requested<Pbft::Request>{{value}});
  ASSERT_EQ(only<pbft::PrePrepare>(proposal.broadcast).size(), 1u);
  const auto votes = only<pbft::Vote>(proposal.broadcast);
  ASSERT_EQ(votes.size(), 1u);
  (void)feed(other, 1, votes[0]);
  std::vector<std::pair<std::uint16_t, pbft::Fetch>> asked;
  for (int tick = 0; tick < 40; ++tick) {
    const Said said = feed(other, Expired{{2, {}}});
    for (const auto& [to, m] : said.sent) {
      if (const auto* f = std::get_if<pbft::Fetch>(&m)) asked.emplace_back(to, *f);
    }
    if (other.view() > 1) break;
  }
  ASSERT_FALSE(asked.empty());
  EXPECT_LE(asked.size(), 4u) << "with growing pauses";
  EXPECT_EQ(asked[0].first, 1u);
  const Said answer = feed(leader, 0, asked[0].second);
  ASSERT_EQ(answer.sent.size(), 1u);
  Pbft again{Pbft::Config{.committee = committee, .self = NodeId{0}}};
  (void)feed(again, 1, votes[0]);
  (void)feed(again, 1, pbft::Fetched{0, sized(8, 4000)});  // not what was named
  const Said accepted = feed(again, 1, answer.sent[0].second);
  ASSERT_EQ(only<pbft::Vote>(accepted.broadcast).size(), 1u);
  EXPECT_EQ(only<pbft::Vote>(accepted.broadcast)[0].digest, hash(value.view()));
}

// A leader says no proposal in full a second time by itself.
TEST(PbftValues, NothingWithAPayloadIsSaidAgainUnasked) {
  Pbft leader{Pbft::Config{.committee = *Committee::of(4), .self = NodeId{1}}};
  (void)feed(leader, 2, pbft::Forward{sized(7, 4000)});
  for (int tick = 0; tick < 100; ++tick) {
    const Said said = feed(leader, Expired{{2, {}}});
    EXPECT_TRUE(only<pbft::PrePrepare>(said.broadcast).empty()) << tick;
  }
}

// R6: a view change names values of 64 kB, it does not carry them.
TEST(PbftValues, AViewChangeIsSmallAndARestartedNodeStillGivesWhatItAccepted) {
  const Committee committee = *Committee::of(4);
  Pbft node{Pbft::Config{.committee = committee, .self = NodeId{0}}};
  std::vector<Persist> disk;
  const auto keep = [&](const Said& said) {
    disk.insert(disk.end(), said.kept.begin(), said.kept.end());
  };
  const Bytes value = sized(7, 60'000);
  const Digest digest = hash(value.view());
  keep(feed(node, 1, pbft::PrePrepare{1, 0, value}));
  for (std::uint16_t from = 1; from <= 2; ++from)
    keep(feed(node, from, pbft::Vote{1, 0, digest, pbft::kPrepare}));
  Pbft restarted{Pbft::Config{.committee = committee, .self = NodeId{0}}};
  for (const Persist& p : disk) (void)feed(restarted, Restored{p.table, p.key, p.value, p.body});
  const Said start = feed(restarted, Start{1});
  std::size_t changes = 0;
  for (const auto& m : only<Bracha::Message>(start.broadcast)) {
    const auto* init = std::get_if<bracha::Init>(&m);
    if (init == nullptr) continue;
    ++changes;
    EXPECT_LT(init->payload.size(), 200u);
  }
  EXPECT_EQ(changes, 1u);
  const Said given = feed(restarted, 3, pbft::Fetch{0, digest});
  ASSERT_EQ(given.sent.size(), 1u);
  EXPECT_EQ(std::get<pbft::Fetched>(given.sent[0].second).value, value);
  EXPECT_TRUE(feed(restarted, 3, pbft::Fetch{0, hash(as_view("another"))}).sent.empty());
}

// R1, R7: who is offered a request that it lacks asks for it, and a complaint stays one.
TEST(PbftValues, ARequestThatIsOfferedIsAskedForWhereItIsMissing) {
  const Bytes value = sized(7, 4000);
  Pbft leader{Pbft::Config{.committee = *Committee::of(4), .self = NodeId{1}}};
  Pbft other{Pbft::Config{.committee = *Committee::of(4), .self = NodeId{0}}};
  (void)feed(other, 3, pbft::Forward{value});  // 3 leaves the leader out
  std::vector<pbft::Offer> offers;
  for (int tick = 0; tick < 6; ++tick) {
    for (const auto& [to, m] : feed(other, Expired{{2, {}}}).sent) {
      if (const auto* offer = std::get_if<pbft::Offer>(&m)) offers.push_back(*offer);
    }
  }
  ASSERT_FALSE(offers.empty());
  EXPECT_TRUE(offers[0].urgent);
  const Said question = feed(leader, 0, offers[0]);
  ASSERT_EQ(question.sent.size(), 1u);
  const Said answer = feed(other, 1, question.sent[0].second);
  ASSERT_EQ(answer.sent.size(), 1u);
  EXPECT_TRUE(std::get<pbft::Forward>(answer.sent[0].second).urgent);
  EXPECT_EQ(only<pbft::PrePrepare>(feed(leader, 0, answer.sent[0].second).broadcast).size(), 1u);
  EXPECT_TRUE(feed(leader, 2, offers[0]).sent.empty()) << "it has it by now";
  EXPECT_TRUE(feed(other, 2, pbft::Ask{hash(as_view("another"))}).sent.empty());
}

// R9: names first, and no value that is here already.
TEST(PbftValues, WhoLagsAsksForValuesThatItLacksAlone) {
  const Bytes mine = sized(7, 4000), theirs = sized(8, 4000);
  Pbft node{Pbft::Config{.committee = *Committee::of(4), .self = NodeId{0}}};
  (void)feed(node, 3, pbft::Forward{mine});
  EXPECT_TRUE(feed(node, 1, pbft::Ordered{0, hash(mine.view())}).sent.empty()) << "one is not f+1";
  (void)feed(node, 2, pbft::Ordered{0, hash(mine.view())});
  EXPECT_EQ(node.delivered(), 1u);
  (void)feed(node, 1, pbft::Ordered{1, hash(theirs.view())});
  const Said asked = feed(node, 2, pbft::Ordered{1, hash(theirs.view())});
  ASSERT_EQ(asked.sent.size(), 1u) << "one of those that said so";
  EXPECT_TRUE(std::holds_alternative<pbft::Fetch>(asked.sent[0].second));
  (void)feed(node, 3, pbft::Fetched{1, sized(9, 4000)});
  EXPECT_EQ(node.delivered(), 1u);
  (void)feed(node, 3, pbft::Fetched{1, theirs});
  EXPECT_EQ(node.delivered(), 2u);
}

// A leader whose votes come before its proposals, slot after slot in one view.
TEST(PbftValues, WhatIsDeliveredIsNotRememberedAsAskedFor) {
  const Pbft::Config config{.self = NodeId{0}, .window = 4, .history = 64};
  Follower t(config);
  for (std::uint64_t slot = 0; slot < 100; ++slot) {
    const Bytes value = sized(slot, 16);
    t.say(1, pbft::Vote{1, slot, hash(value.view()), pbft::kPrepare});
    t.feed(Expired{{2, {}}});
    ASSERT_GT(t.node().footprint().asks, 0u);
    ASSERT_LE(t.node().footprint().asks, 16u) << slot;
    t.say(1, pbft::PrePrepare{1, slot, value});
    for (std::uint16_t from = 1; from < 4; ++from) {
      for (const auto phase : {pbft::kPrepare, pbft::kCommit})
        t.say(from, pbft::Vote{1, slot, hash(value.view()), phase});
      t.say(from, pbft::Checkpoint{1, slot + 1});
    }
    ASSERT_EQ(t.node().delivered(), slot + 1);
  }
}

// R10: of what a leader was free to choose five values, then holes alone. Else a leader that shows
// another value in each view would fill the memory, or make a replica forget what it has seen.
TEST(PbftWorn, AReplicaAcceptsFewValuesOfASlotAndThenHoles) {
  Pbft node{Pbft::Config{.committee = *Committee::of(4), .self = NodeId{0}}};
  std::optional<Digest> voted;
  const auto say = [&](std::uint16_t from, Pbft::Message m) {
    Pbft::Fx fx;
    step(node, InputOf<Pbft>{Received<Pbft::Message>{NodeId{from}, std::move(m)}}, fx);
    for (const auto& effect : fx.list()) {
      const auto* b = std::get_if<Broadcast<Pbft::Message>>(&effect);
      if (const auto* v = b == nullptr ? nullptr : std::get_if<pbft::Vote>(&b->message))
        voted = v->digest;
    }
  };
  const Bytes nothing = Bytes::from(Writer().u64(0).u32(0).take());
  std::uint64_t accepted = 0;
  for (std::uint64_t view = 1; view <= 40; ++view) {
    const auto leader = static_cast<std::uint16_t>(view % 4);
    if (leader == 0) continue;
    for (std::uint16_t origin = 1; view > 1 && origin < 4; ++origin) {
      const bracha::Instance i{NodeId{origin}, view - 2};
      say(origin, bracha::Init{i, nothing});
      for (const auto c : {bracha::kEcho, bracha::kReadied}) {
        for (std::uint16_t from = 1; from < 4; ++from)
          say(from, bracha::Statement{i, c, hash(nothing.view())});
      }
    }
    if (view > 1) say(leader, pbft::NewView{view, {NodeId{1}, NodeId{2}, NodeId{3}}});
    ASSERT_EQ(node.view(), view);
    voted.reset();
    const bool hole = view % 4 == 3;
    const Bytes value = hole ? Bytes{} : Bytes::from(Writer().u64(view).take());
    say(leader, pbft::PrePrepare{view, 0, value});
    EXPECT_TRUE(voted || !hole) << view;
    EXPECT_EQ(voted.value_or(hash(value.view())), hash(value.view()));
    accepted += !hole && voted ? 1 : 0;
  }
  EXPECT_EQ(accepted, 5u);
}

}  // namespace
}  // namespace thresher
