#include <cstdio>

#include "page_parts.hpp"
#include "thresher/sim/reproduce.hpp"
#include "thresher/text/xml.hpp"

namespace thresher::sim {
namespace {

std::string number(double value) {
  char out[32];
  (void)std::snprintf(out, sizeof out, "%.4g", value);
  return out;
}

std::string claims_table(const std::vector<CheckedClaim>& claims) {
  std::string out =
      "<table><tr><th>claim</th><th>expected</th><th>came out</th><th>holds</th>"
      "<th>where the tolerance comes from</th></tr>\n";
  for (const CheckedClaim& c : claims) {
    out += "<tr><td class=\"words\">" + text::xml_escaped(c.what) + "</td><td>" + number(c.least);
    if (c.most != c.least) out += " to " + number(c.most);
    out += "</td><td>" + number(c.measured) + "</td><td class=\"";
    out += c.holds() ? "pass\">yes" : "bad\">NO";
    out += "</td><td class=\"words\">" + text::xml_escaped(c.why) + "</td></tr>\n";
  }
  return out + "</table>\n";
}

}  // namespace

std::string reproduction_html(const std::vector<Reproduction>& results, const std::string& version,
                              const std::string& command) {
  std::string out = page_begin("Published results as experiments", version);
  for (const Reproduction& r : results) {
    std::string figures;
    for (const Chart& chart : r.charts) figures += figure(line_chart(chart));
    out += section(r.name, r.name + " (" + r.source + ")",
                   charts(figures) + wide(claims_table(r.claims)));
  }
  return out + to_repeat(command) + page_end();
}

}  // namespace thresher::sim
