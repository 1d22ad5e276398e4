// Approximate agreement in a directed graph with signatures, without any bound
// on delays: ASYNC-AUTH.
//
//   AsyncAuth node({.graph = graph, .faults = 1, .self = NodeId{0},
//                   .input = 70, .rounds = 8});
//   Executor<AsyncAuth, Backend> executor(std::move(node), backend);
//   executor.run(Start{});                          // later: Deliver<Estimate>
//
// In each round a node floods its value. Others sign the first value that they
// see of an origin; one that all of some source component signed is certified.
// A node with certified values of all of a component reports them; one that certified
// what all of a component reported takes the middle of the certified values, without
// the f lowest and the f highest. Components: S_A of condition.hpp, for any A of at
// most f nodes. Guarantees, where the asynchronous condition holds and at most `faults`
// nodes are Byzantine: every correct node delivers; the values lie within those of
// correct nodes' inputs, and differ by at most (the spread of inputs) / 2^rounds + 1. A
// node that restarts stays silent and counts as faulty. A neighbour may offer one
// statement of each signer, about each origin, in each round: that bounds memory and
// signatures. Values must stay below 2^62. Source: the condition is that of Tseng and
// Vaidya, arXiv 2605.11309; the algorithm is our own, proved in
// docs/protocols/digraph.md.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <variant>
#include <vector>

#include "thresher/core/protocol.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/protocols/digraph/condition.hpp"

namespace thresher::digraph {

namespace async_auth {

/// The value of `origin` in a round, signed by it.
struct Proposal {
  NodeId origin{};
  std::uint32_t round = 0;
  std::int64_t value = 0;
  Signature signature{};
};
/// `signer` saw this value first.
struct Support {
  NodeId signer{};
  NodeId origin{};
  std::uint32_t round = 0;
  std::int64_t value = 0;
  Signature signature{};
};
/// All of some source component saw it first.
struct Certificate {
  NodeId origin{};
  std::uint32_t round = 0;
  std::int64_t value = 0;
  std::shared_ptr<const SignatureList> list;
};
/// By origin; empty: not certified there.
using Values = std::vector<std::optional<std::int64_t>>;
/// What `signer` holds certificates of.
struct Report {
  NodeId signer{};
  std::uint32_t round = 0;
  Values values;
  Signature signature{};
};

Digest proposal_digest(const ChainContext& chain, NodeId origin, std::uint32_t round,
                       std::int64_t value);
Digest support_digest(const ChainContext& chain, NodeId origin, std::uint32_t round,
                      std::int64_t value);
Digest report_digest(const ChainContext& chain, NodeId signer, std::uint32_t round,
                     const Values& values);

/// The middle of `values` without the `faults` lowest and highest. Pre: more
/// than 2 faults of them.
std::int64_t trimmed_middle(std::vector<std::int64_t> values, std::uint32_t faults);

}  // namespace async_auth

struct Estimate {
  std::int64_t value = 0;
};

class AsyncAuth {
 public:
  using Message = std::variant<async_auth::Proposal, async_auth::Support, async_auth::Certificate,
                               async_auth::Report>;
  using Output = Estimate;
  struct Request {};  ///< the input is part of the configuration
  using Fx = Effects<Message, Output>;
  static constexpr std::uint32_t kMostRounds = 64;

  struct Config {
    Digraph graph{1};
    std::uint32_t faults = 0;
    NodeId self{};
    std::int64_t input = 0;
    std::uint32_t rounds = 1;  ///< 1 to kMostRounds: the logarithm of how much nearer they come
    ChainContext chain{};
  };

  explicit AsyncAuth(Config config);

  void on(const Restored&, Fx&) { restarted_ = true; }
  void on(const Start&, Fx& fx);
  void on(const Endorsed& e, Fx& fx);
  void on(const Verified& v, Fx& fx);
  void on(const Received<Message>& m, Fx& fx);
  void on(const Requested<Request>&, Fx&) {}

  std::int64_t input() const { return config_.input; }
  std::optional<std::int64_t> decided() const { return decided_; }
  std::uint32_t round() const { return round_; }
  std::uint64_t refused() const { return refused_; }

 private:
  /// Which statement: of what kind, by whom, about whom, in which round.
  using Slot = std::tuple<std::size_t, NodeId, NodeId, std::uint32_t>;
  struct Round {
    std::vector<bool> proposed;  // by origin
    std::vector<std::map<NodeId, async_auth::Support>> supports;
    std::vector<std::optional<async_auth::Certificate>> certified;
    std::vector<std::optional<async_auth::Report>> reports;
    bool reported = false;
  };

  Round& at(std::uint32_t round) { return rounds_[round - 1]; }
  std::optional<Slot> slot_of(const Message& m) const;
  bool known(const Message& m);
  void ask(const Message& m, Fx& fx);
  void sign(Message m, const Digest& digest, Fx& fx);
  void take(const Message& m, Fx& fx);
  void store(const async_auth::Proposal& m, Fx& fx);
  void store(const async_auth::Support& m, Fx& fx);
  void store(const async_auth::Certificate& m, Fx& fx);
  void store(const async_auth::Report& m, Fx& fx);
  bool covers_a_source(Mask nodes) const;
  void certify(std::uint32_t round, NodeId origin, std::int64_t value, Fx& fx);
  void advance(Fx& fx);
  Mask certified_origins(std::uint32_t round);
  bool accepts(const async_auth::Report& report);
  void propose(std::int64_t value, Fx& fx);

  Config config_;
  std::vector<Mask> sources_;
  std::vector<Round> rounds_;
  std::set<std::pair<NodeId, Slot>> offered_;  // by neighbour
  std::map<Ticket, Message> signing_;
  std::map<Ticket, Message> asked_;
  std::uint64_t next_ticket_ = 0;
  std::uint32_t round_ = 0;  // from 1 on
  std::uint64_t refused_ = 0;
  bool restarted_ = false;
  std::optional<std::int64_t> decided_;
};

}  // namespace thresher::digraph
