#include "page_parts.hpp"

#include "thresher/sim/report.hpp"
#include "thresher/text/xml.hpp"

namespace thresher::sim {
namespace {

constexpr std::string_view kStyle = R"(
body{font:15px/1.5 system-ui,sans-serif;max-width:1240px;margin:1.5em auto;padding:0 1em;color:#222;background:#fff}
h1{font-size:1.5em;overflow-wrap:anywhere}h2{font-size:1.15em;margin-top:2em}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
td,th{border:1px solid #ddd;padding:3px 9px;text-align:right;white-space:nowrap}
th{background:#f5f5f5}pre{background:#f5f5f5;padding:1em;overflow:auto;max-height:30em}
.wide{overflow-x:auto}figure{margin:0}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,440px),1fr));gap:1.5em}
figcaption{max-width:660px;color:#555;font-size:.85em}
.charts svg{width:100%;max-width:660px;height:auto}
.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(150px,1fr));gap:.7em 1.2em;margin:0}
.facts dt{color:#666;font-size:.85em}.facts dd{margin:0;font-weight:600;overflow-wrap:anywhere}
.pass{color:#17692f}.bad{color:#b3261e}
text{font:12px system-ui,sans-serif;fill:#333}text.title{font-size:14px;font-weight:600}
text.tick{fill:#777;font-size:11px}text.byzantine{fill:#b3261e}
.grid{stroke:#e8e8e8}.bar{stroke-width:1.2}
.lane{stroke:#999;stroke-width:1.5}.lane.byzantine{stroke:#b3261e}
.message{stroke:#2f6fab;stroke-opacity:.35}.message:hover{stroke-opacity:1;stroke-width:2.5}
.message.byzantine{stroke:#b3261e;stroke-opacity:.6}.message.lost{stroke-dasharray:3 3}
path.lost{stroke:#b3261e;stroke-width:1.6;fill:none}
.arrow{fill:#2f6fab}.arrow.byzantine{fill:#b3261e}
.timer{stroke:#8a6d1d;stroke-width:1.2}.decide{fill:#17692f}.crash{fill:#fff;stroke:#222;stroke-width:1.5}
circle.fault{fill:#b3261e}path.fault{stroke:#b3261e;stroke-width:2;fill:none}
.edge{stroke:#bbb;stroke-width:.7}.edge.vote{stroke:#17692f;stroke-width:1.3}
.vertex{fill:#fff;stroke:#2f6fab;stroke-width:1.3}.vertex.leader{fill:#17692f;stroke:#17692f}
.vertex.byzantine{stroke:#b3261e}
td.words{text-align:left;white-space:normal;min-width:16em}
)";

}  // namespace

std::string page_begin(const std::string& title, const std::string& version) {
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
         text::xml_escaped(title) + "</title>\n<style>" + std::string(kStyle) + series_style() +
         "</style></head>\n<body><h1>" + text::xml_escaped(title) + "</h1>\n<p>thresher " +
         text::xml_escaped(version) + "</p>\n";
}

std::string page_end() {
  return "</body></html>\n";
}

std::string to_repeat(const std::string& command) {
  return section("repeat", "To repeat it", "<pre>" + text::xml_escaped(command) + "</pre>\n");
}

std::string section(const std::string& id, const std::string& heading, const std::string& body) {
  return "<section id=\"" + id + "\"><h2>" + text::xml_escaped(heading) + "</h2>\n" + body +
         "</section>\n";
}

std::string figure(const std::string& svg, const std::string& caption) {
  std::string out = "<figure>\n" + svg;
  if (!caption.empty()) out += "<figcaption>" + text::xml_escaped(caption) + "</figcaption>\n";
  return out + "</figure>\n";
}

std::string wide(const std::string& body) {
  return "<div class=\"wide\">\n" + body + "</div>\n";
}

std::string charts(const std::string& figures) {
  return "<div class=\"charts\">\n" + figures + "</div>\n";
}

}  // namespace thresher::sim
