// Broadcasts of the shelf against an adversary that owns the network and f keys: any order of
// messages, timers at will, crashes in the middle of effects, and liars that go on lying.
//
//   Arena<Avid> arena(n, seed, {});
//   std::string violation = arena.run(600);        // empty when nothing broke
//
// Judged at every delivery: agreement (one payload an instance) and integrity (of a correct origin
// only what it submitted); after every step, that what is held stays within most_held(). At the
// end, when all that was sent arrives, timers fire and nobody crashes any more: totality and
// validity. Instances stay within the window, so nothing may be skipped.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "hashed_liars.hpp"
#include "signed_liars.hpp"
#include "thresher/testing/arena.hpp"

namespace thresher {

template <class Node>
class Arena : private testing::ArenaOf<Arena<Node>, Node> {
  using Core = testing::ArenaOf<Arena<Node>, Node>;
  friend Core;

 public:
  using Message = typename Node::Message;
  using Instance = broadcast::Instance;

  struct Options {
    std::uint64_t crashes_per_10000 = 0;
    std::uint64_t submits = 3;  ///< of all correct nodes together
    std::function<void(typename Node::Config&)> change = [](auto&) {};  ///< a mutant's
  };

  Arena(std::uint32_t n, std::uint64_t seed, Options options)
      : Core(*Committee::make(n, (n - 1) / Node::kNodesPerFault), Prng(seed, 5),
             options.crashes_per_10000),
        options_(std::move(options)),
        liars_(Core::committee_, Prng(seed, 6)),
        hosts_(n) {
    Core::create_nodes();
  }

  std::string run(std::uint64_t steps) {
    for (std::uint16_t i = 0; i < Core::nodes_.size(); ++i) {
      if (!Core::faulty(i)) Core::feed(i, Start{0});
    }
    for (std::uint64_t s = 0; s < steps && violation_.empty(); ++s) Core::act();
    while (submitted_.size() < options_.submits && violation_.empty()) submit();
    settle();
    return violation_;
  }
  std::size_t deliveries() const { return delivered_.size(); }
  std::size_t deliveries_of_liars() const {
    std::size_t count = 0;
    for (const auto& [i, payload] : delivered_) count += Core::faulty(i.origin.value) ? 1 : 0;
    return count;
  }
  std::uint64_t crashes() const { return Core::crashes_; }
  /// How often the scheduler let a message on a starved link wait.
  std::uint64_t held_back() const { return Core::held_back_; }
  /// How often each attack reached a correct node.
  const std::map<std::string, std::uint64_t>& fired() const { return liars_.fired(); }

 private:
  // Rounds of timers: so long nodes go on to crash, and so many more until everybody must have
  // everything. A node that crashes at the wrong moment every time gets nothing: in seed 7779 of
  // chained echo one did so in all of 40 rounds.
  static constexpr std::uint64_t kCrashRounds = 20;
  static constexpr std::uint64_t kRounds = 60;

  Node fresh(std::uint16_t i) const { return Node(config_of(i)); }
  typename Node::Config config_of(std::uint16_t i) const {
    typename Node::Config config;
    config.committee = Core::committee_;
    config.self = NodeId{i};
    config.window = Liars<Node>::kWindow;
    config.payload_bytes = Liars<Node>::kMostPayload;
    if constexpr (requires { config.thresholds; })
      config.origin_bytes = 1;  // as little as the protocol does with
    // Timers fire at will here, so no number of them is long enough for a peer that is starved.
    if constexpr (requires { config.patience_ticks; }) config.patience_ticks = 1u << 20;
    if constexpr (requires { config.speakers; }) config.speakers = 1 + Core::committee_.size() / 3;
    options_.change(config);
    return config;
  }

  void taste() { liars_.taste(); }
  bool forgets(const Restored&) const { return false; }
  void begins(std::uint16_t) {}

  void submit() {
    const std::uint16_t i = Core::any_node();
    if (Core::faulty(i) || submitted_.size() >= options_.submits) return;
    const Bytes payload = liars_.any_payload();
    const std::uint64_t before = Core::nodes_[i].refused();
    std::uint64_t number = 0;
    while (Core::nodes_[i].submitted(number)) ++number;
    const Instance own{NodeId{i}, number};
    submitted_.insert_or_assign(own, payload);
    lost_.erase(own);
    Core::feed(i, Requested<broadcast::Submit>{{payload, number}});
    // A crash may have come before the record: nobody heard of it, and the number is free again.
    if (Core::nodes_[i].refused() != before || !Core::nodes_[i].submitted(number))
      lost_.insert(own);
  }

