// The stored log, read back into the ledger and the application: at a start, and behind a hole that
// peers have filled.
#include <string>
#include <utility>

#include "node/log_care.hpp"

namespace thresher::net {
namespace {
/// Transactions after which /readyz is told how far the log was read.
constexpr std::uint64_t kTellEach = 4096;
}  // namespace

// What the log of the disk has already: it goes to the ledger and the application alone.
LogEntry LogCare::append_again(const Commit& commit) {
  return node_.ledger.append(commit, node_.hashed,
                             [this](const Transaction& t, const NewTransaction& of) {
                               hooks_.apply(t, of.block->author, of.payload);
                             });
}

// Puts an entry of the own log into the ledger and the application. A hole in front of it or in it
// is kept in `missing_`, where peers may have what is missing.
Result<Unit, Error> LogCare::replay(const LogEntry& entry) {
  const std::string place = "slot " + std::to_string(entry.slot.value);
  const auto commit = read_back(entry);
  if (!commit) return commit.error();
  if (!*commit) return Unit{};
  const LogEntry again = append_again(**commit);
  if (!node_.calls.problem().empty()) return node_.words.app_threw_in_log(node_.calls.problem());
  if (again.log_hash != entry.log_hash || again.count != entry.count) {
    if (entry.before == Round{0}) return node_.words.of_other_genesis(place);
    return node_.words.unreadable(Errc::kCorrupt, "the hash chain breaks at " + place);
  }
  (void)checkpointing_.take_records();
  checkpointing_.committed(entry);
  if (!node_.calls.problem().empty()) return node_.words.app_threw_in_log(node_.calls.problem());
  return Unit{};
}

Result<Unit, Error> LogCare::read_log(std::optional<std::uint64_t> until_us) {
  Result<Unit, Error> replayed = Unit{};
  bool all = true;
  const auto read = node_.reader.each(node_.ledger.slot(), [&](const LogEntry& entry) {
    if (node_.options.stop.stop_requested()) {
      replayed = Error{ErrorCode::kRejected, std::string(kStoppedAtStart), node_.options.home};
      return false;
    }
    if (node_.metrics && entry.first / kTellEach != (entry.first + entry.count) / kTellEach) {
      node_.metrics->starting("reads its log: slot " + std::to_string(entry.slot.value));
    }
    replayed = replay(entry);
    all = !missing_.has_hole() && !(until_us && Loop::now_us() > *until_us);
    return replayed && all;
  });
  missing_.read(all);
  if (replayed && !read) return node_.words.unreadable(read.error(), "an entry of the log");
  return replayed;
}

// The commit of an entry that continues the log. Empty: something is missing that peers may have,
// and is noted in `missing_`. An error: what cannot be mended.
Result<std::optional<Commit>, Error> LogCare::read_back(const LogEntry& entry) {
  const auto hole = [](const Result<Unit, Error>& noted) -> Result<std::optional<Commit>, Error> {
    if (!noted) return noted.error();
    return std::optional<Commit>{};
  };
  if (!node_.ledger.end().precedes(entry)) {
    return hole(lacks_log(
        Round{0}, {},
        "it lacks commits: " + missing_between(node_.ledger.end(), entry.before, entry.slot)));
  }
  Commit commit{entry.slot, entry.id, {}, entry.before};
  for (const LoggedBlock& b : entry.blocks) {
    const bool empty = b.block->payload_bytes == 0;
    const auto body = empty ? Result<Bytes>(Bytes{}) : node_.store->read_body(b.place);
    const auto payload = checked_payload(b, body, &node_.hashed);
    if (payload) {
      commit.blocks.push_back(with_payload(*b.block, *payload));
      continue;
    }
    const std::string place = "a payload of slot " + std::to_string(entry.slot.value);
    if (payload.error() == Errc::kIo) return node_.words.unreadable(Errc::kIo, place);
    // Damaged bytes are written again where they lie. Where the log of the disk ends before
    // it there is no such place: then the rest of the log is fetched.
    return hole(body ? lacks_log(entry.slot, entry, place)
                     : lacks_log(Round{0}, {}, place + " is missing"));
  }
  return std::optional(std::move(commit));
}

}  // namespace thresher::net
