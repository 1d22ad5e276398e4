// What a duty of a node stands on, without a network, a disk or a protocol: for tests of the duty
// alone.
//
//   LoneNode node(/*members=*/4);              // it is node 0, and no link of it is up
//   node.log(node.commit(1));                  // into the stored log
//   LogCare care(node, checkpointing, {...});  // or another duty
//   EXPECT_FALSE(node.stopped_because);        // what halt() was told
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../integration/node/payloads.hpp"
#include "engines/order_engine.hpp"
#include "ledger/ledger.hpp"
#include "ledger/log_entry.hpp"
#include "node/base.hpp"
#include "store/memory_store.hpp"

namespace thresher::net {

/// A protocol that does nothing, and says what a test wants.
struct TestEngine final : OrderEngine {
  static constexpr std::uint32_t kBodies = 3;
  EngineSample at{};
  Round noted_slot{0};
  bool damaged = false;          // its records have not the body that they had
  std::vector<Round> adopted{};  // slots
  std::vector<Bytes> bodies{};   // of the records that it took

  bool receive(NodeId, const Frame&) override { return true; }
  bool push(HostInput input) override {
    if (damaged) return false;
    if (const auto* record = std::get_if<Restored>(&input)) bodies.push_back(record->body);
    return true;
  }
  bool wants_bodies() const override { return true; }
  void submit(Bytes, const Digest&, const std::optional<Digest>&) override {}
  bool run() override { return false; }
  void persisted(std::uint64_t) override {}
  bool adopts() const override { return true; }
  void adopt(const Commit& commit, Stored) override { adopted.push_back(commit.slot); }
  std::vector<Persist> take_progress(Round) override { return {}; }
  Round noted() const override { return noted_slot; }
  bool notes_progress() const override { return false; }
  std::uint64_t window() const override { return 0; }
  std::vector<Persist> entry_of(const Commit&, const std::vector<Persist>&) override { return {}; }
  std::vector<Persist> records_of(const Commit& commit) override {
    std::vector<Persist> out;
    for (const OrderedBlockPtr& b : commit.blocks)
      out.push_back({kBodies, record_of(*b).key, record_of(*b).key, b->payload, true});
    return out;
  }
  Bytes prove(Round, const OrderedBlock&) const override { return {}; }
  std::size_t pending_submits() const override { return 0; }
  bool extends() const override { return false; }
  bool hashes_payloads() const override { return false; }
  EngineSample sample() const override { return at; }
  Round spoke_of(NodeId) const override { return {}; }
  bool hears(NodeId) const override { return true; }
  Pledge pledge() const override { return {}; }
  Pledge pledge_of(NodeId) const override { return {}; }
  void remember(NodeId, const Pledge&) override {}
  Bytes last_signed(NodeId) const override { return {}; }
  std::optional<LastSigned> read_signed(const Bytes&) const override { return {}; }
  std::uint32_t quorum() const override { return 3; }
  RecordName record_of(const OrderedBlock& block) const override {
    return {kBodies, slot_key(block.round)};
  }
  std::uint32_t clock_witnesses() const override { return 0; }
  std::size_t payload_limit() const override { return 1u << 20; }
};

struct TestApp final : App {
  Bytes apply(const Transaction&) override { return {}; }
  Digest state() const override { return {}; }
};

class LoneNode final : public EngineHost, public NodeBase {
 public:
  explicit LoneNode(std::uint16_t members) : NodeBase(parts(members), *this, {}) {
    auto made = std::make_unique<TestEngine>();
    protocol = made.get();
    engine = std::move(made);
  }
  ~LoneNode() override { writer.reset(); }

  // What a node does for its duties.
  void pump() override { ++pumps; }
  void halt(std::optional<Error> why) override {
    if (!stopped_because) stopped_because = std::move(why);
  }

  // What an engine asks for: nothing.
  void send(NodeId, const Frame&) override {}
  void broadcast(const Frame&) override {}
  void deliver(Commit) override {}
  void arm(TimerId, Delay) override {}
  void cancel(TimerId) override {}
  void persist(std::vector<Persist>, std::uint64_t) override {}
  void verify(const Verify&, std::optional<NodeId>) override {}
  void verify(const VerifyAll&, std::optional<NodeId>) override {}
  void endorse(const Endorse&) override {}
  void accuse(const Accuse&) override {}
  void broken(const std::string&) override {}
  std::optional<Bytes> payload_of(const RecordName&, const Digest&) const override { return {}; }

  /// One block with one transaction, behind the slot before.
  Commit commit(std::uint64_t slot) const {
    const Bytes payload = block_of(some_client(1), {{slot, "transaction"}});
    const auto block = unsigned_block(Round{slot}, payload, {}, chain);
    return {Round{slot}, block->id, {block}, Round{slot - 1}};
  }
  /// Into the stored log, as a node writes it, but not into its ledger.
  void log(const Commit& commit) {
    keep(commit);
    LogEntry entry = stored_.append(commit, [](const Transaction&, const NewTransaction&) {});
    for (LoggedBlock& b : entry.blocks) b.place = place_of(commit.slot.value);
    write({{kLedgerTable, slot_key(entry.slot), encode_entry(entry), {}, true}});
    hashes.push_back(entry.log_hash);
  }
  /// The protocol's records of it alone.
  void keep(const Commit& commit) { write(protocol->records_of(commit)); }
  BodyPlace place_of(std::uint64_t slot) const {
    return store->locate(TestEngine::kBodies, slot_key(Round{slot}).view()).value_or(BodyPlace{});
  }
  /// The disk changes the payload of a slot.
  void damage(std::uint64_t slot) {
    const BodyPlace place = place_of(slot);
    const Bytes other = Bytes::from(std::vector<std::byte>(place.size));
    ASSERT_TRUE(store->mend_body(place, other.view()));
  }
  void begin_writer() {
    writer = std::make_unique<WriterThread>(
        *store, [this](const OrderedBlock& b) { return engine->record_of(b); },
        [](std::uint64_t, std::uint64_t) {}, [](const Error&, WriterThread::Failure) {},
        ledger.end());
  }

  TestEngine* protocol = nullptr;
  int pumps = 0;
  std::vector<Digest> hashes;  // of the stored log, after each commit

 private:
  static NodeParts parts(std::uint16_t members) {
    Genesis genesis;
    genesis.protocol = "pbft";
    genesis.f = (members - 1) / 3u;
    std::vector<crypto::SigningKey> keys;
    for (std::uint16_t i = 0; i < members; ++i) {
      keys.push_back(crypto::SigningKey::generate());
      genesis.nodes.push_back({keys.back().public_key(), "127.0.0.1", i});
    }
    NodeOptions options;
    options.home = "home";
    options.log = [](Level, const std::string&) {};
    static TestApp app;
    return {options, app, genesis, keys[0], NodeId{0}, {}, std::make_unique<MemoryStore>(), {}};
  }
  void write(const std::vector<Persist>& records) {
    ASSERT_TRUE(store->write(records, Sync::kYes));
  }
  Ledger stored_;
};

}  // namespace thresher::net
