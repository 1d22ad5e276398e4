#include "life/checkpoints.hpp"

#include <algorithm>

#include "thresher/core/assert.hpp"
#include "thresher/net/codec.hpp"

namespace thresher::net {
namespace {

/// Statements of one peer about slots that this node has not reached.
constexpr std::size_t kMostEarly = 2;

Bytes slot_question(Round slot) {
  return Bytes::from(Writer().u64(slot.value).take());
}

}  // namespace

Checkpoints::Checkpoints(const Genesis& genesis, NodeId self, const crypto::SigningKey& key,
                         const NodeStore& store, Hooks hooks)
    : genesis_(genesis),
      committee_(*Committee::make(static_cast<std::uint32_t>(genesis.nodes.size()), genesis.f)),
      self_(self),
      key_(key),
      chain_(genesis.context()),
      store_(store),
      hooks_(std::move(hooks)) {}

void Checkpoints::recall() {
  (void)store_.scan(kCertificateTable, {}, [&](ByteView, ByteView value) {
    if (auto found = decode_certificate(value, committee_.size())) certificate_ = std::move(found);
    return true;
  });
}

void Checkpoints::reached(const Checkpoint& checkpoint, const std::vector<Digest>& open_results) {
  newest_ = checkpoint;
  newest_results_ = open_results;
  if (!signs_ && !load_own_checkpoint(store_, checkpoint.slot, committee_.size())) {
    hooks_.persist_lazily(record_of({{checkpoint, self_, {}}, false, open_results}));
  }
  const bool passed = certificate_ && checkpoint.slot <= certificate_->checkpoint.slot;
  if (passed && !needed_.contains(checkpoint.slot)) return compare(checkpoint);
  Open& open = open_[checkpoint.slot];
  const NodeSet none(committee_.size());
  open = {checkpoint, {}, false, none, none, {none, {}}, {}, {}};
  if (signs_) sign(open, open_results);
  if (open_.size() > kMostOpen) forget_one();
  for (auto& [peer, statements] : early_) {
    for (auto it = statements.begin(); it != statements.end() && it->first <= checkpoint.slot;) {
      const SignedCheckpoint said = it->second;
      it = statements.erase(it);
      if (said.checkpoint.slot == checkpoint.slot) heard(said);
    }
  }
}

void Checkpoints::forget_one() {
  const auto oldest = std::ranges::find_if(
      open_, [this](const auto& entry) { return !needed_.contains(entry.first); });
  THRESHER_ASSERT(oldest != open_.end(), "fewer slots are needed than may be open");
  open_.erase(oldest);
}

void Checkpoints::need(Round slot) {
  if (load_certificate(store_, slot, committee_.size())) return;
  needed_.insert(slot);
  if (needed_.size() > kMostNeeded) needed_.erase(needed_.begin());
}

// With what was certified when this node had come here before: it reads its log again.
void Checkpoints::compare(const Checkpoint& again) {
  const auto certificate = load_certificate(store_, again.slot, committee_.size());
  if (!certificate || difference_) return;
  if (certificate->checkpoint == again) {
    last_same_ = again;
    return;
  }
  std::vector<NodeId> signers;
  certificate->signatures.for_each([&](NodeId id, const Signature&) {
    if (id != self_) signers.push_back(id);
  });
  difference_ = {last_same_, again, certificate->checkpoint, std::move(signers)};
}

void Checkpoints::may_sign() {
  signs_ = true;
  if (!newest_) return;
  const auto it = open_.find(newest_->slot);
  if (it != open_.end()) sign(it->second, newest_results_);
}

// One signature for each slot, whatever this node computes when it reads its log again.
void Checkpoints::sign(Open& open, const std::vector<Digest>& open_results) {
  const Round slot = open.own.slot;
  if (const auto before = load_own_checkpoint(store_, slot, committee_.size());
      before && before->is_signed) {
    if (before->signed_checkpoint.checkpoint != open.own) {
      hooks_.warn("the application gave another " +
                  std::string(before->signed_checkpoint.checkpoint.root != open.own.root
                                  ? "result"
                                  : "state") +
                  " up to slot " + std::to_string(slot.value) +
                  " when the log was read again than it had given before: it is not "
                  "deterministic, was changed, or the memory is bad. What was signed stands");
      return;
    }
    open.signature = before->signed_checkpoint.signature;
    return signed_durably(slot);
  }
  const SignedCheckpoint own = signed_checkpoint(key_, self_, chain_, open.own);
  open.signature = own.signature;
  hooks_.persist(record_of({own, true, open_results}), [this, slot] { signed_durably(slot); });
}

void Checkpoints::signed_durably(Round slot) {
  const auto it = open_.find(slot);
  if (it == open_.end()) return;
  Open& open = it->second;
  open.durable = true;
  each_peer([&](NodeId peer) {
    hooks_.send(peer, {kCheckpoint, encode(SignedCheckpoint{open.own, self_, open.signature}), {}});
  });
  if (open.heard.insert(self_)) count(open, self_, open.signature);
}

void Checkpoints::count(Open& open, NodeId signer, const Signature& signature) {
  std::size_t rank = 0;
  open.agree.signers.for_each([&](NodeId id) { rank += id < signer ? 1 : 0; });
  if (!open.agree.signers.insert(signer)) return;
  open.agree.signatures.insert(open.agree.signatures.begin() + static_cast<std::ptrdiff_t>(rank),
                               signature);
  if (open.agree.signers.size() >= certificate_quorum(genesis_)) certified(open);
}

// Pre: it is no longer than the committee; one statement a peer and slot is looked at.
void Checkpoints::heard(const SignedCheckpoint& said) {
  const auto it = open_.find(said.checkpoint.slot);
  if (it == open_.end() || !it->second.heard.insert(said.signer)) return;
  Open& open = it->second;
  if (!signature_holds(genesis_, said)) return hooks_.blame(said.signer, Deed::kBadSignature);
  if (said.checkpoint == open.own) return count(open, said.signer, said.signature);
  const Digest what = digest_of(said.checkpoint, chain_);
  open.statements.emplace(what, said.checkpoint);
  open.differ[what].push_back(said.signer);
  weigh(open);
}

// With the same log behind it, another root or state is the application's.
void Checkpoints::weigh(const Open& open) {
  for (const auto& [what, signers] : open.differ) {
    const Checkpoint& there = open.statements.at(what);
    const bool same_log = there.log_hash == open.own.log_hash && there.length == open.own.length;
    const bool computed = there.root != open.own.root || there.state != open.own.state;
    const std::size_t own =
        open.agree.signers.size() + (open.agree.signers.contains(self_) ? 0 : 1);
    if (!same_log || !computed || signers.size() < committee_.at_least(kValidity) ||
        signers.size() <= own || difference_) {
      continue;
    }
    difference_ = {last_same_, open.own, there, signers};
  }
}

// Older slots stay open: a node that was behind may have a snapshot of one, of which it needs to
// know that it was certified.
void Checkpoints::certified(const Open& open) {
  const Round slot = open.own.slot;
  Certificate certificate{open.own, open.agree};
  hooks_.persist_lazily({kCertificateTable, slot_key(slot), encode(certificate), {}, true});
  if (!certificate_ || slot > certificate_->checkpoint.slot) {
    last_same_ = open.own;
    certificate_ = std::move(certificate);
  }
  open_.erase(slot);
  needed_.erase(slot);
}

// A quorum of signatures is verified for it, so who gave a forged one is not looked at again.
bool Checkpoints::take_certificate(NodeId from, const Certificate& certificate) {
  const auto it = open_.find(certificate.checkpoint.slot);
  if (it == open_.end()) return true;
  Open& open = it->second;
  if (open.forged.contains(from)) return false;
  if (!check_certificate(genesis_, certificate)) {
    open.forged.insert(from);
    return false;
  }
  if (certificate.checkpoint == open.own) {
    open.agree = certificate.signatures;
    certified(open);
    return true;
  }
  certificate.signatures.for_each([&](NodeId signer, const Signature& s) {
    if (signer != self_) heard({certificate.checkpoint, signer, s});
  });
  return true;
}

bool Checkpoints::frame(NodeId from, const Frame& frame) {
  const ByteView control = frame.control.view();
  if (frame.kind == kWantCheckpoint) {
    Reader in(control);
    const Round slot{in.u64()};
    if (!in.done()) return false;
    answer(from, slot);
    return true;
  }
  if (frame.kind == kCertificate) {
    const auto certificate = decode_certificate(control, committee_.size());
    return certificate && take_certificate(from, *certificate);
  }
  const auto said = decode_signed_checkpoint(control, committee_.size());
  if (!said || said->signer != from) return false;
  if (newest_ && said->checkpoint.slot <= newest_->slot) {
    heard(*said);
    return true;
  }
  auto& early = early_[from];
  early.insert_or_assign(said->checkpoint.slot, *said);
  if (early.size() > kMostEarly) early.erase(early.begin());
  return true;
}

void Checkpoints::answer(NodeId to, Round slot) const {
  if (slot.value == 0) {
    if (certificate_) hooks_.send(to, {kCertificate, encode(*certificate_), {}});
    return;
  }
  if (const auto certificate = load_certificate(store_, slot, committee_.size()))
    return hooks_.send(to, {kCertificate, encode(*certificate), {}});
  const auto own = load_own_checkpoint(store_, slot, committee_.size());
  if (own && own->is_signed) hooks_.send(to, {kCheckpoint, encode(own->signed_checkpoint), {}});
}

template <class F>
void Checkpoints::each_peer(F visit) const {
  for (std::uint32_t i = 0; i < committee_.size(); ++i) {
    const NodeId peer{static_cast<std::uint16_t>(i)};
    if (peer != self_) visit(peer);
  }
}

void Checkpoints::send_newest(NodeId to) const {
  if (open_.empty()) return;
  const Open& open = open_.rbegin()->second;
  if (open.durable)
    hooks_.send(to, {kCheckpoint, encode(SignedCheckpoint{open.own, self_, open.signature}), {}});
}

void Checkpoints::ask_all(Round slot) const {
  each_peer([&](NodeId peer) { hooks_.send(peer, {kWantCheckpoint, slot_question(slot), {}}); });
}

void Checkpoints::meet(NodeId peer) const {
  send_newest(peer);
  if (!open_.empty())
    hooks_.send(peer, {kWantCheckpoint, slot_question(open_.rbegin()->first), {}});
}

// A frame is lost with its link: what has no certificate after a while is said and asked again; of
// what the others certified meanwhile the oldest is asked for, and what is needed.
void Checkpoints::tick(std::uint64_t now) {
  if (now < looked_us_ + kPeriod || difference_) return;
  looked_us_ = now;
  if (open_.empty()) return;
  const Round oldest = open_.begin()->first;
  const bool passed = certificate_ && oldest < certificate_->checkpoint.slot;
  if (passed || (needed_.contains(oldest) && open_.size() > 1)) ask_all(oldest);
  const Round newest = open_.rbegin()->first;
  for (const Round slot : needed_) {
    if (slot != oldest && slot != newest && open_.contains(slot)) ask_all(slot);
  }
  const bool waits = newest == looked_at_;
  looked_at_ = newest;
  if (!waits) return;
  each_peer([&](NodeId peer) { send_newest(peer); });
  ask_all(newest);
}

}  // namespace thresher::net
