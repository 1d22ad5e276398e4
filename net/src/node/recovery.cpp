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
}  // namespace

// What the log of the disk has already: it goes to the ledger and the application alone.
LogEntry Node::Impl::append_again(const Commit& commit) {
  return ledger.append(commit, hashed, [this](const Transaction& t, const NewTransaction& of) {
    (void)apply(t, of.block->author, of.payload);
  });
}

// Puts an entry of the own log into the ledger and the application. A hole in front of it or in it
// is kept in `missing`, where peers may have what is missing.
Result<Unit, Error> Node::Impl::replay_entry(const LogEntry& entry) {
  const std::string place = "slot " + std::to_string(entry.slot.value);
  const auto commit = read_back(entry);
  if (!commit) return commit.error();
  if (!*commit) return Unit{};
  const LogEntry again = append_again(**commit);
  if (!calls.problem().empty()) return words.app_threw_in_log(calls.problem());
  if (again.log_hash != entry.log_hash || again.count != entry.count) {
    if (entry.before == Round{0}) return words.of_other_genesis(place);
    return words.unreadable(Errc::kCorrupt, "the hash chain breaks at " + place);
  }
  (void)checkpointing.take_records();
  checkpointing.committed(entry);
  if (!calls.problem().empty()) return words.app_threw_in_log(calls.problem());
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
  if (replayed && !read) return words.unreadable(read.error(), "an entry of the log");
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
  checkpointing.checkpoints().recall();
  const std::uint64_t began = Loop::now_us();
  if (auto snapshot = snapshots.restore(); !snapshot) return snapshot;
  if (snapshots.shares_state()) checkpointing.tree().keep_recent();
  const LogEnd restored = ledger.end();
  const std::uint64_t restored_us = Loop::now_us();
  if (!calls.problem().empty()) return words.app_threw(calls.problem());
  if (ledger.slot() < reader.begin().slot) return words.pruned_too_far(reader.begin().length);
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
  if (!replayed) return words.unreadable(replayed.error(), "a record of the protocol");
  note_lost_end();
  return Unit{};
}

Result<Unit, Error> Node::Impl::restore_record(Restored record) {
  const std::string place = "a record of table " + std::to_string(record.table);
  if (engine->wants_bodies()) {
    const auto at = store->locate(record.table, record.key.view());
    auto body = at ? store->read_body(*at) : Result<Bytes>(Errc::kCorrupt);
    if (!body) return words.unreadable(body.error(), place);
    record.body = std::move(*body);
    if (!engine->push(record)) return lacks_body(std::move(record));
    (void)engine->run();
    return Unit{};
  }
  if (!engine->push(std::move(record))) return words.unreadable(Errc::kCorrupt, place);
  (void)engine->run();
  return Unit{};
}

// Starts fetching the log when the others are so far ahead that pulling blocks would take long or,
// beyond what they keep, never end.
void Node::Impl::watch_lag() {
  const std::uint64_t now = Loop::now_us();
  start.watch(now);
  standing.watch(now);
  checkpointing.watch(now);
  snapshots.watch(now);
  const EngineSample at = engine->sample();
  lags = at.frontier.value > at.next_slot.value + options.sync_rounds;
  joining.watch(now);
  if (standing.suspects() || joining.runs()) {
    // Peers' words about the log are not applied now.
  } else if (start.under_way()) {
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
  start.look_level();
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
