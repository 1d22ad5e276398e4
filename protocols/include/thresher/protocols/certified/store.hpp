// The certified DAG in memory: at most one vertex for each author and round above the floor.
//
//   store.insert(vertex);                          // held: its parents may be missing
//   store.accept(ref);                             // all parents are accepted, or under the floor
//   if (store.votes(anchor) >= needed) ...
//
// Guarantees: votes are counted once for each author; the same calls give the same store on every
// machine. Holds what callers insert: the caller bounds the rounds and checks certificates first.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "thresher/protocols/certified/vertex.hpp"

namespace thresher::certified {

struct Cell {
  VertexPtr vertex;  ///< null when none is held
  bool accepted = false;
  bool delivered = false;
  bool in_own_history = false;
};

class Store {
 public:
  explicit Store(const Committee& committee)
      : committee_(committee), highest_accepted_(committee.size()) {}

  /// Pre: the round is above the floor. False when a vertex of that name is there already.
  bool insert(VertexPtr vertex);
  /// Pre: held and not accepted. Counts its vote.
  void accept(const Ref& ref);

  const Cell* find(const Ref& ref) const;  ///< null when no vertex is held
  Cell* find(const Ref& ref);
  bool accepted(const Ref& ref) const;
  /// Accepted, or so old that nobody asks.
  bool settled(const Ref& ref) const { return ref.round <= floor_ || accepted(ref); }

  const Tally& accepted_authors(Round round) const;
  /// The highest round of a vertex of the author that was accepted, forgotten or not; 0: none was.
  Round highest_accepted(NodeId author) const { return highest_accepted_[author.value]; }
  /// Accepted vertices of the round after with an edge to `anchor`, whose round has anchors.
  std::uint32_t votes(const Ref& anchor) const;
  /// The rounds in [from, round] that hold vertices reached from `start`, as sets of authors; index
  /// 0 is `from`. Only vertices that are held are walked through.
  std::vector<NodeSet> history(const Ref& start, Round from) const;
  bool reaches(const Ref& start, const Ref& target) const;

  /// Changes nothing: brings the cells of an author in the newest rounds near.
  void warm(NodeId author) const {
    for (std::size_t i = rounds_.size(); i-- > 0 && i + kWarm >= rounds_.size();)
      __builtin_prefetch(&rounds_[i].cells[author.value]);
  }

  Round floor() const { return floor_; }  ///< rounds up to here were forgotten
  Round top() const { return Round{floor_.value + rounds_.size()}; }
  std::uint64_t version() const { return version_; }  ///< grows with every accepted vertex
  std::size_t size() const { return size_; }          ///< vertices held
  const Committee& committee() const { return committee_; }

  /// Forgets the rounds up to `floor`; `visit(const Cell&)` sees each vertex that goes.
  template <class F>
  void raise_floor(Round floor, F visit) {
    while (floor_ < floor) {
      if (!rounds_.empty()) {
        for (const Cell& cell : rounds_.front().cells) {
          if (!cell.vertex) continue;
          visit(cell);
          --size_;
        }
        rounds_.pop_front();
      }
      ++floor_.value;
    }
  }

 private:
  struct RoundInfo {
    std::vector<Cell> cells;
    NodeSet held;  // authors whose cell has a vertex: asked more often than the cells
    Tally accepted;
    std::vector<std::uint16_t> votes;  // by author of an anchor
  };
  static constexpr std::size_t kWarm = 2;
  bool in_range(Round round) const { return round > floor_ && round <= top(); }
  RoundInfo& at(Round round) { return rounds_[round.value - floor_.value - 1]; }
  const RoundInfo& at(Round round) const { return rounds_[round.value - floor_.value - 1]; }

  Committee committee_;
  std::deque<RoundInfo> rounds_;
  Round floor_{0};
  std::uint64_t version_ = 0;
  std::size_t size_ = 0;
  std::vector<Round> highest_accepted_;  // by author
  Tally none_;
};

}  // namespace thresher::certified
