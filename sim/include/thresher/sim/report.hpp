// Pictures of a run and the page that holds them: SVG that the program writes itself, one HTML file
// that opens with no network.
//
//   TraceRecorder trace;
//   Outcome o = simulate(e, {.trace = &trace});
//   std::string page = report_html({.title = "pbft, n=4", .experiment = &e, .outcome = &o,
//                                   .trace = &trace});
//
// Guarantees: the same input gives the same bytes; every text is escaped, so any label gives
// well-formed output; no script, no link that leaves the page. A picture of more events than fit is
// cut and says so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "thresher/sim/outcome.hpp"

namespace thresher::sim {

/// Keeps a trace in memory: the first `limit` events; the rest are only counted.
class TraceRecorder final : public TraceSink {
 public:
  /// A TraceEvent with its texts.
  struct Kept {
    TraceEvent event;  ///< label and detail are empty here
    std::string label;
    std::string detail;
  };
  explicit TraceRecorder(std::size_t limit = 200'000) : limit_(limit) {}
  void event(const TraceEvent& event) override;

  const std::vector<Kept>& events() const { return events_; }
  std::uint64_t seen() const { return seen_; }

 private:
  std::size_t limit_;
  std::uint64_t seen_ = 0;
  std::vector<Kept> events_;
};

struct Point {
  double x = 0;
  double y = 0;
  double half = 0;  ///< of a confidence interval, drawn as a bar; 0: none
  friend bool operator==(const Point&, const Point&) = default;
};
struct Series {
  std::string name;
  std::vector<Point> points;  ///< by x
};
struct Chart {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<Series> series;
};

/// Lines with points and, where known, confidence bars. Series with the same points are one line
/// with all their names; one that runs under others for a while is wider. Of many points only some
/// have a mark. A chart without points says so.
std::string line_chart(const Chart& chart);
/// The same as a file of its own, which brings the style that a page would give it.
std::string chart_file(const Chart& chart);
/// What gives the series of charts their colours, for the style of the page that they stand on.
std::string series_style();
/// The share of values up to x. `values` need not be sorted.
std::string cdf_chart(const std::string& title, const std::string& x_label,
                      const std::vector<double>& values);

/// Time to the right, one lane a node: an arrow a delivery, a cross where a message was lost, ticks
/// for timers, squares for decisions, gaps for crashes, Byzantine nodes red. Shows the first
/// `limit` messages.
std::string space_time(const Experiment& experiment, const TraceRecorder& trace,
                       std::size_t limit = 600);

/// Rounds to the right, authors downwards: a circle a vertex, lines to its parents, committed
/// leaders filled, lines to them (their votes) strong. Shows `rounds` rounds from the first.
/// Empty when the trace has no vertices.
std::string dag_picture(const Experiment& experiment, const TraceRecorder& trace,
                        std::uint64_t rounds = 24);

/// One run of the page's table.
struct ReportRow {
  std::vector<std::pair<std::string, std::string>> cells;  ///< column, value
};

struct Report {
  std::string title;
  std::string version{};
  const Experiment* experiment = nullptr;  ///< with outcome: a run is shown
  const Outcome* outcome = nullptr;
  const TraceRecorder* trace = nullptr;
  std::string experiment_text{};  ///< the resolved experiment, as it can be run again
  std::string command{};          ///< that repeats it
  std::vector<Chart> charts{};    ///< of a sweep
  std::vector<ReportRow> rows{};  ///< of a sweep
};
std::string report_html(const Report& report);

}  // namespace thresher::sim
