// What the models share: times of experiment files as delays, and payloads that hosts submit.
//
//   config.timeout = units(experiment, parameter(experiment, "timeout", 8));
//
// Models are demonstrations: they run in the simulator only, and their messages have no codec.
#pragma once

#include <algorithm>

#include "registry.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/sim/experiment.hpp"
#include "thresher/sim/outcome.hpp"

namespace thresher::sim {

/// What a client hands to a model.
struct ModelRequest {
  Bytes payload;
};

/// `count` rounds or milliseconds as a protocol's delay, which counts in Delta.
inline Delay units(Ticks delta, std::uint64_t count) {
  return {std::max<Ticks>(1, count * kUnit * 1000 / std::max<Ticks>(delta, 1))};
}
inline Delay units(const Experiment& e, std::int64_t count) {
  return units(e.network.delta, static_cast<std::uint64_t>(count));
}

/// The share `part` of `whole`; 0 of nothing.
inline double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

inline std::uint64_t number_in(const Bytes& record) {
  return Reader(record.view()).u64();
}
inline Bytes record_of(std::uint64_t number) {
  Writer w;
  w.u64(number);
  return Bytes::from(w.take());
}

}  // namespace thresher::sim
