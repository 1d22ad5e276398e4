// Holes in a node's log: found when it is read at a start, or when the protocol delivers what does
// not follow it. They are filled from the logs of peers, of whom one at least is correct, and
// nothing of the protocol is signed before they are.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "node/log_care.hpp"

namespace thresher::net {
namespace {
/// Reading on in the log behind a hole, at a time: the node's other work waits for this long. Unit:
/// microseconds.
constexpr std::uint64_t kReadOn = 50'000;
}  // namespace

bool LogCare::can_be_given() const {
  return node_.committee().size() > 1 && node_.options.store != StoreKind::kMemory;
}

// `until` 0: all that the store has behind the end of the ledger is fetched anew, because the
// log is a sequence of frames and what is missing in the middle of it is written at its end.
Result<Unit, Error> LogCare::lacks_log(Round until, std::optional<LogEntry> damaged,
                                       const std::string& what) {
  if (!can_be_given()) return node_.words.unreadable(Errc::kCorrupt, what);
  if (until == Round{0}) {
    const auto read = node_.reader.each(node_.ledger.slot(), [&](const LogEntry& entry) {
      until = std::max(until, entry.slot);
      return true;
    });
    if (!read) return node_.words.unreadable(read.error(), "an entry of the log");
  }
  missing_.hole(until, std::move(damaged));
  node_.say(Level::kWarning, "the log of '" + node_.options.home + "' is damaged (" + what +
                                 "): slots " + std::to_string(node_.ledger.slot().value + 1) +
                                 " to " + std::to_string(until.value) +
                                 " are fetched from peers before this node signs anything");
  return Unit{};
}

// The records of the protocol know of more than the log has.
void LogCare::note_lost_end() {
  // A record without its body says nothing yet.
  if (!bodiless_.empty()) return;
  const Round noted = node_.engine->noted();
  if (node_.committee().size() == 1 || noted <= std::max(node_.ledger.slot(), missing_.until()) ||
      missing_.unread())
    return;
  missing_.hole(noted);
  node_.say(Level::kWarning,
            "the log of '" + node_.options.home + "' lacks commits: its protocol delivered slot " +
                std::to_string(noted.value) + ", but the log ends with slot " +
                std::to_string(node_.ledger.slot().value) + " (" +
                std::to_string(node_.ledger.length()) +
                " transactions); they are fetched from peers before this node signs anything");
}

// At a start, again and again until the log is whole; that of an observer never ends.
void LogCare::mend_log(std::uint64_t now) {
  if (whole() && node_.options.observe) missing_.follow();
  if (whole()) return;
  if (lacks()) {
    if (sync_.active()) return sync_.tick(now);
    if (rot_.fetches() || !missing_.may_fetch(now)) return;
    return sync_.begin(node_.ledger.slot(), node_.ledger.log_hash(), now);
  }
  missing_.close_hole();
  if (const auto read = read_log(now + kReadOn); !read) return node_.halt(read.error());
  if (!missing_.unread()) note_lost_end();
  node_.writer->stands(node_.ledger.end());
  hooks_.grew();
}

// A commit that peers vouch for, for the hole.
void LogCare::mend_with(Commit commit) {
  if (!lacks() || !node_.ledger.follows(commit)) return;
  if (commit.slot > missing_.until()) {
    return node_.halt(Error{
        ErrorCode::kMismatch,
        "the log of '" + node_.options.home + "' differs from that of " +
            std::to_string(node_.committee().at_least(kValidity)) +
            " peers: this node delivered slot " + std::to_string(missing_.until().value) +
            ", they went from slot " + std::to_string(node_.ledger.slot().value) + " to " +
            std::to_string(commit.slot.value) + ". Keep the folder, which shows what happened",
        node_.options.home});
  }
  give_bodies(commit);
  if (const LogEntry* damaged = missing_.damaged(commit.slot)) {
    mend_payloads(*damaged, commit);
  } else {
    write_again(std::move(commit));
  }
  if (!lacks()) sync_.stop();
  hooks_.grew();
}

// The entry is there, and so are the frames around it: only payloads are not what they were.
void LogCare::mend_payloads(const LogEntry& entry, const Commit& commit) {
  const LogEntry again = append_again(commit);
  if (!node_.calls.problem().empty())
    return node_.halt(node_.words.app_threw_in_log(node_.calls.problem()));
  if (again.log_hash != entry.log_hash || again.count != entry.count) {
    return node_.halt(node_.words.differs_from_peers(entry.slot));
  }
  node_.writer->persist(checkpointing_.take_records(), 0);
  checkpointing_.committed(entry);
  write_back(entry, commit, [] {});
}

// All payloads, in their places: what is read of them may be a copy in memory that is right. Pre:
// the commit is that of the entry.
void LogCare::write_back(const LogEntry& entry, const Commit& commit,
                         const std::function<void()>& done) {
  for (std::size_t i = 0; i < entry.blocks.size(); ++i) {
    const bool last = i + 1 == entry.blocks.size();
    node_.writer->mend(
        entry.blocks[i].place, commit.blocks[i]->payload, last ? done : [] {});
  }
}

// The same for blocks that are ordered only now, and are in the store already.
void LogCare::write_back(const Commit& commit) {
  for (const OrderedBlockPtr& b : commit.blocks) {
    const RecordName record = node_.engine->record_of(*b);
    const auto place = node_.store->locate(record.table, record.key.view());
    if (place && place->size == b->payload.size()) node_.writer->mend(*place, b->payload);
  }
}

// To the log again, and its blocks before it. Records that the protocol has erased go again
// afterwards, and those that it has keep its notes.
void LogCare::write_again(Commit out) {
  std::vector<Persist> records = node_.engine->records_of(out);
  std::vector<Persist> erasures;
  for (Persist& r : records) {
    bool found = false;
    (void)node_.store->scan(r.table, r.key.view(), [&](ByteView at, ByteView value) {
      found = std::equal(at.begin(), at.end(), r.key.view().begin(), r.key.view().end());
      if (found) r.value = Bytes::copy_of(value);
      return false;
    });
    if (!found) erasures.push_back({r.table, r.key, {}, {}, true});
  }
  node_.writer->persist(std::move(records), 0);
  hooks_.commit(std::move(out));
  node_.writer->persist(std::move(erasures), 0);
}

// The protocol delivers what does not follow the log. The missing part comes from the peers before
// anything else is stepped; its deliveries wait.
void LogCare::note_gap(Commit commit) {
  const std::string what = "the log of '" + node_.options.home + "' lacks commits: " +
                           missing_between(node_.ledger.end(), commit.before, commit.slot);
  if (node_.committee().size() == 1) {
    return node_.halt(
        Error{ErrorCode::kCorrupt, what, node_.options.home,
              "there is no peer to fetch them from. `thresher log` reads what is there"});
  }
  // Where the one before is in the log, and is not its end, the peers' logs say what is right.
  const Round until = commit.before > node_.ledger.slot() ? commit.before : commit.slot;
  missing_.gap(until, std::move(commit));
  node_.say(Level::kWarning,
            what + "; they are fetched from peers before this node signs anything more");
}

// A block that is ordered now cannot be read back. Peers have the commit, or will have: they need
// this node's messages for that, so it goes on with them.
void LogCare::lacks_payload(const Commit& delivered, const OrderedBlock& block) {
  const std::string what = "the payload of block " + std::to_string(block.author.value) + "/" +
                           std::to_string(block.round.value) +
                           ", which is ordered now, cannot be read back from '" +
                           node_.options.home + "'";
  if (node_.committee().size() == 1 || !node_.engine->adopts()) {
    return node_.halt(Error{ErrorCode::kCorrupt, what, node_.options.home,
                            "check the disk, there is nobody to fetch it from"});
  }
  missing_.fetch(delivered.slot);
  node_.say(Level::kWarning, what + ": slot " + std::to_string(delivered.slot.value) +
                                 " is fetched from peers; check the disk");
}

}  // namespace thresher::net
