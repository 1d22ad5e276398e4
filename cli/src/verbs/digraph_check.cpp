#include <memory>

#include "../digraph/drawing.hpp"
#include "../digraph/graph_file.hpp"
#include "../json.hpp"
#include "../text.hpp"

namespace thresher::cli {
namespace {

using digraph::Breach;
using digraph::Witness;

struct Args {
  std::string file;
  std::uint64_t faults = 0;
  bool json = false;
  bool dot = false;
  bool svg = false;
};

std::string in_words(const Witness& w, std::uint64_t faults) {
  const std::string needed = ", but " + std::to_string(faults + 1) + " are needed";
  switch (w.breach) {
    case Breach::kTwoSources:
      return "without " + show(w.a) + " nothing leads into " + show(w.source_a) +
             " and nothing into " + show(w.source_b) + ", so they cannot hear of each other";
    case Breach::kFewSources:
      return "without " + show(w.a) + " all depend on " + show(w.source_a) + ", of " +
             std::to_string(digraph::size_of(w.source_a)) + needed;
    case Breach::kFewCommon:
      return "the source without " + show(w.a) + " is " + show(w.source_a) + ", that without " +
             show(w.b) + " is " + show(w.source_b) + "; they share " +
             std::to_string(digraph::size_of(w.source_a & w.source_b)) + needed;
  }
  return {};
}

Json as_json(const Witness& w, std::uint64_t faults) {
  Json out;
  const bool pair = w.breach == Breach::kFewCommon;
  out.set("breaks", std::string(pair ? "asynchronous_approximate" : "synchronous_exact"));
  out.set("reason", std::string(w.breach == Breach::kTwoSources   ? "two_sources"
                                : w.breach == Breach::kFewSources ? "few_sources"
                                                                  : "few_common"));
  out.set(pair ? "a" : "faulty", listed(w.a)).set("source_a", listed(w.source_a));
  if (pair) out.set("b", listed(w.b)).set("common", listed(w.source_a & w.source_b));
  if (w.source_b != 0) out.set("source_b", listed(w.source_b));
  if (w.breach != Breach::kTwoSources) out.set("needed", faults + 1);
  return out;
}

int check(const Args& args) {
  if (args.json + args.dot + args.svg > 1) {
    return fail(kUsage, "choose one of --json, --dot and --svg");
  }
  const auto graph = read_graph(args.file);
  if (!graph) return fail_all(kUsage, graph.error());
  if (const std::string why = cannot_check(*graph, args.faults); !why.empty()) {
    return fail(kUsage, why);
  }
  const auto conditions = digraph::check(*graph, static_cast<std::uint32_t>(args.faults));
  const auto& witness = conditions.asynchronous;
  if (args.dot || args.svg) {
    std::fputs((args.dot ? as_dot(*graph, witness) : as_svg(*graph, witness)).c_str(), stdout);
    return kDone;
  }
  if (args.json) {
    Json out;
    out.set("nodes", std::uint64_t{graph->size()}).set("faults", args.faults);
    out.set("synchronous_exact", conditions.synchronous_exact());
    out.set("asynchronous_approximate", conditions.asynchronous_approximate());
    if (witness) out.set("witness", as_json(*witness, args.faults));
    if (!witness) out.set_null("witness");
    out.print();
    return kDone;
  }
  std::printf("synchronous exact agreement:          %s\n",
              conditions.synchronous_exact() ? "possible" : "impossible");
  std::printf("asynchronous approximate agreement:   %s\n",
              conditions.asynchronous_approximate() ? "possible" : "impossible");
  if (witness) std::printf("because %s\n", in_words(*witness, args.faults).c_str());
  return kDone;
}

}  // namespace

Verb make_digraph_check() {
  auto args = std::make_shared<Args>();
  return {{"digraph", "check"},
          "Decide whether nodes with signatures can agree in a directed graph although some are "
          "Byzantine, and show which ones prevent it. Example: thresher digraph check graph.json "
          "--faults 1",
          {{"graph", "a file like {\"nodes\": 4, \"edges\": [[0, 1]]}", &args->file, true},
           {"--faults", "how many nodes may be Byzantine", &args->faults, true},
           {"--json", "as one JSON object", &args->json},
           {"--dot", "as a graph for Graphviz, the witness in colour", &args->dot},
           {"--svg", "as a picture, the witness in colour", &args->svg}},
          [args] { return check(*args); }};
}

}  // namespace thresher::cli
