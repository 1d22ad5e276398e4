// The arithmetic of verifiable secret sharing behind one interface: what a dealer says of the
// secret of an instance, and what the nodes tell each other about it.
//
//   Bytes all = *scheme.commitment(7);                        // broadcast it
//   send(to, scheme.row(7, to));                              // on a private link
//   auto sharing = scheme.open(7, dealer, commitment);        // null: malformed
//   if (sharing->check_row(row)) send(to, sharing->point(row, to));
//   Digest secret = *sharing->secret(shares);
//
// A row is what the dealer owes a node. A point is what a node with a row owes another one: enough
// of them make that one's row. A share is what a node with a row shows to open the secret.
// Guarantees, of every implementation: functions of their arguments and the node's seed, so that a
// restarted node says the same again; of one commitment each node has one row at most that passes,
// each two nodes one point, and all openings give one secret. How the secret is hidden, each
// implementation says. Protocols know verifiable sharing by this header alone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "thresher/core/hash.hpp"
#include "thresher/crypto/contribution.hpp"

namespace thresher::crypto {

/// One dealer's secret of one instance, of which everybody knows the commitment.
class Sharing {
 public:
  virtual ~Sharing() = default;
  /// Whether the row is this node's. Pre, of every check: none; anybody may have made the bytes.
  virtual bool check_row(ByteView row) const = 0;
  /// What this node owes `to`. Pre: check_row(row).
  virtual Bytes point(ByteView row, NodeId to) const = 0;
  /// Whether the point is what `from` owes this node.
  virtual bool check_point(NodeId from, ByteView point) const = 0;
  /// This node's row. Empty with fewer than SharingScheme::enough() points of distinct nodes. Pre:
  /// each was checked.
  virtual std::optional<Bytes> row_of(std::span<const Contribution> points) const = 0;
  /// What this node shows to open the secret. Pre: check_row(row).
  virtual Bytes share(ByteView row) const = 0;
  virtual bool check_share(NodeId from, ByteView share) const = 0;
  /// A hash of the secret. Empty with fewer than SharingScheme::enough() shares of distinct nodes.
  /// Pre: each was checked.
  virtual std::optional<Digest> secret(std::span<const Contribution> shares) const = 0;
};

class SharingScheme {
 public:
  virtual ~SharingScheme() = default;
  /// What this node tells everybody of its secret of an instance; empty when it deals none.
  virtual std::optional<Bytes> commitment(std::uint64_t instance) const = 0;
  /// What it tells `to` alone. Pre: commitment() is not empty.
  virtual Bytes row(std::uint64_t instance, NodeId to) const = 0;
  /// Null when no dealer's commitment looks like this.
  virtual std::shared_ptr<const Sharing> open(std::uint64_t instance, NodeId dealer,
                                              ByteView commitment) const = 0;

  /// Points that make a row, and shares that make a secret: f+1.
  virtual std::uint32_t enough() const = 0;
  virtual std::size_t commitment_bytes() const = 0;  ///< of every well-formed one
  virtual std::size_t row_bytes() const = 0;         ///< the same of rows
  virtual std::size_t point_bytes() const = 0;       ///< and of points and of shares
};

}  // namespace thresher::crypto
