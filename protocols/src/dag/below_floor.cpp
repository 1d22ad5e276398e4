#include "below_floor.hpp"

#include "thresher/protocols/dag/policy.hpp"

namespace thresher::dag {
namespace {

Attic<BlockPtr> attic_of(const Config& config) {
  const Policy& policy = *config.rules.policy;
  return Attic<BlockPtr>(policy.kept_below_floor(config.host_fetches_beyond, config.gc_depth));
}

}  // namespace

BelowFloor::BelowFloor(const Config& config, const Whereabouts& where, const Records& records,
                       PayloadRoom& payloads, Showing& showing, const BelowFloor* like)
    : config_(config),
      where_(where),
      records_(records),
      payloads_(payloads),
      showing_(showing),
      attic_(like != nullptr ? like->attic_ : attic_of(config)) {}

// F1, F3. An accepted block may be named, so others need it, and its charge lasts as long as it
// does.
void BelowFloor::take(const Entry& entry) {
  payloads_.leaves_store(entry);
  if (!entry.accepted) return;
  const bool slim = config_.evict_delivered && !entry.block->payload.bytes.empty();
  attic_.keep(slim ? header_alone(entry.block) : entry.block);
}

// F1: M rounds below the floor a block goes for good.
void BelowFloor::raise(Round floor, Fx& fx) {
  attic_.raise(floor, [&](const BlockPtr& block) {
    payloads_.forget_twin(*block);
    showing_.forget(block->edge());
    erase_record(block, fx);
  });
}

void BelowFloor::begin_at(Round floor) {
  attic_.raise(floor, [](const BlockPtr&) {});
}

void BelowFloor::erase_record(const BlockPtr& block, Fx& fx) const {
  if (where_.own() && block->digest == where_.own()->digest) return;
  records_.erase(block->author() == config_.self ? kOwn : kBlock, *block, fx);
}

// A record at or below the floor. Further down than the attic it was erased before the crash, or
// was about to be.
bool BelowFloor::restore(const BlockPtr& block, Fx& fx) {
  const Edge edge = block->edge();
  if (edge.round <= attic_.bottom()) {
    erase_record(block, fx);
    return false;
  }
  if (attic_.find(edge.round, edge.author, edge.digest)) return false;
  attic_.keep(config_.evict_delivered ? header_alone(block) : block);
  return true;
}

}  // namespace thresher::dag
