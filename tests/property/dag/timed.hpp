// Correct nodes on a network with a clock and delays below Delta, and liars that the test plays.
//
//   Timed world(4, {3}, rules);                               // node 3 lies
//   world.delay = [](auto from, auto to) { return Ticks{300}; };
//   world.said = [&](std::uint16_t who, const Message& m) {}; // all that correct nodes send
//   world.asked = [&](std::uint16_t liar, std::uint16_t who, const Message& m) {};
//   world.start(); world.post(3, 0, Push{block}, 5); world.run_until(100 * kDelta);
//
// Guarantees: a function of what the test does; 1000 ticks are one Delta; records become durable in
// order, a lazy one with the next that is not; what a crashed node was sent is lost. Liars are
// never fed. Signatures are the digest and the signer's name, so that only a test that signs as
// somebody can lie for it.
#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <set>
#include <vector>

#include "thresher/core/storage.hpp"
#include "thresher/protocols/dag/dag.hpp"

namespace thresher::dag {

using Ticks = std::uint64_t;
inline constexpr Ticks kDelta = 1000;

inline Signature signed_by(NodeId id, const Digest& digest) {
  Signature out{};
  std::memcpy(out.data(), digest.bytes.data(), digest.bytes.size());
  out[40] = static_cast<std::byte>(id.value);
  out[41] = static_cast<std::byte>(id.value >> 8);
  return out;
}
/// A block as its author signs it.
inline BlockPtr block_of(const Header& h, const Payload& payload = {}) {
  return make_block(h, payload, signed_by(h.author, digest_of(h, {})), {});
}

class Timed {
 public:
  Timed(std::uint32_t n, std::set<std::uint16_t> liars, const Rules& rules = Rules::thresher())
      : liars_(std::move(liars)), nodes_(n), timers_(n), lives_(n), disks_(n), lazy_(n) {
    base_.committee = *Committee::of(n);
    base_.rules = rules;
  }

  std::function<Ticks(std::uint16_t from, std::uint16_t to)> delay = [](auto, auto) {
    return Ticks{300};
  };
  Limits limits;  // of nodes that boot from now on
  std::function<void(std::uint16_t who, const Message&)> said;
  std::function<void(std::uint16_t liar, std::uint16_t who, const Message&)> asked;

  std::uint32_t size() const { return base_.committee.size(); }
  bool lies(std::uint16_t i) const { return liars_.contains(i); }
  bool runs(std::uint16_t i) const { return nodes_[i] != nullptr; }
  Dag& node(std::uint16_t i) { return *nodes_[i]; }
  Ticks now() const { return now_; }
  std::uint64_t messages() const { return messages_; }
  std::vector<std::uint16_t> running() const {
    std::vector<std::uint16_t> out;
    for (std::uint16_t i = 0; i < nodes_.size(); ++i) {
      if (runs(i)) out.push_back(i);
    }
    return out;
  }

  void start() {
    for (std::uint16_t i = 0; i < nodes_.size(); ++i) {
      if (!lies(i)) boot(i);
    }
  }
  void crash(std::uint16_t i) {
    nodes_[i].reset();
    ++lives_[i];
    timers_[i].clear();
    lazy_[i].clear();
  }
  void boot(std::uint16_t i) {
    Config config = base_;
    config.self = NodeId{i};
    config.limits = limits;
    nodes_[i] = std::make_unique<Dag>(config);
    (void)disks_[i].replay([&](const Restored& r) {
      Dag::Fx none;
      step(*nodes_[i], Input{r}, none);
    });
    feed(i, Start{i});
  }
  void at(Ticks time, std::function<void()> what) { agenda_.emplace(time, std::move(what)); }
  void post(std::uint16_t from, std::uint16_t to, const Message& message, Ticks after) {
    const std::uint64_t life = lives_[to];
    ++messages_;
    at(now_ + after, [this, from, to, message, life] {
      if (nodes_[to] && lives_[to] == life) feed(to, Received<Message>{NodeId{from}, message});
    });
  }
  void run_until(Ticks time) {
    while (!agenda_.empty() && agenda_.begin()->first <= time) {
      auto first = agenda_.extract(agenda_.begin());
      now_ = first.key();
      first.mapped()();
    }
    now_ = time;
  }
  /// Every node that runs has at most `most` payloads of its own to propose.
  void keep_busy(Ticks every, std::size_t bytes, std::size_t most = 4) {
    for (const std::uint16_t i : running()) {
      if (nodes_[i]->pending_submits() >= most) continue;
      std::vector<std::byte> text(std::max<std::size_t>(bytes, 10));
      ++payloads_;
      std::memcpy(text.data(), &payloads_, sizeof(payloads_));
      const Bytes payload = Bytes::from(std::move(text));
      feed(i, Requested<Submit>{{{payload, hash(payload.view())}, {}}});
    }
    at(now_ + every, [this, every, bytes, most] { keep_busy(every, bytes, most); });
  }

