#include "logging.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <chrono>

#include "json.hpp"

namespace thresher::cli {
namespace {

spdlog::level::level_enum level_of(net::Level level) {
  switch (level) {
    case net::Level::kDebug:
      return spdlog::level::debug;
    case net::Level::kInfo:
      return spdlog::level::info;
    case net::Level::kWarning:
      return spdlog::level::warn;
    case net::Level::kError:
      break;
  }
  return spdlog::level::err;
}

/// Before 1970 in whole seconds: the library counts a fraction from there the wrong way, and prints
/// milliseconds of ten digits.
spdlog::log_clock::time_point time_of_line() {
  const auto now = spdlog::log_clock::now();
  if (now.time_since_epoch().count() >= 0) return now;
  return std::chrono::floor<std::chrono::seconds>(now);
}

}  // namespace

std::function<void(net::Level, const std::string&)> make_log(const std::string& level,
                                                             const std::string& format) {
  auto logger =
      std::make_shared<spdlog::logger>("node", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_level(spdlog::level::from_str(level));
  logger->flush_on(spdlog::level::info);
  const bool json = format == "json";
  logger->set_pattern(json ? R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l","message":%v})"
                           : "%Y-%m-%d %H:%M:%S.%e %l: %v",
                      spdlog::pattern_time_type::utc);
  return [logger, json](net::Level l, const std::string& line) {
    logger->log(time_of_line(), {}, level_of(l), json ? Json::quoted(line) : line);
  };
}

}  // namespace thresher::cli
