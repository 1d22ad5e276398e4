// A member of a network that is not a node: it answers what a test tells it to, and notes what the
// node that it is connected to says.
//
//   Member liar(net, /*of=*/0, /*as=*/1);
//   liar.know(known);                                // answers the question at a start
//   EXPECT_TRUE(Network::eventually([&] { return liar.heard(kPush) > 0; }));
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "network.hpp"
#include "raw_peer.hpp"
#include "thresher/net/codec.hpp"

namespace thresher::net {

inline crypto::SigningKey key_of(const Network& net, std::size_t i) {
  return *crypto::load_key(net.home(i) + "/node.key");
}

class Member {
 public:
  /// Connects to node `of`, again and again until it listens, with the key of node `as`.
  Member(const Network& net, std::size_t of, std::size_t as) : key_(key_of(net, as)) {
    const Digest chain = net.genesis().context().chain;
    const auto start = signed_incarnation(key_, chain, {1, random_nonce(), {}});
    Network::eventually([&] {
      auto peer = std::make_unique<RawPeer>(net.genesis().nodes[of].port, key_);
      if (peer->greet(chain, start)) peer_ = std::move(peer);
      return peer_ != nullptr;
    });
    EXPECT_TRUE(peer_) << "node " << of << " does not listen";
    thread_ = std::thread([this] { listen(); });
  }
  ~Member() {
    over_ = true;
    thread_.join();
  }

  /// What it says of the node, from now on; before, it does not answer.
  void know(const wire::Known& known) {
    const std::lock_guard lock(mutex_);
    known_ = known;
    if (asked_) answer();
  }
  /// Answers questions about the log hash of a slot.
  void hash_log(std::function<wire::LogHash(Round)> hash) {
    const std::lock_guard lock(mutex_);
    hash_ = std::move(hash);
  }
  /// Answers each question for a part of the log by one without blocks.
  void has_empty_log() { empty_log_ = true; }
  /// The log hash that the node named for a slot; empty: not yet, or it does not reach it.
  std::optional<Digest> hash_of(Round slot) {
    const std::lock_guard lock(mutex_);
    const auto it = hashes_.find(slot);
    return it == hashes_.end() ? std::nullopt : std::optional(it->second);
  }
  /// What the node said when it began to sign.
  std::optional<Incarnation> started() {
    const std::lock_guard lock(mutex_);
    return started_;
  }
  void say(const Frame& frame) {
    const std::lock_guard lock(mutex_);
    EXPECT_TRUE(peer_->write(bytes_of(frame)));
  }
  /// Frames of a kind so far.
  int heard(std::uint8_t kind) const { return heard_[kind]; }
  /// Frames of the protocol: blocks, or messages of another protocol than the DAG.
  int spoken_to() const { return heard(kPush) + heard(kProtocol); }
  bool ended() const { return ended_; }

 private:
  void answer() { (void)peer_->write(bytes_of({kKnown, wire::encode(*known_), {}})); }
  void give_nothing(const Frame& question) {
    const auto want = wire::decode<wire::WantLog>(question.control.view());
    if (!want) return;
    const wire::LogPart part{Round{0}, {}, {}, wire::LogPlace{want->after, want->leave_out}};
    (void)peer_->write(bytes_of({kLogPart, wire::encode(part), {}}));
  }
  void listen() {
    while (!over_) {
      if (!peer_->readable()) continue;
      const auto frame = peer_->frame();
      if (!frame) break;
      const std::lock_guard lock(mutex_);
      if (frame->kind == kStarted) {
        const auto in = wire::decode<wire::Started>(frame->control.view());
        if (in) started_ = in->incarnation;
      }
      ++heard_[frame->kind];
      asked_ |= frame->kind == kWantKnown;
      if (frame->kind == kWantKnown && known_) answer();
      if (frame->kind == kLogHash) {
        const auto named = wire::decode<wire::LogHash>(frame->control.view());
        if (named && named->known) hashes_[named->slot] = named->hash;
      }
      if (frame->kind == kWantLog && empty_log_) give_nothing(*frame);
      if (frame->kind != kWantLogHash || !hash_) continue;
      if (const auto want = wire::decode<wire::WantLogHash>(frame->control.view())) {
        (void)peer_->write(bytes_of({kLogHash, wire::encode(hash_(want->slot)), {}}));
      }
    }
    ended_ = true;
  }

  crypto::SigningKey key_;
  std::unique_ptr<RawPeer> peer_;
  std::mutex mutex_;
  std::optional<wire::Known> known_;
  std::function<wire::LogHash(Round)> hash_;
  std::map<Round, Digest> hashes_;
  std::optional<Incarnation> started_;
  bool asked_ = false;
  std::atomic<bool> empty_log_{false};
  std::array<std::atomic<int>, 256> heard_{};
  std::atomic<bool> over_{false};
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

}  // namespace thresher::net
