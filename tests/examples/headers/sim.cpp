// The examples of sim's headers, compiled (held_test.py says how they are found).
#include <iostream>

#include "thresher/sim/agreement_run.hpp"
#include "thresher/sim/calendar.hpp"
#include "thresher/sim/certified_run.hpp"
#include "thresher/sim/commits.hpp"
#include "thresher/sim/dag_run.hpp"
#include "thresher/sim/experiment.hpp"
#include "thresher/sim/faults.hpp"
#include "thresher/sim/fuzz.hpp"
#include "thresher/sim/healing.hpp"
#include "thresher/sim/hunt.hpp"
#include "thresher/sim/insight.hpp"
#include "thresher/sim/leader_chain_run.hpp"
#include "thresher/sim/machine.hpp"
#include "thresher/sim/measure.hpp"
#include "thresher/sim/names.hpp"
#include "thresher/sim/network.hpp"
#include "thresher/sim/nodes.hpp"
#include "thresher/sim/oracles.hpp"
#include "thresher/sim/outcome.hpp"
#include "thresher/sim/pbft_run.hpp"
#include "thresher/sim/pools.hpp"
#include "thresher/sim/read.hpp"
#include "thresher/sim/report.hpp"
#include "thresher/sim/reproduce.hpp"
#include "thresher/sim/results.hpp"
#include "thresher/sim/run.hpp"
#include "thresher/sim/sent_kinds.hpp"
#include "thresher/sim/shrink.hpp"
#include "thresher/sim/signing.hpp"
#include "thresher/sim/slab.hpp"
#include "thresher/sim/statistics.hpp"
#include "thresher/sim/story.hpp"
#include "thresher/sim/subject.hpp"
#include "thresher/sim/sweep.hpp"
#include "thresher/sim/told.hpp"
#include "thresher/sim/typed_insight.hpp"
#include "thresher/sim/typed_nodes.hpp"
#include "thresher/sim/vertex_times.hpp"
#include "thresher/sim/wan.hpp"
#include "thresher/sim/wan_table.hpp"
#include "thresher/sim/world.hpp"

