#include "thresher/verify/replay.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "thresher/verify/text.hpp"

namespace thresher::verify {

using Kind = Formula::Kind;

namespace {
/// Coefficients and constants are up to 10^9, and what a long run adds to a variable is much more.
__extension__ using Wide = __int128;
/// Where a run may start: what its firings add still fits into 64 bits.
constexpr std::int64_t kLargestAtStart = std::int64_t{1} << 62;
}  // namespace

std::int64_t value_of(const Linear& form, const std::vector<std::int64_t>& parameters,
                      const Configuration& at) {
  Wide sum = form.constant;
  for (const auto& [s, coefficient] : form.terms) {
    const auto& of = s.kind == Symbol::Kind::kParameter ? parameters
                     : s.kind == Symbol::Kind::kShared  ? at.shared
                                                        : at.processes;
    sum += static_cast<Wide>(coefficient) * of[s.index];
  }
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::clamp<Wide>(sum, -kMost, kMost));
}

bool holds_at(const Formula& f, const std::vector<std::int64_t>& parameters,
              const Configuration& at) {
  const auto holds_here = [&](const Formula& c) { return holds_at(c, parameters, at); };
  switch (f.kind) {
    case Kind::kTrue:
      return true;
    case Kind::kFalse:
    case Kind::kEventually:
    case Kind::kAlways:  // no state has a later one: who asks, asks of a state
      return false;
    case Kind::kAtLeast:
      return value_of(f.form, parameters, at) >= 0;
    case Kind::kEqual:
      return value_of(f.form, parameters, at) == 0;
    case Kind::kNot:
      return !holds_here(f.children.front());
    case Kind::kAnd:
      return std::all_of(f.children.begin(), f.children.end(), holds_here);
    case Kind::kOr:
      return std::any_of(f.children.begin(), f.children.end(), holds_here);
  }
  return false;
}

namespace {

// Truth at every index of the run, from the last one back.
std::vector<bool> truth_along(const Formula& f, const std::vector<std::int64_t>& parameters,
                              const std::vector<Configuration>& run) {
  std::vector<bool> out(run.size());
  if (is_state(f)) {
    for (std::size_t i = 0; i < run.size(); ++i) out[i] = holds_at(f, parameters, run[i]);
    return out;
  }
  std::vector<std::vector<bool>> parts;
  parts.reserve(f.children.size());
  for (const Formula& c : f.children) parts.push_back(truth_along(c, parameters, run));
  for (std::size_t i = run.size(); i-- > 0;) {
    const auto part_holds = [i](const std::vector<bool>& p) { return static_cast<bool>(p[i]); };
    const bool last = i + 1 == run.size();
    switch (f.kind) {
      case Kind::kNot:
        out[i] = !parts.front()[i];
        break;
      case Kind::kAnd:
        out[i] = std::all_of(parts.begin(), parts.end(), part_holds);
        break;
      case Kind::kOr:
        out[i] = std::any_of(parts.begin(), parts.end(), part_holds);
        break;
      case Kind::kEventually:
        out[i] = parts.front()[i] || (!last && out[i + 1]);
        break;
      case Kind::kAlways:
        out[i] = parts.front()[i] && (last || out[i + 1]);
        break;
      case Kind::kTrue:
      case Kind::kFalse:
      case Kind::kAtLeast:
      case Kind::kEqual:  // these are states, which were looked at above
        break;
    }
  }
  return out;
}

Error none(std::string what, std::string where) {
  return {ErrorCode::kRejected, std::move(what), std::move(where)};
}

// Looked at before the first firing: each leaves a configuration behind, of `width` numbers.
std::optional<Error> too_long(const std::vector<Step>& steps, std::size_t width) {
  const auto room =
      static_cast<std::int64_t>(kMostReplayedNumbers / std::max<std::size_t>(1, width));
  const std::int64_t most = std::min(kMostReplayed, room);
  std::int64_t left = most;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].times <= left) {
      left -= std::max<std::int64_t>(0, steps[i].times);
      continue;
    }
    const std::string step = "step " + std::to_string(i + 1);
    std::string of;
    if (room < kMostReplayed) {
      of = " with " + std::to_string(width) + " locations and variables each";
    }
    std::string what = step;
    what.append(": with its ").append(std::to_string(steps[i].times));
    what.append(" firings the run has more than the ").append(std::to_string(most));
    what.append(" that are replayed").append(of);
    return Error{ErrorCode::kUnsupported, std::move(what), step,
                 "use smaller numbers in the automaton"};
  }
  return std::nullopt;
}

bool too_large(const Configuration& start) {
  const auto large = [](std::int64_t number) { return number > kLargestAtStart; };
  return std::any_of(start.processes.begin(), start.processes.end(), large) ||
         std::any_of(start.shared.begin(), start.shared.end(), large);
}

}  // namespace

bool holds(const Formula& f, const std::vector<std::int64_t>& parameters,
           const std::vector<Configuration>& run) {
  return truth_along(f, parameters, run).front();
}

