#include "ledger/log_sync.hpp"

#include <algorithm>
#include <utility>

#include "ledger/log_entry.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/net/payload_root.hpp"
#include "thresher/net/wire.hpp"
#include "thresher/protocols/payload_limit.hpp"

namespace thresher::net {
namespace {
/// A giver that sends nothing for so long is replaced. Unit: microseconds.
constexpr std::uint64_t kPatience = 1'000'000;
/// A giver stays for this long, whatever it sends: one that brings a little now and then must not
/// be the only one. Unit: microseconds.
constexpr std::uint64_t kTurn = 4'000'000;
/// Turns double when everybody had one and nothing was confirmed, up to so many times: over a slow
/// link a large commit takes longer than a first turn, and what is not whole is lost at its end.
constexpr std::uint32_t kMostDoublings = 10;
/// Hashes asked for and not yet confirmed; later ones confirm earlier ones.
constexpr std::size_t kMaxChecks = 8;
/// Parts that one question asks for: its way and the wait for a processor are paid once for all.
constexpr std::uint32_t kParts = 8;
/// Rounds that one commit may order, as far as is provided for: those that a protocol keeps ahead.
constexpr std::uint64_t kRounds = 256;

// What a block takes here: its bytes, and the memory beside them. One without a payload has some 50
// bytes on the wire.
std::size_t weight_of(const OrderedBlock& block) {
  constexpr std::size_t kShared = 64;  // who shares it, and the bytes of its proof
  return block.payload_bytes + encoded_size(block) + sizeof(OrderedBlock) + kShared;
}
}  // namespace

void LogSync::begin(Round slot, const Digest& log_hash, std::uint64_t now, Round wanted) {
  active_ = true;
  wanted_ = wanted;
  confirmed_ = reached_ = slot;
  confirmed_hash_ = reached_hash_ = log_hash;
  change_giver(now);
}

void LogSync::reached(Round slot, const Digest& log_hash) {
  reached_ = slot;
  reached_hash_ = log_hash;
}

void LogSync::stop() {
  active_ = false;
  rewind();
}

// A giver that has no more ends it only where what is wanted is here. Else the giver counts as
// silent, and another is asked when its patience ends: it may lie, or its own log may be short.
void LogSync::end_at_head() {
  if (at_head_ && held_.empty() && confirmed_ >= wanted_) active_ = false;
}

void LogSync::rewind() {
  cursor_ = confirmed_;
  cursor_hash_ = confirmed_hash_;
  open_ = {};
  open_total_ = 0;
  open_bytes_ = 0;
  held_.clear();
  held_bytes_ = 0;
  checks_.clear();
  at_head_ = false;
}

void LogSync::change_giver(std::uint64_t now) {
  if (reached_ > confirmed_) {
    confirmed_ = reached_;
    confirmed_hash_ = reached_hash_;
  }
  rewind();
  do {
    giver_ = NodeId{static_cast<std::uint16_t>((giver_.value + 1) % committee_.size())};
  } while (giver_ == self_ && committee_.size() > 1);
  heard_us_ = now;
  turn_us_ = now;
  owed_ = 0;
  ask();
}

// So often everybody had a turn and nothing was confirmed. f liars alone do not bring that about.
std::uint32_t LogSync::doublings() const {
  return std::min(fruitless_ / std::max(1u, committee_.size() - 1), kMostDoublings);
}

bool LogSync::turn_is_over(std::uint64_t now) const {
  return now > turn_us_ + (kTurn << doublings());
}

// A commit can be checked when all of it is here, and a giver that lies may never end one. So it
// gets room for most commits at first, and more, up to what n members can fill, when no giver could
// end it within that.
std::size_t LogSync::room_for_open() const {
  constexpr std::uint64_t kFirst = kBufferBytes;
  const std::uint64_t most = kRounds * committee_.size() * kMostPayloadBytes;
  return static_cast<std::size_t>(std::min(kFirst << doublings(), std::max(kFirst, most)));
}

wire::LogPlace LogSync::next_place() const {
  return {cursor_, open_total_ == 0 ? 0 : static_cast<std::uint32_t>(open_.blocks.size())};
}

void LogSync::ask() {
  const wire::LogPlace next = next_place();
  ask_after(next.after, next.leave_out);
}

// What is whole waits to be confirmed and throttles the giver. A commit that is open does not: only
// its rest makes it whole.
void LogSync::ask_after(Round slot, std::uint32_t have) {
  if (!active_ || owed_ > 0 || at_head_ || held_bytes_ > kBufferBytes / 4 || !hooks_.ready())
    return;
  owed_ = kParts;
  hooks_.send(giver_, {kWantLog, wire::encode(wire::WantLog{slot, have, kParts}), {}});
}

// The giver reads the next part while this one is hashed. An error in this one ends the giver.
void LogSync::ask_ahead(const wire::LogPart& part) {
  Round whole = cursor_;
  std::uint32_t have = 0;
  for (const wire::LogBlock& b : part.blocks) {
    have = b.index + 1 < b.total ? b.index + 1 : 0;
    if (have == 0) whole = b.slot;
  }
  at_head_ = part.blocks.empty() || (whole >= part.head && have == 0);
  if (at_head_) owed_ = 0;
  ask_after(whole, have);
}

void LogSync::ask_hash(Round slot) {
  const Frame frame{kWantLogHash, wire::encode(wire::WantLogHash{slot}), {}};
  for (std::uint32_t i = 0; i < committee_.size(); ++i) {
    const NodeId peer{static_cast<std::uint16_t>(i)};
    if (peer != self_) hooks_.send(peer, frame);
  }
}

void LogSync::tick(std::uint64_t now) {
  if (!active_) return;
  if (now > heard_us_ + kPatience) return change_giver(now);
  if (turn_is_over(now)) {
    ++fruitless_;
    return change_giver(now);
  }
  if (!checks_.empty()) ask_hash(checks_.rbegin()->first);
  ask();
}

void LogSync::lied(const std::string& how, std::uint64_t now) {
  if (hooks_.blame) hooks_.blame(giver_, how);
  change_giver(now);
}

// One block of the log.
LogSync::Took LogSync::take(const wire::LogBlock& in, const Frame& frame, std::size_t& offset) {
  const std::uint32_t size = in.payload_bytes;
  if (size > frame.payload.size() - offset || in.total == 0) return Took::kFalse;
  if (size > kMostPayloadBytes) return Took::kFalse;
  if (open_total_ == 0) {
    if (in.slot <= cursor_) return Took::kOutOfPlace;
    open_ = {in.slot, in.commit, {}, cursor_};
    open_total_ = in.total;
  }
  if (in.slot != open_.slot || in.commit != open_.id || in.total != open_total_ ||
      in.index != open_.blocks.size()) {
    return Took::kOutOfPlace;
  }
  Reader told(in.block.view());
  OrderedBlockPtr block = decode_block(told, log_);
  if (!block || !told.done()) return Took::kFalse;
  const Bytes content = kept_part(frame, offset, size);
  offset += size;
  const Digest root = size > 0 ? payload_root(content.view()) : Digest{};
  if (block->payload_bytes != size || block->payload_root != root) return Took::kFalse;
  open_bytes_ += weight_of(*block);
  open_.blocks.push_back(size > 0 ? with_payload(*block, content) : std::move(block));
  if (open_.blocks.size() < open_total_) return Took::kGood;
  held_bytes_ += std::exchange(open_bytes_, 0);
  cursor_ = open_.slot;
  cursor_hash_ = chained(cursor_hash_, open_);
  held_.push_back(std::exchange(open_, {}));
  open_total_ = 0;
  return Took::kGood;
}

void LogSync::part(NodeId from, const Frame& frame, std::uint64_t now) {
  if (!active_ || from != giver_ || owed_ == 0) return;
  const auto in = wire::decode<wire::LogPart>(frame.control.view());
  if (!in) return lied("a part of the log that cannot be decoded", now);
  if (in->from && *in->from != next_place()) {  // to a question of an earlier turn of this giver
    heard_us_ = now;
    return;
  }
  --owed_;
  if (in->begins > cursor_) {  // as good as silence: another giver may have more
    if (hooks_.pruned) hooks_.pruned(from, in->begins);
    owed_ = 0;
    at_head_ = true;  // asked again at the end of its patience, like one that is silent
    return;
  }
  ask_ahead(*in);
  const Round before = cursor_;
  std::size_t offset = 0;
  Took took = Took::kGood;
  for (const wire::LogBlock& b : in->blocks) {
    if (took == Took::kGood) took = take(b, frame, offset);
  }
  if (took == Took::kGood && offset != frame.payload.size()) took = Took::kFalse;
  if (took == Took::kFalse) {
    return lied("after slot " + std::to_string(before.value) +
                    " of the log, a payload that is not the one of its blocks",
                now);
  }
  if (took != Took::kGood) return change_giver(now);
  if (open_bytes_ > room_for_open()) {
    ++fruitless_;
    return change_giver(now);
  }
  heard_us_ = now;
  if (cursor_ > before) {
    while (checks_.size() >= kMaxChecks) checks_.erase(checks_.begin());
    checks_.insert_or_assign(cursor_,
                             Check{cursor_hash_, Tally(committee_), Tally(committee_), {}});
    ask_hash(cursor_);
  }
  end_at_head();
  ask();
}

void LogSync::hash(NodeId from, const Frame& frame, std::uint64_t now) {
  const auto in = wire::decode<wire::LogHash>(frame.control.view());
  if (!active_ || !in || !in->known || from == self_) return;
  const auto it = checks_.find(in->slot);
  if (it == checks_.end()) return;
  Check& check = it->second;
  if (check.hash != in->hash) {
    if (!check.differ.add(from)) return;
    Tally& other = check.others.try_emplace(in->hash, committee_).first->second;
    other.add(from);
    if (!other.reached(kValidity, committee_)) return;
    return lied("a log that differs from that of others between slots " +
                    std::to_string(confirmed_.value) + " and " + std::to_string(in->slot.value),
                now);
  }
  check.agree.add(from);
  if (check.agree.reached(kValidity, committee_)) confirm(in->slot, now);
}

void LogSync::confirm(Round slot, std::uint64_t now) {
  confirmed_ = slot;
  confirmed_hash_ = checks_.at(slot).hash;
  checks_.erase(checks_.begin(), checks_.upper_bound(slot));
  heard_us_ = now;
  fruitless_ = 0;
  while (active_ && !held_.empty() && held_.front().slot <= slot) {
    Commit commit = std::move(held_.front());
    held_.pop_front();
    for (const OrderedBlockPtr& b : commit.blocks) {
      held_bytes_ -= weight_of(*b);
    }
    ++fetched_;
    hooks_.apply(std::move(commit));
  }
  end_at_head();
  ask();
}

}  // namespace thresher::net
