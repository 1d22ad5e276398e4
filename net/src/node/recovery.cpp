// A start, before the node runs: what its own disk has.
#include <string>

#include "node/impl.hpp"

namespace thresher::net {

// How long a start took, and where the time went. Times are microseconds.
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
  if (ledger.slot() < reader.begin().slot)
    return words.pruned_too_far(reader.begin().length, snapshots.refused());
  if (auto read = log_care.read_log(); !read) return read;
  if (ledger.length() > 0) {
    say(Level::kInfo, began_words(restored, restored_us - began, Loop::now_us() - restored_us));
  }
  if (metrics) metrics->starting("reads the records of its protocol");
  Result<Unit, Error> records = Unit{};
  const auto replayed = store->replay([&](const Restored& r) {
    has_records = true;
    if (records) records = log_care.restore(r);
  });
  if (!records) return records;
  if (!replayed) return words.unreadable(replayed.error(), "a record of the protocol");
  log_care.note_lost_end();
  return Unit{};
}

}  // namespace thresher::net
