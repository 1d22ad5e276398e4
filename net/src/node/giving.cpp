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
  if (f.kind == kTookSnapshot) {
    const auto took = decode_took_snapshot(f.control.view());
    if (!took) return false;
    comparison_.heard(from, *took);
    compare();
    return true;
  }
  return false;
}

// One that nobody can take over is not compared: it has bytes of this node alone.
void Snapshotting::say_written(Round slot) {
  const auto stored = SnapshotFolder(node_.options.data).stored(slot);
  if (!stored) return;
  const TookSnapshot own{slot, digest_of(stored->manifest, node_.chain)};
  comparison_.wrote(own);
  for (std::uint32_t i = 0; i < node_.committee().size(); ++i) {
    if (i != node_.self.value) (void)node_.transport.send(i, {kTookSnapshot, encode(own), {}});
  }
  compare();
}

void Snapshotting::compare() {
  const auto found = comparison_.difference();
  if (!found || !node_.complaints.fresh("snapshots differ", Loop::now_us())) return;
  node_.say(Level::kWarning,
            "the snapshot of slot " + std::to_string(found->slot.value) + " in '" +
                node_.options.data + "' has other bytes than those that " +
                std::to_string(found->peers) +
                " peers wrote of the same checkpoint: a node without the log cannot take its state "
                "from them. The application's freeze() depends on more than its state (the order "
                "of a container, a clock, an address): mend it, and keep the whole log "
                "([retention] of node.toml) until then");
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
      },
      [this](const SnapshotPart& part) {
        const bool ledger = part.file == SnapshotFileName::kLedger;
        const std::string where =
            SnapshotFolder(node_.options.data).path_of(part.slot) + (ledger ? "/ledger" : "/state");
        if (!node_.complaints.fresh(where, Loop::now_us())) return;
        node_.say(Level::kWarning,
                  "'" + where + "' is damaged: its part " + std::to_string(part.index) +
                      " is not what was written, or cannot be read, and is given "
                      "to nobody. Newer snapshots take its place; look at the disk");
      }};
}

}  // namespace thresher::net
