// Agreement in directed graphs over real links: members that relay for each other, that are
// missing, late or killed, and that lie; what comes against an edge; bad input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <span>

#include "thresher/net/graph_agreement.hpp"
#include "thresher/net/graph_liar.hpp"
#include "thresher/net/ports.hpp"

namespace thresher::net {
namespace {

using digraph::Digraph;
using digraph::Heard;
using digraph::Inputs;
using digraph::Phase;
using ::testing::HasSubstr;

constexpr std::chrono::seconds kPatience(100);
/// A member may stand still for a quarter of it: machines that run tests are busy.
constexpr std::uint64_t kDeltaUs = 1'600'000;
/// Disks are opened meanwhile, and they may be busy, too.
constexpr std::chrono::seconds kBeforeStart(4);
constexpr int kTries = 4;

Digraph graph_of(std::uint32_t nodes, const std::vector<std::pair<int, int>>& edges) {
  Digraph out(nodes);
  for (const auto& [a, b] : edges)
    out.add(NodeId{static_cast<std::uint16_t>(a)}, NodeId{static_cast<std::uint16_t>(b)});
  return out;
}

/// Two of four are not neighbours: others relay for them.
Digraph ring() {
  return graph_of(4, {{0, 1}, {1, 0}, {1, 2}, {2, 1}, {2, 3}, {3, 2}, {3, 0}, {0, 3}});
}

/// Keys and addresses of four members.
class Network {
 public:
  static constexpr std::size_t kMembers = 4;

  /// `ports`: kMembers of them.
  explicit Network(std::span<const std::uint16_t> ports) {
    for (const std::uint16_t port : ports) {
      keys_.push_back(crypto::SigningKey::generate());
      genesis_.nodes.push_back({keys_.back().public_key(), "127.0.0.1", port});
    }
  }

  GraphAgreementOptions options(std::size_t i, const std::string& run) const {
    return {.genesis = genesis_,
            .key = keys_[i],
            .graph = ring(),
            .faults = 1,
            .name = run,
            .log = [](const std::string&) {}};
  }
  GraphAgreementOptions approximate(std::size_t i, const std::string& run,
                                    std::int64_t value) const {
    GraphAgreementOptions o = options(i, run);
    o.value = value;
    o.halvings = 8;
    return o;
  }
  /// For exact agreement: the values of those that take part.
  std::map<std::size_t, GraphAgreementOptions> exact(
      const std::map<std::size_t, std::int64_t>& values, const std::string& run,
      const Digraph& graph) const {
    const auto at = std::chrono::system_clock::now() + kBeforeStart;
    std::map<std::size_t, GraphAgreementOptions> out;
    for (const auto& [i, value] : values) {
      GraphAgreementOptions o = options(i, run);
      o.graph = graph;
      o.value = value;
      o.starts = at;
      o.delta_us = kDeltaUs;
      out.emplace(i, std::move(o));
    }
    return out;
  }

 private:
  Genesis genesis_;
  std::vector<crypto::SigningKey> keys_;
};

class GraphAgreements : public ::testing::Test {
 protected:
  GraphAgreements() : folder_(std::filesystem::temp_directory_path() / name()) {
    std::filesystem::create_directories(folder_);
  }
  ~GraphAgreements() override { std::filesystem::remove_all(folder_); }

  static std::unique_ptr<GraphAgreement> begin(GraphAgreementOptions o) {
    auto run = GraphAgreement::begin(std::move(o));
    EXPECT_TRUE(run) << run.error();
    return run ? std::move(*run) : nullptr;
  }

  Network network_{free_ports(Network::kMembers)};
  std::filesystem::path folder_;

 private:
  static std::string name() {
    return "thresher-digraph-" + std::to_string(::getpid()) + "-" +
           ::testing::UnitTest::GetInstance()->current_test_info()->name();
  }
};

using Decisions = std::map<std::size_t, std::int64_t>;

/// Exact agreement of those that have a value; `meanwhile` runs once all have begun. Empty:
/// somebody stood still, as busy machines do, and said so.
class ExactRun {
 public:
  ExactRun(std::map<std::size_t, GraphAgreementOptions> members) : members_(std::move(members)) {}

