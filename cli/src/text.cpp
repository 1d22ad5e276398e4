#include "text.hpp"

#include <algorithm>

#include "thresher/core/names.hpp"

namespace thresher::cli {
namespace {

/// Length of the UTF-8 character at the front that may be shown, 0 where there is none.
std::size_t shown(std::string_view bytes) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char lead = at(0);
  if (lead >= 0x20 && lead < 0x7f) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || bytes.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xc0) != 0x80) return 0;
  }
  // U+0080 to U+009F are control characters; the others are spelt too long, or no characters.
  const unsigned char second = at(1);
  if (lead == 0xc2 && second < 0xa0) return 0;
  if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second >= 0xa0)) return 0;
  if ((lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second >= 0x90)) return 0;
  // Separators of lines, and marks that turn the direction of what follows on the line.
  const auto is_between = [&](unsigned char low, unsigned char high) {
    return at(2) >= low && at(2) <= high;
  };
  const bool acts =
      lead == 0xe2 && ((second == 0x80 && (is_between(0x8e, 0x8f) || is_between(0xa8, 0xae))) ||
                       (second == 0x81 && is_between(0xa6, 0xa9)));
  return acts ? 0 : length;
}

}  // namespace

std::optional<NodeAt> parse_node_at(std::string_view text) {
  const auto at = text.find('@');
  if (at == std::string_view::npos) return std::nullopt;
  NodeAt out;
  const auto [end, error] = std::from_chars(text.data(), text.data() + at, out.node);
  const auto when = parse_duration(text.substr(at + 1));
  if (error != std::errc{} || end != text.data() + at || !when) return std::nullopt;
  out.at_us = *when;
  return out;
}

std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= list.size() && !list.empty();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    out.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

std::string escaped(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t length = shown(bytes);
    const auto byte = static_cast<unsigned char>(bytes.front());
    if (byte == '\\') {
      out += "\\\\";
    } else if (length > 0) {
      out += bytes.substr(0, length);
    } else if (byte == '\n') {
      out += "\\n";
    } else if (byte == '\t') {
      out += "\\t";
    } else {
      out += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 0xf]};
    }
    bytes.remove_prefix(length > 0 ? length : 1);
  }
  return out;
}

std::string option_problem(std::string_view option, const std::string& name,
                           const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), name) != known.end()) return {};
  return std::string(option) + ": " + unknown_name("name", name, known);
}

}  // namespace thresher::cli
