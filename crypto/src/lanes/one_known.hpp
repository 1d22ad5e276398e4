// One signature of a known key, by scalar arithmetic over the tables of the lane engines. Private
// to crypto/.
//
//   Answer answer = verify_one_known(job, *table, Form::kUnsigned);
//
// Guarantees: the answer of Engine::verify_known. Alone in a vector a signature takes as long as
// eight (AVX2: four) do, and longer than this (docs/performance/verify.md).
#pragma once

#include "job.hpp"

namespace thresher::crypto::lanes {

/// Pre: `key` is of the job's key, and of the form.
Answer verify_one_known(const Job& job, const KeyTable& key, Form form);

}  // namespace thresher::crypto::lanes
