// Exact agreement on every small graph: enough where the condition holds, whatever the faulty nodes
// do; and where it does not, the runs that the proof names break it.
#include "thresher/protocols/digraph/sync_auth.hpp"

#include <gtest/gtest.h>

#include "faces.hpp"
#include "thresher/core/prng.hpp"

namespace thresher::digraph {
namespace {

using Net = Faces<SyncAuth>;

SyncAuth node_of(const Digraph& graph, std::uint32_t faults, std::uint32_t id, Value input) {
  return SyncAuth({.graph = graph, .faults = faults, .self = node_id(id), .input = input});
}

void run_to_the_end(Net& net, const Digraph& graph) {
  net.start();
  for (std::uint32_t round = 0; round < 2 * (graph.size() - 1); ++round) net.wave(true);
}

/// What was broken among the nodes that are not of `faulty`; empty: nothing.
std::string breach(const Net& net, const Digraph& graph, Mask faulty,
                   const std::vector<Value>& inputs) {
  std::optional<Value> common;
  std::optional<Value> input;
  bool one_input = true;
  bool agreed = true;
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    if ((faulty & bit(i)) != 0) continue;
    const auto decided = net.correct(i).decided();
    if (!decided) return "node " + std::to_string(i) + " did not decide";
    agreed = agreed && (!common || *common == *decided);
    common = decided;
    one_input = one_input && (!input || *input == inputs[i]);
    input = inputs[i];
  }
  if (!agreed) return "agreement";
  return one_input && *common != *input ? "validity" : "";
}

TEST(SyncAuth, WithoutFaultsACompleteGraphDecidesTheCommonInputOrTheDefault) {
  const Digraph graph = graph_of(4, ~std::uint64_t{0});
  for (const bool same : {true, false}) {
    Net net(graph);
    std::vector<Value> inputs;
    for (std::uint32_t i = 0; i < 4; ++i) {
      inputs.push_back(same ? 7 : i);
      net.add({.node = node_of(graph, 1, i, inputs.back()), .id = i});
    }
    run_to_the_end(net, graph);
    EXPECT_EQ(breach(net, graph, 0, inputs), "");
    EXPECT_EQ(net.correct(0).decided(), same ? 7 : kDefaultValue);
  }
}

/// A face of `liar`, drawn: its input, whom it hears and answers, what it keeps back, and what its
/// statement says.
Face<SyncAuth> drawn_face(const Digraph& graph, std::uint32_t faults, std::uint32_t liar,
                          std::uint32_t side, Prng& prng) {
  Face<SyncAuth> face{.node = node_of(graph, faults, liar, 1 + prng.below(3)), .id = liar};
  face.faulty = true;
  face.side = side;
  if (prng.below(3) == 0) face.starts = static_cast<std::uint32_t>(prng.below(graph.size()));
  face.hears = prng.below(2) == 0 ? ~Mask{0} : prng.next();
  face.answers = prng.below(3) == 0 ? ~Mask{0} : prng.next();
  const std::uint64_t drops = prng.below(3) * 20;
  const bool rewrites = prng.below(2) == 0;
  const std::uint64_t seed = prng.next();
  face.lie = [=, &graph, own = Prng(seed, 4)](std::uint32_t to, Relay& m) mutable {
    if (own.below(100) < drops) return false;
    if (!rewrites || m.phase != Phase::kStatements || m.origin.value != liar) return true;
    Prng said(seed + to % 2, 5);  // two statements at most, each to some neighbours
    Inputs heard = *read_statement(m.content, graph.size());
    heard[said.below(graph.size())] =
        said.below(2) == 0 ? Heard{} : Heard{Heard::Count::kOne, 1 + said.below(2)};
    m.content = content_of(heard);
    auto list = std::make_shared<SignatureList>();
    list->signers.insert(node_id(liar));
    list->signatures = {
        sim::mock_signature(node_id(liar), relay_digest({}, m.phase, m.origin, m.content))};
    m.list = std::move(list);
    return true;
  };
  return face;
}

/// Some nodes are faulty, each with up to three faces.
std::string one_adversary(const Digraph& graph, std::uint32_t faults, std::uint64_t seed) {
  Prng prng(seed, 3);
  const std::uint32_t n = graph.size();
  Mask liars = 0;
  while (size_of(liars) < faults) liars |= bit(static_cast<std::uint32_t>(prng.below(n)));
  Net net(graph);
  std::vector<Value> inputs(n);
  const bool same = prng.below(3) == 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    inputs[i] = same ? 1 : 1 + prng.below(2);
    if ((liars & bit(i)) == 0) net.add({.node = node_of(graph, faults, i, inputs[i]), .id = i});
  }
  for_each(liars, [&](std::uint32_t liar) {
    const std::uint64_t faces = prng.below(4);
    for (std::uint32_t side = 0; side < faces; ++side) {
      net.add(drawn_face(graph, faults, liar, side, prng));
    }
  });
  run_to_the_end(net, graph);
  return breach(net, graph, liars, inputs);
}

