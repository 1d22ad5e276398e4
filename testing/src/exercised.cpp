#include "exercised.hpp"

#include <algorithm>

namespace thresher::testing {
namespace {

using Kind = Property::Kind;

// Below so many runs chance may leave a kind of fault out, or runs in which nobody lies.
constexpr std::uint64_t kEnoughRuns = 200;
constexpr std::uint64_t kEnoughDrawn = 20;

// "twins 130 of 140": of the actions that were drawn, those that did something.
std::string kinds_text(const sim::FuzzReport& r) {
  std::string out;
  for (std::size_t k = 0; k < sim::kFaultKinds; ++k) {
    if (r.drawn_of[k] == 0) continue;
    out += (out.empty() ? "" : ", ") + std::string(to_string(static_cast<sim::FaultKind>(k))) +
           " " + std::to_string(r.fired_of[k]) + " of " + std::to_string(r.drawn_of[k]);
  }
  return out.empty() ? "none" : out;
}

std::uint64_t forks_of(const sim::FuzzReport& r) {
  std::uint64_t forks = 0;
  for (const auto kind : {sim::FaultKind::kEquivocate, sim::FaultKind::kTwins,
                          sim::FaultKind::kMutate, sim::FaultKind::kForge})
    forks += r.fired_of[static_cast<std::size_t>(kind)];
  return forks;
}

// An oracle that looks at the requests in outputs.
struct OfRequests {
  Kind kind;
  const char* name;
  std::uint64_t sim::Judged::*count;
  const char* idle;  // why it may have judged nothing
};
constexpr OfRequests kOfRequests[] = {
    {Kind::kValidity, "validity", &sim::Judged::validity,
     "no output showed a payload, or none said whose it was, which is judged only where nobody "
     "lies"},
    {Kind::kOnce, "once", &sim::Judged::once, "no output showed a request"},
};

// ", judged of requests: validity 120, once 120"; empty where neither was asked for.
std::string judged_text(const sim::FuzzReport& r, const std::vector<Property>& properties) {
  std::string out;
  for (const OfRequests& oracle : kOfRequests) {
    if (property_of(properties, oracle.kind) == nullptr) continue;
    out += (out.empty() ? ", judged of requests: " : ", ") + std::string(oracle.name) + " " +
           std::to_string(r.judged.*oracle.count);
  }
  return out;
}

// A protocol that has evidence and never shows any may as well have none.
std::string accused_text(const sim::FuzzReport& r, const std::vector<Property>& properties) {
  if (property_of(properties, Kind::kAccountability) == nullptr) return {};
  if (r.accusations == 0) return ", nobody accused anybody (accountability judged nothing)";
  return ", " + std::to_string(r.accusations) + " accusations";
}

}  // namespace

const Property* property_of(const std::vector<Property>& properties, Kind kind) {
  const auto it = std::find_if(properties.begin(), properties.end(),
                               [kind](const Property& p) { return p.kind == kind; });
  return it == properties.end() ? nullptr : &*it;
}

std::string coverage(const sim::FuzzReport& r, const std::vector<Property>& properties) {
  return std::to_string(r.runs) + " schedules, " + std::to_string(r.decisions) + " decisions, " +
         std::to_string(r.liars_requests) + " requests handed to liars, " +
         std::to_string(forks_of(r)) + " forks offered, " + std::to_string(r.restarts) +
         " restarts, " + std::to_string(r.healed) + " runs healed" + judged_text(r, properties) +
         accused_text(r, properties) + "; faults that did something: " + kinds_text(r);
}

namespace {

// Names that the menu gives and the protocol does not have.
std::string unheard(const Options& options, const Seen& seen) {
  for (const std::string& label : options.menu.labels) {
    if (!options.menu.tactics || seen.labels.contains(label)) continue;
    std::string others;
    for (const std::string& other : seen.labels) {
      others += others.empty() ? "" : ", ";
      others += other;
    }
    return "not exercised: the menu singles out messages `" + label +
           "`, and no run sent any; sent were: " + others;
  }
  for (const auto& [field, tries] : seen.fields) {
    if (tries.fired > 0 || tries.drawn < kEnoughDrawn) continue;
    return "not exercised: the menu's field `" + field + "` was to be changed " +
           std::to_string(tries.drawn) +
           " times and never was; the subject's `mutate` knows none of that name";
  }
  return {};
}

}  // namespace

void Seen::note(const sim::Experiment& e, const sim::Outcome& o) {
  const std::lock_guard lock(mutex_);
  held = held || std::any_of(o.nodes.begin(), o.nodes.end(),
                             [](const sim::NodeMeasures& n) { return n.held > 0; });
  if (runs.size() < kRunsTold) runs.emplace(e.seed, o.trace_hash);
  for (const sim::SentKind& kind : o.sent) labels.emplace(kind.label);
  for (std::size_t i = 0; i < e.faults.size(); ++i) {
    const sim::FaultAction& fault = e.faults[i];
    const bool changes =
        fault.what == sim::FaultKind::kEquivocate || fault.what == sim::FaultKind::kMutate;
    if (!changes || fault.field.empty()) continue;
    const bool idle =
        std::find(o.idle_faults.begin(), o.idle_faults.end(), i) != o.idle_faults.end();
    Tries& tries = fields[fault.field];
    ++tries.drawn;
    tries.fired += idle ? 0 : 1;
  }
}

// Things the runs were asked to do and never did: they have shown nothing about them.
std::string unexercised(const sim::FuzzReport& r, const Options& options,
                        const std::vector<Property>& properties, const Seen& seen) {
  if (!properties.empty() && r.decisions == 0)
    return "nothing was exercised: no correct node output anything in " + std::to_string(r.runs) +
           " runs, so the properties were judged of nothing; is the workload served?";
  if (!seen.held && property_of(properties, Kind::kBoundedMemory) != nullptr)
    return "not exercised: no node ever held anything, so its memory was not judged; give the "
           "subject a `held` (thresher/testing/subject.hpp)";
  for (const OfRequests& oracle : kOfRequests) {
    if (property_of(properties, oracle.kind) == nullptr || r.judged.*oracle.count > 0) continue;
    if (r.judged.shown > 0 && r.runs < kEnoughRuns) continue;
    return "not exercised: `" + std::string(oracle.name) + "` judged nothing: " + oracle.idle +
           "; give outputs a member `payload`, or the subject a `payloads` that says whose they "
           "are (sim/subject.hpp)";
  }
  if (options.draw && r.runs >= kEnoughDrawn && seen.runs.size() < Seen::kRunsTold &&
      seen.runs.size() <= options.sizes.size())
    return "not exercised: all " + std::to_string(r.runs) +
           " runs were one and the same; Options::draw has to make something of its seed, and to "
           "set `seed`, from which the simulator draws what is left to chance";
  if (options.draw) return {};
  if (std::string idle = unheard(options, seen); !idle.empty()) return idle;
  if (r.actions > 0 && r.fired == 0)
    return "nothing was exercised: " + std::to_string(r.actions) +
           " fault actions were drawn and none did anything";
  for (const sim::FaultKind kind : options.menu.faults) {
    const auto k = static_cast<std::size_t>(kind);
    if (r.fired_of[k] > 0 || (r.drawn_of[k] < kEnoughDrawn && r.runs < kEnoughRuns)) continue;
    return "not exercised: the menu asks for `" + std::string(to_string(kind)) +
           "`, which was "
           "drawn " +
           std::to_string(r.drawn_of[k]) +
           " times and never did anything; leave it out "
           "of the menu, or tell the subject what it needs (sim/subject.hpp)";
  }
  const bool plain = options.menu.faults.empty();
  if (plain && r.runs >= kEnoughRuns && r.fired > 0 && forks_of(r) == 0)
    return "not exercised: no liar ever said two things; give the subject a `mutate`, or name the "
           "faults to draw in the menu";
  return {};
}

}  // namespace thresher::testing
