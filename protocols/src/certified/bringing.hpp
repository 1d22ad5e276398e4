// An anchor brings what it names where others may lack it: who is late, what goes along with an own
// header, and what is taken of a peer unasked. Rule R11 of docs/protocols/anchored.md.
//
//   Bringing bringing(config, own, offenders);
//   bringing.came_late(author);                  // it was missing here, and its author silent
//   bringing.missed_by(ref, asker);              // `asker` lacks what is held here
//   if (!bringing.is_late(author)) refer_to(author);
//   broadcast(Give{bringing.brought_with(header, dense, entered), {}});
//
// Guarantees: those of chassis/latecomers.hpp, which it owns: f liars alone make nobody late. What
// goes along is bounded, and has certificates. Where all vertices are dense nothing goes along.
#pragma once

#include <vector>

#include "../chassis/beside.hpp"
#include "../chassis/latecomers.hpp"
#include "offenders.hpp"
#include "own.hpp"
#include "thresher/protocols/certified/bullshark.hpp"

namespace thresher::certified {

class Bringing {
 public:
  Bringing(const Config& config, const Own& own, const Offenders& offenders);

  /// A vertex of the author was asked for here, and it never sent it by itself.
  void came_late(NodeId author);
  /// `asker` lacks a vertex that is held here.
  void missed_by(const Ref& ref, NodeId asker);
  bool is_late(NodeId author) const;

  /// Chosen from what enters the own history with a header, the newest first; returned oldest
  /// first. `dense`: the header names a quorum.
  std::vector<VertexPtr> brought_with(const Header& h, bool dense,
                                      const std::vector<VertexPtr>& entered) const;
  /// Nothing more is taken unasked from a peer that once brought a false certificate.
  bool may_bring(NodeId peer, const Give& message) const;

 private:
  chassis::Latecomers latecomers_;
  chassis::Beside<const Config> config_;
  chassis::Beside<const Own> own_;
  chassis::Beside<const Offenders> offenders_;
};

}  // namespace thresher::certified
