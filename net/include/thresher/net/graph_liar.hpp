// A member of an agreement in a directed graph that lies, for trials: it has a key and links like
// everybody, and says to each neighbour what its owner wants.
//
//   net::GraphLiar liar(options, 3);            // options: those of the run, with the liar's key
//   if (liar.problem()) return fail(*liar.problem());
//   liar.await_links(2);
//   liar.tell(0, liar.relay(digraph::Phase::kInputs, digraph::content_of(digraph::Value{7})));
//   liar.tell(1, liar.relay(digraph::Phase::kInputs, digraph::content_of(digraph::Value{8})));
//
// Guarantees: signs with its own key alone, as no Byzantine member can do more. It relays nothing
// and keeps nothing. Pre: check_options(options), and `self` is the place of its key.
#pragma once

#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "thresher/net/codec.hpp"
#include "thresher/net/graph_agreement.hpp"
#include "thresher/protocols/digraph/digraph_wire.hpp"

namespace thresher::net {

class GraphLiar {
  // From another thread than the loop's.
  template <class F>
  auto on_loop(F work) {
    std::promise<decltype(work())> done;
    loop_.post([&] { done.set_value(work()); });
    return done.get_future().get();
  }

 public:
  GraphLiar(const GraphAgreementOptions& o, std::uint16_t self)
      : key_(o.key), chain_(context_of(o)), self_{self} {
    TransportOptions t;
    t.self = self_;
    t.key = key_;
    t.chain = chain_.chain;
    t.nodes = o.genesis.nodes;
    t.max_clients = 0;
    transport_ = std::make_unique<Transport>(
        loop_, std::move(t),
        TransportCallbacks{[](ConnectionId, const Frame&) {}, [](ConnectionId, bool) {},
                           [](const std::string&) {}});
    if (const auto started = transport_->start(); !started) problem_ = started.error();
    thread_ = std::thread([this] { loop_.run(); });
  }
  ~GraphLiar() {
    loop_.stop();
    thread_.join();
    transport_->close();
  }

  /// Why it has no links; empty: it may have some.
  const std::optional<Error>& problem() const { return problem_; }
  std::size_t links() {
    return on_loop([this] { return transport_->node_links(); });
  }
  /// Until so many members are connected.
  void await_links(std::size_t many) {
    while (links() < many) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  template <class M>
  void tell(std::uint16_t to, const M& message) {
    WireParts parts = digraph::encode(message);
    send(to, {kProtocol, std::move(parts.control), std::move(parts.payload)});
  }
  void send(std::uint16_t to, Frame frame) {
    (void)on_loop([&] { return transport_->send(to, frame); });
  }

  /// What it may sign of its own: an input, and a statement.
  digraph::Relay relay(digraph::Phase phase, const Bytes& content) const {
    auto list = std::make_shared<SignatureList>();
    list->signers.insert(self_);
    list->signatures = {sign(digraph::relay_digest(chain_, phase, self_, content))};
    return {phase, self_, content, std::move(list)};
  }
  digraph::AsyncAuth::Message value(std::uint32_t round, std::int64_t value) const {
    return digraph::async_auth::Proposal{
        self_, round, value,
        sign(digraph::async_auth::proposal_digest(chain_, self_, round, value))};
  }
  digraph::AsyncAuth::Message support(std::uint16_t origin, std::uint32_t round,
                                      std::int64_t value) const {
    return digraph::async_auth::Support{
        self_, NodeId{origin}, round, value,
        sign(digraph::async_auth::support_digest(chain_, NodeId{origin}, round, value))};
  }

 private:
  Signature sign(const Digest& digest) const { return key_.sign(digest.bytes); }

  crypto::SigningKey key_;
  ChainContext chain_;
  NodeId self_;
  Loop loop_;
  std::unique_ptr<Transport> transport_;
  std::optional<Error> problem_;
  std::thread thread_;
};

}  // namespace thresher::net
