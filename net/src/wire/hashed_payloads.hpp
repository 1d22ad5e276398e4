// Hashes of transactions' data, from where a payload's root is computed to where its transactions
// are applied. Private to net/.
//
//   HashedPayloads hashed(true);
//   Digest root = hashed.root_of(payload.view());            // when the block comes
//   HashCursor hashes(payload.view(), hashed.take(root));    // when it is applied
//   const Digest* known = hashes.of(transaction.data);       // null: compute it
//
// Guarantees: the root is payload_root() (thresher/net/payload_root.hpp). What a peer sends takes
// bounded memory.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <utility>

#include "thresher/net/payload_root.hpp"
#include "thresher/net/transport.hpp"

namespace thresher::net {

/// A payload's root and hashes, worked out beside the loop.
struct PreparedPayload : Prepared {
  explicit PreparedPayload(ByteView payload) : root(payload_root(payload, &hashes)) {}

  DataHashes hashes;  // first: it is filled while `root` is made
  Digest root;
};

/// A block's payload, for TransportCallbacks::prepare.
std::shared_ptr<const Prepared> prepare_payload(const Frame& frame);

/// The hashes of payloads whose root was computed and that were not applied yet. Bounded: beyond
/// kMost hashes the oldest payload's are forgotten, which costs whoever takes them just time.
class HashedPayloads {
 public:
  /// 36 bytes each; a payload counts for kOfPayload more.
  static constexpr std::size_t kMost = std::size_t{1} << 18;
  static constexpr std::size_t kOfPayload = 5;

  /// Without `keeps` nothing is kept, for nodes that have no checkpoints.
  explicit HashedPayloads(bool keeps) : keeps_(keeps) {}

  Digest root_of(ByteView payload);
  /// While `frame` is looked at: its payload's root may be known. Empty: none is.
  void expect(const Frame& frame);
  /// Empty: unknown.
  DataHashes take(const Digest& root);
  /// What counts for kMost.
  std::size_t size() const { return count_ + known_.size() * kOfPayload; }

 private:
  void forget_oldest();

  Digest keep(const Digest& root, DataHashes&& hashes);

  bool keeps_;
  ByteView expected_;  // the payload that was prepared
  std::shared_ptr<const PreparedPayload> prepared_;
  std::map<Digest, DataHashes> known_;
  std::deque<Digest> order_;  // as they came; those taken since are not in known_ any more
  std::size_t count_ = 0;     // hashes in known_
};

/// Finds a payload's hashes by the data, which is visited in the payload's order.
class HashCursor {
 public:
  HashCursor(ByteView payload, DataHashes hashes)
      : begin_(payload.data()), hashes_(std::move(hashes)) {}

  /// Null: unknown. Pre: a part of the payload that lies behind what was asked for before.
  const Digest* of(ByteView data) {
    const auto offset = static_cast<std::uint32_t>(data.data() - begin_);
    while (next_ < hashes_.size() && hashes_[next_].offset < offset) ++next_;
    return next_ < hashes_.size() && hashes_[next_].offset == offset ? &hashes_[next_].hash
                                                                     : nullptr;
  }

 private:
  const std::byte* begin_;
  DataHashes hashes_;
  std::size_t next_ = 0;
};

}  // namespace thresher::net
