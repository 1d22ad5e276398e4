// One of the two agreements of directed graphs, hosted. Private to net/.
//
//   std::unique_ptr<GraphEngine> engine = std::make_unique<HostedGraph<digraph::SyncAuth>>(
//       digraph::SyncAuth(config), nodes, links);
//   if (const auto started = engine->start(); !started) return started.error();
//   engine->receive(NodeId{2}, frame);
//
// Guarantees: those of ProtocolHost. On the loop's thread only.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "channels/protocol_host.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/protocols/digraph/digraph_wire.hpp"

namespace thresher::net {

class GraphEngine {
 public:
  virtual ~GraphEngine() = default;
  /// Errors: what is wrong with the store.
  virtual Result<Unit, Error> start() = 0;
  /// False when the frame is malformed.
  virtual bool receive(NodeId from, const Frame& frame) = 0;
  virtual std::uint64_t round() const = 0;
  virtual std::uint64_t refused() const = 0;
  virtual std::uint64_t late() const = 0;
  /// The nodes that signed two inputs.
  virtual digraph::Mask two_faced() const = 0;
};

/// `P`: digraph::SyncAuth or digraph::AsyncAuth.
template <class P>
class HostedGraph final : public GraphEngine {
 public:
  HostedGraph(P protocol, std::uint32_t nodes, HostLinks<typename P::Output> links)
      : host_(std::move(protocol), Codec{nodes}, std::move(links)) {}

  Result<Unit, Error> start() override {
    return host_.restore([] { return true; });
  }
  bool receive(NodeId from, const Frame& frame) override { return host_.receive(from, frame); }
  std::uint64_t round() const override { return host_.protocol().round(); }
  std::uint64_t refused() const override { return host_.protocol().refused(); }
  digraph::Mask two_faced() const override {
    if constexpr (std::is_same_v<P, digraph::SyncAuth>) return host_.protocol().two_faced();
    return 0;
  }
  std::uint64_t late() const override {
    if constexpr (std::is_same_v<P, digraph::SyncAuth>) return host_.protocol().late();
    return 0;
  }

 private:
  struct Codec {
    std::uint32_t nodes;

    static Frame frame_of(const typename P::Message& m) {
      WireParts parts = digraph::encode(m);
      return {kProtocol, std::move(parts.control), std::move(parts.payload)};
    }
    std::optional<typename P::Message> read(const Frame& frame) const {
      const WireParts parts{frame.control, frame.payload};
      if constexpr (std::is_same_v<P, digraph::SyncAuth>)
        return digraph::decode_sync_auth(parts, nodes);
      else
        return digraph::decode_async_auth(parts, nodes);
    }
    static std::uint32_t stored(std::uint32_t table) { return table; }
    static std::uint32_t restored(std::uint32_t table) { return table; }
  };

  ProtocolHost<P, Codec> host_;
};

}  // namespace thresher::net
