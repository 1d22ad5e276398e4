#include <algorithm>
#include <memory>

#include "../json.hpp"
#include "../output_file.hpp"
#include "../text.hpp"
#include "thresher/sim/reproduce.hpp"
#include "thresher/sim/results.hpp"

namespace thresher::cli {
namespace {

struct Args {
  std::string name;
  std::uint64_t runs = sim::ReproduceOptions{}.runs;
  std::uint64_t seed = sim::ReproduceOptions{}.seed;
  bool json = false;
  std::string report;
};

std::string all_names() {
  std::string out;
  for (const std::string& name : sim::reproductions()) out += (out.empty() ? "" : ", ") + name;
  return out;
}

Json as_json(const sim::Reproduction& r) {
  std::vector<Json> claims;
  for (const sim::CheckedClaim& c : r.claims) {
    Json one;
    one.set("what", c.what).set("measured", c.measured).set("least", c.least).set("most", c.most);
    one.set("holds", c.holds()).set("why", c.why);
    claims.push_back(std::move(one));
  }
  Json out;
  out.set("name", r.name).set("source", r.source).set("claims", claims);
  return out;
}

void print_text(const sim::Reproduction& r) {
  std::printf("%s (%s)\n", r.name.c_str(), r.source.c_str());
  for (const sim::CheckedClaim& c : r.claims) {
    std::printf("  %-4s %s: %.4g, expected %.4g to %.4g (%s)\n", c.holds() ? "yes" : "NO",
                c.what.c_str(), c.measured, c.least, c.most, c.why.c_str());
  }
}

Result<Unit, Error> save_page(const Args& args, const std::vector<sim::Reproduction>& all) {
  const std::string command = "thresher sim reproduce" +
                              (args.name.empty() ? std::string() : " " + args.name) + " --runs " +
                              std::to_string(args.runs) + " --seed " + std::to_string(args.seed);
  return sim::save_file(args.report, sim::reproduction_html(all, THRESHER_VERSION, command));
}

int run(const Args& args) {
  const auto names = sim::reproductions();
  if (!args.name.empty() && std::find(names.begin(), names.end(), args.name) == names.end()) {
    return fail(kUsage, "there is no result '" + args.name + "'; there are " + all_names() +
                            ". Light-cone consistency is a level of `thresher history check`");
  }
  if (args.runs < 100 || args.runs > 1'000'000)
    return fail(kUsage, "--runs must be 100 to 1000000");
  if (const std::string why = output_problem("--report", args.report); !why.empty())
    return fail(kUsage, why);
  bool all_hold = true;
  std::vector<Json> rows;
  std::vector<sim::Reproduction> all;
  for (const std::string& name : names) {
    if (!args.name.empty() && args.name != name) continue;
    const sim::Reproduction r = sim::reproduce(name, {args.runs, args.seed});
    all_hold = std::all_of(r.claims.begin(), r.claims.end(),
                           [](const sim::CheckedClaim& c) { return c.holds(); }) &&
               all_hold;
    if (args.json) {
      rows.push_back(as_json(r));
    } else {
      print_text(r);
    }
    all.push_back(r);
  }
  if (args.json) Json::print_array(rows);
  if (!args.report.empty()) {
    if (const auto saved = save_page(args, all); !saved) return fail(kUsage, saved.error());
  }
  return all_hold ? kDone : fail(kFailed, "not every claim was reproduced; try more --runs");
}

}  // namespace

Verb make_sim_reproduce() {
  auto args = std::make_shared<Args>();
  return {{"sim", "reproduce"},
          "Run published results as experiments and hold what comes out against what they claim. "
          "Example: thresher sim reproduce finality --runs 1000",
          {{"result", "one of " + all_names() + "; none: all of them", &args->name},
           {"--runs", "of each experiment that draws", &args->runs},
           {"--seed", "of what is drawn", &args->seed},
           {"--report", "write claims, what came out and pictures to this page", &args->report},
           {"--json", "one array", &args->json}},
          [args] { return run(*args); }};
}

}  // namespace thresher::cli