  template <class F>
  std::optional<Decisions> carry_out(F meanwhile) {
    std::map<std::size_t, std::unique_ptr<GraphAgreement>> runs;
    for (const auto& [i, o] : members_) {
      auto run = GraphAgreement::begin(o);
      EXPECT_TRUE(run) << run.error();
      if (!run) return Decisions{};
      runs[i] = std::move(*run);
    }
    meanwhile(runs);
    Decisions out;
    bool stood_still = false;
    for (auto& [i, run] : runs) {
      const auto decision = run->wait(kPatience);
      if (decision) {
        out[i] = decision->value;
      } else {
        EXPECT_THAT(decision.error().text(), HasSubstr("stood still"));
        stood_still = true;
      }
    }
    return stood_still ? std::nullopt : std::optional(out);
  }

 private:
  std::map<std::size_t, GraphAgreementOptions> members_;
};

void expect_one(const Decisions& decisions, std::size_t members) {
  ASSERT_EQ(decisions.size(), members);
  for (const auto& [i, value] : decisions) EXPECT_EQ(value, decisions.begin()->second) << i;
}

/// Again, under another name, when somebody stood still.
template <class F>
void in_some_try(F carry_out) {
  for (int t = 0; t < kTries; ++t) {
    if (carry_out("try-" + std::to_string(t))) return;
  }
  ADD_FAILURE() << "a member stood still in each try";
}

void agree_though_one_is_missing(const Network& network) {
  in_some_try([&](const std::string& name) {
    ExactRun run(network.exact({{0, 7}, {1, 7}, {2, 7}}, name, ring()));
    const auto decisions = run.carry_out([](auto&) {});
    if (!decisions) return false;
    expect_one(*decisions, 3);
    EXPECT_EQ(decisions->begin()->second, 7);
    return true;
  });
}

// Its earlier messages may or may not count.
void agree_though_one_is_killed(const Network& network) {
  in_some_try([&](const std::string& name) {
    auto all = network.exact({{0, 5}, {1, 5}, {2, 5}, {3, 9}}, name, ring());
    const auto killed = all.at(3);
    ExactRun run(std::move(all));
    const auto decisions = run.carry_out([&](auto& runs) {
      std::this_thread::sleep_until(killed.starts + std::chrono::microseconds(kDeltaUs));
      runs.erase(3);
      EXPECT_THAT(GraphAgreement::begin(killed).error().text(), HasSubstr("start is over"));
    });
    if (!decisions) return false;
    expect_one(*decisions, 3);
    EXPECT_EQ(decisions->begin()->second, 5);
    return true;
  });
}

// It has another input for each neighbour, and states that it heard what nobody said.
void agree_though_one_lies(const Network& network) {
  in_some_try([&](const std::string& name) {
    auto all = network.exact({{0, 7}, {1, 8}, {2, 7}, {3, 0}}, name, ring());
    const GraphAgreementOptions own = all.at(3);
    all.erase(3);
    GraphLiar liar(own, 3);
    EXPECT_FALSE(liar.problem());
    std::map<std::size_t, std::uint64_t> refused;
    std::map<std::size_t, digraph::Mask> caught;
    ExactRun run(std::move(all));
    const auto decisions = run.carry_out([&](auto& runs) {
      liar.await_links(2);
      std::this_thread::sleep_until(own.starts + std::chrono::microseconds(kDeltaUs / 4));
      liar.tell(0, liar.relay(Phase::kInputs, digraph::content_of(digraph::Value{7})));
      liar.tell(2, liar.relay(Phase::kInputs, digraph::content_of(digraph::Value{8})));
      liar.send(0, {kProtocol, Bytes::copy_of(as_view("no message")), {}});
      std::this_thread::sleep_until(own.starts + std::chrono::microseconds(6 * kDeltaUs) +
                                    std::chrono::microseconds(kDeltaUs / 2));
      const Inputs lies(4, Heard{Heard::Count::kOne, 8});
      liar.tell(0, liar.relay(Phase::kStatements, digraph::content_of(lies)));
      liar.tell(2, liar.relay(Phase::kStatements, digraph::content_of(Inputs(4))));
      for (auto& [i, member] : runs) {
        refused[i] = member->status().refused;
        caught[i] = member->status().caught;
      }
    });
    EXPECT_GT(refused[0], 0u);
    if (!decisions) return false;
    EXPECT_EQ(refused[1], 0u);
    for (const auto& [i, liars] : caught) EXPECT_EQ(liars, digraph::bit(3)) << i;
    expect_one(*decisions, 3);
    return true;
  });
}

// At the same time, for each of them waits for its rounds.
TEST(ExactAgreements, BearWhoIsMissingWhoIsKilledAndWhoLies) {
  const auto ports = free_ports(3 * Network::kMembers);
  ASSERT_EQ(ports.size(), 3 * Network::kMembers);
  const std::span<const std::uint16_t> all(ports);
  std::vector<std::jthread> threads;
  std::size_t first = 0;
  for (const auto agree :
       {agree_though_one_is_missing, agree_though_one_is_killed, agree_though_one_lies}) {
    const Network network(all.subspan(first, Network::kMembers));
    threads.emplace_back([agree, network] { agree(network); });
    first += Network::kMembers;
  }
}

// Node 3 can hear node 0, and not speak to it; 1 and 3 have no link at all.
TEST_F(GraphAgreements, TakeNothingThatComesAgainstAnEdge) {
  Digraph graph = ring();
  graph.add(NodeId{0}, NodeId{2});
  graph.add(NodeId{2}, NodeId{0});
  graph.remove(NodeId{3}, NodeId{0});
  auto all = network_.exact({{0, 5}, {1, 5}, {2, 5}, {3, 0}}, "edges", graph);
  const GraphAgreementOptions own = all.at(3);
  all.erase(3);
  GraphLiar liar(own, 3);
  ASSERT_FALSE(liar.problem());
  ExactRun run(std::move(all));
  (void)run.carry_out([&](auto& runs) {
    liar.await_links(2);
    const auto said = liar.relay(Phase::kInputs, digraph::content_of(digraph::Value{9}));
    for (std::uint16_t to = 0; to < 3; ++to) liar.tell(to, said);
    // Each is asked until it has taken what came before the question.
    while (runs.at(0)->status().refused == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_EQ(runs.at(1)->status().neighbours, 2u);
    EXPECT_EQ(runs.at(0)->status().neighbours, 3u);
    EXPECT_EQ(runs.at(2)->status().refused, 0u);
    runs.clear();  // nobody waits for the decision
  });
}

void expect_near(const std::vector<std::int64_t>& values, std::int64_t low, std::int64_t high,
                 std::int64_t apart) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  EXPECT_GE(*least, low);
  EXPECT_LE(*most, high);
  EXPECT_LE(*most - *least, apart);
}

TEST_F(GraphAgreements, ComeNearThoughOneIsMissing) {
  std::vector<std::unique_ptr<GraphAgreement>> runs;
  for (std::size_t i = 0; i < 3; ++i)
    runs.push_back(begin(network_.approximate(i, "near", static_cast<std::int64_t>(i) * 500)));
  std::vector<std::int64_t> values;
  for (auto& run : runs) {
    const auto decision = run->wait(kPatience);
    ASSERT_TRUE(decision) << decision.error();
    values.push_back(decision->value);
    EXPECT_EQ(run->status().refused, 0u);
  }
  expect_near(values, 0, 1000, 1000 / 256 + 1);
}

// A node that is not linked yet when the others speak gets everything once it is.
TEST_F(GraphAgreements, ReachWhoComesLate) {
  std::vector<std::unique_ptr<GraphAgreement>> runs;
  for (std::size_t i = 0; i < 3; ++i)
    runs.push_back(begin(network_.approximate(i, "late", static_cast<std::int64_t>(i) * 500)));
  for (auto& run : runs) ASSERT_TRUE(run->wait(kPatience));
  const auto late = begin(network_.approximate(3, "late", 500));
  const auto decision = late->wait(kPatience);
  ASSERT_TRUE(decision) << decision.error();
  expect_near({decision->value, runs[0]->wait(kPatience)->value}, 0, 1000, 1000 / 256 + 1);
}

TEST_F(GraphAgreements, KeepWhoWasKilledFromTakingPartAgain) {
  GraphAgreementOptions o = network_.approximate(0, "once", 3);
  o.folder = (folder_ / "node0").string();
  begin(o).reset();
  const auto again = GraphAgreement::begin(o);
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().text(), HasSubstr("took part in 'once' before"));
  o.name = "another";
  EXPECT_TRUE(GraphAgreement::begin(o));
}

// It proposes another value to each neighbour in every round, and supports both of everybody.
TEST_F(GraphAgreements, ComeNearThoughOneLies) {
  std::vector<std::unique_ptr<GraphAgreement>> runs;
  const GraphAgreementOptions own = network_.approximate(3, "lies", 0);
  GraphLiar liar(own, 3);
  ASSERT_FALSE(liar.problem());
  for (std::size_t i = 0; i < 3; ++i)
    runs.push_back(
        begin(network_.approximate(i, "lies", 400 + static_cast<std::int64_t>(i) * 100)));
  liar.await_links(2);
  for (std::uint32_t round = 1; round <= own.halvings; ++round) {
    liar.tell(0, liar.value(round, 0));
    liar.tell(2, liar.value(round, 1'000'000));
    for (std::uint16_t origin = 0; origin < 4; ++origin) {
      liar.tell(0, liar.support(origin, round, 0));
      liar.tell(2, liar.support(origin, round, 1'000'000));
    }
  }
  std::vector<std::int64_t> values;
  for (auto& run : runs) {
    const auto decision = run->wait(kPatience);
    ASSERT_TRUE(decision) << decision.error();
    values.push_back(decision->value);
  }
  expect_near(values, 400, 600, 200 / 256 + 1);
}

// The end of a wait of 292 million years lay before its begin, so there was none.
TEST_F(GraphAgreements, AreWaitedForWithAnyPatience) {
  std::vector<std::unique_ptr<GraphAgreement>> runs;
  for (std::size_t i = 0; i < 4; ++i) runs.push_back(begin(network_.approximate(i, "long", 7)));
  const auto decision = runs[0]->wait(std::chrono::milliseconds::max());
  ASSERT_TRUE(decision) << decision.error();
  EXPECT_EQ(decision->value, 7);
  for (auto& run : runs) EXPECT_TRUE(run->wait(kPatience));
}

TEST_F(GraphAgreements, AreNotMadeByThoseWhoMeanAnotherRun) {
  std::vector<std::unique_ptr<GraphAgreement>> runs;
  runs.push_back(begin(network_.approximate(0, "mine", 1)));
  runs.push_back(begin(network_.approximate(1, "yours", 1)));
  GraphAgreementOptions finer = network_.approximate(3, "mine", 1);
  finer.halvings = 9;
  runs.push_back(begin(finer));
  const auto none = runs[0]->wait(std::chrono::milliseconds(300));
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().text(), HasSubstr("links to 0 of 2 neighbours"));
}

