// What a node keeps of its log: the horizon, who decides it, and what it says of what is gone.
#include <algorithm>

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
                    [this](const LogBegin& begin, const Result<Unit, Error>& released) {
                      loop.post([this, begin, released] {
                        say(released ? Level::kInfo : Level::kWarning,
                            "the log of '" + options.home + "' begins at position " +
                                std::to_string(begin.length) + " (slot " +
                                std::to_string(begin.slot.value + 1) + "): what was before it is " +
                                (released
                                     ? "gone"
                                     : "not given back to the disk: " + released.error().text()));
                      });
                    }});
}

// The log is needed back to the snapshots that a start may have to use. The newest of these that
// were read back whole count, and snapshots and checkpoints only if a quorum certified them.
std::optional<Checkpoint> Node::Impl::oldest_needed() const {
  std::uint64_t wanted =
      options.keep_snapshots > 0 ? options.keep_snapshots : std::uint64_t{SnapshotWriter::kKept};
  std::optional<Checkpoint> out;
  for (auto it = whole_snapshots.rbegin(); it != whole_snapshots.rend() && wanted > 0; ++it) {
    const auto certificate = load_certificate(*store, *it, committee().size());
    if (!certificate) continue;
    --wanted;
    out = certificate->checkpoint;
  }
  return wanted > 0 ? std::nullopt : out;
}

// A node that takes over a snapshot needs the log from a little in front of it.
Round Node::Impl::log_before(Round snapshot) const {
  return Round{snapshot.value - std::min(snapshot.value, engine->window())};
}

// What members hold stays too.
std::optional<Checkpoint> Node::Impl::horizon(const Checkpoint& needed) const {
  Round last = log_before(needed.slot);
  if (const auto held = holds.oldest()) last = std::min(last, log_before(*held));
  const std::uint64_t most =
      std::min(needed.length, ledger.length() - std::min(ledger.length(), options.keep_positions));
  std::vector<Round> slots = own_checkpoint_slots(*store);
  // The last one that leaves enough: lengths rise with the slots.
  const auto leaves_enough = [&](Round slot) {
    const auto own = load_own_checkpoint(*store, slot, committee().size());
    return slot <= last && own && own->signed_checkpoint.checkpoint.length <= most;
  };
  auto end = std::partition_point(slots.begin(), slots.end(), leaves_enough);
  while (end != slots.begin()) {
    if (const auto found = load_certificate(*store, *--end, committee().size()))
      return found->checkpoint;
  }
  return std::nullopt;
}

void Node::Impl::prune_when_due() {
  next_prune_us = Loop::now_us() + kLookEvery;
  look_at_holds();
  if (!pruner || quiet() || log_lacks()) return;
  const auto needed = oldest_needed();
  if (!needed) return;
  prunable = log_before(needed->slot);
  // The log of a node that takes its state from peers is about to begin elsewhere.
  if (joining || pruner->busy()) return;
  if (const auto to = horizon(*needed); to && to->slot > pruned_to) {
    pruned_to = to->slot;
    whole_snapshots.erase(whole_snapshots.begin(), whole_snapshots.lower_bound(to->slot));
    pruner->take(*to);
  }
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
  if (far_behind || slot < prunable) holds.asked_log(from, slot, Loop::now_us());
}

// On the node's thread: from here on nobody is answered from what is about to go.
void Node::Impl::begins(const LogBegin& begin) {
  reader.begins(begin);
  own_tree.forget();
  trees.forget();
  proofs.forget();
  rot.begins(begin.slot);
}

void Node::Impl::pruned_there(NodeId peer, Round begins) {
  out_of_reach.begins(peer, begins);
  const auto first = out_of_reach.beyond(ledger.slot());
  if (!first) return;
  if (can_join()) return;  // and does, see watch_joining()
  const std::string what =
      "the log of '" + options.home + "' ends with slot " + std::to_string(ledger.slot().value) +
      ", and those of its peers begin behind slot " + std::to_string(first->value) +
      ", what was before is pruned there: this node cannot get level. Start a peer that keeps more "
      "of its log, if there is one";
  if (complaints.fresh(what, Loop::now_us())) say(Level::kWarning, what);
}

Error Node::Impl::pruned_too_far() const {
  return {ErrorCode::kMissing,
          "the log of '" + options.home + "' begins at position " +
              std::to_string(reader.begin().length) + ", and no snapshot in '" + options.data +
              "' gives the application's state from there on: put 'snapshots' or 'snapshot' of "
              "this folder back; else move 'data' away and keep it. Then " +
              std::string(kObserve),
          options.data};
}

}  // namespace thresher::net
