// Checkpoints of real nodes: certified, proved and compared, for every ordering protocol.
#include "name_of_suite.hpp"
#include "network.hpp"
#include "thresher/core/hex.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/net/log_diff.hpp"
#include "thresher/net/log_proof.hpp"

namespace thresher::net {
namespace {

/// Submits until the newest certificate covers `position` and gives its proof; fails after a while.
Result<LogProof, Error> proof_from(Network& net, std::size_t node, std::uint64_t position) {
  Result<LogProof, Error> proof = Error{ErrorCode::kMissing, "not asked"};
  Network::eventually([&] {
    proof = fetch_log_proof(net.genesis(), NodeId{static_cast<std::uint16_t>(node)}, position);
    if (!proof) net.submit(0, "more");
    return static_cast<bool>(proof);
  });
  return proof;
}

class EveryProtocolCertifies : public testing::TestWithParam<std::string> {};

TEST_P(EveryProtocolCertifies, WhatWasAppliedIsProvedByAnyNodeAndAfterARestart) {
  Network net(4, GetParam(), {{"checkpoint", "4"}});
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i), "");
  for (std::uint64_t k = 0; k < 12; ++k) net.submit(k % 4, "entry " + std::to_string(k));
  for (std::size_t i = 0; i < 4; ++i) {
    const auto proof = proof_from(net, i, 7);
    ASSERT_TRUE(proof) << proof.error();
    EXPECT_TRUE(check_log_proof(net.genesis(), *proof));
    EXPECT_EQ(proof->content.payload, payload_hash(as_view("entry 7")));
  }
  // A node that does not run proves from its folder, and one that comes back reads its log again.
  net.stop(2);
  NodeOptions options;
  options.home = net.home(2);
  const auto resting = read_log_proof(options, 7);
  ASSERT_TRUE(resting) << resting.error();
  EXPECT_TRUE(check_log_proof(net.genesis(), *resting));
  std::filesystem::remove(net.home(2) + "/data/snapshot");
  ASSERT_EQ(net.start(2), "");
  Result<LogProof, Error> again = Error{ErrorCode::kMissing, "not asked"};
  EXPECT_TRUE(Network::eventually([&] {  // it listens a little later
    again = fetch_log_proof(net.genesis(), NodeId{2}, 7);
    return static_cast<bool>(again);
  }));
  ASSERT_TRUE(again) << again.error();
  EXPECT_TRUE(check_log_proof(net.genesis(), *again));
  const std::uint64_t length = again->certificate.checkpoint.length;
  const auto later = proof_from(net, 2, length + 3);
  ASSERT_TRUE(later) << later.error();
  EXPECT_TRUE(check_log_proof(net.genesis(), *later));
}

INSTANTIATE_TEST_SUITE_P(Life, EveryProtocolCertifies, testing::ValuesIn(node_protocols()),
                         name_of_suite);

/// A network in which node 3's application differs, and what the nodes' logs said.
struct Differing {
  std::mutex mutex;
  std::vector<std::string> warnings;  // of the nodes that are right
  Network net{4, "thresher", {{"checkpoint", "4"}}};

  NodeOptions quiet() {
    NodeOptions options;
    options.log = [this](Level level, const std::string& line) {
      const std::lock_guard lock(mutex);
      if (level >= Level::kWarning) warnings.push_back(line);
    };
    return options;
  }
  /// Why node 3 stopped.
  std::string run(const std::function<void(Recorder&)>& prepare) {
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(net.start(i, quiet()), "");
    EXPECT_EQ(net.start(3, {}, prepare), "");
    for (std::uint64_t k = 0; k < 12; ++k) net.submit(k % 3, "entry " + std::to_string(k));
    for (int k = 0; k < 300 && !net.ended(3); ++k) net.submit(0, "more " + std::to_string(k));
    return net.ending(3);
  }
  /// What the folders of node 3 and another one say when both are at rest.
  auto at_rest(std::size_t other) {
    net.stop(3);
    net.stop(other);
    NodeOptions first, second;
    first.home = net.home(other);
    second.home = net.home(3);
    return diff_logs(first, second);
  }
};

// f+1 members signed another result for the same log: the node stops before it acknowledges more,
// and has asked its way down to the transaction.
TEST(Divergence, ANodeWhoseApplicationAnswersWronglyStopsAndNamesTheTransaction) {
  Differing d;
  const std::string why = d.run([](Recorder& app) { app.answer_wrongly_at(5); });
  EXPECT_NE(why.find("at position 5 "), std::string::npos) << why;
  const auto digest = [](const char* text) {
    return "(hash " + to_hex(digest_of(ApplyResult{false, Bytes::copy_of(as_view(text))}).bytes);
  };
  EXPECT_NE(why.find("\"wrong\" " + digest("wrong") + ") here"), std::string::npos) << why;
  EXPECT_NE(why.find("\"\" " + digest("") + ") there"), std::string::npos) << why;
  // At rest the folders say the same.
  const auto diff = d.at_rest(2);
  ASSERT_TRUE(diff) << diff.error();
  ASSERT_TRUE(diff->result);
  EXPECT_EQ(diff->result->position, 5u);
  EXPECT_NE(diff->result->first, diff->result->second);
  EXPECT_FALSE(diff->log);
  EXPECT_FALSE(diff->state);
  ASSERT_EQ(d.net.start(2, d.quiet()), "");
  // A start with the same application stops again, with the same word.
  ASSERT_EQ(d.net.start(3, {}, [](Recorder& app) { app.answer_wrongly_at(5); }), "");
  EXPECT_NE(d.net.ending(3).find("at position 5 "), std::string::npos);
  // The others go on without it, and with it when it is mended.
  d.net.stop(3);
  const std::uint64_t length = d.net.submit(1, "without").position + 1;
  ASSERT_EQ(d.net.start(3), "");
  EXPECT_TRUE(d.net.reaches(3, length));
  EXPECT_TRUE(proof_from(d.net, 3, length));
  EXPECT_TRUE(d.net.reaches(3, d.net.submit(3, "mended").position + 1));
  const std::lock_guard lock(d.mutex);
  EXPECT_TRUE(d.warnings.empty()) << d.warnings.front();
}

