// Clocks of the leader chain, what it says again, and what it asks others for.
#include <algorithm>
#include <bit>
#include <utility>

#include "leader_chain_parts.hpp"
#include "offers.hpp"
#include "thresher/protocols/broadcast/shelf.hpp"

namespace thresher {

using namespace leader_chain;  // NOLINT(google-build-using-namespace): the protocol's own words

void LeaderChain::on(const Expired& timer, Fx& fx) {
  switch (static_cast<Timer>(timer.id.local)) {
    case kServed:
      served_.clear();
      return;
    case kIdling:
      idling_ = false;
      if (!waiting()) fx.broadcast(Want{view_, log_.delivered()});
      break;
    case kGathered:
      gathering_ = false;
      break;
    case kProgress:
      armed_ = false;
      tick(fx);
      break;
  }
  advance(fx);
}

// R11: who waited too long in a view says that it may be skipped, unless it said in this view that
// a block of it is final.
void LeaderChain::tick(Fx& fx) {
  ++ticks_;
  if (!waiting()) return;
  ++age_;
  const bool said = said_.view == view_ && (said_.skipped || said_.finalized);
  if (age_ >= patience_ && !said) say(Kind::kSkip, {view_, {}}, fx);
  ask_blocks(fx);
  ask_skips(fx);
  fetch_named(fx);
  // Others have forgotten final blocks that this node missed: it asks for their slots.
  if (behind() && ++late_ >= kLate) ask_slots(fx);
  // Messages are lost with links; while views go on nothing has to be said again, and of what a
  // faulty peer may have told this node alone ever more seldom.
  if (++quiet_ % kQuiet != 0) return;
  if (pressed() || broadcast::due(static_cast<std::uint32_t>(quiet_ / kQuiet))) repeat(fx);
}

// R11. One of f+1 that say so is correct and waits: then this node helps it on.
bool LeaderChain::skip_called_for() const {
  const auto v = views_.find(view_);
  if (v == views_.end()) return false;
  const Votes& votes = v->second.votes[static_cast<std::size_t>(Kind::kSkip)];
  return votes.spoke.size() >= config_.committee.at_least(kValidity);
}

bool LeaderChain::behind() const {
  return target_ != tip_ || frontier() > log_.delivered();
}

// R11: whether this node waits for more than what one faulty peer may have told it alone: somebody
// else's request, or a block that is not certified.
bool LeaderChain::pressed() const {
  const auto certified = [this](const auto& b) {
    return b.first.view > target_.view && !b.second.block.values.empty() &&
           certificate_of(b.first) != nullptr;
  };
  return requests_.first_of(config_.self) != nullptr || behind() || latest_.mark() > view_ ||
         skip_called_for() || std::any_of(blocks_.begin(), blocks_.end(), certified);
}

bool LeaderChain::waiting() const {
  return !requests_.empty() || open_loads() > 0 || pressed();
}

// R12
void LeaderChain::ask_slots(Fx& fx) {
  late_ = 0;
  asked_ = log_.delivered();
  fx.broadcast(Want{view_, log_.delivered()});
}

void LeaderChain::repeat(Fx& fx) {
  ask_slots(fx);
  std::uint64_t some = kAnswers;
  requests_.each_of(config_.self, [&](const order::Queued& r) {
    fx.broadcast(Offer{r.digest, false});
    return --some > 0;
  });
  // The leader may not know what one of them waits for.
  const auto peer = NodeId{static_cast<std::uint16_t>(ticks_ / kQuiet % requests_.peers())};
  const order::Queued* first = requests_.first_of(peer);
  if (first != nullptr && leader(view_) != config_.self)
    fx.send(leader(view_), Offer{first->digest, true});
  const auto before = views_.find(view_ - 1);
  if (before != views_.end()) {
    if (before->second.notarized) fx.broadcast(*before->second.notarized);
    if (before->second.skipped) fx.broadcast(*before->second.skipped);
  }
  for (const std::uint64_t k : {view_ - 1, view_}) {
    const auto v = views_.find(k);
    if (v == views_.end()) continue;
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      for (const auto& [digest, votes] : v->second.votes[kind].good) {
        const auto own = votes.find(config_.self);
        if (own != votes.end()) tell({static_cast<Kind>(kind), k, digest, own->second}, fx);
      }
    }
  }
  // A block in full, at growing pauses: links that are slow for it would carry nothing else.
  if (!std::has_single_bit(quiet_ / kQuiet)) return;
  const Held* own = said_.notarized && leader(view_) == config_.self && said_.view == view_
                        ? held({view_, *said_.notarized})
                        : nullptr;
  if (own == nullptr) return;
  Propose m = proposal_of(own->block);
  if (m.parent || own->block.parent.view == 0) fx.broadcast(std::move(m));
}

