// One protocol as an OrderEngine. An adapter says what is special about it:
//
//   struct Adapter {
//     using Protocol = ...;
//     std::optional<Frame> encode(Message m);       // empty: send nothing
//     std::optional<Message> decode(const Frame&);  // empty: malformed
//     Request request(dag::Payload);
//     void deliver(Output, EngineHost&);
//     bool adopts() const;
//     void adopt(const dag::Committed&, std::optional<Round> before, Inputs&, Records&);
//     EngineSample sample(const Protocol&) const;
//     Pledge pledge(const Protocol&) const;
//     std::uint32_t quorum() const;
//     std::size_t pending_submits(const Protocol&) const;
//     static constexpr bool kExtends = false;
//     RecordName record_of(const dag::Block&) const;
//     std::size_t payload_limit() const;
//     // Of the store, for one of the protocol, and the mirror (empty: not its own):
//     std::uint32_t table(std::uint32_t) const;
//     std::optional<std::uint32_t> own_table(std::uint32_t) const;
//     // If it needs the bodies of its records at a restart:
//     static constexpr bool kWithBodies = true;
//     // If it signs nothing that shows a peer's pledge, or not all of it:
//     Pledge pledged(const Message&) const;         // of the sender
//     // If it signs something:
//     Bytes last_signed(const Protocol&, NodeId author) const;
//     std::optional<LastSigned> read_signed(const Protocol&, const Bytes&) const;
//     // If it keeps something of its own:
//     void restore(const Restored&); void start(EngineHost&);
//   };
//
// Guarantees: those of Executor. Private to net/.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "order_engine.hpp"
#include "thresher/core/executor.hpp"

namespace thresher::net {

template <class Adapter>
class EngineOf final : public OrderEngine {
 public:
  using P = typename Adapter::Protocol;
  using Message = typename P::Message;

  EngineOf(Adapter adapter, P protocol, EngineHost& host)
      : backend_{std::move(adapter), &host, {}, {}}, executor_(std::move(protocol), backend_) {}

