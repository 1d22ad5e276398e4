// Holes in a node's log: found when it is read at a start, or when the protocol delivers what does
// not follow it. They are filled from the logs of peers, of whom one at least is correct, and
// nothing of the protocol is signed before they are.
#include <algorithm>
#include <utility>

#include "node/impl.hpp"

namespace thresher::net {
namespace {
/// Reading on in the log behind a hole, at a time: the node's other work waits for this long. Unit:
/// microseconds.
constexpr std::uint64_t kReadOn = 50'000;
}  // namespace

// The commit of an entry that continues the log. Empty: something is missing that peers may have,
// and is noted in `missing`. An error: what cannot be mended.
Result<std::optional<Commit>, Error> Node::Impl::read_back(const LogEntry& entry) {
  const auto hole = [](const Result<Unit, Error>& noted) -> Result<std::optional<Commit>, Error> {
    if (!noted) return noted.error();
    return std::optional<Commit>{};
  };
  if (!ledger.end().precedes(entry)) {
    return hole(
        lacks_log(Round{0}, {},
                  "it lacks commits: " + missing_between(ledger.end(), entry.before, entry.slot)));
  }
  Commit commit{entry.slot, entry.id, {}, entry.before};
  for (const LoggedBlock& b : entry.blocks) {
    const bool empty = b.block->payload_bytes == 0;
    const auto body = empty ? Result<Bytes>(Bytes{}) : store->read_body(b.place);
    const auto payload = checked_payload(b, body, &hashed);
    if (payload) {
      commit.blocks.push_back(with_payload(*b.block, *payload));
      continue;
    }
    const std::string place = "a payload of slot " + std::to_string(entry.slot.value);
    if (payload.error() == Errc::kIo) return words.unreadable(Errc::kIo, place);
    // Damaged bytes are written again where they lie. Where the log of the disk ends before
    // it there is no such place: then the rest of the log is fetched.
    return hole(body ? lacks_log(entry.slot, entry, place)
                     : lacks_log(Round{0}, {}, place + " is missing"));
  }
  return std::optional(std::move(commit));
}

// `until` 0: all that the store has behind the end of the ledger is fetched anew, because the
// log is a sequence of frames and what is missing in the middle of it is written at its end.
Result<Unit, Error> Node::Impl::lacks_log(Round until, std::optional<LogEntry> damaged,
                                          const std::string& what) {
  if (committee().size() == 1 || options.store == StoreKind::kMemory) {
    return words.unreadable(Errc::kCorrupt, what);
  }
  if (until == Round{0}) {
    const auto read = reader.each(ledger.slot(), [&](const LogEntry& entry) {
      until = std::max(until, entry.slot);
      return true;
    });
    if (!read) return words.unreadable(read.error(), "an entry of the log");
  }
  missing.hole(until, std::move(damaged));
  say(Level::kWarning, "the log of '" + options.home + "' is damaged (" + what + "): slots " +
                           std::to_string(ledger.slot().value + 1) + " to " +
                           std::to_string(until.value) +
                           " are fetched from peers before this node signs anything");
  return Unit{};
}

// The records of the protocol know of more than the log has.
void Node::Impl::note_lost_end() {
  // A record without its body says nothing yet.
  if (!bodiless.empty()) return;
  const Round noted = engine->noted();
  if (committee().size() == 1 || noted <= std::max(ledger.slot(), missing.until()) ||
      missing.unread())
    return;
  missing.hole(noted);
  say(Level::kWarning,
      "the log of '" + options.home + "' lacks commits: its protocol delivered slot " +
          std::to_string(noted.value) + ", but the log ends with slot " +
          std::to_string(ledger.slot().value) + " (" + std::to_string(ledger.length()) +
          " transactions); they are fetched from peers before this node signs anything");
}

// At a start, again and again until the log is whole; that of an observer never ends.
void Node::Impl::mend_log(std::uint64_t now) {
  if (log_whole() && options.observe) missing.follow();
  if (log_whole()) return;
  if (log_lacks()) {
    if (sync.active()) return sync.tick(now);
    if (rot.fetches() || !missing.may_fetch(now)) return;
    return sync.begin(ledger.slot(), ledger.log_hash(), now);
  }
  missing.close_hole();
  if (const auto read = read_log(now + kReadOn); !read) return halt(read.error());
  if (!missing.unread()) note_lost_end();
  writer->stands(ledger.end());
  clients.log_grew();
}

// A commit that peers vouch for, for the hole.
void Node::Impl::mend_with(Commit commit) {
  if (!log_lacks() || !ledger.follows(commit)) return;
  if (commit.slot > missing.until()) {
    return halt(Error{
        ErrorCode::kMismatch,
        "the log of '" + options.home + "' differs from that of " +
            std::to_string(committee().at_least(kValidity)) + " peers: this node delivered slot " +
            std::to_string(missing.until().value) + ", they went from slot " +
            std::to_string(ledger.slot().value) + " to " + std::to_string(commit.slot.value) +
            ". Keep the folder, which shows what happened",
        options.home});
  }
  give_bodies(commit);
  if (const LogEntry* damaged = missing.damaged(commit.slot)) {
    mend_payloads(*damaged, commit);
  } else {
    write_again(std::move(commit));
  }
  if (!log_lacks()) sync.stop();
  clients.log_grew();
}

// The entry is there, and so are the frames around it: only payloads are not what they were.
void Node::Impl::mend_payloads(const LogEntry& entry, const Commit& commit) {
  const LogEntry again = append_again(commit);
  if (!calls.problem().empty()) return halt(words.app_threw_in_log(calls.problem()));
  if (again.log_hash != entry.log_hash || again.count != entry.count) {
    return halt(words.differs_from_peers(entry.slot));
  }
  writer->persist(checkpointing.take_records(), 0);
  checkpointing.committed(entry);
  write_back(entry, commit, [] {});
}

// All payloads, in their places: what is read of them may be a copy in memory that is right. Pre:
// the commit is that of the entry.
void Node::Impl::write_back(const LogEntry& entry, const Commit& commit,
                            std::function<void()> done) {
  for (std::size_t i = 0; i < entry.blocks.size(); ++i) {
    const bool last = i + 1 == entry.blocks.size();
    writer->mend(
        entry.blocks[i].place, commit.blocks[i]->payload, last ? done : [] {});
  }
}

// The same for blocks that are ordered only now, and are in the store already.
void Node::Impl::write_back(const Commit& commit) {
  for (const OrderedBlockPtr& b : commit.blocks) {
    const RecordName record = engine->record_of(*b);
    const auto place = store->locate(record.table, record.key.view());
    if (place && place->size == b->payload.size()) writer->mend(*place, b->payload);
  }
}

// To the log again, and its blocks before it. Records that the protocol has erased go again
// afterwards, and those that it has keep its notes.
void Node::Impl::write_again(Commit out) {
  std::vector<Persist> records = engine->records_of(out);
  std::vector<Persist> erasures;
  for (Persist& r : records) {
    bool found = false;
    (void)store->scan(r.table, r.key.view(), [&](ByteView at, ByteView value) {
      found = std::equal(at.begin(), at.end(), r.key.view().begin(), r.key.view().end());
      if (found) r.value = Bytes::copy_of(value);
      return false;
    });
    if (!found) erasures.push_back({r.table, r.key, {}, {}, true});
  }
  writer->persist(std::move(records), 0);
  commit(std::move(out));
  writer->persist(std::move(erasures), 0);
}

// The protocol delivers what does not follow the log. The missing part comes from the peers before
// anything else is stepped; its deliveries wait.
void Node::Impl::note_gap(Commit commit) {
  const std::string what = "the log of '" + options.home + "' lacks commits: " +
                           missing_between(ledger.end(), commit.before, commit.slot);
  if (committee().size() == 1) {
    return halt(Error{ErrorCode::kCorrupt, what, options.home,
                      "there is no peer to fetch them from. `thresher log` reads what is there"});
  }
  // Where the one before is in the log, and is not its end, the peers' logs say what is right.
  const Round until = commit.before > ledger.slot() ? commit.before : commit.slot;
  missing.gap(until, std::move(commit));
  say(Level::kWarning, what + "; they are fetched from peers before this node signs anything more");
}

// A block that is ordered now cannot be read back. Peers have the commit, or will have: they need
// this node's messages for that, so it goes on with them.
void Node::Impl::fetch_unreadable(const Commit& commit, const OrderedBlock& block) {
  const std::string what = "the payload of block " + std::to_string(block.author.value) + "/" +
                           std::to_string(block.round.value) +
                           ", which is ordered now, cannot be read back from '" + options.home +
                           "'";
  if (committee().size() == 1 || !engine->adopts()) {
    return halt(Error{ErrorCode::kCorrupt, what, options.home,
                      "check the disk, there is nobody to fetch it from"});
  }
  missing.fetch(commit.slot);
  say(Level::kWarning, what + ": slot " + std::to_string(commit.slot.value) +
                           " is fetched from peers; check the disk");
}

// Takes what the protocol delivered behind the hole that is now filled.
void Node::Impl::deliver_held() {
  for (Commit& commit : missing.take_held()) deliver(std::move(commit));
}

// A commit that correct peers made: to the disk, the log, the application, and the DAG.
void Node::Impl::adopt(Commit commit_of_peers) {
  if (start.under_way()) return mend_with(std::move(commit_of_peers));
  // The order went on by itself meanwhile: commits that follow its end come again.
  if (!ledger.follows(commit_of_peers)) return;
  if (log_lacks()) write_back(commit_of_peers);
  engine->adopt(commit_of_peers, Stored::kNo);
  commit(std::move(commit_of_peers));
  if (!log_lacks()) deliver_held();
  clients.tell();
  clients.log_grew();
}

}  // namespace thresher::net
