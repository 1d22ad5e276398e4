// What a node keeps of the records that its host reads, until it makes use of them: vertices, and
// commits with who leads after the last of them (chassis/restored_records.hpp).
#pragma once

#include "../chassis/restored_records.hpp"
#include "thresher/protocols/certified/leaders.hpp"

namespace thresher::certified {

/// A vertex of a record. The log has no references, so they may be missing.
struct Logged {
  VertexPtr vertex;
  Round slot{0};  ///< of the commit of the fetched log that delivered it; 0: none

  Round round() const { return vertex->round(); }
};
using RestoredRecords = chassis::RestoredRecords<Logged, Leaders>;

}  // namespace thresher::certified
