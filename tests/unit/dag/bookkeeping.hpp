// Names and blocks for the tests of the parts of a DAG node that count and remember.
#pragma once

#include <memory>
#include <utility>

#include "../chassis/names.hpp"
#include "../chassis/payloads.hpp"
#include "thresher/protocols/dag/block.hpp"

namespace thresher::dag {

using chassis::node;
using chassis::payload;

/// `salt` tells blocks of one author and round apart.
inline Edge edge(std::uint64_t author, std::uint64_t round, std::uint8_t salt = 0) {
  Edge out{node(author), Round{round}, {}};
  out.digest.bytes[0] = static_cast<std::byte>(salt);
  out.digest.bytes[1] = std::byte{1};
  return out;
}

inline BlockPtr block(std::uint64_t author, std::uint64_t round, std::size_t bytes = 0) {
  auto out = std::make_shared<Block>();
  out->header.author = node(author);
  out->header.round = Round{round};
  out->header.payload_bytes = static_cast<std::uint32_t>(bytes);
  if (bytes > 0) out->payload = payload(bytes, 7);
  out->digest = edge(author, round).digest;
  return out;
}

}  // namespace thresher::dag
