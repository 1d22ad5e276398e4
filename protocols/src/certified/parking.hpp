// Certificates wait until their signatures could matter, and for the rest of their round, so that
// those of a round are checked in one call. Rules R3 and R10.
//
//   Parking parking(config, store, own, rounds, ordered, pacemaker);
//   if (parking.full(author)) check(vertex);
//   else if (parking.add(vertex) == Parked::Added::kOther) refuse();
//   for (const VertexPtr& v : parking.due(false, gated, fx)) check(v);   // after each input
//   parking.waited();                                                    // kGatherTimer ran off
//
// Guarantees: those of parked.hpp, which it owns. What could complete the node's round, end its
// wait there or commit an anchor is checked at once, or a short wait later; so is all as soon as
// something is wanted. Who is silent is not waited for. Checks and accepts nothing.
#pragma once

#include <vector>

#include "../chassis/beside.hpp"
#include "../chassis/round_timer.hpp"
#include "ordered.hpp"
#include "pacemaker.hpp"
#include "parked.hpp"
#include "rounds.hpp"

namespace thresher::certified {

class Parking {
 public:
  using Fx = Bullshark::Fx;

  Parking(const Config& config, const Store& store, const Own& own, const Rounds& rounds,
          const Ordered& ordered, const Pacemaker& pacemaker);

  bool full(NodeId author) const { return parked_.full(author); }
  /// Pre: !full(vertex->author()).
  Parked::Added add(const VertexPtr& vertex) { return parked_.add(vertex); }
  bool contains(const Ref& ref) const { return parked_.contains(ref); }
  bool empty() const { return parked_.empty(); }
  std::size_t size(NodeId author) const { return parked_.size(author); }
  /// Somebody refers to one of them.
  void want() { parked_.want(); }

  /// Those to be checked now, which wait no more; `all`: whatever waits is. `gated`: so many
  /// headers of peers wait for the round.
  std::vector<VertexPtr> due(bool all, std::uint32_t gated, Fx& fx);
  /// The wait for the rest of a round is over.
  void waited();

 private:
  bool worth_checking(Round r, const Parked::OfRound& unchecked) const;
  bool gathers(Round r, const Parked::OfRound& unchecked, std::uint32_t gated, Fx& fx);

  Parked parked_;
  chassis::RoundTimer gather_timer_;  // for the last certificates of a round
  chassis::Beside<const Config> config_;
  chassis::Beside<const Store> store_;
  chassis::Beside<const Own> own_;
  chassis::Beside<const Rounds> rounds_;
  chassis::Beside<const Ordered> ordered_;
  chassis::Beside<const Pacemaker> pacemaker_;
};

}  // namespace thresher::certified
