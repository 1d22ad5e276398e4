// Every total order on one workload and one network, so that their figures can stand in one table.
//
//   for (const sim::ProtocolInfo* p : total_orders()) {
//     OrderRow row = measure_order(*p, {.n = 16, .faults = OrderFaults::kSilent});
//   }
//
// The workload is closed: two requests of 256 bytes of each node in flight. On the simple network
// each message takes one delay and the protocols are told that Delta is two. Over regions it takes
// half of the round trip, Delta is 200 ms, and one request at a time is in flight, at the leader
// where there is one: what is measured is how long a proposal takes. Figures are of a run of fixed
// length from an empty network, so they hold its first delays as well.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "thresher/sim/outcome.hpp"

namespace thresher::cli {

enum class OrderFaults : std::uint8_t { kNone, kSilent, kTwins };
std::string to_string(OrderFaults faults);

struct OrderSetting {
  std::uint32_t n = 4;
  OrderFaults faults = OrderFaults::kNone;
  std::uint64_t rounds = 200;  ///< of the simple network
  std::string wan{};           ///< a table of round trips in place of it, n its regions
};

struct OrderRow {
  std::string protocol;
  OrderSetting setting;
  std::uint32_t f = 0;
  std::string verdict{};      ///< "Pass", else what went wrong
  std::uint64_t ordered = 0;  ///< requests that came back to their submitter
  double median = 0;          ///< delays, or milliseconds over regions
  double last = 0;            ///< the 99th percentile of the same
  double messages = 0;        ///< of all nodes, for each request
  double bytes = 0;           ///< likewise
  double signatures = 0;      ///< verified, of all nodes, for each request
  double cpu_us = 0;          ///< of all nodes without signatures, for each request
  double throughput = 0;      ///< requests a delay, or a second over regions
};

/// Those whose output is one sequence, by name.
std::vector<const sim::ProtocolInfo*> total_orders();
/// Whether the protocol is meant for such nodes.
bool bears(const sim::ProtocolInfo& protocol, OrderFaults faults);
/// Pre: bears(), and the committee is large enough.
OrderRow measure_order(const sim::ProtocolInfo& protocol, const OrderSetting& setting);

}  // namespace thresher::cli
