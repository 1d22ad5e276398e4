#include <memory>

#include "../digraph/graph_file.hpp"
#include "../json.hpp"
#include "../text.hpp"
#include "thresher/protocols/digraph/repair.hpp"

namespace thresher::cli {
namespace {

using digraph::Condition;

struct Args {
  std::string file;
  std::uint64_t faults = 0;
  std::string condition = "synchronous";
  std::uint64_t checks = 200'000;
  bool json = false;
};

int repair(const Args& args) {
  if (args.condition != "synchronous" && args.condition != "asynchronous") {
    return fail(kUsage, "--condition is synchronous or asynchronous, not '" + args.condition + "'");
  }
  const auto graph = read_graph(args.file);
  if (!graph) return fail_all(kUsage, graph.error());
  if (const std::string why = cannot_check(*graph, args.faults); !why.empty()) {
    return fail(kUsage, why);
  }
  digraph::RepairLimits limits;
  limits.most_checks = args.checks;
  const auto found = digraph::repair(
      *graph, static_cast<std::uint32_t>(args.faults),
      args.condition == "synchronous" ? Condition::kSynchronous : Condition::kAsynchronous, limits);
  if (!found) {
    return fail(kFailed, "gave up after " + std::to_string(args.checks) +
                             " checks; try a larger --checks, or a smaller graph");
  }
  const bool can = found->has_value();
  if (args.json) {
    Json out;
    std::vector<Json> rows;
    if (can) {
      for (const auto& [from, to] : **found) {
        rows.push_back(Json());
        rows.back().set("from", std::uint64_t{from.value}).set("to", std::uint64_t{to.value});
      }
    }
    out.set("condition", args.condition)
        .set("most_edges", std::uint64_t{limits.most_edges})
        .set("found", can)
        .set("add", rows)
        .print();
    return kDone;
  }
  if (!can) {
    std::printf("no %u edges make the condition hold\n", limits.most_edges);
  } else if ((*found)->empty()) {
    std::puts("the condition holds already");
  } else {
    for (const auto& [from, to] : **found) std::printf("add [%u, %u]\n", from.value, to.value);
  }
  return kDone;
}

}  // namespace

Verb make_digraph_repair() {
  auto args = std::make_shared<Args>();
  return {{"digraph", "repair"},
          "Name a smallest set of edges, at most three, whose addition lets the nodes agree. "
          "Example: thresher digraph repair graph.json --faults 1",
          {{"graph", "a file like {\"nodes\": 4, \"edges\": [[0, 1]]}", &args->file, true},
           {"--faults", "how many nodes may be Byzantine", &args->faults, true},
           {"--condition", "synchronous or asynchronous", &args->condition},
           {"--checks", "conditions checked before it gives up", &args->checks},
           {"--json", "as one JSON object", &args->json}},
          [args] { return repair(*args); }};
}

}  // namespace thresher::cli
