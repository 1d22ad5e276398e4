// An arena: real nodes of a protocol of one's own whose messages, timers and crashes an adversary
// orders as it likes, one effect list at a time. No clock and no rounds: what check.hpp's schedules
// can say only by delays, happens here in any order; a node is cut after any of its effects and
// lives on from its disk; and the test writes the liars, which hold the keys of f nodes.
//
//   class Mine : thresher::testing::ArenaOf<Mine, MyProtocol> {
//     using Arena = thresher::testing::ArenaOf<Mine, MyProtocol>;
//     friend Arena;
//     using Arena::emit;
//     MyProtocol fresh(std::uint16_t i);          // a node as it is before its first input
//     void lie();                                 // what faulty nodes do now and then
//     void submit();                              // and correct ones
//     void taste();                               // drawn anew, as the starved links are
//     // The effects that it looks at.
//     void emit(std::uint16_t i, const Deliver<MyProtocol::Output>& e, Todo&);
//     void emit(std::uint16_t i, const Broadcast<Message>& e, Todo&) { put_to_all(i, e.message); }
//     bool forgets(const Restored&);              // records that a mutant loses in a crash
//     void begins(std::uint16_t i);               // before a restarted node starts
//     void post(std::uint16_t from, std::uint16_t to, const Message&);  // to put() or to a liar
//     void violated(const std::string& lemma, const std::string& why);
//     void sees(std::uint16_t i, const Input&);   // if it wants to know what a node is fed
//    public:
//     Mine() : Arena(4, Prng(1), 100) { create_nodes(); }
//     void run() {
//       for (std::uint16_t i = 0; i < 4; ++i) feed(i, Start{});
//       for (int step = 0; step < 1000; ++step) act();
//     }
//   };
//
// Guarantees: all that happens is a function of the generator; faulty nodes are never fed; records
// become durable in order, and a lazy one with the next that is not; `committed()` judges that all
// correct nodes commit one sequence, repeats after a restart included, and `judged()` that no bad
// signature is counted to a correct node. Judges nothing else and shrinks nothing: the test says
// what else must hold.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "thresher/core/assert.hpp"
#include "thresher/core/committee.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/core/protocol.hpp"
#include "thresher/core/storage.hpp"

namespace thresher::testing {

template <class Derived, class Node>
class ArenaOf {
 protected:
  using Message = typename Node::Message;
  using Input = InputOf<Node>;
  using Todo = std::vector<Input>;
  using Commit = std::pair<std::uint64_t, Digest>;  // slot, leader
  struct Letter {
    std::uint16_t from;
    std::uint16_t to;
    Message message;
  };
  static constexpr std::size_t kMostLetters = 20'000;

  /// `n` nodes with the most faulty ones that they bear.
  ArenaOf(std::uint32_t n, Prng random, std::uint64_t crashes_per_10000)
      : ArenaOf(*Committee::of(n), random, crashes_per_10000) {}
  ArenaOf(const Committee& committee, Prng random, std::uint64_t crashes_per_10000)
      : committee_(committee),
        random_(random),
        crashes_per_10000_(crashes_per_10000),
        delivered_(committee.size()),
        known_(committee.size()),
        cut_(committee.size()),
        timers_(committee.size()),
        disks_(committee.size()),
        pending_(committee.size()) {
    // The faulty ones are drawn, so that they lead different rounds.
    while (faulty_.size() < committee_.faults()) faulty_.insert(any_node());
  }

  bool faulty(std::uint16_t i) const { return faulty_.contains(i); }
  std::uint16_t any_node() { return static_cast<std::uint16_t>(random_.below(committee_.size())); }
  std::uint16_t any_faulty() {
    auto it = faulty_.begin();
    std::advance(it, static_cast<std::ptrdiff_t>(random_.below(faulty_.size())));
    return *it;
  }
  void create_nodes() {
    for (std::uint16_t i = 0; i < committee_.size(); ++i) nodes_.push_back(derived().fresh(i));
    redraw();
  }

