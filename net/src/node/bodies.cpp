// Records that a protocol reads back with their bodies (PBFT, Raft, HoneyBadger and the chains of
// leaders keep what they delivered lately), when the disk has changed a body. All that was
// delivered is in the log, and so peers have it: the protocol starts when they have given it.
// Anything else nobody can give, and the node stops.
#include <algorithm>
#include <deque>
#include <string>
#include <utility>

#include "node/log_care.hpp"

namespace thresher::net {
namespace {

std::string place_of(const Restored& record) {
  return "a record of table " + std::to_string(record.table);
}

}  // namespace

Result<Unit, Error> LogCare::restore(Restored record) {
  const std::string place = place_of(record);
  if (node_.engine->wants_bodies()) {
    const auto at = node_.store->locate(record.table, record.key.view());
    auto body = at ? node_.store->read_body(*at) : Result<Bytes>(Errc::kCorrupt);
    if (!body) return node_.words.unreadable(body.error(), place);
    record.body = std::move(*body);
    if (!node_.engine->push(record)) return lacks_body(std::move(record));
    (void)node_.engine->run();
    return Unit{};
  }
  if (!node_.engine->push(std::move(record))) return node_.words.unreadable(Errc::kCorrupt, place);
  (void)node_.engine->run();
  return Unit{};
}

// While the store is read. Whether the log names it shows when the log is whole.
Result<Unit, Error> LogCare::lacks_body(Restored record) {
  if (!can_be_given()) return node_.words.unreadable(Errc::kCorrupt, place_of(record));
  bodiless_.add(std::move(record));
  return Unit{};
}

// Behind the snapshot no start reads the log, so these are found by their records alone.
void LogCare::mend_bodies() {
  if (bodiless_.empty() || !rot_.empty() || !whole()) return;
  const auto is_bodiless = [&](const LoggedBlock& b) {
    return bodiless_.has(node_.engine->record_of(*b.block));
  };
  std::size_t found = 0;
  std::deque<LogEntry> entries;
  const auto read = node_.reader.each(Round{0}, [&](const LogEntry& entry) {
    const auto blocks = std::count_if(entry.blocks.begin(), entry.blocks.end(), is_bodiless);
    if (blocks > 0) entries.push_back(entry);
    found += static_cast<std::size_t>(blocks);
    return found < bodiless_.size();
  });
  if (!read) return node_.halt(node_.words.unreadable(read.error(), "an entry of the log"));
  if (found < bodiless_.size()) {
    return node_.halt(node_.words.unreadable(
        Errc::kCorrupt, place_of(bodiless_.first()) + ", which is not in the log"));
  }
  rot_.add(std::move(entries));
}

// For a commit that peers vouch for. The seal of each record says whether the body is that one.
void LogCare::give_bodies(const Commit& commit) {
  if (bodiless_.empty()) return;
  for (const OrderedBlockPtr& b : commit.blocks) {
    auto record = bodiless_.take(node_.engine->record_of(*b));
    if (!record) continue;
    record->body = b->payload;
    if (!node_.engine->push(*record))
      return node_.halt(node_.words.unreadable(Errc::kCorrupt, place_of(*record)));
    (void)node_.engine->run();
  }
  if (whole()) note_lost_end();
}

}  // namespace thresher::net
