// A node: the ordering protocol of a genesis file over real sockets and a real disk, with your
// application on top.
//
//   struct Kv : net::App { Bytes apply(const net::Transaction& t) override { ... } ... } app;
//   auto node = net::Node::open({.home = "net/node0"}, app);
//   if (!node) return fail(node.error());
//   auto ended = (*node)->run();                  // until stop(), from any thread
//   if (!ended) return fail(ended.error());       // why it had to stop
//
// Guarantees: every correct node applies the same transactions in the same order, each (client,
// sequence, data) once while it is valid; what was acknowledged survives crashes and power cuts;
// after a restart the application is rebuilt from the log before the node votes. The application
// and the log are called on the node's thread and must not block: while one of them does, the node
// does nothing. An apply() that throws TransactionFailed has failed alike everywhere: that is its
// result, and the node goes on; anything else that it throws stops this node with the reason, and
// the others go on. Exceptions of the log are lost.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "thresher/core/bytes.hpp"
#include "thresher/core/error.hpp"
#include "thresher/net/application.hpp"
#include "thresher/net/commit_status.hpp"

namespace boost::asio {
class io_context;
}

namespace thresher::net {

/// How much a line of the log matters.
enum class Level : std::uint8_t { kDebug, kInfo, kWarning, kError };

class NodeStore;

/// Where a node keeps its records.
enum class StoreKind : std::uint8_t {
  kDisk,
  kMemory,  ///< for measurements: a node that used it must not come back with its key
};

/// Largest transaction that any node takes. Unit: bytes.
inline constexpr std::size_t kMostTransaction = 1u << 20;

/// Numbers have the ranges that docs/operations.md gives for the keys of node.toml.
struct NodeOptions {
  std::string home{};     ///< holds what the next four name
  std::string genesis{};  ///< default: home/../genesis.json
  std::string key{};      ///< default: home/node.key
  std::string data{};     ///< default: home/data
  std::string coin{};  ///< the share of the coin, for protocols that toss; default: home/coin.key
  StoreKind store = StoreKind::kDisk;
  /// Opens the store of the node in place of `store`: one of your own, or one around DiskStore
  /// (node_store.hpp says what it must keep). Called by open(), by read_log(), and once more where
  /// a node takes its state from peers, with all paths filled in. Its error is open()'s.
  std::function<Result<std::unique_ptr<NodeStore>, Error>(const NodeOptions&)> make_store{};
  /// The host's, which one thread runs: then start() takes the place of run(). Null: a loop of its
  /// own.
  boost::asio::io_context* context = nullptr;
  /// Loopback address and port of /metrics, /healthz and /readyz, like 127.0.0.1:9464; empty: none.
  std::string metrics_listen{};
  /// Loopback address and port of the HTTP gateway, like 127.0.0.1:8080; empty: none. All that can
  /// reach it submit as this node itself.
  std::string gateway_address{};
  /// Gets every line of the log, from the node's threads. Default: warnings and errors to stderr.
  std::function<void(Level, const std::string&)> log{};
  /// That a node's loop may use: its own, and others for TLS and hashes of large frames and for
  /// handshakes. More than 1 pays where the machine has cores that are idle.
  std::uint64_t threads = 1;
  std::uint64_t link_delay_us = 0;  ///< added to every frame to another node, for experiments
  /// The same for each node, by id, in place of link_delay_us. Empty: link_delay_us for all.
  std::vector<std::uint64_t> link_delays_us{};
  std::uint64_t delta_us = 20'000;  ///< Delta of the network
  /// Least time between two own blocks while several small transactions wait. At most Delta; 0:
  /// none.
  std::uint64_t pace_us = 2'000;
  /// How long signatures wait for others to be verified with; 0: not at all.
  std::uint64_t verify_deadline_us = 0;
  /// How long certificates that complete a round wait for the rest of it, to be verified with them.
  /// At most Delta; 0: not at all. For the certified protocols alone.
  std::uint64_t gather_us = 5'000;
  /// Verifies signatures of catch-up when many wait: "cuda", or empty for none. Not there: ignored.
  std::string accelerator{};
  std::uint64_t block_bytes = 1u << 20;        ///< payload of one block
  std::uint64_t pool_bytes = 32u << 20;        ///< of transactions that wait
  std::uint64_t transaction_bytes = 1u << 18;  ///< largest transaction, at most kMostTransaction
  /// Rounds of the DAG that are kept after they were delivered. Older blocks are never ordered, so
  /// all nodes need the same number for as long as the network lives: members with another one are
  /// refused, and so is a store that was made with another one.
  std::uint64_t gc_rounds = 1000;
  std::uint64_t sync_rounds = 128;  ///< this far behind, the log is fetched instead of the DAG
  /// Checkpoints of the ledger from one snapshot of the running application to the next; 0: none.
  std::uint64_t snapshot_checkpoints = 16;
  /// Transactions of the log that are kept at least, and snapshots back to which it is. Both 0: all
  /// of it is kept. Else the log is pruned in front of both, up to a checkpoint that a quorum
  /// certified and a snapshot that was read back whole.
  std::uint64_t keep_positions = 0;
  std::uint64_t keep_snapshots = 0;
  /// Size of a file of the write-ahead log, where the log is pruned: space comes back a file at a
  /// time. Rounded up to whole MiB.
  std::uint64_t segment_bytes = 64u << 20;
  /// By so many bytes the log may grow while it is kept for a member that takes its state from this
  /// node. More: that member may have to begin again, with a newer snapshot. 0: nothing is kept.
  std::uint64_t hold_bytes = std::uint64_t{4} << 30;
  bool prunes() const { return keep_positions > 0 || keep_snapshots > 0; }
  /// Follows the log of the others, serves it, and signs nothing: for a key whose newest data are
  /// lost. It refuses all submissions, with Refusal::kObserves.
  bool observe = false;
  /// Gets what commit_trace.hpp describes, for measurements. Empty: nothing is noted.
  std::string commit_trace{};
  /// So many bytes of a journal that each start begins in home/journal: all that the protocol is
  /// told and asks for, to be made again by replay_journal() (replay.hpp). 0: none.
  std::uint64_t journal_bytes = 0;
  std::stop_token stop{};  ///< ends open() early, with kStoppedAtStart; run() is not its business
};

/// What open() says, with kRejected, when `stop` was requested while it read the log. Nothing is
/// lost by it.
inline constexpr std::string_view kStoppedAtStart = "stopped while it read its log";
/// What run() says, with kBusy, when the application or the log holds the node's thread after
/// stop().
inline constexpr std::string_view kHostBlocks =
    "the application, or the log, has not returned from a call since before the node was stopped; "
    "the node's thread is left in that call. What was committed is safe. Keep the application "
    "alive, "
    "or end the process; and make the call return";

/// How a transaction is submitted to a node.
struct SubmitOptions {
  Prove prove = Prove::kNo;
  /// After so long the outcome is kUnknown. 0: it waits until the node stops. Unit: microseconds.
  std::uint64_t patience_us = 0;
  /// Ends the wait with kUnknown: what was taken may still be ordered.
  std::stop_token cancel{};
};

/// The options with every path filled in.
NodeOptions with_paths(NodeOptions options);
/// Whether a store can be where the options say, as far as the paths show. kMalformed: none can;
/// `where` is the path that is in the way.
Result<Unit, Error> check_data(const NodeOptions& options);
/// Whether what says where a node's log begins, its first file and wal.base, is there and whole. A
/// folder without a log is good. Changes nothing, reads no more of the log, and the node may run.
/// Errors: as of a start, before it reads the log; `where` is the file.
Result<Unit, Error> check_log(const NodeOptions& options);

class Node {
 public:
  /// Opens key, genesis and store and replays the log into `app`, which has to be as new: it gets
  /// the newest snapshot, or all of the log. Errors: those of load_genesis(),
  /// crypto::load_key(), open_coin() and DiskStore::open(), or of `make_store`; kMismatch: the key,
  /// the store or the application's state is of something else; kMissing: the log begins later than
  /// any snapshot; kUnsupported: the machine's limits do not do; kMalformed: an option is wrong;
  /// kRejected: the application failed, or `options.stop` ended it (kStoppedAtStart).
  static Result<std::unique_ptr<Node>, Error> open(NodeOptions options, App& app);
  ~Node();