Result<std::vector<Configuration>, Error> replay(const Automaton& ta, const Execution& run) {
  const auto admitted = [&](const Formula& f) { return holds_at(f, run.parameters, run.start); };
  if (!std::all_of(ta.resilience.begin(), ta.resilience.end(), admitted)) {
    return none("the parameters break the resilience condition", "the start");
  }
  if (!std::all_of(ta.initial.begin(), ta.initial.end(), admitted)) {
    return none("the start is no initial configuration", "the start");
  }
  if (too_large(run.start)) {
    return Error{ErrorCode::kUnsupported,
                 "the start has numbers beyond " + std::to_string(kLargestAtStart), "the start",
                 "use smaller numbers in the automaton"};
  }
  const std::size_t width = ta.locations.size() + ta.shared.size();
  if (auto longer = too_long(run.steps, width)) return std::move(*longer);
  std::vector<Configuration> all{run.start};
  for (std::size_t i = 0; i < run.steps.size(); ++i) {
    const std::string step = "step " + std::to_string(i + 1);
    if (run.steps[i].rule >= ta.rules.size()) {
      return none(step + ": there is no such rule", step);
    }
    const Rule& rule = ta.rules[run.steps[i].rule];
    for (std::int64_t k = 0; k < run.steps[i].times; ++k) {
      Configuration next = all.back();
      if (next.processes[rule.from] <= 0 || !holds_at(rule.guard, run.parameters, next)) {
        return none(step + ": rule " + std::to_string(rule.id) + " is not enabled", step);
      }
      --next.processes[rule.from];
      ++next.processes[rule.to];
      for (const Update& u : rule.updates) {
        std::int64_t& value = next.shared[u.shared];
        value = u.reset ? u.amount : value + u.amount;
        if (value < 0) return none(step + " makes a variable negative", step);
      }
      all.push_back(std::move(next));
    }
  }
  return all;
}

Execution one_future(const Futures& futures) {
  Execution run = futures.prefix;
  run.steps.insert(run.steps.end(), futures.first.begin(), futures.first.end());
  return run;
}
Execution another_future(const Futures& futures) {
  Execution run = futures.prefix;
  run.steps.insert(run.steps.end(), futures.second.begin(), futures.second.end());
  return run;
}

Result<bool, Error> both_happen(const Automaton& ta, const Fork& fork, const Futures& futures) {
  const auto& parameters = futures.prefix.parameters;
  const Execution runs[] = {futures.prefix, one_future(futures), another_future(futures)};
  const Formula* wanted[] = {&fork.when, &fork.first, &fork.second};
  bool all = true;
  for (std::size_t i = 0; i < std::size(runs); ++i) {
    const auto configurations = replay(ta, runs[i]);
    if (!configurations) return configurations.error();
    all = all && holds_at(*wanted[i], parameters, configurations->back());
  }
  return all;
}
bool both_happen(const Automaton& ta, const Fork& fork, const Execution& one,
                 const Execution& another) {
  const auto left = replay(ta, one);
  const auto right = replay(ta, another);
  if (!left || !right || one.parameters != another.parameters) return false;
  bool seen = false;
  for (std::size_t i = 0; i < std::min(left->size(), right->size()); ++i) {
    if ((*left)[i] != (*right)[i]) break;
    seen = seen || holds_at(fork.when, one.parameters, (*left)[i]);
  }
  return seen && holds_at(fork.first, one.parameters, left->back()) &&
         holds_at(fork.second, one.parameters, right->back());
}

namespace {

std::string configuration_text(const Automaton& ta, const Configuration& c) {
  std::string text;
  for (std::size_t i = 0; i < c.processes.size(); ++i) {
    if (c.processes[i] != 0) text += " " + ta.locations[i] + "=" + std::to_string(c.processes[i]);
  }
  for (std::size_t i = 0; i < c.shared.size(); ++i) {
    if (c.shared[i] != 0) text += " " + ta.shared[i] + "=" + std::to_string(c.shared[i]);
  }
  return text;
}

// One line a step, from the step `first` of the run on.
std::string steps_text(const Automaton& ta, const Execution& run, std::size_t first) {
  const auto all = replay(ta, run);
  if (!all) return "not a run: " + all.error().text() + "\n";
  std::string out;
  std::size_t at = 0;
  for (std::size_t i = 0; i < run.steps.size(); ++i) {
    const Step& step = run.steps[i];
    const Rule& rule = ta.rules[step.rule];
    at += static_cast<std::size_t>(step.times);
    if (i < first) continue;
    out += "step " + std::to_string(i + 1) + ": rule " + std::to_string(rule.id) + " (" +
           ta.locations[rule.from] + " -> " + ta.locations[rule.to] + ") x " +
           std::to_string(step.times) + " =>" + configuration_text(ta, (*all)[at]) + "\n";
  }
  return out;
}

}  // namespace

std::string describe(const Automaton& ta, const Execution& run) {
  std::string out = "parameters:";
  for (std::size_t i = 0; i < run.parameters.size(); ++i) {
    out += " " + ta.parameters[i] + "=" + std::to_string(run.parameters[i]);
  }
  out += "\nstart:     " + configuration_text(ta, run.start) + "\n";
  return out + steps_text(ta, run, 0);
}

std::string describe(const Automaton& ta, const Futures& futures) {
  const std::size_t shared = futures.prefix.steps.size();
  return describe(ta, futures.prefix) + "from here, one future:\n" +
         steps_text(ta, one_future(futures), shared) + "from the same point, another future:\n" +
         steps_text(ta, another_future(futures), shared);
}

}  // namespace thresher::verify
