// What the user of a node implements: an application that is given the committed log.
//
//   struct Kv : net::App {
//     Bytes apply(const net::Transaction& t) override { ... return Bytes::copy_of(...); }
//     Digest state() const override { ... }
//
// Guarantees: every correct node calls apply() for the same transactions in the same order, each
// (client, sequence, data) once. The result of apply() goes to the client that submitted the
// transaction. All calls come from the node's thread, one at a time, and must not block: meanwhile
// the node does nothing. Not checked: that apply() is a function of what it was given. One that
// reads a clock, a random device, an address or the order of an unordered container makes the
// nodes' states differ; state() shows it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "thresher/core/bytes.hpp"
#include "thresher/core/hash.hpp"
#include "thresher/net/client_id.hpp"

namespace thresher::net {

/// One committed transaction. `data` lives as long as the call. Only apply() gets `slot` and
/// `time_us`; they are 0 for a reader of a node's log.
struct Transaction {
  std::uint64_t position = 0;  ///< in the log, from 0
  ClientId client{};           ///< whose, as the member says that wrote the block
  std::uint64_t sequence = 0;  ///< the client's number for it
  ByteView data;
  std::uint64_t slot = 0;  ///< of the commit that ordered it
  /// The agreed time of the commit, the same at all nodes. It rises by 1 us a commit at least, and
  /// f members cannot move it beyond the clocks of the others. 0 where the protocol agrees on none
  /// (docs/embedding.md says which do, and how far it may lag). Unit: microseconds since 1970, UTC.
  std::uint64_t time_us = 0;
};

/// What apply() throws for a transaction that fails alike at every node, such as an overdraft: the
/// text becomes its result. Pre: the state is as before the call, or changed alike at every node.
/// Anything else that apply() throws stops the node.
class TransactionFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What became of a transaction in the application.
struct ApplyResult {
  bool failed = false;  ///< apply() threw TransactionFailed
  Bytes bytes{};        ///< what it returned, or the text of what it threw
  friend bool operator==(const ApplyResult&, const ApplyResult&) = default;
};

/// Largest result; one that is larger becomes a failed result that says so. Unit: bytes.
inline constexpr std::size_t kMostResult = 1u << 16;

/// H("thresher/result/1" || failed u8 || bytes): how nodes compare results.
Digest digest_of(const ApplyResult& result);

/// The state at one moment, as freeze() gave it. Written out on another thread while apply() goes
/// on, so it holds what it needs, or shares what apply() does not change.
class Frozen {
 public:
  virtual ~Frozen() = default;
  /// Gives the bytes that App::restore() takes, in parts of any size and in order, to `sink`; ends
  /// with false when the sink says false. The same state gives the same bytes at every node.
  virtual bool write(const std::function<bool(ByteView)>& sink) const = 0;
};

struct Evidence;  // thresher/net/evidence.hpp

class App {
 public:
  virtual ~App() = default;
  /// Executes a transaction; the bytes are its result, at most kMostResult of them.
  virtual Bytes apply(const Transaction& transaction) = 0;
  /// Before a node takes a transaction from a client: a reason refuses it at this node. Cheap, and
  /// never decides what is ordered: another member may order the transaction all the same, so
  /// apply() has to check again. What it throws refuses the transaction, too.
  virtual std::optional<std::string> check(const ClientId& /*client*/, ByteView /*data*/) const {
    return std::nullopt;
  }
  /// Answers a question about the state as it is after the last apply(). The words of an exception
  /// are sent to the client that asked.
  virtual Bytes query(ByteView /*question*/) const {
    throw std::runtime_error("this application answers no queries");
  }
  /// A member is proved to have signed two statements for one round. It comes in the order of the
  /// log, in the place of an apply() and at the same position at all nodes, and may come again with
  /// other proofs against the same member: an application that punishes once must remember whom.
  virtual void convict(const Evidence& /*evidence*/, const Transaction& /*where*/) {}
  /// A digest of the state, compared between nodes.
  virtual Digest state() const = 0;
  /// The whole state as bytes, if the application can. Taken at a clean stop; the next start then
  /// replays only what came after.
  virtual std::optional<Bytes> snapshot() const { return std::nullopt; }
  /// A cheap view of the state as it is now, for the snapshots that a node takes while it runs
  /// (docs/operations.md). Null: the application has none. By default the bytes of snapshot(),
  /// which are made before it returns.
  virtual std::unique_ptr<Frozen> freeze() const;
  /// The mirror of snapshot() and freeze(); false when the bytes are not usable, and then the state
  /// is as before. Takes the place of any state before: docs/embedding.md says when it is called.
  virtual bool restore(ByteView) { return false; }
};

}  // namespace thresher::net