namespace thresher::sim {
namespace {

struct MyProtocol {
  struct Message {
    Bytes payload;
  };
  struct Output {
    Bytes payload;
  };
  using Request = Bytes;
  void on(const Received<Message>&, EffectsOf<MyProtocol>&);
  void on(const Requested<Request>&, EffectsOf<MyProtocol>&);
};

// <thresher/sim/subject.hpp>
struct Mine {
  using Node = MyProtocol;
  static constexpr bool kOrdered = true;
  Node make(NodeId id) const;
  Node::Request request(const Bytes& payload) const;
  MessageFacts facts_of(const Node::Message&) const;
  OutputFacts facts_of(const Node::Output&) const;
  template <class F>
  void payloads(const Node::Output& o, std::optional<NodeId>, F visit) const {
    visit(o.payload.view(), std::nullopt);
  }
  bool mutate(Node::Message&, NodeId, std::string_view, std::uint64_t) const;
  std::uint64_t round(const Node&) const;
  std::uint64_t refused(const Node&) const;
  Experiment experiment{};
};
// </>

void use(const std::string& text);
void give(std::uint64_t number);

void agreement_example(const Experiment& e, const RoundTables& mutant) {
  const auto against_the_proved_table = [](const VoteLog&, const NodeSet&) {
    return std::optional<std::string>();
  };
  // <thresher/sim/agreement_run.hpp>
  Outcome o = simulate_agreement(e, {.tables = &mutant, .judge = against_the_proved_table}, {});
  // </>
}

void calendar_example(Ticks width, Ticks at, Ticks now, std::uint32_t what, std::uint32_t who) {
  // <thresher/sim/calendar.hpp>
  Calendar calendar(width);
  calendar.push(at, what, who);
  for (Event e; calendar.take(now, e);) give(e.what);
  // </>
}

void certified_example(const Experiment& experiment) {
  // <thresher/sim/certified_run.hpp>
  certified::Rules rules = certified::Rules::anchored_bullshark(0);
  rules.commit = kValidity;
  Outcome outcome = simulate_certified(experiment, rules, {});
  // </>
}

void commits_example(const Experiment& experiment, NodeId node, Ticks now, Ticks end,
                     const std::vector<NodeId>& correct) {
  // <thresher/sim/commits.hpp>
  Commits commits(experiment);
  commits.committed(node, now);
  const CommitTimes times = commits.times(correct, end);
  // </>
}

void dag_example(const Experiment& experiment) {
  // <thresher/sim/dag_run.hpp>
  dag::Rules rules = dag::Rules::thresher();
  rules.skip = kValidity;
  Outcome outcome = simulate_dag(experiment, rules, {});
  // </>
}

void experiment_example() {
  // <thresher/sim/experiment.hpp>
  Experiment e{.protocol = "pbft", .n = 100, .f = 33};
  e.faults.push_back({.who = {NodeId{3}}, .what = FaultKind::kSilent});
  Outcome outcome = simulate(e, {});
  // </>
}

void faults_example(const Experiment& experiment, NodeId from, NodeId to, Ticks now,
                    std::vector<FaultPlan::Deed>& deeds) {
  // <thresher/sim/faults.hpp>
  FaultPlan plan(experiment);
  plan.deeds({.from = from, .to = to, .now = now}, deeds);
  // </>
}

void fuzz_example(const Experiment& experiment) {
  const auto again = [](const Experiment& e) { return simulate(e, {}); };
  // <thresher/sim/fuzz.hpp>
  auto report = fuzz({experiment}, [](const Experiment& e) { return simulate(e, {}); },
                     {.first = 1, .last = 100'000, .jobs = 8});
  if (report && report->violation) shrink(report->violation->experiment, again, {});
  // </>
}

void healing_example(const Insight& insight, const Judge& judge, const Oracles& oracles,
                     const std::vector<NodeId>& nodes, Ticks now, Ticks end) {
  // <thresher/sim/healing.hpp>
  Healing healing(insight, judge, oracles, nodes, now);
  while (!healing.done() && now < end) ++now;
  if (auto finding = healing.missing(now)) use(finding->why);
  // </>
}

void insight_example(TypedNodes<Mine>& nodes, const Experiment& experiment) {
  // <thresher/sim/insight.hpp>
  TypedInsight<Mine> insight(nodes);
  Outcome outcome = run_nodes(nodes, insight, experiment, {});
  // </>
}

struct Kept {
  std::uint64_t number = 0;
};
void hunt_example(const Experiment& experiment, const NodeSet& faulty, NodeId id,
                  std::uint64_t round, Kept kept) {
  // <thresher/sim/hunt.hpp>
  Hunt<Kept> hunt(experiment, faulty);
  hunt.proposed(id, round);
  if (hunt.holds(id)) hunt.keep(id, kept);
  if (hunt.reached(id, round))
    for (Kept& k : hunt.take()) give(k.number);
  // </>
}

void leader_chain_example(const Experiment& experiment) {
  // <thresher/sim/leader_chain_run.hpp>
  Outcome o = simulate_simplex(experiment, {.keeps_word = false}, {});
  // </>
}

void machine_example(const Experiment& experiment, Ticks end) {
  using Output = MyProtocol::Output;
  // <thresher/sim/machine.hpp>
  Machine<Mine> machine(Mine{experiment}, experiment, /*trace=*/nullptr);
  machine.on_deliver = [&](NodeId id, const Output& output) { give(id.value); };
  while (machine.next_time() <= end) machine.run_instant(machine.next_time());
  // </>
}

void work();
void measure_example() {
  // <thresher/sim/measure.hpp>
  CpuClock clock;
  work();
  clock.seconds();
  MemoryMeter memory;
  work();
  memory.sample();
  work();
  memory.added();
  // </>
}

void names_example() {
  // <thresher/sim/names.hpp>
  std::string_view name = name_of(FaultKind::kTwins);
  // </>
}

void network_example(const Experiment& experiment, const NodeSet& faulty, NodeId a, NodeId b,
                     Ticks now) {
  // <thresher/sim/network.hpp>
  Links links(experiment, faulty);
  Transit t = links.transit({.from = a, .to = b, .number = 7, .sent = now});
  // </>
}

void nodes_example(const Experiment& experiment) {
  // <thresher/sim/nodes.hpp>
  TypedNodes<Mine> nodes(Mine{experiment});
  World world(nodes, experiment, /*trace=*/nullptr);
  // </>
}

void oracles_example(const Experiment& experiment, const FaultPlan& plan, Ticks quiet, Ticks bound,
                     NodeId id, const OutputFacts& facts, Ticks now) {
  // <thresher/sim/oracles.hpp>
  Judge judge(experiment, plan, {.ordered = true, .quiet_from = quiet, .bound = bound});
  judge.output(id, facts, now);
  if (judge.failed()) use(judge.why());
  // </>
}

void outcome_example(const Experiment& experiment, TraceSink& sink) {
  // <thresher/sim/outcome.hpp>
  Outcome o = simulate(experiment, {.trace = &sink});
  if (o.verdict == Verdict::kViolated) std::cerr << o.why;
  // </>
}

void pbft_example(const Experiment& experiment) {
  // <thresher/sim/pbft_run.hpp>
  Outcome o = simulate_pbft(experiment, {.joins = false}, {});
  // </>
}

void hand_over(const Bytes& payload);
void pools_example(const Experiment& experiment, std::uint32_t n, NodeId node, Ticks now) {
  // <thresher/sim/pools.hpp>
  Pools pools(experiment.workload, n);
  pools.add({node, 1}, now);
  pools.add({node, 2}, now);
  if (pools.pack(node, now, {.queued = 0, .extends = true})) hand_over(pools.payload(node, 0));
  // </>
}

int fail(const Errors& problems);
int read_example(std::string_view content) {
  // <thresher/sim/read.hpp>
  auto cells = read_experiments(content, {"exp.json", {}, simulated_protocols()});
  if (!cells) return fail(cells.error());
  for (const Cell& cell : *cells) simulate(cell.experiment, {});
  std::cout << write_experiment(cells->front().experiment);
  // </>
  return 0;
}

void report_example(const Experiment& e) {
  // <thresher/sim/report.hpp>
  TraceRecorder trace;
  Outcome o = simulate(e, {.trace = &trace});
  std::string page =
      report_html({.title = "pbft, n=4", .experiment = &e, .outcome = &o, .trace = &trace});
  // </>
}

template <class Measured>
void print(const std::string& what, const Measured& measured, bool holds);
void reproduce_example(const std::string& version, const std::string& command) {
  // <thresher/sim/reproduce.hpp>
  for (const std::string& name : reproductions()) {
    const Reproduction r = reproduce(name, {.runs = 400, .seed = 1});
    for (const CheckedClaim& c : r.claims) print(c.what, c.measured, c.holds());
    std::string page = reproduction_html({r}, version, command);
  }
  // </>
}

void results_example(const Experiment& experiment, const Outcome& outcome,
                     const std::string& version) {
  // <thresher/sim/results.hpp>
  text::Value row = outcome_json(experiment, outcome, {.costs = true});
  auto failed = save_run("runs/1f2e", {experiment, outcome, version});
  // </>
}

void run_example(const Experiment& experiment, TraceSink& sink) {
  // <thresher/sim/run.hpp>
  Outcome outcome = run(Mine{experiment}, experiment, {.trace = &sink});
  // </>
}

void sent_kinds_example(const MessageFacts& facts) {
  // <thresher/sim/sent_kinds.hpp>
  SentKinds kinds;
  const std::uint32_t kind = kinds.of("block");
  kinds.sent(kind, facts, 9);
  for (const SentKind& k : kinds.all()) give(k.messages);
  // </>
}

void shrink_example(const Experiment& failing) {
  // <thresher/sim/shrink.hpp>
  Shrunk small = shrink(failing, [](const Experiment& e) { return simulate(e, {}); }, {});
  auto saved = save_file("scenario.json", write_scenario(small.experiment, small.outcome,
                                                         "thresher sim replay scenario.json"));
  // </>
}

void signing_example(const Experiment& experiment, const Digest& digest, std::uint32_t face,
                     Ticket ticket, const std::shared_ptr<const SignatureList>& list) {
  // <thresher/sim/signing.hpp>
  Signer signer(experiment);
  Signature s = signer.sign(NodeId{3}, digest);
  SignatureChecks checks(signer);
  checks.ask(face, Verify{ticket, NodeId{3}, digest, s});
  bool ok = checks.verdict(face, ticket);
  MockLists lists;
  bool all = lists.good(digest, list);
  // </>
}

void slab_example() {
  using Payload = std::string;
  // <thresher/sim/slab.hpp>
  Slab<Payload> slab;
  std::uint32_t at = slab.put(Payload{"kept"});
  Payload p = slab.take(at);
  // </>
}

void statistics_example() {
  // <thresher/sim/statistics.hpp>
  MeanWithin m = mean_within({12.0, 13.5, 12.6});
  // </>
}

void story_example(const Experiment& experiment) {
  // <thresher/sim/story.hpp>
  Story story([](std::string_view line) { std::cout << line << '\n'; },
              {.until = 12 * kUnit, .node = NodeId{2}, .experiment = &experiment});
  Outcome outcome = simulate(experiment, {.trace = &story});
  story.end();
  // </>
}

void sweep_example(const std::vector<Cell>& cells) {
  // <thresher/sim/sweep.hpp>
  auto report = run_sweep(cells, [](const Experiment& e) { return simulate(e, {}); },
                          {.out = "out", .jobs = 8, .version = "0.1.0"});
  auto whole = merge_sweeps({"shard0", "shard1"}, "all");
  // </>
}

void told_example(const Outcome& outcome) {
  // <thresher/sim/told.hpp>
  std::string_view word = told_as(outcome);  // "Pass", "NoProgress", "Undecided"
  bool judged = outcome.verdict != Verdict::kPass || outcome.why.empty();  // liveness was
  // </>
}

void typed_insight_example(const Experiment& experiment) {
  // <thresher/sim/typed_insight.hpp>
  TypedNodes<Mine> nodes(Mine{experiment});
  TypedInsight<Mine> insight(nodes);
  Outcome outcome = run_nodes(nodes, insight, experiment, {});
  // </>
}

void typed_nodes_example(const Experiment& experiment, const MyProtocol::Request& request) {
  // <thresher/sim/typed_nodes.hpp>
  TypedNodes<Mine> nodes(Mine{experiment});
  World world(nodes, experiment, /*trace=*/nullptr);
  world.request(NodeId{2}, nodes.question(request), /*at=*/0);
  nodes.of(NodeId{2});
  // </>
}

void vertex_times_example(std::uint32_t n, NodeId author, std::uint64_t round, NodeId node,
                          Ticks now, Outcome& outcome) {
  // <thresher/sim/vertex_times.hpp>
  VertexTimes times(n);
  times.sent({author, round}, now);
  times.outputs(node, now);
  times.ordered({author, round}, now);
  times.tell(outcome);
  // </>
}

void wan_example() {
  // <thresher/sim/wan.hpp>
  const WanTable* table = wan_table("aws");
  Ticks one_way = table->one_way(*table->index_of("ireland"), *table->index_of("tokyo"));
  // </>
}

void wan_table_example() {
  // <thresher/sim/wan_table.hpp>
  WanTable table{"pair", "two cities", {"here", "there"}, {500, 80'000, 80'000, 500}};
  std::uint64_t way = table.one_way(0, 1);
  // </>
}

void world_example(Nodes& nodes, const Experiment& experiment, Ticks end) {
  // <thresher/sim/world.hpp>
  World world(nodes, experiment, /*trace=*/nullptr);
  world.on_output = [&](NodeId id, const OutputFacts& facts, const Said& said) { give(id.value); };
  world.start();
  while (world.next_time() <= end) world.run_instant(world.next_time());
  // </>
}

}  // namespace
}  // namespace thresher::sim
