// The part of the log in front of a snapshot that the protocol of a newcomer has to know, fetched
// from peers: it goes on behind the snapshot's checkpoint then. Private to net/.
//
//   LogWindow window(committee, self, log_form, ledger_of_the_snapshot, {fetching, entry_of,
//   ended}); window.begin(now); window.tick(now); window.part(peer, frame, now); window.hash(peer,
//   frame, now);
//   // until ended(): then window.take_records() is what the store has to have
//
// Guarantees: only commits that f + 1 peers vouch for are taken, and ended() is called once: with
// true when they hash to what a quorum certified, so that the log that follows is the one of the
// snapshot; with false when they do not, which takes more than f Byzantine members. Nothing is
// written here.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ledger/log_sync.hpp"
#include "life/portable_ledger.hpp"

namespace thresher::net {

class LogWindow {
 public:
  struct Hooks {
    std::function<void(NodeId, Frame)> send;
    std::function<void(NodeId, const std::string& how)> blame;
    /// A peer has pruned what is asked for: its log begins behind this slot.
    std::function<void(NodeId, Round begins)> pruned;
    /// The records with which the protocol knows a commit; `progress`: of the snapshot.
    std::function<std::vector<Persist>(const Commit&, const std::vector<Persist>& progress)>
        entry_of;
    std::function<void(bool certified)> ended;
  };

  LogWindow(const Committee& committee, NodeId self, const LogForm& log, PortableLedger ledger,
            Hooks hooks);
  LogWindow(const LogWindow&) = delete;
  LogWindow& operator=(const LogWindow&) = delete;

  /// Nothing else would ask for the rest, so no giver's word that there is no more ends it.
  void begin(std::uint64_t now);
  void tick(std::uint64_t now) { sync_.tick(now); }
  void part(NodeId from, const Frame& frame, std::uint64_t now) { sync_.part(from, frame, now); }
  void hash(NodeId from, const Frame& frame, std::uint64_t now) { sync_.hash(from, frame, now); }

  /// Of the snapshot.
  const PortableLedger& ledger() const { return ledger_; }
  /// Of all commits. Pre: it ended, and is certified.
  std::vector<Persist> take_records() { return std::move(records_); }

 private:
  void note(const Commit& commit);

  PortableLedger ledger_;
  Hooks hooks_;
  LogSync sync_;
  Digest hash_;  // of the log, behind what came
  std::vector<Persist> records_;
  bool ended_ = false;
};

}  // namespace thresher::net
