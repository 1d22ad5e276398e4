// The ends of a data link: every node sends items to the next node of a circle and takes those of
// the one before. What a link is judged by: the k-th item that the sender calls accepted is the
// k-th that the receiver delivered, so a lost, repeated or reordered item is a disagreement.
//
//   ends_.enqueue(item, fx); ... ends_.accept(fx);        // sender
//   ends_.deliver(item, fx);                              // receiver
//
// Guarantees: items and both counts are durable, so a restarted end goes on where it was.
// Not bounded: the queue holds what this node's own clients submitted.
#pragma once

#include <map>

#include "model.hpp"
#include "thresher/sim/run.hpp"

namespace thresher::sim {

/// At the sender: the item was accepted; at the receiver: it was delivered.
struct LinkOutput {
  NodeId sender{};
  std::uint64_t place = 0;
  Bytes item;
};

class LinkEnds {
 public:
  LinkEnds(NodeId self, std::uint32_t n)
      : self_(self),
        next_{static_cast<std::uint16_t>((self.value + 1) % n)},
        before_{static_cast<std::uint16_t>((self.value + n - 1) % n)} {}

  NodeId next() const { return next_; }
  NodeId before() const { return before_; }
  /// Place of the item that is on its way.
  std::uint64_t accepted() const { return accepted_; }
  /// Place of the item that comes in next.
  std::uint64_t delivered() const { return delivered_; }
  bool idle() const { return queue_.empty(); }
  const Bytes& item() const { return queue_.begin()->second; }

  void restore(const Restored& r) {
    if (r.table == kItems) queue_[number_in(r.key)] = r.value;
    if (r.table == kAccepted) accepted_ = number_in(r.value);
    if (r.table == kDelivered) delivered_ = number_in(r.value);
  }
  template <class Fx>
  void enqueue(const Bytes& item, Fx& fx) {
    const std::uint64_t place = queue_.empty() ? accepted_ : queue_.rbegin()->first + 1;
    queue_[place] = item;
    fx.push(Persist{kItems, record_of(place), item, {}, false});
  }
  template <class Fx>
  void accept(Fx& fx) {
    const auto front = queue_.begin();
    fx.push(Persist{kItems, record_of(front->first), {}, {}, true});
    fx.push(Persist{kAccepted, record_of(0), record_of(accepted_ + 1), {}, false});
    fx.deliver({self_, accepted_++, front->second});
    queue_.erase(front);
  }
  template <class Fx>
  void deliver(const Bytes& item, Fx& fx) {
    fx.push(Persist{kDelivered, record_of(0), record_of(delivered_ + 1), {}, false});
    fx.deliver({before_, delivered_++, item});
  }

 private:
  enum Table : std::uint32_t { kItems = 1, kAccepted, kDelivered };

  NodeId self_;
  NodeId next_;
  NodeId before_;
  std::map<std::uint64_t, Bytes> queue_;
  std::uint64_t accepted_ = 0;
  std::uint64_t delivered_ = 0;
};

/// What link protocols have in common: an item is sent, and sent again while its timer runs, until
/// the protocol calls it accepted. `Derived` gives `label()`, under which the item on its way goes,
/// `copies()`, how many of it are sent at a time, `acknowledged(label, fx)` and
/// `arrived(message, fx)`.
template <class Derived>
class LinkProtocol {
 public:
  struct Message {
    bool ack = false;
    std::uint64_t label = 0;
    Bytes item{};  ///< of data
  };
  using Output = LinkOutput;
  using Request = ModelRequest;
  using Fx = Effects<Message, Output>;

