// Names and blocks for the tests of the parts of a DAG node that count and remember.
#pragma once

#include <memory>
#include <utility>

#include "thresher/protocols/dag/block.hpp"

namespace thresher::dag {

inline NodeId node(std::uint64_t i) {
  return NodeId{static_cast<std::uint16_t>(i)};
}

/// `salt` tells blocks of one author and round apart.
inline Edge edge(std::uint64_t author, std::uint64_t round, std::uint8_t salt = 0) {
  Edge out{node(author), Round{round}, {}};
  out.digest.bytes[0] = static_cast<std::byte>(salt);
  out.digest.bytes[1] = std::byte{1};
  return out;
}

inline Payload payload(std::size_t bytes, std::uint8_t name) {
  Payload out;
  out.bytes = Bytes::from(std::vector<std::byte>(bytes, static_cast<std::byte>(name)));
  out.root = hash(out.bytes.view());
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
