// The pieces that every page of the simulator is made of. Private to the report.
//
//   std::string page = page_begin(title, version);
//   page += section("charts", "Latency", charts(figure(line_chart(chart))));
//   page += to_repeat(command) + page_end();
//
// Guarantees: titles, headings, captions and commands are escaped; a body is HTML already.
#pragma once

#include <string>

namespace thresher::sim {

/// Up to the heading and the version, with the style of all pages.
std::string page_begin(const std::string& title, const std::string& version);
std::string page_end();
std::string section(const std::string& id, const std::string& heading, const std::string& body);
/// A caption is text, and stands below the picture.
std::string figure(const std::string& svg, const std::string& caption = {});
/// Content that keeps its own width and scrolls sideways where the screen is narrower.
std::string wide(const std::string& body);
/// Side by side as far as there is room.
std::string charts(const std::string& figures);
std::string to_repeat(const std::string& command);

}  // namespace thresher::sim
