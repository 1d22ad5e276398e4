// Nodes of an erasure-coded broadcast on a bus: messages arrive in the order they are sent, and
// what they cost is counted.
//
//   Bus<Avid> bus(4, 1, 1 << 12);
//   bus.broadcast(0, payload_of(100));
//   bus.settle();                                   // bus.got[i], bus.messages, bus.bytes
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "thresher/core/prng.hpp"
#include "thresher/protocols/broadcast/avid_wire.hpp"
#include "thresher/protocols/broadcast/das_xiang_ren_wire.hpp"

namespace thresher {

inline Bytes payload_of(std::size_t size) {
  std::vector<std::byte> out(size);
  for (std::size_t k = 0; k < size; ++k) out[k] = static_cast<std::byte>(mix64(k));
  return Bytes::from(std::move(out));
}

/// Nodes whose messages arrive in the order they are sent.
template <class Node>
class Bus {
 public:
  Bus(std::uint32_t n, std::uint32_t f, std::size_t payload_bytes, std::uint64_t window = 8,
      std::optional<coded::Thresholds> thresholds = {}) {
    for (std::uint16_t i = 0; i < n; ++i) {
      coded::Config config;
      config.committee = *Committee::make(n, f);
      config.self = NodeId{i};
      config.window = window;
      config.payload_bytes = payload_bytes;
      config.thresholds = thresholds;
      nodes.emplace_back(config);
    }
    got.resize(n);
  }
  template <class Input>
  typename Node::Fx feed(std::uint16_t i, const Input& input) {
    typename Node::Fx fx;
    nodes[i].on(input, fx);
    for (auto& effect : fx.list()) std::visit([&](auto& e) { emit(i, e); }, effect);
    return fx;
  }
  typename Node::Fx say(std::uint16_t from, std::uint16_t to, const typename Node::Message& m) {
    return feed(to, Received<typename Node::Message>{NodeId{from}, m});
  }
  void broadcast(std::uint16_t i, const Bytes& payload) {
    feed(i, Requested<broadcast::Submit>{{payload, 0}});
  }
  void settle() {
    while (!letters_.empty()) {
      const auto [from, to, m] = letters_.front();
      letters_.pop_front();
      if (!deaf.contains(NodeId{to})) say(from, to, m);
    }
  }

  std::vector<Node> nodes;
  std::vector<std::map<broadcast::Instance, Bytes>> got;
  NodeSet deaf;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;

 private:
  struct Letter {
    std::uint16_t from;
    std::uint16_t to;
    typename Node::Message message;
  };
  template <class E>
  void emit(std::uint16_t, const E&) {}
  void emit(std::uint16_t i, const Send<typename Node::Message>& e) {
    post(i, e.to.value, e.message);
  }
  void emit(std::uint16_t i, const Broadcast<typename Node::Message>& e) {
    for (std::uint16_t to = 0; to < nodes.size(); ++to) {
      if (to != i) post(i, to, e.message);
    }
  }
  void emit(std::uint16_t i, const Deliver<broadcast::Delivery>& e) {
    got[i].emplace(e.output.instance, e.output.payload);
  }
  void post(std::uint16_t from, std::uint16_t to, const typename Node::Message& m) {
    ++messages;
    bytes += encode(m).size();
    letters_.push_back({from, to, m});
  }

  std::deque<Letter> letters_;
};

}  // namespace thresher
