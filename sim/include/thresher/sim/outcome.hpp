// What a run was: verdict, trace hash, measures. Also what is reported while it runs.
//
//   Outcome o = simulate(experiment, {.trace = &sink});
//   if (o.verdict == Verdict::kViolated) std::cerr << o.why;
//
// Guarantees: everything but `cpu_s` and `rss_bytes` is a function of the experiment.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "thresher/core/hash.hpp"
#include "thresher/sim/experiment.hpp"

namespace thresher::sim {

enum class Verdict : std::uint8_t { kPass, kNoProgress, kViolated };
std::string_view to_string(Verdict verdict);

/// "12" or "12.5": rounds or milliseconds.
std::string in_units(Ticks ticks);

struct NodeMeasures {
  bool faulty = false;
  std::uint64_t decisions = 0;
  std::uint64_t messages_sent = 0;  ///< to distinct nodes
  std::uint64_t messages_received = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t round = 0;    ///< of the protocol, or views
  std::uint64_t refused = 0;  ///< messages the protocol refused
  std::uint64_t held = 0;     ///< most that the subject's held() said, looked at once a unit
};

/// What a protocol measures of itself: the hops of a lookup, the share of wasted blocks.
struct Measure {
  std::string name;
  double value = 0;
};

/// How much a node holds of something that peers can fill, and the most that it ever may.
struct Bound {
  std::string_view what;
  std::uint64_t held = 0;
  std::uint64_t most = 0;
};

/// What left nodes of one kind of message, a copy for each receiver.
struct SentKind {
  std::string_view label;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t payload_bytes = 0;  ///< of those; 0 where the subject does not say
};

/// How long it took from an instant until every correct node had committed something.
struct FirstCommit {
  std::string what;  ///< "start", "gst", "crash begins", "partition ends"
  Ticks at = 0;
  std::optional<Ticks> after{};  ///< none: not before the end
};
/// Times at correct nodes that were never away.
struct CommitTimes {
  std::optional<Ticks> longest_gap{};  ///< none: none of them committed anything
  std::optional<Ticks> p99_gap{};      ///< of the gaps of all of them together
  std::vector<FirstCommit> first_after{};
};

/// Requests of correct nodes, delivered where they were submitted.
struct Throughput {
  /// A second of virtual time (a thousand rounds), from the first delivery to the last.
  double per_second = 0;
  /// That no block had at the stop, and at most at the end of an instant, of nodes that were up; of
  /// a workload with `block_bytes`.
  std::uint64_t backlog = 0;
  std::uint64_t most_backlog = 0;
};

/// How many requests outputs showed, and how many of those each oracle judged that looks at them:
/// of none it has shown nothing.
struct Judged {
  std::uint64_t shown = 0;
  std::uint64_t validity = 0;
  std::uint64_t once = 0;
};

struct Outcome {
  Verdict verdict = Verdict::kPass;
  std::string oracle;  ///< which one failed; empty on a pass
  std::string why;     ///< in words; of a pass: why liveness was not judged; empty if it was
  Digest trace_hash{};
  std::uint64_t rounds = 0;      ///< of the engine, or the lowest correct node's DAG round
  Ticks time = 0;                ///< virtual
  std::uint64_t messages = 0;    ///< deliveries between distinct nodes
  std::uint64_t bytes = 0;       ///< of those
  std::uint64_t decisions = 0;   ///< of the first correct node
  std::vector<Ticks> latencies;  ///< submission to delivery at the submitter, one a payload
  Throughput throughput{};
  CommitTimes commits{};
  std::vector<SentKind> sent;  ///< by kind of message, sorted
  std::vector<NodeMeasures> nodes;
  std::vector<Measure> measures;  ///< the protocol's own, if it has any
  double cpu_s = 0;               ///< of the engine alone
  std::uint64_t rss_bytes = 0;    ///< that the engine's state added
  /// For protocols whose subjects name vertices: how often a correct node ordered one, the time
  /// from the first sending to that, summed; and of those after a node's first output, how many,
  /// and the time from a node's first output to its last, summed over nodes.
  std::uint64_t vertices = 0;
  Ticks vertex_ticks = 0;
  std::uint64_t paced_vertices = 0;
  Ticks paced_ticks = 0;
  std::uint64_t faults_fired = 0;  ///< fault actions that changed something at least once
  std::uint64_t accusations = 0;   ///< pieces of evidence that correct nodes put forward
  /// How many of those actions were of each kind.
  std::array<std::uint64_t, kFaultKinds> fired{};
  /// Places in the experiment of the actions and partitions that changed nothing.
  std::vector<std::size_t> idle_faults{};
  std::vector<std::size_t> idle_partitions{};
  std::uint64_t restarts = 0;        ///< of nodes that came back
  std::uint64_t liars_requests = 0;  ///< that Byzantine nodes got beyond their first ones
  bool healed = false;               ///< the run went on until it had to have healed
  Judged judged{};
  bool unjudged = false;         ///< nothing was: no oracle was on, or nothing is promised
  std::vector<Bound> fullest{};  ///< of each bound of the subject, the fullest that was seen
};

/// One line of a trace.
struct TraceEvent {
  enum class Kind : std::uint8_t {
    kSend,
    kDeliver,
    kDrop,
    kTimer,
    kDecide,
    kCrash,
    kRestart,
    kFault,
    kAccuse,
    kVertex
  };
  Kind kind = Kind::kSend;
  Ticks at = 0;
  NodeId node{};             ///< where it happens
  NodeId peer{};             ///< the other end of a message
  std::uint64_t number = 0;  ///< ties a send to its delivery or drop
  std::uint64_t count = 0;   ///< the sender's own count of its messages: FaultAction::numbers
  std::uint64_t round = 0;   ///< the protocol's round, slot or view that the event is about
  std::string_view label;    ///< kind of message ("prepare"), of fault, or what a decision is
  std::uint64_t bytes = 0;
  std::string_view detail;  ///< of a vertex: "own-id parent-id parent-id ..." (hex prefixes)
};

/// Told every event in order, if given. Does not change a run.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void event(const TraceEvent& event) = 0;
};

