// A node that is behind what its peers keep of the log: it takes the state of a certified snapshot
// from them, and the part of the log that its protocol needs to go on from there. When all is on
// its disk it starts from there, as after any stop.
#include <cerrno>
#include <utility>

#include "files/disk_problem.hpp"
#include "node/impl.hpp"
#include "thresher/core/assert.hpp"
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
  return !joining || joining->sync.frame(from, f, Loop::now_us());
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

bool Node::Impl::can_join() const {
  return options.store != StoreKind::kMemory && checkpoint_every > 0 && engine->adopts();
}

void Node::Impl::watch_joining(std::uint64_t now) {
  if (enters_anew) return;
  if (joining && joining->again) joining.reset();
  if (!joining) {
    if (standing.suspects() || checkpointing.differs() || !can_join()) return out_of_reach.moves();
    if (!out_of_reach.stands(ledger.slot(), now)) return;
    sync.stop();
    rot.stop();
    out_of_reach.forget();
    say(Level::kInfo, "the log of '" + options.home + "' ends with slot " +
                          std::to_string(ledger.slot().value) +
                          ", which peers have pruned what follows of: takes its state from them");
    joining.emplace(
        StateSync(genesis, self, SnapshotFolder(options.data),
                  {[this](NodeId to, const Frame& f) { (void)transport.send(to.value, f); },
                   [this](NodeId who, const std::string& how) { false_answer(who, how); },
                   [this](Level level, const std::string& line) { say(level, line); }}));
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
  joining->window.emplace(committee(), self, log_form, std::move(*shared), window_hooks());
  joining->window->begin(now);
}

LogWindow::Hooks Node::Impl::window_hooks() {
  return {[this](NodeId to, const Frame& f) { (void)transport.send(to.value, f); },
          [this](NodeId who, const std::string& how) { false_answer(who, how); },
          [this](NodeId who, Round begins) {
            out_of_reach.begins(who, begins);
            joining->again = out_of_reach.all_have_pruned();
          },
          [this](const Commit& commit, const std::vector<Persist>& progress) {
            return engine->entry_of(commit, progress);
          },
          [this](bool certified) {
            if (certified) return enter();
            const Round slot = joining->window->ledger().checkpoint.slot;
            halt(Error{ErrorCode::kRejected,
                       "the log of f+1 peers up to slot " + std::to_string(slot.value) +
                           " is not the one that a quorum certified: more than f of them are "
                           "Byzantine",
                       options.home});
          }};
}

// All of it is one atomic write behind a finished snapshot: a kill leaves the old log or the new
// beginning, and each is a store that a node starts from.
void Node::Impl::enter() {
  THRESHER_ASSERT(!pruner || !pruner->busy(), "one beginning of the log is written at a time");
  enters_anew = true;
  const PortableLedger& from = joining->window->ledger();
  const Checkpoint& of = from.checkpoint;
  if (!joining->sync.snapshot()->finish()) {
    const int error = errno;
    return halt(Error{code_of_errno(error),
                      "the disk under '" + options.home + "' refused the snapshot of its peers (" +
                          disk_problem(error) + ")",
                      options.home, "free space or replace it, then restart the node"});
  }
  std::vector<Persist> records = joining->window->take_records();
  for (Persist& r : records_at(of.length, from.peaks, from.open_contents()))
    records.push_back(std::move(r));
  const Certificate& certificate = joining->sync.certificate();
  records.push_back({kCertificateTable, slot_key(of.slot), encode(certificate), {}, true});
  records.push_back(record_of(OwnCheckpoint{{of, self, {}}, false, from.open_results}));
  records.push_back(record_of(LogBegin{of.slot, of.length, of.log_hash}));
  writer->durably(std::move(records), [this] {
    loop.post([this] {
      say(Level::kInfo, "took its state from peers: the log of '" + options.home +
                            "' begins at position " +
                            std::to_string(joining->window->ledger().checkpoint.length) +
                            "; the node starts from there");
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
