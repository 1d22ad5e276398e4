// Scalars modulo the group order L: the range check of s, and the challenge k. Private to crypto/.
#pragma once

#include <array>
#include <span>

#include "thresher/crypto/verifier.hpp"

namespace thresher::crypto::ed25519 {

/// s < L, by comparison.
bool below_order(std::span<const std::byte, 32> s);
/// SHA-512(R || A || M) mod L over the bytes as they came.
std::array<std::byte, 32> challenge(const SignatureJob& job);
/// The same for many at once, with vector instructions where they are. Pre: equal sizes.
void challenges(std::span<const SignatureJob> jobs, std::span<std::array<std::byte, 32>> out);

}  // namespace thresher::crypto::ed25519
