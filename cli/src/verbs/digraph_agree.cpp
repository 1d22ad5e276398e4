#include <charconv>
#include <memory>
#include <thread>

#include "../digraph/graph_file.hpp"
#include "../digraph/halvings.hpp"
#include "../text.hpp"
#include "thresher/crypto/key_file.hpp"
#include "thresher/net/config.hpp"
#include "thresher/net/graph_agreement.hpp"
#include "thresher/text/json.hpp"

namespace thresher::cli {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;
using std::chrono::system_clock;

/// A start that is further away is a slip.
constexpr std::uint64_t kFarthestStart = 24 * 3600;
/// How much longer than their rounds members may need to say so.
constexpr seconds kAfterEnd(10);

struct Args {
  std::string home;
  std::string graph;
  std::uint64_t faults = 0;
  std::string value;
  std::string name;
  OptionalNumber at;
  std::string delta = "1s";
  bool approximate = false;
  OptionalNumber spread;
  OptionalNumber eps;
  std::string patience = "60s";
  std::string linger = "10s";
  bool json = false;
};

std::string read_exact(const Args& a, net::GraphAgreementOptions& o) {
  if (!a.at)
    return "exact agreement goes in rounds: give --at, the second since 1970 at which all members "
           "start, the same at each, as in --at $(date -d '+10 seconds' +%s)";
  const auto now = system_clock::now().time_since_epoch();
  if (*a.at >
      static_cast<std::uint64_t>(std::chrono::duration_cast<seconds>(now).count()) + kFarthestStart)
    return "--at " + std::to_string(*a.at) + " is more than a day away";
  o.starts = system_clock::time_point(seconds(*a.at));
  const auto delta = parse_duration(a.delta);
  if (!delta) return "--delta '" + a.delta + "' is no time; write 1s or 200ms";
  o.delta_us = *delta;
  return {};
}

std::string read_approximate(const Args& a, net::GraphAgreementOptions& o) {
  if (!a.spread || !a.eps || *a.eps == 0)
    return "--approximate needs --spread, how far apart correct inputs may be, and --eps, how far "
           "apart decisions may be, 1 at least; the same at every member";
  if (*a.spread >= std::uint64_t{1} << 62) return "--spread must be below 2^62";
  o.halvings = halvings_for(*a.spread, *a.eps);
  return {};
}

std::string read_value(const std::string& text, std::int64_t& value) {
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec == std::errc{} && parsed.ptr == end) return {};
  return "--value '" + text + "' is no whole number";
}

// The files of the member, and what the options say.
std::vector<std::string> read_options(const Args& a, net::GraphAgreementOptions& o) {
  const auto config = net::load_config(a.home);
  if (!config) return texts_of(config.error());
  const net::NodeOptions node = net::with_paths(config->options);
  auto genesis = net::load_genesis(node.genesis, net::MayLackCoin::kYes);
  if (!genesis) return {genesis.error().text()};
  o.genesis = std::move(*genesis);
  const auto key = crypto::load_key(node.key);
  if (!key) return {key.error().text()};
  o.key = *key;
  const auto graph = read_graph(a.graph);
  if (!graph) return texts_of(graph.error());
  if (const std::string why = cannot_check(*graph, a.faults); !why.empty()) return {why};
  o.graph = *graph;
  o.faults = static_cast<std::uint32_t>(a.faults);
  o.name = a.name;
  o.folder = a.home + "/digraph";
  std::vector<std::string> problems;
  for (std::string problem :
       {read_value(a.value, o.value), a.approximate ? read_approximate(a, o) : read_exact(a, o)}) {
    if (!problem.empty()) problems.push_back(std::move(problem));
  }
  if (!problems.empty()) return problems;
  if (const auto good = net::check_options(o); !good) return {good.error().text()};
  return {};
}

text::Value list_of(digraph::Mask nodes) {
  text::Value out = text::Value::list();
  digraph::for_each(nodes, [&](std::uint32_t node) { out.push(node); });
  return out;
}

