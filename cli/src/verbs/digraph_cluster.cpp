#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>

#include "../digraph/graph_file.hpp"
#include "../digraph/member_cluster.hpp"
#include "../durations.hpp"
#include "../output_file.hpp"
#include "thresher/protocols/digraph/condition.hpp"
#include "thresher/text/json.hpp"

namespace thresher::cli {
namespace {

struct Args {
  std::string graph;
  std::uint64_t faults = 0;
  std::string values;
  bool approximate = false;
  std::uint64_t eps = 1;
  std::string delta = "1s";
  std::string dead;
  std::vector<std::string> kill;
  std::vector<std::string> liar;
  std::string patience = "60s";
  std::string home;
  bool json = false;
};

template <class I>
std::optional<I> number(const std::string& text) {
  I out{};
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, out);
  return parsed.ec == std::errc{} && parsed.ptr == end ? std::optional(out) : std::nullopt;
}

std::string read_values(const Args& a, MembersOptions& o) {
  const std::uint32_t n = o.graph.size();
  for (const std::string& text : names_in(a.values)) {
    const auto value = number<std::int64_t>(text);
    const std::int64_t most = std::int64_t{1} << 60;
    if (!value || *value <= -most || *value >= most || (*value < 0 && !a.approximate))
      return "--values: '" + text +
             "' is no whole number that members can agree on; exact "
             "agreement takes 0 and more, and all are below 2^60";
    o.values.push_back(*value);
  }
  if (o.values.size() == n) return {};
  return "--values names " + std::to_string(o.values.size()) + " inputs for " + std::to_string(n) +
         " nodes; give one each, as in --values 7,7,8,7";
}

std::string read_faulty(const Args& a, MembersOptions& o) {
  const std::uint32_t n = o.graph.size();
  const std::string nodes = "a node from 0 to " + std::to_string(n - 1);
  for (const std::string& text : names_in(a.dead)) {
    const auto node = number<std::uint64_t>(text);
    if (!node || *node >= n) return ("--dead: '" + text + "' is not ").append(nodes);
    o.dead.push_back(*node);
  }
  std::vector<std::uint64_t> faulty = o.dead;
  for (const std::string& text : a.kill) {
    const auto kill = parse_node_at(text);
    if (!kill || kill->node >= n)
      return ("--kill '" + text + "' is not NODE@TIME, like 3@2s, with ").append(nodes);
    o.kills.push_back(*kill);
    faulty.push_back(kill->node);
  }
  for (const std::string& text : a.liar) {
    const auto equals = text.find('=');
    const auto node = number<std::uint64_t>(text.substr(0, equals));
    if (equals == std::string::npos || !node || *node >= n)
      return ("--liar '" + text + "' is not NODE=KIND, like 3=split, with ").append(nodes);
    const auto lie = lie_named(std::string_view(text).substr(equals + 1));
    if (!lie) return "--liar '" + text + "': the kind is " + std::string(kLies);
    o.liars.push_back({*node, *lie});
    faulty.push_back(*node);
  }
  std::sort(faulty.begin(), faulty.end());
  const auto twice = std::adjacent_find(faulty.begin(), faulty.end());
  if (twice != faulty.end())
    return "node " + std::to_string(*twice) + " is named twice by --dead, --kill and --liar";
  if (faulty.size() <= a.faults) return {};
  return "--dead, --kill and --liar name " + std::to_string(faulty.size()) +
         " nodes, and --faults " + std::to_string(a.faults) + " are borne";
}

std::vector<std::string> read_options(const Args& a, MembersOptions& o) {
  const auto graph = read_graph(a.graph);
  if (!graph) return texts_of(graph.error());
  if (std::string why = cannot_check(*graph, a.faults); !why.empty()) return {why};
  o.graph = *graph;
  o.graph_file = a.graph;
  o.faults = a.faults;
  o.delta = a.delta;
  const auto f = static_cast<std::uint32_t>(a.faults);
  if (a.approximate ? digraph::asynchronous_breach(*graph, f).has_value()
                    : digraph::synchronous_breach(*graph, f).has_value())
    return {"these nodes cannot agree in this graph; thresher digraph check says why"};
  const auto delta = parse_duration(a.delta);
  if (!delta || *delta < 1'000 || *delta > 60'000'000)
    return {"--delta '" + a.delta + "' is no time from 1ms to 60s"};
  const auto patience = parse_duration(a.patience);
  if (!patience) return {no_duration("--patience", a.patience)};
  o.patience_us = *patience;
  if (a.approximate && a.eps == 0) return {"--eps must be 1 at least"};
  if (a.approximate) o.eps = a.eps;
  for (const std::string& problem : {read_values(a, o), read_faulty(a, o)}) {
    if (!problem.empty()) return {problem};
  }
  return {};
}

void print_json(const Args& a, const MembersOptions& o, const MembersReport& r) {
  text::Value members = text::Value::list();
  for (std::size_t i = 0; i < r.members.size(); ++i) {
    const MemberResult& m = r.members[i];
    text::Value row;
    row.set("node", i).set("input", o.values[i]).set("fate", m.fate);
    row.set("decision", m.decision ? text::Value(*m.decision) : text::Value());
    text::Value caught = text::Value::list();
    for (const std::uint64_t node : m.caught) caught.push(node);
    row.set("caught", caught).set("late", m.late).set("problem", m.problem);
    members.push(std::move(row));
  }
  text::Value out;
  out.set("agreement", r.violated.empty() && !r.undecided).set("violated", r.violated);
  out.set("approximate", a.approximate).set("faults", a.faults).set("members", members);
  std::puts(text::write(out).c_str());
}

std::string caught_by(const MembersReport& r, std::uint64_t node) {
  std::string who;
  for (std::size_t i = 0; i < r.members.size(); ++i) {
    const auto& caught = r.members[i].caught;
    if (std::find(caught.begin(), caught.end(), node) == caught.end()) continue;
    who += (who.empty() ? "caught by " : ", ") + std::to_string(i);
  }
  return who.empty() ? "nobody has a proof of it" : who;
}

void print_text(const Args& a, const MembersOptions& o, const MembersReport& r) {
  for (std::size_t i = 0; i < r.members.size(); ++i) {
    const MemberResult& m = r.members[i];
    const std::string what = m.fate != "correct" ? m.fate
                             : m.decision        ? "decided " + std::to_string(*m.decision)
                                                 : "no decision: " + m.problem;
    std::printf("node %zu: input %lld, %s\n", i, static_cast<long long>(o.values[i]), what.c_str());
  }
  for (const LiarAt& liar : o.liars)
    std::printf("node %llu lied (%s): %s\n", static_cast<unsigned long long>(liar.node),
                name_of(liar.lie).c_str(), caught_by(r, liar.node).c_str());
  if (!r.violated.empty() || r.undecided) return;
  std::printf("agreement: %s\n", a.approximate ? "all decisions are near each other and among the "
                                                 "inputs"
                                               : "all decided the same");
}

// A folder that went well is of no use any more.
MembersReport run_in_folder(const Args& a, MembersOptions& o) {
  o.home = a.home;
  if (!a.home.empty()) return run_members(o);
  std::string pattern = (std::filesystem::temp_directory_path() / "thresher-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    MembersReport none;
    none.problem = "cannot create a folder in " + pattern + "; give one with --home";
    return none;
  }
  o.home = pattern;
  MembersReport r = run_members(o);
  std::error_code ignored;
  std::filesystem::remove_all(pattern, ignored);
  return r;
}

int run(const Args& a) {
  MembersOptions o;
  if (const auto problems = read_options(a, o); !problems.empty())
    return fail_all(kUsage, problems);
  if (const std::string problem = new_folder_problem("--home", a.home); !problem.empty())
    return fail(kUsage, problem);
  const MembersReport r = run_in_folder(a, o);
  if (r.interrupted) return fail(kInterrupted, r.problem);
  if (!r.problem.empty()) return fail(kFailed, r.problem);
  if (a.json) {
    print_json(a, o, r);
  } else {
    print_text(a, o, r);
  }
  if (!r.violated.empty()) return fail(kSafetyViolated, r.violated);
  return r.undecided ? fail(kNoProgress, "a correct member has no decision") : kDone;
}

}  // namespace

Verb make_digraph_cluster() {
  auto args = std::make_shared<Args>();
  return {{"digraph", "cluster"},
          "Let real processes agree over loopback links along the edges of a directed graph, some "
          "of them dead or killed, and judge what they decide. Example: thresher digraph cluster "
          "graph.json --faults 1 --values 7,7,8,7 --kill 3@2s",
          {{"graph", "a file like {\"nodes\": 4, \"edges\": [[0, 1]]}", &args->graph, true},
           {"--faults", "how many nodes may be Byzantine", &args->faults, true},
           {"--values", "an input for each node, separated by commas", &args->values, true},
           {"--approximate", "values near each other, at any delays, in place of one value",
            &args->approximate},
           {"--eps", "with --approximate: how far apart decisions may be", &args->eps},
           {"--delta", "of exact agreement: what a message takes at most", &args->delta},
           {"--dead", "nodes that are never started, separated by commas", &args->dead},
           {"--kill", "NODE@TIME: SIGKILL, timed from the first round; repeatable", &args->kill},
           {"--liar",
            "NODE=KIND: it lies, split (another value to each neighbour) or garbage; repeatable",
            &args->liar},
           {"--patience", "until it gives up on members that do not decide", &args->patience},
           {"--home", "keep the members' folders here", &args->home},
           {"--json", "one object on one line", &args->json}},
          [args] { return run(*args); },
          {{{"--eps"}, [args] { return !args->approximate; }, "--eps goes with --approximate"},
           {{"--delta"},
            [args] { return args->approximate; },
            "--delta goes with exact agreement; approximate agreement needs no clock"}}};
}

}  // namespace thresher::cli
