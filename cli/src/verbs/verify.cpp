#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "../ctrl_c.hpp"
#include "../durations.hpp"
#include "../input_file.hpp"
#include "../json.hpp"
#include "../output_file.hpp"
#include "../rule_tables.hpp"
#include "../sim/memory.hpp"
#include "../text.hpp"
#include "thresher/core/names.hpp"
#include "thresher/sim/results.hpp"
#include "thresher/text/json.hpp"
#include "thresher/verify/checker.hpp"
#include "thresher/verify/cross_check.hpp"
#include "thresher/verify/draw.hpp"
#include "thresher/verify/schedule.hpp"
#include "thresher/verify/text.hpp"

namespace thresher::cli {
namespace {

using verify::CheckResult;
using verify::Safety;

struct Args {
  std::string file;
  std::string protocol;
  std::vector<std::string> properties;
  std::string checker = "auto";
  std::string timeout = "60s";
  std::string witness;
  std::string replay;
  bool cross_check = false;
  bool list = false;
  bool dot = false;
  bool json = false;
};

Result<verify::Automaton, Error> load(const std::string& path, double seconds) {
  const auto text = read_input(path, "a .ta, .eta or .tla file");
  if (!text) return text.error();
  return path.ends_with(".tla") ? verify::parse_tla(*text, path, seconds)
                                : verify::parse_automaton(*text, path, seconds);
}

Result<verify::Automaton, Error> built_in(const std::string& protocol) {
  auto ta = automaton_of(protocol);
  if (!ta) return Error{ErrorCode::kMissing, no_rule_table(protocol), protocol};
  return std::move(*ta);
}

std::string steps_text(std::size_t steps) {
  return std::to_string(steps) + (steps == 1 ? " step" : " steps");
}

std::string verdict_text(const verify::Automaton& ta, const CheckResult& o) {
  switch (o.verdict) {
    case Safety::kSafe: {
      std::string under;
      for (const auto& f : ta.resilience) {
        under += (under.empty() ? "" : ", ") + verify::print_formula(ta, f);
      }
      return "SAFE for all " + (under.empty() ? "parameters" : under);
    }
    case Safety::kViolated: {
      std::string with;
      for (std::size_t i = 0; i < ta.parameters.size(); ++i) {
        with += " " + ta.parameters[i] + "=" + std::to_string(o.witness->parameters[i]);
      }
      with = "VIOLATED" + with + ": ";
      if (!o.futures) return with + steps_text(o.witness->steps.size());
      return with + steps_text(o.futures->prefix.steps.size()) + ", then " +
             std::to_string(o.futures->first.size()) + " or " +
             std::to_string(o.futures->second.size());
    }
    case Safety::kUnknown:
      break;
  }
  return "UNKNOWN: " + o.why;
}

/// What was run step by step before a property was called safe.
std::string instances_text(const CheckResult& o) {
  if (o.verdict != Safety::kSafe) return {};
  if (o.instances == 0) return "; " + o.no_instances;
  return "; " + std::to_string(o.instances) + (o.instances == 1 ? " instance" : " instances") +
         " run";
}

std::vector<Json> steps_json(const verify::Automaton& ta, const std::vector<verify::Step>& all) {
  std::vector<Json> steps;
  for (const verify::Step& s : all) {
    const verify::Rule& rule = ta.rules[s.rule];
    Json step;
    step.set("rule", rule.id).set("from", ta.locations[rule.from]);
    step.set("to", ta.locations[rule.to]).set("times", static_cast<std::uint64_t>(s.times));
    steps.push_back(std::move(step));
  }
  return steps;
}

// Zeros are left out, as in a schedule.
Json start_json(const verify::Automaton& ta, const verify::Configuration& start) {
  const auto sparse = [](const std::vector<std::string>& names,
                         const std::vector<std::int64_t>& values) {
    Json out;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (values[i] != 0) out.set(names[i], static_cast<std::uint64_t>(values[i]));
    }
    return out;
  };
  Json out;
  out.set("locations", sparse(ta.locations, start.processes));
  out.set("shared", sparse(ta.shared, start.shared));
  return out;
}

// With two futures, `steps` are those they share.
Json witness_json(const verify::Automaton& ta, const CheckResult& o) {
  const verify::Execution& run = o.futures ? o.futures->prefix : *o.witness;
  Json parameters;
  for (std::size_t i = 0; i < ta.parameters.size(); ++i) {
    parameters.set(ta.parameters[i], static_cast<std::uint64_t>(run.parameters[i]));
  }
  Json out;
  out.set("parameters", parameters).set("start", start_json(ta, run.start));
  out.set("steps", steps_json(ta, run.steps));
  if (o.futures) {
    out.set("first", steps_json(ta, o.futures->first));
    out.set("second", steps_json(ta, o.futures->second));
  }
  return out;
}

using Opinions = std::vector<std::optional<verify::SecondOpinion>>;

void print_json(const Args& a, const verify::Automaton& ta,
                const std::vector<const verify::Property*>& wanted,
                const std::vector<CheckResult>& outcomes, const Opinions& opinions) {
  static constexpr const char* kNames[] = {"safe", "violated", "unknown"};
  std::vector<Json> rows;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const CheckResult& o = outcomes[i];
    Json row;
    row.set("name", wanted[i]->name).set("class", wanted[i]->category());
    row.set("verdict", std::string(kNames[static_cast<std::size_t>(o.verdict)]));
    row.set("checker", o.checker).set("seconds", o.seconds);
    if (!o.why.empty()) row.set("why", o.why);
    if (o.verdict == Safety::kSafe) row.set("instances", static_cast<std::uint64_t>(o.instances));
    if (!o.no_instances.empty()) row.set("no_instances", o.no_instances);
    if (!o.overruled.empty()) row.set("overruled", o.overruled);
    if (opinions[i]) row.set("cross_check", verify::to_string(opinions[i]->kind));
    if (o.witness) row.set("witness", witness_json(ta, o));
    rows.push_back(std::move(row));
  }
  Json out;
  out.set("file", a.file.empty() ? a.protocol : a.file).set("properties", rows).print();
}