void print(const Args& a, const net::GraphAgreement& run, std::int64_t value) {
  const net::GraphAgreementStatus s = run.status();
  if (a.json) {
    text::Value out;
    out.set("decision", value).set("node", run.self().value).set("name", a.name);
    out.set("approximate", a.approximate).set("links", s.links).set("neighbours", s.neighbours);
    out.set("refused", s.refused).set("late", s.late).set("bytes_sent", s.bytes_sent);
    out.set("caught", list_of(s.caught));
    out.set("stood_still_ms", static_cast<double>(s.stood_still_us) / 1e3);
    std::puts(text::write(out).c_str());
  } else {
    std::printf("decided %lld\n", static_cast<long long>(value));
    digraph::for_each(s.caught, [](std::uint32_t node) {
      std::printf("member %u lied: it signed two inputs, or sent what is no message\n", node);
    });
    if (s.late > 0)
      std::printf(
          "%llu messages came too late: a liar kept them back, or --delta is too small, and then "
          "others may have decided something else\n",
          static_cast<unsigned long long>(s.late));
  }
  (void)std::fflush(stdout);
}

int agree(const Args& a) {
  net::GraphAgreementOptions o;
  if (const auto problems = read_options(a, o); !problems.empty())
    return fail_all(kUsage, problems);
  const auto patience = parse_duration(a.patience);
  const auto linger = parse_duration(a.linger);
  if (!patience || !linger)
    return fail(kUsage, "--patience '" + a.patience + "' and --linger '" + a.linger +
                            "' are times; write 60s or 500ms");
  const auto run = net::GraphAgreement::begin(o);
  if (!run) return fail(kUsage, run.error());
  microseconds longest(*patience);
  if (!a.approximate) {
    longest = std::chrono::duration_cast<microseconds>(net::GraphAgreement::ends(o) -
                                                       system_clock::now() + kAfterEnd);
  }
  const auto decision =
      (*run)->wait(std::chrono::duration_cast<std::chrono::milliseconds>(longest));
  if (decision) print(a, **run, decision->value);
  if (!decision) (void)fail(kNoProgress, decision.error());
  // Others' messages may have to go through this member.
  std::this_thread::sleep_for(microseconds(*linger));
  return decision ? kDone : kNoProgress;
}

}  // namespace

Verb make_digraph_agree() {
  auto args = std::make_shared<Args>();
  return {
      {"digraph", "agree"},
      "Agree on a value with the other members of a network, along the edges of a directed graph: "
      "run it at each of them. Example: thresher digraph agree --home mynet/node0 --graph "
      "graph.json --faults 1 --name budget --value 7 --at $(date -d '+10 seconds' +%s)",
      {{"--home", "the member's folder, as thresher testnet init makes it", &args->home, true},
       {"--graph", "a file like {\"nodes\": 4, \"edges\": [[0, 1]]}; node i is member i",
        &args->graph, true},
       {"--faults", "how many members may be Byzantine", &args->faults, true},
       {"--value", "this member's input, a whole number", &args->value, true},
       {"--name", "of this agreement, never used before: a-z, 0-9 and -", &args->name, true},
       {"--at", "of exact agreement: when all start, in seconds since 1970", &args->at},
       {"--delta",
        "of exact agreement: what a message takes at most; clocks may differ by half of it",
        &args->delta},
       {"--approximate", "values near each other, at any delays, in place of one value",
        &args->approximate},
       {"--spread", "with --approximate: how far apart inputs may be", &args->spread},
       {"--eps", "with --approximate: how far apart decisions may be", &args->eps},
       {"--patience", "with --approximate: until it gives up", &args->patience},
       {"--linger", "how long it goes on to relay for others then", &args->linger},
       {"--json", "one object on one line", &args->json}},
      [args] { return agree(*args); },
      {{{"--spread", "--eps", "--patience"},
        [args] { return !args->approximate; },
        "--spread, --eps and --patience go with --approximate"},
       {{"--at", "--delta"},
        [args] { return args->approximate; },
        "what they say goes with exact agreement; approximate agreement needs no clock"}}};
}

}  // namespace thresher::cli
