// What must fit together in an experiment, and defaults that follow from other keys. Each check
// reports to the fields it is given and changes nothing that the file says.
#pragma once

#include <string>
#include <vector>

#include "fields.hpp"

namespace thresher::sim {

void check_committee(Fields& fields, const Experiment& e, const ProtocolInfo& info);
/// Fills in bounds and mean as the law has them.
void settle_law(Fields& fields, DelayLaw& law);
void check_topology(Fields& fields, const Network& net, std::uint32_t n);
void check_partition(Fields& fields, const Partition& partition, Engine engine);
/// Twice the longest that a message takes all its way, over the hops of a sparse topology. Pre: the
/// network fits the committee.
Ticks standard_delta(const Experiment& e);
/// The same, and not below the one of an experiment that says nothing: what an absent `delta` is.
Ticks delta_of(const Experiment& e);
/// Bursts, and payloads of many requests.
void check_packing(Fields& fields, const Workload& load, const ProtocolInfo* info);
/// Requests that the protocol would refuse, all of them, would make a run in which nothing happens.
void check_payload(Fields& fields, const Experiment& e, const ProtocolInfo& info);
/// `e`: of its engine alone.
void check_fault(Fields& fields, const FaultAction& fault, const ProtocolInfo* info,
                 const Experiment& e, Ticks delay, std::uint64_t copies);
void check_fault_count(Fields& fields, const Experiment& e);

}  // namespace thresher::sim
