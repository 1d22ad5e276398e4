// What a node gives of its snapshots to members that take their state from it.
#include "node/impl.hpp"
#include "thresher/net/codec.hpp"

namespace thresher::net {

bool Node::Impl::snapshot_frame(NodeId from, const Frame& f) {
  if (f.kind == kWantSnapshots) {
    const auto want = decode_want_snapshots(f.control.view());
    if (want) snapshot_giver.hear(from, *want);
    return want.has_value();
  }
  if (f.kind == kWantPart) {
    const auto part = decode_want_part(f.control.view());
    if (!part) return false;
    snapshot_giver.want(from, *part);
    giving_parts.go_on();
    return true;
  }
  return joining.frame(from, f);
}

SnapshotGiver::Hooks Node::Impl::giver_hooks() {
  return {[this](NodeId to, const Frame& f) { return transport.send(to.value, f); },
          [this](Round slot) { return load_certificate(*store, slot, committee().size()); },
          [this](Round slot) { return retention.stays(slot, reader.begin().slot); },
          [this] { return ledger.slot(); },
          [this] { return schedule.pace().grid(); },
          [this] {
            return SnapshotHolds::Now{Loop::now_us(), store->written()};
          },
          [this](NodeId who, Round slot) {
            say(Level::kInfo, "keeps the snapshot of slot " + std::to_string(slot.value) +
                                  " and the log behind it for node " + std::to_string(who.value) +
                                  ", which takes its state from it");
          }};
}

}  // namespace thresher::net