// R12. Blocks that are certified or final and did not come, from those who signed them.
void LeaderChain::ask_blocks(Fx& fx) {
  std::size_t left = kLoads;
  const auto ask = [&](const Reference& block, const SignatureList* signers) {
    if (left == 0 || held(block) != nullptr || block == tip_) return;
    --left;
    std::uint32_t some = config_.committee.at_least(kValidity);
    const std::uint32_t n = config_.committee.size();
    for (std::uint32_t k = 1; k < n && some > 0; ++k) {
      const NodeId who{static_cast<std::uint16_t>((config_.self.value + ticks_ + k) % n)};
      if (who == config_.self || (signers != nullptr && !signers->signers.contains(who))) continue;
      fx.send(who, WantBlock{block});
      --some;
    }
  };
  if (target_ != tip_) ask(target_, nullptr);
  for (auto v = views_.upper_bound(tip_.view); v != views_.end(); ++v) {
    if (v->second.notarized) ask(about(*v->second.notarized), v->second.notarized->list.get());
  }
}

// R12: from the lowest view on of which this node cannot prove that it was skipped, of those above
// the highest block that it could build on, and of those that the leader's proposal leaves out. One
// peer a tick, all in turn: f+1 correct ones came through each view by its certificate.
void LeaderChain::ask_skips(Fx& fx) {
  const NodeId who{
      static_cast<std::uint16_t>((config_.self.value + ticks_) % config_.committee.size())};
  if (rules_.linear() || who == config_.self) return;
  const auto ask = [&](std::uint64_t after) {
    const std::uint64_t from = first_unskipped(after, view_);
    if (from < view_) fx.send(who, Want{from, log_.delivered()});
  };
  std::uint64_t highest = tip_.view;
  for (auto v = views_.lower_bound(view_); v != views_.begin() && highest == tip_.view;) {
    if ((--v)->first <= tip_.view) break;
    if (v->second.notarized && held(about(*v->second.notarized)) != nullptr) highest = v->first;
  }
  ask(highest);
  const auto here = views_.find(view_);
  if (here == views_.end() || !here->second.proposal) return;
  const std::uint64_t parent = here->second.proposal->block.parent.view;
  if (parent < highest) ask(std::max(parent, tip_.view));
}

// R12, R13
bool LeaderChain::receive(NodeId from, const WantBlock& m, Fx& fx) {
  const Held* block = held(m.block);
  if (block != nullptr && served_.value(from, m.block.digest, block->bytes()))
    fx.send(from, Give{block->block});
  return false;
}

// R12. Only what is certified or final: its name was signed by a quorum.
bool LeaderChain::receive(NodeId, const Give& m, Fx& fx) {
  if (!well_formed(m.block)) {
    ++refused_;
    return false;
  }
  const Held block = held_of(m.block);
  const Reference name = block.name();
  const bool wanted =
      held(name) == nullptr && name != tip_ && (name == target_ || certificate_of(name) != nullptr);
  if (wanted) keep_block(block, fx);
  return wanted;
}

// R12, R13: the next names and certificates, and where this node is. View and slots only rise, and
// so does their sum.
bool LeaderChain::receive(NodeId from, const Want& m, Fx& fx) {
  order::name_slots(from, m.slot, kAnswers, log_, served_, fx);
  give_certificates(from, m.view, fx);
  const std::uint64_t state = view_ + log_.delivered();
  if (served_.number(from, order::Served::kStates, state, sizeof(Status)))
    fx.send(from, Status{view_, log_.delivered()});
  return receive(from, Status{m.view, m.slot}, fx);
}

