// The log of `thresher node run`: lines on stderr, as text or as one JSON object a line.
#pragma once

#include <functional>
#include <string>

#include "thresher/net/node.hpp"

namespace thresher::cli {

/// `level` and `format` as in node.toml.
std::function<void(net::Level, const std::string&)> make_log(const std::string& level,
                                                             const std::string& format);

}  // namespace thresher::cli
