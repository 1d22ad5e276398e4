// HoneyBadger's batches, encrypted until the nodes have agreed which of them they order.
//
//   BatchSeals seals({.committee = c, .self = NodeId{0}, .scheme = scheme});
//   enter(epoch, seals.seal(epoch, batch));
//   seals.agreed(output);                           // the subset of an epoch is known
//   fx.broadcast(seals.mine(epoch));                // and only now this node's shares are told
//   seals.hear(from, reveal, epoch);
//   if (auto entries = seals.open(epoch)) order(*entries);
//
// Guarantees: a share of a batch is made for subsets that agreed() named alone; open() gives the
// same texts at all correct nodes, from shares of threshold() nodes, whatever liars tell. Every
// share is verified before it counts, all of an epoch at once. Holds shares of `kAhead` epochs of
// each peer, and its own of all epochs that are not forgotten. Does not repeat itself: the owner
// asks, and answers who asks.
// Source: Miller, Xia, Croman, Shi, Song (CCS 2016), figure 1, the steps of TPKE. Rules H10 to H12:
// docs/protocols/honeybadger.md.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "thresher/core/committee.hpp"
#include "thresher/crypto/encryption_scheme.hpp"
#include "thresher/protocols/agreement/common_subset.hpp"

namespace thresher::honey_badger {

struct RevealedShare {
  NodeId origin;
  crypto::DecryptionShare share;
};
/// The sender's shares of the batches of an epoch's subset, by origin. `asks`: it lacks those of
/// others.
struct Reveal {
  std::uint64_t epoch = 0;
  bool asks = false;
  std::vector<RevealedShare> shares{};
};

class BatchSeals {
 public:
  struct Config {
    Committee committee;
    NodeId self;
    /// With this node's secret.
    std::shared_ptr<const crypto::EncryptionScheme> scheme;
  };
  /// Epochs, from the one that the owner waits for on, of which shares are kept.
  static constexpr std::uint64_t kAhead = 2;

  /// Pre: config.scheme is not null.
  explicit BatchSeals(Config config);

  /// What this node enters into the epoch in place of the batch.
  Bytes seal(std::uint64_t epoch, const Bytes& batch) const;
  /// Whether it can be opened, if the epoch's subset has it.
  bool valid(std::uint64_t epoch, NodeId origin, ByteView sealed) const;

  void agreed(const subset::Output& output);
  bool knows(std::uint64_t epoch) const { return epochs_.contains(epoch); }
  /// Whether it was called for that epoch: its shares need telling once.
  bool told(std::uint64_t epoch) const;
  /// This node's shares. Pre: knows(epoch).
  Reveal mine(std::uint64_t epoch);
  /// The same, and it asks for the others'. Pre: knows(epoch).
  Reveal mine_asking(std::uint64_t epoch);
  /// Whether to answer a question of `from` about that epoch: once until ask_again().
  bool answers(NodeId from, std::uint64_t epoch);
  void ask_again() { answered_.clear(); }
  /// `current`: the epoch that the owner waits for.
  void hear(NodeId from, const Reveal& reveal, std::uint64_t current);
  /// The batches, once there are enough shares of each, and once alone. Pre: knows(epoch).
  std::optional<std::vector<subset::Entry>> open(std::uint64_t epoch);
  void forget_below(std::uint64_t epoch);

  /// Shares that do not prove themselves, by sender.
  std::span<const std::uint64_t> false_shares() const { return false_shares_; }
  std::uint64_t refused() const { return refused_; }
  /// Shares held, of peers and the own ones.
  std::size_t held() const;
  static std::size_t most_held(std::uint32_t nodes, std::uint64_t window);

 private:
  using Shares = std::vector<RevealedShare>;
  struct Epoch {
    std::vector<subset::Entry> entries;  // until they are opened
    Shares own;
    std::map<NodeId, Shares> heard;  // not verified yet
    std::map<NodeId, Shares> good;
    std::set<NodeId> liars;  // are heard no more
    bool opened = false;
  };

  void take(Epoch& epoch, NodeId from, const Shares& shares);
  void judge(std::uint64_t number, Epoch& epoch);
  void refuse(Epoch& epoch, NodeId from);

  Config config_;
  std::map<std::uint64_t, Epoch> epochs_;
  std::map<std::uint64_t, std::map<NodeId, Shares>> early_;  // of epochs that are not known yet
  std::map<std::uint64_t, NodeSet> answered_;
  std::vector<std::uint64_t> false_shares_;
  std::uint64_t refused_ = 0;
};

}  // namespace thresher::honey_badger
