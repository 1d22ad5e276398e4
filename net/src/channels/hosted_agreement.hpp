// An agreement that answers questions, whichever it is, on links, disk and clock. Private to net/.
//
//   std::unique_ptr<HostedAgreement<agreement::Propose>> bits = host_bits("cobalt", config, links);
//   bits->request({0, true});
//
// Guarantees: those of the agreement and of ProtocolHost. Every frame begins with the byte `head`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "channels/protocol_host.hpp"
#include "channels/questions.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/protocols/wire.hpp"

namespace thresher::net {

template <class Request>
class HostedAgreement {
 public:
  virtual ~HostedAgreement() = default;
  /// As those of ProtocolHost.
  virtual Result<Unit, Error> restore() = 0;
  virtual bool receive(NodeId from, const Frame& frame) = 0;
  virtual void request(const Request& request) = 0;
  virtual void drain() = 0;
  /// Questions below matter no more.
  virtual void forget_below(std::uint64_t question) = 0;
  /// The first question that is not forgotten.
  virtual std::uint64_t floor() const = 0;
  /// Messages of peers and requests that the agreement refused.
  virtual std::uint64_t refused() const = 0;
};

/// Messages of P as frames. `Wire` has encode(message, committee) and decode(parts, committee).
template <Protocol P, class Wire>
struct HeadedCodec {
  std::uint8_t head = 0;
  Committee committee = *Committee::make(4, 1);

  Frame frame_of(const typename P::Message& m) const {
    WireParts parts = Wire::encode(m, committee);
    Writer w;
    w.u8(head).bytes(parts.control.view());
    return {kProtocol, Bytes::from(w.take()), std::move(parts.payload)};
  }
  // Pre: the frame's first byte was looked at.
  std::optional<typename P::Message> read(const Frame& frame) const {
    return Wire::decode({frame.control.slice(1, frame.control.size() - 1), frame.payload},
                        committee);
  }
  static std::uint32_t stored(std::uint32_t table) { return table; }
  static std::uint32_t restored(std::uint32_t table) { return table; }
};

template <Protocol P, class Wire>
class HostedBy final : public HostedAgreement<typename P::Request> {
 public:
  HostedBy(P protocol, std::uint8_t head, HostLinks<typename P::Output> links)
      : host_(Questions<P>(std::move(protocol)), Codec{head, links.committee}, std::move(links)) {}

  Result<Unit, Error> restore() override {
    return host_.restore([] { return true; });
  }
  bool receive(NodeId from, const Frame& frame) override { return host_.receive(from, frame); }
  void request(const typename P::Request& request) override { host_.request(request); }
  void drain() override { host_.drain(); }
  void forget_below(std::uint64_t question) override { host_.request(ForgetBelow{question}); }
  std::uint64_t floor() const override {
    if constexpr (requires(const P& p) { p.floor(); }) {
      return host_.protocol().inner().floor();
    } else {
      return host_.protocol().inner().base();
    }
  }
  std::uint64_t refused() const override { return host_.protocol().inner().refused(); }

 private:
  using Codec = HeadedCodec<P, Wire>;
  ProtocolHost<Questions<P>, Codec> host_;
};

}  // namespace thresher::net
