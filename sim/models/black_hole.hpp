// Three agents look for a black hole in a ring of which an adversary takes one edge away in each
// round.
//
//   PendulumSearch search(/*nodes=*/8, /*hole=*/5);
//   while (!search.located()) search.round(Missing::kLeaders);
//   worst_play(8, 5).rounds                       // over all that the adversary can do
//
// They start together and know the size of the ring. The leader and the vanguard walk clockwise:
// the vanguard tries the next node and comes back, then both go there. The pendulum goes the other
// way, one node further each time, and comes back to say so. The leader enters no node that was not
// tried. It knows that the vanguard is lost when it does not come back over an edge that is there,
// and the pendulum when it is away for longer than its way takes in rounds in which the leader's
// own edge was the missing one. Or one node is left. Guarantees: the leader survives and names the
// right node; each round either the leader's party or the pendulum gets on, so it takes O(n^2)
// rounds. Three agents and n^2 moves are the least there are. Source: Di Luna, Flocchini, Prencipe,
// Santoro, "Black Hole Search in Dynamic Rings" (ICDCS 2021), and arXiv 2404.15132 for agents that
// start apart; the algorithm here is their cautious pendulum as we understand it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>

namespace thresher::sim {

/// The edge that is taken away: others change nothing.
enum class Missing : std::uint8_t { kNone, kLeaders, kPendulums };

class PendulumSearch {
 public:
  /// Pre: nodes >= 3, 1 <= hole < nodes; agents start at node 0.
  PendulumSearch(std::int32_t nodes, std::int32_t hole) : nodes_(nodes), hole_(hole) { conclude(); }

  /// The node that the leader names; empty: it does not know yet.
  std::optional<std::int32_t> located() const { return located_; }
  std::uint64_t moves() const { return moves_; }

  /// Pre: not located.
  void round(Missing missing) {
    const bool leaders_edge = missing != Missing::kLeaders;
    if (!leaders_edge) ++alone_;
    move_pendulum(missing != Missing::kPendulums);
    if (leaders_edge) move_party();
    conclude();
  }

  /// All that decides how it goes on.
  std::array<std::int32_t, 8> state() const {
    return {leader_,
            static_cast<std::int32_t>(party_),
            vanguard_lives_ ? 1 : 0,
            tried_,
            pendulum_,
            static_cast<std::int32_t>(swing_),
            std::min(alone_, due()),
            located_.value_or(0)};
  }

 private:
  // Places count clockwise from the start; those that the pendulum tries are negative.
  enum class Party : std::uint8_t { kTogether, kTrying, kFollowing };
  enum class Swing : std::uint8_t { kOut, kBack, kLost };

  bool is_hole(std::int32_t place) const { return (place - hole_) % nodes_ == 0; }
  // Rounds after which the pendulum must be back, if nothing is in its way: out from where the
  // leader stood, and back to where it stands.
  std::int32_t due() const { return left_from_ + 2 * (tried_ + 1) + leader_; }

  void move_pendulum(bool edge) {
    if (!edge || swing_ == Swing::kLost) return;
    ++moves_;
    pendulum_ += swing_ == Swing::kOut ? -1 : 1;
    if (swing_ == Swing::kOut && pendulum_ == -(tried_ + 1)) {
      swing_ = is_hole(pendulum_) ? Swing::kLost : Swing::kBack;
    }
  }
  void move_party() {
    switch (party_) {
      case Party::kTogether:
        ++moves_;
        vanguard_lives_ = !is_hole(leader_ + 1);
        party_ = Party::kTrying;
        return;
      case Party::kTrying:
        if (!vanguard_lives_) {
          located_ = (leader_ + 1) % nodes_;
          return;
        }
        ++moves_;
        party_ = Party::kFollowing;
        return;
      case Party::kFollowing:
        moves_ += 2;
        ++leader_;
        party_ = Party::kTogether;
        return;
    }
  }
  void conclude() {
    if (swing_ == Swing::kBack && pendulum_ >= leader_) {
      ++tried_;
      swing_ = Swing::kOut;
      pendulum_ = left_from_ = leader_;
      alone_ = 0;
    }
    if (located_) return;
    const std::int32_t known = leader_ + (party_ == Party::kFollowing ? 1 : 0);
    if (nodes_ - 1 - known - tried_ == 1) {
      located_ = known + 1;
    } else if (alone_ >= due()) {
      located_ = nodes_ - tried_ - 1;
    }
  }

  std::int32_t nodes_;
  std::int32_t hole_;
  std::int32_t leader_ = 0;
  std::int32_t tried_ = 0;     // by the pendulum, as the leader knows
  std::int32_t pendulum_ = 0;  // where it is
  std::int32_t left_from_ = 0;
  std::int32_t alone_ = 0;  // rounds of this swing in which the leader's edge was missing
  Party party_ = Party::kTogether;
  Swing swing_ = Swing::kOut;
  bool vanguard_lives_ = true;
  std::optional<std::int32_t> located_;
  std::uint64_t moves_ = 0;
};

struct WorstPlay {
  std::uint64_t rounds = 0;
  std::uint64_t moves = 0;  ///< perhaps of another play
  std::uint64_t wrong = 0;  ///< plays' ends, as states, in which another node is named
};

/// Over all that the adversary can do. Costs the number of states: about n^4.
inline WorstPlay worst_play(std::int32_t nodes, std::int32_t hole) {
  std::map<std::array<std::int32_t, 8>, WorstPlay> known;
  WorstPlay worst;
  const auto play = [&](const auto& again, const PendulumSearch& from) -> WorstPlay {
    if (from.located()) {
      worst.wrong += *from.located() == hole ? 0 : 1;
      return {};
    }
    const auto it = known.find(from.state());
    if (it != known.end()) return it->second;
    WorstPlay most;
    for (const Missing missing : {Missing::kNone, Missing::kLeaders, Missing::kPendulums}) {
      PendulumSearch next = from;
      next.round(missing);
      const WorstPlay rest = again(again, next);
      most.rounds = std::max(most.rounds, rest.rounds + 1);
      most.moves = std::max(most.moves, rest.moves + next.moves() - from.moves());
    }
    return known[from.state()] = most;
  };
  const WorstPlay most = play(play, PendulumSearch(nodes, hole));
  worst.rounds = most.rounds;
  worst.moves = most.moves;
  return worst;
}

}  // namespace thresher::sim
