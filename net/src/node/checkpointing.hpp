// What a node's application made of its log, held against what it made of it at peers: the tree
// over positions and results, checkpoints with their certificates, and, where they differ, the
// search for the first transaction that does. Private to net/.
//
//   Checkpointing life(node, {reached, asked_log, result});
//   life.applied(t, result, payload);                  // each transaction, in its order
//   for (Persist& r : life.take_records()) ...         // into the same write as the log's entry
//   life.committed(entry);                             // behind the last of them
//
// Guarantees: nothing is signed of a state before the application has it, nor kept of a peer beyond
// the quotas of checkpoints.hpp. From the moment that a quorum's results differ from its own this
// says so (differs()), and the node stops by itself once it can name the transaction, or knows that
// only states differ.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "life/checkpoints.hpp"
#include "life/divergence.hpp"
#include "life/kept_tree.hpp"
#include "life/log_tree.hpp"
#include "life/small_questions.hpp"
#include "life/tree_service.hpp"
#include "links/piece_work.hpp"
#include "node/base.hpp"

namespace thresher::net {

class Checkpointing {
 public:
  struct Hooks {
    /// A checkpoint was made; `before`: the slot of the commit in front of it.
    std::function<void(const Checkpoint&, Round before)> reached;
    /// A peer has asked what the log is at this slot.
    std::function<void(NodeId, Round)> asked_log;
    /// What the application answered.
    ResultAt result;
  };
  Checkpointing(NodeBase& node, Hooks hooks);

  // The log.
  /// `payload`: payload_hash() of its data where it is known. Its bytes live until take_records().
  void applied(const Transaction& t, const ApplyResult& result, const Digest* payload);
  /// What the tree has to have on the disk with the entry of the log that it is of. Before the
  /// writer runs this keeps it, until begin().
  std::vector<Persist> take_records();
  /// The application has all of the entry.
  void committed(const LogEntry& entry);
  /// The log begins later from here on.
  void log_begins();

  // The node's life.
  /// The links and the writer run.
  void begin();
  void watch(std::uint64_t now);
  /// False: malformed.
  bool frame(NodeId from, const Frame& f);
  /// A question that a look into the log answers. False: too many of the peer wait.
  bool ask_small(NodeId from, const Frame& f);
  /// The application's results differ from those of a quorum.
  bool differs() const { return checkpoints_.difference().has_value(); }

  LogTree& tree() { return tree_; }
  const LogTree& tree() const { return tree_; }
  Checkpoints& checkpoints() { return checkpoints_; }
  const Checkpoints& checkpoints() const { return checkpoints_; }

 private:
  Checkpoints::Hooks checkpoint_hooks();
  bool answer_small(NodeId from, const Frame& question);
  void look_for_difference();
  void begin_search(const Checkpoints::Difference& difference);

  NodeBase& node_;
  Hooks hooks_;
  LogTree tree_;
  Checkpoints checkpoints_;
  std::vector<Persist> before_writer_;  // made while the log was read
  KeptTree own_tree_;                   // for the search of this node
  TreeService trees_;                   // for those of peers
  PieceWork serving_trees_;
  SmallQuestions small_questions_;
  PieceWork answering_small_;
  std::optional<DivergenceSearch> divergence_;
  bool runs_ = false;
};

}  // namespace thresher::net