TEST_F(GraphAgreements, SayWhatIsWrongWithWhatTheyAreGiven) {
  const auto problem = [](const GraphAgreementOptions& o) {
    const auto begun = GraphAgreement::begin(o);
    return begun ? std::string() : begun.error().text();
  };
  GraphAgreementOptions o = network_.approximate(0, "bad", 1);
  o.key = crypto::SigningKey::generate();
  EXPECT_THAT(problem(o), HasSubstr("no member"));
  o = network_.approximate(0, "bad", 1);
  o.graph = Digraph(5);
  EXPECT_THAT(problem(o), HasSubstr("5 nodes and the genesis file 4"));
  o = network_.approximate(0, "bad", 1);
  o.graph.remove(NodeId{0}, NodeId{1});
  EXPECT_THAT(problem(o), HasSubstr("cannot reach approximate agreement"));
  o.faults = 4;
  EXPECT_THAT(problem(o), HasSubstr("too many"));
  EXPECT_THAT(problem(network_.approximate(0, "Not this", 1)), HasSubstr("'Not this'"));
  EXPECT_THAT(problem(network_.approximate(0, "bad", std::int64_t{1} << 62)),
              HasSubstr("out of range"));
  o = network_.approximate(0, "bad", 1);
  o.halvings = 65;
  EXPECT_THAT(problem(o), HasSubstr("over 64"));
  o = network_.options(0, "bad");
  EXPECT_THAT(problem(o), HasSubstr("start is over"));
  o.value = -1;
  EXPECT_THAT(problem(o), HasSubstr("out of range"));
  o = network_.options(0, "bad");
  o.delta_us = 1;
  EXPECT_THAT(problem(o), HasSubstr("1 ms to 1 min"));
}

}  // namespace
}  // namespace thresher::net
