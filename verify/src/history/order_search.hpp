// Whether operations can stand in one order in which every get returns the last put of its key.
//
//   OrderSearch search(history, chosen, Precedence::kRealTime, states);
//   if (search.run() == Holds::kNo) ...
//
// Guarantees: the order keeps those of the clients and all declared dependencies; with kRealTime an
// operation that ended before another began also stands before it. A get that can stand next is
// placed at once, since it changes nothing; a put is not placed over a value that gets still wait
// for and nobody puts again. Looks at each state (how far every client is, what the keys hold)
// once, and gives up with kUnknown after `states` of them.
#pragma once

#include <set>
#include <unordered_set>
#include <utility>

#include "thresher/core/prng.hpp"
#include "thresher/verify/history/levels.hpp"

namespace thresher::history {

enum class Precedence : std::uint8_t { kSession, kRealTime };

class OrderSearch {
 public:
  /// `chosen`: operations, by begin, closed under dependency. Keeps a reference to `history`.
  OrderSearch(const History& history, std::vector<Operation> chosen, Precedence precedence,
              std::uint64_t states);

  Holds run();
  /// States looked at.
  std::uint64_t states() const { return seen_.size(); }

 private:
  struct Fingerprint {
    std::uint64_t a = 0, b = 0;
    friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
  };
  struct Hash {
    std::size_t operator()(const Fingerprint& f) const { return f.a; }
  };
  struct Placed {
    std::uint32_t op = 0;
    std::uint32_t chain = 0;
    std::uint32_t held = 0;  ///< what the key held before
  };
  /// A state on the way, the put that led there and all gets after it on the path.
  struct Frame {
    std::size_t path = 0;                     ///< its length before that put
    std::size_t next_turn = 0;                ///< of `candidates`, the next to try
    std::vector<std::uint32_t> candidates{};  ///< chains
  };

  const Operation* head(std::size_t chain) const;
  bool free(const Operation& op, std::uint32_t chain) const;
  void advance(std::uint32_t chain, std::size_t to);
  void hold(std::uint32_t key, std::uint32_t version);
  void place(std::uint32_t chain);
  void undo(std::size_t length);
  void place_free_gets();
  void open_frame(Frame& frame);
  bool loses(const Operation& put) const;
  void toggle(std::uint64_t what, std::uint64_t value);

  std::vector<Operation> ops_;
  Precedence precedence_;
  std::uint64_t most_states_;
  std::vector<std::vector<std::uint32_t>> chains_;          // by client
  std::vector<std::size_t> at_;                             // how far each chain is
  std::set<std::pair<std::uint64_t, std::uint32_t>> ends_;  // of their heads, with the chain
  std::vector<char> is_placed_;
  std::vector<std::uint32_t> holds_;    // by key: a version
  std::vector<std::uint32_t> waiting_;  // by version: gets of it not placed yet
  std::vector<std::uint32_t> coming_;   // by version: puts of it not placed yet
  std::vector<Placed> path_;
  Fingerprint print_;
  std::unordered_set<Fingerprint, Hash> seen_;
};

}  // namespace thresher::history
