// What the campaigns over simulated protocols have in common: how many schedules, which kinds of
// them, what is printed, and a run in fair weather.
//
//   harness::Options o = campaign(schedules(120), {4, 5, 6, 7, 8, 9});
//   play("bracha", promised, in_the_events_engine(o));
//
// Each kind has seeds of its own, so that no two of them play the same schedules.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "how_many.hpp"
#include "thresher/testing/check.hpp"

namespace thresher {

/// Of the standard ones a fast test plays a third. THRESHER_SCHEDULES: how many to play, for a
/// longer look than a test has time for.
inline std::uint64_t schedules(std::uint64_t standard) {
  const char* asked = std::getenv("THRESHER_SCHEDULES");
  return asked == nullptr ? how_many((standard + 2) / 3, standard)
                          : std::strtoull(asked, nullptr, 10);
}

/// A protocol's name as GoogleTest takes one.
inline std::string test_name(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

inline testing::Options campaign(std::uint64_t runs, std::vector<std::uint32_t> sizes) {
  testing::Options o;
  o.runs = schedules(runs);
  o.sizes = std::move(sizes);
  o.folder = ::testing::TempDir();
  return o;
}

inline testing::Options in_the_events_engine(testing::Options o) {
  o.first_seed = 100'000;
  o.base.engine = sim::Engine::kEvents;
  return o;
}

/// Lossy before GST, so that nothing arrives unless it is sent again. `gst`: in Delta.
inline testing::Options with_losses(testing::Options o, std::uint64_t gst = 40) {
  o.first_seed = 200'000;
  o.base.network.loss_ppm = 300'000;
  o.base.network.cut_ppm = 200'000;
  o.base.network.gst = gst * sim::kUnit;
  return o;
}

/// What was exercised is printed: a campaign in which no attack fires has shown nothing.
inline void play(const std::string& protocol, const std::vector<testing::Property>& promised,
                 const testing::Options& o) {
  const auto report = testing::check(protocol, sim::simulate, promised, o,
                                     testing::this_test(testing::this_program()));
  EXPECT_TRUE(report.passed) << report.text;
  std::printf("%s: %s\n", protocol.c_str(), report.text.c_str());
}

/// The committee of n nodes with as many faults as the protocol bears, and nothing goes wrong.
inline sim::Experiment fair_weather(const std::string& protocol, std::uint32_t n) {
  sim::Experiment e;
  e.protocol = protocol;
  e.n = n;
  if (const sim::ProtocolInfo* info = sim::simulated_protocol(protocol)) e.f = info->faults_of(n);
  return e;
}

}  // namespace thresher
