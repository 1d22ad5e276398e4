// The pictures of a run: every event is drawn, every text escaped, equal inputs give equal bytes.
#include "thresher/sim/report.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "thresher/core/prng.hpp"

namespace thresher::sim {
namespace {

using Kind = TraceEvent::Kind;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// Every tag is closed in order, attributes are quoted, and no text holds a bare & or <.
bool well_formed(const std::string& xml) {
  std::vector<std::string> open;
  std::size_t at = 0;
  while ((at = xml.find('<', at)) != std::string::npos) {
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) return false;
    const std::string tag = xml.substr(at + 1, end - at - 1);
    if (std::count(tag.begin(), tag.end(), '"') % 2 != 0 || tag.find('<') != std::string::npos)
      return false;
    const std::string name =
        tag.substr(tag[0] == '/', tag.find_first_of(" /", 1) - (tag[0] == '/'));
    if (tag[0] == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
    at = end;
  }
  for (auto amp = xml.find('&'); amp != std::string::npos; amp = xml.find('&', amp + 1)) {
    const std::string rest = xml.substr(amp, 6);
    const bool known = rest.starts_with("&amp;") || rest.starts_with("&lt;") ||
                       rest.starts_with("&gt;") || rest == "&quot;" || rest.starts_with("&#39;");
    if (!known) return false;
  }
  return open.empty();
}

TraceEvent event(Kind kind, Ticks at, std::uint16_t node, std::uint16_t peer,
                 std::uint64_t number = 0) {
  TraceEvent e;
  e.kind = kind;
  e.at = at;
  e.node = NodeId{node};
  e.peer = NodeId{peer};
  e.number = number;
  e.round = 1;
  e.label = "prepare";
  return e;
}

TraceRecorder small_trace() {
  TraceRecorder trace;
  trace.event(event(Kind::kSend, 0, 0, 1, 1));
  trace.event(event(Kind::kSend, 0, 0, 2, 2));
  trace.event(event(Kind::kDeliver, 1000, 1, 0, 1));
  trace.event(event(Kind::kDrop, 500, 2, 0, 2));
  trace.event(event(Kind::kTimer, 1500, 1, 1));
  trace.event(event(Kind::kCrash, 1600, 2, 2));
  trace.event(event(Kind::kRestart, 1900, 2, 2));
  trace.event(event(Kind::kDecide, 2000, 1, 1));
  trace.event(event(Kind::kAccuse, 2100, 1, 3));
  TraceEvent parent = event(Kind::kVertex, 2200, 0, 0);
  parent.detail = "aa";
  trace.event(parent);
  TraceEvent child = event(Kind::kVertex, 2300, 1, 1);
  child.round = 2;
  child.detail = "bb aa";
  trace.event(child);
  TraceEvent leader = event(Kind::kDecide, 2400, 0, 0);
  leader.detail = "aa";
  trace.event(leader);
  return trace;
}

Experiment four_nodes() {
  Experiment e;
  e.protocol = "pbft";
  FaultAction fault;
  fault.who = {NodeId{3}};
  e.faults.push_back(fault);
  return e;
}

TEST(Report, TheSpaceTimeDiagramDrawsEveryKindOfEvent) {
  const std::string svg = space_time(four_nodes(), small_trace());
  EXPECT_TRUE(well_formed(svg));
  EXPECT_EQ(count(svg, "class=\"message\""), 1u);
  EXPECT_EQ(count(svg, "class=\"message lost\""), 1u);
  EXPECT_EQ(count(svg, "<path"), 2u);  // the loss and the accusation
  EXPECT_EQ(count(svg, "class=\"timer\""), 1u);
  EXPECT_EQ(count(svg, "class=\"decide\""), 2u);
  EXPECT_EQ(count(svg, "class=\"crash\""), 2u);
  EXPECT_EQ(count(svg, "class=\"lane\""), 4u);  // node 2 has two pieces
  EXPECT_EQ(count(svg, "class=\"lane byzantine\""), 1u);
  EXPECT_NE(svg.find("prepare 1: node 0 to 1, round 0 to round 1"), std::string::npos);
  EXPECT_NE(svg.find("The first 2 messages"), std::string::npos);
}

// Lost messages were drawn from their receivers to their senders: the engine tells losses of the
// receiver, and the picture took it for the sender.
TEST(Report, ALostMessageLeavesItsSender) {
  Experiment e = four_nodes();
  e.protocol = "pbft";
  e.stop.time = 4 * kUnit;
  e.faults = {{.who = {NodeId{1}}, .what = FaultKind::kDrop}};
  TraceRecorder trace;
  (void)simulate(e, {.trace = &trace});
  const std::string svg = space_time(e, trace);
  EXPECT_GT(count(svg, "class=\"message lost"), 3u);
  for (const char* to : {"0", "2", "3"}) {
    const std::string lost = std::string(": node 1 to ") + to;
    EXPECT_GT(count(svg, lost), 0u) << to;
  }
  for (auto at = svg.find(", lost"); at != std::string::npos; at = svg.find(", lost", at + 1)) {
    const std::string hover = svg.substr(svg.rfind('>', at), at - svg.rfind('>', at));
    EXPECT_NE(hover.find(": node 1 to "), std::string::npos) << hover;
  }
}

TEST(Report, TheDagShowsLeadersAndTheirVotes) {
  const std::string svg = dag_picture(four_nodes(), small_trace());
  EXPECT_TRUE(well_formed(svg));
  EXPECT_EQ(count(svg, "class=\"vertex leader\""), 1u);
  EXPECT_EQ(count(svg, "class=\"vertex\""), 1u);
  EXPECT_EQ(count(svg, "class=\"edge vote\""), 1u);
  EXPECT_EQ(dag_picture(four_nodes(), TraceRecorder()), "");
}

TEST(Report, ALongTraceIsCutAndSaysSo) {
  TraceRecorder trace(50);
  for (std::uint64_t i = 0; i < 80; ++i) trace.event(event(Kind::kDeliver, i, 1, 0, i));
  EXPECT_EQ(trace.events().size(), 50u);
  const std::string svg = space_time(four_nodes(), trace, 20);
  EXPECT_EQ(count(svg, "class=\"message\""), 20u);
  EXPECT_NE(svg.find("20 of 80 events"), std::string::npos);
}

TEST(Report, ChartsShowValuesConfidenceAndEmptiness) {
  const Chart chart{"t", "n", "s", {{"a", {{4, 1.5, 0.2}, {7, 2.5, 0}}}, {"b", {{4, 1, 0}}}}};
  const std::string svg = line_chart(chart);
  EXPECT_TRUE(well_formed(svg));
  EXPECT_EQ(count(svg, "<circle"), 3u);
  EXPECT_EQ(count(svg, "class=\"bar s0\""), 1u);
  EXPECT_NE(svg.find("1.5 within 0.2 at 95 %"), std::string::npos);
  EXPECT_NE(line_chart({"none", "", "", {}}).find("no values"), std::string::npos);
  // A file has no page that gives it colours.
  const std::string file = chart_file(chart);
  EXPECT_TRUE(well_formed(file));
  EXPECT_NE(file.find(series_style()), std::string::npos);
  EXPECT_LT(file.find("<style>"), file.find("<circle"));
  EXPECT_TRUE(well_formed(chart_file({"none", "", "", {}})));
  const std::string cdf = cdf_chart("latency", "ms", {3, 1, 2, 10});
  EXPECT_TRUE(well_formed(cdf));
  EXPECT_NE(cdf.find("p50: 2"), std::string::npos);
  EXPECT_NE(cdf.find("p99: 10"), std::string::npos);
}

// Two nodes that decide in step once were one line on the page.
// Two seeds that are one double: the axis had no length, and every place on it was "-nan".
TEST(Report, AnAxisOfOneLargeNumberHasALength) {
  for (const double x : {9007199254740992.0, -9007199254740992.0}) {
    const std::string svg = line_chart({"t", "seed", "y", {{"a", {{x, 1}, {x, 2}}}}});
    EXPECT_TRUE(well_formed(svg));
    EXPECT_EQ(svg.find("nan"), std::string::npos) << svg;
  }
}

TEST(Report, ALineUnderAnotherIsWiderAndALegendLiesOnNone) {
  const std::vector<Point> same{{1, 1}, {2, 2}, {3, 2}};
  const Chart chart{
      "t",
      "x",
      "y",
      {{"first", same}, {"second", {{1, 1}, {2, 2}, {3, 5}}}, {"other", {{1, 3}, {3, 9}}}}};
  const std::string svg = line_chart(chart);
  EXPECT_EQ(count(svg, "class=\"line s0 w1\""), 1u);
  EXPECT_EQ(count(svg, "class=\"line s1\""), 1u);
  EXPECT_EQ(count(svg, "class=\"line s2\""), 1u);
  EXPECT_NE(series_style().find(".w1{stroke-width:4.2}"), std::string::npos);
  // The plot ends where a chart without a legend ends; the names stand below.
  const std::string alone = line_chart({"t", "x", "y", {{"first", same}}});
  const auto height = [](const std::string& text) {
    return std::stod(text.substr(text.find("height=\"") + 8));
  };
  EXPECT_GT(height(svg), height(alone));
  for (const char* name : {"first", "second", "other"}) {
    const auto at = svg.find(std::string(">") + name + "</text>");
    ASSERT_NE(at, std::string::npos) << name;
    EXPECT_GT(std::stod(svg.substr(svg.rfind(" y=\"", at) + 4)), height(alone)) << name;
  }
}

TEST(Report, SeriesWithTheSamePointsAreOneLineWithBothNames) {
  const std::vector<Point> same{{1, 1}, {2, 2}};
  const std::string svg = line_chart({"t", "x", "y", {{"node 0", same}, {"node 1", same}}});
  EXPECT_EQ(count(svg, "<polyline"), 1u);
  EXPECT_NE(svg.find(">node 0, node 1</text>"), std::string::npos);
}

// A run of `n` nodes, of which the last is faulty; node i decides at i, n + i, 2n + i, ... ms.
struct Deciding {
  Experiment experiment;
  Outcome outcome;
  TraceRecorder trace;
  Deciding(std::uint16_t n, std::uint64_t times, std::size_t kept = 200'000) : trace(kept) {
    experiment.protocol = "pbft";
    outcome.nodes.resize(n);
    outcome.nodes.back().faulty = true;
    for (std::uint64_t t = 0; t < times; ++t) {
      for (std::uint16_t i = 0; i < n; ++i)
        trace.event(event(Kind::kDecide, (t * n + i) * 1000, i, i, t));
    }
  }
  std::string page() const {
    Report report;
    report.experiment = &experiment;
    report.outcome = &outcome;
    report.trace = &trace;
    return report_html(report);
  }
};

// The chart once ended at node 5 without a word, and drew what faulty nodes had decided, though the
// table of the same page says that they decided nothing.
TEST(Report, TheChartOfDecisionsSaysWhomItShows) {
  const std::string few = Deciding(5, 3).page();
  EXPECT_NE(few.find("One line for each of the 4 correct nodes. 1 faulty node is left out."),
            std::string::npos);
  EXPECT_NE(few.find(">node 3</text>"), std::string::npos);
  EXPECT_EQ(few.find(">node 4</text>"), std::string::npos);
  const std::string many = Deciding(10, 3).page();
  EXPECT_NE(many.find("Fewest, median and most decisions among the 9 correct nodes. 1 faulty"),
            std::string::npos);
  for (const char* name : {">fewest</text>", ">median</text>", ">most</text>"})
    EXPECT_NE(many.find(name), std::string::npos) << name;
  // When node 4 has decided for the first time, so have four before it, and four after it have not.
  EXPECT_NE(many.find("<title>fewest: 4, 0</title>"), std::string::npos);
  EXPECT_NE(many.find("<title>median: 4, 1</title>"), std::string::npos);
  EXPECT_NE(many.find("<title>most: 10, 2</title>"), std::string::npos);
  EXPECT_NE(many.find("<title>fewest: 28, 3</title>"), std::string::npos);
  Deciding healed(5, 3);
  EXPECT_EQ(healed.page().find("healed"), std::string::npos);
  healed.outcome.time = 12000;
  EXPECT_NE(healed.page().find("The run stopped at round 12, where its measures were taken"),
            std::string::npos);
  EXPECT_EQ(few.find("events were kept"), std::string::npos);
  EXPECT_NE(Deciding(5, 3, 10).page().find("Only the first 10 of 15 events were kept"),
            std::string::npos);
}

// What node 0 said again after a restart was counted once more: it had more decisions than there
// were.
TEST(Report, TheChartOfDecisionsCountsEachOnce) {
  Deciding run(5, 3);
  run.trace.event(event(Kind::kRestart, 20'000, 0, 0));
  for (const std::uint64_t again : {0U, 1U, 2U})
    run.trace.event(event(Kind::kDecide, 21'000, 0, 0, again));
  EXPECT_EQ(run.page().find("<title>node 0: 21,"), std::string::npos);
  run.trace.event(event(Kind::kDecide, 22'000, 0, 0, 3));
  EXPECT_NE(run.page().find("<title>node 0: 22, 4</title>"), std::string::npos);
}

// Marks side by side once hid each other and the lines under them.
TEST(Report, ALongLineHasFewMarks) {
  Series s{"a", {}};
  for (int i = 0; i < 1000; ++i) s.points.push_back({i * 1.0, i * 1.0});
  const std::string svg = line_chart({"t", "x", "y", {s}});
  EXPECT_LE(count(svg, "<circle"), 42u);
  EXPECT_NE(svg.find("<title>a: 999, 999</title>"), std::string::npos);
  EXPECT_EQ(count(svg, " r=\"2\""), count(svg, "<circle"));
  s.points.resize(12);
  EXPECT_EQ(count(line_chart({"t", "x", "y", {s}}), "<circle"), 12u);
}

TEST(Report, ATableShowsFourDigitsAndKeepsTheRest) {
  Report report;
  report.rows = {{{{"n", "4"}, {"latency", "4.219549161177011"}, {"name", "v1.2"}}}};
  const std::string page = report_html(report);
  EXPECT_NE(page.find("<td title=\"4.219549161177011\">4.22</td>"), std::string::npos);
  EXPECT_NE(page.find("<td>4</td>"), std::string::npos);
  EXPECT_NE(page.find("<td>v1.2</td>"), std::string::npos);
  EXPECT_NE(page.find("name=\"viewport\""), std::string::npos);
}

RC_GTEST_PROP(Report, AnyTextGivesAWellFormedPage, (const std::string& text)) {
  const TraceRecorder trace = small_trace();
  Experiment e = four_nodes();
  e.protocol = text;
  Outcome o;
  o.verdict = Verdict::kViolated;
  o.why = text;
  o.nodes.resize(4);
  o.latencies = {1000, 2000};
  Report report;
  report.title = text;
  report.experiment = &e;
  report.outcome = &o;
  report.trace = &trace;
  report.experiment_text = text;
  report.command = text;
  report.rows = {{{{text, text}}}};
  const std::string page = report_html(report);
  const auto body = page.find("<body>");
  RC_ASSERT(well_formed(page.substr(body, page.find("</html>") - body)));
  RC_ASSERT(page == report_html(report));
  RC_ASSERT(page.find("<script") == std::string::npos);
}

}  // namespace
}  // namespace thresher::sim
