// What a node keeps of its log: the horizon, who decides it, and what it says of what is gone.
#include <algorithm>

#include "../advice.hpp"
#include "../node_impl.hpp"

namespace thresher::net {
namespace {

/// Between two looks at what may go. Unit: microseconds.
constexpr std::uint64_t kLook = 1'000'000;

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
  pruner = std::make_unique<Pruner>(
      *store, chain, committee().size(),
      Pruner::Hooks{[this](std::vector<Persist> records, std::function<void()> done) {
                      writer->durably(std::move(records), std::move(done));
                    },
                    [this](const LogBegin& begin, std::function<void()> done) {
                      loop.post([this, begin, done = std::move(done)] {
                        begins(begin);
                        done();
                      });
                    },
                    [this](const LogBegin& begin, const std::string& why) {
                      loop.post([this, begin, why] {
                        say(why.empty() ? Level::kInfo : Level::kWarning,
                            "the log of '" + options.home + "' begins at position " +
                                std::to_string(begin.length) + " (slot " +
                                std::to_string(begin.slot.value + 1) + "): what was before it is " +
                                (why.empty() ? "gone" : "not given back to the disk: " + why));
                      });
                    }});
}

// The log is needed back to the snapshots that a start may have to use. Of these the newest that
// were read back whole count, and of a snapshot and of a checkpoint only what a quorum certified.
std::optional<Checkpoint> Node::Impl::horizon() const {
  std::uint64_t wanted =
      options.keep_snapshots > 0 ? options.keep_snapshots : std::uint64_t{SnapshotWriter::kKept};
  std::optional<Checkpoint> out;
  for (auto it = whole_snapshots.rbegin(); it != whole_snapshots.rend() && wanted > 0; ++it) {
    const auto certificate = load_certificate(*store, *it, committee().size());
    if (!certificate) continue;
    --wanted;
    out = certificate->checkpoint;
  }
  if (wanted > 0 || !out) return std::nullopt;
  // Who takes over the snapshot needs the log from a little in front of it.
  const std::uint64_t last = out->slot.value - std::min(out->slot.value, engine->window());
  const std::uint64_t most =
      std::min(out->length, ledger.length() - std::min(ledger.length(), options.keep_positions));
  std::vector<Round> slots = own_checkpoint_slots(*store);
  // The last one that leaves enough: lengths rise with the slots.
  const auto leaves_enough = [&](Round slot) {
    const auto own = load_own_checkpoint(*store, slot, committee().size());
    return slot.value <= last && own && own->signed_checkpoint.checkpoint.length <= most;
  };
  auto end = std::partition_point(slots.begin(), slots.end(), leaves_enough);
  while (end != slots.begin()) {
    if (const auto found = load_certificate(*store, *--end, committee().size()))
      return found->checkpoint;
  }
  return std::nullopt;
}

void Node::Impl::prune_when_due() {
  next_prune_us = Loop::now_us() + kLook;
  if (quiet() || log_lacks() || pruner->busy()) return;
  if (const auto to = horizon(); to && to->slot > pruned_to) {
    pruned_to = to->slot;
    whole_snapshots.erase(whole_snapshots.begin(), whole_snapshots.lower_bound(to->slot));
    pruner->take(*to);
  }
}

// On the node's thread: from here on nobody is answered from what is about to go.
void Node::Impl::begins(const LogBegin& begin) {
  reader.begins(begin);
  past_tree.reset();
  if (rotten.empty()) return;
  if (rotten.front().slot <= begin.slot) rot_sync.stop();
  std::erase_if(rotten, [&](const LogEntry& entry) { return entry.slot <= begin.slot; });
  if (!scrubbed || *scrubbed > begin.slot) return;
  scrubbed.reset();
  scrubber->go_on();
}

// Where the logs of the others begin, when all but f of them begin behind the end of the own.
std::optional<Round> Node::Impl::out_of_reach() const {
  std::optional<Round> first;
  std::uint32_t count = 0;
  for (const auto& [peer, begin] : begins_there) {
    if (begin <= ledger.slot()) continue;
    ++count;
    first = std::min(first.value_or(begin), begin);
  }
  return count + committee().at_least(kValidity) >= committee().size() ? first : std::nullopt;
}

void Node::Impl::pruned_there(NodeId peer, Round begins) {
  begins_there[peer] = begins;
  const auto first = out_of_reach();
  if (!first) return;
  if (can_join()) return;  // and does, see watch_joining()
  const std::string what =
      "the log of '" + options.home + "' ends with slot " + std::to_string(ledger.slot().value) +
      ", and those of its peers begin behind slot " + std::to_string(first->value) +
      ", what was before is pruned there: this node cannot get level. Start a peer that keeps more "
      "of its log, if there is one";
  if (complaints.fresh(what, Loop::now_us())) say(Level::kWarning, what);
}

std::string Node::Impl::pruned_too_far() const {
  return "the log of '" + options.home + "' begins at position " +
         std::to_string(reader.begin().length) + ", and no snapshot in '" + options.data +
         "' gives the application's state from there on: put 'snapshots' or 'snapshot' of this "
         "folder back; else move 'data' away and keep it. Then " +
         std::string(kObserve);
}

}  // namespace thresher::net
