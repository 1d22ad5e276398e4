// What a node keeps of its log: the horizon, who decides it, and what it says of what is gone.

#include "files/advice.hpp"
#include "node/impl.hpp"

namespace thresher::net {
namespace {

/// Between two looks at what may go. Unit: microseconds.
constexpr std::uint64_t kLookEvery = 1'000'000;
/// After a start, members that take their state from this node say so again before it prunes.
constexpr std::uint64_t kFirstLook = 3'000'000;

}  // namespace

void Node::Impl::start_pruning() {
  if (!options.prunes() || options.store == StoreKind::kMemory) return;
  if (!snapshots) {
    return say(Level::kWarning,
               "the log of '" + options.home +
                   "' is not pruned, though its configuration asks for it: that takes checkpoints "
                   "(`checkpoint` in the genesis file is " +
                   std::to_string(checkpoint_every) +
                   ") and snapshots (snapshots.checkpoints in node.toml is " +
                   std::to_string(options.snapshot_checkpoints) + ")");
  }
  next_prune_us = Loop::now_us() + kFirstLook;
  pruner = std::make_unique<Pruner>(
      *store, log_form,
      Pruner::Hooks{[this](std::vector<Persist> records, std::function<void()> done) {
                      writer->durably(std::move(records), std::move(done));
                    },
                    [this](const LogBegin& begin, std::function<void()> done) {
                      loop.post([this, begin, done = std::move(done)] {
                        begins(begin);
                        done();
                      });
                    },
                    [this](const LogBegin& begin, const Result<std::uint64_t, Error>& freed) {
                      loop.post([this, begin, freed] {
                        say(freed ? Level::kInfo : Level::kWarning,
                            "the log of '" + options.home + "' begins at position " +
                                std::to_string(begin.length) + " (slot " +
                                std::to_string(begin.slot.value + 1) + "): what was before it is " +
                                (!freed ? "not given back to the disk: " + freed.error().text()
                                 : *freed > 0 ? "gone"
                                              : "not read any more, but still on the disk"));
                      });
                    }});
}

void Node::Impl::prune_when_due() {
  next_prune_us = Loop::now_us() + kLookEvery;
  look_at_holds();
  if (!pruner || quiet() || log_lacks()) return;
  // The log of a node that takes its state from peers is about to begin elsewhere.
  if (!retention.look() || joining.runs() || pruner->busy()) return;
  if (const auto to = retention.next(ledger.length())) pruner->take(*to);
}

void Node::Impl::look_at_holds() {
  for (const SnapshotHolds::Ended& e : holds.look({Loop::now_us(), store->written()})) {
    const std::string who = "node " + std::to_string(e.who.value);
    const std::string what = "the snapshot of slot " + std::to_string(e.slot.value);
    if (e.why.empty()) {
      say(Level::kInfo, "keeps " + what + " no more for " + who + ", which asks for nothing new");
      continue;
    }
    say(Level::kWarning,
        who + " takes its state from here and was not done in time: " + e.why + ". So " + what +
            " and the log behind it are not kept for it any more, and it may have to begin again; "
            "ask its operator what holds it up, or raise retention.hold_bytes");
  }
}

// A member takes its state from here, and fetches the log behind it: what it asks about would be
// gone if nothing held it, or may be before it is level. Nodes that are level ask too, each second,
// but about the end of the log.
void Node::Impl::note_log_question(NodeId from, Round slot) {
  const bool far_behind = slot.value + options.sync_rounds < ledger.slot().value;
  if (far_behind || slot < retention.prunable()) holds.asked_log(from, slot, Loop::now_us());
}

// On the node's thread: from here on nobody is answered from what is about to go.
void Node::Impl::begins(const LogBegin& begin) {
  reader.begins(begin);
  checkpointing.log_begins();
  clients.log_begins();
  rot.begins(begin.slot);
}

}  // namespace thresher::net