  /// Runs until stop(), on a thread of its own, which the caller waits for; else the error says why
  /// the node could not begin or had to stop. kBusy: an address is taken, another process runs with
  /// this key, or kHostBlocks; kMismatch: peers have another log, or know more of this key than its
  /// data; kRejected: the application failed or has other results than the others, or what the
  /// protocol promises does not hold; kCorrupt, kIo and the like: the store. Also those of
  /// Transport::start() and, where the node took its state from peers, of open(). `where`: the
  /// node's home, unless it is an address or a file.
  /// When a call of the application does not return, Frozen::write() included, it gives up less
  /// than a second after stop(), with kHostBlocks: the application must outlive that call, and the
  /// store stays locked until it returned. A node runs once: kBusy, and nothing else happens, when
  /// run() or start() was called before.
  Result<Unit, Error> run();
  /// On the host's context: returns at once; `stopped` is called there when the node has stopped,
  /// with what run() would return, or with kUnsupported: the node took its state from peers and has
  /// to be started again. Errors: why it could not start. The node must not be destroyed before,
  /// unless the context runs no more.
  Result<Unit, Error> start(std::function<void(const Result<Unit, Error>&)> stopped);
  /// From any thread, also from a callback; returns at once.
  void stop();
  /// From any thread. Resolves when this node has applied the transaction, with its result; throws
  /// NotCommitted when it was refused, or is not known: the patience ended, it was cancelled, or
  /// the node has stopped.
  std::future<Receipt> submit(ByteView transaction, SubmitOptions options = {});
  /// The same; `done` is called once, on the node's thread, which it must not hold up, or on that
  /// of whoever stops the node. It may submit again. What it throws is lost, with a line in the
  /// log; an empty one is not called.
  void submit(ByteView transaction, OnCommitStatus done, SubmitOptions options = {});
  /// The same with a completion token of Boost.Asio, as in `co_await node.submit(bytes,
  /// use_awaitable)`: thresher/net/completion.hpp defines it.
  template <CompletionToken Token>
  auto submit(ByteView transaction, Token&& token, SubmitOptions options = {});
  /// From any thread. What App::query() answers when this node has applied so many transactions, on
  /// the node's thread; `failed` when it has no answer, too many questions wait, or the node stops
  /// before or has stopped: then at once. If the node never runs: when it is destroyed. Clients
  /// who name no length wait after a start until the node is level with its peers; this does not,
  /// and may be answered from less than was acknowledged before the start while status() says what
  /// the node waits for.
  std::future<Answer> query(ByteView question, std::uint64_t length = 0);

 private:
  Node();
  struct Impl;
  static Result<std::shared_ptr<Impl>, Error> make(NodeOptions options, App& app);
  std::shared_ptr<Impl> impl() const;
  Result<Unit, Error> run_once();
  Result<Unit, Error> start_anew();

  mutable std::mutex mutex_;
  /// The node's thread shares it. A node that took its state from peers gets another one in run(),
  /// as after a stop and a start.
  std::shared_ptr<Impl> impl_;
  std::atomic<bool> stopping_{false};  // stop() was called
};

/// The words of an error about a folder whose node is running (ErrorCode::kBusy).
inline constexpr std::string_view kNodeRuns =
    "this node runs already, in another process or in this one";

/// Visits the durable log of a node that is not running, from position `from`; 0: from where it
/// begins, if its front was pruned. kBusy: it runs; kMissing: `from` itself was pruned, or the node
/// never ran; kCorrupt: the log ends early.
Result<Unit, Error> read_log(NodeOptions options, std::uint64_t from,
                             const std::function<void(const Transaction&)>& visit);

}  // namespace thresher::net