/// Each run that shows something, with the property's name and which of two futures it is.
template <class F>
void each_run(const std::vector<const verify::Property*>& wanted,
              const std::vector<CheckResult>& outcomes, F visit) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const CheckResult& o = outcomes[i];
    if (o.futures) {
      visit(wanted[i]->name, " (one future)", one_future(*o.futures));
      visit(wanted[i]->name, " (another future)", another_future(*o.futures));
    } else if (o.witness) {
      visit(wanted[i]->name, "", *o.witness);
    }
  }
}

std::string schedule_of(const verify::Automaton& ta,
                        const std::vector<const verify::Property*>& wanted,
                        const std::vector<CheckResult>& outcomes) {
  std::vector<verify::NamedRun> runs;
  each_run(wanted, outcomes, [&](const std::string& name, const char*, auto run) {
    runs.push_back({name, run});
  });
  return verify::print_schedule(ta, runs);
}

std::string drawing_of(const verify::Automaton& ta,
                       const std::vector<const verify::Property*>& wanted,
                       const std::vector<CheckResult>& outcomes) {
  std::vector<verify::Picture> pictures;
  each_run(wanted, outcomes, [&](const std::string& name, const char* which, auto run) {
    pictures.push_back({name + which, run});
  });
  return verify::draw_svg(ta, pictures);
}

std::string words_of(const verify::Automaton& ta,
                     const std::vector<const verify::Property*>& wanted,
                     const std::vector<CheckResult>& outcomes) {
  std::string out;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const CheckResult& o = outcomes[i];
    if (!o.witness) continue;
    out += wanted[i]->name + " is violated\n" +
           (o.futures ? verify::describe(ta, *o.futures) : verify::describe(ta, *o.witness)) + "\n";
  }
  return out;
}

