// Nodes whose peers have pruned what they need, and what is expected of them when they have joined.
//
//   class Mine : public Joins {};
//   TEST_F(Mine, ...) { prune_without_node_3(100); ...; expect_joined(); }
#pragma once

#include "pruning.hpp"
#include "thresher/net/log_proof.hpp"

namespace thresher::net {

class Joins : public testing::Test {
 protected:
  explicit Joins(const std::string& protocol = "thresher", const std::string& checkpoint = "4")
      : p(protocol, checkpoint) {}

  Pruning p;

  // Nodes 0 to 2 run and have pruned their logs beyond `position`.
  void prune_without_node_3(std::uint64_t position) {
    p.senders = {0, 1, 2};
    p.at_once = true;
    for (std::size_t i = 0; i < 3; ++i) p.run_until_pruned(position, i);
  }
  void expect_joined() {
    ASSERT_TRUE(Network::eventually([&] { return p.net.app(3).count() >= p.length; }))
        << p.waits_for(3);
    EXPECT_GT(p.begins(3), 0u);
    EXPECT_LT(p.net.app(3).applied(), p.length) << "from a snapshot";
    // It signs and orders, serves the log and proofs of it, and starts from what it took.
    p.senders = {0, 1, 2, 3};
    for (int k = 0; k < 8; ++k) p.submit("after it joined " + std::to_string(k));
    p.net.expect_same_state(p.length);
    expect_proof();
    p.net.stop(3);
    expect_one_stretch();
    fs::remove(p.net.home(3) + "/data/snapshot");
    ASSERT_EQ(p.net.start(3, p.options()), "");
    EXPECT_TRUE(p.net.reaches(3, p.length));
    for (int k = 0; k < 8; ++k) p.submit("after its restart " + std::to_string(k));
    p.net.expect_same_state(p.length);
  }
  // Its log at rest begins with the state that it took: what it had before lies in front of a hole.
  void expect_one_stretch() {
    NodeOptions at_rest;
    at_rest.home = p.net.home(3);
    std::optional<std::uint64_t> last;
    const auto read = read_log(at_rest, 0, [&](const Transaction& t) {
      if (last) {
        EXPECT_EQ(t.position, *last + 1);
      }
      last = t.position;
    });
    EXPECT_TRUE(read) << read.error();
    EXPECT_TRUE(last);
  }
  // For the first position that it serves.
  void expect_proof() {
    const std::uint64_t at = p.begins(3);
    Result<LogProof, Error> proof = Error{ErrorCode::kMissing, "not asked"};
    EXPECT_TRUE(Network::eventually([&] {
      p.submit("so that there is a checkpoint");
      proof = fetch_log_proof(p.net.genesis(), NodeId{3}, at);
      return static_cast<bool>(proof);
    })) << proof.error();
    if (proof) {
      EXPECT_TRUE(check_log_proof(p.net.genesis(), *proof));
    }
  }
};

// Every protocol enters behind a window of its log.
class JoinsWith : public Joins, public testing::WithParamInterface<std::string> {
 protected:
  JoinsWith() : Joins(GetParam(), "16") { p.payload = 100; }

  void an_empty_node_joins(std::uint64_t position) {
    for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(p.net.start(i, p.options()), "");
    prune_without_node_3(position);
    ASSERT_EQ(p.net.start(3, p.options()), "");
    expect_joined();
    // Members of HoneyBadger refuse what comes late in numbers, and one away makes much of it late.
    if (GetParam() != "honeybadger") p.expect_no_warnings();
  }
};
inline std::string name_of(const testing::TestParamInfo<std::string>& suite) {
  std::string name = suite.param;
  std::erase(name, '-');
  return name;
}

}  // namespace thresher::net
