// Approximate agreement on small graphs, in any order of messages: enough where the condition
// holds, whatever the faulty node does; and where it does not, the runs that the proof names break
// it.
#include "thresher/protocols/digraph/async_auth.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "faces.hpp"
#include "thresher/core/prng.hpp"

namespace thresher::digraph {
namespace {

using Net = Faces<AsyncAuth>;
constexpr std::int64_t kSpread = 1000;
constexpr std::uint32_t kRounds = 4;
/// Ten thousand runs in the slow tests, a thousand in the fast ones.
constexpr std::uint64_t kEffort = THRESHER_EFFORT;

AsyncAuth node_of(const Digraph& graph, std::uint32_t faults, std::uint32_t id,
                  std::int64_t input) {
  return AsyncAuth(
      {.graph = graph, .faults = faults, .self = node_id(id), .input = input, .rounds = kRounds});
}

/// What was broken among the nodes of `judged`; empty: nothing.
std::string breach(const Net& net, Mask judged) {
  std::vector<std::int64_t> inputs, outputs;
  std::string undecided;
  for_each(judged, [&](std::uint32_t i) {
    inputs.push_back(net.correct(i).input());
    if (!net.correct(i).decided()) undecided = "node " + std::to_string(i) + " did not decide";
    outputs.push_back(net.correct(i).decided().value_or(0));
  });
  if (!undecided.empty()) return undecided;
  const auto [low, high] = std::minmax_element(outputs.begin(), outputs.end());
  const auto [least, most] = std::minmax_element(inputs.begin(), inputs.end());
  if (*low < *least || *high > *most) return "validity";
  return *high - *low > (*most - *least) / (1 << kRounds) + 1 ? "agreement" : "";
}

/// Messages in any order, until none is on its way.
void run_to_the_end(Net& net, Prng& prng) {
  net.start();
  while (net.one([&](std::size_t many) { return prng.below(many); })) {
  }
}

TEST(AsyncAuth, TheMiddleLeavesOutTheFarthest) {
  EXPECT_EQ(async_auth::trimmed_middle({5, 1000, 7, -1000, 9}, 1), 7);
  EXPECT_EQ(async_auth::trimmed_middle({1, 4}, 0), 2);
  EXPECT_EQ(async_auth::trimmed_middle({-4, -1}, 0), -3);
}

std::string one_adversary(const Digraph& graph, std::uint64_t seed) {
  Prng prng(seed, 7);
  const std::uint32_t n = graph.size();
  const auto liar = static_cast<std::uint32_t>(prng.below(n));
  Net net(graph);
  for (std::uint32_t i = 0; i < n; ++i) {
    const auto input = static_cast<std::int64_t>(prng.below(kSpread + 1));
    if (i != liar) net.add({.node = node_of(graph, 1, i, input), .id = i});
  }
  const std::uint64_t faces = prng.below(4);
  for (std::uint32_t side = 0; side < faces; ++side) {
    const auto input = static_cast<std::int64_t>(prng.below(8 * kSpread)) - 4 * kSpread;
    Face<AsyncAuth> face{.node = node_of(graph, 1, liar, input), .id = liar};
    face.faulty = true;
    face.side = side;
    face.hears = prng.below(2) == 0 ? ~Mask{0} : prng.next();
    face.answers = prng.below(2) == 0 ? ~Mask{0} : prng.next();
    const std::uint64_t drops = prng.below(3) * 20;
    face.lie = [drops, own = Prng(prng.next(), 8)](std::uint32_t, AsyncAuth::Message&) mutable {
      return own.below(100) >= drops;
    };
    net.add(std::move(face));
  }
  run_to_the_end(net, prng);
  return breach(net, graph.all() & ~bit(liar));
}

TEST(AsyncAuth, NoAdversaryBreaksItWhereTheConditionHolds) {
  std::uint64_t runs = 0;
  for (std::uint64_t edges = 0; edges < (1 << 12); ++edges) {
    const Digraph graph = graph_of(4, edges);
    if (asynchronous_breach(graph, 1)) continue;
    for (std::uint64_t seed = 0; seed < 20 * kEffort; ++seed, ++runs) {
      ASSERT_EQ(one_adversary(graph, edges * 1000 + seed), "") << edges << " " << seed;
    }
  }
  Prng prng(1, 9);
  for (int graphs = 0; graphs < 60;) {
    const Digraph graph = graph_of(5, prng.next() | prng.next());  // three of four edges
    if (asynchronous_breach(graph, 1)) continue;
    ++graphs;
    for (std::uint64_t seed = 0; seed < 5 * kEffort; ++seed, ++runs) {
      ASSERT_EQ(one_adversary(graph, prng.next()), "") << graphs << " " << seed;
    }
  }
  EXPECT_GE(runs, 500U * kEffort);
}

/// The runs of the proof: A is silent, B is silent, and for each source component that looks the
/// same as a run in which the nodes in both have two faces and A and B are only late.
std::vector<std::string> scripted(const Digraph& graph, const Witness& w) {
  const Mask both = w.source_a & w.source_b;
  std::vector<std::string> broken;
  const auto add = [&](Net& net, std::uint32_t i, std::int64_t input, std::uint32_t side,
                       Mask with) {
    Face<AsyncAuth> face{.node = node_of(graph, 1, i, input), .id = i};
    face.faulty = (both & bit(i)) != 0;
    face.side = side;
    face.hears = with;
    face.answers = with;
    net.add(std::move(face));
  };
  Prng prng(4, 9);
  for (const auto& [silent, input] : {std::pair(w.a, std::int64_t{0}), std::pair(w.b, kSpread)}) {
    Net net(graph);
    for_each(graph.all() & ~silent,
             [&](std::uint32_t i) { net.add({.node = node_of(graph, 1, i, input), .id = i}); });
    run_to_the_end(net, prng);
    broken.push_back(breach(net, graph.all() & ~silent));
  }
  Net net(graph);
  for_each(w.source_a, [&](std::uint32_t i) { add(net, i, 0, 0, w.source_a); });
  for_each(w.source_b, [&](std::uint32_t i) { add(net, i, kSpread, 1, w.source_b); });
  run_to_the_end(net, prng);
  broken.push_back(breach(net, (w.source_a | w.source_b) & ~both));
  return broken;
}

TEST(AsyncAuth, TheRunsOfTheProofBreakItWhereverTheSourcesShareTooFew) {
  int graphs = 0;
  const auto check = [&](const Digraph& graph) {
    const auto witness = asynchronous_breach(graph, 1);
    if (!witness || witness->breach != Breach::kFewCommon) return;
    ++graphs;
    const auto broken = scripted(graph, *witness);
    EXPECT_TRUE(std::any_of(broken.begin(), broken.end(), [](const auto& b) { return !b.empty(); }))
        << "graph " << graphs << " of " << graph.size();
  };
  for (std::uint64_t edges = 0; edges < (1 << 12); ++edges) check(graph_of(4, edges));
  Prng prng(3, 9);
  for (int i = 0; i < 300; ++i) check(graph_of(5, prng.next() | prng.next()));
  EXPECT_GT(graphs, 100);
}

// A complete graph of four, f = 1, seen from node 0: what it does with reports of what it lacks.
/// The runs of the proof where there are two sources without A, or one that is too small: A is
/// silent, or it is silent towards the source alone; or the source is faulty and acts as if it had
/// heard nothing from A.
std::vector<std::string> scripted_alone(const Digraph& graph, const Witness& w) {
  const Mask s = w.source_a;
  const bool two_sources = w.breach == Breach::kTwoSources;
  std::vector<std::string> broken;
  Prng prng(4, 9);
  const auto run = [&](Mask faulty, Mask low) {
    Net net(graph);
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
      const std::int64_t input = (low & bit(i)) != 0 ? 0 : kSpread;
      Face<AsyncAuth> face{.node = node_of(graph, 1, i, input), .id = i};
      face.faulty = (faulty & bit(i)) != 0;
      if (faulty == w.a && face.faulty) face.answers = two_sources ? 0 : ~s;
      if (faulty == s && face.faulty) face.hears = ~w.a;
      net.add(std::move(face));
    }
    run_to_the_end(net, prng);
    broken.push_back(breach(net, graph.all() & ~faulty));
  };
  run(w.a, s);
  run(w.a, graph.all() & ~w.a);
  run(two_sources ? w.a : s, two_sources ? 0 : s);
  return broken;
}

TEST(AsyncAuth, TheRunsOfTheProofBreakItWhereverASourceIsMissingOrTooSmall) {
  int graphs = 0;
  const auto check = [&](const Digraph& graph) {
    const auto witness = synchronous_breach(graph, 1);
    if (!witness) return;
    ++graphs;
    const auto broken = scripted_alone(graph, *witness);
    EXPECT_TRUE(std::any_of(broken.begin(), broken.end(), [](const auto& b) { return !b.empty(); }))
        << "graph " << graphs << " of " << graph.size();
  };
  for (std::uint64_t edges = 0; edges < (1 << 12); ++edges) check(graph_of(4, edges));
  Prng prng(3, 9);
  for (int i = 0; i < 300; ++i) check(graph_of(5, prng.next()));
  EXPECT_GT(graphs, 3000);
}

TEST(AsyncAuth, WaitsUntilItHasCertifiedWhatOthersReported) {
  const Digraph graph = graph_of(4, ~std::uint64_t{0});
  AsyncAuth node = node_of(graph, 1, 0, 0);
  bool next_round = false;
  const std::function<void(EffectsOf<AsyncAuth>&)> carry_out = [&](EffectsOf<AsyncAuth>& fx) {
    for (auto& effect : fx.list()) {
      EffectsOf<AsyncAuth> more;
      if (const auto* send = std::get_if<Send<AsyncAuth::Message>>(&effect)) {
        const auto* p = std::get_if<async_auth::Proposal>(&send->message);
        next_round = next_round || (p != nullptr && p->origin == node_id(0) && p->round == 2);
      } else if (const auto* e = std::get_if<Endorse>(&effect)) {
        node.on(Endorsed{e->ticket, {}}, more);
      } else if (const auto* one = std::get_if<Verify>(&effect)) {
        node.on(Verified{one->ticket, true}, more);
      } else if (const auto* all = std::get_if<VerifyAll>(&effect)) {
        node.on(Verified{all->ticket, true}, more);
      }
      if (!more.empty()) carry_out(more);
    }
  };
  const auto hear = [&](std::uint32_t from, AsyncAuth::Message m) {
    EffectsOf<AsyncAuth> fx;
    node.on(Received<AsyncAuth::Message>{node_id(from), std::move(m)}, fx);
    carry_out(fx);
  };
  EffectsOf<AsyncAuth> fx;
  node.on(Start{}, fx);
  carry_out(fx);
  auto three = std::make_shared<SignatureList>();
  for (std::uint32_t i = 1; i < 4; ++i) three->signers.insert(node_id(i));
  three->signatures.resize(3);
  for (std::uint32_t i = 0; i < 3; ++i) {
    hear(1, async_auth::Certificate{node_id(i), 1, 100 * i, three});
  }
  for (std::uint32_t i = 1; i < 4; ++i) {
    hear(i, async_auth::Report{node_id(i), 1, {{}, 100, 200, 300}, {}});
  }
  EXPECT_FALSE(next_round) << "the value of node 3 is not certified here";
  hear(1, async_auth::Certificate{node_id(3), 1, 300, three});
  EXPECT_TRUE(next_round);
}

TEST(AsyncAuth, RefusesWhatIsMalformedForgedOrOfferedTwice) {
  const Digraph graph = graph_of(4, ~std::uint64_t{0});
  AsyncAuth node = node_of(graph, 1, 0, 1);
  EffectsOf<AsyncAuth> fx;
  node.on(Start{}, fx);
  const auto offer = [&](std::uint32_t from, AsyncAuth::Message m) {
    fx.clear();
    node.on(Received<AsyncAuth::Message>{node_id(from), std::move(m)}, fx);
    return !fx.empty();
  };
  using async_auth::Proposal;
  EXPECT_TRUE(offer(1, Proposal{node_id(1), 1, 5, {}}));
  const Ticket asked = std::get<Verify>(fx.list().front()).ticket;
  EXPECT_FALSE(offer(1, Proposal{node_id(1), 1, 6, {}})) << "another one from the same neighbour";
  EXPECT_TRUE(offer(2, Proposal{node_id(1), 1, 6, {}}));
  fx.clear();
  node.on(Verified{asked, false}, fx);
  EXPECT_TRUE(fx.empty()) << "a bad signature";
  EXPECT_FALSE(offer(1, Proposal{node_id(9), 1, 5, {}})) << "there is no such node";
  EXPECT_FALSE(offer(1, Proposal{node_id(2), kRounds + 1, 5, {}})) << "nor such a round";
  EXPECT_FALSE(offer(1, Proposal{node_id(2), 1, std::int64_t{1} << 62, {}}));
  EXPECT_FALSE(offer(1, async_auth::Report{node_id(1), 1, {}, {}})) << "a report of other nodes";
  auto few = std::make_shared<SignatureList>();
  few->signers.insert(node_id(1));
  few->signatures.resize(1);
  EXPECT_FALSE(offer(1, async_auth::Certificate{node_id(1), 1, 5, few})) << "no source component";
  EXPECT_FALSE(offer(1, async_auth::Certificate{node_id(1), 1, 5, nullptr}));
}

}  // namespace
}  // namespace thresher::digraph