/// The violating runs in the form that the name asks for, the whole file or nothing.
Result<Unit, Error> write_witnesses(const std::string& path, const verify::Automaton& ta,
                                    const std::vector<const verify::Property*>& wanted,
                                    const std::vector<CheckResult>& outcomes) {
  const auto text = path.ends_with(".json")  ? schedule_of
                    : path.ends_with(".svg") ? drawing_of
                                             : words_of;
  return sim::save_file(path, text(ta, wanted, outcomes));
}

/// Why the file for the runs cannot be used, found before anything is worked out.
std::string witness_problem(const Args& a) {
  const std::string problem = output_problem("--witness", a.witness);
  return problem.empty() ? same_file_problem("--witness", a.witness, a.file) : problem;
}

std::string checker_list() {
  std::string out;
  for (const std::string& name : verify::checker_names()) out += (out.empty() ? "" : ", ") + name;
  return out;
}

std::string check_arguments(const Args& a, const verify::Automaton& ta) {
  if (ta.properties.empty() && !a.dot) {
    return "'" + a.file + "' has no properties; add a section 'specifications (n) { name: ..; }'";
  }
  const auto& checkers = verify::checker_names();
  if (std::find(checkers.begin(), checkers.end(), a.checker) == checkers.end()) {
    return "--checker: " + unknown_name("checker", a.checker, checkers);
  }
  std::vector<std::string> known;
  for (const auto& p : ta.properties) known.push_back(p.name);
  for (const std::string& name : a.properties) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    return "'" + (a.file.empty() ? a.protocol : a.file) +
           "': " + unknown_name("property", name, known);
  }
  return {};
}

int status_of(const std::vector<CheckResult>& outcomes) {
  const auto any = [&](Safety v) {
    return std::any_of(outcomes.begin(), outcomes.end(),
                       [v](const CheckResult& o) { return o.verdict == v; });
  };
  if (any(Safety::kViolated)) return kSafetyViolated;
  return any(Safety::kUnknown) ? kNoProgress : kDone;
}

void tell_overruled(const std::vector<const verify::Property*>& wanted,
                    const std::vector<CheckResult>& outcomes) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (outcomes[i].overruled.empty()) continue;
    std::fprintf(
        stderr,
        "note: the checker '%s' called '%s' safe, and a run of a small instance breaks it: "
        "that is a defect of the checker; please report it with the file\n",
        outcomes[i].overruled.c_str(), wanted[i]->name.c_str());
  }
}

/// What cvc5 says of each property that was called safe, in what is left of `seconds`.
Opinions second_opinions(const std::vector<CheckResult>& outcomes, double seconds) {
  const auto start = std::chrono::steady_clock::now();
  Opinions out(outcomes.size());
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i].verdict != Safety::kSafe) continue;
    const std::chrono::duration<double> used = std::chrono::steady_clock::now() - start;
    out[i] = verify::cross_check(outcomes[i], seconds - used.count());
  }
  return out;
}

/// Notes on standard error; kFailed when the solvers contradict each other.
int report(const std::vector<const verify::Property*>& wanted, const Opinions& opinions) {
  using Kind = verify::SecondOpinion::Kind;
  bool missing = false;
  int status = kDone;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!opinions[i]) continue;
    const verify::SecondOpinion& o = *opinions[i];
    const std::string which = "'" + wanted[i]->name + "', formula " + std::to_string(o.formula) +
                              " of " + std::to_string(o.formulas);
    if (o.kind == Kind::kUnavailable && !std::exchange(missing, true)) {
      std::fprintf(stderr,
                   "note: cvc5 cannot be run (%s): the verdicts stand as the checkers gave them; "
                   "install the package cvc5 for --cross-check\n",
                   o.said.c_str());
    }
    if (o.kind == Kind::kUnknown) {
      std::fprintf(stderr, "note: %s: the checker says 'safe', cvc5 does not decide it: %s\n",
                   which.c_str(), o.said.c_str());
    }
    if (o.kind == Kind::kDisagreed) {
      status = fail(kFailed, which + ": the checker says 'safe', cvc5 says '" + o.said +
                                 "': one of the solvers or encodings is wrong; trust neither "
                                 "verdict, and report the file");
    }
  }
  return status;
}

