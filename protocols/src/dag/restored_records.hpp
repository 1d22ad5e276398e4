// What a node keeps of the records that its host reads, until it makes use of them: blocks, and
// commits with who leads after the last of them (chassis/restored_records.hpp).
#pragma once

#include "../chassis/restored_records.hpp"
#include "schedule.hpp"

namespace thresher::dag {

struct RestoredBlock {
  BlockPtr block;
  bool vouched;  ///< it came with the log of peers

  Round round() const { return block->round(); }
};
using RestoredRecords = chassis::RestoredRecords<RestoredBlock, Schedule>;

}  // namespace thresher::dag
