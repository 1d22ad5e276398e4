// Blocks bring what others may lack: which of others' blocks go along with an own one. Rules B1 to
// B6 of docs/protocols/thresher.md, section "A block brings what others may lack".
//
//   Attachments attachments(config, store, culprits, where, showing);
//   attachments.was_missing(author);                // its block was missing here when named
//   attachments.missed_by(edge, peer);              // a peer asked for a block that is held here
//   std::vector<BlockPtr> along = attachments.with(header, fx);    // of the own block
//
// Guarantees: no block goes along with two own ones, nor more than the limits allow; what came with
// the log of peers only when it may be shown. Does not send, nor take what others attach.
#pragma once

#include <vector>

#include "../chassis/latecomers.hpp"
#include "showing.hpp"
#include "whereabouts.hpp"

namespace thresher::dag {

class Attachments {
 public:
  /// `like`: of the node of which this one is a copy. Changes marks in `store`, and `showing`.
  Attachments(const Config& config, Store& store, const Culprits& culprits,
              const Whereabouts& where, Showing& showing, const Attachments* like = nullptr);
  Attachments(const Attachments&) = delete;

  /// B1
  void was_missing(NodeId author) { latecomers_.flag(author, where_.round()); }
  /// B1, B6
  void missed_by(const Edge& edge, NodeId asker);
  /// Oldest first.
  std::vector<BlockPtr> with(const Header& header, Dag::Fx& fx);

 private:
  bool brings(const Place& place) const;
  void add_unnamed(Round round, std::vector<Edge>& from) const;

  const Config& config_;
  Store& store_;
  const Culprits& culprits_;
  const Whereabouts& where_;
  Showing& showing_;
  chassis::Latecomers latecomers_;
};

}  // namespace thresher::dag
