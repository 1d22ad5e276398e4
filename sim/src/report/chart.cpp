#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>

#include "svg.hpp"
#include "thresher/sim/report.hpp"

namespace thresher::sim {
namespace {

constexpr double kWidth = 500;
constexpr double kHeight = 300;  // of a chart without a legend
constexpr double kLegendRow = 18;
constexpr double kLetter = 6.6;  // of a legend's text, on average
constexpr double kLeft = 70;
constexpr double kRight = 20;
constexpr double kTop = 46;
constexpr double kBottom = 52;
constexpr std::size_t kWidest = 7;  // lines under others that can be told apart
// Of a line with more points than this not every point has a mark: side by side they would hide
// each other, the line, and the lines that run next to it.
constexpr std::size_t kMarks = 40;
constexpr std::array<const char*, 12> kColours{"#2f6fab", "#c65b12", "#2e8b57", "#7b4fa3",
                                               "#8a6d1d", "#555",    "#b02a5b", "#1b9aaa",
                                               "#d4a017", "#e377c2", "#3f3f9f", "#9acd32"};

std::string colour_class(std::size_t series) {
  return "s" + std::to_string(series % kColours.size());
}

// A scale with round steps that covers [low, high].
struct Axis {
  double low = 0;
  double high = 1;
  double step = 1;

  Axis(double from, double to) {
    if (to <= from) to = from + 1;
    if (to <= from) to = from + std::abs(from);  // so large that one more is the same number
    const double rough = (to - from) / 5;
    const double ten = std::pow(10, std::floor(std::log10(rough)));
    step = 10 * ten;
    for (const double nice : {1.0, 2.0, 5.0}) {
      if (rough <= nice * ten) {
        step = nice * ten;
        break;
      }
    }
    low = std::floor(from / step) * step;
    high = std::ceil(to / step) * step;
  }
  double share(double v) const { return (v - low) / (high - low); }
};

std::string tick_text(double v) {
  const double size = std::abs(v);
  if (size >= 1e9) return short_number(v / 1e9) + " G";
  if (size >= 1e6) return short_number(v / 1e6) + " M";
  if (size >= 1e4) return short_number(v / 1e3) + " k";
  char out[32];
  (void)std::snprintf(out, sizeof out, "%.4g", v);
  return out;
}

std::vector<double> ticks(const Axis& axis) {
  std::vector<double> out;
  const auto steps = std::lround((axis.high - axis.low) / axis.step);
  for (long k = 0; k <= steps; ++k) out.push_back(axis.low + static_cast<double>(k) * axis.step);
  return out;
}

// Under the plot, where no line runs: in as many columns as the longest name allows.
class Legend {
 public:
  Legend(const std::vector<Series>& series, bool wanted) {
    if (!wanted) return;
    std::size_t longest = 1;
    for (const Series& s : series) longest = std::max(longest, s.name.size());
    const double width = 30 + kLetter * static_cast<double>(longest);
    columns_ = std::clamp<std::size_t>(static_cast<std::size_t>((kWidth - kLeft) / width), 1,
                                       series.size());
    column_ = (kWidth - kLeft - kRight) / static_cast<double>(columns_);
    const std::size_t rows = (series.size() + columns_ - 1) / columns_;
    height_ = kLegendRow * static_cast<double>(rows) + 6;
  }
  double height() const { return height_; }
  void draw(Svg& svg, const std::vector<Series>& series) const {
    for (std::size_t i = 0; i < series.size() && height_ > 0; ++i) {
      const double x = kLeft + column_ * static_cast<double>(i % columns_);
      const std::size_t row = i / columns_;
      const double y = kHeight + kLegendRow * static_cast<double>(row) + 8;
      svg.square(x + 6, y - 4, 5, "dot " + colour_class(i));
      svg.text(x + 18, y, series[i].name, "label");
    }
  }

 private:
  std::size_t columns_ = 1;
  double column_ = 0;
  double height_ = 0;
};

class Plot {
 public:
  Plot(const Chart& chart, Axis x, Axis y, double legend = 0)
      : x_(x), y_(y), svg_(kWidth, kHeight + legend) {
    svg_.text(kWidth / 2, 18, chart.title, "title", "middle");
    svg_.text((kLeft + kWidth - kRight) / 2, kHeight - 10, chart.x_label, "label", "middle");
    svg_.text(8, kTop - 14, chart.y_label, "label");
    for (const double v : ticks(x_)) {
      svg_.line(at_x(v), kTop, at_x(v), kHeight - kBottom, "grid");
      svg_.text(at_x(v), kHeight - kBottom + 16, tick_text(v), "tick", "middle");
    }
    for (const double v : ticks(y_)) {
      svg_.line(kLeft, at_y(v), kWidth - kRight, at_y(v), "grid");
      svg_.text(kLeft - 6, at_y(v) + 4, tick_text(v), "tick", "end");
    }
  }
  double at_x(double v) const { return kLeft + x_.share(v) * (kWidth - kLeft - kRight); }
  double at_y(double v) const {
    return kHeight - kBottom - y_.share(v) * (kHeight - kTop - kBottom);
  }
  Svg& svg() { return svg_; }

