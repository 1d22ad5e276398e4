#include "node_impl.hpp"
#include "snapshot.hpp"

namespace thresher::net {

void Node::Impl::restore_snapshot() {
  const auto snapshot = load_snapshot(options.data);
  if (!snapshot || options.store == StoreKind::kMemory) return;
  Ledger restored;
  if (!restored.restore(snapshot->ledger.view()) || !app.restore(snapshot->app.view())) return;
  ledger = std::move(restored);
  snapshot_length = ledger.length();
}

// Only when everything that it covers is durable in the log: else a power cut would leave a gap.
void Node::Impl::save_snapshot() {
  if (options.store == StoreKind::kMemory || ledger.length() == snapshot_length) return;
  const auto state = app.snapshot();
  if (!state) return;
  snapshot_length = ledger.length();
  const std::string problem = net::save_snapshot(options.data, {ledger.save(), *state});
  if (!problem.empty()) say(Level::kWarning, problem);
}

// The application and the log first, then the records of the protocol.
std::string Node::Impl::recover() {
  restore_snapshot();
  std::string problem;
  std::string damaged =
      "the log of '" + options.home + "' is damaged; restore the folder from a backup";
  const auto read = reader.each(ledger.slot(), [&](const LogEntry& entry) {
    const auto whole = reader.whole(entry);
    if (!whole) {
      problem = damaged + " (slot " + std::to_string(entry.slot.value) + ")";
      return false;
    }
    const LogEntry again = ledger.append(*whole, [&](const Transaction& t, const dag::BlockPtr&,
                                                     const Fingerprint&) { app.apply(t); });
    if (again.log_hash != entry.log_hash) {
      problem =
          damaged + " (the hash chain breaks at slot " + std::to_string(entry.slot.value) + ")";
    }
    return problem.empty();
  });
  if (!problem.empty()) return problem;
  if (!read) return damaged;
  bool whole = true;
  const auto replayed = store->replay([&](const Restored& r) {
    has_records = true;
    Restored record = r;
    if (engine->wants_bodies()) {
      const auto place = store->locate(r.table, r.key.view());
      auto body = place ? store->read_body(*place) : Result<Bytes>(Errc::kCorrupt);
      whole &= static_cast<bool>(body);
      if (body) record.body = std::move(*body);
    }
    whole &= engine->push(std::move(record));
    (void)engine->run();
  });
  if (!replayed || !whole) {
    return "the records of '" + options.home + "' are damaged; restore the folder from a backup";
  }
  return {};
}

// Starts fetching the log when the others are so far ahead that pulling blocks would take long or,
// beyond what they keep, never end.
void Node::Impl::watch_lag() {
  const std::uint64_t now = Loop::now_us();
  const EngineSample at = engine->sample();
  lags = at.frontier.value > at.next_slot.value + options.sync_rounds;
  if (sync.active()) {
    sync.tick(now);
    pump();
  } else if (engine->adopts() && lags) {
    say(Level::kInfo, "fetching the log from peers: they are at round " +
                          std::to_string(at.frontier.value) + ", this node decides slot " +
                          std::to_string(at.next_slot.value));
    remind();
    sync.begin(ledger.slot(), ledger.log_hash(), now);
  }
  if (metrics) metrics->update(sample());
  loop.call_after(LogSync::kTick, [this] { watch_lag(); });
}

// An engine that writes its progress lazily may know less after a crash than the log of this node.
void Node::Impl::remind() {
  const Round known{engine->sample().next_slot.value - 1};
  if (known >= ledger.slot()) return;
  (void)reader.each(known, [&](const LogEntry& entry) {
    const auto whole = reader.whole(entry);
    std::vector<Persist> stored_already;
    if (whole) engine->adopt(*whole, std::nullopt, stored_already);
    return static_cast<bool>(whole);
  });
}

// A commit that correct peers made: to the disk, the log, the application, and the DAG.
void Node::Impl::adopt(dag::Committed commit_of_peers) {
  if (commit_of_peers.slot <= ledger.slot()) return;
  std::vector<Persist> records;
  engine->adopt(commit_of_peers, ledger.slot(), records);
  writer->persist(std::move(records), 0);
  commit(std::move(commit_of_peers));
  acknowledge();
  feed_subscribers();
}

}  // namespace thresher::net
