#include "sparse_dag.hpp"

#include <tuple>

#include "thresher/core/bytes.hpp"
#include "thresher/core/hex.hpp"
#include "thresher/crypto/signing_key.hpp"
#include "thresher/crypto/verifier.hpp"
#include "thresher/sim/measure.hpp"
#include "thresher/sim/outcome.hpp"
#include "thresher/sim/told.hpp"

namespace thresher::cli {
namespace {

constexpr std::uint64_t kMega = 1'000'000;
constexpr std::uint64_t kGiga = 1'000'000'000;
/// No timer runs out: nobody is faulty, and a round of the slowest row takes less.
constexpr sim::Ticks kDelta = 2'000 * sim::kUnit;
/// Vertices older than so many rounds below the last anchor are forgotten.
constexpr std::int64_t kGcDepth = 24;
constexpr std::size_t kBatch = 512;
constexpr int kBatches = 20;

SparseRow row(std::string name, std::string protocol, std::uint32_t sample, std::uint64_t gbit_s) {
  return {
      .name = std::move(name), .protocol = std::move(protocol), .sample = sample, .gbit_s = gbit_s};
}

std::vector<SparseRow> make_rows() {
  std::vector<SparseRow> rows;
  for (const std::uint64_t gbit_s : {2U, 4U, 8U})
    rows.push_back(row("dense-" + std::to_string(gbit_s), "bullshark", 0, gbit_s));
  for (const std::uint32_t sample : {50U, 150U})
    rows.push_back(row("sparse-" + std::to_string(sample), "sparse-bullshark", sample, 8));
  rows.push_back(row("sparse-300-slow", "sparse-bullshark", 300, 2));
  rows.push_back(row("anchored-6", "anchored-bullshark", 6, 8));
  auto listed = row("sparse-50-list", "sparse-bullshark", 50, 8);
  listed.one_signature = false;
  rows.push_back(listed);
  auto bitmap = row("dense-bitmap", "bullshark", 0, 8);
  bitmap.published_sizes = false;
  rows.push_back(bitmap);
  auto strict = row("dense-8-strict", "bullshark", 0, 8);
  strict.saves_up = false;
  rows.push_back(strict);
  for (std::size_t i = 0, published = 6; i < published; ++i) {
    auto late = rows[i];
    late.name += "-late";
    late.as_authors = true;
    rows.push_back(late);
  }
  rows.push_back(row("mysticeti", "mysticeti", 0, 8));
  auto packed = row("mysticeti-bitmap", "mysticeti", 0, 8);
  packed.published_sizes = false;
  packed.packed = true;
  rows.push_back(packed);
  rows.push_back(row("thresher", "thresher", 0, 8));
  return rows;
}

bool certified(const SparseRow& row) {
  return row.protocol != "mysticeti" && row.protocol != "thresher";
}

}  // namespace

const std::vector<SparseRow>& sparse_rows() {
  static const std::vector<SparseRow> rows = make_rows();
  return rows;
}

sim::Experiment sparse_experiment(const SparseRow& row, const SparseScale& scale) {
  sim::Experiment e;
  e.protocol = row.protocol;
  e.n = scale.n;
  e.seed = scale.seed;
  e.f = (scale.n - 1) / 3;
  e.engine = sim::Engine::kEvents;
  e.network.delay = {sim::DelayLaw::Kind::kNormal, 50 * sim::kUnit, 10 * sim::kUnit,
                     20 * sim::kUnit, 80 * sim::kUnit};
  e.network.delta = kDelta;
  e.network.nic_bits_per_s = row.gbit_s * kGiga;
  e.network.nic_saves_up = row.saves_up;
  e.stop.time = scale.virtual_ms * sim::kUnit;
  e.oracles.totality = false;  // a node that is a round behind at the end has lost nothing
  e.parameters["gc_depth"] = kGcDepth;
  e.parameters["sizes"] = std::string(row.published_sizes ? "published" : "encoded");
  if (row.packed) e.parameters["refs"] = std::string("bitmap");
  if (certified(row)) {
    e.workload.kind = sim::Workload::Kind::kNone;
    e.parameters["rests"] = false;
    e.parameters["certificates"] = std::string(row.one_signature ? "one" : "list");
    e.parameters["commits"] = std::string(row.as_authors ? "late" : "early");
    e.parameters["edges"] = std::string(row.as_authors ? "fewest" : "all");
    // The published figures are of leaders that follow in order.
    if (row.protocol == "anchored-bullshark") e.parameters["schedule"] = std::string("in-order");
    if (row.sample > 0) e.parameters["D"] = std::int64_t{row.sample};
  }
  return e;
}

SparseDone measure(const SparseRow& row, const SparseScale& scale) {
  const sim::Experiment e = sparse_experiment(row, scale);
  const sim::Outcome o = sim::simulate(e, {});
  SparseFigures out;
  const auto real = [](std::uint64_t x) { return static_cast<double>(x); };
  if (o.paced_ticks > 0) out.vertices_per_s = real(o.paced_vertices) / real(o.paced_ticks) * 1e6;
  if (o.vertices > 0) out.latency_ms = real(o.vertex_ticks) / real(o.vertices) / sim::kUnit;
  const double received = real(o.bytes) / e.n;
  if (o.time > 0) out.mbit_per_s = received * 8 / real(o.time) * 1e6 / kMega;
  // By rates: what was received at the end of the run was not all ordered in it.
  if (out.vertices_per_s > 0)
    out.bytes_per_vertex = out.mbit_per_s * kMega / 8 / out.vertices_per_s;
  out.violations = o.verdict == sim::Verdict::kViolated ? 1 : 0;
  out.verdict = sim::told_as(o);
  if (!o.measures.empty()) out.signatures = o.measures.front().value;
  out.verify_ms = out.signatures * signature_us() / 1000;
  out.messages = o.messages;
  out.cpu_s = o.cpu_s;
  out.rss_gb = real(o.rss_bytes) / kGiga;
  out.trace = to_hex(o.trace_hash.bytes);
  return {row.name, row.protocol, scale.n, row.sample, row.gbit_s, real(scale.virtual_ms) / 1000,
          out};
}

bool differ_by_card(const SparseRow& a, const SparseRow& b) {
  const auto others = [](const SparseRow& r) {
    return std::tie(r.protocol, r.sample, r.published_sizes, r.one_signature, r.as_authors,
                    r.packed, r.saves_up);
  };
  return others(a) == others(b) && a.gbit_s != b.gbit_s;
}

bool same_run(const SparseDone& a, const SparseDone& b) {
  const auto figures = [](const SparseFigures& f) {
    return std::tie(f.trace, f.vertices_per_s, f.latency_ms, f.mbit_per_s, f.bytes_per_vertex,
                    f.verdict, f.signatures, f.messages);
  };
  return a.n == b.n && figures(a.figures) == figures(b.figures);
}

double signature_us() {
  static const double us = [] {
    const auto verifier = crypto::make_verifier(crypto::best_verifier());
    const Bytes message = Bytes::copy_of(as_view("thresher bench sparse-dag: a digest"));
    std::vector<crypto::SignatureJob> jobs;
    std::vector<PublicKey> keys;
    for (std::size_t i = 0; i < kBatch; ++i) {
      const auto key = crypto::SigningKey::generate();
      keys.push_back(key.public_key());
      jobs.push_back({key.public_key(), message.view(), key.sign(message.view())});
    }
    std::vector<crypto::SignatureStatus> verdicts(kBatch);
    verifier->register_keys(keys);
    verifier->verify(jobs, verdicts);  // once to come into the caches
    const sim::CpuClock clock;
    for (int i = 0; i < kBatches; ++i) verifier->verify(jobs, verdicts);
    return clock.seconds() * 1e6 / static_cast<double>(kBatch * kBatches);
  }();
  return us;
}

}  // namespace thresher::cli
