// Correct nodes on a network without any synchrony: any order of messages, timers that fire at
// will, and an adversary that always delays the next leader that is known in advance.
//
//   struct Traits {                               // what is special about a protocol
//     using Protocol = dag::Dag;
//     Protocol make(const Committee&, NodeId) const;
//     std::optional<Round> proposes(const dag::Message&) const;     // the round of a proposal
//     std::optional<NodeId> leader(Round, const Committee&) const;
//     Digest decided(const dag::Committed&) const;
//   } traits;
//   thresher::testing::Delayed<Traits> run(traits, n, seed, Held::kLeader);
//   run.run(60, 60'000);                          // rounds, steps
//   run.shortest_log(); run.agree();
//
// Messages of a leader from its proposal on are held back until every other node has left the
// round, so no next block can name the proposal any more. Held::kMost instead hides the proposals
// of f others, drawn for each round and receiver, until the receiver has left the round. Requests
// are {{bytes, digest}}, and nodes have round() and pending_submits().
//
// Guarantees: a function of the seed; every message arrives in the end. Nobody is faulty here and
// signatures are not looked at: it shows what delays alone can do to which node waits for which.
#pragma once

#include <algorithm>
#include <set>
#include <vector>

#include "thresher/core/committee.hpp"
#include "thresher/core/hash.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/core/protocol.hpp"
#include "thresher/core/transcript.hpp"

namespace thresher::testing {

enum class Held : std::uint8_t { kLeader, kMost };

template <class Traits>
class Delayed {
 public:
  using Protocol = typename Traits::Protocol;
  using Message = typename Protocol::Message;

  Delayed(Traits traits, std::uint32_t n, std::uint64_t seed, Held held = Held::kLeader)
      : traits_(std::move(traits)),
        held_(held),
        committee_(*Committee::of(n)),
        random_(seed),
        timers_(n),
        logs_(n),
        led_(n) {
    for (std::uint16_t i = 0; i < n; ++i) nodes_.push_back(traits_.make(committee_, NodeId{i}));
  }

  /// Until all but f nodes reached so many rounds.
  void run(std::uint64_t rounds, std::uint64_t steps) {
    for (std::uint16_t i = 0; i < nodes_.size(); ++i) feed(i, Start{i});
    for (std::uint64_t s = 0; s < steps && lowest_round() < rounds; ++s) {
      submit();
      if (random_.below(20) == 0 || letters_.empty()) {
        fire();
      } else {
        deliver();
      }
    }
  }
  std::uint64_t lowest_round() const {
    std::vector<std::uint64_t> rounds;
    for (const auto& node : nodes_) rounds.push_back(node.round().value);
    std::sort(rounds.begin(), rounds.end());
    return rounds[committee_.faults()];  // the delayed one may lag
  }
  std::size_t shortest_log() const {
    std::size_t out = logs_[0].size();
    for (const auto& log : logs_) out = std::min(out, log.size());
    return out;
  }
  bool agree() const {
    const auto& longest =
        *std::max_element(logs_.begin(), logs_.end(),
                          [](const auto& a, const auto& b) { return a.size() < b.size(); });
    return std::all_of(logs_.begin(), logs_.end(), [&](const auto& log) {
      return std::equal(log.begin(), log.end(), longest.begin());
    });
  }
  const Protocol& node(std::size_t i) const { return nodes_[i]; }
  std::uint64_t held_back() const { return held_back_; }
  /// Steps that asked for verdicts: a host answers what one step asks for in one call.
  std::uint64_t verify_calls() const { return verify_calls_; }

 private:
  struct Letter {
    std::uint16_t from;
    std::uint16_t to;
    Round led;  // the last round that its sender leads, by what it had sent
    Message message;
  };

