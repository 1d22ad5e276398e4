// The rows of the published table of arXiv 2506.13998, as experiments, and what they gave.
//
//   for (const SparseRow& row : sparse_rows()) print(measure(row, {.n = 1000}));
//
// Guarantees: every figure is measured in a run of the protocol's own nodes; but for cpu_s, rss_gb
// and verify_ms it is a function of the row, n and the time. The engine mocks signatures: verify_ms
// is what they are worth at the speed of the real ones, and counts a joint signature as one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "thresher/core/error.hpp"
#include "thresher/sim/experiment.hpp"
#include "thresher/text/json.hpp"

namespace thresher::cli {

struct SparseRow {
  std::string name;  ///< of its experiment file
  std::string protocol;
  std::uint32_t sample = 0;  ///< D; 0: none
  std::uint64_t gbit_s = 8;  ///< of a NIC
  bool published_sizes = true;
  bool one_signature = true;
  /// Looks for votes when the authors do, with the next anchor; a dense vertex has as many edges as
  /// theirs, a quorum.
  bool as_authors = false;
  bool packed = false;   ///< an uncertified block names its parents by a bitmap
  bool saves_up = true;  ///< the authors' accounting of NICs, see Network::nic_saves_up
};

struct SparseScale {
  std::uint32_t n = 1000;
  std::uint64_t virtual_ms = 10'000;
  std::uint64_t seed = 1;
};

struct SparseFigures {
  double vertices_per_s = 0;  ///< ordered by a node, from its first output to its last
  double latency_ms = 0;      ///< from a header's first sending to its order, mean over nodes
  double mbit_per_s = 0;      ///< received by a node
  double bytes_per_vertex = 0;
  std::uint64_t violations = 0;
  std::string verdict;
  double signatures = 0;  ///< checked by a node for each vertex that it takes
  double verify_ms = 0;   ///< of its CPU for them, at signature_us() each
  std::uint64_t messages = 0;
  double cpu_s = 0;
  double rss_gb = 0;
  std::string trace;  ///< hash of all deliveries and decisions; empty of rows that were read
};

/// A row that was run.
struct SparseDone {
  std::string name;
  std::string protocol;
  std::uint32_t n = 0;
  std::uint32_t sample = 0;
  std::uint64_t gbit_s = 0;
  double virtual_s = 0;
  SparseFigures figures;
};

const std::vector<SparseRow>& sparse_rows();
sim::Experiment sparse_experiment(const SparseRow& row, const SparseScale& scale);
SparseDone measure(const SparseRow& row, const SparseScale& scale);
/// Do only the network cards of the two rows differ?
bool differ_by_card(const SparseRow& a, const SparseRow& b);
/// Was it the same run, delivery by delivery? Pre: both were measured.
bool same_run(const SparseDone& a, const SparseDone& b);
/// Measured once: this processor's time for an Ed25519 signature, in microseconds, verified in a
/// batch with keys that were prepared, as a node does.
double signature_us();

/// {"rows": [...]}, and back; the error says what is wrong in which file.
text::Value json_of(const std::vector<SparseDone>& all);
Result<std::vector<SparseDone>, Error> read_rows(const std::string& folder);
/// One picture a measure: by n if `scaling`, else by the NIC. The error is of a file.
Result<Unit, Error> save_sparse_charts(const std::string& folder, bool scaling,
                                       const std::vector<SparseDone>& all);

}  // namespace thresher::cli
