// Reads the log of a node that is not running from its write-ahead log alone: nothing is opened for
// writing, nothing is repaired, and a damaged index does not matter. A store of the host's own is
// opened as the host says, and read in the order of the slots.
#include <algorithm>
#include <cerrno>
#include <optional>

#include "engines/ordering_protocols.hpp"
#include "files/disk_problem.hpp"
#include "files/odd_file.hpp"
#include "ledger/ledger.hpp"
#include "ledger/log_entry.hpp"
#include "ledger/log_reader.hpp"
#include "life/resting_store.hpp"
#include "store/open_store.hpp"
#include "store/wal_scan.hpp"
#include "thresher/net/genesis.hpp"
#include "thresher/net/node.hpp"

namespace thresher::net {
namespace {

/// One entry after the other, without a hole. An entry that was missing once and was fetched from
/// peers stands behind those that follow it, which stand there again too.
class Reading {
 public:
  using ReadBody = std::function<Result<Bytes>(const BodyPlace&)>;
  Reading(const Genesis& genesis, std::uint64_t from,
          const std::function<void(const Transaction&)>& visit, ReadBody read_body)
      : log_(log_form_of(genesis)), from_(from), visit_(visit), read_body_(std::move(read_body)) {}

  /// False when `problem()` says why.
  bool record(const WalRecord& record) {
    if (record.table == kLedgerTable) return record.value.empty() || decoded(record);
    return record.table != kBeginTable || begins(decode_begin(record.value));
  }
  // A pruned part is not missing. A request for more than all that is there is refused.
  bool begins(const std::optional<LogBegin>& begin) {
    if (!begin || begin->slot <= end_.slot) return true;
    begins_later_ = from_ > 0 && from_ < begin->length;
    if (begins_later_) return fails({ErrorCode::kMissing, pruned_words(from_, begin->length)});
    end_ = {begin->slot, begin->length};
    return true;
  }
  bool entry(const LogEntry& entry) {
    if (!end_.precedes(entry)) {
      if (entry.slot > std::max(end_.slot, behind_)) {
        behind_ = entry.slot;
        missing_ = missing_between(end_, entry.before, entry.slot);
      }
      return true;
    }
    end_ = end_of(entry);
    return end_.length <= from_ || transactions(entry);
  }
  /// To be asked at the end.
  bool begins_later() const { return begins_later_; }
  std::optional<Error> problem() const {
    if (problem_ || behind_ <= end_.slot) return problem_;
    return Error{ErrorCode::kCorrupt, missing_};
  }

 private:
  bool decoded(const WalRecord& record) {
    const auto read = decode_entry(record.key, record.value, log_);
    if (read) return entry(*read);
    return fails({ErrorCode::kCorrupt,
                  "an entry behind slot " + std::to_string(end_.slot.value) + " cannot be read"});
  }
  bool transactions(const LogEntry& entry) {
    std::uint64_t position = entry.first;
    for (const LoggedBlock& b : entry.blocks) {
      const auto payload = checked_payload(b, read_body_(b.place));
      if (!payload) {
        if (payload.error() == Errc::kIo) return fails(disk_error("cannot read it", errno, {}));
        return fails({ErrorCode::kCorrupt,
                      "a payload of slot " + std::to_string(entry.slot.value) + " is damaged"});
      }
      position =
          each_ordered(b, payload->view(), position, [&](const Transaction& t, const Validity&) {
            if (t.position >= from_) visit_(t);
          });
    }
    return true;
  }
  bool fails(Error why) {
    problem_ = std::move(why);
    return false;
  }

  LogForm log_;
  std::uint64_t from_;
  const std::function<void(const Transaction&)>& visit_;
  ReadBody read_body_;
  LogEnd end_;
  Round behind_{0};  // the last entry that did not follow
  std::string missing_;
  std::optional<Error> problem_;
  bool begins_later_ = false;  // than what was asked for
};

// Where the log of a node begins again that took its state from peers: between that and what it had
// before there is a hole, so what stands in front is not part of its log any more. A log that was
// pruned begins no later than its end. As far as the file can be read: what is wrong with it, the
// reading after this one says.
std::optional<LogBegin> last_jump(WalScan& wal) {
  Round highest{0};
  std::optional<LogBegin> out;
  wal.skim(kBeginTable, [&](const WalRecord& r) {
    if (r.table == kLedgerTable) highest = std::max(highest, Round{number_of(r.key)});
    if (r.table != kBeginTable) return;
    const auto begin = decode_begin(r.value);
    if (begin && begin->slot > highest) out = begin;
  });
  return out;
}

Error told(const NodeOptions& options, const Reading& reading, Error why) {
  const std::string log = "the log of '" + options.home + "'";
  if (reading.begins_later()) return {ErrorCode::kMissing, log + ": " + why.text(), options.home};
  return because(log + " ends early", options.home, std::move(why));
}

// For a store of the host's own.
Result<Unit, Error> read_store(const NodeOptions& options, const Genesis& genesis,
                               std::uint64_t from,
                               const std::function<void(const Transaction&)>& visit) {
  const auto store = open_store(options);
  if (!store) return store.error();
  const LogReader log(**store, log_form_of(genesis));
  Reading reading(genesis, from, visit,
                  [&](const BodyPlace& place) { return (*store)->read_body(place); });
  Result<Unit> read = Unit{};
  if (reading.begins(log.begin())) {
    read = log.each(log.begin().slot, [&](const LogEntry& entry) { return reading.entry(entry); });
  }
  if (const auto problem = reading.problem()) return told(options, reading, *problem);
  if (!read) return told(options, reading, read_error("an entry", read.error(), options.home));
  return Unit{};
}

}  // namespace

Result<Unit, Error> read_log(NodeOptions options, std::uint64_t from,
                             const std::function<void(const Transaction&)>& visit) {
  options = with_paths(std::move(options));
  const auto genesis = load_genesis(options.genesis);
  if (!genesis) return genesis.error();
  if (options.make_store) return read_store(options, *genesis, from, visit);
  const std::string path = options.data + "/wal";
  if (std::string why = odd_file(path); !why.empty())
    return Error{ErrorCode::kMalformed, std::move(why), path};
  if (const auto resting = at_rest(options, genesis->context().chain); !resting)
    return resting.error();
  WalScan wal(WalScan::For::kReading);
  if (auto opened = wal.open(path); !opened) return opened;
  Reading reading(*genesis, from, visit,
                  [&](const BodyPlace& place) { return wal.read_body(place, wal.size()); });
  Result<Unit, Error> read = Unit{};
  if (reading.begins(last_jump(wal))) {
    read = wal.read({}, [&](const WalFrame& frame) {
      for (const WalRecord& r : frame.records) {
        if (!reading.record(r)) return false;
      }
      return true;
    });
  }
  if (const auto problem = reading.problem()) return told(options, reading, *problem);
  if (!read) return told(options, reading, read.error());
  if (auto lost = lost_all(options, genesis->context().chain, wal))
    return told(options, reading, std::move(*lost));
  return Unit{};
}

}  // namespace thresher::net