// R12: those of the highest block and of the view before this one, which bring a node here; then
// those of the views from `from_view` on, as many as one answer holds. A node in need asks
// again.
void LeaderChain::give_certificates(NodeId to, std::uint64_t from_view, Fx& fx) {
  using order::Served;
  std::size_t left = kSkips;  // what was given lately has its place in an answer, too
  const auto give = [&](Served::Row row, std::uint64_t view, const Certificate* one,
                        const Certificate* other) {
    std::size_t bytes = 0;
    for (const Certificate* c : {one, other}) {
      if (c == nullptr) continue;
      bytes += c->list->signatures.size() * sizeof(Signature);
      left -= std::min<std::size_t>(left, 1);
    }
    if (bytes == 0 || !served_.number(to, row, view, bytes)) return;
    for (const Certificate* c : {one, other}) {
      if (c != nullptr) fx.send(to, *c);
    }
  };
  const auto give_both = [&](Served::Row row, std::uint64_t view, const View& v) {
    const bool lower = v.notarized && about(*v.notarized) != high_;
    give(row, view, lower ? &*v.notarized : nullptr, v.skipped ? &*v.skipped : nullptr);
  };
  give(Served::kHighest, high_.view, certificate_of(high_), nullptr);
  const auto newest = views_.find(view_ - 1);
  if (newest != views_.end()) give_both(Served::kNewest, newest->first, newest->second);
  if (rules_.linear()) return;
  auto v = views_.lower_bound(std::max(tip_.view, from_view));
  for (; v != views_.end() && v->first + 1 < view_ && left > 0; ++v)
    give_both(Served::kCertificates, v->first, v->second);
}

bool LeaderChain::receive(NodeId from, const Status& m, Fx&) {
  const bool view = latest_.raise(from, m.view);
  const bool slots = frontier_.raise(from, m.delivered);
  return view || slots;
}

// R12: f+1 that say the same decided it.
bool LeaderChain::receive(NodeId from, const Ordered& m, Fx& fx) {
  if (!log_.hear(from, m.slot, m.digest)) return false;
  const auto vouched = log_.vouched(m.slot);
  if (vouched && settle(m.slot, vouched->digest)) return true;
  fetch_named(fx);
  arm(fx);
  return false;
}

const Bytes* LeaderChain::value_of(const Digest& digest) const {
  if (const order::Queued* request = requests_.find(digest)) return &request->value;
  for (const auto& [name, block] : blocks_) {
    const auto at = std::find(block.values.begin(), block.values.end(), digest);
    if (at != block.values.end())
      return &block.block.values[static_cast<std::size_t>(at - block.values.begin())];
  }
  return log_.delivered_value(digest);
}

// R12: f+1 named it. Whether its value is here, and so decided now.
bool LeaderChain::settle(std::uint64_t slot, const Digest& digest) {
  const Bytes* value = value_of(digest);
  return value != nullptr && log_.decide(slot, *value);
}

// R12: a value that is not here, of one of those that named it, then of the next, at growing
// pauses.
void LeaderChain::fetch_named(Fx& fx) {
  asks_.erase(asks_.begin(), asks_.lower_bound(log_.delivered()));
  for (std::uint64_t slot = log_.delivered(); slot < log_.delivered() + kAnswers; ++slot) {
    const auto vouched = log_.vouched(slot);
    if (!vouched || settle(slot, vouched->digest)) continue;
    Asked& asked = asks_[slot];
    if (ticks_ < asked.next) continue;
    std::uint64_t turn = (config_.self.value + asked.times++) % vouched->by.size();
    asked.next = ticks_ + (std::uint64_t{1} << std::min(asked.times, kLongestPause));
    vouched->by.for_each([&](NodeId who) {
      if (turn-- == 0) fx.send(who, Fetch{slot, vouched->digest});
    });
  }
}

// R12, R13
bool LeaderChain::receive(NodeId from, const Fetch& m, Fx& fx) {
  const Bytes* value = log_.delivered_value(m.digest);
  if (value != nullptr && served_.value(from, m.digest, value->size()))
    fx.send(from, Decided{m.slot, *value});
  return false;
}

// R12
bool LeaderChain::receive(NodeId, const Decided& m, Fx&) {
  const auto vouched = log_.vouched(m.slot);
  if (m.value.size() > config_.value_bytes) ++refused_;
  if (!vouched || hash(m.value.view()) != vouched->digest) return false;
  return log_.decide(m.slot, m.value);
}

void LeaderChain::arm(Fx& fx) {
  if (!std::exchange(idling_, true)) fx.push(ArmTimer{{kIdling, {}}, kIdle});
  if (armed_ || !waiting()) return;
  armed_ = true;
  fx.push(ArmTimer{{kProgress, {}}, kTick});
}

}  // namespace thresher
