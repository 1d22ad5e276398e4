#include "node/last_words.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "files/advice.hpp"
#include "files/disk_problem.hpp"
#include "thresher/core/hex.hpp"
#include "thresher/text/json.hpp"

namespace thresher::net {
namespace {

std::string short_hex(const Digest& digest) {
  return to_hex(ByteView(digest.bytes).first(8));
}

std::string positions(std::uint64_t first, std::uint64_t end) {
  return "positions " + std::to_string(first) + " to " + std::to_string(end - 1);
}

// What the application answered, where that is known, and its hash.
std::string shown(const std::optional<ApplyResult>& result, const Digest& hash) {
  if (!result) return to_hex(hash.bytes);
  const std::string_view text = as_text(result->bytes.view());
  const bool words = std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
  return std::string(result->failed ? "failed " : "") +
         (words ? text::quoted(text) : "0x" + to_hex(result->bytes.view())) + " (hash " +
         to_hex(hash.bytes) + ")";
}

}  // namespace

Error LastWords::unreadable(Errc why, const std::string& place) const {
  if (why == Errc::kIo) {
    return disk_error("cannot read " + place + " of '" + home_ + "'", errno, home_);
  }
  return {ErrorCode::kCorrupt,
          "the log of '" + home_ + "' is damaged (" + place +
              "). A node that forgot what it signed must not sign. A backup of the folder helps "
              "only if the node has not run since it was made; else move 'data' away and keep it. "
              "Then " +
              std::string(kObserve),
          home_};
}

Error LastWords::not_written(const Error& why, WriterThread::Failure failure) const {
  const std::string text = why.text();
  if (failure == WriterThread::Failure::kDefect) {
    return {why.code, "the log of '" + home_ + "' was not written on: " + text, home_,
            "this is a defect of the program: keep the folder, report it, and start the node "
            "again, which reads its log anew"};
  }
  if (why.code == ErrorCode::kMissing)
    return {why.code, "nothing more was signed: " + why.what, home_, why.remedy};
  if (why.code == ErrorCode::kUnsupported) return disk_failed(home_, why, {});
  if (text.find(std::strerror(EMFILE)) != std::string::npos) {
    return {
        why.code,
        "nothing can be written under '" + home_ + "': " + disk_problem(EMFILE) + " (" + text + ")",
        home_};
  }
  return {why.code, "the disk under '" + home_ + "' refused a write", home_,
          "free space or replace it, then restart the node (" + text + ")"};
}

Error LastWords::pruned_too_far(std::uint64_t begins, bool refused) const {
  if (refused) {
    return {ErrorCode::kRejected,
            "restore() of the application took none of the snapshots in '" + data_ +
                "', and the log of '" + home_ + "' begins at position " + std::to_string(begins) +
                ", so they are needed: keep them, mend the application, and start the node again",
            data_};
  }
  return {ErrorCode::kMissing,
          "the log of '" + home_ + "' begins at position " + std::to_string(begins) +
              ", and no snapshot in '" + data_ +
              "' gives the application's state from there on: put 'snapshots' or 'snapshot' of "
              "this folder back; else move 'data' away and keep it. Then " +
              std::string(kObserve),
          data_};
}

Error LastWords::restored_wrongly(const std::string& snapshot, const std::string& state,
                                  const std::string& remedy, std::uint64_t begins) const {
  // What is below the log's beginning no start can read again.
  const std::string way =
      begins > 0 ? "and start the node again. Keep '" + remedy + "': the log begins at position " +
                       std::to_string(begins) + ", so no start can do without"
                 : "remove '" + remedy + "', and start the node again, which reads more of its log";
  return {ErrorCode::kRejected,
          "the snapshot '" + snapshot + "' does not give " + state +
              ": snapshot() or freeze() and restore() of the application do not belong together. "
              "Mend it, " +
              way,
          data_};
}

Error LastWords::of_other_genesis(const std::string& place) const {
  return {ErrorCode::kMismatch,
          "the log of '" + home_ + "' does not begin (" + place + ") as the genesis file '" +
              genesis_ + "' says: the file was changed, or is that of another network",
          genesis_,
          "put the one back with which the log was made. If it is that one, the log is damaged: "
          "move 'data' away and keep it. Then " +
              std::string(kObserve)};
}

Error LastWords::never_twice(const std::string& what) const {
  return {ErrorCode::kMismatch,
          what +
              ": another process runs with this key, or the folder is an old copy. Stop the other "
              "process. " +
              std::string(kKeyMayNotSign),
          home_};
}

Error LastWords::differs_from_peers(Round slot) const {
  return {ErrorCode::kMismatch,
          "the log of '" + home_ + "' differs from that of " + vouching_ + " peers in slot " +
              std::to_string(slot.value) + ". Keep the folder, which shows what happened",
          home_};
}

Error LastWords::differs_from_peers(const StandingCheck::Finding& found) const {
  const bool narrow = found.first.value == found.same.value + 1;
  return {
      ErrorCode::kMismatch,
      "the log of '" + home_ + "' differs from that of " + vouching_ +
          " peers. The first slot that differs is " +
          (narrow ? std::string() : "between " + std::to_string(found.same.value + 1) + " and ") +
          std::to_string(found.first.value) + ": log hash " + to_hex(found.here.bytes) + " here, " +
          to_hex(found.there.bytes) +
          " there. This node neither signs nor serves it any more: keep the folder, which "
          "shows what happened. With another folder in the place of 'data' " +
          std::string(kObserve),
      home_};
}

Error LastWords::broken_invariant(const std::string& protocol, std::uint32_t f,
                                  const std::string& what) const {
  return {ErrorCode::kRejected,
          "an invariant of '" + protocol + "' does not hold: " + what +
              ". Either this is a defect of the program or more than " + std::to_string(f) +
              " members are Byzantine: nothing more is signed",
          home_, "keep the folder '" + home_ + "' and report it before you start the node again"};
}

Error LastWords::app_threw(const std::string& problem) const {
  return {ErrorCode::kRejected, problem, home_,
          "mend the application, then start the node again: it has the log"};
}

Error LastWords::app_threw_in_log(const std::string& problem) const {
  return {ErrorCode::kRejected, problem, home_,
          "mend the application, then start the node again, which gives it this transaction first"};
}

std::string LastWords::how_to_apply_again(bool pruned) const {
  return "remove 'snapshot' in '" + data_ + "', and start the node again, which applies its " +
         (pruned ? "log anew from a certified snapshot on (leave 'snapshots' where it is: the log "
                   "before it was pruned)"
                 : "log anew");
}

Error LastWords::differs_in_result(const Checkpoints::Difference& d, const DivergenceSearch& search,
                                   bool pruned) const {
  const auto told = [&](const std::string& which) {
    return Error{ErrorCode::kRejected,
                 "the application of '" + home_ + "' gave another result than those of " +
                     std::to_string(d.peers.size()) + " peers, which signed theirs. " + which +
                     ". The log is the same: the application is not deterministic or was changed, "
                     "or the memory is bad. Nothing more was acknowledged",
                 home_, "mend it, " + how_to_apply_again(pruned)};
  };
  if (const auto& f = search.found()) {
    return told("The first transaction that differs is at position " + std::to_string(f->position) +
                " (client " + to_hex(f->here.client.bytes) + ", sequence " +
                std::to_string(f->here.sequence) + "): result " +
                shown(f->result_here, f->here.result) + " here, " +
                shown(f->result_there, f->there.result) + " there");
  }
  return told("The first one that differs is among " + positions(search.first(), search.end()) +
              "; no peer answered with the rest");
}

Error LastWords::differs_in_state(const Checkpoints::Difference& d, bool pruned) const {
  const std::string same = d.same
                               ? "At position " + std::to_string(d.same->length) + " (slot " +
                                     std::to_string(d.same->slot.value) + ") they were the same. "
                               : std::string();
  return {ErrorCode::kRejected,
          "the application of '" + home_ + "' has another state than those of " +
              std::to_string(d.peers.size()) + " peers after position " +
              std::to_string(d.here.length) + " (slot " + std::to_string(d.here.slot.value) +
              "): state " + short_hex(d.here.state) + " here, " + short_hex(d.there.state) +
              " there, with the same results up to there. " + same +
              "The application is not deterministic or was changed, or the memory is bad. Nothing "
              "more was acknowledged",
          home_, "mend it, " + how_to_apply_again(pruned)};
}

}  // namespace thresher::net
