// What nodes say to each other about snapshots: which they have, and parts of one. Private to net/.
//
//   send({kTookSnapshot, encode(TookSnapshot{slot, manifest}), {}});
//   send({kSnapshots, encode(OwnSnapshots{offers, grid}), {}});   // answers kWantSnapshots
//   if (auto want = decode_want_part(frame.control.view())) ...   // a kWantPart
//
// Guarantees: one spelling each; decode gives nothing for what encode did not write, and for more
// offers than kMostOffers or more grids than kMostGrids.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "life/snapshot_folder.hpp"
#include "thresher/core/committee.hpp"

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
/// What a node says of its snapshots: those that can be taken, and on which grid it takes them.
struct OwnSnapshots {
  std::vector<SnapshotOffer> offers{};
  std::uint8_t grid = 0;  ///< snapshot_pace.hpp
};

/// Limit for a snapshot that is given or taken: a manifest goes in one frame. Unit: bytes.
inline constexpr std::size_t kMostManifest = 4u << 20;
/// The state of such a snapshot, where there is room for its ledger beside it: 127 GiB.
inline constexpr std::uint64_t kMostGivenState =
    (kMostManifest / sizeof(Digest::bytes) - 1024) * Manifest::kChunk;
/// Empty, or why nobody can take over a state of so many bytes.
std::string why_not_given(std::uint64_t state_bytes);

/// The question which snapshots a node has. A node that takes one already says which, so that it
/// stays. One that found none that enough nodes have says on which grids slower ones take theirs
/// (grids_to_keep()), so that what is on these stays until the slower ones have it too.
struct WantSnapshots {
  std::optional<Round> takes{};
  std::vector<std::uint8_t> grids{};  ///< finest first, at most kMostGrids; none where it takes one
};
inline constexpr std::size_t kMostGrids = 2;
/// This many of the newest are kept of each grid: a slow node has written one before the next but
/// one is due. Together no more than a member holds.
inline constexpr std::size_t kKeptOfGrid = 2;
static_assert(kMostGrids * kKeptOfGrid <= kMostOffers);

/// The grids on which members of `committee`, by their own words, take snapshots: those of which
/// kValidity correct ones have all snapshots in common are among them, or finer.
///
/// Slots of a coarse grid are among those of each finer one, so with the words in order it takes
/// the one behind which f+1 correct ones stand. If k of the liars among them say less than it and
/// the others more, that is number f+1+k, and every correct one up to number 2f+k will do. Number
/// 2f is such for k < f, and number 2f+1 for k > 0; with fewer answers the last ones.
std::vector<std::uint8_t> grids_to_keep(std::vector<std::uint8_t> said, const Committee& committee);

/// A snapshot that the sender has just written, and that others can take over.
struct TookSnapshot {
  Round slot{0};
  Digest manifest{};
  friend bool operator==(const TookSnapshot&, const TookSnapshot&) = default;
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

Bytes encode(const OwnSnapshots& own);
std::optional<OwnSnapshots> decode_own_snapshots(ByteView bytes, std::uint32_t n);
Bytes encode(const WantSnapshots& want);
std::optional<WantSnapshots> decode_want_snapshots(ByteView bytes);

Bytes encode(const TookSnapshot& took);
std::optional<TookSnapshot> decode_took_snapshot(ByteView bytes);

Bytes encode(const SnapshotPart& part);
std::optional<SnapshotPart> decode_want_part(ByteView bytes);
Bytes encode(const GivenPart& given);
std::optional<GivenPart> decode_given_part(ByteView bytes);

}  // namespace thresher::net
