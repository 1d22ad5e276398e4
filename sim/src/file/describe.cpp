#include <algorithm>
#include <ranges>
#include <set>

#include "../fault_kinds.hpp"
#include "checks.hpp"
#include "fields.hpp"
#include "thresher/core/committee.hpp"
#include "thresher/core/names.hpp"
#include "thresher/protocols/payload_limit.hpp"
#include "thresher/sim/subject.hpp"
#include "wide_area.hpp"

namespace thresher::sim {
namespace {

constexpr std::uint64_t kMillion = 1'000'000;
constexpr std::uint64_t kLongest = 1'000'000'000 * kUnit;
constexpr Scaled kTime{kUnit, {0, kLongest}};
constexpr Scaled kDelay{kUnit, {1, kLongest}};
constexpr Scaled kShare{kMillion, {0, kMillion}};
constexpr Range kCount{0, 1'000'000'000'000};

const ProtocolInfo* find_protocol(Fields& fields, const Experiment& e,
                                  std::span<const ProtocolInfo> protocols) {
  std::vector<std::string> names;
  for (const ProtocolInfo& info : protocols) {
    if (info.name == e.protocol) return &info;
    names.push_back(info.name);
  }
  // Then it is unknown which parameters the other keys would be.
  fields.wrong("name", unknown("protocol", e.protocol, names));
  fields.tolerate();
  return nullptr;
}

const ProtocolInfo* describe_protocol(Fields& fields, Experiment& e,
                                      std::span<const ProtocolInfo> protocols) {
  const ProtocolInfo* info = nullptr;
  const char* lacks = fields.given("protocol") ? "has no `name`" : "is missing";
  fields.object({"protocol", "what is run, and its own parameters"}, [&](Fields& inner) {
    inner.words({"name", "`thresher sim list` names them all"}, e.protocol);
    if (!inner.given("name")) {
      inner.wrong("", lacks,
                  "write \"protocol\": {\"name\": \"thresher\"}, or another that "
                  "`thresher sim list` names");
      return inner.tolerate();
    }
    info = find_protocol(inner, e, protocols);
    if (info == nullptr) {  // writing without the table: what is there is what there is to say
      for (auto& [name, value] : e.parameters) {
        inner.parameter({name, value, 0, 0, "its own parameter"}, value);
      }
      return;
    }
    for (const ParameterInfo& parameter : info->parameters) {
      const auto at = e.parameters.try_emplace(parameter.name, parameter.standard).first;
      inner.parameter(parameter, at->second);
    }
  });
  return info;
}

void describe_law(Fields& fields, const Key& key, DelayLaw& law) {
  fields.object(
      key,
      [&](Fields& inner) {
        choose(inner, {"law", "constant, uniform, normal or exponential"}, law.kind);
        inner.decimal({"mean", "of constant, normal and exponential"}, law.mean, kDelay);
        inner.decimal({"deviation", "of normal", true}, law.deviation, kTime);
        const bool constant = law.kind == DelayLaw::Kind::kConstant;
        inner.decimal({"min", "no draw is below", false, constant}, law.min, kDelay);
        inner.decimal({"max", "no draw is above", false, constant}, law.max, kDelay);
        settle_law(inner, law);
      },
      "mean");
}

void describe_topology(Fields& fields, Network& net, const Members& all) {
  choose(fields,
         {"topology",
          "complete, ring, unidirectional-ring, chain, star, grid, torus, random "
          "or list"},
         net.topology);
  const Range side{0, Committee::kMaxSize};
  small(fields, {"width", "of a grid or torus", true}, net.width, side);
  small(fields, {"height", "of a grid or torus", true}, net.height, side);
  small(fields, {"degree", "links a node has in a random graph", true}, net.degree, side);
  fields.node_lists({"neighbours", "of topology list: for each node those it sends to", true},
                    net.neighbours, all);
  if (fields.sound() && all.n != 0) check_topology(fields, net, all.n);
}

void describe_links(Fields& fields, Network& net, const Members& all) {
  describe_law(fields, {"delay", "of a message on a link; a bare number is a constant"}, net.delay);
  fields.list(
      {"links", "exceptions for some links; the last one that matches counts", true},
      net.links.size(), [&](std::size_t size) { net.links.resize(size); },
      [&](Fields& inner, std::size_t i) {
        inner.nodes({"from", "senders; none given: everybody", true}, net.links[i].from, all);
        inner.nodes({"to", "receivers; none given: everybody", true}, net.links[i].to, all);
        describe_law(inner, {"delay", "on these links"}, net.links[i].delay);
        inner.decimal({"loss", "share of their messages that vanish, besides the network's", true},
                      net.links[i].loss_ppm, kShare);
        if (!inner.given("delay")) inner.wrong("", "says nothing", "give it a `delay`");
      });
}

void describe_partitions(Fields& fields, Network& net, Engine engine, const Members& all) {
  fields.list(
      {"partitions", "groups that do not hear each other for a time", true}, net.partitions.size(),
      [&](std::size_t size) { net.partitions.resize(size); },
      [&](Fields& inner, std::size_t i) {
        Partition& p = net.partitions[i];
        inner.node_lists({"groups", "nodes in none reach everybody"}, p.groups, all);
        inner.decimal({"from", "when it begins"}, p.from, kTime);
        inner.decimal({"to", "when it heals; what was sent across arrives after"}, p.to, kTime);
        inner.truth({"loses", "what was sent across is lost instead", true}, p.loses);
        if (inner.sound()) check_partition(inner, p, engine);
      });
}

// Whether the file leaves Delta to the rest of it.
bool describe_network(Fields& fields, Experiment& e, const Members& all) {
  bool follows = false;
  fields.object({"network", "links, their delays and their faults"}, [&](Fields& net) {
    Network& n = e.network;
    describe_topology(net, n, all);
    describe_links(net, n, all);
    describe_wan(net, n, e.engine, all);
    net.decimal({"loss", "share of messages that vanish"}, n.loss_ppm, kShare);
    net.decimal({"duplicate", "share of messages that arrive twice"}, n.duplicate_ppm, kShare);
    net.decimal({"reorder", "share of messages that others overtake"}, n.reorder_ppm, kShare);
    net.decimal({"cut", "share of links that carry nothing before gst"}, n.cut_ppm, kShare);
    describe_partitions(net, n, e.engine, all);
    net.object({"nic", "the network card of each node; events engine"}, [&](Fields& nic) {
      nic.decimal({"mbit_per_s", "payload and metadata count; 0: no limit"}, n.nic_bits_per_s,
                  {kMillion, {0, kMillion * kMillion}});
      nic.truth({"saves_up", "only receiving counts, and idle capacity is kept for later"},
                n.nic_saves_up);
    });
    net.decimal({"gst", "the scheduler rules before it; nothing is lost after it"}, n.gst, kTime);
    if (net.sound() && n.cut_ppm != 0 && n.gst == 0) {
      net.wrong("cut", "links are cut until `gst`, and there is none",
                "give `gst` a time above 0, or leave `cut` out");
    }
    const bool fits = net.sound() && all.n != 0;
    const Ticks standard = fits ? delta_of(e) : 0;
    follows = fits && !net.given("delta");
    if (follows) n.delta = standard;
    net.decimal({"delta",
                 "what the protocol's timers call Delta; absent: twice the longest that a message "
                 "takes all its way",
                 false, fits && n.delta == standard},
                n.delta, kDelay);
    choose(net, {"scheduler", "fair, starve, rushing, adaptive, reverse or hunt"}, n.scheduler);
    if (e.engine == Engine::kRounds && n.nic_bits_per_s != 0) {
      net.wrong("nic", "a card's speed needs milliseconds", "use \"engine\": \"events\"");
    }
  });
  return follows;
}

void describe_costs(Fields& fields, Experiment& e) {
  fields.object({"costs", "time that work takes on a node's core; events engine"}, [&](Fields& c) {
    const Scaled micro{1000, {0, kLongest}};
    c.decimal({"sign_us", "one signature"}, e.costs.sign_ns, micro);
    c.decimal({"verify_us", "one check of a signature"}, e.costs.verify_ns, micro);
    c.decimal({"hash_us_per_kb", "hashing"}, e.costs.hash_ns_per_kb, micro);
    choose(c, {"signatures", "mock or real: Ed25519, in any engine", true}, e.signatures);
    const auto joint = e.parameters.find("certificates");
    if (e.signatures == Signatures::kReal && joint != e.parameters.end() &&
        joint->second == Parameter(std::string("one"))) {
      c.wrong("signatures", "one signature that stands for many is always a mock",
              "use \"certificates\": \"list\" with the real ones");
    }
    if (e.engine == Engine::kRounds &&
        (e.costs.sign_ns | e.costs.verify_ns | e.costs.hash_ns_per_kb) != 0) {
      c.wrong("", "costs need milliseconds", "use \"engine\": \"events\"");
    }
  });
}

void describe_workload(Fields& fields, Experiment& e, const ProtocolInfo* info) {
  fields.object({"workload", "the requests"}, [&](Fields& w) {
    Workload& load = e.workload;
    choose(w, {"kind", "closed, open or none"}, load.kind);
    w.whole({"clients", "of closed: requests in flight at each node"}, load.clients,
            {1, 1'000'000});
    w.decimal({"interval", "of open: between two requests of a node"}, load.interval, kDelay);
    std::uint64_t burst = load.burst == 1 ? 0 : load.burst;
    w.whole({"burst", "of open: so many requests at once; absent: one", true}, burst,
            {1, 1'000'000});
    load.burst = std::max<std::uint64_t>(burst, 1);
    small(w, {"bytes", "of one request"}, load.bytes, {kLeastPayload, 16U << 20});
    small(w,
          {"block_bytes",
           "a node packs its requests into payloads of so many bytes at most, as a real one does; "
           "absent: one each",
           true},
          load.block_bytes, {0, kMostPayloadBytes});
    check_packing(w, load, info);
    if (info != nullptr) check_payload(w, e, *info);
    w.whole({"requests", "in all; 0: until the end"}, load.requests, kCount);
    w.truth({"one_at_a_time", "one request in flight in the whole committee"}, load.one_at_a_time);
    w.decimal(
        {"liars_interval",
         "of closed: a request at each Byzantine node so often; absent: only the first ones", true},
        load.liars_interval, kTime);
    if (load.one_at_a_time && load.kind != Workload::Kind::kClosed) {
      w.wrong("one_at_a_time", "goes with \"kind\": \"closed\"");
    }
  });
}

// `taken`: the nodes that the faults before it name. False: it counts the faulty, and there are
// none.
bool describe_fault(Fields& fields, FaultAction& fault, const Experiment& e,
                    const ProtocolInfo* info, const Members& all, const std::set<NodeId>& taken) {
  const bool nobody = fields.nodes(
      {"who",
       "the faulty, or {\"count\": 3} or {\"count\": \"f\"}: so many that no fault before "
       "names, spread over the committee",
       true},
      fault.who, {all.n, all.f, true, taken});
  choose(fields, {"what", "`thresher sim list` names them all"}, fault.what);
  fields.decimal({"from", "when it begins"}, fault.from, kTime);
  fields.decimal({"to", "when it ends; absent: never", true}, fault.to, kTime);
  fields.decimal({"probability", "of each message"}, fault.probability_ppm, kShare);
  fields.nodes({"group",
                "who hears it (selective, forge, mimic), sees the second face, waits (starve), "
                "gets no answer (deny) or is not heard (deaf); absent: all",
                true},
               fault.group, all);
  const FaultTraits::Takes takes = traits_of(fault.what).takes;
  std::uint64_t delay = takes.delay ? fault.amount : 0;
  std::uint64_t copies = takes.copies ? fault.amount : 0;
  fields.decimal({"delay", "of delay: held back by; of starve: no more than this", true}, delay,
                 kTime);
  fields.whole({"copies", "of flood", true}, copies, {0, 1'000'000});
  std::uint64_t late = takes.late ? fault.amount : 0;
  fields.whole({"late", "of forge: rounds that votes and claims come late, to the same few", true},
               late, {0, 16});
  if (late != 0 && !takes.late) {
    fields.wrong("late", "goes with \"what\": \"forge\"");
  }
  fault.amount = std::max({delay, copies, late});
  fields.words({"field",
                "of equivocate, mutate and forge: what they change; of deny, deaf, selective, "
                "starve and mimic: the label of messages, such as give; absent: any; of restart: "
                "it strikes when the node has just vouched so for a liar, such as claim, or said "
                "something of that label; absent: at `from`",
                true},
               fault.field);
  fields.numbers(
      {"numbers", "only these of the sender's messages (forge: that it hears); absent: all", true},
      fault.numbers);
  check_fault(fields, fault, info, e, delay, copies);
  return !nobody;
}

void describe_faults(Fields& fields, Experiment& e, const ProtocolInfo* info, const Members& all) {
  std::set<NodeId> taken;
  std::set<std::size_t> idle;
  fields.list(
      {"faults", "who does what wrong, and when"}, e.faults.size(),
      [&](std::size_t size) { e.faults.resize(size); },
      [&](Fields& inner, std::size_t i) {
        if (!describe_fault(inner, e.faults[i], e, info, all, taken)) idle.insert(i);
        taken.insert(e.faults[i].who.begin(), e.faults[i].who.end());
      });
  fields.truth({"beyond_f", "allow more than f faulty nodes; the verdict says so"}, e.beyond_f);
  if (all.n != 0) check_fault_count(fields, e);
  // {"count": 0} in a sweep: no such fault in this cell.
  for (const std::size_t i : std::views::reverse(idle))
    e.faults.erase(e.faults.begin() + static_cast<std::ptrdiff_t>(i));
}

// Oracles that mean nothing for the protocol are off and cannot be switched on.
struct Oracle {
  Key key;
  bool Oracles::*on;
};
constexpr Oracle kOracles[] = {
    {{"agreement", "no two correct nodes decide differently"}, &Oracles::agreement},
    {{"prefix", "one order is a prefix of the other"}, &Oracles::prefix},
    {{"integrity", "nothing twice"}, &Oracles::integrity},
    {{"validity", "only what was asked for"}, &Oracles::validity},
    {{"totality", "in the end everybody has what one has"}, &Oracles::totality},
    {{"accountability", "evidence only against the guilty"}, &Oracles::accountability},
    {{"lemmas", "nothing was signed that lets forgers fork later; of protocols that have some"},
     &Oracles::lemmas},
    {{"liveness", "decisions go on after GST and faults"}, &Oracles::liveness_on},
    {{"acceptance", "what one correct node accepted all accept after GST and faults"},
     &Oracles::acceptance},
    {{"once", "no request is delivered twice; off unless asked for"}, &Oracles::once},
};

bool means_nothing(std::string_view oracle, const ProtocolInfo* info) {
  return info != nullptr && std::count(info->unjudged.begin(), info->unjudged.end(), oracle) != 0;
}

void describe_oracles(Fields& fields, Experiment& e, const ProtocolInfo* info) {
  fields.object({"oracles", "what is judged"}, [&](Fields& o) {
    Oracles& judge = e.oracles;
    for (const Oracle& oracle : kOracles) {
      bool& on = judge.*oracle.on;
      const bool off = means_nothing(oracle.key.name, info);
      if (off) on = false;
      o.truth(oracle.key, on);
      if (off && on) {
        o.wrong(oracle.key.name, "means nothing for `" + info->name + "`", "leave it out");
      }
    }
    o.decimal({"liveness_within", "the longest wait for one; absent: by the protocol", true},
              judge.liveness, kDelay);
    o.decimal({"included_within",
               "the longest wait of any request of a correct node; absent: not asked", true},
              judge.inclusion, kDelay);
    if (judge.inclusion && means_nothing("included_within", info)) {
      o.wrong("included_within",
              "means nothing for `" + info->name + "`, whose decisions contain no requests",
              "leave it out");
    }
  });
}

void describe_stop(Fields& fields, Experiment& e) {
  bool sound = false;
  fields.object({"stop", "the first of these that is met ends a run", true}, [&](Fields& s) {
    s.whole({"rounds", "of the protocol, or units of time", true}, e.stop.rounds, {1, kCount.max});
    s.decimal({"time", "virtual", true}, e.stop.time, kDelay);
    s.whole({"decisions", "of one correct node", true}, e.stop.decisions, {1, kCount.max});
    sound = s.sound();
  });
  if (e.stop.rounds || e.stop.time || e.stop.decisions) return;
  if (fields.given("stop") && sound) {
    fields.wrong("stop", "names no end",
                 "give it `rounds`, `time` or `decisions`, or leave it out");
  }
  e.stop.rounds = 100;
}

constexpr const char* kFaultsHelp =
    "faults tolerated; absent: as many as the protocol bears, (n-1)/3 rounded down of one that "
    "needs n >= 3f+1, (n-1)/2 of raft";

Members describe_committee(Fields& fields, Experiment& e, const ProtocolInfo* info) {
  Members all;  // stays empty when it is not known: then nothing is checked against it
  fields.object({"committee", "how many nodes, and how many of them may be faulty"},
                [&](Fields& c) {
                  small(c, {"n", "nodes"}, e.n, {1, Committee::kMaxSize});
                  const ProtocolInfo& bears = info != nullptr ? *info : ProtocolInfo{};
                  const std::uint32_t most = bears.faults_of(e.n);
                  if (!c.given("f")) e.f = most;
                  small(c, {"f", kFaultsHelp, false, e.f == most}, e.f, {0, Committee::kMaxSize});
                  if (c.sound() && info != nullptr) check_committee(c, e, *info);
                  if (c.sound()) all = {e.n, e.f, false, {}};
                });
  return all;
}

}  // namespace

void describe(Fields& fields, Draft& draft, std::span<const ProtocolInfo> protocols) {
  Experiment& e = draft.experiment;
  std::uint64_t schema = 1;
  fields.whole({"schema", "the version of this file format"}, schema, {1, 1});
  if (!fields.given("schema")) fields.wrong("", "\"schema\": 1 is missing");
  const ProtocolInfo* info = describe_protocol(fields, e, protocols);
  const Members all = describe_committee(fields, e, info);
  choose(fields, {"engine", "rounds, events or sockets"}, e.engine);
  draft.delta_follows = describe_network(fields, e, all);
  describe_costs(fields, e);
  describe_workload(fields, e, info);
  describe_faults(fields, e, info, all);
  describe_oracles(fields, e, info);
  describe_stop(fields, e);
  fields.whole({"seed", "everything random follows from it"}, e.seed, {0, UINT64_MAX});
  if (draft.delta_follows) e.network.delta = delta_of(e);  // a random graph follows from the seed
  fields.whole({"repeats", "runs of each cell, with the next seeds"}, draft.repeats, {1, 100'000});
  fields.elsewhere({"sweep",
                    "{\"committee.n\": [4, 7]} or {\"seed\": {\"from\": 1, \"to\": 9}}; "
                    "a list of such objects zips the keys of each"});
}

}  // namespace thresher::sim
