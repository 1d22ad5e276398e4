#include <algorithm>
#include <filesystem>
#include <memory>

#include "../output_file.hpp"
#include "../sim/sparse_dag.hpp"
#include "../text.hpp"
#include "thresher/core/committee.hpp"
#include "thresher/core/names.hpp"
#include "thresher/sim/read.hpp"
#include "thresher/sim/results.hpp"

namespace thresher::cli {
namespace {

struct Args {
  std::uint64_t n = 1000;
  double virtual_s = 10;
  std::uint64_t seed = 1;
  std::string only;
  std::string files;
  std::string charts;
  std::string join;
  bool scaling = false;
  bool json = false;
};

constexpr std::uint32_t kScales[] = {100, 200, 400, 700};

bool wanted(const std::string& row, const std::string& only) {
  const auto names = names_in(only);
  return names.empty() || std::find(names.begin(), names.end(), row) != names.end();
}

// A sample of n or more is everybody: such a row would only measure a dense one again, unless it
// lists its signatures, which no dense row does.
bool covers_all(const SparseRow& row, std::uint64_t n) {
  return row.sample >= n && row.one_signature;
}

// Why nothing can be run so, and what to do.
std::string problem_of(const Args& a) {
  if (a.n < 4 || a.n > Committee::kMaxSize) {
    return "--n must be 4 to " + std::to_string(Committee::kMaxSize) + ", not " +
           std::to_string(a.n);
  }
  if (!(a.virtual_s >= 0.001 && a.virtual_s <= 3600))
    return "--virtual-s must be 0.001 to 3600, not " + text::write(a.virtual_s);
  std::vector<std::string> known;
  for (const SparseRow& row : sparse_rows()) known.push_back(row.name);
  for (const std::string& name : names_in(a.only)) {
    if (std::string why = option_problem("--only", name, known); !why.empty()) return why;
  }
  const auto runs = [&](const SparseRow& row) {
    return wanted(row.name, a.only) && !covers_all(row, a.n);
  };
  if (a.files.empty() && a.join.empty() &&
      std::none_of(sparse_rows().begin(), sparse_rows().end(), runs)) {
    return "--only names no row that samples fewer than all of " + std::to_string(a.n) +
           " nodes; raise --n above the number in the row's name";
  }
  return {};
}

void print_head() {
  std::printf("%-21s %5s %4s %4s %5s %10s %9s %9s %9s %9s %s %8s %6s\n", "row", "n", "D", "Gbit",
              "for s", "vertices/s", "ms", "Mbit/s", "B/vertex", "verify ms", "verdict", "cpu s",
              "GB");
}

void print_row(const SparseDone& done) {
  const SparseFigures& f = done.figures;
  std::printf("%-21s %5u %4u %4llu %5.1f %10.0f %9.1f %9.1f %9.0f %9.3f %s %8.1f %6.2f\n",
              done.name.c_str(), done.n, done.sample, static_cast<unsigned long long>(done.gbit_s),
              done.virtual_s, f.vertices_per_s, f.latency_ms, f.mbit_per_s, f.bytes_per_vertex,
              f.verify_ms, f.verdict.c_str(), f.cpu_s, f.rss_gb);
  (void)std::fflush(stdout);
}

Result<Unit, Error> save_files(const std::string& folder, const SparseScale& scale) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  for (const SparseRow& row : sparse_rows()) {
    const std::string content = sim::write_experiment(sparse_experiment(row, scale)) + "\n";
    auto saved = sim::save_file(std::filesystem::path(folder) / (row.name + ".json"), content);
    if (!saved) return saved;
  }
  return Unit{};
}

std::vector<std::uint32_t> sizes_of(const Args& a) {
  const auto n = static_cast<std::uint32_t>(a.n);
  if (!a.scaling) return {n};
  std::vector<std::uint32_t> sizes;
  for (const std::uint32_t size : kScales) {
    if (size < n) sizes.push_back(size);
  }
  sizes.push_back(n);
  return sizes;
}

// Rows that are left out at n nodes, and why, on stderr.
void tell_left_out(const Args& a, std::uint32_t n) {
  std::string names;
  for (const SparseRow& row : sparse_rows()) {
    if (wanted(row.name, a.only) && covers_all(row, n))
      names += (names.empty() ? "" : ", ") + row.name;
  }
  if (names.empty()) return;
  std::fprintf(stderr, "thresher: left out at n = %u, where their samples would be everybody: %s\n",
               n, names.c_str());
}

// The row at the same n, with another network card, that went the same: none where a message waited
// for either card. Cards save up what they do not use, so in small committees none is ever full.
const SparseDone* twin_of(const SparseRow& row, const SparseDone& done,
                          const std::vector<SparseDone>& all) {
  for (const SparseRow& other : sparse_rows()) {
    if (!differ_by_card(row, other)) continue;
    const auto twin = std::find_if(all.begin(), all.end(), [&](const SparseDone& o) {
      return o.name == other.name && same_run(o, done);
    });
    if (twin != all.end()) return &*twin;
  }
  return nullptr;
}

// Of rows that are one run only the first is told.
std::vector<SparseDone> run_rows(const Args& a, SparseScale scale) {
  std::vector<SparseDone> all;
  for (const std::uint32_t n : sizes_of(a)) {
    tell_left_out(a, n);
    std::string same;
    scale.n = n;
    for (const SparseRow& row : sparse_rows()) {
      if (!wanted(row.name, a.only) || covers_all(row, n)) continue;
      SparseDone done = measure(row, scale);
      if (const SparseDone* twin = twin_of(row, done, all); twin != nullptr) {
        same += (same.empty() ? "" : ", ") + row.name + " (as " + twin->name + ")";
        continue;
      }
      if (!a.json) print_row(done);
      all.push_back(std::move(done));
    }
    if (same.empty()) continue;
    std::fprintf(stderr,
                 "thresher: left out at n = %u, where no message waits for a network card, so that "
                 "another gives the same run: %s\n",
                 n, same.c_str());
  }
  return all;
}

int report(const Args& a, const std::vector<SparseDone>& all) {
  if (!a.charts.empty()) {
    const auto saved = save_sparse_charts(a.charts, a.scaling, all);
    if (!saved) return fail(kUsage, saved.error());
  }
  if (a.json) std::printf("%s\n", text::write(json_of(all)).c_str());
  for (const SparseDone& done : all) {
    if (done.figures.violations > 0)
      return fail(kSafetyViolated, "row " + done.name + ": an oracle was violated");
  }
  return kDone;
}

int run(const Args& a) {
  if (const std::string problem = problem_of(a); !problem.empty()) return fail(kUsage, problem);
  const SparseScale scale{static_cast<std::uint32_t>(a.n),
                          static_cast<std::uint64_t>(a.virtual_s * 1000), a.seed};
  if (!a.files.empty()) {
    if (const auto saved = save_files(a.files, scale); !saved) return fail(kUsage, saved.error());
    return kDone;
  }
  // Before rows that may take minutes each.
  if (const std::string why = output_folder_problem("--charts", a.charts); !why.empty())
    return fail(kUsage, why);
  if (a.join.empty()) {
    if (!a.json) print_head();
    return report(a, run_rows(a, scale));
  }
  auto joined = read_rows(a.join);
  if (!joined) return fail(kUsage, joined.error());
  std::erase_if(*joined, [&](const SparseDone& done) { return !wanted(done.name, a.only); });
  if (!a.json) print_head();
  for (const SparseDone& done : *joined) {
    if (!a.json) print_row(done);
  }
  return report(a, *joined);
}

}  // namespace

Verb make_bench_sparse_dag() {
  auto a = std::make_shared<Args>();
  return {{"bench", "sparse-dag"},
          "Run the published table of sparse Bullshark in the simulator. Example: thresher bench "
          "sparse-dag --n 100 --virtual-s 10",
          {{"--n", "nodes", &a->n},
           {"--virtual-s", "virtual seconds of each row", &a->virtual_s},
           {"--seed", "of each row", &a->seed},
           {"--only", "rows by name, separated by commas", &a->only},
           {"--scaling", "each row at --n nodes and at those of 100, 200, 400, 700 that are fewer",
            &a->scaling},
           {"--files", "write the experiment files to this folder, run nothing", &a->files},
           {"--join", "run nothing, take the files of this folder, which --json printed", &a->join},
           {"--charts", "write pictures to this folder", &a->charts},
           {"--json", "one object on one line", &a->json}},
          [a] { return run(*a); },
          {{{"--only", "--scaling", "--join", "--charts", "--json"},
            [a] { return !a->files.empty(); },
            "--files writes the file of every row, and runs nothing"},
           {{"--n", "--virtual-s", "--seed"},
            [a] { return !a->join.empty(); },
            "--join takes rows that were run before"}}};
}

}  // namespace thresher::cli