TEST(Divergence, WithTheSameResultsTheFirstCheckpointWithAnotherStateIsNamed) {
  Differing d;
  const std::string why = d.run([](Recorder& app) { app.remember_wrongly_at(9); });
  EXPECT_NE(why.find("has another state than those of"), std::string::npos) << why;
  EXPECT_NE(why.find("they were the same"), std::string::npos) << why;
  const auto diff = d.at_rest(0);
  ASSERT_TRUE(diff) << diff.error();
  ASSERT_TRUE(diff->state);
  EXPECT_GT(diff->state->length, 9u);
  EXPECT_FALSE(diff->result);
  EXPECT_GT(diff->results_compared, 9u);
}

/// The kinds of node 0's answers to questions, of which all but the first leave in one piece: they
/// wait until that is sent.
std::vector<std::uint8_t> order_of_answers(const Genesis& genesis,
                                           const std::vector<Frame>& questions) {
  Loop loop;
  std::vector<std::uint8_t> out;
  ClientLink* link = nullptr;
  ClientLink mine(loop, genesis.context().chain, genesis.nodes[0],
                  {[&](ConnectionId, const Frame& f) {
                     if (f.kind != kWelcome) out.push_back(f.kind);
                     if (out.size() == questions.size()) loop.stop();
                   },
                   [&](ConnectionId, bool up) {
                     if (!up) return loop.stop();
                     for (const Frame& f : questions) (void)link->send(f);
                   },
                   [&](const std::string&) { loop.stop(); }});
  link = &mine;
  loop.call_after(20'000'000, [&] { loop.stop(); });
  mine.connect();
  loop.run();
  return out;
}

// The part of the log that a proof needs is read in pieces: the node's thread does other things in
// between.
TEST(Checkpoints, AProofThatTakesLongHoldsUpNobody) {
  Network net(4, "thresher", {{"checkpoint", "4"}});
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i), "");
  const std::string large(240'000, 'x');
  std::vector<std::future<Receipt>> all;
  for (int k = 0; k < 160; ++k) all.push_back(net.submit_later(k % 4u, as_view(large)));
  for (auto& one : all) one.wait();
  // Asked without a look at the log, which would stay in memory.
  ASSERT_TRUE(Network::eventually([&] {
    net.submit(0, "more");
    const auto none = fetch_log_proof(net.genesis(), NodeId{0}, 1'000'000);
    const std::string why = none ? "" : none.error().text();
    const std::size_t at = why.find("of which ");
    return at != why.npos && std::stoull(why.substr(at + 9)) >= all.size();
  }));
  const Frame status{kStatus, {}, {}};
  const std::vector<std::uint8_t> overtakes{kStatusReply, kStatusReply, kProof};
  // On a busy machine the last question may arrive when the proof is made: another position is
  // asked for then. Where a proof holds up the rest, its answer comes second for each of them.
  std::vector<std::uint8_t> order;
  for (std::uint64_t position = 7; position < 120 && order != overtakes; position += 16) {
    const Frame question{kProve, Bytes::from(Writer().u64(position).take()), {}};
    order = order_of_answers(net.genesis(), {status, question, status});
  }
  EXPECT_EQ(order, overtakes);
}

TEST(Checkpoints, BelowTheFirstOneThereIsNoProofAndItIsSaidWhy) {
  Network net(4, "thresher", {{"checkpoint", "1000000"}});
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i), "");
  net.submit(0, "one");
  const auto proof = fetch_log_proof(net.genesis(), NodeId{0}, 0);
  ASSERT_FALSE(proof);
  EXPECT_EQ(proof.error().code, ErrorCode::kRejected);
  EXPECT_EQ(proof.error().where, "node 0");
  EXPECT_NE(proof.error().text().find("no certificate yet"), std::string::npos) << proof.error();
  NodeOptions options;
  options.home = net.home(0);
  const auto running = read_log_proof(options, 0);
  ASSERT_FALSE(running);
  EXPECT_EQ(running.error().code, ErrorCode::kBusy);
  EXPECT_NE(running.error().text().find(std::string(kNodeRuns)), std::string::npos)
      << running.error();
}

}  // namespace
}  // namespace thresher::net
