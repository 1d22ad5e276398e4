// One DAG node alone: the test is all of its peers, and sees what it asks for.
//
//   Target t;
//   t.push(1, block(1, 3));                       // node 1 pushes a block with an invented parent
//   const std::set<Edge> wanted = t.asked_in(1);  // in one pull tick
//
// Guarantees: every signature is good, or none is (`verdict_`).
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "thresher/core/committee.hpp"
#include "thresher/protocols/coin/ideal_coin.hpp"
#include "thresher/protocols/dag/dag.hpp"

namespace thresher::dag {

using Input = InputOf<Dag>;

/// One node and what it asked for; the test plays everybody else.
class Target {
 public:
  explicit Target(const Rules& rules = Rules::thresher(), const Limits& limits = {})
      : node_(config(rules, limits)) {
    feed(Start{0});
  }

  static Config config(const Rules& rules, const Limits& limits = {}) {
    Config c;
    c.rules = rules;
    c.limits = limits;
    c.self = NodeId{0};
    c.coin = std::make_shared<coin::IdealCoin>(c.committee.at_least(kAvailability), c.self, 7);
    return c;
  }
  void feed(const Input& input) {
    std::vector<Input> todo{input};
    while (!todo.empty()) {
      const Input next = std::move(todo.back());
      todo.pop_back();
      Dag::Fx fx;
      step(node_, next, fx);
      for (auto& effect : fx.list()) {
        if (const auto* v = std::get_if<Verify>(&effect)) {
          todo.push_back(Verified{v->ticket, verdict_});
        } else if (const auto* e = std::get_if<Endorse>(&effect)) {
          todo.push_back(Endorsed{e->ticket, {}});
        } else if (auto* s = std::get_if<Send<Message>>(&effect)) {
          sent_.push_back(std::move(*s));
        } else if (const auto* b = std::get_if<Broadcast<Message>>(&effect)) {
          const auto* push = std::get_if<Push>(&b->message);
          if (push != nullptr) own_[push->block->round().value] = push->block;
        } else if (const auto* a = std::get_if<ArmTimer>(&effect)) {
          if (a->id.local == 1) armed_ = a->after.value;
        } else if (const auto* c = std::get_if<CancelTimer>(&effect)) {
          if (c->id.local == 1) armed_.reset();
        } else if (std::holds_alternative<Accuse>(effect)) {
          ++accusations_;
        } else if (std::holds_alternative<Deliver<Committed>>(effect)) {
          ++commits_;
        }
      }
    }
  }
  void push(std::uint16_t from, const BlockPtr& block) {
    feed(Received<Message>{NodeId{from}, Push{block}});
  }
  void give(std::uint16_t from, std::vector<BlockPtr> blocks) {
    feed(Received<Message>{NodeId{from}, Give{std::move(blocks)}});
  }

  // What this node asks for in the next `ticks` pull ticks.
  std::set<Edge> asked_in(int ticks) {
    sent_.clear();
    for (int i = 0; i < ticks; ++i) feed(Expired{{2, {}}});
    std::set<Edge> out;
    for (const Send<Message>& s : sent_) {
      if (const auto* want = std::get_if<Want>(&s.message)) {
        out.insert(want->blocks.begin(), want->blocks.end());
      }
    }
    return out;
  }

  // The round timer runs in steps until the node waits no longer. Unit: 1/1000 of Delta.
  std::uint64_t wait_out() {
    std::uint64_t waited = 0;
    const std::uint64_t before = node_.stats().timeouts;
    while (armed_ && node_.stats().timeouts == before) {
      waited += *std::exchange(armed_, std::nullopt);
      feed(Expired{{1, {}}});
    }
    longest_wait_ = std::max(longest_wait_, waited);
    return waited;
  }

  Dag node_;
  std::vector<Send<Message>> sent_;
  bool verdict_ = true;
  std::uint64_t longest_wait_ = 0;         // unit: 1/1000 of Delta
  std::optional<std::uint64_t> armed_;     // the step that the round timer runs for
  std::map<std::uint64_t, BlockPtr> own_;  // by round
  int accusations_ = 0;
  int commits_ = 0;
};

inline BlockPtr block(std::uint16_t author, std::uint64_t round, std::uint64_t salt = 0) {
  Header h;
  h.author = NodeId{author};
  h.round = Round{round};
  h.self = {h.author, Round{0}, {}};
  if (round > 1) {  // an invented parent
    Writer w;
    w.u64(salt);
    h.self = {h.author, Round{round - 1}, hash(w.view())};
  }
  Writer w;
  w.u64(salt);
  const Bytes bytes = Bytes::from(w.take());
  h.payload_root = hash(bytes.view());
  h.payload_bytes = 8;
  const Digest root = h.payload_root;
  return make_block(std::move(h), {bytes, root}, {}, {});
}

/// A chain of one author: rounds 1 to `rounds`, each on the one before.
inline std::vector<BlockPtr> chain(std::uint16_t author, std::uint64_t rounds, std::uint64_t salt) {
  std::vector<BlockPtr> out;
  for (std::uint64_t r = 1; r <= rounds; ++r) {
    Header h = block(author, r, salt)->header;
    h.self = out.empty() ? Edge{h.author, Round{0}, {}} : out.back()->edge();
    out.push_back(make_block(std::move(h), block(author, r, salt)->payload, {}, {}));
  }
  return out;
}

}  // namespace thresher::dag
