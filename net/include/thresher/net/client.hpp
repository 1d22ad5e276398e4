// A client of a network: submit and wait, read the log, ask for a node's status.
//
//   auto client = net::Client::open("net/genesis.json");
//   const net::Outcome out = (*client)->submit(as_view("hello")).get();
//   if (out.committed()) use(out.receipt.position); else report(out.why);
//   (*client)->subscribe(0, [](const net::Transaction& t) { ... });
//
// Guarantees: every submission has one outcome within its patience. kCommitted: the node at hand
// has it in its log at that position. kRefused: it is not in the log, and this client sends it no
// more. kUnknown: the patience ended first; it may still be ordered until slot `until`, and never
// after. What was not acknowledged is sent again, to the next node that answers, with the same last
// slot, so it counts once. One thread of its own. What one node says (positions, refusals, the log)
// is that node's word: ask f+1 of them for the log hash to be certain.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "thresher/crypto/signing_key.hpp"
#include "thresher/net/genesis.hpp"
#include "thresher/net/node.hpp"

namespace thresher::net {

/// What a node says of another one. Counters run since it began.
struct PeerStatus {
  NodeId id;
  bool up = false;
  std::string address;      ///< of the newest link; empty: there was none
  std::string problem;      ///< why the last connection ended or did not come; empty: none did
  std::uint64_t round = 0;  ///< the highest in what it sent of its own; 0: nothing yet
  std::uint64_t lag = 0;    ///< rounds behind what a correct node has reached
  std::uint64_t links = 0;  ///< that came up
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t log_bytes = 0;  ///< of the log, that it fetched there
  std::uint64_t malformed = 0;  ///< frames of it that could not be decoded
  std::uint64_t refused = 0;    ///< messages of it over a quota, far away, or against the rules
  std::uint64_t bad_signatures = 0;  ///< in what it sent
  std::uint64_t false_answers = 0;   ///< about the log
  std::uint32_t suspicion = 0;       ///< 0: none; 1: reason for a warning lately; 2: proved faulty
};

/// What a node says of itself.
struct NodeStatus {
  std::uint64_t length = 0;  ///< transactions in the log
  std::uint64_t round = 0;
  std::uint64_t slot = 0;  ///< last slot in the log
  std::uint64_t node_bytes = 0;
  std::uint64_t syncs = 0;
  std::uint64_t payload_bytes = 0;
  Digest log_hash{};
  Digest state{};
  std::uint32_t links = 0;  ///< other nodes with whom a link is up
  // Since the node began:
  std::uint64_t signatures = 0;         ///< verified
  std::uint64_t verify_calls = 0;       ///< in which they were
  std::uint64_t certificate_calls = 0;  ///< inputs that asked for verdicts on certificates
  std::string waits_for{};              ///< why it is not ready; empty: it is
  std::vector<PeerStatus> peers{};
};
std::optional<NodeStatus> decode_status(ByteView control);

/// A submission's slots begin so many before the last one that its node named: another node that is
/// a little behind takes it too, also while nothing moves that node on.
inline constexpr std::uint64_t kSlotsBack = 16;

struct ClientOptions {
  std::optional<NodeId> node{};  ///< only this one; empty: any, moving on when it fails
  /// Its hash is the client's id in the log. Empty: a fresh one, so an id of its own. With a key
  /// that was used before, give `first_sequence` a number above all that were used.
  std::optional<crypto::SigningKey> key{};
  std::uint64_t first_sequence = 0;
  /// Called on the client's thread when no link to a node can be had, with what is wrong.
  std::function<void(const std::string&)> on_problem{};
};

class Client {
 public:
  static Result<std::unique_ptr<Client>, std::string> open(const std::string& genesis_file,
                                                           ClientOptions options = {});
  /// What has no outcome yet gets kUnknown, or kRefused if it was never sent.
  ~Client();

  /// Never throws, and resolves within `patience_us`.
  std::future<Outcome> submit(ByteView transaction, std::uint64_t patience_us = 30'000'000);
  /// Throws std::runtime_error when no node answers within `patience_us`.
  std::future<NodeStatus> status(std::uint64_t patience_us = 5'000'000);
  /// Calls `visit` on the client's thread for every transaction from `position` on, in order,
  /// without end.
  void subscribe(std::uint64_t position, std::function<void(const Transaction&)> visit);

 private:
  Client();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace thresher::net
