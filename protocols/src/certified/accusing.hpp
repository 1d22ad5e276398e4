// Who is accused, and of what: an author of two headers with one name, once both signatures are
// verified, and this node itself when its key signs elsewhere. Rules R2 and R11.
//
//   Accusing accusing(config, checking, stats);
//   accusing.suspect_two(first, second, fx);      // two headers for one name
//   accusing.judge(done, fx);                     // the verdicts on both
//   if (accusing.offenders().convicted(author)) ...
//   accusing.mislead(peer);                       // a certificate that it brought is false
//
// Guarantees: those of offenders.hpp, which it owns. Nobody is accused without a proof, which the
// host is given with the accusation.
#pragma once

#include "../chassis/beside.hpp"
#include "checking.hpp"
#include "offenders.hpp"

namespace thresher::certified {

class Accusing {
 public:
  using Fx = Bullshark::Fx;

  Accusing(const Config& config, Checking& checking, Stats& stats);

  const Offenders& offenders() const { return offenders_; }
  void mislead(NodeId peer) { offenders_.mislead(peer); }
  /// Pre: both are headers of one author and round, and differ.
  void suspect_two(const ProposalPtr& first, const ProposalPtr& second, Fx& fx);
  /// Pre: it is a check that suspect_two() began.
  void judge(const Checks::Concluded& done, Fx& fx);
  /// A vertex with our signature that we do not hold, though our headers are durable before they
  /// are sent: the key signs elsewhere, or this is an old copy of the disk.
  void accuse_self(const Vertex& vertex, Fx& fx) const;

 private:
  Offenders offenders_;
  chassis::Beside<const Config> config_;
  chassis::Beside<Checking> checking_;
  chassis::Beside<Stats> stats_;
};

}  // namespace thresher::certified
