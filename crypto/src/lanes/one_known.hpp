// One signature of a known key, by scalar arithmetic over the tables of the lane engines. Private
// to crypto/.
//
//   Answer answer = verify_one_known(job, *table, comb_table(Form::kUnsigned));
//
// Guarantees: the answer of Engine::verify_known. Alone in a vector a signature takes as long as
// eight do, and longer than this (docs/performance/verify.md).
#pragma once

#include "job.hpp"

namespace thresher::crypto::lanes {

/// Pre: both tables are of Form::kUnsigned; `key` is of the job's key.
Answer verify_one_known(const Job& job, const KeyTable& key, const CombTable& base);

}  // namespace thresher::crypto::lanes
