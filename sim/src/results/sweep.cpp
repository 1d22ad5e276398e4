#include "thresher/sim/sweep.hpp"

#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <system_error>
#include <thread>

#include "summary.hpp"
#include "thresher/sim/results.hpp"
#include "thresher/sim/told.hpp"

namespace thresher::sim {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostCounterexamples = 10;

// Writes cells.ndjson, or sees that the folder is already this sweep's.
std::optional<Error> claim(const fs::path& out, const std::vector<CellRow>& rows) {
  std::error_code error;
  fs::create_directories(out / "runs", error);
  if (error) {
    return Error{code_of_errno(error.value()),
                 "cannot make '" + out.string() + "': " + error.message(), out.string(),
                 "choose another --out"};
  }
  const std::string wanted = cells_text(rows);
  const fs::path path = out / "cells.ndjson";
  if (!fs::exists(path)) {
    const auto saved = save_file(path, wanted);
    return saved ? std::nullopt : std::optional(saved.error());
  }
  const auto there = load_file(path);
  if (!there) return there.error();
  if (there->text == wanted) return std::nullopt;
  return Error{
      ErrorCode::kMismatch,
      "'" + out.string() + "' holds another sweep (another file, other flags or another version)",
      out.string(), "choose another --out or remove it"};
}

class Runner {
 public:
  Runner(const std::vector<Cell>& cells, const std::vector<CellRow>& rows, const RunCell& run,
         const SweepOptions& options)
      : cells_(cells), rows_(rows), run_(run), options_(options) {
    std::set<std::string> seen;  // cells that are equal are one run
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i % options.shards == options.shard && seen.insert(rows[i].id).second) own_.push_back(i);
    }
  }

  std::optional<Error> work() {
    std::vector<std::thread> threads;
    try {
      for (unsigned t = 1; t < options_.jobs; ++t) threads.emplace_back([this] { take_runs(); });
    } catch (const std::system_error&) {
      // The machine has no more threads: those that there are do it.
    }
    take_runs();
    for (std::thread& thread : threads) thread.join();
    return failure_;
  }
  SweepReport& report() { return report_; }

 private:
  void take_runs() {
    for (std::size_t next = next_++; next < own_.size(); next = next_++) {
      const std::size_t index = own_[next];
      const std::string& id = rows_[index].id;
      const bool reused = is_finished(options_.out, id);
      if (!reused && !run_and_save(cells_[index].experiment, id)) return;
      if (!note(id, reused)) return;
    }
  }

  // Nothing may leave a thread but what it notes: running out of memory fails the sweep in words.
  bool run_and_save(const Experiment& experiment, const std::string& id) {
    try {
      const Outcome outcome = run_(experiment);
      const auto saved =
          save_run(run_folder(options_.out, id), {experiment, outcome, options_.version});
      if (!saved) fail(saved.error());
      return static_cast<bool>(saved);
    } catch (const std::bad_alloc&) {
      return broke_off(experiment, id, "out of memory");
    } catch (const std::exception& error) {
      return broke_off(experiment, id, error.what());
    }
  }
  bool broke_off(const Experiment& experiment, const std::string& id, const char* why) {
    fail({ErrorCode::kRejected,
          "run " + id + " (n = " + std::to_string(experiment.n) + ", seed " +
              std::to_string(experiment.seed) + ") broke off: " + why,
          id, "what is done stays, fewer --jobs need less memory"});
    return false;
  }

  void fail(Error why) {
    const std::lock_guard lock(mutex_);
    failure_ = std::move(why);
    next_ = own_.size();
  }

  // The file of the result counts: the tables will be made of it. False: it is not complete.
  bool note(const std::string& id, bool reused) {
    const auto result = load_result(options_.out, id);
    if (!result) return fail(result.error()), false;
    const std::string& verdict = *result->find("verdict")->as_text();
    const bool unjudged = result->find("unjudged") != nullptr;
    const std::lock_guard lock(mutex_);
    ++(reused ? report_.reused : report_.ran);
    if (unjudged) ++report_.unjudged;
    if (verdict == kUndecided) ++report_.undecided;
    if (verdict == to_string(Verdict::kNoProgress)) ++report_.no_progress;
    if (verdict == to_string(Verdict::kViolated)) {
      ++report_.violated;
      if (report_.counterexamples.size() < kMostCounterexamples) {
        report_.counterexamples.push_back(
            (run_folder(options_.out, id) / "experiment.json").string());
      }
    }
    if (options_.progress) {
      options_.progress({report_.ran + report_.reused, own_.size(), report_.reused});
    }
    return true;
  }

  const std::vector<Cell>& cells_;
  const std::vector<CellRow>& rows_;
  const RunCell& run_;
  const SweepOptions& options_;
  std::vector<std::size_t> own_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::optional<Error> failure_;
  SweepReport report_;
};

