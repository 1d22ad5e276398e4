// What each protocol offers, for `thresher protocols`. Every protocol adds its row.
#pragma once

#include <span>
#include <string>

namespace thresher::cli {

struct ProtocolRow {
  const char* name;
  const char* kind;
  const char* faults;    ///< how many of n, and of which sort
  const char* delays;    ///< message delays until an output, good case
  const char* messages;  ///< per instance or round
  const char* bits;      ///< of metadata, per instance or round
  const char* needs;
  const char* runs_in;
  const char* verified;  ///< what is proved by a machine, and what tests attack
};

std::span<const ProtocolRow> protocol_table();

/// Empty when a broadcast is called so; else what is wrong, with the names that there are.
std::string no_broadcast(const std::string& name);

}  // namespace thresher::cli
