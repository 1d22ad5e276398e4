// `honeybadger`: a total order whose liveness asks for nothing, neither timing nor leaders.
//
//   HoneyBadger node({.committee = *Committee::of(4), .self = NodeId{0}, .coin = scheme});
//   step(node, InputOf<HoneyBadger>{Requested<honey_badger::Submit>{{payload}}}, fx);
//
// In each epoch every node enters a batch of what it has to order into a common subset over a coded
// broadcast; the batches of at least n-f nodes are ordered, by origin, and so is every payload in
// them that was not ordered before. Guarantees, with up to f Byzantine nodes of n >= 3f+1: correct
// nodes deliver the same payloads in the same order; while messages arrive at all, every payload
// that a correct node submitted is delivered, with probability one, unless the node crashed before
// the others heard of it. A payload that was left out of kLeftOut epochs goes to all nodes, again
// and again, so nobody can keep it out. Payloads have slots, counted along the order, at most
// kEpochSlots in an epoch; a copy of one that was delivered within the last `history` slots is not
// delivered again. Without `encryption` batches
// hide nothing: a scheduler that sees payloads before they are ordered may choose f batches to
// leave out for an epoch. With it nobody reads a batch before it is ordered (batch_seals.hpp), for
// a delay more; payloads that went to all nodes because they were left out are no secret.
// Bounds: `window` epochs of the common subset, of each peer `queue_bytes` of payloads. A node
// further behind takes slots from f+1 peers that say the same, within `history`; each peer gives it
// a slot three times in 4 Delta, however often it asks.
// Source: Miller, Xia, Croman, Shi, Song, "The Honey Badger of BFT protocols" (CCS 2016), figures 1
// and 4. Rules: docs/protocols/honeybadger.md.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "thresher/protocols/agreement/bca_agreement.hpp"
#include "thresher/protocols/agreement/common_subset.hpp"
#include "thresher/protocols/broadcast/avid.hpp"
#include "thresher/protocols/order/batch_seals.hpp"
#include "thresher/protocols/order/marks.hpp"
#include "thresher/protocols/order/requests.hpp"
#include "thresher/protocols/order/served.hpp"
#include "thresher/protocols/order/slot_log.hpp"

namespace thresher {

namespace honey_badger {

using Subset = CommonSubset<Avid, BcaAgreement>;

using order::Decided;
using order::Delivery;
using order::Submit;

/// A payload that the sender has to order and that was left out.
struct Forward {
  Bytes value;
};
/// The sender has delivered all slots below. Epoch `epoch`, the last one that is a multiple of
/// kCheckpoint, began with `first`. `asks`: it wants what comes after.
struct Status {
  std::uint64_t delivered = 0;
  std::uint64_t epoch = 0;
  std::uint64_t first = 0;
  bool asks = false;
};

/// Epochs that an own payload may be left out of before all nodes get it.
inline constexpr std::uint64_t kLeftOut = 2;
/// Epochs after which they get it again.
inline constexpr std::uint64_t kCopiesAgain = 4;
/// Slots that an epoch takes at most: what is to be ordered within so many slots has that many
/// epochs the fewer (docs/protocols/honeybadger.md).
inline constexpr std::uint64_t kEpochSlots = 1024;
/// Payloads of a batch at most, in a committee of few.
inline constexpr std::size_t kMostPayloads = 64;
/// Payloads of a batch at most.
std::size_t most_payloads(const Committee& committee);
/// Every so many epochs nodes tell where the order was.
inline constexpr std::uint64_t kCheckpoint = 4;

/// What a batch holds, and the mirror: empty when it is malformed, has a payload over the limit or
/// more than `most`.
Bytes encode_batch(const std::vector<Bytes>& values);
std::optional<std::vector<Bytes>> decode_batch(const Bytes& batch, std::size_t value_bytes,
                                               std::size_t most);

/// Durable: which epoch comes next, and its first slot.
enum Table : std::uint32_t { kEpoch = 9 };

struct Footprint {
  Subset::Held subset;
  std::size_t request_bytes = 0;
  std::size_t digests = 0;  ///< that peers called decided
  std::size_t decisions = 0;
  std::size_t decryption_shares = 0;
};

}  // namespace honey_badger

class HoneyBadger {
 public:
  static constexpr std::string_view kName = "honeybadger";

  using Message = std::variant<honey_badger::Subset::Message, honey_badger::Forward,
                               honey_badger::Status, honey_badger::Decided, honey_badger::Reveal>;
  using Output = honey_badger::Delivery;
  using Request = honey_badger::Submit;
  using Fx = Effects<Message, Output>;

