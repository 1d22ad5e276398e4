// A multiple of a public point with the proof of it, in 96 bytes: what coins and threshold
// encryption have nodes send. Private to crypto/.
//
//   out.bytes = joined(*prove_dleq(context, secret, element));
//   ProvedPoint share = split(claim.share.bytes);
//   auto whole = combined_point(threshold, claims);           // secret * element
//
// Guarantees nothing about bytes from peers: verify_dleq() does.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "shamir.hpp"
#include "thresher/crypto/dleq.hpp"
#include "thresher/crypto/ristretto_sum.hpp"

namespace thresher::crypto {

struct ProvedPoint {
  RistrettoPoint point{};
  DleqProof proof;
};

inline ProvedPoint split(std::span<const std::byte, 96> bytes) {
  ProvedPoint out;
  std::ranges::copy(bytes.subspan<0, 32>(), out.point.begin());
  std::ranges::copy(bytes.subspan<32, 32>(), out.proof.challenge.begin());
  std::ranges::copy(bytes.subspan<64, 32>(), out.proof.response.begin());
  return out;
}

inline std::array<std::byte, 96> joined(const DleqEvaluation& made) {
  std::array<std::byte, 96> out{};
  auto at = std::ranges::copy(made.statement.evaluated, out.begin()).out;
  at = std::ranges::copy(made.proof.challenge, at).out;
  std::ranges::copy(made.proof.response, at);
  return out;
}

/// The point at `at` of the polynomial that goes through those of `nodes`. Empty when a node is
/// named twice, an encoding is not canonical, or it is the identity: no honest shares give that.
inline std::optional<RistrettoPoint> interpolate(std::span<const NodeId> nodes,
                                                 std::span<const RistrettoPoint> points,
                                                 const RistrettoScalar& at) {
  const auto weights = shamir::lagrange_weights(nodes, at);
  auto sum = weights ? ristretto_sum(*weights, points) : std::nullopt;
  if (sum == RistrettoPoint{}) sum.reset();
  return sum;
}

/// The shared secret's multiple, of the first `threshold` distinct nodes. Empty with fewer. Pre:
/// every share was verified.
template <class Claim>
std::optional<RistrettoPoint> combined_point(std::uint32_t threshold,
                                             std::span<const Claim> claims) {
  std::vector<NodeId> nodes;
  std::vector<RistrettoPoint> points;
  for (const Claim& claim : claims) {
    if (nodes.size() == threshold) break;
    if (std::ranges::find(nodes, claim.from) != nodes.end()) continue;
    nodes.push_back(claim.from);
    points.push_back(split(claim.share.bytes).point);
  }
  if (nodes.size() < threshold) return std::nullopt;
  return interpolate(nodes, points, shamir::number(0));
}

}  // namespace thresher::crypto
