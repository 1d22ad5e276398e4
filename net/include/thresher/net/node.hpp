// A node: the DAG over real sockets and a real disk, with your application on top.
//
//   struct Kv : net::App { void apply(const net::Transaction& t) override { ... } ... } app;
//   auto node = net::Node::open({.home = "net/node0"}, app);
//   if (!node) return fail(node.error());
//   (*node)->run();                               // until stop(), from any thread
//
// Guarantees: every correct node applies the same transactions in the same order, each (client,
// sequence, data) once while it is valid; what was acknowledged survives crashes and power cuts;
// after a restart the application is rebuilt from the log before the node votes. The application
// and the log are called on the node's thread and must not block: while one of them does, the node
// does nothing. What the application throws stops the node with the reason; what the log throws is
// lost.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "thresher/core/bytes.hpp"
#include "thresher/core/hash.hpp"
#include "thresher/core/result.hpp"
#include "thresher/net/client_id.hpp"

namespace boost::asio {
class io_context;
}

namespace thresher::net {

/// One committed transaction. `data` lives as long as the call.
struct Transaction {
  std::uint64_t position = 0;  ///< in the log, from 0
  ClientId client{};           ///< whose, as the member says that wrote the block
  std::uint64_t sequence = 0;  ///< the client's number for it
  ByteView data;
};

/// What the user implements.
class App {
 public:
  virtual ~App() = default;
  virtual void apply(const Transaction& transaction) = 0;
  /// A digest of the state, compared between nodes.
  virtual Digest state() const = 0;
  /// The whole state as bytes, if the application can. Taken at a clean stop; the next start then
  /// replays only what came after.
  virtual std::optional<Bytes> snapshot() const { return std::nullopt; }
  /// The mirror of snapshot(); false when the bytes are not usable. Called before any apply().
  virtual bool restore(ByteView) { return false; }
};

/// Where a submitted transaction ended up.
struct Receipt {
  std::uint64_t position = 0;  ///< in the log, from 0
  std::uint64_t slot = 0;      ///< of the commit
  Digest leader{};             ///< the block that was committed
  Digest block{};              ///< the block in its history that holds the transaction
  /// For verify_receipt(), if it was asked for. Empty for protocols other than `thresher`, and when
  /// the node got this commit from its peers' logs.
  Bytes proof{};
};

/// Whether a receipt shall carry its proof: some kilobytes and the payload of one block.
enum class Prove : std::uint8_t { kNo, kYes };

/// How much a line of the log matters.
enum class Level : std::uint8_t { kDebug, kInfo, kWarning, kError };

/// Where a node keeps its records.
enum class StoreKind : std::uint8_t {
  kDisk,
  kMemory,  ///< for measurements: a node that used it must not come back with its key
};

struct NodeOptions {
  std::string home{};     ///< holds what the next four name
  std::string genesis{};  ///< default: home/../genesis.json
  std::string key{};      ///< default: home/node.key
  std::string data{};     ///< default: home/data
  std::string coin{};  ///< the share of the coin, for protocols that toss; default: home/coin.key
  StoreKind store = StoreKind::kDisk;
  /// The host's, which one thread runs: then start() takes the place of run(). Null: a loop of its
  /// own.
  boost::asio::io_context* context = nullptr;
  /// Loopback address and port of /metrics, /healthz and /readyz, like 127.0.0.1:9464; empty: none.
  std::string metrics_listen{};
  /// Gets every line of the log, from the node's threads. Default: warnings and errors to stderr.
  std::function<void(Level, const std::string&)> log{};
  std::uint64_t link_delay_us = 0;  ///< added to every frame to another node, for experiments
  std::uint64_t delta_us = 20'000;  ///< Delta of the network
  /// Least time between two own blocks while several small transactions wait. At most Delta; 0:
  /// none.
  std::uint64_t pace_us = 5'000;
  /// How long signatures wait for others to be verified with; 0: not at all.
  std::uint64_t verify_deadline_us = 0;
  /// How long certificates that complete a round wait for the rest of it, to be verified with them.
  /// At most Delta; 0: not at all. Of the certified protocols alone.
  std::uint64_t gather_us = 5'000;
  /// Verifies signatures of catch-up when many wait: "cuda", or empty for none. Not there: ignored.
  std::string accelerator{};
  std::uint64_t block_bytes = 1u << 20;  ///< payload of one block
  std::uint64_t pool_bytes = 32u << 20;  ///< transactions that wait; more is answered "overloaded"
  std::uint64_t transaction_bytes = 1u << 18;  ///< largest transaction
  std::uint64_t gc_rounds = 1000;   ///< rounds of the DAG that are kept after they were delivered
  std::uint64_t sync_rounds = 128;  ///< this far behind, the log is fetched instead of the DAG
  /// Follows the log of the others, serves it, and signs nothing: for a key whose newest data are
  /// lost. Transactions that are submitted to it are not ordered.
  bool observe = false;
  std::stop_token stop{};  ///< ends open() early, with kStoppedAtStart; run() is not its business
};

/// What open() says when `stop` was requested while it read the log. Nothing is lost by it.
inline constexpr std::string_view kStoppedAtStart = "stopped while it read its log";
/// What run() says when the application or the log holds the node's thread after stop().
inline constexpr std::string_view kHostBlocks =
    "the application, or the log, has not returned from a call since before the node was stopped; "
    "the node's thread is left in that call. What was committed is safe. Keep the application "
    "alive, "
    "or end the process; and make the call return";

/// The options with every path filled in.
NodeOptions with_paths(NodeOptions options);
/// Why no store can be where the options say; empty: one can, as far as the paths show.
std::string data_problem(const NodeOptions& options);

class Node {
 public:
  /// Opens key, genesis and store and replays the log into `app`. The error says what to do.
  static Result<std::unique_ptr<Node>, std::string> open(NodeOptions options, App& app);
  ~Node();

  /// Runs until stop(), on a thread of its own, which the caller waits for. Empty, or why the node
  /// had to stop. When the node's thread is in a call of the application that does not return, it
  /// gives up less than a second after stop(), with kHostBlocks: the application must outlive that
  /// call, and the store stays locked until it returned.
  std::string run();
  /// On the host's context: returns at once; `stopped` is called there when the node has stopped,
  /// with the reason, empty after stop(). Empty, or why the node could not start. The node must not
  /// be destroyed before, unless the context runs no more.
  std::string start(std::function<void(const std::string&)> stopped);
  /// From any thread, also from a callback; returns at once.
  void stop();
  /// From any thread. Resolves at commit; throws std::runtime_error when the node is overloaded,
  /// the transaction over the limit, not ordered in time (then it never is), or the node has
  /// stopped (then it may be ordered by others).
  std::future<Receipt> submit(ByteView transaction, Prove prove = Prove::kNo);

 private:
  Node();
  struct Impl;
  std::shared_ptr<Impl> impl_;  // the node's thread shares it
};

/// What the errors of read_log() contain when the node is running.
inline constexpr std::string_view kNodeRuns = "another process runs this node";

/// Visits the durable log of a node that is not running, from position `from`.
Result<Unit, std::string> read_log(NodeOptions options, std::uint64_t from,
                                   const std::function<void(const Transaction&)>& visit);

}  // namespace thresher::net
