#include "logging.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

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
    logger->log(level_of(l), json ? Json::quoted(line) : line);
  };
}

}  // namespace thresher::cli
