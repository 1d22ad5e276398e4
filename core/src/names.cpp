#include "thresher/core/names.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace thresher {
namespace {

/// Among more names, or for a longer one, no nearest name is looked for: it would take seconds.
constexpr std::size_t kMostCompared = 2'000;
constexpr std::size_t kLongestCompared = 200;
/// Most of a name that an error quotes.
constexpr std::size_t kLongestQuote = 200;

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row.back();
}

std::optional<std::string> nearest(std::string_view name, std::span<const std::string> known) {
  if (name.size() > kLongestCompared || known.size() > kMostCompared) return std::nullopt;
  const auto near = std::min_element(known.begin(), known.end(), [&](const auto& a, const auto& b) {
    return edit_distance(name, a) < edit_distance(name, b);
  });
  if (near == known.end() || edit_distance(name, *near) > 1 + name.size() / 3) return std::nullopt;
  return *near;
}

std::string name_list(std::span<const std::string> names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

std::string unknown_name(std::string_view kind, std::string_view name,
                         const std::vector<std::string>& known, std::string_view where) {
  return unknown(kind, name, known, where).text();
}

Error unknown(std::string_view kind, std::string_view name, const std::vector<std::string>& known,
              std::string_view where) {
  std::string what = "unknown ";
  what.append(kind).append(" `").append(name.substr(0, kLongestQuote));
  what.append(name.size() > kLongestQuote ? "..." : "").append("`").append(where);
  const auto near = nearest(name, known);
  return {ErrorCode::kMissing, std::move(what), std::string(name),
          near ? "did you mean `" + *near + "`?" : "known: " + name_list(known)};
}

}  // namespace thresher
