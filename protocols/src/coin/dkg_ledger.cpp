#include <algorithm>

#include "thresher/core/assert.hpp"
#include "thresher/core/node_ids.hpp"
#include "thresher/protocols/coin/dkg.hpp"

namespace thresher::dkg {

using crypto::Dealt;

Ledger::Ledger(const Committee& committee, NodeId self,
               std::shared_ptr<const crypto::DkgScheme> scheme, bool has_key)
    : committee_(committee),
      self_(self),
      scheme_(std::move(scheme)),
      own_acks_(committee.size()),
      vouched_(committee.size()),
      false_points_(committee.size()),
      others_done_(committee.size()),
      done_(has_key),
      kept_(has_key) {}

std::size_t Ledger::held() const {
  std::size_t out = early_.size() + points_.size();
  for (const auto& [dealer, d] : dealings_)
    out += d.victims.size() + d.liars.size() + d.revealed.size();
  return out;
}

// R2: acknowledged, complained of, or nothing at all, as everybody sees.
void Ledger::deliver(NodeId dealer, const Bytes& dealing, Out& out) {
  if (dealings_.contains(dealer)) return;
  const Dealt verdict = scheme_->check(dealer, dealing.view());
  Dealing& d = dealings_.emplace(dealer, Dealing{dealing, verdict}).first->second;
  if (verdict == Dealt::kMalformed) out.accused.emplace_back(dealer, dealing);
  if (verdict == Dealt::kBadForMe) complain(dealer, d, out);
  if (verdict == Dealt::kGood) {
    own_acks_.insert(dealer);
    const Acks mine{own_acks_, kept_, false};
    out.messages.emplace_back(std::nullopt, mine);
    receive(self_, mine, out);
  }
  settle(out);
}

void Ledger::complain(NodeId dealer, const Dealing& d, Out& out) const {
  out.messages.emplace_back(std::nullopt,
                            Complaint{dealer, scheme_->complain(dealer, d.bytes.view())});
}

// R3: n-f acknowledged, so f+1 correct nodes have good shares.
void Ledger::receive(NodeId from, const Acks& m, Out& out) {
  if (!m.dealers.below(committee_.size())) {
    ++refused_;
    return;
  }
  m.dealers.for_each([&](NodeId dealer) {
    Tally& tally = acks_.try_emplace(dealer, committee_).first->second;
    tally.add(from);
    if (tally.reached(kAvailability, committee_) && vouched_.insert(dealer))
      out.vouched.push_back(dealer);
  });
  if (m.done && from != self_) others_done_.insert(from);
  if (m.asks) answer(from, out);
}

// R4: a complaint is judged once. It proves the same to all that have the dealing; those that have
// not hear it again.
void Ledger::receive(NodeId from, const Complaint& m, Out& out) {
  const auto at = dealings_.find(m.dealer);
  if (at == dealings_.end()) return;
  Dealing& d = at->second;
  if (d.liars.contains(from) || d.verdict == Dealt::kMalformed) {
    ++refused_;
    return;
  }
  if (!d.victims.contains(from)) {
    if (!scheme_->judge(m.dealer, d.bytes.view(), from, m.proof.view())) {
      d.liars.insert(from);
      ++refused_;
      return;
    }
    if (d.victims.empty()) out.accused.emplace_back(m.dealer, m.proof);
    d.victims.insert(from);
  }
  help(m.dealer, d, from, out);
}

// R5: nothing of a liar's dealing has to be hidden any more, and only of dealers that count is it
// worth telling. It is worked out once, however often somebody complains.
void Ledger::help(NodeId dealer, Dealing& d, NodeId victim, Out& out) const {
  if (!agreed_ || !agreed_->contains(dealer) || d.verdict != Dealt::kGood) return;
  if (d.own.empty()) d.own = scheme_->reveal(dealer, d.bytes.view());
  out.messages.emplace_back(victim, Reveal{dealer, d.own});
}

void Ledger::receive(NodeId from, const Reveal& m, Out& out) {
  const auto at = dealings_.find(m.dealer);
  if (at == dealings_.end() || at->second.verdict != Dealt::kBadForMe) {
    ++refused_;
    return;
  }
  Dealing& d = at->second;
  if (settled_ || d.revealed.contains(from)) return;  // said again
  if (d.liars.contains(from) ||
      !scheme_->check_reveal(m.dealer, d.bytes.view(), from, m.shares.view())) {
    d.liars.insert(from);
    ++refused_;
    return;
  }
  d.revealed.emplace(from, m.shares);
  settle(out);
}

void Ledger::agree(const NodeSet& dealers, Out& out) {
  if (agreed_) return;
  agreed_ = dealers;
  for (auto& dealing : dealings_) {
    Dealing& d = dealing.second;
    d.victims.for_each([&](NodeId victim) { help(dealing.first, d, victim, out); });
  }
  settle(out);
}

// R6: once there is a share of each dealing that counts, points go out.
void Ledger::settle(Out& out) {
  if (settled_ || !agreed_) return;
  std::vector<crypto::ChosenDealing> chosen;
  bool ready = true;
  agreed_->for_each([&](NodeId dealer) {
    const auto at = dealings_.find(dealer);
    ready = ready && at != dealings_.end() && at->second.verdict != Dealt::kMalformed;
    if (!ready) return;
    crypto::ChosenDealing c{dealer, at->second.bytes, {}};
    for (const auto& [from, shares] : at->second.revealed) c.revealed.push_back({from, shares});
    ready = at->second.verdict == Dealt::kGood || c.revealed.size() >= scheme_->revealers();
    chosen.push_back(std::move(c));
  });
  if (!ready) return;
  settled_ = scheme_->settle(chosen);
  if (!settled_) return;
  for (auto& [dealer, d] : dealings_) d.revealed.clear();
  for (const NodeId i : node_ids(committee_.size())) {
    owed_.push_back(settled_->point_for(i));
    if (i != self_) out.messages.emplace_back(i, Point{owed_.back()});
  }
  points_.emplace(self_, owed_[self_.value]);
  for (const auto& [from, sealed] : std::exchange(early_, {})) take(from, sealed);
  finish(out);
}

void Ledger::receive(NodeId from, const Point& m, Out& out) {
  if (done_) return;
  if (!settled_) {
    early_.insert_or_assign(from, m.sealed);
    return;
  }
  take(from, m.sealed);
  finish(out);
}

// A correct node's point never fails: a node that sent one that does is not heard again.
void Ledger::take(NodeId from, const Bytes& sealed) {
  if (points_.contains(from)) return;
  if (false_points_.contains(from) || !settled_->check_point(from, sealed.view())) {
    false_points_.insert(from);
    ++refused_;
    return;
  }
  points_.emplace(from, sealed);
}

// R7.
void Ledger::finish(Out& out) {
  if (done_ || points_.size() < scheme_->revealers()) return;
  std::vector<crypto::Contribution> points;
  for (const auto& [from, sealed] : points_) points.push_back({from, sealed});
  out.key = settled_->finish(points);
  if (!out.key) return;
  done_ = true;
  points_.clear();
}

// R9: others leave when all are done, and with them goes what a share is made of. So this is said
// when the key outlives a crash, and not when it is known.
void Ledger::keep(Out& out) {
  THRESHER_ASSERT(done_, "there is a key that can be kept");
  kept_ = true;
  out.messages.emplace_back(std::nullopt, Acks{own_acks_, kept_, false});
}

// R8: the asker gets what this node acknowledged and the point that it owes.
void Ledger::answer(NodeId to, Out& out) const {
  if (to == self_) return;
  out.messages.emplace_back(to, Acks{own_acks_, kept_, false});
  if (settled_) out.messages.emplace_back(to, Point{owed_[to.value]});
}

void Ledger::repeat(Out& out) {
  out.messages.emplace_back(std::nullopt, Acks{own_acks_, kept_, true});
  for (const auto& [dealer, d] : dealings_) {
    const bool needed = !agreed_ || agreed_->contains(dealer);
    if (d.verdict == Dealt::kBadForMe && needed && !settled_) complain(dealer, d, out);
  }
}

}  // namespace thresher::dkg