// Counts what is missing; sums up when nothing is.
std::optional<Error> conclude(const fs::path& out, const std::vector<CellRow>& rows,
                              SweepReport& report) {
  report.cells = rows.size();
  for (const CellRow& row : rows) report.missing += is_finished(out, row.id) ? 0 : 1;
  if (report.missing != 0) return std::nullopt;
  const auto done = summarise(out, rows);
  return done ? std::nullopt : std::optional(done.error());
}

}  // namespace

Result<SummaryTable, Error> summary_of(const fs::path& out) {
  const auto rows = load_cells(out / "cells.ndjson");
  if (!rows) return rows.error();
  std::size_t missing = 0;
  std::string broken;
  for (const CellRow& row : *rows) {
    if (is_finished(out, row.id)) continue;
    ++missing;
    std::error_code error;
    if (broken.empty() && fs::exists(run_folder(out, row.id), error))
      broken = run_folder(out, row.id).string();
  }
  if (missing != 0) {
    // A sweep leaves alone what stands there, so it would not get over a run without its result.
    const std::string first =
        broken.empty() ? "" : "remove '" + broken + "', which holds no whole run; then ";
    return Error{ErrorCode::kMissing,
                 std::to_string(missing) + " of " + std::to_string(rows->size()) + " runs of '" +
                     out.string() + "' are missing",
                 out.string(), first + "run the same sweep again, or merge its other shards"};
  }
  SummaryTable table;
  if (auto loaded = load_summary(out, *rows, table); !loaded) return loaded.error();
  return table;
}

Result<SweepReport, Error> run_sweep(const std::vector<Cell>& cells, const RunCell& run,
                                     const SweepOptions& options) {
  std::vector<CellRow> rows;
  rows.reserve(cells.size());
  for (const Cell& cell : cells) {
    rows.push_back({run_id(cell.experiment, options.version), cell.at, cell.repeat});
  }
  if (const auto why = claim(options.out, rows)) return *why;
  Runner runner(cells, rows, run, options);
  if (const auto why = runner.work()) return *why;
  if (const auto why = conclude(options.out, rows, runner.report())) return *why;
  return runner.report();
}

Result<SweepReport, Error> merge_sweeps(const std::vector<fs::path>& from, const fs::path& into) {
  auto rows = load_cells(from.front() / "cells.ndjson");
  if (!rows) return rows.error();
  const std::string wanted = cells_text(*rows);
  for (const fs::path& folder : from) {
    const auto cells = load_cells(folder / "cells.ndjson");
    if (!cells) return cells.error();
    if (cells_text(*cells) != wanted) {
      return Error{ErrorCode::kMismatch,
                   "'" + folder.string() + "' and '" + from.front().string() +
                       "' are of different sweeps or versions",
                   folder.string(), "merge the shards of one"};
    }
  }
  if (const auto why = claim(into, *rows)) return *why;
  SweepReport report;
  for (const fs::path& folder : from) {
    for (const CellRow& row : *rows) {
      if (!is_finished(folder, row.id) || is_finished(into, row.id)) continue;
      if (const auto whole = load_result(folder, row.id); !whole) return whole.error();
      const fs::path target = run_folder(into, row.id);
      const fs::path fresh = target.parent_path() / (".new-" + row.id);
      std::error_code error;
      fs::remove_all(fresh, error);
      fs::copy(run_folder(folder, row.id), fresh, fs::copy_options::recursive, error);
      if (!error) fs::rename(fresh, target, error);
      if (error) {
        return Error{code_of_errno(error.value()),
                     "cannot copy to '" + target.string() + "': " + error.message(),
                     target.string()};
      }
      ++report.reused;
    }
  }
  if (const auto why = conclude(into, *rows, report)) return *why;
  return report;
}

}  // namespace thresher::sim
