// Compares the log with those of the peers, all the time: whatever made a log differ, its node must
// not go on signing and serving it. Private to net/.
//
//   check.tick(ledger.slot(), ledger.log_hash(), now);       // every kTick
//   check.hash(peer, answer, now);                           // kLogHash
//   if (check.suspects()) ...                                // say nothing more
//   if (const auto& f = check.finding()) halt(...);
//
// At most once in kPeriod all peers are asked for their log hash after the last slot here; the hash
// chains all before. When kValidity of them name another one than the own, one correct node's log
// differs: the first differing slot is searched for by halves, then finding() has it.
//
// Guarantees: fewer than kValidity liars neither stop a node nor make it suspect; an idle cluster
// asks no more; a search ends within kSearch, at worst with a range instead of a slot. Does not say
// which log is right: with at most f faulty nodes that of the peers is.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "thresher/core/committee.hpp"
#include "thresher/core/hash.hpp"
#include "thresher/net/transport.hpp"
#include "thresher/net/wire.hpp"

namespace thresher::net {

class StandingCheck {
 public:
  struct Hooks {
    std::function<void(NodeId, Frame)> send;
    /// The log hash here after the last commit up to a slot; empty: the disk has not come so far.
    std::function<std::optional<Digest>(Round)> hash_at;
  };
  struct Finding {
    Round same{0};   ///< up to here the logs are the same
    Round first{0};  ///< here they differ; same + 1 but for a search that was cut short
    Digest here{};
    Digest there{};
  };
  /// Unit: microseconds.
  static constexpr std::uint64_t kPeriod = 1'000'000;
  static constexpr std::uint64_t kSearch = 5'000'000;

  StandingCheck(const Committee& committee, NodeId self, Hooks hooks)
      : committee_(committee),
        self_(self),
        hooks_(std::move(hooks)),
        agree_(committee),
        differ_(committee) {}

  /// `head` is the last slot of the log, `hash` the hash after it. Times are monotonic.
  void tick(Round head, const Digest& hash, std::uint64_t now);
  /// Asks one peer, whose link has just come up, what all were asked last.
  void ask(NodeId peer) const;
  void hash(NodeId from, const wire::LogHash& answer, std::uint64_t now);

  bool suspects() const { return searching_; }
  const std::optional<Finding>& finding() const { return finding_; }

 private:
  void ask_all() const;
  void compare(Round slot, const Digest& own);
  void search();
  void conclude();

  struct Place {
    Round slot{0};
    Digest hash{};  // of the log here, after the slot
  };
  Committee committee_;
  NodeId self_;
  Hooks hooks_;
  Round slot_{0};  // asked for; 0: none yet
  Digest own_{};   // the log hash here after it
  Tally agree_;
  Tally differ_;
  Place sample_;  // the end of the log one period ago
  std::uint64_t asked_us_ = 0;
  Round same_{0};  // an earlier slot at which kValidity peers agreed

  bool searching_ = false;
  std::uint64_t search_ends_us_ = 0;
  Place differs_;  // the earliest slot so far at which kValidity peers differ
  Digest there_{};
  std::optional<Finding> finding_;
};

}  // namespace thresher::net