int second_future_missing(const Args& a, const std::string& property) {
  return fail(kUsage, a.replay + ": the second future of '" + property +
                          "' is missing: it is the run after the first");
}

/// Runs that were written with --witness, once more.
int replay_file(const Args& a, const verify::Automaton& ta, double seconds) {
  const auto text = read_input(a.replay, "a .json file that --witness wrote");
  if (!text) return fail(kUsage, text.error());
  const auto runs = verify::parse_schedule(*text, a.replay, ta, seconds);
  if (!runs)
    return fail(runs.error().code == ErrorCode::kRejected ? kNoProgress : kUsage, runs.error());
  int status = kDone;
  const verify::NamedRun* one_future = nullptr;
  for (const verify::NamedRun& named : *runs) {
    const auto configurations = verify::replay(ta, named.run);
    if (!configurations) {
      return fail(kUsage, a.replay + ": the run of '" + named.property +
                              "' is none of this automaton: " + configurations.error().text());
    }
    const auto property =
        std::find_if(ta.properties.begin(), ta.properties.end(),
                     [&](const verify::Property& p) { return p.name == named.property; });
    if (one_future != nullptr && one_future->property != named.property)
      return second_future_missing(a, one_future->property);
    bool kept = true;
    if (!property->fork) {
      kept = verify::holds(property->formula, named.run.parameters, *configurations);
    } else if (one_future == nullptr) {
      one_future = &named;  // the next run is the other one
      continue;
    } else {
      kept = !verify::both_happen(ta, *property->fork, one_future->run, named.run);
      one_future = nullptr;
    }
    std::printf("%-20s %s\n", named.property.c_str(),
                kept ? "holds in the run" : "BROKEN by the run");
    if (!kept) status = kSafetyViolated;
  }
  if (runs->empty()) {
    (void)std::fprintf(stderr, "note: '%s' holds no run\n", escaped(a.replay).c_str());
  }
  if (one_future != nullptr) return second_future_missing(a, one_future->property);
  return status;
}

/// The binding checker alone is asked about what it is for, not about every property.
std::vector<std::string> of_two_futures(const verify::Automaton& ta) {
  std::vector<std::string> names;
  for (const verify::Property& p : ta.properties) {
    if (p.fork) names.push_back(p.name);
  }
  return names;
}

double since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

text::Value properties_of(const verify::Automaton& ta) {
  text::Value out = text::Value::list();
  for (const auto& p : ta.properties) {
    text::Value row;
    row.set("name", p.name).set("class", p.category());
    out.push(std::move(row.set("formula", verify::print_property(ta, p))));
  }
  return out;
}

int list_all_as_json() {
  text::Value checkers = text::Value::list();
  for (const std::string_view name : verify::checker_names()) checkers.push(name);
  text::Value protocols = text::Value::list();
  for (const std::string& name : rule_tables()) {
    text::Value row;
    protocols.push(
        std::move(row.set("name", name).set("properties", properties_of(*automaton_of(name)))));
  }
  text::Value out;
  out.set("checkers", std::move(checkers)).set("protocols", std::move(protocols));
  std::puts(text::write(out).c_str());
  return kDone;
}

/// What --list says without a file: everything that can be asked for by name.
int list_all(bool json) {
  if (json) return list_all_as_json();
  std::printf("checkers: %s\n", checker_list().c_str());
  for (const std::string& name : rule_tables()) {
    const auto ta = automaton_of(name);
    std::printf("--protocol %s\n", name.c_str());
    for (const auto& p : ta->properties) {
      std::printf("  %s (%s)\n", p.name.c_str(), p.category().c_str());
    }
  }
  return kDone;
}