  void on(const Restored& r, Fx&) { ends_.restore(r); }
  void on(const Start&, Fx& fx) { transmit(fx); }
  void on(const Expired&, Fx& fx) { transmit(fx); }
  void on(const Requested<Request>& r, Fx& fx) {
    const bool begins = ends_.idle();
    ends_.enqueue(r.request.payload, fx);
    if (begins) transmit(fx);
  }
  void on(const Received<Message>& m, Fx& fx) {
    if (m.message.ack) {
      if (m.from == ends_.next()) derived().acknowledged(m.message.label, fx);
    } else if (m.from == ends_.before()) {
      derived().arrived(m.message, fx);
    }
  }

  const LinkEnds& ends() const { return ends_; }
  std::uint64_t data_sent() const { return data_sent_; }
  std::uint64_t acks_sent() const { return acks_sent_; }

 protected:
  /// `timeout`: rounds or ms before an item is sent again.
  LinkProtocol(const Experiment& e, NodeId self, std::int64_t timeout)
      : ends_(self, e.n), timeout_(units(e, timeout)) {}

  void transmit(Fx& fx) {
    if (ends_.idle()) return;
    for (std::uint64_t copies = derived().copies(); copies > 0; --copies) {
      ++data_sent_;
      fx.send(ends_.next(), {false, derived().label(), ends_.item()});
    }
    fx.push(ArmTimer{{}, timeout_});
  }
  void acknowledge(std::uint64_t label, std::uint64_t copies, Fx& fx) {
    acks_sent_ += copies;
    for (; copies > 0; --copies) fx.send(ends_.before(), {true, label, {}});
  }

  LinkEnds ends_;

 private:
  Derived& derived() { return static_cast<Derived&>(*this); }

  Delay timeout_;
  std::uint64_t data_sent_ = 0;
  std::uint64_t acks_sent_ = 0;
};

/// What experiment files are told of a link protocol, but for its own parameters.
inline ProtocolInfo link_info(std::string name, std::string help, std::int64_t timeout) {
  ProtocolInfo info;
  info.name = std::move(name);
  info.help = std::move(help);
  info.nodes_per_fault = 2;
  info.least_nodes = 2;
  info.unjudged = {"prefix", "totality"};
  info.parameters = {{"timeout", timeout, 1, 1'000'000, "rounds or ms before an item is resent"}};
  return info;
}

/// The subject of a link protocol, whose Message has `ack` and `item`. Measures: `utility`, items
/// accepted a message sent by both ends; `sender_utility`, a message sent by senders.
template <class Protocol>
struct LinkSubject {
  using Node = Protocol;
  static constexpr bool kOrdered = false;
  const Experiment* experiment;

  Node make(NodeId id) const { return Node(*experiment, id); }
  ModelRequest request(const Bytes& payload) const { return {payload}; }
  MessageFacts facts_of(const typename Node::Message& m) const {
    const std::size_t bytes = 9 + m.item.size();
    return {.label = m.ack ? "ack" : "data",
            .round = m.label,
            .bytes = static_cast<std::uint32_t>(bytes)};
  }
  OutputFacts facts_of(const LinkOutput& o) const {
    const std::uint64_t key = (std::uint64_t{o.sender.value} << 48) | o.place;
    return {key, hash(o.item.view()), o.place, "item"};
  }
  template <class F>
  void payloads(const LinkOutput& o, std::optional<NodeId> of, F visit) const {
    if (!of || *of == o.sender) visit(o.item.view(), o.sender);
  }
  bool mutate(typename Node::Message&, NodeId, std::string_view, std::uint64_t) const {
    return false;
  }
  std::uint64_t round(const Node& node) const { return node.ends().accepted(); }
  std::uint64_t refused(const Node&) const { return 0; }
  std::vector<Measure> measures(const std::vector<const Node*>& nodes) const {
    std::uint64_t items = 0;
    std::uint64_t data = 0;
    std::uint64_t acks = 0;
    for (const Node* node : nodes) {
      items += node->ends().accepted();
      data += node->data_sent();
      acks += node->acks_sent();
    }
    return {{"utility", share(items, data + acks)}, {"sender_utility", share(items, data)}};
  }
};

}  // namespace thresher::sim