  bool receive(NodeId from, const Frame& frame) override {
    auto message = backend_.adapter.decode(frame);
    if (!message) return false;
    if constexpr (requires { backend_.adapter.pledged(*message); }) {
      pledges_[from].raise(backend_.adapter.pledged(*message));
    }
    inputs_.push_back(Received<Message>{from, std::move(*message)});
    return true;
  }
  bool push(HostInput input) override {
    if (auto* record = std::get_if<Restored>(&input)) {
      const auto table = backend_.adapter.own_table(record->table);
      if (!table) return true;
      record->table = *table;
      if constexpr (kSeals) {
        auto value = unsealed(*record);
        if (!value) return false;
        record->value = std::move(*value);
      }
      if constexpr (requires { backend_.adapter.restore(*record); }) {
        backend_.adapter.restore(*record);
      }
    }
    if constexpr (requires { backend_.adapter.start(*backend_.host); }) {
      if (std::holds_alternative<Start>(input)) backend_.adapter.start(*backend_.host);
    }
    std::visit([this](auto&& event) { inputs_.push_back(std::forward<decltype(event)>(event)); },
               std::move(input));
    return true;
  }
  bool wants_bodies() const override { return kSeals; }
  void submit(dag::Payload payload, const std::optional<Digest>& replaces) override {
    auto request = backend_.adapter.request(std::move(payload));
    if constexpr (requires { request.replaces; }) request.replaces = replaces;
    inputs_.push_back(Requested<typename P::Request>{std::move(request)});
  }
  bool run() override {
    const bool any = !inputs_.empty();
    while (!inputs_.empty()) {
      const InputOf<P> input = std::move(inputs_.front());
      inputs_.pop_front();
      const auto* received = std::get_if<Received<Message>>(&input);
      backend_.from = received != nullptr ? std::optional(received->from) : std::nullopt;
      executor_.run(input);
      hand_over();
    }
    return any;
  }
  void persisted(std::uint64_t barrier) override {
    executor_.persisted(barrier);
    hand_over();
  }
  bool adopts() const override { return backend_.adapter.adopts(); }
  void adopt(const dag::Committed& commit, std::optional<Round> before,
             std::vector<Persist>& records) override {
    const std::size_t first = records.size();
    backend_.adapter.adopt(commit, before, inputs_, records);
    if constexpr (kSeals) {
      for (std::size_t i = first; i < records.size(); ++i) records[i].value = sealed(records[i]);
    }
  }
  Bytes prove(Round slot, const dag::Block& block) const override {
    if constexpr (requires { backend_.adapter.prove(executor_.protocol(), slot, block); }) {
      return backend_.adapter.prove(executor_.protocol(), slot, block);
    }
    return {};
  }
  std::size_t pending_submits() const override {
    return backend_.adapter.pending_submits(executor_.protocol());
  }
  bool extends() const override { return Adapter::kExtends; }
  EngineSample sample() const override { return backend_.adapter.sample(executor_.protocol()); }
  Pledge pledge() const override { return backend_.adapter.pledge(executor_.protocol()); }
  Pledge pledge_of(NodeId peer) const override {
    const auto it = pledges_.find(peer);
    return it == pledges_.end() ? Pledge{} : it->second;
  }
  void remember(NodeId peer, const Pledge& pledge) override { pledges_[peer].raise(pledge); }
  Bytes last_signed(NodeId author) const override {
    if constexpr (requires { backend_.adapter.last_signed(executor_.protocol(), author); }) {
      return backend_.adapter.last_signed(executor_.protocol(), author);
    }
    return {};
  }
  std::optional<LastSigned> read_signed(const Bytes& bytes) const override {
    if constexpr (requires { backend_.adapter.read_signed(executor_.protocol(), bytes); }) {
      return backend_.adapter.read_signed(executor_.protocol(), bytes);
    }
    return std::nullopt;
  }
  std::uint32_t quorum() const override { return backend_.adapter.quorum(); }
  RecordName record_of(const dag::Block& b) const override { return backend_.adapter.record_of(b); }
  std::size_t payload_limit() const override { return backend_.adapter.payload_limit(); }

 private:
  /// An adapter with `kWithBodies` gets its records back with their bodies, checked.
  static constexpr bool kSeals = requires { Adapter::kWithBodies; };

  struct Backend {
    Adapter adapter;
    EngineHost* host;
    std::optional<NodeId> from{};  // of the input that is stepped
    std::vector<typename P::Output> outputs{};

    void send(NodeId to, Message m) {
      if (const auto frame = adapter.encode(std::move(m))) host->send(to, *frame);
    }
    void broadcast(Message m) {
      if (const auto frame = adapter.encode(std::move(m))) host->broadcast(*frame);
    }
    void deliver(typename P::Output o) { outputs.push_back(std::move(o)); }
    void arm(TimerId id, Delay d) { host->arm(id, d); }
    void cancel(TimerId id) { host->cancel(id); }
    void persist(std::vector<Persist> records, std::uint64_t barrier) {
      for (Persist& r : records) {
        r.table = adapter.table(r.table);
        if constexpr (kSeals) {
          if (!r.value.empty()) r.value = sealed(r);  // an empty value erases
        }
      }
      host->persist(std::move(records), barrier);
    }
    void verify(const Verify& v) { host->verify(v, from); }
    void verify(const VerifyAll& v) { host->verify(v, from); }
    void endorse(const Endorse& e) { host->endorse(e); }
    void reveal(const RevealCoin& c) { host->reveal(c); }
    void accuse(const Accuse& a) { host->accuse(a); }
  };

  // What a step delivers goes to the host after the records of that step: the log of the host names
  // them, and must not reach the disk before they do.
  void hand_over() {
    for (auto& o : std::exchange(backend_.outputs, {})) {
      backend_.adapter.deliver(std::move(o), *backend_.host);
    }
  }

  Backend backend_;
  Executor<P, Backend> executor_;
  std::map<NodeId, Pledge> pledges_;  // of members, as their messages show
  std::deque<InputOf<P>> inputs_;
};

}  // namespace thresher::net
