#include "node/joining.hpp"

#include <cerrno>
#include <utility>

#include "files/disk_problem.hpp"
#include "thresher/core/assert.hpp"
#include "thresher/net/codec.hpp"

namespace thresher::net {

bool Joining::can_join() const {
  return node_.options.store != StoreKind::kMemory && node_.checkpoint_every > 0 &&
         node_.engine->adopts();
}

// Whether it takes its state from peers now.
bool Joining::begin(std::uint64_t now) {
  if (!hooks_.settled() || !can_join()) {
    out_of_reach_.moves();
    return false;
  }
  if (!out_of_reach_.stands(node_.ledger.slot(), now)) return false;
  hooks_.stop_fetching();
  out_of_reach_.forget();
  node_.say(Level::kInfo,
            "the log of '" + node_.options.home + "' ends with slot " +
                std::to_string(node_.ledger.slot().value) +
                ", which peers have pruned what follows of: takes its state from them");
  taking_.emplace(
      StateSync(node_.genesis, node_.self, SnapshotFolder(node_.options.data),
                {[this](NodeId to, const Frame& f) { (void)node_.transport.send(to.value, f); },
                 [this](NodeId who, const std::string& how) { node_.false_answer(who, how); },
                 [this](Level level, const std::string& line) { node_.say(level, line); }}));
  taking_->sync.begin(node_.ledger.slot(), now);
  return true;
}

std::string Joining::words() const {
  if (taking_->sync.snapshot() == nullptr) return taking_->sync.words();
  return "fetches the part of the log that its protocol needs to go on from slot " +
         std::to_string(taking_->sync.certificate().checkpoint.slot.value);
}

bool Joining::frame(NodeId from, const Frame& f) {
  return !taking_ || taking_->sync.frame(from, f, Loop::now_us());
}

void Joining::watch(std::uint64_t now) {
  if (enters_anew_) return;
  if (taking_ && taking_->again) taking_.reset();
  if (!taking_ && !begin(now)) return;
  taking_->sync.tick(now);
  if (taking_->sync.snapshot() == nullptr) return;
  // What a pruner that is still at work writes about the beginning of the old log must not come
  // after what enter() writes about the new one. Another is not begun meanwhile.
  if (hooks_.is_pruning()) return;
  if (!taking_->window) return begin_window(now);
  taking_->window->tick(now);
}

// The snapshot is whole: what of the log goes with it is in its ledger.
void Joining::begin_window(std::uint64_t now) {
  const auto file = taking_->sync.snapshot()->ledger();
  if (!file) {
    return node_.halt(
        Error{ErrorCode::kIo,
              "the disk under '" + node_.options.home +
                  "' does not give back what was written of the snapshot of its peers",
              node_.options.home, "check or replace it, then restart the node"});
  }
  auto shared = decode_portable_ledger(file->view());
  const Checkpoint& of = taking_->sync.certificate().checkpoint;
  const bool fits = shared && shared->checkpoint == of;
  if (!fits || !start_point(*shared, AgreedTime(node_.engine->clock_witnesses()))) {
    return node_.halt(
        Error{ErrorCode::kRejected,
              "the snapshot of slot " + std::to_string(of.slot.value) +
                  ", which f+1 peers named alike, contradicts its certificate: they run "
                  "another version of the program, or more than f of them are Byzantine",
              node_.options.home});
  }
  taking_->window.emplace(node_.committee(), node_.self, node_.log_form, std::move(*shared),
                          window_hooks());
  taking_->window->begin(now);
}

LogWindow::Hooks Joining::window_hooks() {
  return {[this](NodeId to, const Frame& f) { (void)node_.transport.send(to.value, f); },
          [this](NodeId who, const std::string& how) { node_.false_answer(who, how); },
          [this](NodeId who, Round begins) {
            out_of_reach_.begins(who, begins);
            taking_->again = out_of_reach_.all_have_pruned();
          },
          [this](const Commit& commit, const std::vector<Persist>& progress) {
            return node_.engine->entry_of(commit, progress);
          },
          [this](bool certified) {
            if (certified) return enter();
            const Round slot = taking_->window->ledger().checkpoint.slot;
            node_.halt(Error{ErrorCode::kRejected,
                             "the log of f+1 peers up to slot " + std::to_string(slot.value) +
                                 " is not the one that a quorum certified: more than f of them are "
                                 "Byzantine",
                             node_.options.home});
          }};
}

// All of it is one atomic write behind a finished snapshot: a kill leaves the old log or the new
// beginning, and each is a store that a node starts from.
void Joining::enter() {
  THRESHER_ASSERT(!hooks_.is_pruning(), "one beginning of the log is written at a time");
  enters_anew_ = true;
  const PortableLedger& from = taking_->window->ledger();
  const Checkpoint& of = from.checkpoint;
  if (!taking_->sync.snapshot()->finish()) {
    const int error = errno;
    return node_.halt(Error{code_of_errno(error),
                            "the disk under '" + node_.options.home +
                                "' refused the snapshot of its peers (" + disk_problem(error) + ")",
                            node_.options.home, "free space or replace it, then restart the node"});
  }
  std::vector<Persist> records = taking_->window->take_records();
  for (Persist& r : records_at(of.length, from.peaks, from.open_contents()))
    records.push_back(std::move(r));
  const Certificate& certificate = taking_->sync.certificate();
  records.push_back({kCertificateTable, slot_key(of.slot), encode(certificate), {}, true});
  records.push_back(record_of(OwnCheckpoint{{of, node_.self, {}}, false, from.open_results}));
  records.push_back(record_of(LogBegin{of.slot, of.length, of.log_hash}));
  node_.writer->durably(std::move(records), [this] {
    node_.loop.post([this] {
      node_.say(Level::kInfo, "took its state from peers: the log of '" + node_.options.home +
                                  "' begins at position " +
                                  std::to_string(taking_->window->ledger().checkpoint.length) +
                                  "; the node starts from there");
      if (node_.options.context == nullptr) return node_.loop.stop();
      node_.halt(Error{ErrorCode::kUnsupported, "the state of peers is in place",
                       node_.options.home, "start the node again, which goes on from there"});
    });
  });
}

// While the window comes, the answers of peers about the log are for it.
bool Joining::window_frame(NodeId from, const Frame& f, std::uint64_t now) {
  if (!taking_ || !taking_->window || (f.kind != kLogPart && f.kind != kLogHash)) return false;
  if (f.kind == kLogPart) {
    taking_->window->part(from, f, now);
  } else {
    taking_->window->hash(from, f, now);
    if (const auto answer = wire::decode<wire::LogHash>(f.control.view()))
      hooks_.heard_hash(from, *answer, now);
  }
  return true;
}

void Joining::pruned_there(NodeId peer, Round begins) {
  out_of_reach_.begins(peer, begins);
  const auto first = out_of_reach_.beyond(node_.ledger.slot());
  if (!first) return;
  if (can_join()) return;  // and does, see watch()
  const std::string what =
      "the log of '" + node_.options.home + "' ends with slot " +
      std::to_string(node_.ledger.slot().value) + ", and those of its peers begin behind slot " +
      std::to_string(first->value) +
      ", what was before is pruned there: this node cannot get level. Start a peer that keeps more "
      "of its log, if there is one";
  if (node_.complaints.fresh(what, Loop::now_us())) node_.say(Level::kWarning, what);
}

}  // namespace thresher::net
