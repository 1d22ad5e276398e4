// What a node gives of its snapshots to members that take their state from it.
#include "life/log_tree.hpp"
#include "node/snapshotting.hpp"
#include "thresher/net/codec.hpp"

namespace thresher::net {

bool Snapshotting::frame(NodeId from, const Frame& f) {
  if (f.kind == kWantSnapshots) {
    const auto want = decode_want_snapshots(f.control.view());
    if (want) giver_.hear(from, *want);
    return want.has_value();
  }
  if (f.kind == kWantPart) {
    const auto part = decode_want_part(f.control.view());
    if (!part) return false;
    giver_.want(from, *part);
    giving_parts_.go_on();
    return true;
  }
  return false;
}

SnapshotGiver::Hooks Snapshotting::giver_hooks() {
  return {
      [this](NodeId to, const Frame& f) { return node_.transport.send(to.value, f); },
      [this](Round slot) { return load_certificate(*node_.store, slot, node_.committee().size()); },
      [this](Round slot) { return retention_.stays(slot, node_.reader.begin().slot); },
      [this] { return node_.ledger.slot(); },
      [this] { return schedule_.pace().grid(); },
      [this] {
        return SnapshotHolds::Now{Loop::now_us(), node_.store->written()};
      },
      [this](NodeId who, Round slot) {
        node_.say(Level::kInfo, "keeps the snapshot of slot " + std::to_string(slot.value) +
                                    " and the log behind it for node " + std::to_string(who.value) +
                                    ", which takes its state from it");
      }};
}

}  // namespace thresher::net
