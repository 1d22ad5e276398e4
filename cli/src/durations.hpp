// What to say of times on the command line that are not times, or longer than anybody waits.
//
//   if (!parse_duration(a.timeout)) return fail(kUsage, no_duration("--timeout", a.timeout));
//   if (auto why = too_long("--patience", a.patience_s); !why.empty()) return fail(kUsage, why);
//
// Guarantees: whatever passes fits clocks in any unit down to a nanosecond.
#pragma once

#include <cstdint>
#include <string>

namespace thresher::cli {

/// A year. Unit: seconds.
inline constexpr std::uint64_t kLongestSeconds = 31'536'000;

/// What is wrong with the text of `option`, which parse_duration() or the verb did not take: that
/// it is too long, or that it is no `wanted`.
std::string no_duration(const std::string& option, const std::string& text,
                        const std::string& wanted = "time; write 60s or 500ms");

/// Why a plain number of seconds (or of milliseconds, where a second has 1000) is more than
/// kLongestSeconds; empty: it is not.
std::string too_long(const std::string& option, std::uint64_t number, std::uint64_t per_second = 1);

}  // namespace thresher::cli
