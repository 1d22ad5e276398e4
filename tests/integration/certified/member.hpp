// A member of a network that says what a test wants, with its real key over the real transport.
//
//   Member liar(net, 3);
//   liar.send(0, certified::Propose{header});      // to node 0 alone
//   liar.votes(digest);                            // who voted for it so far
#pragma once

#include <map>
#include <set>

#include "../node/network.hpp"
#include "../node/payloads.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/net/payload_root.hpp"
#include "thresher/protocols/certified/message.hpp"

namespace thresher::net {

inline crypto::SigningKey key_of(const Network& net, std::size_t node) {
  return *crypto::load_key(net.home(node) + "/node.key");
}

/// One transaction of a client, as nodes pack it.
inline certified::Payload transaction(std::uint64_t client, const std::string& text) {
  const Bytes bytes = block_of(some_client(client), {{0, text}});
  return {bytes, payload_root(bytes.view())};
}

class Member {
 public:
  Member(const Network& net, std::uint16_t id)
      : chain_(net.genesis().context()), n_(net.genesis().nodes.size()), key_(key_of(net, id)) {
    TransportOptions o;
    o.self = NodeId{id};
    o.key = key_;
    o.chain = chain_.chain;
    o.nodes = net.genesis().nodes;
    transport_ = std::make_unique<Transport>(
        loop_, std::move(o),
        TransportCallbacks{[this](ConnectionId from, const Frame& f) { take(from, f); },
                           [this](ConnectionId from, bool up) { link(from, up); },
                           [](const std::string&) {}});
    EXPECT_TRUE(transport_->start());
    thread_ = std::thread([this] { loop_.run(); });
  }
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;
  ~Member() {
    loop_.post([this] { transport_->close(); });
    loop_.stop();
    thread_.join();
  }

  /// True once `count` nodes are connected.
  bool linked(std::size_t count) {
    return Network::eventually([&] { return links_ >= count; });
  }
  void send(std::uint64_t to, const certified::Message& m) {
    send(to, frame_of(m, static_cast<std::uint32_t>(n_)));
  }
  void send(std::uint64_t to, const Frame& f) {
    loop_.post([this, to, f] { EXPECT_TRUE(transport_->send(to, f)); });
  }
  void send_all(const certified::Message& m) {
    for (const std::uint64_t to : {0, 1, 2}) send(to, m);
  }
  /// As in a committee of `n`.
  static Frame frame_of(const certified::Message& m, std::uint32_t n) {
    WireParts parts = certified::encode(m, n);
    return {kProtocol, std::move(parts.control), std::move(parts.payload)};
  }

  certified::ProposalPtr sealed(certified::Header h) const {
    const Digest digest = certified::digest_of(h, chain_);
    return certified::make_proposal(std::move(h), key_.sign(digest.bytes), chain_);
  }
  std::map<std::uint16_t, Signature> votes(const Digest& digest) const {
    const std::lock_guard lock(mutex_);
    const auto it = votes_.find(digest);
    return it == votes_.end() ? std::map<std::uint16_t, Signature>{} : it->second;
  }
  /// Highest round of a header that somebody sent.
  std::uint64_t seen() const { return seen_; }
  const ChainContext& chain() const { return chain_; }

 private:
  void link(ConnectionId from, bool up) {
    if (from < kFirstClient) links_ += up ? 1 : -1;
  }
  void take(ConnectionId from, const Frame& f) {
    const auto hash_of = [](ByteView bytes) { return payload_root(bytes); };
    const certified::Shape shape{*Committee::of(static_cast<std::uint32_t>(n_)), 64};
    const auto m = certified::decode({f.control, f.payload}, chain_, shape, {}, hash_of);
    if (f.kind != kProtocol || !m) return;
    if (const auto* p = std::get_if<certified::Propose>(&*m)) {
      seen_ = std::max(seen_.load(), p->proposal->header.round.value);
    }
    const auto* v = std::get_if<certified::Vote>(&*m);
    if (v == nullptr) return;
    const std::lock_guard lock(mutex_);
    votes_[v->digest][static_cast<std::uint16_t>(from)] = v->signature;
  }

  ChainContext chain_;
  std::size_t n_;
  crypto::SigningKey key_;
  Loop loop_;
  mutable std::mutex mutex_;
  std::map<Digest, std::map<std::uint16_t, Signature>> votes_;
  std::atomic<std::uint64_t> seen_{0};
  std::atomic<std::size_t> links_{0};
  std::unique_ptr<Transport> transport_;
  std::thread thread_;
};

}  // namespace thresher::net
