// A node that is behind what its peers keep of the log: it takes the state of a certified snapshot
// from them, and the part of the log that its protocol needs to go on from there. When all is on
// its disk it starts from there, as after any stop. The other side too: what this node gives.
#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include "files/disk_problem.hpp"
#include "node/impl.hpp"
#include "thresher/core/assert.hpp"
#include "thresher/net/codec.hpp"

namespace thresher::net {
namespace {}  // namespace

bool Node::Impl::snapshot_frame(NodeId from, const Frame& f) {
  if (f.kind == kWantSnapshots) {
    const auto want = decode_want_snapshots(f.control.view());
    if (want) hear_wish(from, *want);
    return want.has_value();
  }
  if (f.kind == kWantPart) {
    const auto part = decode_want_part(f.control.view());
    if (!part) return false;
    snapshot_service.want(from, *part);
    giving_parts.go_on();
    return true;
  }
  return !joining || joining->sync.frame(from, f, Loop::now_us());
}

void Node::Impl::hear_wish(NodeId from, const WantSnapshots& want) {
  if (!snapshot_service.may_ask(from, want.takes.has_value())) return;
  if (want.takes) hold_for(from, *want.takes);
  keep_for(from, want.grids);
  const Bytes own = encode(OwnSnapshots{offers(from), pace.grid()});
  (void)transport.send(from.value, {kSnapshots, own, {}});
  if (!giving_parts.waits()) snapshot_service.close();
}

// Whether the log goes on from the snapshot, and would if no member held any of it: only then it is
// anybody's to take. Else members that lie could keep a snapshot by turns.
bool Node::Impl::stays(Round slot) const {
  const Round first = std::max({reader.begin().slot, pruned_to, prunable});
  return first.value == 0 || first <= log_before(slot);
}

// What a quorum certified and the log goes on from. What the member holds comes first: the one that
// it takes has to be among them.
std::vector<SnapshotOffer> Node::Impl::offers(NodeId to) {
  std::vector<SnapshotOffer> out;
  if (!shares_state()) return out;
  std::vector<Round> slots = holds.of(to);
  if (slots.size() == kMostOffers) slots.pop_back();  // a place for the newest
  const std::size_t held = slots.size();
  std::ranges::copy_if(SnapshotFolder(options.data).slots(), std::back_inserter(slots),
                       [this](Round slot) { return stays(slot); });
  std::vector<Round> offered;
  for (std::size_t i = 0; i < slots.size() && out.size() < kMostOffers; ++i) {
    const Round slot = slots[i];
    if (i >= held && std::ranges::find(offered, slot) != offered.end()) continue;
    auto certificate = load_certificate(*store, slot, committee().size());
    const StoredSnapshot* stored = certificate ? snapshot_service.stored(slot) : nullptr;
    if (stored == nullptr || stored->manifest.checkpoint != certificate->checkpoint ||
        stored->encoded.size() > kMostManifest)
      continue;
    out.push_back({std::move(*certificate), digest_of(stored->manifest, chain)});
    offered.push_back(slot);
  }
  holds.offered(to, offered, {Loop::now_us(), store->written()});
  return out;
}

// It may take one that this node does not have: then it needs the log behind it all the same.
void Node::Impl::hold_for(NodeId who, Round slot) {
  const std::vector<Round> own = holds.of(who);
  const bool known = std::ranges::find(own, slot) != own.end();
  if (!shares_state() || (!known && (slot > ledger.slot() || !stays(slot)))) return;
  const StoredSnapshot* stored = snapshot_service.stored(slot);
  const std::uint64_t bytes = stored ? stored->manifest.bytes : 0;
  if (!holds.takes(who, slot, bytes, {Loop::now_us(), store->written()})) return;
  say(Level::kInfo, "keeps the snapshot of slot " + std::to_string(slot.value) +
                        " and the log behind it for node " + std::to_string(who.value) +
                        ", which takes its state from it");
}

// The newest of each grid that are here, or are being written, and that the log goes on from.
void Node::Impl::keep_for(NodeId who, const std::vector<std::uint8_t>& grids) {
  if (!shares_state() || grids.empty()) return;
  const std::vector<Round> own = holds.of(who);
  const std::vector<Round> here = SnapshotFolder(options.data).slots();
  SnapshotHolds::Waited kept{grids, {}, 0};
  for (const std::uint8_t grid : grids) {
    for (const Round slot : holds.newest(grid)) {
      const auto among = [slot](const std::vector<Round>& slots) {
        return std::ranges::find(slots, slot) != slots.end();
      };
      const bool gone = !among(here) && !here.empty() && slot <= here.front();
      if (among(kept.slots) || gone || (!among(own) && !stays(slot))) continue;
      kept.slots.push_back(slot);
      const StoredSnapshot* stored = snapshot_service.stored(slot);
      if (stored != nullptr) kept.bytes = std::max(kept.bytes, stored->manifest.bytes);
    }
  }
  holds.waits(who, std::move(kept), {Loop::now_us(), store->written()});
}

bool Node::Impl::can_join() const {
  return options.store != StoreKind::kMemory && checkpoint_every > 0 && engine->adopts();
}

void Node::Impl::watch_joining(std::uint64_t now) {
  if (enters_anew) return;
  if (joining && joining->again) joining.reset();
  if (!joining) {
    if (standing.suspects() || checkpoints.difference() || !can_join()) return out_of_reach.moves();
    if (!out_of_reach.stands(ledger.slot(), now)) return;
    sync.stop();
    rot.stop();
    out_of_reach.forget();
    say(Level::kInfo, "the log of '" + options.home + "' ends with slot " +
                          std::to_string(ledger.slot().value) +
                          ", which peers have pruned what follows of: takes its state from them");
    joining.emplace(
        Joining{StateSync(genesis, self, SnapshotFolder(options.data),
                          {[this](NodeId to, const Frame& f) { (void)transport.send(to.value, f); },
                           [this](NodeId who, const std::string& how) { false_answer(who, how); },
                           [this](Level level, const std::string& line) { say(level, line); }})});
    joining->sync.begin(ledger.slot(), now);
  }
  joining->sync.tick(now);
  if (joining->sync.snapshot() == nullptr) return;
  // What a pruner that is still at work writes about the beginning of the old log must not come
  // after what enter() writes about the new one. Another is not begun meanwhile.
  if (pruner && pruner->busy()) return;
  if (!joining->window) return begin_window(now);
  joining->window->tick(now);
}

// The snapshot is whole: what of the log goes with it is in its ledger.
void Node::Impl::begin_window(std::uint64_t now) {
  const auto file = joining->sync.snapshot()->ledger();
  if (!file) {
    return halt(Error{ErrorCode::kIo,
                      "the disk under '" + options.home +
                          "' does not give back what was written of the snapshot of its peers",
                      options.home, "check or replace it, then restart the node"});
  }
  auto shared = decode_portable_ledger(file->view());
  const Checkpoint& of = joining->sync.certificate().checkpoint;
  const bool fits = shared && shared->checkpoint == of;
  if (!fits || !start_point(*shared, AgreedTime(engine->clock_witnesses()))) {
    return halt(Error{ErrorCode::kRejected,
                      "the snapshot of slot " + std::to_string(of.slot.value) +
                          ", which f+1 peers named alike, contradicts its certificate: they run "
                          "another version of the program, or more than f of them are Byzantine",
                      options.home});
  }
  joining->hash = shared->window_hash;
  joining->ledger = std::move(shared);
  joining->window.emplace(
      committee(), self, log_form,
      LogSync::Hooks{[this](NodeId to, const Frame& f) { (void)transport.send(to.value, f); },
                     [this](const Commit& c) { note_window(c); }, [] { return true; },
                     [this](NodeId who, const std::string& how) { false_answer(who, how); },
                     [this](NodeId who, Round begins) {
                       out_of_reach.begins(who, begins);
                       joining->again = out_of_reach.all_have_pruned();
                     }});
  // Nothing else would ask for the rest, so no giver's word that there is no more ends it.
  joining->window->begin(joining->ledger->window_before, joining->hash, now, of.slot);
}

// A commit that f+1 peers vouch for.
void Node::Impl::note_window(const Commit& commit) {
  const Checkpoint& of = joining->ledger->checkpoint;
  if (enters_anew || commit.slot > of.slot) return;
  joining->hash = chained(joining->hash, commit);
  for (Persist& r : engine->entry_of(commit, joining->ledger->progress))
    joining->records.push_back(std::move(r));
  if (commit.slot < of.slot) return;
  if (joining->hash != of.log_hash) {
    return halt(
        Error{ErrorCode::kRejected,
              "the log of f+1 peers up to slot " + std::to_string(of.slot.value) +
                  " is not the one that a quorum certified: more than f of them are Byzantine",
              options.home});
  }
  enter();
}

// All of it is one atomic write behind a finished snapshot: a kill leaves the old log or the new
// beginning, and each is a store that a node starts from.
void Node::Impl::enter() {
  THRESHER_ASSERT(!pruner || !pruner->busy(), "one beginning of the log is written at a time");
  enters_anew = true;
  joining->window->stop();
  const PortableLedger& from = *joining->ledger;
  const Checkpoint& of = from.checkpoint;
  if (!joining->sync.snapshot()->finish()) {
    const int error = errno;
    return halt(Error{code_of_errno(error),
                      "the disk under '" + options.home + "' refused the snapshot of its peers (" +
                          disk_problem(error) + ")",
                      options.home, "free space or replace it, then restart the node"});
  }
  std::vector<Persist> records = std::move(joining->records);
  for (Persist& r : records_at(of.length, from.peaks, from.open_contents()))
    records.push_back(std::move(r));
  const Certificate& certificate = joining->sync.certificate();
  records.push_back({kCertificateTable, slot_key(of.slot), encode(certificate), {}, true});
  records.push_back(record_of(OwnCheckpoint{{of, self, {}}, false, from.open_results}));
  records.push_back(record_of(LogBegin{of.slot, of.length, of.log_hash}));
  writer->durably(std::move(records), [this] {
    loop.post([this] {
      say(Level::kInfo,
          "took its state from peers: the log of '" + options.home + "' begins at position " +
              std::to_string(joining->ledger->checkpoint.length) + "; the node starts from there");
      if (options.context == nullptr) return loop.stop();
      halt(Error{ErrorCode::kUnsupported, "the state of peers is in place", options.home,
                 "start the node again, which goes on from there"});
    });
  });
}

// While the window comes, the answers of peers about the log are for it.
bool Node::Impl::window_frame(NodeId from, const Frame& f, std::uint64_t now) {
  if (!joining || !joining->window || (f.kind != kLogPart && f.kind != kLogHash)) return false;
  if (f.kind == kLogPart) {
    joining->window->part(from, f, now);
  } else {
    joining->window->hash(from, f, now);
    if (const auto answer = wire::decode<wire::LogHash>(f.control.view()))
      standing.hash(from, *answer, now);
  }
  return true;
}

}  // namespace thresher::net
