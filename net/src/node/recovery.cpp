#include <cerrno>

#include "files/advice.hpp"
#include "files/disk_problem.hpp"
#include "ledger/snapshot.hpp"
#include "node/impl.hpp"
#include "thresher/core/hex.hpp"

namespace thresher::net {
namespace {
/// Transactions after which /readyz is told how far the log was read.
constexpr std::uint64_t kTellEach = 4096;
/// Ticks of watch_lag after which the figures of the peers are taken.
constexpr std::uint64_t kPeersEach = 25;
/// Between two notes of what was signed, here and by peers. Unit: microseconds.
constexpr std::uint64_t kNotes = 1'000'000;
}  // namespace

// Only when everything that it covers is durable in the log: else a power cut would leave a gap.
void Node::Impl::save_snapshot() {
  if (options.store == StoreKind::kMemory || ledger.length() == snapshot_length || app_lags) return;
  std::optional<Bytes> state;
  Digest digest;
  const bool ran = calls.run("snapshot()", [&] {
    state = app.snapshot();
    if (state) digest = app.state();
  });
  if (!ran) {
    return say(Level::kWarning, calls.problem() + "; the next start reads the whole log");
  }
  if (!state) return;
  snapshot_length = ledger.length();
  Writer own;
  write(own_state(), own);
  if (shares_state()) write_recent(tree.recent(), own);
  const std::string problem =
      net::save_snapshot(options.data, {Bytes::from(own.take()), *state, digest});
  if (!problem.empty()) say(Level::kWarning, problem);
}

// Why the disk does not give back what was stored; `place` is what was read.
Error Node::Impl::unreadable(Errc why, const std::string& place) const {
  if (why == Errc::kIo) {
    return disk_error("cannot read " + place + " of '" + options.home + "'", errno, options.home);
  }
  return {ErrorCode::kCorrupt,
          "the log of '" + options.home + "' is damaged (" + place +
              "). A node that forgot what it signed must not sign. A backup of the folder helps "
              "only if the node has not run since it was made; else move 'data' away and keep it. "
              "Then " +
              std::string(kObserve),
          options.home};
}

// The digests of all blocks hang on the genesis file, so another one shows in the first entry.
Error Node::Impl::of_other_genesis(const std::string& place) const {
  return {ErrorCode::kMismatch,
          "the log of '" + options.home + "' does not begin (" + place + ") as the genesis file '" +
              options.genesis + "' says: the file was changed, or is that of another network",
          options.genesis,
          "put the one back with which the log was made. If it is that one, the log is damaged: "
          "move 'data' away and keep it. Then " +
              std::string(kObserve)};
}

// Puts an entry of the own log into the ledger and the application. A hole in front of it or in it
// is kept in `missing`, where peers may have what is missing.
Result<Unit, Error> Node::Impl::replay_entry(const LogEntry& entry) {
  const std::string place = "slot " + std::to_string(entry.slot.value);
  if (auto looked = look_for_hole(entry); !looked || missing.has_hole()) return looked;
  const auto whole = reader.whole(entry);
  if (!whole) return unreadable(whole.error(), "a payload of " + place);
  const LogEntry again =
      ledger.append(*whole, [&](const Transaction& t, const OrderedBlockPtr& block,
                                const Fingerprint&) { (void)apply(t, block->author); });
  if (!calls.problem().empty()) return app_threw_in_log();
  if (again.log_hash != entry.log_hash || again.count != entry.count) {
    if (entry.before == Round{0}) return of_other_genesis(place);
    return unreadable(Errc::kCorrupt, "the hash chain breaks at " + place);
  }
  (void)tree_records();
  checkpoint_after(entry);
  if (!calls.problem().empty()) return app_threw_in_log();
  return Unit{};
}

// The stored log from the end of the ledger on: to its end, to a hole, or until a time.
Result<Unit, Error> Node::Impl::read_log(std::optional<std::uint64_t> until_us) {
  Result<Unit, Error> replayed = Unit{};
  bool all = true;
  const auto read = reader.each(ledger.slot(), [&](const LogEntry& entry) {
    if (options.stop.stop_requested()) {
      replayed = Error{ErrorCode::kRejected, std::string(kStoppedAtStart), options.home};
      return false;
    }
    if (metrics && entry.first / kTellEach != (entry.first + entry.count) / kTellEach) {
      metrics->starting("reads its log: slot " + std::to_string(entry.slot.value));
    }
    replayed = replay_entry(entry);
    all = !missing.has_hole() && !(until_us && Loop::now_us() > *until_us);
    return replayed && all;
  });
  missing.read(all);
  if (replayed && !read) return unreadable(read.error(), "an entry of the log");
  return replayed;
}

// How long a start took, and where the time went. Times are
// microseconds.
std::string Node::Impl::began_words(LogEnd restored, std::uint64_t restoring_us,
                                    std::uint64_t reading_us) const {
  const std::string snapshot =
      restored.length == 0 ? "without a snapshot"
                           : "from the snapshot of slot " + std::to_string(restored.slot.value) +
                                 ", restored in " + std::to_string(restoring_us / 1000) + " ms";
  return "starts " + snapshot + ", with " + std::to_string(ledger.length() - restored.length) +
         " transactions of its log behind it, applied in " + std::to_string(reading_us / 1000) +
         " ms";
}

// The application and the log first, then the records of the protocol.
Result<Unit, Error> Node::Impl::recover() {
  if (metrics) metrics->starting("reads its log");
  checkpoints.recall();
  const std::uint64_t began = Loop::now_us();
  if (auto snapshot = restore_snapshot(); !snapshot) return snapshot;
  if (shares_state()) tree.keep_recent();
  const LogEnd restored = ledger.end();
  const std::uint64_t restored_us = Loop::now_us();
  if (!calls.problem().empty()) return app_threw();
  if (ledger.slot() < reader.begin().slot) return pruned_too_far();
  if (auto read = read_log({}); !read) return read;
  if (ledger.length() > 0) {
    say(Level::kInfo, began_words(restored, restored_us - began, Loop::now_us() - restored_us));
  }
  if (metrics) metrics->starting("reads the records of its protocol");
  Result<Unit, Error> records = Unit{};
  const auto replayed = store->replay([&](const Restored& r) {
    has_records = true;
    if (records) records = restore_record(r);
  });
  if (!records) return records;
  if (!replayed) return unreadable(replayed.error(), "a record of the protocol");
  note_lost_end();
  return Unit{};
}

Result<Unit, Error> Node::Impl::restore_record(Restored record) {
  const std::string place = "a record of table " + std::to_string(record.table);
  if (engine->wants_bodies()) {
    const auto at = store->locate(record.table, record.key.view());
    auto body = at ? store->read_body(*at) : Result<Bytes>(Errc::kCorrupt);
    if (!body) return unreadable(body.error(), place);
    record.body = std::move(*body);
    if (!engine->push(record)) return lacks_body(std::move(record));
    (void)engine->run();
    return Unit{};
  }
  if (!engine->push(std::move(record))) return unreadable(Errc::kCorrupt, place);
  (void)engine->run();
  return Unit{};
}

// Starts fetching the log when the others are so far ahead that pulling blocks would take long or,
// beyond what they keep, never end.
void Node::Impl::watch_lag() {
  const std::uint64_t now = Loop::now_us();
  if (!starting && now >= notes_due_us) {
    notes_due_us = now + kNotes;
    note_peers();
    if (const auto pledge = durable_pledge.look(engine->pledge())) sign_once.note(*pledge);
  }
  standing.tick(ledger.slot(), ledger.log_hash(), now);
  check_log();
  watch_checkpoints(now);
  const EngineSample at = engine->sample();
  lags = at.frontier.value > at.next_slot.value + options.sync_rounds;
  watch_joining(now);
  if (standing.suspects() || joining) {
    // Peers' words about the log are not applied now.
  } else if (starting) {
    mend_log(now);
    mend_bodies();
  } else if (sync.active()) {
    sync.reached(ledger.slot(), ledger.log_hash());
    sync.tick(now);
    pump();
  } else if (engine->adopts() && (lags || log_lacks())) {
    say(Level::kInfo, "fetching the log from peers: they are at round " +
                          std::to_string(at.frontier.value) + ", this node decides slot " +
                          std::to_string(at.next_slot.value));
    remind();
    sync.begin(ledger.slot(), ledger.log_hash(), now);
  }
  look_level();
  rot.tick(now, log_settled());
  conduct.tick(now, lags || sync.active());
  if (tracer) tracer->tick();
  if (metrics) {
    Sample taken = sample();
    if (ticks++ % kPeersEach == 0) taken.peers = peers();
    metrics->update(taken);
  }
  loop.call_after(LogSync::kTick, [this] { watch_lag(); });
}

// Stops when the log differs from that of peers of whom one at least is correct.
void Node::Impl::check_log() {
  const auto& found = standing.finding();
  if (!found) {
    if (standing.suspects() && metrics) metrics->update(sample());
    return;
  }
  const bool narrow = found->first.value == found->same.value + 1;
  halt(Error{
      ErrorCode::kMismatch,
      "the log of '" + options.home + "' differs from that of " +
          std::to_string(committee().at_least(kValidity)) +
          " peers. The first slot that differs is " +
          (narrow ? std::string() : "between " + std::to_string(found->same.value + 1) + " and ") +
          std::to_string(found->first.value) + ": log hash " + to_hex(found->here.bytes) +
          " here, " + to_hex(found->there.bytes) +
          " there. This node neither signs nor serves it any more: keep the folder, which shows "
          "what happened. With another folder in the place of 'data' " +
          std::string(kObserve),
      options.home});
}

// An engine that writes its progress lazily may know less after a crash than the log of this node.
void Node::Impl::remind() {
  const Round known{engine->sample().next_slot.value - 1};
  if (known >= ledger.slot()) return;
  (void)reader.each(known, [&](const LogEntry& entry) {
    const auto whole = reader.whole(entry);
    if (!whole) return false;
    engine->adopt(*whole, Stored::kYes);
    writer->persist(engine->take_progress(entry.slot), 0);
    return true;
  });
}

}  // namespace thresher::net