  void lie() {
    const std::uint16_t self = Core::any_faulty();
    for (auto& [to, message] : liars_.say(NodeId{self})) {
      if (!Core::faulty(to.value)) Core::put(self, to.value, std::move(message));
    }
  }

  void post(std::uint16_t from, std::uint16_t to, const Message& m) {
    liars_.hear(NodeId{from}, Core::faulty(to), m);
    if (!Core::faulty(to)) Core::put(from, to, m);
  }

  using Core::emit;
  void emit(std::uint16_t i, const thresher::Send<Message>& e, typename Core::Todo&) {
    post(i, e.to.value, e.message);
  }
  void emit(std::uint16_t i, const Broadcast<Message>& e, typename Core::Todo&) {
    Core::put_to_all(i, e.message);
  }
  void emit(std::uint16_t i, const Deliver<broadcast::Delivery>& e, typename Core::Todo&) {
    const auto& [instance, payload] = e.output;
    hosts_[i].insert(instance);
    if (!(delivered_.emplace(instance, payload).first->second == payload))
      violated("agreement", name(i, instance));
    const auto own = submitted_.find(instance);
    if (Core::faulty(instance.origin.value)) return;
    if (own == submitted_.end() || !(own->second == payload))
      violated("integrity", name(i, instance));
  }
  void emit(std::uint16_t, const Verify& e, typename Core::Todo& todo) {
    todo.push_back(Verified{e.ticket, arena_signature(e.signer, e.digest) == e.signature});
  }
  void emit(std::uint16_t, const VerifyAll& e, typename Core::Todo& todo) {
    const bool ok = e.list->all(
        [&](NodeId id, const Signature& s) { return arena_signature(id, e.digest) == s; });
    todo.push_back(Verified{e.ticket, ok});
  }
  void emit(std::uint16_t i, const Endorse& e, typename Core::Todo& todo) {
    todo.push_back(Endorsed{e.ticket, arena_signature(NodeId{i}, e.digest)});
  }
  void sees(std::uint16_t i, const typename Core::Input&) {
    const auto held = Core::nodes_[i].footprint();
    const auto most = Node::most_held(config_of(i));
    if (held.instances > most.instances || held.digests > most.digests ||
        held.payload_bytes > most.payload_bytes)
      violated("bounds", "node " + std::to_string(i));
  }

  // All that was sent arrives and timers fire, in turns; liars say something now and then, and
  // nodes crash a while longer.
  void settle() {
    Core::stop_starving();
    for (std::uint64_t round = 0; round < kRounds && violation_.empty(); ++round) {
      if (round == kCrashRounds) Core::crashes_per_10000_ = 0;
      for (std::uint64_t k = 0; !Core::letters_.empty() && violation_.empty(); ++k) {
        Core::deliver(Core::random_.below(Core::letters_.size()));
        if (k % 64 == 0 && round < 4 && !Core::faulty_.empty()) lie();
      }
      if (missing().empty()) return;
      for (std::uint16_t i = 0; i < Core::nodes_.size(); ++i) {
        const auto timers = std::exchange(Core::timers_[i], {});
        for (const TimerId id : timers) Core::feed(i, Expired{id});
      }
    }
    if (violation_.empty()) violated("totality or validity", missing());
  }

  /// Payloads that some node must still deliver.
  std::string missing() const {
    for (std::uint16_t i = 0; i < Core::nodes_.size(); ++i) {
      if (Core::faulty(i)) continue;
      for (const auto& [instance, payload] : delivered_) {
        if (!hosts_[i].contains(instance)) return name(i, instance);
      }
      for (const auto& [instance, payload] : submitted_) {
        if (!hosts_[i].contains(instance) && !lost_.contains(instance)) return name(i, instance);
      }
    }
    return {};
  }
  static std::string name(std::uint16_t node, const Instance& i) {
    return "node " + std::to_string(node) + " at " + std::to_string(i.origin.value) + "/" +
           std::to_string(i.number);
  }
  void violated(const std::string& what, const std::string& where) {
    if (violation_.empty()) violation_ = what + ": " + where;
  }

  Options options_;
  Liars<Node> liars_;
  std::vector<std::set<Instance>> hosts_;  // what each node handed over, crashes or not
  std::map<Instance, Bytes> delivered_;
  std::map<Instance, Bytes> submitted_;
  std::set<Instance> lost_;
  std::string violation_;
};

}  // namespace thresher
