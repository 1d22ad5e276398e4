// One experiment, resolved: what a file or the flags of `thresher sim` ask for, every default
// filled in. Plain data that its reader has made sure is valid (read.hpp checks files).
//
//   Experiment e{.protocol = "pbft", .n = 100, .f = 33};
//   e.faults.push_back({.who = {NodeId{3}}, .what = FaultKind::kSilent});
//   Outcome outcome = simulate(e, {});
//
// Units: `Ticks` are microseconds in the events engine and thousandths of a round in the rounds
// engine, so that 1.5 ms and 1.5 rounds are both exact. Probabilities are parts per million.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "thresher/core/ids.hpp"
#include "thresher/sim/wan_table.hpp"

namespace thresher::sim {

enum class Engine : std::uint8_t { kRounds, kEvents, kSockets };

using Ticks = std::uint64_t;
/// One millisecond of virtual time, or one round.
inline constexpr Ticks kUnit = 1000;

/// A distribution of delays; every draw is cut to [min, max].
struct DelayLaw {
  enum class Kind : std::uint8_t { kConstant, kUniform, kNormal, kExponential };
  Kind kind = Kind::kConstant;
  Ticks mean = kUnit;   ///< of constant, normal and exponential
  Ticks deviation = 0;  ///< of normal
  Ticks min = kUnit;    ///< at least 1
  Ticks max = kUnit;
};

/// The links from `from` to `to`; an empty list stands for every node.
struct LinkRule {
  std::vector<NodeId> from{};
  std::vector<NodeId> to{};
  DelayLaw delay{};
  std::uint64_t loss_ppm = 0;  ///< of the messages on these links, besides the network's own
};

struct Partition {
  std::vector<std::vector<NodeId>> groups{};  ///< nodes in none reach everybody
  Ticks from = 0;
  Ticks to = 0;        ///< heals here; what was sent across meanwhile arrives after
  bool loses = false;  ///< or is lost, as by links that break
};

enum class Topology : std::uint8_t {
  kComplete,
  kRing,
  kChain,
  kStar,
  kGrid,
  kTorus,
  kUnidirectionalRing,
  kRandom,
  kList
};

struct Network {
  Topology topology = Topology::kComplete;
  std::uint32_t width = 0;  ///< of grid and torus
  std::uint32_t height = 0;
  std::uint32_t degree = 0;                       ///< of random
  std::vector<std::vector<NodeId>> neighbours{};  ///< of list, by node
  DelayLaw delay{};
  std::vector<LinkRule> links{};       ///< the last one that matches counts
  std::string wan{};                   ///< a shipped table of round-trip times; empty: none
  WanTable matrix{};                   ///< or one of its own in place of that
  std::vector<std::string> regions{};  ///< by node, of that table
  std::uint64_t loss_ppm = 0;
  std::uint64_t duplicate_ppm = 0;
  std::uint64_t reorder_ppm = 0;
  std::uint64_t cut_ppm = 0;  ///< links that carry nothing before gst: what is sent waits for it
  std::vector<Partition> partitions{};
  std::uint64_t nic_bits_per_s = 0;  ///< of each node, events engine; 0: no limit
  /// Only what is received counts, and capacity that was idle is kept for later: the accounting of
  /// the simulator of arXiv 2506.13998. Else both ways count, and idle time is lost.
  bool nic_saves_up = false;
  /// Nothing is lost after it, and what is sent at t arrives by max(t, gst) + delta, held back by
  /// schedulers, reordering and kStarve included. 0: no such promise, loss lasts for ever.
  Ticks gst = 0;
  Ticks delta = 2 * kUnit;  ///< what a protocol's timers call Delta
  enum class Scheduler : std::uint8_t {
    kFair,
    kStarve,    ///< leaders' messages come as late as allowed
    kRushing,   ///< faulty nodes' messages come first, correct ones' last
    kAdaptive,  ///< all messages of the last f nodes seen leading come as late as allowed
    kReverse,   ///< what was sent last comes first
    kHunt,      ///< a leader is not heard until all others have left its round; see hunt.hpp
  };
  static constexpr std::size_t kSchedulers = static_cast<std::size_t>(Scheduler::kHunt) + 1;
  Scheduler scheduler = Scheduler::kFair;
};

/// How nodes sign.
enum class Signatures : std::uint8_t {
  kMock,  ///< by a tag that nobody forges but on purpose
  kReal,  ///< Ed25519, verified in batches as a node does
};

/// Time that work takes on a node's one core, in nanoseconds. Events engine only.
struct Costs {
  std::uint64_t sign_ns = 0;
  std::uint64_t verify_ns = 0;
  std::uint64_t hash_ns_per_kb = 0;
};

struct Workload {
  enum class Kind : std::uint8_t {
    kClosed,  ///< `clients` requests in flight at a node of the committee each
    kOpen,    ///< `burst` requests every `interval` at every node
    kNone,
  };
  Kind kind = Kind::kClosed;
  std::uint64_t clients = 1;
  Ticks interval = kUnit;
  std::uint64_t burst = 1;
  std::uint32_t bytes = 16;  ///< of one request
  /// A node packs what it was asked for into payloads of so many bytes at most, as a real node does
  /// (pools.hpp). 0: each request is a payload.
  std::uint32_t block_bytes = 0;
  std::uint64_t requests = 0;  ///< in all; 0: until the end
  bool one_at_a_time = false;  ///< one request in flight in the whole committee
  /// In a closed workload a Byzantine node gets a request this often, since nobody can tell when
  /// its last one is served. 0: only the first ones.
  Ticks liars_interval = 0;
};

enum class FaultKind : std::uint8_t {
  kSilent,      ///< sends nothing
  kCrash,       ///< stops at `from`; restarts at `to` with what its disk holds
  kAmnesia,     ///< as a crash, with an empty disk: beyond the fault model, counts as Byzantine
  kDelay,       ///< holds its messages back by `amount`
  kDrop,        ///< its messages vanish
  kEquivocate,  ///< two faces to two groups, by mutating a declared field
  kTwins,       ///< two honest faces with one key, each shown to one group
  kWithhold,    ///< its messages reach exactly f+1 correct nodes
  kSelective,   ///< its messages reach `group` only
  kReplay,      ///< sends old messages again
  kStale,       ///< answers with messages of earlier rounds
  kFlood,       ///< sends `amount` copies and junk of its messages
  kMutate,      ///< small-scope mutation of one field (ByzzFuzz)
  kForge,       ///< proposals of its own making, in variants, early, late, to chosen nodes, in
                ///< place of its own: what protocols that declare `forges` let a liar sign
  kStarve,   ///< network: the messages of `who`, or of leaders (anchors) when `who` is empty, come
             ///< as late as allowed, or `amount` later
  kNoShare,  ///< withholds its coin shares
  kRestart,  ///< stops at `from`, is back at `to` with what its disk holds, and counts as correct:
             ///< it is none of the f
  kDeny,     ///< leaves questions unanswered: its messages that are answers never leave
  kDeaf,     ///< takes no message of `group`
  kStuff,  ///< answers questions, and some other messages, with as much as a message may hold, all
           ///< of it made up: of protocols that declare `stuffs`
  kMimic,  ///< says to `group`, as its own and in its place, what it hears correct ones of them say
};
inline constexpr std::size_t kFaultKinds = static_cast<std::size_t>(FaultKind::kMimic) + 1;

/// One fault action. `who` sends or, for network faults, is the victim.
struct FaultAction {
  std::vector<NodeId> who{};
  FaultKind what = FaultKind::kSilent;
  Ticks from = 0;
  std::optional<Ticks> to{};  ///< empty: for ever
  std::uint64_t probability_ppm = 1'000'000;
  /// Receivers of selective; the second face's audience of two faces; nodes that starve keeps
  /// waiting, forge shows its blocks, deny leaves unanswered and deaf does not hear (empty:
  /// all).
  std::vector<NodeId> group{};
  /// Ticks of delay and of starve (0: as late as allowed), copies of flood. For forge: rounds that
  /// all but its leader blocks come late, to the same few nodes for a while and in part on blocks
  /// that nobody ever sees; 0: as it likes.
  std::uint64_t amount = 0;
  /// For equivocate, mutate and forge: a declared field; for deny, deaf, selective, starve and
  /// mimic: the only label of messages that it is about. Empty: any. For restart: the node does not
  /// stop at `from` but at once after the first message since then that vouches so for a liar's
  /// word (a declared moment), or has that label.
  std::string field{};
  /// Only these messages of the sender (of forge: on hearing these messages); empty: all.
  std::vector<std::uint64_t> numbers{};
};

struct Oracles {
  bool agreement = true;
  bool prefix = true;
  bool integrity = true;
  bool validity = true;
  bool totality = true;
  bool accountability = true;  ///< evidence only against the guilty
  bool lemmas = true;          ///< nothing that was signed lets the faulty make a fork later
  /// A decision within this after GST and faults; empty: what the protocol promises, or 64 times
  /// where it promises nothing, the longest of unit, Delta and what a message takes all its way. A
  /// run that faults or the network disturbed goes on after its stop until it has healed: see
  /// sim/healing.hpp.
  std::optional<Ticks> liveness{};
  bool liveness_on = true;
  bool acceptance = true;  ///< what one correct node accepted, all accept once a run has healed
  bool once = false;       ///< no request is delivered twice, under any key
  /// Every request of a correct node is delivered there within this after GST and faults; empty:
  /// not asked. A run that asks goes on until they are, or should be.
  std::optional<Ticks> inclusion{};

  /// Whether one of them is on.
  bool any() const {
    return agreement || prefix || integrity || validity || totality || accountability || lemmas ||
           liveness_on || acceptance || once || inclusion;
  }
};

struct Stop {
  std::optional<Ticks> time{};            ///< virtual; the first of these that is met ends a run
  std::optional<std::uint64_t> rounds{};  ///< of the protocol (DAG rounds), or units of time
  std::optional<std::uint64_t> decisions{};
};

/// A protocol's own parameter.
using Parameter = std::variant<bool, std::int64_t, double, std::string>;

struct Experiment {
  std::string protocol = "thresher";
  std::map<std::string, Parameter> parameters{};
  std::uint32_t n = 4;
  std::uint32_t f = 1;
  Engine engine = Engine::kRounds;
  Network network{};
  Costs costs{};
  Signatures signatures = Signatures::kMock;
  Workload workload{};
  std::vector<FaultAction> faults{};
  bool beyond_f = false;
  Oracles oracles{};
  Stop stop{};
  std::uint64_t seed = 1;
};

}  // namespace thresher::sim