/// What is asked for instead of verdicts, if anything is.
std::optional<int> without_checking(const Args& a, const verify::Automaton& ta, double seconds) {
  if (!a.replay.empty()) return replay_file(a, ta, seconds);
  if (a.dot) {
    std::fputs(verify::draw_dot(ta).c_str(), stdout);
    return kDone;
  }
  if (!a.list) return std::nullopt;
  if (a.json) {
    text::Value out;
    std::puts(text::write(out.set("properties", properties_of(ta))).c_str());
    return kDone;
  }
  for (const auto& p : ta.properties) {
    std::printf("%s (%s): %s\n", p.name.c_str(), p.category().c_str(),
                verify::print_property(ta, p).c_str());
  }
  return kDone;
}

/// Sections that a file may leave out, but seldom means to.
void note_missing(const Args& a, const verify::Automaton& ta) {
  if (ta.initial.empty()) {
    std::fprintf(stderr,
                 "note: '%s' has no section 'inits': a run may start anywhere, with any values\n",
                 a.file.c_str());
  }
  if (ta.resilience.empty()) {
    std::fprintf(stderr,
                 "note: '%s' has no section 'assumptions': the parameters are any numbers\n",
                 a.file.c_str());
  }
}

/// Verdicts, notes, witnesses, and in `seconds` the second solver's opinion.
int tell(const Args& a, const verify::Automaton& ta, const std::vector<CheckResult>& outcomes,
         double seconds, CtrlC& ctrl_c) {
  std::vector<const verify::Property*> wanted;
  for (const auto& p : ta.properties) {
    const auto& only = a.properties;
    if (only.empty() || std::find(only.begin(), only.end(), p.name) != only.end()) {
      wanted.push_back(&p);
    }
  }
  const Opinions opinions =
      a.cross_check ? second_opinions(outcomes, seconds) : Opinions(outcomes.size());
  ctrl_c.hold();
  if (a.json) print_json(a, ta, wanted, outcomes, opinions);
  for (std::size_t i = 0; i < wanted.size() && !a.json; ++i) {
    const std::string second =
        opinions[i] ? std::string("; cvc5: ") + verify::to_string(opinions[i]->kind) : "";
    std::printf("%-20s %s  [%s, %.2f s%s%s]\n", wanted[i]->name.c_str(),
                verdict_text(ta, outcomes[i]).c_str(), outcomes[i].checker.c_str(),
                outcomes[i].seconds, instances_text(outcomes[i]).c_str(), second.c_str());
  }
  tell_overruled(wanted, outcomes);
  const int contradiction = report(wanted, opinions);
  const int status = contradiction != kDone ? contradiction : status_of(outcomes);
  if (a.witness.empty()) return status;
  if (const auto saved = write_witnesses(a.witness, ta, wanted, outcomes); !saved) {
    return fail(status != kDone ? status : kUsage, saved.error());
  }
  if (std::ranges::none_of(outcomes, [](const CheckResult& o) { return o.witness.has_value(); })) {
    (void)std::fprintf(stderr, "note: nothing is violated, so '%s' holds no run\n",
                       a.witness.c_str());
  }
  return status;
}

/// The solver does not survive it when it runs out of memory: it is not begun without any.
std::string memory_problem() {
  constexpr std::uint64_t kLeast = 256;
  const std::uint64_t left = available_memory() >> 20;
  if (left >= kLeast) return {};
  return "the checkers need " + std::to_string(kLeast) +
         " MiB of memory, and this process may take " + std::to_string(left) +
         " more; raise its limit (ulimit -v, the group's memory.max), or free some";
}

