// What each peer was sent in answer to its questions, in one period of time.
//
//   Served served;
//   if (served.value(from, m.digest, value.size())) fx.send(from, Forward{value});
//   if (served.number(from, Served::kNames, slot, sizeof(Ordered))) fx.send(from, name);
//   if (served.began()) fx.push(ArmTimer{kServed, kServing});   // clear() when it expires
//
// A question takes a few bytes and its answer may take megabytes, so a peer that asks again and
// again would have its answers again and again. Guarantees, for each peer by itself and from one
// clear() to the next: a value is given kTimes at most, and so is what has a number (the name of a
// slot, the certificates of a view, the own state); all that is given amounts to kBytes and the
// last answer; kValues digests at most are remembered, because each value counts as kLeast bytes or
// more. What is refused now is given after clear(), so a peer that lost an answer has only to ask
// again. Says nothing itself, and reads no clock.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "thresher/core/hash.hpp"
#include "thresher/core/ids.hpp"

namespace thresher::order {

/// Delivered slots that one answer of PBFT, Simplex or HotStuff-2 names.
inline constexpr std::uint64_t kAnswers = 16;

class Served {
 public:
  /// An answer may be lost, and is asked for again before the period ends. On links that are slow
  /// for their load questions of different times come together.
  static constexpr std::size_t kTimes = 3;
  static constexpr std::size_t kBytes = 64u << 20;
  static constexpr std::size_t kLeast = 16u << 10;
  static constexpr std::size_t kValues = kBytes / kLeast;

  /// What has numbers: names of slots and the values in them, the own state and what began a view,
  /// certificates of views in their order, and the newest ones apart from those.
  enum Row : std::uint8_t { kNames, kStates, kStarts, kCertificates, kHighest, kNewest, kRows };

  /// Whether the peer may have the value now; then it counts as given.
  bool value(NodeId to, const Digest& name, std::size_t bytes);
  /// Whether the peer may have what has that number in the row now; then it counts as given, and so
  /// does all below it. Who asks for ever higher numbers gets each.
  bool number(NodeId to, Row row, std::uint64_t number, std::size_t bytes);

  /// True once in a period, when the first thing was given in it.
  bool began() { return !peers_.empty() && !std::exchange(running_, true); }
  /// The period is over.
  void clear();

  /// Digests that are remembered.
  std::size_t values() const;
  static constexpr std::size_t most_values(std::uint32_t n) { return n * kValues; }

 private:
  struct Peer {
    std::size_t bytes = 0;
    std::map<Digest, std::size_t> values;  // how often each was given
    // Of each row: everything below was given once, twice, ... or was passed over.
    std::array<std::array<std::uint64_t, kTimes>, kRows> below{};
  };

  std::map<NodeId, Peer> peers_;  // those that were given something
  bool running_ = false;
};

}  // namespace thresher::order
