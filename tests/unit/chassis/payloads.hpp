// Payloads for the tests of the parts of both DAG families.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "thresher/protocols/dag/block.hpp"

namespace thresher::chassis {

/// `name` tells payloads of one size apart.
inline dag::Payload payload(std::size_t bytes, std::uint8_t name) {
  dag::Payload out;
  out.bytes = Bytes::from(std::vector<std::byte>(bytes, static_cast<std::byte>(name)));
  out.root = hash(out.bytes.view());
  return out;
}

}  // namespace thresher::chassis