 private:
  using Input = InputOf<Dag>;
  using Todo = std::vector<Input>;

  void feed(std::uint16_t i, const Input& input) {
    Todo todo{input};
    while (!todo.empty()) {
      const Input next = std::move(todo.back());
      todo.pop_back();
      Dag::Fx fx;
      step(*nodes_[i], next, fx);
      for (auto& effect : fx.list()) {
        std::visit([&](auto& e) { emit(i, e, todo); }, effect);
      }
    }
  }
  void send(std::uint16_t from, std::uint16_t to, const Message& message) {
    if (!lies(to)) return post(from, to, message, delay(from, to));
    if (asked) asked(to, from, message);
  }
  void emit(std::uint16_t i, const Send<Message>& e, Todo&) {
    if (said) said(i, e.message);
    if (e.to.value != i) send(i, e.to.value, e.message);
  }
  void emit(std::uint16_t i, const Broadcast<Message>& e, Todo&) {
    if (said) said(i, e.message);
    for (std::uint16_t to = 0; to < nodes_.size(); ++to) {
      if (to != i) send(i, to, e.message);
    }
  }
  void emit(std::uint16_t i, const ArmTimer& e, Todo&) {
    const std::uint64_t number = ++armed_;
    timers_[i][e.id] = number;
    at(now_ + e.after.value, [this, i, id = e.id, number] {
      const auto it = timers_[i].find(id);
      if (it == timers_[i].end() || it->second != number) return;
      timers_[i].erase(it);
      feed(i, Expired{id});
    });
  }
  void emit(std::uint16_t i, const CancelTimer& e, Todo&) { timers_[i].erase(e.id); }
  void emit(std::uint16_t i, const Persist& e, Todo&) {
    lazy_[i].push_back(e);
    if (e.lazy) return;
    (void)disks_[i].write(lazy_[i], Sync::kYes);
    lazy_[i].clear();
  }
  void emit(std::uint16_t, const Verify& e, Todo& todo) {
    todo.push_back(Verified{e.ticket, e.signature == signed_by(e.signer, e.digest)});
  }
  void emit(std::uint16_t i, const Endorse& e, Todo& todo) {
    todo.push_back(Endorsed{e.ticket, signed_by(NodeId{i}, e.digest)});
  }
  void emit(std::uint16_t, const Deliver<Committed>&, Todo&) {}
  void emit(std::uint16_t, const VerifyAll&, Todo&) {}
  void emit(std::uint16_t, const Accuse&, Todo&) {}

  Config base_;
  std::set<std::uint16_t> liars_;
  std::vector<std::unique_ptr<Dag>> nodes_;  // null: a liar, or down
  std::vector<std::map<TimerId, std::uint64_t>> timers_;
  std::vector<std::uint64_t> lives_;
  std::vector<MemoryStorage> disks_;
  std::vector<std::vector<Persist>> lazy_;
  std::multimap<Ticks, std::function<void()>> agenda_;  // equal times in order of insertion
  Ticks now_ = 0;
  std::uint64_t armed_ = 0;
  std::uint64_t messages_ = 0;
  std::uint64_t payloads_ = 0;
};

}  // namespace thresher::dag
