#include "thresher/protocols/agreement/round.hpp"

#include <bit>

#include "thresher/core/assert.hpp"

namespace thresher::agreement {
namespace {

std::uint8_t only(BitSet one) {
  return static_cast<std::uint8_t>(std::countr_zero(one));
}

// Where a node of the table begins that says this first.
std::uint8_t start_saying(const VoteTable& table, std::uint8_t counter) {
  for (const VoteRule& rule : table.rules) {
    if ((table.starts >> rule.from & 1) != 0 && rule.says == counter) return rule.from;
  }
  THRESHER_ASSERT(false, "a round says below only what begins there");
  return 0;
}

}  // namespace

Round::Round(const RoundTables& tables, const Committee& committee)
    : tables_(&tables),
      committee_(committee),
      heard_(tables.round->counters.size(), NodeSet(committee.size())) {}

void Round::enter(bool estimate) {
  THRESHER_ASSERT(!entered_, "a round begins once");
  entered_ = true;
  location_ = only(tables_->round->rounds->starts[estimate ? 1 : 0]);
}

bool Round::hear(NodeId from, BitSet counters) {
  bool fresh = false;
  for (std::size_t c = 0; c < heard_.size(); ++c) {
    if ((counters >> c & 1) != 0 && heard_[c].insert(from)) fresh = true;
  }
  return fresh;
}

// A node that said several of the counters counts once.
std::uint32_t Round::tally(const SumGuard& guard) const {
  const NodeSet* first = nullptr;
  NodeSet all;
  for (std::size_t c = 0; c < heard_.size(); ++c) {
    if ((guard.counters >> c & 1) == 0) continue;
    if (first == nullptr) {
      first = &heard_[c];
      continue;
    }
    if (all.empty()) all = *first;
    all.merge(heard_[c]);
  }
  return all.empty() && first != nullptr ? first->size() : all.size();
}

bool Round::holds(const SumGuard& guard) const {
  if (guard.by == Senders::kEverybody) return tally(guard) >= committee_.at_least(guard.at_least);
  return (tables_->delivered[only(guard.counters)] >> under_ & 1) != 0;
}

bool Round::step_once(NodeId self, bool under, const Trace& trace) {
  const VoteTable& table = under ? *tables_->under : *tables_->round;
  std::uint8_t& at = under ? under_ : location_;
  const VoteRule* rule = enabled(
      table, at, [this](const SumGuard& guard) { return holds(guard); }, coin_);
  if (rule == nullptr) return false;
  VoteEvent event{.instance = trace.instance, .round = trace.round, .node = self, .under = under};
  event.rule = static_cast<std::uint8_t>(rule - table.rules.data());
  event.said = rule->says;
  event.coin = coin_;
  for (std::size_t g = 0; g < rule->when.size(); ++g) {
    if (rule->when[g]) event.tallies[g] = tally(*rule->when[g]);
  }
  at = rule->to;
  if (rule->says) {
    // A statement of the round about a counter of the table below is that table's input.
    if (!under && tables_->under != nullptr && *rule->says < tables_->under->counters.size()) {
      under_ = start_saying(*tables_->under, *rule->says);
    } else {
      said_ |= bits(*rule->says);
      heard_[*rule->says].insert(self);
    }
  }
  if (trace.log != nullptr) trace.log->add(event);
  return true;
}

void Round::advance(NodeId self, const Trace& trace) {
  if (!entered_) return;
  for (bool moved = true; moved;) {
    moved = step_once(self, false, trace);
    // Nothing goes on below before the round has given it an input.
    const bool begun = tables_->under != nullptr &&
                       location_ != only(tables_->round->rounds->starts[0]) &&
                       location_ != only(tables_->round->rounds->starts[1]);
    if (begun) moved = step_once(self, true, trace) || moved;
  }
}

bool Round::asks_coin() const {
  if (!entered_ || coin_) return false;
  const VoteTable& table = *tables_->round;
  return (table.rounds->reads >> location_ & 1) != 0 || throws_coin(table, location_);
}

std::optional<bool> Round::ended() const {
  for (const bool value : {false, true}) {
    if (entered_ && (tables_->round->rounds->ends[value ? 1 : 0] >> location_ & 1) != 0)
      return value;
  }
  return std::nullopt;
}

bool Round::decides() const {
  const auto& decides = tables_->round->rounds->decides;
  return ((decides[0] | decides[1]) >> location_ & 1) != 0;
}

Bytes Round::record() const {
  Writer w;
  w.u8(location_).u8(under_).u32(said_);
  return Bytes::from(w.take());
}

void Round::restore(NodeId self, const Bytes& record, const Trace& trace) {
  Reader in(record.view());
  const std::uint8_t location = in.u8();
  const std::uint8_t under = in.u8();
  const BitSet said = in.u32();
  const bool below = tables_->under == nullptr || under < tables_->under->locations.size();
  if (!in.done() || location >= tables_->round->locations.size() || !below) return;
  entered_ = true;
  location_ = location;
  under_ = under;
  said_ = said;
  hear(self, said);
  if (trace.log == nullptr) return;
  VoteEvent event{.instance = trace.instance, .round = trace.round, .node = self};
  event.rule = VoteEvent::kRestart;
  event.location = location_;
  trace.log->add(event);
  if (tables_->under == nullptr) return;
  event.under = true;
  event.location = under_;
  trace.log->add(event);
}

}  // namespace thresher::agreement
