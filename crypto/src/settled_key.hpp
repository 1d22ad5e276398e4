// A key of dealings that all agreed on: public keys, points and shares. Private to crypto/.
//
//   auto key = dkg::settled_key(setup, self, secret, chosen, shares);
//
// Guarantees: those of SettledKey; everything public is computed once, when it is made.
#pragma once

#include "dkg_parts.hpp"

namespace thresher::crypto::dkg {

/// `count` scalars of 32 bytes each, zeros included; empty when the bytes are no such.
std::optional<std::vector<Scalar>> scalars_of(ByteView bytes, std::size_t count);
/// The shares at `node`'s place of what others revealed of a dealing, by secret. Empty with fewer
/// than f+1 distinct nodes. Pre: each was checked.
std::optional<std::vector<Scalar>> interpolated(std::span<const Contribution> revealed,
                                                const DkgShape& shape, NodeId node);

/// `shares`: this node's, by dealer and secret. Null when too few dealings are given or one twice.
std::shared_ptr<const SettledKey> settled_key(const DkgSetup& setup, NodeId self,
                                              const Secret<RistrettoScalar>& key,
                                              std::span<const ChosenDealing> chosen,
                                              std::vector<Secret<RistrettoScalar>> shares);

}  // namespace thresher::crypto::dkg
