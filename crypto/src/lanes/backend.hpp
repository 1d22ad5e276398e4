// BatchVerifiers over a lane engine. Private to crypto/.
#pragma once

#include <memory>
#include <string_view>

#include "job.hpp"
#include "thresher/crypto/verifier.hpp"

namespace thresher::crypto::lanes {

/// One signature a lane; registered keys from their tables.
std::unique_ptr<BatchVerifier> make_individual(std::string_view name, const Engine& engine);
/// Random linear combinations of many signatures, and the individual verdicts of those groups whose
/// sum is not zero.
std::unique_ptr<BatchVerifier> make_combining(const Engine& engine);

}  // namespace thresher::crypto::lanes
