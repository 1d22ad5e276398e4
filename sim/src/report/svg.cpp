#include "svg.hpp"

#include <cmath>
#include <cstdio>

#include "thresher/text/xml.hpp"

namespace thresher::sim {

std::string short_number(double value) {
  char out[64];
  const double tenths = std::round(value * 10);
  const int digits = std::fmod(tenths, 10) == 0 ? 0 : 1;
  (void)std::snprintf(out, sizeof out, "%.*f", digits, tenths / 10);
  return out;
}

Svg& Svg::element(const std::string& open, std::string_view css, std::string_view hover) {
  body_ += "<" + open + " class=\"" + std::string(css) + "\"";
  const std::string name = open.substr(0, open.find(' '));
  body_ += hover.empty() ? "/>" : "><title>" + text::xml_escaped(hover) + "</title></" + name + ">";
  body_ += '\n';
  return *this;
}

Svg& Svg::line(double x1, double y1, double x2, double y2, std::string_view css,
               std::string_view hover) {
  return element("line x1=\"" + short_number(x1) + "\" y1=\"" + short_number(y1) + "\" x2=\"" +
                     short_number(x2) + "\" y2=\"" + short_number(y2) + "\"",
                 css, hover);
}

Svg& Svg::circle(double x, double y, double r, std::string_view css, std::string_view hover) {
  return element("circle cx=\"" + short_number(x) + "\" cy=\"" + short_number(y) + "\" r=\"" +
                     short_number(r) + "\"",
                 css, hover);
}

Svg& Svg::square(double x, double y, double half, std::string_view css, std::string_view hover) {
  return element("rect x=\"" + short_number(x - half) + "\" y=\"" + short_number(y - half) +
                     "\" width=\"" + short_number(2 * half) + "\" height=\"" +
                     short_number(2 * half) + "\"",
                 css, hover);
}

Svg& Svg::cross(double x, double y, double half, std::string_view css, std::string_view hover) {
  const auto at = [](double a, double b) { return short_number(a) + " " + short_number(b); };
  return element("path d=\"M" + at(x - half, y - half) + "L" + at(x + half, y + half) + "M" +
                     at(x - half, y + half) + "L" + at(x + half, y - half) + "\"",
                 css, hover);
}

Svg& Svg::text(double x, double y, std::string_view words, std::string_view css,
               std::string_view anchor) {
  body_ += "<text x=\"" + short_number(x) + "\" y=\"" + short_number(y) + "\" class=\"" +
           std::string(css) + "\" text-anchor=\"" + std::string(anchor) + "\">" +
           text::xml_escaped(words) + "</text>\n";
  return *this;
}

Svg& Svg::polyline(const std::string& points, std::string_view css) {
  return element("polyline points=\"" + points + "\"", css, {});
}

std::string Svg::finish(std::string_view caption) const {
  const std::string size = short_number(width_) + " " + short_number(height_);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 " + size +
         "\" width=\"" + short_number(width_) + "\" height=\"" + short_number(height_) +
         "\">\n<desc>" + text::xml_escaped(caption) + "</desc>\n" + body_ + "</svg>\n";
}

}  // namespace thresher::sim