  struct Config {
    Committee committee = *Committee::make(4, 1);
    NodeId self{};
    std::shared_ptr<const crypto::CoinScheme> coin{};
    /// With this node's secret; null: batches are not encrypted. The same at all nodes.
    std::shared_ptr<const crypto::EncryptionScheme> encryption{};
    std::uint64_t history = 1024;       ///< delivered slots kept
    std::uint64_t window = 32;          ///< epochs kept, half of them for nodes that lag
    std::size_t value_bytes = 65536;    ///< largest payload
    std::size_t batch_bytes = 1 << 18;  ///< of a batch; at least one payload and its length
    std::size_t queue_bytes = 0;        ///< payloads kept of one peer; 0: eight of the largest
  };

  /// Pre: config.coin is not null.
  explicit HoneyBadger(Config config);

  /// Before Start: a record of the own disk. After Start: a decision that the host got from peers
  /// and vouches for, of SlotLog::kTable. It is delivered.
  void on(const Restored&, Fx&);
  void on(const Start&, Fx&);
  void on(const Received<Message>&, Fx&);
  void on(const Requested<Request>&, Fx&);
  void on(const Expired&, Fx&);

  /// The epoch that this node waits for.
  std::uint64_t epoch() const { return epoch_; }
  /// One more than the last epoch that it entered a batch into, or is done with; no lower after a
  /// restart.
  std::uint64_t entered() const;
  /// Slots delivered.
  std::uint64_t delivered() const { return log_.delivered(); }
  /// Slots that some correct node has delivered, as far as peers tell.
  std::uint64_t frontier() const { return std::max(frontier_.mark(), log_.delivered()); }
  std::uint64_t refused() const;
  /// False shares of coins and of decryptions, by sender.
  std::span<const std::uint64_t> false_shares() const { return false_shares_; }
  honey_badger::Footprint footprint() const;
  honey_badger::Footprint most_held() const;

 private:
  static constexpr std::uint32_t kSubsetHop = 1;
  static constexpr TimerId kTick{1, {}};
  static constexpr std::uint64_t kAnswers = 64;

  static honey_badger::Subset::Config subset_config(const Config& config);
  template <class Input>
  void feed(const Input& input, Fx& fx);
  template <class F>
  void with_subset(Fx& fx, F act);

  void receive(NodeId from, const honey_badger::Subset::Message& m, Fx& fx);
  void receive(NodeId from, const honey_badger::Forward& m, Fx& fx);
  void receive(NodeId from, const honey_badger::Status& m, Fx& fx);
  void receive(NodeId from, const honey_badger::Decided& m, Fx& fx);
  void receive(NodeId from, const honey_badger::Reveal& m, Fx& fx);

  /// A payload that may enter the next batch.
  struct Place {
    std::size_t rank = 0;  ///< in the queue of its peer; 0 for own ones
    Digest hash{};
    const order::Queued* request = nullptr;

    bool operator<(const Place& o) const { return std::tie(rank, hash) < std::tie(o.rank, o.hash); }
  };
  using Places = std::vector<Place>;

  void advance(Fx& fx);
  Places places_of(NodeId peer) const;
  Bytes batch() const;
  void enter(Fx& fx);
  std::vector<Bytes> payloads_of(const subset::Output& agreed) const;
  bool order_next(Fx& fx);
  bool open(subset::Output& agreed, Fx& fx);
  void count_false_shares();
  void keep_epoch(Fx& fx);
  void deliver(Fx& fx);
  void forward(Fx& fx);
  void jump(Fx& fx);
  bool behind() const { return frontier() > log_.delivered(); }
  void arm(Fx& fx);

  Config config_;
  honey_badger::Subset subset_;
  SlotLog log_;
  order::Requests requests_;
  std::map<std::uint64_t, subset::Output> outputs_;  // of epochs from epoch_ on
  std::uint64_t epoch_ = 0;
  std::uint64_t first_ = 0;       // its first slot
  std::uint64_t checkpoint_ = 0;  // the last multiple of kCheckpoint up to epoch_
  std::uint64_t checkpoint_first_ = 0;
  std::map<Digest, std::uint64_t> copies_due_;  // of own payloads: the epoch that sends them to all
  order::Served served_;                        // in this tick
  Marks frontier_;
  std::map<NodeId, std::pair<std::uint64_t, std::uint64_t>> told_;  // checkpoints of peers
  std::optional<honey_badger::BatchSeals> seals_;
  std::vector<std::uint64_t> false_shares_;
  std::uint64_t refused_ = 0;
  bool armed_ = false;
};

}  // namespace thresher
