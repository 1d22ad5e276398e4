// Durable records of the signed broadcasts. Private to the protocol.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "certificate_bytes.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/protocols/broadcast/signed_broadcast.hpp"

namespace thresher::signed_broadcast {

/// Tables of durable records: own votes with their payloads, certificates of what was delivered,
/// floors by origin, and instances whose delivery the host may not have yet.
enum Table : std::uint32_t { kVotes = 1, kCertificates = 2, kFloors = 3, kUnconfirmed = 4 };

inline Bytes key_of(const Instance& i) {
  Writer w;
  w.u16(i.origin.value).u64(i.number);
  return Bytes::from(w.take());
}

inline Bytes certificate_record(const Digest& digest, const SignatureList& list) {
  Writer w;
  w.bytes(digest.bytes);
  broadcast::write_list(w, list);
  return Bytes::from(w.take());
}

}  // namespace thresher::signed_broadcast
