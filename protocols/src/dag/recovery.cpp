#include <algorithm>
#include <utility>

#include "state.hpp"

namespace thresher::dag {

void Dag::State::restore(const Restored& record, Fx& fx) {
  if (record.table == kDelivered) {
    Reader key(record.key.view());
    Reader value(record.value.view());
    const Round slot{key.u64()};
    if (started) return adopt(slot, value, fx);
    const Round before{value.u64()};
    const Digest leader = value.digest();
    Schedule after(config.committee, config.rules);
    // The record does not say who leads next, so the slot is decided again.
    if (value.ok() && after.decode(value)) restored.add({slot, before, leader}, std::move(after));
    return;
  }
  if (record.table == kEvidence) return started ? void() : proving.restore(record);
  if (record.table == kEquivocation) return started ? void() : convictions.restore(record);
  auto read = records.read_block(record);
  if (!read) return;
  const BlockPtr& block = read->block;
  if (!started && record.table == kOwn && (!where.own() || block->round() > where.round()))
    where.made(block);
  restored.add(std::move(*read));
}

void Dag::State::adopt_block(const RestoredBlock& one, std::vector<Edge>& ready, Fx& fx) {
  const BlockPtr& block = one.block;
  const Round round = block->round();
  const Edge edge{block->author(), round, block->digest};
  if (round <= store.floor()) return;
  if (store.find(edge) == nullptr) {
    if (edge.author == config.self) convictions.accuse_self(*block, fx);
    asking.found(edge);
    unfolding.found(edge);
    payloads.begins_to_wait(*block);
    place(block);
    if (one.vouched) showing.came_with_log(edge);
  }
  Entry* entry = store.find(edge);
  if (!entry->accepted) {
    store.accept(*entry, derived().claim(*entry));
    payloads.was_accepted(*entry->block);
    if (payloads.host_has(edge)) asking.found(edge);  // the host has its payload
    ++stats.blocks_accepted;
    undelivered.add(*block, where.round());
  }
  if (!entry->delivered) {
    store.deliver(*entry);
    undelivered.remove(*block);
  }
  waits.wake(edge, ready);
  wake_evidence(Round{round.value - 1}, ready);
  if (round.value >= 2) wake_evidence(Round{round.value - 2}, ready);
}

// Takes over one commit that correct nodes made: its blocks are accepted and delivered, the slots
// between it and the commit before were skipped.
void Dag::State::adopt(Round slot, Reader& value, Fx& fx) {
  const auto blocks = restored.take_blocks();
  const bool gap = Round{value.u64()} != slots.last_commit();
  const Digest leader = value.digest();
  const auto its = [&](const RestoredBlock& one) { return one.block->digest == leader; };
  const auto found = std::find_if(blocks.begin(), blocks.end(), its);
  if (slot < slots.next() || gap || !value.ok() || found == blocks.end()) return;
  std::vector<Edge> ready;
  for (const RestoredBlock& one : blocks) adopt_block(one, ready, fx);
  while (slots.next() < slot) slots.skip(slots.next());
  const Slots::Made made = slots.commit(slot, named_in_time(*found->block, config.committee));
  if (made.leaders_changed) leaders_changed();
  records.put_delivered({slot, leader, {}, made.before}, slots.schedule(), fx);
  settle(std::move(ready), fx);
  raise_floor(slot, fx);
}

// Rebuilds the store in round order: what was accepted once is accepted again without its evidence.
void Dag::State::start(Fx& fx) {
  if (const chassis::RestoredCommit* last = restored.last_commit()) {
    slots.restore(last->slot, restored.leaders());
    if (last->slot.value > config.gc_depth) {
      store.raise_floor(Round{last->slot.value - config.gc_depth}, [](const Entry&) {});
      below.begin_at(store.floor());
    }
  }
  for (const auto& [block, came_with_log] : restored.take_blocks_by_round()) {
    const Round round = block->round();
    const Edge edge = block->edge();
    if (round <= store.floor()) {
      if (below.restore(block, fx) && came_with_log) showing.came_with_log(edge);
      continue;
    }
    if (store.find(edge) != nullptr) continue;
    if (came_with_log) showing.came_with_log(edge);
    place(block);
    Entry& entry = *store.find(edge);
    store.accept(entry, derived().claim(entry));
    payloads.charge_restored(entry);
    undelivered.add(*block, where.round());
  }
  proving.count_restored(fx);
  started = true;
  began_at = where.round();
  // Deliver again what was committed: the host knows its own position and drops what it has.
  for (const chassis::RestoredCommit& commit : restored.take_commits()) {
    const Entry* block = store.by_digest(commit.slot, commit.leader);
    if (block == nullptr) continue;  // below the floor; a host that lacks it sees what follows
    Committed again = deliveries().of(commit.slot, block->edge());
    again.before = commit.before;
    fx.deliver(std::move(again));
  }
  own_blocks.begin(fx);
  progress(fx);
}

}  // namespace thresher::dag
