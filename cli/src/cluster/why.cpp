#include <cstdio>

#include "cluster.hpp"

namespace thresher::cli {
namespace {
/// With so much of the machine busy, the CPU is what more load would wait for.
constexpr double kBusy = 0.85;
/// A rate that was kept to within this share was the limit.
constexpr double kKept = 0.97;
/// A file that was over sooner tells nothing of what would have held a longer one. Unit: seconds.
constexpr double kTelling = 1;
}  // namespace

std::string why_not_faster(const ClusterOptions& o, const ClusterReport& r) {
  char text[256];
  if (r.committed == 0) return "nothing was committed";
  const double asked = o.rate * static_cast<double>(o.duration_us) / 1e6;
  const bool kept = o.from_file ? r.tx_per_s >= kKept * o.rate
                                : static_cast<double>(r.committed) >= kKept * asked;
  if (o.rate > 0 && kept) {
    std::snprintf(text, sizeof text,
                  "the offered load: %.0f tx/s were asked for (CPU %.0f %% busy); use --rate max",
                  o.rate, r.cpu_share * 100);
  } else if (o.from_file && r.seconds < kTelling) {
    std::snprintf(text, sizeof text, "the file: it was over after %.2f s; give a longer one",
                  r.seconds);
  } else if (r.cpu_share >= kBusy) {
    std::snprintf(text, sizeof text,
                  "the CPU: nodes and clients kept this machine's cores %.0f %% busy",
                  r.cpu_share * 100);
  } else if (o.delay_us > 0) {
    std::snprintf(text, sizeof text,
                  "the links: each message waits %.0f ms by --delay; %llu transactions in flight "
                  "over a latency of %.0f ms",
                  static_cast<double>(o.delay_us) / 1e3, static_cast<unsigned long long>(o.window),
                  r.p50_ms);
  } else if (!o.wan.way_us.empty()) {
    std::snprintf(text, sizeof text,
                  "the links: messages take as long as --wan says; %llu transactions in flight "
                  "over a latency of %.0f ms",
                  static_cast<unsigned long long>(o.window), r.p50_ms);
  } else if (o.memory) {
    std::snprintf(
        text, sizeof text,
        "the window: CPU %.0f %% busy, %llu transactions in flight; try a larger --window",
        r.cpu_share * 100, static_cast<unsigned long long>(o.window));
  } else {
    std::snprintf(text, sizeof text,
                  "the disk or the window: CPU %.0f %% busy, %.0f fsyncs a second, %llu "
                  "transactions in flight; try --storage memory or a larger --window",
                  r.cpu_share * 100, static_cast<double>(r.syncs) / r.seconds,
                  static_cast<unsigned long long>(o.window));
  }
  return text;
}

}  // namespace thresher::cli
