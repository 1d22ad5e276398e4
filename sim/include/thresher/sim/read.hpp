// Experiment files: JSON in, resolved experiments out, and back.
//
//   auto cells = read_experiments(content, {"exp.json", {}, simulated_protocols()});
//   if (!cells) return fail(cells.error());                          // an Error a mistake
//   for (const Cell& cell : *cells) simulate(cell.experiment, {});
//   std::cout << write_experiment(cells->front().experiment);        // reads back equal
//
// Guarantees: strict. An unknown key, a wrong type, a number out of range, a committee, topology
// or fault that does not fit: each is one Error, "file:line:column: path: what and what to do", and
// all of them come at once. An experiment that comes out satisfies what `simulate` asks for. What
// `write_experiment` prints reads back equal. Does not run anything, and reads no file but a table
// of round trips that `network.wan` names, from the folder of `file`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "thresher/core/errors.hpp"
#include "thresher/sim/experiment.hpp"
#include "thresher/sim/outcome.hpp"

namespace thresher::sim {

/// `--set path=value`: the value is JSON, or else a text. Paths are "committee.n", "faults.0.who".
/// A path that is the name of some protocol's parameter, "D", stands for "protocol.D".
struct Override {
  std::string path;
  std::string value;
};

/// Where a run stands in its sweep. The value is as JSON writes it.
struct Coordinate {
  std::string key;
  std::string value;
  friend bool operator==(const Coordinate&, const Coordinate&) = default;
};

/// One run: an experiment whose seed already counts the repeat.
struct Cell {
  Experiment experiment;
  std::vector<Coordinate> at;
  std::uint64_t repeat = 0;
};

struct ReadOptions {
  std::string file = "experiment";  ///< its name in messages, and where files beside it are
  std::vector<Override> overrides{};
  std::span<const ProtocolInfo> protocols{};
};

/// What sweeps and repeats may make of one file.
inline constexpr std::size_t kMostCells = 1'000'000;

/// Every run of the file, the sweep's first axis slowest, repeats last; or every problem:
/// kMalformed, or kUnsupported for a later version's file; and what the disk said of a table's.
/// `where` is "file:line:column", the file where the whole of it is meant, or the path that an
/// override set.
Result<std::vector<Cell>, Errors> read_experiments(std::string_view content,
                                                   const ReadOptions& options);

/// The protocol of that name, which an experiment made without a file may name too. kMissing: there
/// is none; `where` is the name.
Result<const ProtocolInfo*, Error> find_protocol(std::string_view name);

/// A file that holds `experiment` with nothing left to default. `indent` as text::write.
std::string write_experiment(const Experiment& experiment, int indent = 2);

/// The same run with a comment over every key, to start from: what follows from other keys (f from
/// n, Delta from the delays) is left out. `title` is the first comment.
std::string annotate_experiment(const Experiment& experiment, const std::string& title,
                                std::span<const ProtocolInfo> protocols);

/// The JSON Schema (draft 2020-12) of experiment files, as shipped in sim/schema.
std::string experiment_schema();

}  // namespace thresher::sim
