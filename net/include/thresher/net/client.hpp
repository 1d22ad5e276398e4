// A client of a network: submit and wait, ask the application, read the log, ask for a node's
// status.
//
//   auto client = net::Client::open("net/genesis.json");
//   const net::CommitStatus out = (*client)->submit(as_view("hello")).get();
//   if (out.committed()) use(out.receipt.position); else report(out.why);
//   (*client)->subscribe(0, [](const net::Transaction& t) { ... });
//
// Guarantees: every submission has one outcome within its patience (commit_status.hpp). A
// transaction without an acknowledgement is sent again, to the next node that answers, with the
// same last slot, so it counts once; a node that is silent for kSilence gives way to the next one,
// as does one that puts it off again and again, or observes, where any may be asked. One thread of
// its own. What one node says (positions, results, refusals, the log) is that node's word; with
// Words::kQuorum f+1 nodes have said the same, so one that is correct, where the genesis file has
// the right f. Of a refusal that is final for kExpired alone: one of any other kind says that a
// correct node did not take it, while a node that lies may have it ordered until
// CommitStatus::until. With Words::kProof a commit is believed to a quorum's signatures alone, so
// one correct node that can be reached is enough; a refusal is one node's word still. It goes out
// in slots that f+1 nodes name, or one does after two seconds in which no others could be reached.
// With Words::kOne they are those that the first node names: one that lies and falls silent may
// name some that no other node ever comes to, and then the outcome is kUnknown.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "thresher/core/error.hpp"
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
  std::uint64_t lag = 0;    ///< rounds behind what a correct node has reached; 0: not known
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
  std::uint64_t begins = 0;  ///< position of the first transaction that was not pruned
};
std::optional<NodeStatus> decode_status(ByteView control);

/// A submission's slots begin so many before the last one that its node named: another node that is
/// a little behind takes it too, also while nothing moves that node on.
inline constexpr std::uint64_t kSlotsBack = 16;

/// Whose answers end a submission or a question.
enum class Words : std::uint8_t {
  kOne,     ///< the node at hand
  kQuorum,  ///< f+1 nodes that say the same: one of them at least is correct
  /// For submissions: a checkpoint's certificate that covers it, and the path to it
  /// (log_proof.hpp). It comes with the next checkpoint, so after up to `checkpoint` slots of the
  /// genesis file, and in a ledger at rest whose protocol has no empty slots not before somebody
  /// submits more.
  kProof,
};

/// How long to wait, and for whom.
struct AskOptions {
  std::uint64_t patience_us = 30'000'000;  ///< Unit: microseconds. 0: it is over at once.
  Words words = Words::kOne;
  /// For questions: the state has to have this many transactions. `receipt.position + 1` reads what
  /// one wrote oneself, whichever node answers.
  std::uint64_t length = 0;
  /// For submissions: ends the wait with kUnknown, or kRefused if it was never sent.
  std::stop_token cancel{};
};

/// A node that has not answered a submission for so long gives way to the next one, where any may
/// be asked. Unit: microseconds.
inline constexpr std::uint64_t kSilence = 5'000'000;

/// A node that says where a submission is ordered, and does not prove it for so long, gives way to
/// the next one, where any may be asked; one whose proof does not hold does at once. Unit:
/// microseconds.
inline constexpr std::uint64_t kUnproven = 10'000'000;

struct ClientOptions {
  std::optional<NodeId> node{};  ///< only this one; empty: any, moving on when it fails
  /// Its hash is the client's id in the log. Empty: a fresh one, so an id of its own. With a key
  /// that was used before, give `first_sequence` a number above all that were used; of clients that
  /// use one key at a time, each needs numbers of its own, or equal data count once for both.
  std::optional<crypto::SigningKey> key{};
  std::uint64_t first_sequence = 0;
  /// Called on the client's thread when no link to a node can be had, with what is wrong, and when
  /// a callback threw.
  std::function<void(const std::string&)> on_problem{};
};

class Client {
 public:
  /// Errors: those of load_genesis(); kMissing: the options name a node that is not there, `where`
  /// is "node 7".
  static Result<std::unique_ptr<Client>, Error> open(const std::string& genesis_file,
                                                     ClientOptions options = {});
  /// All without an outcome get kUnknown, or kRefused if they were never sent. Not from a callback
  /// of this client, whose thread it waits for.
  ~Client();

  /// Never throws, and resolves within the patience.
  std::future<CommitStatus> submit(ByteView transaction, AskOptions options = {});
  /// The same; `done` is called once, on the client's thread or on that of the destructor. It may
  /// submit again. What it throws is lost, and told to ClientOptions::on_problem; an empty one is
  /// not called.
  void submit(ByteView transaction, OnCommitStatus done, AskOptions options = {});
  /// The same with a completion token of Boost.Asio: thresher/net/completion.hpp defines it.
  template <CompletionToken Token>
  auto submit(ByteView transaction, Token&& token, AskOptions options = {});
  /// Asks the application. Never throws, and resolves within the patience: `failed` with the reason
  /// when no node answered, or the application has none. With Words::kQuorum the answer is the same
  /// at f+1 nodes, each in a state of its own with at least `length` transactions; `length` of the
  /// answer is the least of these. A question at one node may be answered from an old state, unless
  /// `length` says how old it may be. Of one client's questions a
  /// node lets 64 wait, and has no answer for more.
  std::future<Answer> query(ByteView question, AskOptions options = {});
  /// Throws std::runtime_error when no node answers within `patience_us`.
  std::future<NodeStatus> status(std::uint64_t patience_us = 5'000'000);
  /// Calls `visit` on the client's thread for every transaction from `position` on, in order,
  /// without end, or until the next subscribe(): a client has one subscription. When the node has
  /// pruned that position it calls `pruned` instead, with the first one that is there: the caller
  /// then decides where to go on, by another subscribe(). An exception of theirs is lost, and told
  /// to ClientOptions::on_problem; the next transaction follows.
  void subscribe(std::uint64_t position, std::function<void(const Transaction&)> visit,
                 std::function<void(std::uint64_t begins)> pruned = {});

 private:
  Client();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace thresher::net
