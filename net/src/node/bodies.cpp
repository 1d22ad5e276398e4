// Records that a protocol reads back with their bodies (PBFT, Raft, HoneyBadger and the chains of
// leaders keep what they delivered lately), when the disk has changed a body. All that was
// delivered is in the log, and so peers have it: the protocol starts when they have given it.
// Anything else nobody can give, and the node stops.
#include <algorithm>
#include <deque>
#include <utility>

#include "node/impl.hpp"

namespace thresher::net {
namespace {

std::string place_of(const Restored& record) {
  return "a record of table " + std::to_string(record.table);
}

}  // namespace

// While the store is read. Whether the log names it shows when the log is whole.
Result<Unit, Error> Node::Impl::lacks_body(Restored record) {
  if (committee().size() == 1 || options.store == StoreKind::kMemory) {
    return words.unreadable(Errc::kCorrupt, place_of(record));
  }
  bodiless.add(std::move(record));
  return Unit{};
}

// Behind the snapshot no start reads the log, so these are found by their records alone.
void Node::Impl::mend_bodies() {
  if (bodiless.empty() || !rot.empty() || !log_whole()) return;
  const auto lacks = [&](const LoggedBlock& b) {
    return bodiless.has(engine->record_of(*b.block));
  };
  std::size_t found = 0;
  std::deque<LogEntry> entries;
  const auto read = reader.each(Round{0}, [&](const LogEntry& entry) {
    const auto blocks = std::count_if(entry.blocks.begin(), entry.blocks.end(), lacks);
    if (blocks > 0) entries.push_back(entry);
    found += static_cast<std::size_t>(blocks);
    return found < bodiless.size();
  });
  if (!read) return halt(words.unreadable(read.error(), "an entry of the log"));
  if (found < bodiless.size()) {
    return halt(
        words.unreadable(Errc::kCorrupt, place_of(bodiless.first()) + ", which is not in the log"));
  }
  rot.add(std::move(entries));
}

// For a commit that peers vouch for. The seal of each record says whether the body is that one.
void Node::Impl::give_bodies(const Commit& commit) {
  if (bodiless.empty()) return;
  for (const OrderedBlockPtr& b : commit.blocks) {
    auto record = bodiless.take(engine->record_of(*b));
    if (!record) continue;
    record->body = b->payload;
    if (!engine->push(*record)) return halt(words.unreadable(Errc::kCorrupt, place_of(*record)));
    (void)engine->run();
  }
  if (log_whole()) note_lost_end();
}

}  // namespace thresher::net
