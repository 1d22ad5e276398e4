#include <memory>

#include "../text.hpp"
#include "thresher/sim/sweep.hpp"

namespace thresher::cli {
namespace {

struct Args {
  std::vector<std::string> folders;
  std::string out;
};

int merge(const Args& a) {
  const std::vector<std::filesystem::path> from(a.folders.begin(), a.folders.end());
  const std::string into = a.out.empty() ? a.folders.front() : a.out;
  const auto report = sim::merge_sweeps(from, into);
  if (!report) return fail(kUsage, report.error());
  if (report->missing != 0) {
    return fail(kFailed,
                std::to_string(report->missing) + " of " + std::to_string(report->cells) +
                    " runs are in none of the folders; run their shards, then merge again");
  }
  std::printf("%zu runs in %s: see summary.csv there, or `thresher sim report %s`\n", report->cells,
              into.c_str(), into.c_str());
  return kDone;
}

}  // namespace

Verb make_sim_merge() {
  auto a = std::make_shared<Args>();
  return {{"sim", "merge"},
          "Join the folders of a sweep's shards. Example: thresher sim merge shard0 shard1 --out "
          "all",
          {{"folders", "one for each shard", &a->folders, true},
           {"--out", "where to; absent: into the first folder", &a->out}},
          [a] { return merge(*a); }};
}

}  // namespace thresher::cli
