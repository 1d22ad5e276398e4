// Campaigns of agreements on payloads, whichever broadcast the payloads travel by.
//
//   play("mvba", promised(), options_over("mvba", "avid", 60));
#pragma once

#include <string>
#include <vector>

#include "../../campaigns.hpp"

namespace thresher {

inline const std::vector<testing::Property>& promised() {
  static const std::vector<testing::Property> all{testing::agreement(), testing::integrity(),
                                                  testing::validity(), testing::totality(),
                                                  testing::bounded_liveness()};
  return all;
}

/// An open load in which liars speak more often than others.
inline testing::Options options_over(const char* protocol, const std::string& broadcast,
                                     std::uint64_t runs) {
  testing::Options o = campaign(runs, {4, 5, 6, 7, 9});
  o.base.parameters["broadcast"] = broadcast;
  o.base.workload = {.kind = sim::Workload::Kind::kOpen,
                     .interval = 10 * sim::kUnit,
                     .liars_interval = 3 * sim::kUnit};
  o.base.stop.time = 60 * sim::kUnit;
  o.menu = sim::menu_of(protocol);
  return o;
}

}  // namespace thresher
