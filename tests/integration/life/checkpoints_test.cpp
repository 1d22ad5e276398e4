// Checkpoints of real nodes: certified, proved and compared, for every ordering protocol.
#include "network.hpp"
#include "thresher/net/log_proof.hpp"

namespace thresher::net {
namespace {

/// Submits until the newest certificate covers `position` and gives its proof; fails after a while.
Result<LogProof, std::string> proof_from(Network& net, std::size_t node, std::uint64_t position) {
  Result<LogProof, std::string> proof = std::string("not asked");
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
    EXPECT_EQ(log_proof_problem(net.genesis(), *proof), "");
    EXPECT_EQ(proof->content.payload, payload_hash(as_view("entry 7")));
  }
  // A node that does not run proves from its folder, and one that comes back reads its log again.
  net.stop(2);
  NodeOptions options;
  options.home = net.home(2);
  const auto resting = read_log_proof(options, 7);
  ASSERT_TRUE(resting) << resting.error();
  EXPECT_EQ(log_proof_problem(net.genesis(), *resting), "");
  std::filesystem::remove(net.home(2) + "/data/snapshot");
  ASSERT_EQ(net.start(2), "");
  Result<LogProof, std::string> again = std::string("not asked");
  EXPECT_TRUE(Network::eventually([&] {  // it listens a little later
    again = fetch_log_proof(net.genesis(), NodeId{2}, 7);
    return static_cast<bool>(again);
  }));
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(log_proof_problem(net.genesis(), *again), "");
  const std::uint64_t length = again->certificate.checkpoint.length;
  const auto later = proof_from(net, 2, length + 3);
  ASSERT_TRUE(later) << later.error();
  EXPECT_EQ(log_proof_problem(net.genesis(), *later), "");
}

INSTANTIATE_TEST_SUITE_P(Life, EveryProtocolCertifies, testing::ValuesIn(node_protocols()),
                         [](const auto& suite) {
                           std::string name = suite.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(Checkpoints, BelowTheFirstOneThereIsNoProofAndItIsSaidWhy) {
  Network net(4, "thresher", {{"checkpoint", "1000000"}});
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i), "");
  net.submit(0, "one");
  const auto proof = fetch_log_proof(net.genesis(), NodeId{0}, 0);
  ASSERT_FALSE(proof);
  EXPECT_NE(proof.error().find("no certificate yet"), std::string::npos) << proof.error();
  NodeOptions options;
  options.home = net.home(0);
  const auto running = read_log_proof(options, 0);
  ASSERT_FALSE(running);
  EXPECT_NE(running.error().find(std::string(kNodeRuns)), std::string::npos) << running.error();
}

}  // namespace
}  // namespace thresher::net
