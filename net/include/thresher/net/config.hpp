// The node's configuration file, node.toml.
//
//   auto config = net::load_config("net/node0");          // the folder, or the file itself
//   if (!config) for (const Error& e : config.error()) std::cerr << e << '\n';
//
// Guarantees: an unknown key, a wrong type or a value out of range is one problem each, with file,
// line and, where there is one, the nearest name; all problems are reported at once. A folder
// without node.toml gets the defaults. Relative paths count from the file's folder.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "thresher/core/errors.hpp"
#include "thresher/net/node.hpp"

namespace thresher::net {

struct NodeConfig {
  NodeOptions options;
  std::string log_level = "info";   ///< debug, info, warning or error
  std::string log_format = "text";  ///< text or json
};

/// kMissing: there is no such folder or file (`where`: its path); kMalformed: a key or the whole is
/// not as it should be (`where`: file:line:column, or the file); kUnsupported: a later version's
/// file. Else what the disk said of the file.
Result<NodeConfig, Errors> load_config(const std::string& home_or_file);

/// Whether the numbers lie in the ranges of the keys of node.toml. kMalformed: one does not;
/// `where` is its key.
Result<Unit, Error> check_ranges(const NodeOptions& options);

/// Whether the delays of links fit a network of so many nodes. kMalformed: they do not; `where` is
/// the key.
Result<Unit, Error> check_delays(const NodeOptions& options, std::size_t nodes);

/// A file with every key, its default and what it is for.
std::string config_text(const NodeConfig& config);

}  // namespace thresher::net
