// Exact agreement in a directed graph with signatures, in 2 max(1, n-1) rounds: SYNC-AUTH.
//
//   SyncAuth node({.graph = graph, .faults = 1, .self = NodeId{0}, .input = 7});
//   Executor<SyncAuth, Backend> executor(std::move(node), backend);
//   executor.run(Start{});                             // all within Delta
//   // At the end of the last round: Deliver<Decision>.
//
// Phase 1 floods signed inputs: a node that accepts one signs it too and passes it on, and in round
// r it takes r signers at least (Dolev and Strong). Phase 2 floods in the same way what each node
// heard. Then statements.hpp decides. Guarantees, where the synchronous condition (condition.hpp)
// holds, at most `faults` nodes are Byzantine and messages take Delta at most: every correct node
// decides, all the same value, and their common input if they have one. Without synchrony: nothing.
// A node that restarts has missed rounds, so it stays silent and counts as faulty. Two contents of
// an origin are passed on in each phase, and a neighbour is asked about four: more is refused,
// which bounds memory and signatures. Source: the condition is that of Tseng and Vaidya, arXiv
// 2605.11309; the algorithm is our own, proved in docs/protocols/digraph.md.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "thresher/core/protocol.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/protocols/digraph/statements.hpp"

namespace thresher::digraph {

enum class Phase : std::uint8_t { kInputs, kStatements };

/// A content of `origin`, signed by it; an input is also signed by all who passed it on.
struct Relay {
  Phase phase = Phase::kInputs;
  NodeId origin{};
  Bytes content;  ///< as content_of() writes it
  std::shared_ptr<const SignatureList> list;
};
struct Decision {
  Value value = 0;
  /// False: what was heard fits no set of at most `faults` faulty nodes, so one of the assumptions
  /// above is broken, and the value is kDefaultValue for want of another one.
  bool plausible = true;
};

/// What is signed.
Digest relay_digest(const ChainContext& chain, Phase phase, NodeId origin, const Bytes& content);
Bytes content_of(Value input);
Bytes content_of(const Inputs& heard);
/// Empty: not what the other two write for a graph of `nodes`.
std::optional<Value> read_input(const Bytes& content);
std::optional<Inputs> read_statement(const Bytes& content, std::uint32_t nodes);

class SyncAuth {
 public:
  using Message = Relay;
  using Output = Decision;
  struct Request {};  ///< the input is part of the configuration
  using Fx = Effects<Message, Output>;

  struct Config {
    Digraph graph{1};
    std::uint32_t faults = 0;
    NodeId self{};
    Value input = 0;
    ChainContext chain{};
    /// Half for the way of a message, half for starts up to Delta apart. Unit: Delta / 1000.
    Delay round{2'000};
  };

  explicit SyncAuth(Config config);

  void on(const Restored&, Fx&) { restarted_ = true; }
  void on(const Start&, Fx& fx);
  void on(const Expired&, Fx& fx);
  void on(const Endorsed& e, Fx& fx);
  void on(const Verified& v, Fx& fx);
  void on(const Received<Message>& m, Fx& fx);
  void on(const Requested<Request>&, Fx&) {}

  Value input() const { return config_.input; }
  std::optional<Value> decided() const { return decided_; }
  std::uint64_t round() const { return round_; }
  std::uint64_t refused() const { return refused_; }
  /// Those of them that had fewer signers than rounds are over: a liar kept them back, or a message
  /// took longer than Delta.
  std::uint64_t late() const { return late_; }
  /// Origins that signed two inputs, which no correct node does.
  Mask two_faced() const;
  /// Contents that are kept or asked about, and the most that there can be.
  std::uint64_t held() const;
  static std::uint64_t most_held(const Config& config);

 private:
  /// Contents that are kept of an origin: two inputs prove it faulty.
  static std::size_t most_kept(Phase phase) { return phase == Phase::kInputs ? 2 : 1; }
  static std::size_t most_offers(Phase phase) { return 2 * most_kept(phase); }

  struct Flood {
    std::vector<std::vector<Bytes>> accepted;                   // by origin
    std::map<std::pair<NodeId, NodeId>, std::uint32_t> offers;  // by neighbour and origin
  };

  std::uint64_t rounds() const { return config_.graph.size() > 1 ? config_.graph.size() - 1 : 1; }
  Flood& flood(Phase phase) { return floods_[static_cast<std::size_t>(phase)]; }
  const Flood& flood(Phase phase) const { return floods_[static_cast<std::size_t>(phase)]; }
  bool wanted(Phase phase, NodeId origin, const Bytes& content) const;
  bool well_formed(NodeId from, const Relay& m) const;
  bool is_late(const Relay& m) const;
  void accept(Relay relay, Fx& fx);
  void pass_on(const Relay& relay, Fx& fx);
  void say(Phase phase, Bytes content, Fx& fx);
  Inputs heard() const;
  Statements statements() const;

  Config config_;
  Flood floods_[2];
  std::map<Ticket, Relay> signing_;
  std::map<Ticket, Relay> asked_;
  std::uint64_t next_ticket_ = 0;
  std::uint64_t round_ = 0;  // from 1 on; phase 2 goes on counting
  std::uint64_t refused_ = 0;
  std::uint64_t late_ = 0;
  bool restarted_ = false;
  std::optional<Value> decided_;
};

}  // namespace thresher::digraph
