// What dealings are made of: their bytes, the pads that seal shares, and by what each dealt secret
// enters the key. Private to crypto/.
//
//   const DkgShape shape(setup);
//   DealingView d(shape, bytes);   d.commitments(secret);  d.sealed(node, secret);
//
// Guarantees: none but arithmetic; dkg.hpp says what it adds up to.
#pragma once

#include <vector>

#include "shamir.hpp"
#include "thresher/crypto/dkg.hpp"

namespace thresher::crypto::dkg {

using shamir::Scalar;

/// The numbers that follow from a setup.
struct DkgShape {
  explicit DkgShape(const DkgSetup& setup);

  std::uint32_t n = 0;
  std::uint32_t coefficients = 0;  ///< of a dealt polynomial: f+1
  std::uint32_t threshold = 0;
  std::uint32_t dealers = 0;
  std::uint32_t enough = 0;   ///< dealings of which at least `rows` are by correct dealers
  std::uint32_t rows = 0;     ///< secrets extracted from one secret of each dealer
  std::uint32_t secrets = 0;  ///< of a dealing
  bool keeps = false;         ///< the first secret is a share of an old key

  std::size_t bytes() const;
  /// Which coefficient of the key's polynomial row `row` of batch `secret` is. With `keeps` the
  /// first batch is coefficient 0 alone.
  std::uint32_t index(std::uint32_t secret, std::uint32_t row) const;
  std::uint32_t rows_of(std::uint32_t secret) const;
};

/// The session: what every hash of a run is bound to.
Digest session_of(const DkgSetup& setup);

/// Two nodes' common point, secret to them.
using SharedPoint = Secret<RistrettoPoint>;
/// Empty when the public half is not valid.
std::optional<SharedPoint> shared_point(const Scalar& secret, const RistrettoPoint& key);

enum class Pad : std::uint8_t { kShare = 1, kPoint = 2 };
/// The pad that hides a scalar on its way from one node to another: added once.
struct PadName {
  Digest session;
  Pad kind = Pad::kShare;
  NodeId from;
  NodeId to;
  std::uint32_t index = 0;
};
Scalar pad_of(const PadName& name, const RistrettoPoint& shared);

/// A dealing's bytes: ephemeral key, its proof, commitments by secret and power, sealed shares by
/// node and secret.
class DealingView {
 public:
  /// Pre: as many bytes as the shape's.
  DealingView(const DkgShape& shape, ByteView bytes) : shape_(&shape), bytes_(bytes) {}
  RistrettoPoint ephemeral() const { return item(0); }
  /// Parts of the proof: the point, challenge and response.
  RistrettoPoint proof(std::size_t part) const { return item(1 + part); }
  RistrettoPoint commitment(std::uint32_t secret, std::uint32_t power) const {
    return item(kHead + secret * shape_->coefficients + power);
  }
  std::vector<RistrettoPoint> commitments(std::uint32_t secret) const;
  Scalar sealed(NodeId node, std::uint32_t secret) const {
    return item(kHead + shape_->secrets * (shape_->coefficients + std::size_t{node.value}) +
                secret);
  }
  static constexpr std::size_t kHead = 4;

 private:
  RistrettoPoint item(std::size_t at) const;

  const DkgShape* shape_;
  ByteView bytes_;
};

/// Whether `share` is the value at a node's place of the polynomial with these commitments.
bool fits(const Scalar& share, NodeId node, std::span<const RistrettoPoint> commitments);

/// By what each secret of each dealer enters the key polynomial's value at `at`, by dealer and
/// secret. `old_weights`: with `keeps`, by what old shares enter the old key, by dealer.
std::vector<Scalar> weights_at(const DkgShape& shape, std::span<const NodeId> dealers,
                               std::span<const Scalar> old_weights, const Scalar& at);

}  // namespace thresher::crypto::dkg
