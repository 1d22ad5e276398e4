// How each node of the committee behaves towards this one: counted by its id, and told to the
// operator with its name. Private to net/.
//
//   Conduct conduct(n, [&](Level level, const std::string& line) { ... });
//   conduct.note(NodeId{2}, Deed::kMalformed);
//   conduct.link({2, true, false, "10.0.0.3:26656", ""}, now);
//   conduct.tick(now, false);                              // a few times a second
//
// Guarantees: memory grows with the number of nodes and nothing else. A node that misbehaves is
// reported within kGather and then once in kQuiet, with the counts of the time between, however
// much others do: each node has lines of its own, and strangers have none here. What also a correct
// node may do to one that lags, blocks out of the window and answers that come too late, is a
// warning only when it is much, and this node neither lagged in kQuiet before nor does in kSettles
// after: when a link comes back the messages may be here before it is known that this node is
// behind, and late ones still come when it is not any more. Without faults there is no warning.
// Does not judge: a count is what this node saw, over the peer's own authenticated connection.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "thresher/core/ids.hpp"
#include "thresher/net/node.hpp"
#include "thresher/net/transport.hpp"

namespace thresher::net {

enum class Deed : std::uint8_t {
  kMalformed,     ///< a frame that nobody can decode
  kRefused,       ///< a message over a quota, far away, or against the rules
  kBadSignature,  ///< in what it sent, whoever it claims signed
  kFalseAnswer,   ///< about the log: against its format, or against what enough others say
};
inline constexpr std::size_t kDeeds = 4;

/// What this node thinks of another one.
enum class Suspicion : std::uint8_t {
  kNone,
  kSuspected,  ///< gave reason for a warning in the last minute
  kProved,     ///< signed two blocks for one round since this node began
};

class Conduct {
 public:
  using Say = std::function<void(Level, const std::string&)>;
  static constexpr std::uint64_t kQuiet = 30'000'000;   ///< us between two summaries of one node
  static constexpr std::uint64_t kGather = 1'000'000;   ///< us from the first deed to its summary
  static constexpr std::uint64_t kSettles = 5'000'000;  ///< us until refused messages are judged
  static constexpr std::uint32_t kLinkLines = 6;        ///< of one node in kQuiet
  static constexpr std::uint64_t kTolerated = 1000;     ///< refused messages in kQuiet

  Conduct(std::size_t nodes, Say say) : peers_(nodes), say_(std::move(say)) {}

  /// Times are monotonic microseconds.
  void note(NodeId who, Deed deed, std::uint64_t times = 1) {
    peers_[who.value].count[static_cast<std::size_t>(deed)] += times;
  }
  /// It proved itself faulty; told elsewhere, with the evidence.
  void convict(NodeId who) { peers_[who.value].convicted = true; }
  /// A word on what it did; told with the next summary.
  void remark(NodeId who, const std::string& what) { peers_[who.value].remark = what; }
  void link(const LinkChange& change, std::uint64_t now);
  /// `lags`: this node is behind, so that others send it what it must refuse.
  void tick(std::uint64_t now, bool lags);
  /// Tells what was not told yet.
  void close(std::uint64_t now);

  std::uint64_t count(NodeId who, Deed deed) const {
    return peers_[who.value].count[static_cast<std::size_t>(deed)];
  }
  std::uint64_t sum(Deed deed) const;
  Suspicion suspicion(NodeId who, std::uint64_t now) const;

 private:
  using Counts = std::array<std::uint64_t, kDeeds>;
  struct Peer {
    Counts count{};
    Counts told{};
    std::string remark;
    std::string address;
    std::uint64_t since = 0;  // the first deed that was not told; 0: all were
    std::uint64_t quiet_until = 0;
    std::uint64_t suspect_until = 0;
    bool lagged = false;  // in the time since the last summary
    bool warned = false;  // the last summary was a warning
    bool convicted = false;
    // About links, in a period of their own:
    std::uint64_t links_since = 0;
    std::uint32_t lines = 0;
    std::uint64_t untold_links = 0;
    std::vector<std::string> refusals;  // told in this period; at most kLinkLines
  };
  void begin_links(Peer& peer, std::uint64_t now, std::size_t who);
  void tell(std::size_t who, std::uint64_t now);
  static bool serious(const Peer& peer, bool excuses_refused);

  std::vector<Peer> peers_;
  Say say_;
  std::uint64_t lagged_until_ = 0;  // what is refused before is excused
};

}  // namespace thresher::net
