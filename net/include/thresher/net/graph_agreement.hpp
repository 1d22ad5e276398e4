// One agreement in a directed graph, over TLS links: sync-auth (exact) and async-auth (approximate)
// for programs.
//
//   auto run = net::GraphAgreement::begin({.genesis = genesis, .key = key, .graph = graph,
//       .faults = 1, .name = "budget", .value = 70, .starts = at, .folder = "node0/digraph"});
//   if (!run) return fail(run.error());
//   auto decision = (*run)->wait(std::chrono::seconds(60));
//   std::this_thread::sleep_for(...);             // others may still need what this member relays
//
// Guarantees: those of protocols/digraph/sync_auth.hpp, or of async_auth.hpp where `halvings` is
// not 0. Frames go along edges of the graph alone: a member has no link to one without an edge
// between them, and refuses what comes against an edge. What a link lost is sent again. Members
// that mean another graph, number of faults, name, start or Delta never connect.
// What exact agreement assumes: clocks differ by Delta / 2 at most, a message takes Delta at most,
// and a member stands still for Delta / 2 at most. A member that stood still longer, or heard what
// cannot be with at most `faults` liars, says so in place of a decision; what it cannot notice (a
// message between two others that took too long) may make members decide differently. Approximate
// agreement assumes nothing of time.
// A member that was killed must not take part again: its folder remembers the name, and begin()
// says so. Once begun there is no way back; the run ends with the object.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "thresher/core/error.hpp"
#include "thresher/net/genesis.hpp"
#include "thresher/protocols/digraph/graph.hpp"

namespace thresher::net {

struct GraphAgreementOptions {
  Genesis genesis;  ///< who the members are; its protocol, f and coin are not looked at
  crypto::SigningKey key = crypto::SigningKey::generate();  ///< whose is one of the members'
  digraph::Digraph graph{1};  ///< the same at every member; node i is member i
  std::uint32_t faults = 0;
  std::string name;            ///< of this run: a to z, 0 to 9 and -, at most 64; never used before
  std::int64_t value = 0;      ///< less than 2^62 in size; 0 or more for exact agreement
  std::uint32_t halvings = 0;  ///< 0: exact; at most AsyncAuth::kMostRounds
  std::chrono::system_clock::time_point starts{};  ///< of exact: the same at every member
  std::uint64_t delta_us = 200'000;                ///< of exact: what a message takes at most
  std::string folder{};                            ///< empty: nothing is kept, for tests
  std::function<void(const std::string&)> log{};   ///< what is wrong with links; null: stderr
};

struct GraphDecision {
  std::int64_t value = 0;
};

struct GraphAgreementStatus {
  std::uint32_t neighbours = 0;  ///< members with an edge to or from this one
  std::uint32_t links = 0;       ///< of these, who are connected now
  std::uint64_t round = 0;       ///< 0: not begun
  std::uint64_t refused = 0;     ///< messages that no correct node sends, or that came too late
  std::uint64_t late = 0;        ///< of exact: those that came too late
  std::uint64_t bytes_sent = 0;
  /// Liars that gave themselves away: neighbours that sent bytes that are not a message, and in
  /// exact agreement nodes that signed two inputs. Correct members are never among them.
  digraph::Mask caught = 0;
  std::uint64_t stood_still_us = 0;  ///< of exact: how far behind its clock it was at most
};

/// What is signed in this run, and by which members find each other. Pre: check_options().
ChainContext context_of(const GraphAgreementOptions& options);
/// Whether such a run can be, that the graph meets the condition among it. kRejected: it cannot;
/// `where` is the option.
Result<Unit, Error> check_options(const GraphAgreementOptions& options);

class GraphAgreement {
 public:
  /// kRejected: what check_options() says, or the start is over. kMismatch: the key is not a
  /// member's. kExists: this member took part under that name before. Also those of
  /// DiskStore::open() and Transport::start().
  static Result<std::unique_ptr<GraphAgreement>, Error> begin(GraphAgreementOptions options);
  /// Leaves at once.
  ~GraphAgreement();

  /// The decision, once it is there. kMissing: it is not there after `patience`, or after a year.
  /// kRejected: this member can decide nothing, and why. Also the errors of a disk that refuses a
  /// write. From any thread.
  Result<GraphDecision, Error> wait(std::chrono::milliseconds patience);
  GraphAgreementStatus status() const;
  NodeId self() const;
  /// When exact agreement ends at the latest. Pre: halvings is 0.
  static std::chrono::system_clock::time_point ends(const GraphAgreementOptions& options);

 private:
  GraphAgreement();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace thresher::net