TEST(SyncAuth, NoAdversaryBreaksItWhereTheConditionHolds) {
  std::uint64_t runs = 0;
  for (std::uint64_t edges = 0; edges < (1 << 12); ++edges) {
    const Digraph graph = graph_of(4, edges);
    if (synchronous_breach(graph, 1)) continue;
    for (std::uint64_t seed = 0; seed < 20; ++seed, ++runs) {
      ASSERT_EQ(one_adversary(graph, 1, edges * 1000 + seed), "") << edges << " " << seed;
    }
  }
  Prng prng(1, 6);
  for (int graphs = 0; graphs < 500;) {
    const std::uint64_t edges = prng.next() | prng.next();  // three of four edges
    const Digraph graph = graph_of(5, edges);
    if (synchronous_breach(graph, 1)) continue;
    ++graphs;
    for (std::uint64_t seed = 0; seed < 10; ++seed, ++runs) {
      ASSERT_EQ(one_adversary(graph, 1, prng.next()), "") << graphs << " " << seed;
    }
  }
  const Digraph complete = graph_of(5, ~std::uint64_t{0});
  for (std::uint64_t seed = 0; seed < 500; ++seed, ++runs) {
    ASSERT_EQ(one_adversary(complete, 2, seed), "") << seed;
  }
  EXPECT_GE(runs, 10'000U);
}

/// The same adversaries where the condition does not hold: they must have teeth.
TEST(SyncAuth, TheSameAdversariesBreakItElsewhere) {
  int broken = 0;
  Prng prng(2, 6);
  for (int graphs = 0; graphs < 2000; ++graphs) {
    const Digraph graph = graph_of(4, prng.next());
    if (!synchronous_breach(graph, 1)) continue;
    broken += one_adversary(graph, 1, prng.next()).empty() ? 0 : 1;
  }
  EXPECT_GT(broken, 100);
}

/// The runs of the proof for one witness: what broke in each, empty where nothing did. Nodes of
/// `ones` have 1, the others 2. The nodes of A send nothing to those of `cut`, or these are faulty
/// themselves and act as if nothing had come.
std::vector<std::string> scripted(const Digraph& graph, const Witness& w) {
  const Mask s = w.source_a;
  const bool two_sources = w.breach == Breach::kTwoSources;
  const Mask cut = two_sources ? graph.all() : s;
  std::vector<std::string> broken;
  const auto run = [&](Mask faulty, Mask ones) {
    Net net(graph);
    std::vector<Value> inputs(graph.size());
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
      inputs[i] = (ones & bit(i)) != 0 ? 1 : 2;
      Face<SyncAuth> face{.node = node_of(graph, 1, i, inputs[i]), .id = i};
      face.faulty = (faulty & bit(i)) != 0;
      if (faulty == w.a && face.faulty) face.answers = ~cut;
      if (faulty == s && face.faulty) face.hears = ~w.a;
      net.add(std::move(face));
    }
    run_to_the_end(net, graph);
    broken.push_back(breach(net, graph, faulty, inputs));
  };
  run(w.a, s);                   // the sources, or the source and the rest, differ
  run(w.a, graph.all() & ~w.a);  // for the first source it is as if all correct ones had 1
  run(two_sources ? w.a : s, two_sources ? 0 : s);  // and for the others as if they had 2
  return broken;
}

