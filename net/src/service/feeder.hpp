// Hands transactions that wait in the pool to the protocol, a payload at a time. Private to net/.
//
//   Feeder feeder(pool, {block_bytes, stamps, extends}, {pending, links_keep_up, root_of, submit,
//                                                        clock_us});
//   feeder.others_order();                          // a peer's block with transactions came
//   if (feeder.has_something() && !feeder.feed()) again.set_in(Feeder::kRetry);
//
// Guarantees: the protocol has one payload that waits for its block, no more: while it waits it may
// be replaced by one that has also what came since, where the protocol can do that and it is worth
// the hashing. What is taken out of the pool is submitted. Where the members agree on a time each
// payload begins with this node's clock, and a member without transactions writes its clock alone,
// once for each time that others ordered some. While links are full nothing is taken: it waits in
// the pool, which is bounded. Does not look by itself when they have room again.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "service/pool.hpp"
#include "thresher/core/bytes.hpp"
#include "thresher/core/hash.hpp"

namespace thresher::net {

class Feeder {
 public:
  /// When feed() is worth another try, after links were full. Unit: microseconds.
  static constexpr std::uint64_t kRetry = 10'000;

  struct Options {
    std::size_t block_bytes = 0;  ///< most that a payload may have
    bool stamps = false;          ///< payloads begin with a clock
    bool extends = false;         ///< a payload that waits may be replaced by a longer one
  };
  struct Hooks {
    std::function<std::size_t()> pending;  ///< payloads that wait for a block
    std::function<bool()> links_keep_up;
    std::function<Digest(ByteView)> root_of;
    /// `replaced`: the root of the payload that this one contains.
    std::function<void(const Bytes&, const Digest& root, const std::optional<Digest>& replaced)>
        submit;
    std::function<std::uint64_t()> clock_us;  ///< the time of day
  };

  /// The pool lives longer than this.
  Feeder(Pool& pool, const Options& options, Hooks hooks)
      : pool_(pool), options_(options), hooks_(std::move(hooks)) {}

  /// Others order transactions, and want this node's clock beside them.
  void others_order() { stamp_due_ = true; }
  /// Whether feed() may have something to submit. Costs nothing: every frame that comes asks.
  bool has_something() const { return !pool_.empty() || stamps_alone(); }
  /// Submits one payload at most. False: links are full, and it was left for later.
  bool feed();

 private:
  /// A payload and its root.
  struct Fed {
    Bytes bytes{};
    Digest root{};
  };
  bool stamps_alone() const { return options_.stamps && options_.extends && stamp_due_; }
  bool worth_extending() const;

  Pool& pool_;
  Options options_;
  Hooks hooks_;
  Fed fed_;                 // the last one that was submitted, while it is short
  bool stamp_due_ = false;  // others_order() was called since the last payload
};

}  // namespace thresher::net
