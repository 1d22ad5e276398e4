// Names, headers and vertices for the tests of the parts of a certified node.
#pragma once

#include <memory>
#include <vector>

#include "../chassis/names.hpp"
#include "../chassis/payloads.hpp"
#include "thresher/protocols/certified/vertex.hpp"

namespace thresher::certified {

using chassis::node;
using chassis::payload;

inline Ref ref(std::uint64_t author, std::uint64_t round) {
  return {node(author), Round{round}};
}
inline Signature signature(std::uint8_t name) {
  Signature out{};
  out[0] = static_cast<std::byte>(name);
  return out;
}
/// `salt` tells headers of one name apart.
inline ProposalPtr proposal(std::uint64_t author, std::uint64_t round, std::uint8_t salt = 0) {
  auto out = std::make_shared<Proposal>();
  out->header.author = node(author);
  out->header.round = Round{round};
  out->digest.bytes = {std::byte{1}, static_cast<std::byte>(author), static_cast<std::byte>(round),
                       static_cast<std::byte>(salt)};
  out->signature = signature(static_cast<std::uint8_t>(author));
  return out;
}
/// With signatures of its author alone, `by` of them.
inline VertexPtr vertex(std::uint64_t author, std::uint64_t round, std::uint8_t by = 1) {
  auto out = std::make_shared<Vertex>();
  const ProposalPtr p = proposal(author, round);
  out->header = p->header;
  out->digest = p->digest;
  out->certificate.signatures.assign(by, p->signature);
  return out;
}

}  // namespace thresher::certified
