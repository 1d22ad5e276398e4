// The BatchVerifier of random linear combinations. Private to crypto/.
#pragma once

#include "individual.hpp"

namespace thresher::crypto::lanes {

/// How the sum of a combination is computed; kAuto: whichever is faster for its size.
enum class SumMethod : std::uint8_t { kAuto, kStraus, kPippenger };

/// Every verdict is that of the individual check, but for an error of 2^-128 a batch.
std::unique_ptr<BatchVerifier> make_combining(std::string_view name, const Engine& engine,
                                              SumMethod method);

}  // namespace thresher::crypto::lanes
