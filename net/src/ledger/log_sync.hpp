// Fetches the committed log from peers, for a node that was away for longer than the DAG is kept.
// Private to net/.
//
//   sync.begin(ledger.slot(), ledger.log_hash(), now);
//   sync.tick(now); sync.part(peer, frame, now); sync.hash(peer, frame, now);   // until !active()
//
// A part of the log is a LogPart of net/proto/thresher.proto; the payloads of its blocks stand one
// after another in the frame's payload.
//
// Guarantees: hands out a commit only when kValidity peers named the log hash that follows from it,
// so one correct node at least made it; holds at most kBufferBytes of whole commits that are not
// confirmed, and as much of one that is not whole, or twice as much whenever all givers had a turn
// and none could end it, up to what n members can fill in the rounds that a protocol keeps; a
// giver that stops, lies or floods is replaced by the next, one that is slow gives for its turn and
// not longer, so of the time f in n - 1 parts at most are lost to liars. Named is a giver whose lie
// is shown: its answer cannot be decoded, its payloads are not those of its blocks, or kValidity
// peers name another log hash than follows from it. Does not need signatures: a node's word comes
// over its own TLS connection, and digests bind the content.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>

#include "ledger/commit.hpp"
#include "thresher/core/committee.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/net/transport.hpp"

namespace thresher::net {
namespace wire {
struct LogBlock;
struct LogPart;
struct LogPlace;
}  // namespace wire

class LogSync {
 public:
  struct Hooks {
    std::function<void(NodeId, Frame)> send;
    std::function<void(Commit)> apply;  ///< confirmed, in order
    std::function<bool()> ready;        ///< false: the disk cannot follow just now
    /// Gets the peer of a false answer, and how it was false. Null: nobody wants to know.
    std::function<void(NodeId, const std::string& how)> blame{};
    /// A giver has pruned what is asked for: its log has slots above this one.
    std::function<void(NodeId, Round begins)> pruned{};
  };

  LogSync(const Committee& committee, NodeId self, const LogForm& log, Hooks hooks)
      : committee_(committee), self_(self), log_(log), hooks_(std::move(hooks)) {}

  bool active() const { return active_; }
  /// Parts that were fetched and not handed out are dropped.
  void stop();
  /// The log here ends with `slot` and hashes to `log_hash`. It is active until it has come to
  /// `wanted`, and to the end of its giver's log. Times are monotonic microseconds.
  void begin(Round slot, const Digest& log_hash, std::uint64_t now, Round wanted = {});
  /// The log here has come to end with `slot` without what was fetched, by the protocol itself: the
  /// next giver is asked from there. All before it may be pruned everywhere.
  void reached(Round slot, const Digest& log_hash);
  /// To be called every kTick while active.
  void tick(std::uint64_t now);
  void part(NodeId from, const Frame& frame, std::uint64_t now);
  void hash(NodeId from, const Frame& frame, std::uint64_t now);

  static constexpr std::uint64_t kTick = 20'000;
  static constexpr std::size_t kBufferBytes = 256u << 20;
  /// Commits fetched so far.
  std::uint64_t fetched() const { return fetched_; }

 private:
  struct Check {
    Digest hash{};
    Tally agree;
    Tally differ;                      // who named another hash; each is heard once
    std::map<Digest, Tally> others{};  // what they named
  };
  enum class Took : std::uint8_t {
    kGood,
    kOutOfPlace,  // an answer that came too late looks like this too
    kFalse,
  };
  void lied(const std::string& how, std::uint64_t now);
  void change_giver(std::uint64_t now);
  std::uint32_t doublings() const;
  bool turn_is_over(std::uint64_t now) const;
  std::size_t room_for_open() const;
  void end_at_head();
  void rewind();
  wire::LogPlace next_place() const;
  void ask();
  void ask_after(Round slot, std::uint32_t have);
  void ask_ahead(const wire::LogPart& part);
  void ask_hash(Round slot);
  Took take(const wire::LogBlock& in, const Frame& frame, std::size_t& offset);
  void confirm(Round slot, std::uint64_t now);

  Committee committee_;
  NodeId self_;
  LogForm log_;
  Hooks hooks_;

  bool active_ = false;
  NodeId giver_{};
  std::uint32_t owed_ = 0;       // parts that the giver has yet to send
  std::uint64_t heard_us_ = 0;   // last time that the giver sent something, or it was confirmed
  std::uint64_t turn_us_ = 0;    // when the giver's turn began
  std::uint32_t fruitless_ = 0;  // turns that ended by time or room since something was confirmed
  Round wanted_{0};
  Round confirmed_{0};
  Digest confirmed_hash_{};
  Round reached_{0};  // by the protocol; counts when it is more
  Digest reached_hash_{};
  Round cursor_{0};  // last commit that is here whole
  Digest cursor_hash_{};
  Commit open_;                   // a commit whose blocks are coming
  std::uint32_t open_total_ = 0;  // blocks it will have; 0: none is open
  std::size_t open_bytes_ = 0;    // weight of its blocks
  std::deque<Commit> held_;
  std::size_t held_bytes_ = 0;  // weight of theirs
  std::map<Round, Check> checks_;
  bool at_head_ = false;
  std::uint64_t fetched_ = 0;
};

}  // namespace thresher::net
