// What was decided for each slot: delivered in order, kept for a while, and taken from peers when
// enough of them say the same.
//
//   SlotLog log(committee, {.history = 1024, .value_bytes = 65536, .answers = 16});
//   log.decide(slot, value);
//   while (auto d = log.deliver_next()) { fx.push(d->record); if (d->fresh) ...; }
//
// Guarantees: slots are delivered in order, once; a value that was delivered within the last
// `history` slots is not fresh again, which every node tells alike, for copies that were left out
// do not renew the memory of a value. For each peer one digest a slot is held, for `answers` slots;
// f+1 that say the same decide it, because one of them is correct. Asserts that a slot decides one
// value. Persists nothing itself: it hands out records.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "thresher/core/committee.hpp"
#include "thresher/core/effects.hpp"

namespace thresher {

class SlotLog {
 public:
  struct Limits {
    std::uint64_t history = 1024;     ///< delivered slots kept
    std::size_t value_bytes = 65536;  ///< largest value
    std::uint64_t answers = 16;       ///< slots beyond the delivered ones that peers may speak of
  };
  /// Table of the durable decisions: key slot u64, body the value. The record's value is
  /// kDelivered, or kRepeated for a value that was delivered at an earlier slot.
  static constexpr std::uint32_t kTable = 13;
  static constexpr std::string_view kDelivered = "d";
  static constexpr std::string_view kRepeated = "r";
  static Bytes key_of(std::uint64_t slot);

  SlotLog(const Committee& committee, Limits limits) : committee_(committee), limits_(limits) {}

  /// A record of the own disk, of kTable.
  void restore(const Bytes& key, const Bytes& mark, const Bytes& value);
  /// A decision that the host vouches for; slots below it that are not delivered never will be.
  /// False: it was delivered.
  bool adopt(const Bytes& key, const Bytes& value);
  /// False when it was decided already.
  bool decide(std::uint64_t slot, const Bytes& value);
  /// `from` says that this was decided. True when that decided it here.
  bool hear(NodeId from, std::uint64_t slot, const Bytes& value);
  /// `from` says that a value of this name was decided. True when that made f+1 that say so: then
  /// vouched() tells it, and who has the value decides it here.
  bool hear(NodeId from, std::uint64_t slot, const Digest& digest);
  struct Vouched {
    Digest digest{};
    NodeSet by;
  };
  /// Empty: not f+1 named one value, or it is decided here.
  std::optional<Vouched> vouched(std::uint64_t slot) const;

  struct Delivered {
    std::uint64_t slot = 0;
    Bytes value;
    Digest digest{};
    bool fresh = false;  ///< to be delivered; else it is a copy
    Persist record;      ///< durable before the delivery
  };
  /// The next slot, if it is decided.
  std::optional<Delivered> deliver_next();
  /// Records that are out of the history, erased.
  std::vector<Persist> forget();

  /// Slots delivered.
  std::uint64_t delivered() const { return delivered_; }
  /// Null: not decided, or forgotten.
  const Bytes* decided(std::uint64_t slot) const;
  /// A value that was delivered; null: none such, or forgotten. Nothing is hashed.
  const Bytes* delivered_value(const Digest& digest) const;
  /// The name of what a slot delivered; null: not delivered, or forgotten.
  const Digest* delivered_name(std::uint64_t slot) const;
  /// Whether it was delivered within the history.
  bool repeats(const Digest& digest) const;
  std::size_t size() const { return decided_.size(); }
  /// Digests that peers called decided.
  std::size_t heard() const;

 private:
  bool near(std::uint64_t slot) const;

  Committee committee_;
  Limits limits_;
  std::uint64_t delivered_ = 0;
  std::map<std::uint64_t, Bytes> decided_;
  std::map<std::uint64_t, Digest> names_;  // of those that are delivered
  std::map<Digest, std::uint64_t> done_;   // fresh values of the history, their slots
  std::map<std::uint64_t, std::map<Digest, Tally>> hearsay_;
  std::map<std::uint64_t, NodeSet> heard_;
};

}  // namespace thresher
