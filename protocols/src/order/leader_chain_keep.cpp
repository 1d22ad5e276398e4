// What the leader chain keeps on disk, what it finds there again, and how much it holds.
#include <utility>

#include "../broadcast/certificate_bytes.hpp"
#include "leader_chain_parts.hpp"

namespace thresher {

using namespace leader_chain;  // NOLINT(google-build-using-namespace): the protocol's own words

namespace {

enum Flag : std::uint8_t { kNotarized = 1, kFinalized = 2, kSkipped = 4 };

Bytes key_of(const Reference& block) {
  return Bytes::from(Writer().u64(block.view).bytes(block.digest.bytes).take());
}
Bytes key_of(const Certificate& c) {
  return Bytes::from(Writer().u64(c.view).u8(static_cast<std::uint8_t>(c.kind)).take());
}
Bytes only_key() {
  return Bytes::from(Writer().u8(0).take());
}
Reference read_reference(Reader& in) {
  const std::uint64_t view = in.u64();
  return {view, in.digest()};
}

}  // namespace

void LeaderChain::on(const Restored& record, Fx& fx) {
  if (started_) {
    if (record.table == SlotLog::kTable && log_.adopt(record.key, record.body)) advance(fx);
    return;
  }
  restored_ = true;
  Reader key(record.key.view());
  Reader value(record.value.view());
  if (record.table == SlotLog::kTable) log_.restore(record.key, record.value, record.body);
  if (record.table == kTip) {
    tip_ = read_reference(value);
    tip_end_ = value.u64();
  }
  if (record.table == kBlocks) restore_block(record.value, record.body);
  if (record.table == kSaid) {
    said_.view = value.u64();
    const std::uint8_t flags = value.u8();
    const Digest notarized = value.digest();
    const Digest finalized = value.digest();
    if ((flags & kNotarized) != 0) said_.notarized = notarized;
    if ((flags & kFinalized) != 0) said_.finalized = finalized;
    said_.skipped = (flags & kSkipped) != 0;
  }
  if (record.table == kCertificates) {
    const std::uint64_t view = key.u64();
    const Kind kind = static_cast<Kind>(key.u8());
    const Digest digest = value.digest();
    auto list = broadcast::read_list(value, config_.committee.size());
    if (!list || !key.done()) return;
    auto& slot = kind == Kind::kSkip ? views_[view].skipped : views_[view].notarized;
    slot = {kind, view, digest, std::make_shared<const SignatureList>(std::move(*list))};
  }
}

void LeaderChain::on(const Start&, Fx& fx) {
  started_ = true;
  (void)frontier_.raise(config_.self, log_.delivered());
  target_ = high_ = tip_;
  // Records that were erased lazily may be back.
  forget_views(tip_.view, fx);
  for (const auto& [view, v] : views_) {
    certified_ = view;
    if (v.notarized) high_ = std::max(high_, about(*v.notarized));
  }
  for (const auto& [name, block] : blocks_) {
    if (certificate_of(name) != nullptr) try_two_chain(block, fx);
  }
  view_ = std::max({view_, certified_ + 1, said_.view});
  // Said again, for nobody may have heard it.
  if (said_.notarized) endorse(Kind::kNotarize, {said_.view, *said_.notarized}, fx);
  if (said_.finalized) endorse(Kind::kFinalize, {said_.view, *said_.finalized}, fx);
  if (said_.skipped) endorse(Kind::kSkip, {said_.view, {}}, fx);
  if (restored_) fx.broadcast(Want{view_, log_.delivered()});
  advance(fx);
}

void LeaderChain::restore_block(const Bytes& value, const Bytes& body) {
  Reader in(value.view());
  Block block;
  block.view = in.u64();
  block.parent = read_reference(in);
  block.first = in.u64();
  const std::uint32_t count = in.u32();
  std::size_t at = 0;
  for (std::uint32_t k = 0; k < count && in.ok(); ++k) {
    const std::uint32_t size = in.u32();
    if (size > body.size() - at) return;
    block.values.push_back(body.slice(at, size));
    at += size;
  }
  if (!in.done()) return;
  const Held held = held_of(std::move(block));
  blocks_.emplace(held.name(), held);
}

// R5
void LeaderChain::save_said(Fx& fx) const {
  const int flags = (said_.notarized ? kNotarized : 0) | (said_.finalized ? kFinalized : 0) |
                    (said_.skipped ? kSkipped : 0);
  Writer w;
  w.u64(said_.view).u8(static_cast<std::uint8_t>(flags));
  w.bytes(said_.notarized.value_or(Digest{}).bytes);
  w.bytes(said_.finalized.value_or(Digest{}).bytes);
  fx.push(Persist{kSaid, only_key(), Bytes::from(w.take()), {}, false});
}

// Statements that follow from it are saved later, and not lazily.
void LeaderChain::save(const Certificate& c, Fx& fx) const {
  Writer w;
  w.bytes(c.digest.bytes);
  broadcast::write_list(w, *c.list);
  fx.push(Persist{kCertificates, key_of(c), Bytes::from(w.take()), {}, true});
}

void LeaderChain::save(const Held& block, Fx& fx) const {
  Writer w;
  w.u64(block.block.view).u64(block.block.parent.view).bytes(block.block.parent.digest.bytes);
  w.u64(block.block.first).u32(static_cast<std::uint32_t>(block.block.values.size()));
  Writer body;
  for (const Bytes& value : block.block.values) {
    w.u32(static_cast<std::uint32_t>(value.size()));
    body.bytes(value.view());
  }
  const bool one = block.block.values.size() == 1;
  fx.push(Persist{kBlocks, key_of(block.name()), Bytes::from(w.take()),
                  one ? block.block.values.front() : Bytes::from(body.take()), true});
}

void LeaderChain::save_tip(Fx& fx) const {
  Writer w;
  w.u64(tip_.view).bytes(tip_.digest.bytes).u64(tip_end_);
  fx.push(Persist{kTip, only_key(), Bytes::from(w.take()), {}, true});
}

void LeaderChain::erase(const Held& block, Fx& fx) const {
  fx.push(Persist{kBlocks, key_of(block.name()), {}, {}, true});
}

// The block at `below` stays, with its certificate: the next one stands on it.
void LeaderChain::forget_views(std::uint64_t below, Fx& fx) {
  while (!views_.empty() && views_.begin()->first < below) {
    const View& old = views_.begin()->second;
    if (old.notarized) fx.push(Persist{kCertificates, key_of(*old.notarized), {}, {}, true});
    if (old.skipped) fx.push(Persist{kCertificates, key_of(*old.skipped), {}, {}, true});
    views_.erase(views_.begin());
  }
  for (auto b = blocks_.begin(); b != blocks_.end() && b->first.view <= below;) {
    const bool keeps = b->first == tip_;
    if (!keeps) erase(b->second, fx);
    b = keeps ? std::next(b) : blocks_.erase(b);
  }
}

Footprint LeaderChain::footprint() const {
  Footprint out;
  out.request_bytes = requests_.bytes();
  for (const auto& [name, block] : blocks_) out.block_bytes += block.bytes();
  for (const auto& [view, v] : views_) {
    out.certificates += (v.notarized ? 1U : 0U) + (v.skipped ? 1U : 0U);
    if (v.proposal) out.block_bytes += v.proposal->bytes();
    for (const Votes& votes : v.votes) {
      for (const auto& [digest, of] : votes.unverified) out.votes += of.size();
      for (const auto& [digest, of] : votes.good) out.votes += of.size();
    }
  }
  out.checks = checks_.size();
  out.digests = log_.heard();
  out.decisions = log_.size();
  out.given = served_.values();
  return out;
}

// Votes: one of a kind, node and view. Blocks: what voters bear, one that they bear no more, those
// that wait for others, the last final one and proposals.
Footprint LeaderChain::most_held() const {
  const std::size_t n = config_.committee.size();
  const std::size_t near = 2 * kNear + 1;
  const std::size_t open = view_ - std::min(view_, tip_.view) + 1;
  const std::size_t blocks = kVoterLoads + 1 + kBacklog + 2 + kNear + 1;
  return {
      .request_bytes = n * (config_.queue_bytes + config_.value_bytes),
      .block_bytes = blocks * config_.block_bytes,
      .votes = near * kKinds * n,
      .certificates = 2 * open,
      .checks = n * (kPending + near * kKinds),
      .digests = kAnswers * n,
      .decisions = config_.history + 1 + (kBacklog + kVoterLoads) * config_.block_values + kAnswers,
      .given = order::Served::most_values(config_.committee.size())};
}

}  // namespace thresher
