// Words inside XML: SVG pictures and HTML pages.
//
//   out += "<title>" + text::xml_escaped(name) + "</title>";
//
// Guarantees: what comes out stands in text and in quoted attributes alike, and closes neither.
#pragma once

#include <string>
#include <string_view>

namespace thresher::text {

/// `text` with the five characters that mean something replaced, and control characters, which XML
/// does not allow, blank.
std::string xml_escaped(std::string_view text);

}  // namespace thresher::text
