// The transactions of the last slots, so that each is ordered once. Private to net/.
//
//   const Remembered::Key key{client, sequence, remembered.print_of(client, sequence, data)};
//   if (remembered.may_order(valid, slot) && !remembered.position_of(key, data, nullptr))
//     remembered.add(key);
//   remembered.end_slot(slot);
//
// A transaction may be ordered from slot `since` to slot `until`, at most kLongestLife apart. So
// whoever remembers everything from `since` on knows whether it was ordered before, and what has
// passed `until` need not be remembered: nobody's transactions can make another's be ordered twice,
// they can only shorten its life.
// Guarantees: what is ordered, skipped and forgotten is a function of the log alone, the same on
// all nodes whatever their secrets (fingerprint.hpp). At most kMostRemembered, but for those of one
// slot: 48 to 80 bytes each. Sequences that a client counts up cost no cache miss: they lie beside
// each other; all else is found by fingerprint.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "ledger/fingerprint_index.hpp"
#include "ledger/shared_queue.hpp"
#include "thresher/core/transcript.hpp"
#include "wire/transactions.hpp"

namespace thresher::net {

/// Beyond it whole slots are forgotten, and what is valid since them expires.
inline constexpr std::size_t kMostRemembered = 1u << 20;

/// A transaction of the log as every node can name it: its bytes by their hash.
struct OrderedTransaction {
  ClientId client{};
  std::uint64_t sequence = 0;
  Digest payload{};  ///< payload_hash() of its bytes
  friend bool operator==(const OrderedTransaction&, const OrderedTransaction&) = default;
};

/// Some of them, oldest first. All that need the newest ones share them.
using RecentTransactions = SharedQueue<OrderedTransaction>;

class Remembered {
 public:
  /// Transactions that a slot ordered.
  struct Slot {
    Round slot{0};
    std::uint64_t count = 0;
    friend bool operator==(const Slot&, const Slot&) = default;
  };

  struct Entry {
    Fingerprint print{};
    std::uint64_t sequence = 0;
    ClientId client{};  ///< all zero: not known, and found by its fingerprint alone
  };
  /// All of it at one moment, which any thread may write out.
  struct Frozen {
    Digest secret{};
    Round since{0};
    std::deque<Slot> slots{};
    SharedQueue<Entry>::View entries{};
    std::uint64_t oldest = 0;
    std::uint64_t inherited_end = 0;

    /// Bytes that save() writes.
    std::size_t size() const;
    void save(Writer& out) const;
  };

  /// Draws a secret of its own.
  Remembered();

  /// What is asked for and added.
  struct Key {
    ClientId client{};
    std::uint64_t sequence = 0;
    Fingerprint print{};
  };
  Fingerprint print_of(const ClientId& client, std::uint64_t sequence, ByteView data) const {
    return prints_.of(client, sequence, data);
  }
  /// Where it was ordered, if that is remembered. `data`: of the transaction; what was inherited is
  /// known by its hash alone. `payload`: that hash, if it is known.
  std::optional<std::uint64_t> position_of(const Key& key, ByteView data,
                                           const Digest* payload) const;
  /// Whether its time has come, is not over, and everything ordered in it is remembered.
  bool may_order(const Validity& valid, Round slot) const {
    return valid.since <= slot && slot <= valid.until && valid.since >= since_ &&
           valid.until.value - valid.since.value <= kLongestLife;
  }
  /// The next one in the log. Pre: it is not remembered.
  void add(const Key& key);
  /// No more is ordered in this slot: forgets what can be. Pre: slots rise.
  void end_slot(Round slot);

  /// Everything that was ordered in this slot and later is remembered.
  Round since() const { return since_; }
  std::size_t size() const { return entries_.size(); }
  /// The position of the first that is remembered.
  std::uint64_t oldest() const { return oldest_; }
  const std::deque<Slot>& slots() const { return slots_; }
  /// Takes over what other nodes remember, whose secrets this one does not know. `ordered` are the
  /// transactions of `slots`, up to position `length`. False: the counts do not belong together.
  bool inherit(Round since, std::span<const Slot> slots, const RecentTransactions::View& ordered,
               std::uint64_t length);

  /// Costs a pointer for each thousand of them.
  Frozen freeze() const;
  /// Mirror of Frozen::save(). False: malformed. `length`: of the log so far.
  bool restore(Reader& in, std::uint64_t length);

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  /// Clients whose sequences lie beside each other.
  static constexpr std::size_t kMostRows = 1024;

  /// Handles of a client's transactions by sequence, from `first` on; a quarter of them is used,
  /// but for short ones.
  struct Row {
    ClientId client{};
    std::uint64_t first = 0;
    std::size_t used = 0;
    std::deque<std::uint32_t> handles{};
  };

  // Handles are positions mod 2^32.
  std::uint32_t offset(std::uint32_t handle) const {
    return handle - static_cast<std::uint32_t>(oldest_);
  }
  const Entry& at(std::uint32_t handle) const { return entries_[offset(handle)]; }
  Row* row_of(const ClientId& client) const;
  std::uint32_t* place_in(Row& row, std::uint64_t sequence);
  void keep(const Key& key, Row* row);
  void add_to_index(const Key& key, std::uint32_t handle);
  std::optional<std::uint64_t> indexed(const Fingerprint& print) const;
  void set_secret(const Digest& secret);
  void forget_oldest();
  void forget_in(Row& row, std::uint64_t sequence);
  void dissolve(Row& row);
  void erase(const Row& row);
  void forget_slot();

  Digest secret_{};
  Fingerprinter prints_;
  Fingerprinter inherited_prints_;   // over hashes of payloads, so that no payload passes for one
  std::uint64_t inherited_end_ = 0;  // positions in front of it were inherited
  FingerprintIndex index_;
  std::map<ClientId, std::unique_ptr<Row>> rows_;
  mutable Row* last_row_ = nullptr;  // that was asked for
  SharedQueue<Entry> entries_;       // of positions oldest_, oldest_ + 1, ...
  std::deque<Row*> rows_of_;         // of the same; null: it is in the index
  std::deque<Slot> slots_;           // oldest first; their counts add up
  std::uint64_t counted_ = 0;        // of entries_, in slots_
  std::uint64_t oldest_ = 0;
  Round since_{0};
};

}  // namespace thresher::net
