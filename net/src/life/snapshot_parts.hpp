// What nodes say to each other about snapshots: which they have, and parts of one. Private to net/.
//
//   send({kSnapshots, encode(offers), {}});                       // answers kWantSnapshots
//   if (auto want = decode_want_part(frame.control.view())) ...   // a kWantPart
//
// Guarantees: one spelling each; decode gives nothing for what encode did not write, and for more
// offers than kMostOffers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "snapshot_folder.hpp"

namespace thresher::net {

/// Files of a snapshot that are the same at all nodes.
enum class SnapshotFileName : std::uint8_t {
  kManifest,  ///< in one part
  kLedger,
  kState,
};

/// A snapshot that a node has: what it is of, and the digest of its manifest. Two are the same
/// whoever signed the certificates, but not where one names a manifest beside another checkpoint.
struct SnapshotOffer {
  Certificate certificate;
  Digest manifest{};
  friend bool operator==(const SnapshotOffer& a, const SnapshotOffer& b) {
    return a.manifest == b.manifest && a.certificate.checkpoint == b.certificate.checkpoint;
  }
};
inline constexpr std::size_t kMostOffers = 4;

/// Of a snapshot that is given or taken: a manifest goes in one frame. Unit: bytes.
inline constexpr std::size_t kMostManifest = 4u << 20;
/// The state of such a snapshot, where there is room for its ledger beside it: 127 GiB.
inline constexpr std::uint64_t kMostGivenState =
    (kMostManifest / sizeof(Digest::bytes) - 1024) * Manifest::kChunk;
/// Empty, or why nobody can take over a state of so many bytes.
std::string why_not_given(std::uint64_t state_bytes);

/// The question which snapshots a node has; who takes one already says which, so that it stays.
struct WantSnapshots {
  std::optional<Round> takes{};
};

/// A part of one: a MiB of a file, or the manifest.
struct SnapshotPart {
  Round slot{0};
  SnapshotFileName file = SnapshotFileName::kManifest;
  std::uint64_t index = 0;
  friend auto operator<=>(const SnapshotPart&, const SnapshotPart&) = default;
};
/// The head of an answer, whose payload is the part.
struct GivenPart {
  SnapshotPart part;
  bool found = false;
};

Bytes encode(const std::vector<SnapshotOffer>& offers);
std::optional<std::vector<SnapshotOffer>> decode_offers(ByteView bytes, std::uint32_t n);
Bytes encode(const WantSnapshots& want);
std::optional<WantSnapshots> decode_want_snapshots(ByteView bytes);

Bytes encode(const SnapshotPart& part);
std::optional<SnapshotPart> decode_want_part(ByteView bytes);
Bytes encode(const GivenPart& given);
std::optional<GivenPart> decode_given_part(ByteView bytes);

}  // namespace thresher::net
