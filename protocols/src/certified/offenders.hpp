// What is held against peers: authors of two headers with one name, and those that bring false
// certificates unasked. Rules R2 and R11.
//
//   Offenders offenders(committee);
//   if (offenders.worth_checking(author)) offenders.suspect(author), verify(first, second);
//   offenders.cleared(author);              // the verdicts are here
//   offenders.convict(author);              // and both signatures are good
//   if (offenders.convicted(author)) ...    // nothing of it is voted for
//   offenders.mislead(peer);                // a certificate that it brought is false
//
// Guarantees: whoever is convicted stays so. One pair of headers of an author is checked at a time,
// and none once it is convicted, so a liar cannot have signatures checked without end. Keeps no
// proofs: the host was given them.
#pragma once

#include "thresher/core/committee.hpp"

namespace thresher::certified {

class Offenders {
 public:
  explicit Offenders(const Committee& committee)
      : suspected_(committee.size()), convicted_(committee.size()), misleading_(committee.size()) {}

  bool worth_checking(NodeId author) const {
    return !suspected_.contains(author) && !convicted_.contains(author);
  }
  void suspect(NodeId author) { suspected_.insert(author); }
  void cleared(NodeId author) { suspected_.erase(author); }
  void convict(NodeId author) { convicted_.insert(author); }
  bool convicted(NodeId author) const { return convicted_.contains(author); }

  void mislead(NodeId peer) { misleading_.insert(peer); }
  bool misleads(NodeId peer) const { return misleading_.contains(peer); }

 private:
  NodeSet suspected_;  // two headers were found and are being checked
  NodeSet convicted_;
  NodeSet misleading_;
};

}  // namespace thresher::certified
