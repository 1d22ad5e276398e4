// What is said of a file that a later version of the program wrote: the genesis file and node.toml
// say it in the same words as an experiment file does.
//
//   if (schema > kSchema) return complain(newer_schema(schema, kSchema).text());
//
// Private to net/.
#pragma once

#include <cstdint>
#include <string>

#include "thresher/core/error.hpp"

namespace thresher::net {

/// kUnsupported, without a place.
inline Error newer_schema(std::uint64_t found, std::uint64_t known) {
  const std::string ours = std::to_string(known);
  return {
      ErrorCode::kUnsupported,
      "schema " + std::to_string(found) + " is newer than " + ours + ", which this program reads",
      "", "use a newer thresher, or write the file for schema " + ours};
}

}  // namespace thresher::net
