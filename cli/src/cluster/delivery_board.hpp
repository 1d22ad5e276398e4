// What was delivered where, in memory that processes share, so that it outlives those that are
// killed.
//
//   auto board = DeliveryBoard::make(4);                     // before the processes fork
//   board->put(self, d.instance, digest);                    // in any of them
//   if (board->level({0, 1, 2})) ...                         // in the parent
//
// Guarantees: a process that is killed at any point leaves no entry half written. A delivery that
// comes again after a restart counts once; one that differs from another node's, or from what the
// same node delivered before, is a conflict. A node may lack as many payloads as it said that it
// missed, and no more. Room for kMost payloads of each origin; what is beyond
// is not noted, and full() says so.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "thresher/protocols/broadcast/broadcast.hpp"

namespace thresher::cli {

class DeliveryBoard {
 public:
  /// Null when the system has no memory for it. `nodes`: at most 64.
  static std::unique_ptr<DeliveryBoard> make(std::uint64_t nodes);
  ~DeliveryBoard();

  /// `digest`: of the payload, and not zero.
  void put(std::uint64_t node, const broadcast::Instance& i, std::uint64_t digest);

  /// The node says that so many payloads more will never be delivered there.
  void miss(std::uint64_t node, std::uint64_t count) { counter(kCounters + node) += count; }
  /// The node was killed, so what it said last of what it missed may be lost.
  void excuse(std::uint64_t node) { excused_.insert(node); }
  /// All of `nodes` delivered what any of them did, or said that they missed it; and of each origin
  /// the last.
  bool level(const std::vector<std::uint64_t>& nodes) const {
    return all_at_the_last(nodes) && lacks_too_much(nodes, {}).empty();
  }
  /// As level(), but who is excused may lack more than it said.
  bool level_but_for_excused(const std::vector<std::uint64_t>& nodes) const {
    return all_at_the_last(nodes) && lacks_too_much(nodes, excused_).empty();
  }
  /// What the first of `nodes` that is not level lacks, in words. Pre: level() is false.
  std::string missing(const std::vector<std::uint64_t>& nodes) const;
  /// An instance of which two nodes, or one of them twice, delivered different payloads.
  std::optional<broadcast::Instance> conflict() const;
  /// Payloads that others delivered and the node did not.
  std::uint64_t missed(std::uint64_t node) const;
  /// Different payloads that the node delivered.
  std::uint64_t delivered(std::uint64_t node) const;
  /// Rises with each delivery anywhere.
  std::uint64_t progress() const;
  bool full() const;

 private:
  using Cell = std::atomic<std::uint64_t>;
  /// Counters behind the cells; what each node missed comes after them.
  enum Counter : std::uint64_t { kProgress, kConflicts, kBeyond, kCounters };
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 20;

  DeliveryBoard(std::uint64_t nodes, Cell* cells);
  Cell& cell(std::uint64_t node, std::uint64_t origin, std::uint64_t number) const {
    return cells_[(node * nodes_ + origin) * kMost + number];
  }
  /// One after the highest number that the node delivered of that origin.
  Cell& top(std::uint64_t node, std::uint64_t origin) const {
    return cells_[nodes_ * nodes_ * kMost + node * nodes_ + origin];
  }
  Cell& counter(std::uint64_t which) const { return cells_[nodes_ * nodes_ * (kMost + 1) + which]; }
  bool all_at_the_last(const std::vector<std::uint64_t>& nodes) const;
  std::uint64_t last_of(const std::vector<std::uint64_t>& nodes, std::uint64_t origin) const;
  /// The `nodes`, without `excused`, that lack more than they reported as missed.
  std::vector<std::uint64_t> lacks_too_much(const std::vector<std::uint64_t>& nodes,
                                            const std::set<std::uint64_t>& excused) const;

  std::uint64_t nodes_;
  Cell* cells_;
  std::set<std::uint64_t> excused_;
};

}  // namespace thresher::cli