int run(Args a) {
  CtrlC ctrl_c([] {
    verify::abandon_cross_check();
    return std::string("nothing is decided");
  });
  const auto start = std::chrono::steady_clock::now();
  const auto timeout = parse_duration(a.timeout);
  if (!timeout || *timeout == 0) {
    return fail(kUsage, no_duration("--timeout", a.timeout));
  }
  const double seconds = static_cast<double>(*timeout) / 1e6;
  if (a.list && a.file.empty() && a.protocol.empty()) return list_all(a.json);
  if (a.file.empty() == a.protocol.empty()) {
    return fail(kUsage, "give either a file or a protocol with --protocol");
  }
  const auto ta = a.file.empty() ? built_in(a.protocol) : load(a.file, seconds);
  if (!ta) return fail(ta.error().code == ErrorCode::kRejected ? kNoProgress : kUsage, ta.error());
  if (const std::string problem = check_arguments(a, *ta); !problem.empty()) {
    return fail(kUsage, problem);
  }
  if (a.checker == "binding" && a.properties.empty()) {
    a.properties = of_two_futures(*ta);
    if (a.properties.empty()) {
      return fail(kUsage,
                  "no property speaks of two futures, and the binding checker decides "
                  "nothing else; see --list");
    }
  }
  if (const auto status = without_checking(a, *ta, seconds - since(start))) return *status;
  if (const std::string why = witness_problem(a); !why.empty()) return fail(kUsage, why);
  if (const std::string why = memory_problem(); !why.empty()) return fail(kResourceMissing, why);
  if (const auto instance = verify::check_instance(*ta, seconds - since(start)); !instance) {
    return fail(kUsage, "'" + (a.file.empty() ? a.protocol : a.file) +
                            "': " + instance.error().text() + "; every property would hold of it");
  }
  note_missing(a, *ta);
  verify::CheckOptions options;
  options.keep_proofs = a.cross_check;
  options.instance_known = true;
  options.seconds = seconds - since(start);
  options.checker = a.checker;
  options.only = a.properties;
  const auto outcomes = verify::check_all(*ta, options);
  const int status = tell(a, *ta, outcomes, seconds - since(start), ctrl_c);
  // A thread that a checker left behind still works in the solver: what the end of the program
  // tears down must wait for nobody and be torn down under nobody.
  if (std::any_of(outcomes.begin(), outcomes.end(), [](const auto& o) { return o.left_behind; })) {
    std::_Exit(flush_output(status));
  }
  return status;
}

}  // namespace

Verb make_verify() {
  auto a = std::make_shared<Args>();
  return {
      {"verify"},
      "Check the properties of a threshold automaton for all parameters. Example: thresher "
      "verify bracha.ta --timeout 20s",
      {{"file", "a .ta, .eta or .tla file", &a->file},
       {"--protocol", "a protocol of this program instead: " + rule_table_names(), &a->protocol},
       {"--property", "only this one; repeatable", &a->properties},
       {"--checker", checker_list(), &a->checker},
       {"--timeout", "for the whole call, like 60s", &a->timeout},
       {"--witness",
        "write the runs that violate a property here: a drawing if it ends in .svg, a "
        "schedule if in .json",
        &a->witness},
       {"--replay", "carry out the runs of such a .json file instead of checking", &a->replay},
       {"--cross-check", "let cvc5, if installed, check again what was called safe",
        &a->cross_check},
       {"--dot", "print the automaton as a drawing for Graphviz and end", &a->dot},
       {"--list", "list the properties (without a file: the protocols and checkers) and end",
        &a->list},
       {"--json", "one object on one line", &a->json}},
      [a] { return run(*a); },
      {{{"--property", "--checker", "--witness", "--replay", "--cross-check", "--dot"},
        [a] { return a->list; },
        "--list names what can be checked, and ends"},
       {{"--property", "--checker", "--witness", "--replay", "--cross-check", "--json"},
        [a] { return a->dot; },
        "--dot prints a drawing, and ends"},
       {{"--property", "--checker", "--witness", "--cross-check", "--json"},
        [a] { return !a->replay.empty(); },
        "--replay carries out the runs of a file as they are, one line each"}}};
}

}  // namespace thresher::cli