  // New starved links, and a new taste of the liars.
  void redraw() {
    starved_.clear();
    const std::uint64_t n = committee_.size();
    for (const bool hears : {false, true}) {  // one node is heard by, or hears, one other only
      if (random_.below(2) != 0) continue;
      const std::uint16_t victim = any_node();
      const std::uint16_t friend_of_it = any_node();
      for (std::uint16_t i = 0; i < n; ++i) {
        if (i != friend_of_it) starved_.insert(hears ? std::pair(i, victim) : std::pair(victim, i));
      }
    }
    const std::uint64_t links = random_.below(n * 2);
    for (std::uint64_t k = 0; k < links; ++k) {
      const std::uint16_t from = any_node();
      starved_.insert({from, any_node()});
    }
    until_redraw_ = 20 + random_.below(400);
    derived().taste();
  }

  void act() {
    if (until_redraw_-- == 0) redraw();
    const std::uint64_t what = random_.below(100);
    if (what < 8 && !faulty_.empty()) return derived().lie();
    if (what < 14) return fire();
    if (what < 20) return derived().submit();
    deliver_one();
  }

  void fire() {
    const std::uint16_t i = any_node();
    if (faulty(i) || timers_[i].empty()) return;
    auto it = timers_[i].begin();
    std::advance(it, static_cast<std::ptrdiff_t>(random_.below(timers_[i].size())));
    const TimerId id = *it;
    timers_[i].erase(it);
    feed(i, Expired{id});
  }

  void deliver_one() {
    for (int tries = 0; tries < 6 && !letters_.empty(); ++tries) {
      const std::size_t at = random_.below(letters_.size());
      const Letter& l = letters_[at];
      if (!starved_.contains({l.from, l.to}) || random_.below(20) == 0) return deliver(at);
      ++held_back_;
    }
  }
  void deliver(std::size_t at) {
    const Letter letter = std::move(letters_[at]);
    letters_[at] = std::move(letters_.back());
    letters_.pop_back();
    feed(letter.to, Received<Message>{NodeId{letter.from}, letter.message});
  }
  void put(std::uint16_t from, std::uint16_t to, Message m) {
    if (letters_.size() < kMostLetters) letters_.push_back({from, to, std::move(m)});
  }
  void put_to_all(std::uint16_t from, const Message& m) {
    for (std::uint16_t to = 0; to < nodes_.size(); ++to) {
      if (to != from) derived().post(from, to, m);
    }
  }

