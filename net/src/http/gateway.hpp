// The HTTP gateway of a node: JSON for programs without a client library. Private to net/.
//
//   Gateway gateway(hooks, {transaction_bytes});
//   auto listens = gateway.listen(*loopback_address("127.0.0.1:8080"));
//   gateway.length(ledger.length());             // from any thread, when the log has grown
//
// docs/client-protocol.md says what may be asked. Guarantees: a thread of its own, so that what is
// sent to it costs the node's thread only what it asks for through the hooks, each of which a
// connection uses one at a time. At most kMostConnections, and a sixteenth of the descriptors; for
// one more, that which has been silent for longest gives way, of those whose request is not whole
// if they have an eighth of the places. A request has kReadTime, an answer kWriteTime to be taken.
// Heads over kMostHead and bodies over the limit are refused. Only for this machine: a request with
// a Host that is not one of its names, as a web page would cause, is refused, and so is a POST that
// a web page may send unasked. A process that reaches it is the node, as far as the log says.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "http/loopback_address.hpp"
#include "thresher/net/client.hpp"
#include "thresher/net/commit_status.hpp"

namespace thresher::net {

/// A transaction of the log, for other threads than the node's.
struct LoggedTransaction {
  std::uint64_t position = 0;
  std::uint64_t slot = 0;
  ClientId client{};
  std::uint64_t sequence = 0;
  Bytes data{};
};

/// A part of the log.
struct LogPage {
  std::uint64_t length = 0;  ///< of the log
  std::vector<LoggedTransaction> transactions{};
  std::string problem{};     ///< why it ends early; empty: it does not
  std::uint64_t begins = 0;  ///< what was asked for was pruned up to here; 0: it was not
};

/// The proof of a position, or why there is none.
struct ProofAnswer {
  std::string proof{};       ///< write_log_proof(); empty: there is none
  std::string problem{};     ///< why not
  std::uint64_t begins = 0;  ///< the log was pruned up to here; 0: it was not, at that position
  bool busy = false;         ///< too many are asked for: the same may be asked for later
};

/// What the node does for the gateway. Called from the gateway's thread; each answer may come on
/// any thread, once, or never when the node stops.
struct GatewayHooks {
  std::function<void(Bytes transaction, SubmitOptions, OnCommitStatus)> submit;
  /// After `patience_us` nobody waits for the answer any more.
  std::function<void(Bytes question, std::uint64_t length, std::uint64_t patience_us,
                     std::function<void(Answer)>)>
      query;
  std::function<void(std::function<void(NodeStatus)>)> status;
  /// At least one transaction if the log has one there.
  std::function<void(std::uint64_t from, std::size_t most, std::function<void(LogPage)>)> log;
  std::function<void(std::uint64_t position, std::function<void(ProofAnswer)>)> prove;
};

struct GatewayLimits {
  std::size_t transaction_bytes = 1u << 18;
  std::uint64_t read_us = 10'000'000;   ///< for a request to arrive whole
  std::uint64_t write_us = 30'000'000;  ///< for an answer to be taken
};

class Gateway {
 public:
  static constexpr std::size_t kMostConnections = 64;
  static constexpr std::uint32_t kMostHead = 8192;  ///< Unit: bytes.

  Gateway(GatewayHooks hooks, const GatewayLimits& limits);
  /// Ends all connections and the thread.
  ~Gateway();
  Gateway(const Gateway&) = delete;
  Gateway& operator=(const Gateway&) = delete;

  /// The system's errors: nobody can connect. `where`: the address.
  Result<Unit, Error> listen(const LoopbackAddress& at);
  /// The log has this many transactions now: tells those that follow it.
  void length(std::uint64_t transactions);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace thresher::net