 private:
  Axis x_;
  Axis y_;
  Svg svg_;
};

std::string place(const Plot& plot, const Point& p) {
  return short_number(plot.at_x(p.x)) + "," + short_number(plot.at_y(p.y));
}

// For each series, how many later ones run over a stretch of it. They would hide it: it is drawn
// that much wider, so that it shows on both sides of them.
std::vector<std::size_t> hidden_by(const Plot& plot, const std::vector<Series>& series) {
  std::vector<std::set<std::string>> stretches;
  for (const Series& s : series) {
    std::set<std::string>& own = stretches.emplace_back();
    for (std::size_t i = 1; i < s.points.size(); ++i)
      own.insert(place(plot, s.points[i - 1]) + " " + place(plot, s.points[i]));
    if (s.points.size() == 1) own.insert(place(plot, s.points[0]));
  }
  std::vector<std::size_t> out(series.size(), 0);
  for (std::size_t i = 0; i < series.size(); ++i) {
    for (std::size_t later = i + 1; later < series.size(); ++later) {
      out[i] += std::any_of(stretches[i].begin(), stretches[i].end(),
                            [&](const std::string& s) { return stretches[later].contains(s); });
    }
  }
  return out;
}

void draw(Plot& plot, const Series& series, const std::string& colour, std::size_t wider) {
  wider = std::min(wider, kWidest);
  std::string line;
  for (const Point& p : series.points) line += place(plot, p) + " ";
  const std::string width = wider == 0 ? "" : " w" + std::to_string(wider);
  plot.svg().polyline(line, "line " + colour + width);
  const std::size_t every = series.points.size() / (kMarks + 1) + 1;
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    const Point& p = series.points[i];
    const double x = plot.at_x(p.x);
    if (p.half > 0) {
      plot.svg().line(x, plot.at_y(p.y - p.half), x, plot.at_y(p.y + p.half), "bar " + colour);
    }
    // The last point has a mark in any case, since it says where the line ends.
    if (i % every != 0 && i + 1 != series.points.size()) continue;
    std::string hover = series.name + ": " + tick_text(p.x) + ", " + tick_text(p.y);
    if (p.half > 0) hover += " within " + tick_text(p.half) + " at 95 %";
    const double radius = (every > 1 ? 2 : 3) + 1.2 * static_cast<double>(wider);
    plot.svg().circle(x, plot.at_y(p.y), radius, "dot " + colour, hover);
  }
}

std::string empty_chart(const std::string& title) {
  Svg svg(kWidth, 60);
  svg.text(kWidth / 2, 18, title, "title", "middle");
  svg.text(kWidth / 2, 44, "nothing to show: no values", "label", "middle");
  return svg.finish(title);
}

// Series with the same points are one line under all of their names.
std::vector<Series> without_twins(const std::vector<Series>& series) {
  std::vector<Series> out;
  for (const Series& s : series) {
    const auto twin =
        std::find_if(out.begin(), out.end(), [&](const Series& o) { return o.points == s.points; });
    if (twin == out.end()) {
      out.push_back(s);
    } else {
      twin->name += ", " + s.name;
    }
  }
  return out;
}

}  // namespace

std::string series_style() {
  std::string out;
  for (std::size_t i = 0; i < kColours.size(); ++i) {
    out.append(".").append(colour_class(i)).append("{stroke:").append(kColours[i]);
    out.append(";fill:").append(kColours[i]).append("}");
  }
  out += ".line{fill:none!important;stroke-width:1.8;stroke-linejoin:round}";
  for (std::size_t w = 1; w <= kWidest; ++w) {
    out += ".w" + std::to_string(w) + "{stroke-width:";
    out += short_number(1.8 + 2.4 * static_cast<double>(w)) + "}";
  }
  return out;
}

std::string line_chart(const Chart& chart) {
  std::vector<double> xs;
  std::vector<double> ys{0};
  for (const Series& s : chart.series) {
    for (const Point& p : s.points) {
      xs.push_back(p.x);
      ys.push_back(p.y + p.half);
      ys.push_back(p.y - p.half);
    }
  }
  if (xs.empty()) return empty_chart(chart.title);
  const auto [x0, x1] = std::minmax_element(xs.begin(), xs.end());
  const auto [y0, y1] = std::minmax_element(ys.begin(), ys.end());
  const std::vector<Series> series = without_twins(chart.series);
  const Legend legend(series, chart.series.size() > 1);
  Plot plot(chart, Axis(*x0, *x1), Axis(*y0, *y1), legend.height());
  const auto hidden = hidden_by(plot, series);
  for (std::size_t i = 0; i < series.size(); ++i) draw(plot, series[i], colour_class(i), hidden[i]);
  legend.draw(plot.svg(), series);
  return plot.svg().finish(chart.title);
}

std::string chart_file(const Chart& chart) {
  const std::string style =
      "<style>svg{background:#fff}text{font:12px sans-serif;fill:#333}"
      "text.title{font-weight:600}.grid{stroke:#e8e8e8}" +
      series_style() + "text[class]{stroke:none}</style>\n";
  std::string out = line_chart(chart);
  return out.insert(out.find(">\n") + 2, style);
}

std::string cdf_chart(const std::string& title, const std::string& x_label,
                      const std::vector<double>& values) {
  if (values.empty()) return empty_chart(title);
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const Chart chart{title, x_label, "share of all", {}};
  Plot plot(chart, Axis(0, sorted.back()), Axis(0, 1));
  std::string line = short_number(plot.at_x(0)) + "," + short_number(plot.at_y(0));
  const std::size_t every = std::max<std::size_t>(1, sorted.size() / 500);
  double height = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i % every != 0 && i + 1 != sorted.size()) continue;
    const std::string x = short_number(plot.at_x(sorted[i]));
    line += " " + x + "," + short_number(plot.at_y(height));
    height = static_cast<double>(i + 1) / static_cast<double>(sorted.size());
    line += " " + x + "," + short_number(plot.at_y(height));
  }
  plot.svg().polyline(line, "line s0");
  for (const double share : {0.5, 0.9, 0.99}) {
    const auto rank =
        static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
    const double v = sorted[rank - 1];
    plot.svg().circle(plot.at_x(v), plot.at_y(share), 3, "dot s1",
                      "p" + short_number(share * 100) + ": " + tick_text(v));
  }
  return plot.svg().finish(title);
}

}  // namespace thresher::sim