struct RunOptions {
  TraceSink* trace = nullptr;
  /// Told once a unit of time, for another thread to read: how much of the way to its stop the run
  /// has gone, in parts per million. What it does after the stop is not in it.
  std::atomic<std::uint32_t>* done_ppm = nullptr;
};

/// Runs a resolved experiment on the rounds or events engine. Pre: read.hpp accepts it.
Outcome simulate(const Experiment& experiment, const RunOptions& options);

/// What a protocol says of itself to experiment files.
struct ParameterInfo {
  std::string name;
  Parameter standard;    ///< the default; its type is the type asked for
  std::int64_t min = 0;  ///< of numbers
  std::int64_t max = 0;
  std::string help;
  std::vector<std::string> choices{};  ///< of texts; empty: any text
  std::int64_t step = 1;               ///< of whole numbers: only its multiples
};
struct ProtocolInfo {
  std::string name;
  std::string help;
  std::string kind{};                 ///< those of one kind do the same: "broadcast"; may be empty
  std::uint32_t nodes_per_fault = 3;  ///< n > this * f; 2: nodes crash and do not lie
  std::vector<ParameterInfo> parameters;
  std::vector<std::string> fields;    ///< that equivocate and mutate can change
  bool forges = false;                ///< liars can sign proposals of their own making
  bool answers = false;               ///< some messages are answers that liars can keep back
  bool bears_sieges = false;          ///< a node that was away for any time comes back
  bool stuffs = false;                ///< liars can fill memory: FaultKind::kStuff
  std::uint32_t largest_payload = 0;  ///< of one request, in bytes; 0: large ones teach nothing
  /// What a correct node may have just said when a restart strikes it: words that rest on a liar's,
  /// and that it may have to prove to others after it is back.
  std::vector<std::string> moments{};
  /// Parameters that are limits, each with a value so small that short runs come near it.
  std::vector<std::pair<std::string, std::int64_t>> limits{};
  std::uint32_t near_payload = 0;  ///< the largest payload beside those, in bytes
  /// The parameter that says how many rounds are remembered, and the least that heals; may be
  /// empty.
  std::pair<std::string, std::int64_t> memory{};
  /// The parameter that says how much is kept for nodes that lag, and a value so large that drawn
  /// schedules leave no node behind it: on a network its host takes over the log, here nothing
  /// does. May be empty.
  std::pair<std::string, std::int64_t> kept{};
  /// Nothing is on disk: its user knows how far it was. One that restarts learns that from
  /// the others; all of them together begin anew.
  bool forgets = false;
  /// The parameter that turns the two-delay path on: of how many nodes no vote is needed.
  std::string two_delays{};
  std::uint32_t least_nodes = 1;
  std::uint32_t most_nodes = 0;         ///< 0: as many as the simulator has
  std::vector<std::string> unjudged{};  ///< oracles that mean nothing for it: they are off

  bool byzantine() const { return nodes_per_fault > 2; }
  /// The most faults that `n` nodes bear. Pre: n >= 1.
  std::uint32_t faults_of(std::uint32_t n) const { return (n - 1) / nodes_per_fault; }
  /// "3f+1": how many nodes it needs.
  std::string needs() const { return std::to_string(nodes_per_fault) + "f+1"; }
};
/// Every protocol that `simulate` runs, sorted by name.
const std::vector<ProtocolInfo>& simulated_protocols();
/// The one of that name, or null.
const ProtocolInfo* simulated_protocol(std::string_view name);

}  // namespace thresher::sim