TEST(SyncAuth, TheRunsOfTheProofBreakItWhereverTheConditionFails) {
  int graphs = 0;
  const auto check = [&](const Digraph& graph) {
    const auto witness = synchronous_breach(graph, 1);
    if (!witness) return;
    ++graphs;
    const auto broken = scripted(graph, *witness);
    EXPECT_TRUE(std::any_of(broken.begin(), broken.end(), [](const auto& b) { return !b.empty(); }))
        << "graph " << graphs << " of " << graph.size();
  };
  for (std::uint64_t edges = 0; edges < (1 << 12); ++edges) check(graph_of(4, edges));
  Prng prng(3, 6);
  for (int i = 0; i < 500; ++i) check(graph_of(5, prng.next()));
  EXPECT_GT(graphs, 3000);
}

TEST(SyncAuth, RefusesWhatIsMalformedLateOrTooMuch) {
  const Digraph graph = graph_of(3, 0b111011);  // no edge from 1 to 0
  SyncAuth node = node_of(graph, 0, 0, 1);
  Effects<Relay, Decision> fx;
  node.on(Start{}, fx);
  const auto offer = [&](std::uint32_t from, std::uint32_t origin, Bytes content,
                         std::vector<std::uint32_t> signers) {
    auto list = std::make_shared<SignatureList>();
    for (const std::uint32_t s : signers) list->signers.insert(node_id(s));
    list->signatures.resize(signers.size());
    fx.clear();
    node.on(Received<Relay>{node_id(from), {Phase::kInputs, node_id(origin), content, list}}, fx);
    return !fx.empty();
  };
  EXPECT_TRUE(offer(2, 2, content_of(Value{5}), {2}));
  const Ticket asked = std::get<VerifyAll>(fx.list().front()).ticket;
  fx.clear();
  node.on(Verified{asked, false}, fx);
  EXPECT_TRUE(fx.empty()) << "a signature was bad";
  EXPECT_FALSE(offer(1, 1, content_of(Value{5}), {1})) << "there is no such edge";
  EXPECT_FALSE(offer(2, 9, content_of(Value{5}), {2})) << "there is no such node";
  EXPECT_FALSE(offer(2, 1, content_of(Value{5}), {1})) << "the neighbour did not sign";
  EXPECT_FALSE(offer(2, 1, content_of(Value{5}), {2})) << "the origin did not sign";
  EXPECT_FALSE(offer(2, 2, Bytes::copy_of(as_view("short")), {2}));
  EXPECT_FALSE(offer(2, 2, content_of(Inputs(3)), {2})) << "a statement in the first phase";
  for (Value v = 0; v < 3; ++v) EXPECT_TRUE(offer(2, 2, content_of(v), {2}));
  EXPECT_FALSE(offer(2, 2, content_of(Value{9}), {2})) << "more than a neighbour may offer";
  node.on(Expired{}, fx);
  EXPECT_FALSE(offer(2, 2, content_of(Value{10}), {2})) << "one signer in the second round";
  EXPECT_TRUE(offer(2, 1, content_of(Value{10}), {1, 2}));
  EXPECT_LE(node.held(), SyncAuth::most_held({.graph = graph}));
}

TEST(SyncAuth, ANodeThatRestartsStaysSilent) {
  const Digraph graph = graph_of(3, ~std::uint64_t{0});
  SyncAuth first = node_of(graph, 1, 0, 1);
  Effects<Relay, Decision> fx;
  first.on(Start{}, fx);
  std::optional<Persist> record;
  for (const auto& effect : fx.list()) {
    if (const auto* p = std::get_if<Persist>(&effect)) record = *p;
  }
  ASSERT_TRUE(record);
  SyncAuth again = node_of(graph, 1, 0, 2);
  Effects<Relay, Decision> silence;
  again.on(Restored{record->table, record->key, record->value}, silence);
  again.on(Start{}, silence);
  again.on(Expired{}, silence);
  EXPECT_TRUE(silence.empty());
}

}  // namespace
}  // namespace thresher::digraph
