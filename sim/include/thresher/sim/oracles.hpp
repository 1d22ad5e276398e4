// Judges a run while it goes on: what correct nodes output against what they may.
//
//   Judge judge(experiment, plan, {.ordered = true, .quiet_from = quiet, .bound = bound});
//   judge.output(id, facts, now);                // at every output of a node that is not Byzantine
//   if (judge.failed()) ...                      // judge.verdict(), judge.oracle(), judge.why()
//
// Guarantees: every output is judged when it happens; the first failure stays, and Violated
// outranks NoProgress. Ordered protocols are held against the longest sequence known, others, and
// those whose order is not judged, against the first output of each key.
//
// Restarts: an application keeps its log, so what a restarted node says again, up to the last key
// it had said, changes nothing there; after it the node goes on at the place where the log ends and
// is judged as ever: what it says since it is back it says once. Repeated outputs are judged as
// well, since an application with a shorter log reads them: a run of the order without gaps, place
// by place what was there, or, where the subject names a lead, the end of that (what lies below is
// garbage that the node collected).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "thresher/sim/faults.hpp"
#include "thresher/sim/outcome.hpp"
#include "thresher/sim/subject.hpp"

namespace thresher::sim {

/// What outputs are held against.
struct Promises {
  bool ordered = false;  ///< all correct nodes output one sequence
  Ticks quiet_from = 0;  ///< the network and all faults that end leave the run alone from here on
  Ticks bound = 0;       ///< longest wait for a decision after that
};

class Judge {
 public:
  /// How new an output is to the judge.
  enum class Novelty : std::uint8_t {
    kRepeated,  ///< a restarted node says again what it had said
    kInPart,    ///< or less than that: call in_part()
    kKnown,     ///< another node had it before
    kFirst,     ///< nobody had
  };

  Judge(const Experiment& experiment, const FaultPlan& plan, const Promises& promises);

  void submitted(PayloadId id, Ticks now);
  Novelty output(NodeId id, const OutputFacts& facts, Ticks now);
  /// A digest that a correct node delivers at most once. Call it for outputs that are kFirst.
  void item(const Digest& digest);
  /// The items of an output that is kInPart.
  void in_part(NodeId id, std::uint64_t key, const std::vector<Digest>& items);
  /// A payload in an output that is kFirst, and its author according to the protocol.
  void payload(NodeId at, ByteView payload, std::optional<NodeId> author);
  /// A correct node's payload is delivered where it was submitted: the wait for it is over.
  /// False when it had been delivered before or is none of the node's own.
  bool settled(PayloadId id, Ticks now);
  /// A request that a node got at `since` or later was delivered to it.
  bool served(NodeId id, Ticks since) const { return nodes_[id.value].served > since; }
  void accused(NodeId by, NodeId who);
  void restarted(NodeId id, Ticks now);
  /// Nothing was decided for too long, judged at `now`, of the nodes that are up.
  void check_liveness(const std::vector<NodeId>& up, Ticks now);
  /// A request of a correct node still waits at `now`, of which all is over: if that is as long as
  /// it may, it comes too late.
  void check_inclusion(Ticks now);

  void violated(std::string oracle, std::string why);
  void no_progress(std::string oracle, std::string why);
  /// What is behind a run without progress, in place of what was seen of it.
  void because(std::string why) { why_ = std::move(why); }

  bool failed() const { return verdict_ != Verdict::kPass; }
  Verdict verdict() const { return verdict_; }
  const std::string& oracle() const { return oracle_; }
  const std::string& why() const { return why_; }

  /// Outputs of a node, those said again not counted.
  std::uint64_t length(NodeId id) const { return nodes_[id.value].length; }
  /// Distinct outputs that some correct node had.
  std::uint64_t known() const { return ordered_ ? reference_.size() : agreed_.size(); }
  /// All that is known, a node has.
  bool complete(NodeId id) const { return length(id) == known(); }
  const std::vector<Ticks>& latencies() const { return latencies_; }
  /// Payloads of correct nodes that are not delivered at their submitters.
  std::uint64_t outstanding() const { return outstanding_; }
  /// Requests that come from here on are not judged by how long they wait.
  void close(Ticks now);
  /// How many are outstanding of those that are judged so.
  std::uint64_t owed() const { return owed_; }
  const Judged& judged() const { return judged_; }
  Ticks bound() const { return bound_; }
  /// Another longest wait, from now on.
  void allow(Ticks bound) { bound_ = bound; }
  Ticks quiet_from() const { return quiet_from_; }

 private:
  struct Entry {
    std::uint64_t key;
    Digest digest;
    Digest lead;
    std::vector<Digest> items{};  // where a node may say them again
  };
  struct Node {
    std::uint64_t length = 0;
    std::uint64_t latest = 0;               // key
    std::optional<std::uint64_t> before{};  // latest, when it stopped last
    std::optional<std::uint64_t> again{};   // the place of what it says again next
    Ticks decided = 0;                      // when last
    Ticks served = 0;                       // 1 + when it got the latest request that came back
    std::set<std::uint64_t> keys;
    std::set<std::uint64_t> old;   // of those before it stopped last, what it did not say again
    std::vector<Ticks> submitted;  // by number - 1; kDone: delivered
  };
  static constexpr Ticks kDone = ~Ticks{0};

  Novelty output_ordered(NodeId id, Node& node, const OutputFacts& facts);
  Novelty said_again(NodeId id, Node& node, const OutputFacts& facts);
  Novelty output_free(NodeId id, Node& node, const OutputFacts& facts);
  // Holds it against the first output of its key. True: it is that.
  bool agree(NodeId id, const OutputFacts& facts);
  void forget_requests(NodeId id);
  void stalled(NodeId id, Ticks since, Ticks now);
  // It waited until now, and `too_long` or more is too long.
  void excluded(PayloadId id, Ticks since, Ticks now, Ticks too_long);
  // A request of a correct node, as old as that, was served or is forgotten.
  void no_more_owed(Ticks since);

  Oracles on_;
  const FaultPlan& plan_;
  bool ordered_;
  Ticks quiet_from_;
  Ticks bound_;
  std::vector<Node> nodes_;
  std::vector<Entry> reference_;
  std::map<std::uint64_t, Digest> agreed_;
  std::set<Digest> items_;
  std::set<std::pair<NodeId, std::uint64_t>> delivered_;  // requests, where `once` is asked
  std::vector<Ticks> latencies_;
  std::uint64_t outstanding_ = 0;
  Ticks closed_ = kDone - 1;  // what was asked for by then is owed
  std::uint64_t owed_ = 0;
  Ticks waiting_since_ = 0;  // there is something outstanding since
  Judged judged_;
  Verdict verdict_ = Verdict::kPass;
  std::string oracle_;
  std::string why_;
};

}  // namespace thresher::sim
