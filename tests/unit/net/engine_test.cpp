// The order in which an engine talks to its host.
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "engines/engine_of.hpp"

namespace thresher::net {
namespace {

/// Notes a record that may wait and delivers what it is about, in one step.
struct Echo {
  using Message = int;
  using Output = int;
  using Request = int;
  using Fx = Effects<Message, Output>;
  void on(const Restored&, Fx&) {}
  void on(const Start&, Fx&) {}
  void on(const Received<Message>& event, Fx& fx) {
    const Bytes key = Bytes::from(Writer().u64(static_cast<std::uint64_t>(event.message)).take());
    fx.push(Persist{1, key, key, {}, true});
    fx.deliver(event.message);
  }
  void on(const Requested<Request>&, Fx& fx) {
    fx.push(Verify{Ticket{1}, NodeId{2}, {}, {}});
    fx.push(VerifyAll{Ticket{2}, {}, std::make_shared<const SignatureList>()});
  }
  void on(const Expired&, Fx&) {}
  void on(const Verified&, Fx&) {}
  void on(const Endorsed&, Fx&) {}
};

struct Host : EngineHost {
  std::string calls;
  std::vector<std::string> broke;
  std::vector<std::optional<NodeId>> senders;  // of what is to be verified
  void send(NodeId, const Frame&) override {}
  void broadcast(const Frame&) override {}
  void deliver(Commit) override { calls += "deliver "; }
  void arm(TimerId, Delay) override {}
  void cancel(TimerId) override {}
  void persist(std::vector<Persist>, std::uint64_t) override { calls += "persist "; }
  void verify(const Verify&, std::optional<NodeId> from) override { asked("verify ", from); }
  void verify(const VerifyAll&, std::optional<NodeId> from) override { asked("verify-all ", from); }
  void asked(const std::string& what, std::optional<NodeId> from) {
    calls += what;
    senders.push_back(from);
  }
  void endorse(const Endorse&) override {}
  void accuse(const Accuse&) override {}
  void broken(const std::string& what) override { broke.push_back(what); }
  std::optional<Bytes> payload_of(const RecordName&, const Digest&) const override { return {}; }
};

struct EchoAdapter {
  using Protocol = Echo;
  static std::optional<Frame> encode(int) { return std::nullopt; }
  static std::optional<int> decode(const Frame&) { return 7; }
  static int request(const Bytes&, const Digest&) { return 0; }
  static void deliver(int, EngineHost& host) { host.deliver({}); }
  static bool adopts() { return false; }
  static void adopt(const Commit&, std::deque<InputOf<Echo>>&, std::vector<Persist>&) {}
  static RecordName record_of(const OrderedBlock&) { return {}; }
  static Pledge pledge(const Echo&) { return {}; }
  static std::uint32_t quorum() { return 1; }
  static std::uint32_t clock_witnesses() { return 0; }
  static std::size_t payload_limit() { return 1; }
  static std::uint64_t window() { return 0; }
  static EngineSample sample(const Echo&) { return {}; }
  static std::size_t pending_submits(const Echo&) { return 0; }
  static constexpr bool kExtends = false;
  static constexpr bool kHashesPayloads = false;
};

// The log entry of a commit names records of the same step. It came to the writer first, and when
// the writer was quick, as under load, the node stopped: "the disk refused a write".
TEST(Engine, TheRecordsOfAStepComeBeforeWhatItDelivers) {
  Host host;
  EngineOf<EchoAdapter> engine({}, Echo{}, host);
  ASSERT_TRUE(engine.receive(NodeId{1}, {}));
  ASSERT_TRUE(engine.receive(NodeId{1}, {}));
  EXPECT_TRUE(engine.run());
  EXPECT_EQ(host.calls, "persist deliver persist deliver ");
}

/// Asks about what it was just sent, and about what others had brought before.
struct Gathers : Echo {
  using Echo::on;
  static void on(const Received<Message>&, Fx& fx) {
    fx.push(Verify{Ticket{1}, NodeId{2}, {}, {}});
    fx.push(Verify{Ticket{2}, NodeId{2}, {}, {}, NodeId{3}});
    fx.push(VerifyAll{Ticket{3}, {}, std::make_shared<const SignatureList>(), NodeId{0}});
  }
};

struct GathersAdapter : EchoAdapter {
  using Protocol = Gathers;
  static Pledge pledge(const Gathers&) { return {}; }
  static void adopt(const Commit&, std::deque<InputOf<Gathers>>&, std::vector<Persist>&) {}
  static EngineSample sample(const Gathers&) { return {}; }
  static std::size_t pending_submits(const Gathers&) { return 0; }
};

// A message that waits for a verdict is checked when another one makes it worth it, and the sender
// of that one was blamed.
TEST(Engine, WhatIsVerifiedIsItsSendersWhoeverSetItOff) {
  Host host;
  EngineOf<GathersAdapter> engine({}, Gathers{}, host);
  ASSERT_TRUE(engine.receive(NodeId{1}, {}));
  EXPECT_TRUE(engine.run());
  EXPECT_EQ(host.calls, "verify verify verify-all ");
  EXPECT_EQ(host.senders, (std::vector<std::optional<NodeId>>{NodeId{1}, NodeId{3}, NodeId{0}}));
}

/// Sends, then finds that it counted wrong.
struct Wrong : Echo {
  using Echo::on;
  void on(const Received<Message>& event, Fx& fx) {
    fx.deliver(event.message);
    THRESHER_ASSERT(event.message != 7, "seven never comes");
  }
};

struct WrongAdapter : EchoAdapter {
  using Protocol = Wrong;
  static Pledge pledge(const Wrong&) { return {}; }
  static void adopt(const Commit&, std::deque<InputOf<Wrong>>& inputs, std::vector<Persist>&) {
    inputs.push_back(Received<int>{NodeId{1}, 7});
  }
  static EngineSample sample(const Wrong&) { return {}; }
  static std::size_t pending_submits(const Wrong&) { return 0; }
};

TEST(Engine, AfterABrokenInvariantNothingLeavesAndNothingIsStepped) {
  Host host;
  EngineOf<WrongAdapter> engine({}, Wrong{}, host);
  ASSERT_TRUE(engine.receive(NodeId{1}, {}));
  ASSERT_TRUE(engine.receive(NodeId{1}, {}));
  EXPECT_FALSE(engine.run());
  engine.submit({}, {}, std::nullopt);
  EXPECT_FALSE(engine.run());
  engine.adopt({}, Stored::kYes);
  engine.persisted(1);
  EXPECT_EQ(host.calls, "") << "neither the step's own delivery nor what came later";
  ASSERT_EQ(host.broke.size(), 1u);
  EXPECT_EQ(host.broke[0],
            "seven never comes (event.message != 7 does not hold in engine_test.cpp)");
}

/// Notes that it delivered, forgets what is older, and delivers behind a record that must be
/// durable first.
struct Notes {
  using Message = int;
  using Output = int;
  using Request = int;
  using Fx = Effects<Message, Output>;
  static Bytes number(std::uint64_t n) { return Bytes::from(Writer().u64(n).take()); }
  void on(const Restored& r, Fx& fx) {
    fx.push(Persist{kNote, r.key, r.key, {}, true});
    fx.deliver(9);  // on account of what was adopted
  }
  void on(const Start&, Fx&) {}
  void on(const Received<Message>&, Fx& fx) {
    fx.push(Persist{1, number(1), number(1)});
    fx.push(Persist{kNote, number(7), number(7), {}, true});
    fx.deliver(7);
    fx.push(Persist{1, number(0), {}, {}, true});
  }
  void on(const Requested<Request>&, Fx&) {}
  void on(const Expired&, Fx&) {}
  void on(const Verified&, Fx&) {}
  void on(const Endorsed&, Fx&) {}
  static constexpr std::uint32_t kNote = 3;
};

struct NotesAdapter : EchoAdapter {
  using Protocol = Notes;
  static Pledge pledge(const Notes&) { return {}; }
  static std::optional<Round> progress_of(const Persist& r) {
    if (r.table != Notes::kNote) return std::nullopt;
    return Round{Reader(r.key.view()).u64()};
  }
  static void adopt(const Commit& c, std::deque<InputOf<Notes>>& inputs,
                    std::vector<Persist>& records) {
    inputs.push_back(Restored{1, Notes::number(c.slot.value), {}, {}});
    records.push_back({1, Notes::number(c.slot.value), Notes::number(1)});
  }
  static EngineSample sample(const Notes&) { return {}; }
  static std::size_t pending_submits(const Notes&) { return 0; }
};

// The note was durable long before the log entry, which waits for a barrier: killed in between, the
// node skipped the slot for ever. And what was erased could be gone before the entry that names it.
TEST(Engine, ANoteOfADeliveryWaitsForItsLogEntryAndAnErasureForBoth) {
  Host host;
  EngineOf<NotesAdapter> engine({}, Notes{}, host);
  ASSERT_TRUE(engine.receive(NodeId{1}, {}));
  EXPECT_TRUE(engine.run());
  EXPECT_EQ(host.calls, "persist ");
  EXPECT_TRUE(engine.take_progress(Round{6}).empty());
  engine.persisted(1);
  EXPECT_EQ(host.calls, "persist deliver persist ") << "the erasure comes behind the delivery";
  const auto note = engine.take_progress(Round{7});
  ASSERT_EQ(note.size(), 1u);
  EXPECT_EQ(note[0].table, Notes::kNote);
  EXPECT_TRUE(engine.take_progress(Round{7}).empty()) << "each is handed out once";
}

TEST(Engine, WhatAnAdoptedCommitLeadsToIsDeliveredAfterIt) {
  Host host;
  EngineOf<NotesAdapter> engine({}, Notes{}, host);
  engine.adopt({Round{4}, {}, {}, Round{3}}, Stored::kNo);
  EXPECT_EQ(host.calls, "persist ");
  EXPECT_EQ(engine.take_progress(Round{4}).size(), 1u) << "in time for the entry of this commit";
  (void)engine.run();
  EXPECT_EQ(host.calls, "persist deliver ");
  engine.adopt({Round{5}, {}, {}, Round{4}}, Stored::kYes);
  EXPECT_EQ(host.calls, "persist deliver ") << "the store has its records already";
}

TEST(Engine, AsksForVerdictsOnOneSignatureAndOnAListInTheirOrder) {
  Host host;
  EngineOf<EchoAdapter> engine({}, Echo{}, host);
  engine.submit({}, {}, std::nullopt);
  EXPECT_TRUE(engine.run());
  EXPECT_EQ(host.calls, "verify verify-all ");
}

/// Each message is a share; the third makes the batch, in which that of node 2 is false. Besides,
/// it says twice what node 1 says.
struct Batch : Echo {
  using Echo::on;
  void on(const Received<Message>& event, Fx&) {
    if (event.from == NodeId{1}) ++refused;
    if (event.from != NodeId{3}) return;
    ++shares[2];
    ++refused;
  }
  std::span<const std::uint64_t> false_shares() const { return shares; }
  std::uint64_t refused = 0;
  std::vector<std::uint64_t> shares = {0, 0, 0, 0};
};

struct BatchAdapter : EchoAdapter {
  using Protocol = Batch;
  static Pledge pledge(const Batch&) { return {}; }
  static void adopt(const Commit&, std::deque<InputOf<Batch>>&, std::vector<Persist>&) {}
  static EngineSample sample(const Batch&) { return {}; }
  static std::size_t pending_submits(const Batch&) { return 0; }
  static std::uint64_t refused(const Batch& b) { return b.refused; }
};

struct Judge final : Host {
  std::vector<std::uint64_t> charged = {0, 0, 0, 0};
  void refused(NodeId from, std::uint64_t times) override { charged[from.value] += times; }
};

// The sender of the share that completed the batch, an honest node mostly, was charged.
TEST(Engine, ChargesAFalseShareToItsSender) {
  Judge host;
  EngineOf<BatchAdapter> engine({}, Batch{}, host);
  for (const std::uint16_t from : std::vector<std::uint16_t>{1, 2, 3, 3}) {
    ASSERT_TRUE(engine.receive(NodeId{from}, {}));
    EXPECT_TRUE(engine.run());
  }
  EXPECT_EQ(host.charged, (std::vector<std::uint64_t>{0, 1, 2, 0}));
}

}  // namespace
}  // namespace thresher::net