  bool held(const Letter& l) const {
    if (held_ == Held::kLeader) return !passed(l.from, l.led);
    const auto round = traits_.proposes(l.message);
    if (!round || nodes_[l.to].round() > *round) return false;
    const std::uint64_t others = nodes_.size() - 1;
    const std::uint64_t rank = l.from - (l.from > l.to ? 1u : 0u);
    return (rank + mix64(round->value * others + l.to)) % others < committee_.faults();
  }
  bool passed(std::uint16_t leader, Round round) const {
    for (std::uint16_t i = 0; i < nodes_.size(); ++i) {
      if (i != leader && nodes_[i].round() <= round) return false;
    }
    return true;
  }
  void deliver() {
    for (int tries = 0; tries < 8; ++tries) {
      const std::size_t at = random_.below(letters_.size());
      if (held(letters_[at])) {
        ++held_back_;
        continue;
      }
      const Letter l = std::move(letters_[at]);
      letters_[at] = std::move(letters_.back());
      letters_.pop_back();
      return feed(l.to, Received<Message>{NodeId{l.from}, l.message});
    }
    fire();
  }
  void fire() {
    const std::size_t i = random_.below(nodes_.size());
    if (timers_[i].empty()) return;
    auto it = timers_[i].begin();
    std::advance(it, static_cast<std::ptrdiff_t>(random_.below(timers_[i].size())));
    const TimerId id = *it;
    timers_[i].erase(it);
    feed(static_cast<std::uint16_t>(i), Expired{id});
  }
  void submit() {
    const auto i = static_cast<std::uint16_t>(random_.below(nodes_.size()));
    if (nodes_[i].pending_submits() > 0) return;
    Writer w;
    w.u64(++payloads_);
    const Bytes bytes = Bytes::from(w.take());
    feed(i, Requested<typename Protocol::Request>{{{bytes, hash(bytes.view())}}});
  }
  void post(std::uint16_t from, std::uint16_t to, const Message& message) {
    letters_.push_back({from, to, led_[from], message});
  }
  void sends(std::uint16_t from, const Message& message) {
    const auto round = traits_.proposes(message);
    if (round && traits_.leader(*round, committee_) == NodeId{from}) {
      led_[from] = std::max(led_[from], *round);
    }
  }
  void feed(std::uint16_t i, const InputOf<Protocol>& input) {
    std::vector<InputOf<Protocol>> todo{input};
    while (!todo.empty()) {
      const InputOf<Protocol> next = std::move(todo.back());
      todo.pop_back();
      typename Protocol::Fx fx;
      step(nodes_[i], next, fx);
      const bool asks = std::any_of(fx.list().begin(), fx.list().end(), [](const auto& e) {
        return std::holds_alternative<Verify>(e) || std::holds_alternative<VerifyAll>(e);
      });
      verify_calls_ += asks ? 1 : 0;
      for (auto& effect : fx.list()) {
        if (const auto* v = std::get_if<Verify>(&effect)) {
          todo.push_back(Verified{v->ticket, true});
        } else if (const auto* all = std::get_if<VerifyAll>(&effect)) {
          todo.push_back(Verified{all->ticket, true});
        } else if (const auto* e = std::get_if<Endorse>(&effect)) {
          todo.push_back(Endorsed{e->ticket, {}});
        } else if (const auto* s = std::get_if<Send<Message>>(&effect)) {
          sends(i, s->message);
          post(i, s->to.value, s->message);
        } else if (const auto* b = std::get_if<Broadcast<Message>>(&effect)) {
          sends(i, b->message);
          for (std::uint16_t to = 0; to < nodes_.size(); ++to) {
            if (to != i) post(i, to, b->message);
          }
        } else if (const auto* t = std::get_if<ArmTimer>(&effect)) {
          if (t->after.value == 0) {
            todo.push_back(Expired{t->id});  // the node's next step
          } else {
            timers_[i].insert(t->id);
          }
        } else if (const auto* c = std::get_if<CancelTimer>(&effect)) {
          timers_[i].erase(c->id);
        } else if (const auto* d = std::get_if<Deliver<typename Protocol::Output>>(&effect)) {
          logs_[i].push_back(traits_.decided(d->output));
        }
      }
    }
  }

  Traits traits_;
  Held held_;
  Committee committee_;
  Prng random_;
  std::vector<Protocol> nodes_;
  std::vector<std::set<TimerId>> timers_;
  std::vector<std::vector<Digest>> logs_;
  std::vector<Round> led_;
  std::vector<Letter> letters_;
  std::uint64_t payloads_ = 0;
  std::uint64_t held_back_ = 0;
  std::uint64_t verify_calls_ = 0;
};

}  // namespace thresher::testing
