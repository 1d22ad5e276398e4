#include "thresher/protocols/order/honey_badger.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "thresher/core/assert.hpp"
#include "thresher/core/compose.hpp"
#include "thresher/core/node_ids.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/protocols/broadcast/shelf.hpp"

namespace thresher {

using namespace honey_badger;  // NOLINT(google-build-using-namespace): the protocol's own words

namespace {

constexpr std::size_t kEntries = 1024;  // payloads kept of one peer
static_assert(kEpochSlots >= Avid::kMostNodes, "each node has a place in an epoch");

std::size_t queue_bytes(const HoneyBadger::Config& c) {
  return c.queue_bytes != 0 ? c.queue_bytes : 8 * c.value_bytes;
}

}  // namespace

// H3: an epoch takes kEpochSlots at most, whoever fills its batches.
std::size_t honey_badger::most_payloads(const Committee& committee) {
  return std::min<std::size_t>(kMostPayloads, kEpochSlots / committee.size());
}

Bytes honey_badger::encode_batch(const std::vector<Bytes>& values) {
  Writer w;
  for (const Bytes& value : values)
    w.u32(static_cast<std::uint32_t>(value.size())).bytes(value.view());
  return Bytes::from(w.take());
}

// H3
std::optional<std::vector<Bytes>> honey_badger::decode_batch(const Bytes& batch,
                                                             std::size_t value_bytes,
                                                             std::size_t most) {
  std::vector<Bytes> out;
  Reader in(batch.view());
  while (in.ok() && in.remaining() > 0) {
    const std::size_t size = in.u32();
    if (size == 0 || size > value_bytes || size > in.remaining()) return std::nullopt;
    if (out.size() == most) return std::nullopt;
    out.push_back(Bytes::copy_of(in.bytes(size)));
  }
  return in.done() ? std::optional(std::move(out)) : std::nullopt;
}

Subset::Config HoneyBadger::subset_config(const Config& c) {
  Subset::Config out;
  out.committee = c.committee;
  out.self = c.self;
  out.coin = c.coin;
  out.window = c.window;
  out.payload_bytes = c.batch_bytes + (c.encryption ? c.encryption->overhead() : 0);
  if (c.encryption) {
    const BatchSeals seals({c.committee, c.self, c.encryption});
    out.valid = [seals](std::uint64_t epoch, NodeId origin, ByteView payload) {
      return seals.valid(epoch, origin, payload);
    };
    return out;
  }
  const std::size_t most = most_payloads(c.committee);
  out.valid = [limit = c.value_bytes, most](std::uint64_t, NodeId, ByteView payload) {
    return decode_batch(Bytes::copy_of(payload), limit, most).has_value();
  };
  return out;
}

HoneyBadger::HoneyBadger(Config config)
    : config_(std::move(config)),
      subset_(subset_config(config_)),
      log_(config_.committee, {config_.history, config_.value_bytes, kAnswers}),
      requests_(config_.committee.size(), {kEntries, queue_bytes(config_), config_.value_bytes}),
      frontier_(config_.committee.size(), 0, config_.committee.at_least(kValidity)),
      false_shares_(config_.committee.size()) {
  if (config_.encryption)
    seals_.emplace(BatchSeals::Config{config_.committee, config_.self, config_.encryption});
}

template <class F>
void HoneyBadger::with_subset(Fx& fx, F act) {
  Subset::Fx child;
  act(child);
  lift(
      child, fx, kSubsetHop, [](Subset::Message&& m) { return Message(std::move(m)); },
      [this](subset::Output&& out) {
        if (seals_) seals_->agreed(out);
        if (out.epoch >= epoch_) outputs_.insert_or_assign(out.epoch, std::move(out));
      });
}

template <class Input>
void HoneyBadger::feed(const Input& input, Fx& fx) {
  with_subset(fx, [&](Subset::Fx& child) { subset_.on(input, child); });
}

void HoneyBadger::on(const Restored& e, Fx& fx) {
  if (e.table == SlotLog::kTable) {
    if (armed_) {
      if (log_.adopt(e.key, e.body)) deliver(fx);
    } else {
      log_.restore(e.key, e.value, e.body);
    }
  } else if (e.table == kEpoch) {
    Reader in(e.value.view());
    epoch_ = in.u64();
    first_ = in.u64();
    checkpoint_ = in.u64();
    checkpoint_first_ = in.u64();
  } else {
    feed(e, fx);
  }
}

void HoneyBadger::on(const Start& e, Fx& fx) {
  feed(e, fx);
  arm(fx);
  fx.broadcast(Status{log_.delivered(), checkpoint_, checkpoint_first_, true});
  advance(fx);
}

void HoneyBadger::on(const Received<Message>& e, Fx& fx) {
  if (e.from == config_.self || !config_.committee.contains(e.from)) return;
  std::visit([&](const auto& m) { receive(e.from, m, fx); }, e.message);
  advance(fx);
}

void HoneyBadger::receive(NodeId from, const Subset::Message& m, Fx& fx) {
  feed(Received<Subset::Message>{from, m}, fx);
}

// H6
void HoneyBadger::receive(NodeId from, const Forward& m, Fx&) {
  const bool good = !m.value.empty() && m.value.size() <= config_.value_bytes;
  const Digest digest = hash(m.value.view());
  if (good && log_.repeats(digest)) return;  // late
  if (!good || !requests_.add(from, m.value, digest, epoch_)) ++refused_;
}

// H7: where peers are, and what this one lacks. A node that gets less than it asked for asks again.
// What has been delivered and the checkpoint only rise, and so does their sum.
void HoneyBadger::receive(NodeId from, const Status& m, Fx& fx) {
  frontier_.raise(from, m.delivered);
  told_[from] = {m.epoch, m.first};
  if (!m.asks) return;
  using order::Served;
  if (served_.number(from, Served::kStates, log_.delivered() + checkpoint_, sizeof(Status)))
    fx.send(from, Status{log_.delivered(), checkpoint_, checkpoint_first_, false});
  for (std::uint64_t s = m.delivered; s < log_.delivered() && s - m.delivered < kAnswers; ++s) {
    const Bytes* value = log_.decided(s);
    if (value == nullptr) break;
    if (served_.number(from, Served::kNames, s, value->size())) fx.send(from, Decided{s, *value});
  }
}

// H7: f+1 that say the same decide a slot.
void HoneyBadger::receive(NodeId from, const Decided& m, Fx& fx) {
  if (log_.hear(from, m.slot, m.value)) deliver(fx);
}

// H11, H12: shares of a subset that is agreed, once to each who asks.
void HoneyBadger::receive(NodeId from, const Reveal& m, Fx& fx) {
  if (!seals_) {
    ++refused_;
    return;
  }
  seals_->hear(from, m, epoch_);
  if (m.asks && seals_->answers(from, m.epoch)) fx.send(from, seals_->mine(m.epoch));
}

void HoneyBadger::on(const Requested<Request>& e, Fx& fx) {
  const Bytes& value = e.request.value;
  const bool good = !value.empty() && value.size() <= config_.value_bytes;
  const Digest digest = hash(value.view());
  if (!good || !requests_.add(config_.self, value, digest, epoch_)) {
    ++refused_;
    return;
  }
  copies_due_.try_emplace(digest, epoch_ + kLeftOut);
  advance(fx);
}

void HoneyBadger::on(const Expired& e, Fx& fx) {
  if (e.id.route.depth > 0) {
    Expired inner = e;
    (void)pop_hop(inner.id.route);
    feed(inner, fx);
    return advance(fx);
  }
  if (e.id != kTick) return;
  armed_ = false;
  served_.clear();
  fx.broadcast(Status{log_.delivered(), checkpoint_, checkpoint_first_, behind()});
  if (seals_) {
    seals_->ask_again();
    if (outputs_.contains(epoch_)) fx.broadcast(seals_->mine_asking(epoch_));
  }
  arm(fx);
}

void HoneyBadger::arm(Fx& fx) {
  if (!std::exchange(armed_, true)) fx.push(ArmTimer{kTick, broadcast::kRepeat});
}

void HoneyBadger::advance(Fx& fx) {
  jump(fx);
  do {
    enter(fx);
  } while (order_next(fx));
  count_false_shares();
}

void HoneyBadger::count_false_shares() {
  const auto add = [this](std::span<const std::uint64_t> more) {
    for (std::size_t i = 0; i < more.size(); ++i) false_shares_[i] += more[i];
  };
  std::ranges::fill(false_shares_, 0);
  add(subset_.false_shares());
  if (seals_) add(seals_->false_shares());
}

std::uint64_t HoneyBadger::refused() const {
  return refused_ + subset_.refused() + (seals_ ? seals_->refused() : 0);
}

// H2: those that hash lowest, another choice at each node and in each epoch, so that batches of
// different nodes have different payloads of those that many have.
HoneyBadger::Places HoneyBadger::places_of(NodeId peer) const {
  Places out;
  requests_.each_of(peer, [&](const order::Queued& r) {
    Writer w;
    w.u64(epoch_).u16(config_.self.value).bytes(r.digest.bytes);
    // Own ones first: nobody else may have them.
    Digest place = hash(w.view());
    if (peer == config_.self) place.bytes[0] = std::byte{0};
    out.push_back({peer == config_.self ? 0 : out.size(), place, &r});
    return true;
  });
  return out;
}

// H2: every second place is for what others forwarded, of each the oldest first: neither the own
// payloads nor those of a liar's full queue keep out what was left out elsewhere.
Bytes HoneyBadger::batch() const {
  Places own = places_of(config_.self);
  Places others;
  for (const NodeId i : node_ids(config_.committee.size())) {
    if (i == config_.self) continue;
    const Places more = places_of(i);
    others.insert(others.end(), more.begin(), more.end());
  }
  std::sort(own.begin(), own.end());
  std::sort(others.begin(), others.end());
  std::map<Digest, const Bytes*> chosen;  // by place
  std::set<Digest> digests;
  std::size_t left = config_.batch_bytes;
  const std::size_t most = most_payloads(config_.committee);
  const auto choose = [&](const Place& p) {
    const std::size_t size = p.request->value.size() + sizeof(std::uint32_t);
    if (size > left || chosen.size() == most || !digests.insert(p.request->digest).second) return;
    left -= size;
    chosen.emplace(p.hash, &p.request->value);
  };
  for (std::size_t k = 0; k < std::max(own.size(), others.size()); ++k) {
    if (k < own.size()) choose(own[k]);
    if (k < others.size()) choose(others[k]);
  }
  std::vector<Bytes> values;
  values.reserve(chosen.size());
  for (const auto& [place, value] : chosen) values.push_back(*value);
  return encode_batch(values);
}

// H1, H3: with something to order, or when others have begun.
void HoneyBadger::enter(Fx& fx) {
  if (subset_.submitted(epoch_) || outputs_.contains(epoch_)) return;
  if (requests_.empty() && !subset_.begun(epoch_)) return;
  const Bytes values = seals_ ? seals_->seal(epoch_, batch()) : batch();
  with_subset(fx, [&](Subset::Fx& child) {
    subset_.on(Requested<subset::Submit>{{epoch_, values}}, child);
  });
}

// H3, H4: by origin and then as in the batch; of copies the first alone.
std::vector<Bytes> HoneyBadger::payloads_of(const subset::Output& agreed) const {
  std::vector<Bytes> out;
  std::set<Digest> seen;
  for (const subset::Entry& entry : agreed.entries) {
    const auto values =
        decode_batch(entry.payload, config_.value_bytes, most_payloads(config_.committee));
    if (!values) continue;
    for (const Bytes& value : *values) {
      if (seen.insert(hash(value.view())).second) out.push_back(value);
    }
  }
  THRESHER_ASSERT(out.size() <= kEpochSlots, "an epoch takes no more slots than transactions bear");
  return out;
}

// H4
bool HoneyBadger::order_next(Fx& fx) {
  const auto at = outputs_.find(epoch_);
  if (at == outputs_.end() || !open(at->second, fx)) return false;
  std::uint64_t slot = first_;
  for (const Bytes& value : payloads_of(at->second)) {
    if (slot >= log_.delivered()) (void)log_.decide(slot, value);
    ++slot;
  }
  outputs_.erase(at);
  deliver(fx);
  ++epoch_;
  first_ = slot;
  if (epoch_ % kCheckpoint == 0) {
    checkpoint_ = epoch_;
    checkpoint_first_ = first_;
  }
  keep_epoch(fx);
  forward(fx);
  return true;
}

// H11, H12: batches that are still encrypted are read once as many nodes told their shares as the
// encryption's threshold, n-f in a cluster.
bool HoneyBadger::open(subset::Output& agreed, Fx& fx) {
  if (!seals_) return true;
  if (!seals_->told(agreed.epoch)) fx.broadcast(seals_->mine(agreed.epoch));
  auto texts = seals_->open(agreed.epoch);
  if (!texts) return false;
  agreed.entries = *std::move(texts);
  return true;
}

// H8: half of the window is for those that lag.
void HoneyBadger::keep_epoch(Fx& fx) {
  Writer w;
  w.u64(epoch_).u64(first_).u64(checkpoint_).u64(checkpoint_first_);
  fx.push(Persist{kEpoch, {}, Bytes::from(w.take()), {}, true});
  if (epoch_ <= config_.window / 2) return;
  const std::uint64_t floor = epoch_ - config_.window / 2;
  with_subset(fx, [&](Subset::Fx& child) { subset_.forget_below(floor, child); });
  if (seals_) seals_->forget_below(floor);
}

// H5
void HoneyBadger::deliver(Fx& fx) {
  while (auto d = log_.deliver_next()) {
    fx.push(std::move(d->record));
    requests_.remove(d->digest);
    copies_due_.erase(d->digest);
    if (d->fresh) fx.deliver({d->slot, d->value});
  }
  for (Persist& gone : log_.forget()) fx.push(std::move(gone));
}

// H6: what was left out again and again goes to all, and again while nothing comes of it: copies
// may be lost, and peers that have no room for one refuse it.
void HoneyBadger::forward(Fx& fx) {
  requests_.each_of(config_.self, [&](const order::Queued& r) {
    std::uint64_t& due = copies_due_.at(r.digest);
    if (epoch_ < due) return true;
    due = epoch_ + kCopiesAgain;
    fx.broadcast(Forward{r.value});
    return true;
  });
}

// H9: f+1 peers say where an epoch begins that this node is behind, and it has all before it.
void HoneyBadger::jump(Fx& fx) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> said;
  for (const auto& [peer, checkpoint] : told_) ++said[checkpoint];
  for (const auto& [checkpoint, times] : said) {
    const auto& [epoch, first] = checkpoint;
    const bool helps = epoch > epoch_ && first <= log_.delivered();
    if (!helps || times < config_.committee.at_least(kValidity)) continue;
    epoch_ = checkpoint_ = epoch;
    first_ = checkpoint_first_ = first;
    outputs_.erase(outputs_.begin(), outputs_.lower_bound(epoch));
    keep_epoch(fx);
    forward(fx);
  }
}

std::uint64_t HoneyBadger::entered() const {
  std::uint64_t epoch = epoch_;
  while (subset_.submitted(epoch)) ++epoch;
  return epoch;
}

Footprint HoneyBadger::footprint() const {
  return {subset_.footprint(), requests_.bytes(), log_.heard(), log_.size(),
          seals_ ? seals_->held() : 0};
}

Footprint HoneyBadger::most_held() const {
  const std::size_t n = config_.committee.size();
  return {subset_.most_held(), n * (queue_bytes(config_) + config_.value_bytes), kAnswers * n,
          // Slots of one epoch may be decided at once.
          config_.history + kAnswers + n * most_payloads(config_.committee),
          seals_ ? BatchSeals::most_held(config_.committee.size(), config_.window) : 0};
}

}  // namespace thresher
