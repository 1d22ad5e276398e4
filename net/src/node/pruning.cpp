// What a node keeps of its log: the horizon, who decides it, and what it says of what is gone.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "files/advice.hpp"
#include "node/snapshotting.hpp"

namespace thresher::net {
namespace {

/// Between two looks at what may go. Unit: microseconds.
constexpr std::uint64_t kLookEvery = 1'000'000;
/// After a start, members that take their state from this node say so again before it prunes.
constexpr std::uint64_t kFirstLook = 3'000'000;

}  // namespace

void Snapshotting::begin_pruning() {
  if (!node_.options.prunes() || node_.options.store == StoreKind::kMemory) return;
  if (!writer_) {
    return node_.say(
        Level::kWarning,
        "the log of '" + node_.options.home +
            "' is not pruned, though its configuration asks for it: that takes checkpoints "
            "(`checkpoint` in the genesis file is " +
            std::to_string(node_.checkpoint_every) +
            ") and snapshots (snapshots.checkpoints in node.toml is " +
            std::to_string(node_.options.snapshot_checkpoints) + ")");
  }
  next_prune_us_ = Loop::now_us() + kFirstLook;
  pruner_ = std::make_unique<Pruner>(
      *node_.store, node_.log_form,
      Pruner::Hooks{[this](std::vector<Persist> records, std::function<void()> done) {
                      node_.writer->durably(std::move(records), std::move(done));
                    },
                    [this](const LogBegin& begin, std::function<void()> done) {
                      node_.loop.post([this, begin, done = std::move(done)] {
                        begins(begin);
                        done();
                      });
                    },
                    [this](const LogBegin& begin, const Result<std::uint64_t, Error>& freed) {
                      node_.loop.post([this, begin, freed] { say_begins(begin, freed); });
                    }});
}

void Snapshotting::say_begins(const LogBegin& begin, const Result<std::uint64_t, Error>& freed) {
  const std::string gone = !freed       ? "not given back to the disk: " + freed.error().text()
                           : *freed > 0 ? "gone"
                                        : "not read any more, but still on the disk";
  node_.say(freed ? Level::kInfo : Level::kWarning,
            "the log of '" + node_.options.home + "' begins at position " +
                std::to_string(begin.length) + " (slot " + std::to_string(begin.slot.value + 1) +
                "): what was before it is " + gone);
}

void Snapshotting::prune_when_due() {
  next_prune_us_ = Loop::now_us() + kLookEvery;
  look_at_holds();
  if (!pruner_ || !hooks_.may_prune()) return;
  // The log of a node that takes its state from peers is about to begin elsewhere.
  if (!retention_.look() || hooks_.joins() || pruner_->busy()) return;
  if (const auto to = retention_.next(node_.ledger.length())) pruner_->take(*to);
}

void Snapshotting::look_at_holds() {
  for (const SnapshotHolds::Ended& e : holds_.look({Loop::now_us(), node_.store->written()}))
    say_ended(e);
}

void Snapshotting::say_ended(const SnapshotHolds::Ended& e) {
  const std::string who = "node " + std::to_string(e.who.value);
  const std::string what = "the snapshot of slot " + std::to_string(e.slot.value);
  if (e.why.empty()) {
    return node_.say(Level::kInfo,
                     "keeps " + what + " no more for " + who + ", which asks for nothing new");
  }
  node_.say(Level::kWarning,
            who + " takes its state from here and was not done in time: " + e.why + ". So " + what +
                " and the log behind it are not kept for it any more, and it may have to begin "
                "again; ask its operator what holds it up, or raise retention.hold_bytes");
}

// A member takes its state from here, and fetches the log behind it: what it asks about would be
// gone if nothing held it, or may be before it is level. Nodes that are level ask too, each second,
// but about the end of the log.
void Snapshotting::asked_log(NodeId from, Round slot) {
  const bool far_behind = slot.value + node_.options.sync_rounds < node_.ledger.slot().value;
  if (far_behind || slot < retention_.prunable()) holds_.asked_log(from, slot, Loop::now_us());
}

// On the node's thread: from here on nobody is answered from what is about to go.
void Snapshotting::begins(const LogBegin& begin) {
  node_.reader.begins(begin);
  checkpointing_.log_begins();
  hooks_.begins(begin);
}

}  // namespace thresher::net
