// Real nodes of one protocol on a network with a clock, of which a test decides about each message.
//
//   Timed<Pbft> run(4, [](NodeId id) { return Pbft({.self = id}); });
//   run.link = [&](auto from, auto to, const auto& m) { return lost ? kLost : 300; };
//   run.run_until(50 * kDelta);
//
// For schedules that a drawn one meets once in hundreds of runs: one certain message is lost, one
// node is cut off for so long. Links take what `link` says, in 1/1000 Delta; records become durable
// in order, a lazy one with the next that is not; a killed node comes back with its disk.
//
// Guarantees: a function of what the test says. Signatures bind the signer and the digest. Judges
// nothing.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "thresher/core/protocol.hpp"
#include "thresher/core/storage.hpp"

namespace thresher {

inline constexpr std::uint64_t kDelta = 1000;
inline constexpr std::int64_t kLost = -1;

template <class Node>
class Timed {
 public:
  using Message = typename Node::Message;
  using Output = typename Node::Output;
  using Input = InputOf<Node>;

  Timed(std::uint32_t n, std::function<Node(NodeId)> fresh)
      : fresh_(std::move(fresh)), nodes_(n), timers_(n), disks_(n), unwritten_(n) {
    for (std::uint16_t i = 0; i < n; ++i) {
      nodes_[i] = std::make_unique<Node>(fresh_(NodeId{i}));
      feed(i, Start{i});
    }
  }

  /// What becomes of a message: its delay, or kLost.
  std::function<std::int64_t(std::uint16_t from, std::uint16_t to, const Message&)> link =
      [](std::uint16_t, std::uint16_t, const Message&) { return 300; };
  std::function<void(std::uint16_t, const Output&)> delivered = [](std::uint16_t, const Output&) {};
  /// Sees every record that reached a disk.
  std::function<void(std::uint16_t, const Persist&)> written = [](std::uint16_t, const Persist&) {};

  void feed(std::uint16_t i, const Input& input) {
    std::vector<Input> todo{input};
    while (!todo.empty()) {
      const Input next = std::move(todo.back());
      todo.pop_back();
      typename Node::Fx fx;
      step(*nodes_[i], next, fx);
      for (auto& effect : fx.list()) std::visit([&](auto& e) { emit(i, e, todo); }, effect);
    }
  }
  /// What a node's owner does with it: `act(node, effects)`.
  template <class F>
  void ask(std::uint16_t i, F act) {
    typename Node::Fx fx;
    act(*nodes_[i], fx);
    std::vector<Input> todo;
    for (auto& effect : fx.list()) std::visit([&](auto& e) { emit(i, e, todo); }, effect);
    for (const Input& input : todo) feed(i, input);
  }
  /// A message that no node sent: a liar's.
  void say(std::uint16_t from, std::uint16_t to, const Message& m) { send(from, to, m); }
  void at(std::uint64_t time, std::function<void()> what) {
    queue_.emplace(std::pair(time, ++events_), std::move(what));
  }
  /// Calls `what` now and every `period` from then on.
  void every(std::uint64_t period, const std::function<void()>& what) {
    what();
    at(now_ + period, [this, period, what] { every(period, what); });
  }
  void run_until(std::uint64_t time) {
    while (!queue_.empty() && queue_.begin()->first.first <= time) {
      const auto next = queue_.begin();
      now_ = next->first.first;
      const auto what = std::move(next->second);
      queue_.erase(next);
      what();
    }
    now_ = time;
  }
  void kill(std::uint16_t i) {
    nodes_[i].reset();
    timers_[i].clear();
    unwritten_[i].clear();
  }
  void restart(std::uint16_t i) {
    kill(i);
    nodes_[i] = std::make_unique<Node>(fresh_(NodeId{i}));
    (void)disks_[i].replay([&](const Restored& r) {
      typename Node::Fx none;
      step(*nodes_[i], Input{r}, none);
    });
    feed(i, Start{now_ + i});
  }
  bool up(std::uint16_t i) const { return nodes_[i] != nullptr; }
  const Node& node(std::uint16_t i) const { return *nodes_[i]; }
  std::uint64_t now() const { return now_; }
  std::uint16_t size() const { return static_cast<std::uint16_t>(nodes_.size()); }

 private:
  using Todo = std::vector<Input>;

  static Signature sign(NodeId id, const Digest& digest) {
    Signature out{};
    std::memcpy(out.data(), digest.bytes.data(), sizeof digest.bytes);
    std::memcpy(out.data() + sizeof digest.bytes, &id.value, sizeof id.value);
    return out;
  }
  void send(std::uint16_t from, std::uint16_t to, const Message& m) {
    const std::int64_t delay = to == from ? kLost : link(from, to, m);
    if (delay == kLost) return;
    at(now_ + static_cast<std::uint64_t>(delay), [this, from, to, m] {
      if (up(to)) feed(to, Received<Message>{NodeId{from}, m});
    });
  }
  template <class E>
  void emit(std::uint16_t, const E&, Todo&) {}
  void emit(std::uint16_t i, const Send<Message>& e, Todo&) { send(i, e.to.value, e.message); }
  void emit(std::uint16_t i, const Broadcast<Message>& e, Todo&) {
    for (std::uint16_t to = 0; to < size(); ++to) send(i, to, e.message);
  }
  void emit(std::uint16_t i, const Deliver<Output>& e, Todo&) { delivered(i, e.output); }
  void emit(std::uint16_t i, const ArmTimer& e, Todo&) {
    const std::uint64_t armed = ++events_;
    timers_[i][e.id] = armed;
    at(now_ + e.after.value, [this, i, id = e.id, armed] {
      const auto timer = timers_[i].find(id);
      if (timer == timers_[i].end() || timer->second != armed) return;
      timers_[i].erase(timer);
      feed(i, Expired{id});
    });
  }
  void emit(std::uint16_t i, const CancelTimer& e, Todo&) { timers_[i].erase(e.id); }
  void emit(std::uint16_t i, const Persist& e, Todo&) {
    unwritten_[i].push_back(e);
    if (e.lazy) return;
    (void)disks_[i].write(unwritten_[i], Sync::kYes);
    for (const Persist& record : unwritten_[i]) written(i, record);
    unwritten_[i].clear();
  }
  void emit(std::uint16_t, const Verify& e, Todo& todo) {
    todo.push_back(Verified{e.ticket, sign(e.signer, e.digest) == e.signature});
  }
  void emit(std::uint16_t, const VerifyAll& e, Todo& todo) {
    const bool ok =
        e.list->all([&](NodeId id, const Signature& s) { return sign(id, e.digest) == s; });
    todo.push_back(Verified{e.ticket, ok});
  }
  void emit(std::uint16_t i, const Endorse& e, Todo& todo) {
    todo.push_back(Endorsed{e.ticket, sign(NodeId{i}, e.digest)});
  }

  std::function<Node(NodeId)> fresh_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<std::map<TimerId, std::uint64_t>> timers_;
  std::vector<MemoryStorage> disks_;
  std::vector<std::vector<Persist>> unwritten_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::function<void()>> queue_;
  std::uint64_t now_ = 0;
  std::uint64_t events_ = 0;
};

}  // namespace thresher
