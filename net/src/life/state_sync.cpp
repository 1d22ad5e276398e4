#include "life/state_sync.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "files/disk_problem.hpp"
#include "thresher/core/assert.hpp"
#include "thresher/core/node_ids.hpp"
#include "thresher/net/codec.hpp"

namespace thresher::net {
namespace {

/// A peer that is silent again and again is put aside for so many times kAside at most.
constexpr std::uint32_t kMostDoublings = 6;
/// Snapshots of a peer that are remembered to be false, the last ones.
constexpr std::size_t kMostFalse = 64;

std::string name(NodeId id) {
  return "node " + std::to_string(id.value);
}
std::string words_of(const SnapshotPart& part) {
  if (part.file == SnapshotFileName::kManifest) return "a manifest";
  return std::string("part ") + std::to_string(part.index) + " of the " +
         (part.file == SnapshotFileName::kLedger ? "ledger" : "state");
}

}  // namespace

StateSync::StateSync(const Genesis& genesis, NodeId self, SnapshotFolder folder, Hooks hooks)
    : genesis_(genesis),
      committee_(*Committee::make(static_cast<std::uint32_t>(genesis.nodes.size()), genesis.f)),
      self_(self),
      folder_(std::move(folder)),
      hooks_(std::move(hooks)),
      peers_(genesis.nodes.size()) {}

void StateSync::begin(Round above, std::uint64_t now) {
  active_ = true;
  above_ = above;
  begun_ = IncomingSnapshot::unfinished(folder_);
  ask_offers(now);
}

// Says too which one is taken, or waited for: what peers prune meanwhile would have to be taken
// anew, or would never come.
void StateSync::ask_offers(std::uint64_t now) {
  asked_us_ = now;
  WantSnapshots want;
  if (chosen_) {
    want.takes = chosen_->certificate.checkpoint.slot;
  } else {
    want.grids = grids();
  }
  for (const NodeId i : node_ids(peers_.size())) {
    Peer& p = peers_[i.value];
    if (i == self_ || p.lied) continue;
    if (std::exchange(p.awaited, true) && ++p.unanswered >= kUnanswered) p.offers.reset();
    hooks_.send(i, {kWantSnapshots, encode(want), {}});
  }
}

// On which those take snapshots that have answered.
std::vector<std::uint8_t> StateSync::grids() const {
  std::vector<std::uint8_t> said;
  for (const Peer& p : peers_) {
    if (p.grid && !p.lied) said.push_back(*p.grid);
  }
  return grids_to_keep(std::move(said), committee_);
}

void StateSync::tick(std::uint64_t now) {
  if (!active_) return;
  if (now >= asked_us_ + kAskAgain) {
    doubt(now);
    ask_offers(now);
  }
  if (whole()) return;
  if (!chosen_) return choose(now);
  watch_silence(now);
  ask_parts(now);
}

bool StateSync::frame(NodeId from, const Frame& frame, std::uint64_t now) {
  if (!is_peer(from)) return false;
  if (frame.kind == kSnapshots) return offers(from, frame, now);
  const auto given = decode_given_part(frame.control.view());
  if (!given) return false;
  if (active_ && !whole()) part(from, *given, frame.payload, now);
  return true;
}

// Each has some signatures of a quorum, so what nobody asked for is not looked at.
bool StateSync::offers(NodeId from, const Frame& frame, std::uint64_t now) {
  auto own = decode_own_snapshots(frame.control.view(), committee_.size());
  if (!own) return false;
  if (!active_ || peers_[from.value].lied) return true;
  if (!std::exchange(peers_[from.value].awaited, false)) return true;
  std::erase_if(own->offers,
                [&](const SnapshotOffer& o) { return o.certificate.checkpoint.slot <= above_; });
  for (const SnapshotOffer& offer : own->offers) {
    if (holds(offer.certificate)) continue;
    lie(from, "a snapshot whose certificate does not hold");
    return true;
  }
  peers_[from.value].unanswered = 0;
  peers_[from.value].grid = own->grid;
  peers_[from.value].offers = std::move(own->offers);
  if (!chosen_) choose(now);
  return true;
}

bool StateSync::holds(const Certificate& certificate) {
  const Digest what = hash(encode(certificate).view());
  if (certified_.contains(what)) return true;
  if (!check_certificate(genesis_, certificate)) return false;
  if (certified_.size() >= kMostOffers * peers_.size()) certified_.clear();
  certified_.insert(what);
  return true;
}

// What kValidity peers name alike, the one that was begun before first, else the newest; when all
// had the time to answer. Alike is checkpoint and manifest: a liar may put the certificate of
// another snapshot beside a manifest that the others name.
void StateSync::choose(std::uint64_t now) {
  // Who gave something false of it names it all the same, and its disk alone may be at fault.
  struct Named {
    Tally all, sound;
  };
  std::map<std::pair<Checkpoint, Digest>, Named> named;
  std::optional<SnapshotOffer> best;
  bool all = true;
  bool sound_begun = false;  // enough peers name what was begun, and gave nothing false of it
  const Digest begun = begun_ ? digest_of(*begun_, genesis_.context()) : Digest{};
  for (const NodeId i : node_ids(peers_.size())) {
    const Peer& p = peers_[i.value];
    if (i == self_) continue;
    all = all && (p.offers || p.lied);
    if (!p.offers || p.lied) continue;
    for (const SnapshotOffer& offer : *p.offers) {
      const std::pair what(offer.certificate.checkpoint, offer.manifest);
      Named& by =
          named.try_emplace(what, Named{Tally(committee_), Tally(committee_)}).first->second;
      by.all.add(i);
      if (!p.false_of.contains(offer.certificate.checkpoint.slot)) by.sound.add(i);
      if (!by.all.reached(kValidity, committee_) || by.sound.count() == 0) continue;
      const bool sound = by.sound.reached(kValidity, committee_);
      const bool is_begun = begun_ && offer.manifest == begun && sound;
      const bool have_begun = best && begun_ && best->manifest == begun && sound_begun;
      sound_begun = sound_begun || is_begun;
      const bool newer =
          !best || offer.certificate.checkpoint.slot > best->certificate.checkpoint.slot;
      if (is_begun || (newer && !have_begun)) best = offer;
    }
  }
  if (!best) return;
  if (first_offer_us_ == 0) first_offer_us_ = now;
  if (!all && now < first_offer_us_ + kGather) return;
  first_offer_us_ = 0;
  doubts_ = 0;
  chosen_ = std::move(best);
  const auto manifest_here = [&] { return digest_of(incoming_->manifest(), genesis_.context()); };
  if (incoming_ && manifest_here() != chosen_->manifest) incoming_.reset();
  ask_offers(now);
  hooks_.say(Level::kInfo, "takes its state from the snapshot of slot " +
                               std::to_string(chosen_->certificate.checkpoint.slot.value) +
                               " of its peers");
  if (!incoming_ && begun_ && chosen_->manifest == begun) {
    incoming_ = IncomingSnapshot::open(folder_, *begun_);
    if (!incoming_) return give_up("the disk refused it: " + disk_problem(errno), now);
  }
  ask_parts(now);
}

// An application that writes other bytes at each node looks so.
std::string StateSync::why_nothing_is_chosen() const {
  std::size_t answered = 0;
  std::map<Round, std::set<Digest>> of_slot;
  for (const Peer& p : peers_) {
    answered += p.offers ? 1 : 0;
    if (!p.offers) continue;
    for (const SnapshotOffer& o : *p.offers)
      of_slot[o.certificate.checkpoint.slot].insert(o.manifest);
  }
  const std::string needed = std::to_string(committee_.at_least(kValidity));
  std::string out = std::to_string(answered) + " peers have said which snapshots they have; " +
                    needed + " have to have the same one";
  if (of_slot.empty())
    return out +
           ", and none has one that can be taken over (it takes checkpoints, snapshots and "
           "the log behind them)";
  for (const auto& [slot, manifests] : of_slot) {
    if (manifests.size() < 2) continue;
    return out + "; those of slot " + std::to_string(slot.value) + " differ, though their " +
           "checkpoint is certified: freeze() of the application does not give the same bytes at "
           "every node";
  }
  return out;
}

void StateSync::lie(NodeId who, const std::string& how) {
  Peer& p = peers_[who.value];
  p.lied = true;
  p.offers.reset();
  p.asked.clear();
  fault_ = name(who) + " gave " + how;
  hooks_.blame(who, how);
}

// So of each snapshot that kValidity peers name a liar can spoil what it is asked for at a time.
void StateSync::gave_false(NodeId who, const std::string& how) {
  THRESHER_ASSERT(chosen_, "parts are asked for of a chosen snapshot");
  Peer& p = peers_[who.value];
  const Round slot = chosen_->certificate.checkpoint.slot;
  if (p.false_of.size() >= kMostFalse) p.false_of.erase(p.false_of.begin());
  p.false_of.insert(slot);
  p.asked.clear();
  fault_ = name(who) + " gave " + how;
  hooks_.blame(who, how);
}

bool StateSync::has_chosen(const Peer& p) const {
  return !p.lied && !p.false_of.contains(chosen_->certificate.checkpoint.slot) && p.offers &&
         std::ranges::find(*p.offers, *chosen_) != p.offers->end();
}

// Those that named it may all be liars by now, and silent: the one correct peer among them may have
// had to remove it. The others offer what is newer.
void StateSync::doubt(std::uint64_t now) {
  if (!chosen_ || whole()) return;
  const auto has = std::ranges::count_if(peers_, [&](const Peer& p) { return has_chosen(p); });
  const bool enough = static_cast<std::size_t>(has) >= committee_.at_least(kValidity);
  doubts_ = enough ? 0 : doubts_ + 1;
  if (doubts_ >= kDoubts)
    let_go("only " + std::to_string(has) + " of them say that they still have it", now);
}

// From the offers again: what is on the disk stays there.
void StateSync::give_up(const std::string& why, std::uint64_t now) {
  let_go(why, now);
  incoming_.reset();
}

// The files stay open too: if the same is chosen again, they need not be read again.
void StateSync::let_go(const std::string& why, std::uint64_t now) {
  problem_ = why;
  hooks_.say(Level::kWarning, "the snapshot of slot " +
                                  std::to_string(chosen_->certificate.checkpoint.slot.value) +
                                  " cannot be taken from its peers now: " + why);
  chosen_.reset();
  for (Peer& p : peers_) {
    p.offers.reset();
    p.asked.clear();
  }
  asked_us_ = now;
}

bool StateSync::gives(NodeId id, std::uint64_t now) const {
  const Peer& p = peers_[id.value];
  return now >= p.aside_until_us && has_chosen(p);
}

void StateSync::ask(NodeId peer, const SnapshotPart& part, std::uint64_t now) {
  Peer& p = peers_[peer.value];
  if (p.asked.empty()) p.heard_us = now;
  p.asked.insert(part);
  hooks_.send(peer, {kWantPart, encode(part), {}});
}

std::set<SnapshotPart> StateSync::on_their_way() const {
  std::set<SnapshotPart> out;
  for (const Peer& p : peers_) out.insert(p.asked.begin(), p.asked.end());
  return out;
}

// The manifest of one peer at a time; of the other parts each peer has some on their way.
void StateSync::ask_parts(std::uint64_t now) {
  if (!chosen_ || whole()) return;
  const Round slot = chosen_->certificate.checkpoint.slot;
  const std::set<SnapshotPart> asked = on_their_way();
  std::vector<SnapshotPart> wanted;
  if (!incoming_) {
    if (asked.empty()) wanted.push_back({slot, SnapshotFileName::kManifest, 0});
  } else {
    for (const SnapshotPart& part : incoming_->missing()) {
      if (wanted.size() >= kAhead * peers_.size()) break;
      if (!asked.contains(part)) wanted.push_back(part);
    }
  }
  bool any = false;
  std::size_t next = 0;
  for (std::size_t round = 0; round < kAhead; ++round) {
    for (std::size_t i = 0; i < peers_.size(); ++i) {
      const NodeId id{static_cast<std::uint16_t>((turn_ + i) % peers_.size())};
      if (id == self_ || !gives(id, now)) continue;
      any = true;
      if (next < wanted.size() && peers_[id.value].asked.size() < kAhead)
        ask(id, wanted[next++], now);
    }
  }
  ++turn_;
  const bool later =
      std::ranges::any_of(peers_, [&](const Peer& p) { return !p.lied && now < p.aside_until_us; });
  if (any || later || !asked.empty()) return;
  give_up("no peer gives it any more", now);
}

void StateSync::watch_silence(std::uint64_t now) {
  for (const NodeId i : node_ids(peers_.size())) {
    Peer& p = peers_[i.value];
    if (p.asked.empty() || now < p.heard_us + kPatience) continue;
    p.asked.clear();
    p.aside_until_us = now + (kAside << std::min(p.silences, kMostDoublings));
    fault_ = name(i) + " stopped giving parts of it";
    if (p.silences++ == 0)
      hooks_.say(Level::kWarning, fault_ + "; others are asked, and it again later");
  }
}

void StateSync::part(NodeId from, const GivenPart& given, const Bytes& bytes, std::uint64_t now) {
  Peer& p = peers_[from.value];
  if (p.asked.erase(given.part) == 0) return;  // it came too late, or nobody asked
  p.heard_us = now;
  if (!given.found) {
    p.offers.reset();
    fault_ = name(from) + " has it no more";
    return ask_parts(now);
  }
  if (given.part.file == SnapshotFileName::kManifest) return manifest(from, bytes, now);
  if (!incoming_ || !incoming_->missing().contains(given.part)) return ask_parts(now);
  if (!incoming_->fits(given.part, bytes.view())) {
    gave_false(from, words_of(given.part) + " of the snapshot of slot " +
                         std::to_string(given.part.slot.value) +
                         " that is not what its manifest says");
    return ask_parts(now);
  }
  p.silences = 0;
  ++p.parts;
  if (!incoming_->write(given.part, bytes.view()))
    return give_up("the disk refused it: " + disk_problem(errno), now);
  ask_parts(now);
}

void StateSync::manifest(NodeId from, const Bytes& bytes, std::uint64_t now) {
  if (incoming_) return;
  const auto decoded = decode_manifest(bytes.view());
  if (!decoded || digest_of(*decoded, genesis_.context()) != chosen_->manifest) {
    gave_false(from, "a manifest that is not the one it named");
    return ask_parts(now);
  }
  // What it named, so nobody lied.
  if (bytes.size() > kMostManifest)
    return give_up("its state has " + std::to_string(decoded->bytes) + " bytes, and at most " +
                       std::to_string(kMostGivenState) + " can be taken",
                   now);
  if (decoded->checkpoint != chosen_->certificate.checkpoint || decoded->ledger_bytes == 0)
    return give_up("what its peers name is not of the certified checkpoint", now);
  begun_ = decoded;
  incoming_ = IncomingSnapshot::open(folder_, *begun_);
  if (!incoming_) return give_up("the disk refused it: " + disk_problem(errno), now);
  ask_parts(now);
}

std::string StateSync::words() const {
  std::string last = problem_ + (problem_.empty() || fault_.empty() ? "" : "; ") + fault_;
  if (!last.empty()) last = " (last: " + last + ")";
  if (!chosen_)
    return "asks its peers for a snapshot to take its state from: " + why_nothing_is_chosen() +
           last;
  std::string from;
  for (const NodeId i : node_ids(peers_.size())) {
    if (peers_[i.value].parts > 0) from += (from.empty() ? "" : ", ") + std::to_string(i.value);
  }
  return "takes its state from the snapshot of slot " +
         std::to_string(chosen_->certificate.checkpoint.slot.value) + ": " +
         std::to_string(parts_here()) + " of " + std::to_string(parts()) + " parts are here" +
         (from.empty() ? "" : ", from nodes " + from) + last;
}

}  // namespace thresher::net