  void feed(std::uint16_t i, const Input& input) {
    Todo todo{input};
    while (!todo.empty()) {
      const Input next = std::move(todo.back());
      todo.pop_back();
      if constexpr (requires { derived().sees(i, next); }) derived().sees(i, next);
      const auto* heard = std::get_if<Received<Message>>(&next);
      heard_ = heard != nullptr ? std::optional(heard->from) : std::nullopt;
      typename Node::Fx fx;
      try {
        step(nodes_[i], next, fx);
      } catch (const InvariantBroken& broken) {
        return derived().violated("invariant", "node " + std::to_string(i) + ": " + broken.what());
      }
      // A crash keeps some effects of the list and loses the rest, and all that was only in memory.
      const bool crash = random_.below(10'000) < crashes_per_10000_;
      std::size_t left = crash ? random_.below(fx.list().size() + 1) : fx.list().size();
      for (auto& effect : fx.list()) {
        if (left > 0) {
          --left;
          std::visit([&](auto& e) { derived().emit(i, e, todo); }, effect);
        } else if (std::holds_alternative<Deliver<typename Node::Output>>(effect)) {
          // A host writes it into its log in one frame with the record that notes it.
          ++cut_[i];
        }
      }
      if (crash) return restart(i);
    }
  }

  void restart(std::uint16_t i) {
    ++crashes_;
    nodes_[i] = derived().fresh(i);
    timers_[i].clear();
    pending_[i].clear();
    const std::uint64_t told = replayed_.contains(i) ? known_[i] : delivered_[i];
    known_[i] = std::max(known_[i], told + std::exchange(cut_[i], 0));
    delivered_[i] = 0;
    replayed_.insert(i);
    derived().begins(i);
    (void)disks_[i].replay([&](const Restored& r) {
      if (derived().forgets(r)) return;
      typename Node::Fx none;
      step(nodes_[i], Input{r}, none);
    });
    feed(i, Start{crashes_});
  }

  template <class E>
  void emit(std::uint16_t, const E&, Todo&) {}
  // A timer of no length: the node's next step.
  void emit(std::uint16_t i, const ArmTimer& e, Todo& todo) {
    if (e.after.value == 0) return todo.push_back(Expired{e.id});
    timers_[i].insert(e.id);
  }
  void emit(std::uint16_t i, const CancelTimer& e, Todo&) { timers_[i].erase(e.id); }
  // A lazy record becomes durable with the next one that is not.
  void emit(std::uint16_t i, const Persist& e, Todo&) {
    pending_[i].push_back(e);
    if (e.lazy) return;
    (void)disks_[i].write(pending_[i], Sync::kYes);
    pending_[i].clear();
  }

  /// A host counts a bad signature against its sender, and names that node to its operator: so it
  /// has to be a liar, or the asking node itself, which is not counted.
  template <class Question>
  void judged(std::uint16_t i, const Question& asked, bool good) {
    const std::optional<NodeId> sender = asked.sender ? asked.sender : heard_;
    if (good || !sender || sender->value == i || faulty(sender->value)) return;
    derived().violated("blame", "node " + std::to_string(i) +
                                    " has a bad signature of correct node " +
                                    std::to_string(sender->value));
  }

  /// P5: one sequence of commits. After a restart old commits come again, from where the disk
  /// knows; the host drops them. A commit that the host's log lacks must not be left out.
  void committed(std::uint16_t i, const Commit& commit) {
    std::uint64_t& length = delivered_[i];
    if (replayed_.erase(i) != 0) {
      const auto at = std::find(reference_.begin(), reference_.end(), commit);
      length = static_cast<std::uint64_t>(at - reference_.begin());
      if (length > known_[i]) {
        derived().violated("P5", "node " + std::to_string(i) + " goes on after its restart with " +
                                     std::to_string(commit.first) + ", and had only " +
                                     std::to_string(known_[i]) + " commits before");
      }
    }
    if (reference_.size() == length) reference_.push_back(commit);
    if (reference_[length] != commit) {
      derived().violated("P5", "node " + std::to_string(i) + " commits " +
                                   std::to_string(commit.first) + " where another committed " +
                                   std::to_string(reference_[length].first));
    }
    ++length;
  }

  Committee committee_;
  Prng random_;
  std::uint64_t crashes_per_10000_;
  std::set<std::uint16_t> faulty_;
  std::vector<Node> nodes_;
  std::vector<std::uint64_t> delivered_;
  std::vector<std::uint64_t> known_;  // the most commits before any of its restarts
  std::vector<std::uint64_t> cut_;    // of those, what the crash at hand keeps from being told
  std::vector<std::set<TimerId>> timers_;
  std::vector<MemoryStorage> disks_;
  std::vector<std::vector<Persist>> pending_;
  std::set<std::uint16_t> replayed_;
  std::uint64_t crashes_ = 0;
  std::uint64_t held_back_ = 0;  // how often a letter on a starved link was left where it is
  std::vector<Letter> letters_;
  std::vector<Commit> reference_;

 private:
  Derived& derived() { return static_cast<Derived&>(*this); }

  std::set<std::pair<std::uint16_t, std::uint16_t>> starved_;
  std::uint64_t until_redraw_ = 0;
  std::optional<NodeId> heard_;  // who sent what a node is fed

 protected:
  void stop_starving() { starved_.clear(); }
};

}  // namespace thresher::testing
