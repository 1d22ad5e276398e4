// What becomes of a transaction that was submitted, at a node in this process or through a client.
//
//   const net::CommitStatus out = client->submit(as_view("hello")).get();
//   if (out.committed()) use(out.receipt.position); else report(out.why);
//
// Guarantees: kCommitted: it is in the log at that position, as far as the words that were asked
// for say. kRefused: it is not in the log, and nobody here sends it any more. kUnknown: the
// patience ended, or the wait was cancelled, before there was an answer; it may still be ordered
// until slot `until`, and never after.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "thresher/core/bytes.hpp"
#include "thresher/core/hash.hpp"
#include "thresher/net/application.hpp"

namespace boost::asio {
template <typename Allocator>
class use_future_t;
}

namespace thresher::net {

/// Where a submitted transaction ended up, and what the application made of it.
struct Receipt {
  std::uint64_t position = 0;  ///< in the log, from 0
  std::uint64_t slot = 0;      ///< of the commit; 0: not told
  Digest leader{};             ///< the block that was committed
  Digest block{};              ///< the block in its history that holds the transaction
  /// For verify_receipt(), if it was asked for. Empty for protocols other than `thresher`, and when
  /// the node got this commit from its peers' logs.
  Bytes proof{};
  /// What apply() made of it. Empty when the transaction was ordered so long ago that the node
  /// keeps its result no more (the last 16 MiB of them are kept), or the node is of an older
  /// release.
  std::optional<ApplyResult> result{};
  /// Where a client waited with Words::kProof, and then checked: decode_log_proof() reads it,
  /// and write_log_proof() writes it for `thresher verify-proof`.
  Bytes log_proof{};
};

/// Whether a receipt shall carry its proof: some kilobytes and the payload of one block.
enum class Prove : std::uint8_t { kNo, kYes };

/// Why a transaction was not taken; the numbers are those of the wire.
enum class Refusal : std::uint8_t {
  kOverloaded = 1,  ///< the node's pool, or this client's share of it, is full
  kTooLarge,        ///< over the node's limits.transaction_bytes
  kExpired,         ///< not ordered by its last slot
  kTooLate,         ///< the node cannot tell any more whether it had been ordered before
  kMalformed,
  kTooEarly,     ///< its first slot is ahead of the node's log
  kRejected,     ///< the application's check() has a reason against it
  kObserves,     ///< the node follows the log and signs nothing: no block of it is ever ordered
  kUnreachable,  ///< no node took it, because none was reached: no number of the wire
};

/// What became of a submission.
struct CommitStatus {
  enum class Kind : std::uint8_t { kCommitted, kRefused, kUnknown };
  Kind kind = Kind::kUnknown;
  Receipt receipt{};                        ///< of kCommitted
  Refusal refusal = Refusal::kUnreachable;  ///< of kRefused
  std::uint64_t until = 0;  ///< the last slot in which it may be ordered; 0: it was never sent
  std::string why{};        ///< in words, with what to do; empty when committed

  bool committed() const { return kind == Kind::kCommitted; }
};

/// Largest question that a node takes. Unit: bytes.
inline constexpr std::size_t kMostQuestion = 1u << 16;

/// What the application of one node answered to a question.
struct Answer {
  bool failed = false;       ///< `bytes` is why there is no answer, as text
  Bytes bytes{};             ///< at most 1 MiB
  std::uint64_t length = 0;  ///< transactions that the node had applied: it is the state after them
};

using OnCommitStatus = std::function<void(const CommitStatus&)>;
struct SubmitOptions;  // of a node
struct AskOptions;     // of a client
/// Of Boost.Asio's tokens the one that can also be called, to wrap a function.
template <class T>
inline constexpr bool kUseFuture = false;
template <class Allocator>
inline constexpr bool kUseFuture<boost::asio::use_future_t<Allocator>> = true;
/// Anything that is neither called with an outcome nor options of a submission.
template <class T>
concept CompletionToken =
    (!std::is_invocable_v<std::decay_t<T>&, const CommitStatus&> ||
     kUseFuture<std::decay_t<T>>)&&!std::is_same_v<std::remove_cvref_t<T>, SubmitOptions> &&
    !std::is_same_v<std::remove_cvref_t<T>, AskOptions>;

/// What a future or a coroutine throws for an outcome that is not kCommitted.
class NotCommitted : public std::runtime_error {
 public:
  explicit NotCommitted(CommitStatus o) : std::runtime_error(o.why), outcome(std::move(o)) {}
  CommitStatus outcome;
};

}  // namespace thresher::net
