// Writes one SVG picture. Private to the report.
//
//   Svg svg(640, 200);
//   svg.line(0, 0, 10, 10, "edge").circle(5, 5, 3, "leader", "what a hover says");
//   std::string text = svg.finish("a caption for screen readers");
//
// Guarantees: texts are escaped; coordinates have one decimal, so equal pictures are equal bytes.
// Looks are CSS classes of the page (page.cpp).
#pragma once

#include <string>
#include <string_view>

namespace thresher::sim {

/// At most one decimal, none where it is zero.
std::string short_number(double value);

class Svg {
 public:
  Svg(double width, double height) : width_(width), height_(height) {}

  Svg& line(double x1, double y1, double x2, double y2, std::string_view css,
            std::string_view hover = {});
  Svg& circle(double x, double y, double r, std::string_view css, std::string_view hover = {});
  Svg& square(double x, double y, double half, std::string_view css, std::string_view hover = {});
  Svg& cross(double x, double y, double half, std::string_view css, std::string_view hover = {});
  /// `anchor`: start, middle or end.
  Svg& text(double x, double y, std::string_view words, std::string_view css,
            std::string_view anchor = "start");
  /// Points as "x,y x,y ..." are joined.
  Svg& polyline(const std::string& points, std::string_view css);
  std::string finish(std::string_view caption) const;

 private:
  Svg& element(const std::string& open, std::string_view css, std::string_view hover);

  double width_;
  double height_;
  std::string body_;
};

}  // namespace thresher::sim
