#include "checks.hpp"

#include <algorithm>
#include <set>

#include "../dag_subject.hpp"
#include "../fault_kinds.hpp"
#include "thresher/core/committee.hpp"
#include "thresher/core/names.hpp"
#include "thresher/protocols/payload_limit.hpp"
#include "thresher/sim/faults.hpp"
#include "thresher/sim/network.hpp"
#include "thresher/sim/outcome.hpp"
#include "thresher/sim/wan.hpp"

namespace thresher::sim {
namespace {

std::string nodes(std::uint64_t n) {
  return std::to_string(n) + (n == 1 ? " node" : " nodes");
}

void check_sides(Fields& fields, const Network& net, std::uint32_t n) {
  const std::uint64_t places = std::uint64_t{net.width} * net.height;
  if (places == n) return;
  fields.wrong("topology",
               "a " + std::string(name_of(net.topology)) + " of " + std::to_string(net.width) +
                   " x " + std::to_string(net.height) + " has " + std::to_string(places) +
                   " places for " + nodes(n),
               "width times height must be committee.n");
}

void check_neighbours(Fields& fields, const Network& net, std::uint32_t n) {
  if (net.neighbours.size() != n) {
    fields.wrong(
        "neighbours",
        "lists " + nodes(net.neighbours.size()) + " for a committee of " + std::to_string(n),
        "give one list for each");
  }
  for (std::size_t i = 0; i < net.neighbours.size(); ++i) {
    if (std::count(net.neighbours[i].begin(), net.neighbours[i].end(),
                   NodeId{static_cast<std::uint16_t>(i)}) != 0) {
      fields.wrong("neighbours", "node " + std::to_string(i) + " is its own neighbour",
                   "remove it");
    }
  }
}

}  // namespace

void check_committee(Fields& fields, const Experiment& e, const ProtocolInfo& info) {
  if (e.n < info.least_nodes) {
    fields.wrong("n", "`" + info.name + "` needs at least " + nodes(info.least_nodes) + ", not " +
                          std::to_string(e.n));
  }
  if (info.most_nodes != 0 && e.n > info.most_nodes) {
    std::string others;
    for (const ProtocolInfo& other : simulated_protocols()) {
      if (other.kind == info.kind && other.most_nodes == 0)
        others += (others.empty() ? "" : ", ") + other.name;
    }
    fields.wrong("n",
                 "`" + info.name + "` has at most " + nodes(info.most_nodes) + ", not " +
                     std::to_string(e.n),
                 "without that limit: " + others);
  }
  const std::uint32_t most = info.faults_of(e.n);
  if (e.f <= most) {
    if (const auto fits = check_fast(e); !fits)
      fields.wrong(fields.given("f") ? "f" : "n", fits.error());
    return;
  }
  fields.wrong(fields.given("f") ? "f" : "n",
               "with n = " + std::to_string(e.n) + " `" + info.name + "` tolerates at most " +
                   std::to_string(most) + " faults, not " + std::to_string(e.f),
               "it needs n >= " + info.needs() + ": set a smaller f, or leave it out");
}

void settle_law(Fields& fields, DelayLaw& law) {
  using Kind = DelayLaw::Kind;
  const bool bounded = fields.given("min") || fields.given("max");
  if (!fields.given("law") && !fields.given("mean") && bounded) law.kind = Kind::kUniform;
  if (fields.given("deviation") && law.deviation != 0 && law.kind != Kind::kNormal) {
    fields.wrong("deviation", "goes with \"law\": \"normal\"");
  }
  switch (law.kind) {
    case Kind::kConstant:
      if (!fields.given("min")) law.min = law.mean;
      if (!fields.given("max")) law.max = law.mean;
      if (law.min != law.mean || law.max != law.mean) {
        fields.wrong(law.min != law.mean ? "min" : "max",
                     "a constant delay has no bounds besides its mean", "give a \"law\"");
      }
      return;
    case Kind::kUniform: {
      if (!fields.given("min") || !fields.given("max")) {
        return fields.wrong("", "a uniform delay needs `min` and `max`");
      }
      const Ticks middle = (law.min + law.max) / 2;
      if (fields.given("mean") && law.mean != middle && law.min <= law.max) {
        fields.wrong("mean", "a uniform delay has the mean of its bounds, " + in_units(middle));
      }
      law.mean = middle;
      break;
    }
    case Kind::kNormal:
      if (law.deviation == 0) fields.wrong("", "a normal delay needs a `deviation` above 0");
      if (!fields.given("min")) law.min = 1;
      if (!fields.given("max")) law.max = std::max(law.min, law.mean + 6 * law.deviation);
      break;
    case Kind::kExponential:
      if (!fields.given("min")) law.min = 1;
      if (!fields.given("max")) law.max = std::max(law.min, 20 * law.mean);
      break;
  }
  if (law.min > law.max) {
    fields.wrong("min", in_units(law.min) + " is more than the `max`, " + in_units(law.max),
                 "swap them");
  }
}

void check_topology(Fields& fields, const Network& net, std::uint32_t n) {
  const Topology shape = net.topology;
  const bool sides = shape == Topology::kGrid || shape == Topology::kTorus;
  if (sides) check_sides(fields, net, n);
  if (!sides && (net.width | net.height) != 0) {
    fields.wrong(net.width != 0 ? "width" : "height", "goes with a grid or torus");
  }
  if (shape == Topology::kRandom && (net.degree < 2 || net.degree >= n)) {
    fields.wrong("topology", "a random graph of " + nodes(n) + " needs a `degree` of 2 to " +
                                 std::to_string(n - 1) + ", not " + std::to_string(net.degree));
  }
  if (shape != Topology::kRandom && net.degree != 0) {
    fields.wrong("degree", "goes with a random graph");
  }
  if (shape == Topology::kList) check_neighbours(fields, net, n);
  if (shape != Topology::kList && !net.neighbours.empty()) {
    fields.wrong("neighbours", "goes with topology list");
  }
  const bool round = shape == Topology::kRing || shape == Topology::kUnidirectionalRing;
  const bool line = shape == Topology::kChain || shape == Topology::kStar;
  if ((round && n < 3) || (line && n < 2)) {
    fields.wrong("topology", "a " + std::string(name_of(shape)) + " needs at least " +
                                 (round ? "3" : "2") + " nodes, not " + std::to_string(n));
  }
}

namespace {

// In the rounds engine all happens in whole rounds: what begins and ends between two of them would
// be no fault at all.
void check_window(Fields& fields, Engine engine, Ticks from, Ticks to) {
  const auto next = [](Ticks at) { return (at + kUnit - 1) / kUnit; };
  if (engine != Engine::kRounds || to <= from || next(from) < next(to)) return;
  fields.wrong(
      "to", "no round lies in the time from " + in_units(from) + " to " + in_units(to),
      "use \"engine\": \"events\", or let it last until " + in_units((next(from) + 1) * kUnit));
}

}  // namespace

void check_partition(Fields& fields, const Partition& partition, Engine engine) {
  check_window(fields, engine, partition.from, partition.to);
  if (partition.from >= partition.to) {
    fields.wrong("to", "the partition heals at " + in_units(partition.to) +
                           ", not after it begins at " + in_units(partition.from));
  }
  std::set<NodeId> seen;
  for (const auto& group : partition.groups) {
    if (group.empty()) fields.wrong("groups", "one group is empty", "remove it");
    for (const NodeId node : group) {
      if (seen.insert(node).second) continue;
      fields.wrong("groups", "node " + std::to_string(node.value) + " stands in two groups");
    }
  }
  if (partition.groups.size() < 2) fields.wrong("groups", "needs two groups or more");
}

void check_packing(Fields& fields, const Workload& load, const ProtocolInfo* info) {
  if (load.burst > 1 && load.kind != Workload::Kind::kOpen) {
    fields.wrong("burst", "goes with \"kind\": \"open\"");
  } else if (load.burst > 1 && load.block_bytes == 0) {
    fields.wrong("burst", "goes with `block_bytes`: a node packs what comes at once");
  }
  if (load.block_bytes == 0) return;
  if (load.block_bytes < load.bytes) {
    fields.wrong("block_bytes", std::to_string(load.block_bytes) + " do not hold one request of " +
                                    std::to_string(load.bytes));
  }
  const std::uint32_t most = info != nullptr ? info->largest_payload : 0;
  if (most != 0 && load.block_bytes > most) {
    fields.wrong("block_bytes", "is more than one payload of " + info->name + " may have, " +
                                    std::to_string(most));
  }
}

void check_payload(Fields& fields, const Experiment& e, const ProtocolInfo& info) {
  for (const ParameterInfo& p : info.parameters) {
    if (p.name == "gc_depth" && e.workload.bytes > kMostPayloadBytes)  // the DAGs
      fields.wrong("bytes", std::to_string(e.workload.bytes) + " are more than one payload of `" +
                                info.name + "` may have, " + std::to_string(kMostPayloadBytes));
    if (p.name != "payload_bytes" && p.name != "value_bytes") continue;
    const auto* standard = std::get_if<std::int64_t>(&p.standard);
    const auto set = e.parameters.find(p.name);
    const auto* most =
        set == e.parameters.end() ? standard : std::get_if<std::int64_t>(&set->second);
    if (most == nullptr) continue;
    for (const auto& [key, bytes] :
         {std::pair("bytes", e.workload.bytes), std::pair("block_bytes", e.workload.block_bytes)}) {
      if (static_cast<std::int64_t>(bytes) <= *most) continue;
      fields.wrong(key, std::to_string(bytes) + " are more than `" + info.name + "` takes: its `" +
                            p.name + "` is " + std::to_string(*most));
    }
  }
}

Ticks standard_delta(const Experiment& e) {
  const Network& net = e.network;
  if (net.topology != Topology::kComplete) {
    Experiment calm = e;  // messages that overtake or are parted take longer, and are not promised
    calm.network.reorder_ppm = 0;
    calm.network.partitions.clear();
    return 2 * Links(calm, NodeSet(e.n)).slowest();
  }
  Ticks most = table_of(net) == nullptr ? net.delay.max : 1;
  for (const LinkRule& rule : links_with_wan(net)) most = std::max(most, rule.delay.max);
  return 2 * most;
}

Ticks delta_of(const Experiment& e) {
  return std::max(Network{}.delta, standard_delta(e));
}

namespace {

// What a file says of a fault beyond the keys that all kinds have.
void check_keys(Fields& fields, const FaultAction& fault, Ticks delay, std::uint64_t copies) {
  const FaultTraits& kind = traits_of(fault.what);
  const std::string called = "a " + std::string(kind.name.name) + " fault needs ";
  if (!fields.given("who") && kind.needs.who) {
    fields.wrong("", "`who` is missing: which nodes?");
  }
  if (kind.needs.group && fault.group.empty()) {
    fields.wrong("", called + "a `group`: who hears it");
  }
  if (!kind.takes.group && !fault.group.empty()) {
    fields.wrong("group",
                 "goes with " + kinds_where([](const FaultTraits& t) { return t.takes.group; }));
  }
  if (!kind.takes.numbers && !fault.numbers.empty()) {
    fields.wrong(
        "numbers", "means nothing for a " + std::string(kind.name.name) + " fault",
        "it goes with " + kinds_where([](const FaultTraits& t) { return t.takes.numbers; }));
  }
  if (kind.needs.to && !fault.to) {
    fields.wrong("", called + "a `to`: when is the node back? (`crash` may be for ever)");
  }
  if (kind.needs.delay && delay == 0) fields.wrong("delay", called + "a `delay` above 0");
  if (!kind.takes.delay && delay != 0) {
    fields.wrong("delay",
                 "goes with " + kinds_where([](const FaultTraits& t) { return t.takes.delay; }));
  }
  if (kind.needs.copies && copies == 0) {
    fields.wrong("copies", called + "`copies`, 1 or more");
  }
  if (!kind.takes.copies && copies != 0) {
    fields.wrong("copies",
                 "goes with " + kinds_where([](const FaultTraits& t) { return t.takes.copies; }));
  }
}

void check_field(Fields& fields, const FaultAction& fault, const ProtocolInfo* info) {
  const auto held_against = [&](const char* what, const std::vector<std::string>& known) {
    if (std::find(known.begin(), known.end(), fault.field) != known.end()) return;
    fields.wrong("field", unknown(what + (" of " + info->name), fault.field, known));
  };
  switch (traits_of(fault.what).takes.field) {
    case FieldMeans::kLabel:
      return;
    case FieldMeans::kMoment:  // or, of a protocol that declares none, a label
      if (info != nullptr && !info->moments.empty()) held_against("moment", info->moments);
      return;
    case FieldMeans::kField:
      if (info != nullptr) held_against("field", info->fields);
      return;
    case FieldMeans::kNothing:
      fields.wrong("field", "goes with " + kinds_where([](const FaultTraits& t) {
                              return t.takes.field != FieldMeans::kNothing;
                            }));
  }
}

}  // namespace

void check_fault(Fields& fields, const FaultAction& fault, const ProtocolInfo* info,
                 const Experiment& e, Ticks delay, std::uint64_t copies) {
  if (!fields.given("what")) fields.wrong("", "`what` is missing: what does it do?");
  if (fault.to && *fault.to <= fault.from) {
    fields.wrong("to", "ends at " + in_units(*fault.to) + ", not after it begins at " +
                           in_units(fault.from));
  }
  if (fault.to) check_window(fields, e.engine, fault.from, *fault.to);
  check_keys(fields, fault, delay, copies);
  if (fault.what == FaultKind::kForge && info != nullptr && !info->forges) {
    fields.wrong("what", info->name + " has no forged proposals", "mutate changes its messages");
  }
  if (fault.what == FaultKind::kStuff && info != nullptr && !info->stuffs) {
    fields.wrong("what", info->name + " says nothing that could fill memory", "flood repeats");
  }
  if (!fault.field.empty()) check_field(fields, fault, info);
}

void check_fault_count(Fields& fields, const Experiment& e) {
  std::set<NodeId> faulty;
  for (const FaultAction& fault : e.faults) {
    if (sim::faulty(fault.what)) faulty.insert(fault.who.begin(), fault.who.end());
  }
  if (e.beyond_f || faulty.size() <= e.f) return;
  fields.wrong("faults", nodes(faulty.size()) + " are faulty, but f is " + std::to_string(e.f),
               "name fewer, or say \"beyond_f\": true");
}

}  // namespace thresher::sim
