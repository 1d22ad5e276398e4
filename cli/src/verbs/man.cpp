#include <cstdio>

#include "../verbs.hpp"

namespace thresher::cli {
namespace {

// A text for roff(7): a backslash and a hyphen mean something there, and so does a dot or an
// apostrophe at the start of a line.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return !out.empty() && (out[0] == '.' || out[0] == '\'') ? "\\&" + out : out;
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

void print_option(const Option& option) {
  const bool flag = std::holds_alternative<bool*>(option.target);
  std::printf(".TP\n.B %s\n%s%s\n", roff(option.name + (flag ? "" : " VALUE")).c_str(),
              roff(option.help).c_str(), option.required ? " (required)" : "");
}

int print_page() {
  std::printf(".TH THRESHER 1 \"\" \"thresher %s\" \"User Commands\"\n", THRESHER_VERSION);
  std::puts(".SH NAME\nthresher \\- Byzantine\\-fault\\-tolerant broadcast and consensus");
  std::puts(".SH SYNOPSIS\n.B thresher\nVERB [OPTIONS]\n.SH VERBS");
  for (const Verb& verb : all_verbs()) {
    std::printf(".SS \"thresher %s\"\n%s\n", roff(joined(verb.path)).c_str(),
                roff(verb.help).c_str());
    for (const Option& option : verb.options) print_option(option);
  }
  std::puts(".SH EXIT STATUS");
  for (const auto& [status, what] : kExits) std::printf(".TP\n.B %d\n%s\n", status, what);
  return kDone;
}

}  // namespace

Verb make_man() {
  return {{"man"},
          "Print the manual page, which lists every verb and option. Example: thresher man > "
          "thresher.1",
          {},
          print_page};
}

}  // namespace thresher::cli
