// A list of signatures as bytes, on links and disks. Private to the broadcasts.
#pragma once

#include <algorithm>
#include <optional>

#include "thresher/core/signature_list.hpp"
#include "thresher/core/transcript.hpp"

namespace thresher::broadcast {

inline void write_list(Writer& w, const SignatureList& list) {
  w.u16(static_cast<std::uint16_t>(list.signatures.size()));
  list.for_each([&](NodeId signer, const Signature& s) { w.u16(signer.value).bytes(s); });
}

/// Empty when it is cut short, names a node beyond `n`, or its signers do not grow.
inline std::optional<SignatureList> read_list(Reader& in, std::uint32_t n) {
  const std::uint16_t size = in.u16();
  SignatureList out{NodeSet(n), {}};
  if (size > n || in.remaining() < size * (sizeof(std::uint16_t) + sizeof(Signature)))
    return std::nullopt;
  std::int32_t last = -1;
  for (std::uint16_t k = 0; k < size; ++k) {
    const NodeId signer{in.u16()};
    if (signer.value >= n || signer.value <= last) return std::nullopt;
    last = signer.value;
    const ByteView bytes = in.bytes(sizeof(Signature));
    Signature s{};
    std::copy(bytes.begin(), bytes.end(), s.begin());
    out.signers.insert(signer);
    out.signatures.push_back(s);
  }
  return out;
}

}  // namespace thresher::broadcast
