#include "durations.hpp"

#include <charconv>

#include "text.hpp"

namespace thresher::cli {

std::string no_duration(const std::string& option, const std::string& text,
                        const std::string& wanted) {
  double value = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  const std::string unit(end, last);
  const bool number =
      error == std::errc::result_out_of_range || (error == std::errc{} && value > 1);
  // Words that would be a time if it were shorter.
  if (number && text[0] != '-' && !parse_duration(text) && parse_duration("1" + unit))
    return option + " '" + text + "' is too long: more than 1000000" + unit + "; give less";
  return option + " '" + text + "' is no " + wanted;
}

std::string too_long(const std::string& option, std::uint64_t number, std::uint64_t per_second) {
  const std::uint64_t most = kLongestSeconds * per_second;
  if (number <= most) return {};
  return option + " " + std::to_string(number) + " is more than a year, " + std::to_string(most) +
         (per_second == 1 ? " seconds" : " milliseconds") + "; give less";
}

}  // namespace thresher::cli
