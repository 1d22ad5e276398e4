#include "thresher/sim/faults.hpp"

#include <algorithm>
#include <utility>

#include "fault_kinds.hpp"
#include "luck.hpp"
#include "thresher/core/prng.hpp"

namespace thresher::sim {
namespace {

// A liar keeps to one way of lying for this long.
constexpr Ticks kMood = 12 * kUnit;

bool active(const FaultAction& a, Ticks now) {
  return now >= a.from && (!a.to || now < *a.to);
}

bool happens(const FaultAction& a, std::uint64_t salt, std::uint64_t stream = 1) {
  return a.probability_ppm >= 1'000'000 || Prng(salt, stream).chance_ppm(a.probability_ppm);
}

}  // namespace

std::string_view to_string(FaultKind kind) {
  return traits_of(kind).name.name;
}

std::optional<FaultKind> fault_from_name(std::string_view name) {
  for (const FaultTraits& t : fault_kinds()) {
    if (t.name.name == name) return t.kind;
  }
  return std::nullopt;
}

bool byzantine(FaultKind kind) {
  return traits_of(kind).blame == Blame::kLiar;
}

bool faulty(FaultKind kind) {
  return traits_of(kind).blame != Blame::kNobody;
}

bool stops(FaultKind kind) {
  return traits_of(kind).goes_down;
}

bool waits_for_moment(const FaultAction& a) {
  return a.what == FaultKind::kRestart && !a.field.empty();
}

bool stops_somebody(const Experiment& e) {
  return std::any_of(e.faults.begin(), e.faults.end(),
                     [](const FaultAction& a) { return stops(a.what); });
}

FaultPlan::FaultPlan(const Experiment& e)
    : actions_(e.faults),
      of_(e.n),
      deaf_(e.n),
      n_(e.n),
      f_(e.f),
      seed_(e.seed),
      faulty_(e.n),
      byzantine_(e.n),
      twins_(e.n),
      senders_(e.n),
      hoarders_(e.n),
      forgers_(e.n),
      stuffers_(e.n),
      mimics_(e.n),
      returning_(e.n),
      fired_(e.faults.size()) {
  for (std::size_t i = 0; i < actions_.size(); ++i) {
    const FaultAction& a = actions_[i];
    NodeSet& who = who_.emplace_back(n_);
    NodeSet& group = group_.emplace_back(n_);
    for (const NodeId id : a.group) group.insert(id);
    if (waits_for_moment(a)) striking_.push_back(i);
    if (a.to) quiet_from_ = std::max(quiet_from_, *a.to);
    if (a.what == FaultKind::kStarve) {
      starves_ = true;
      starving_.push_back(i);
    }
    for (const NodeId id : a.who) {
      who.insert(id);
      if (a.what == FaultKind::kStarve) continue;
      if (sim::faulty(a.what)) faulty_.insert(id);
      if (byzantine(a.what)) byzantine_.insert(id);
      if (stops(a.what)) {
        if (a.to) returning_.insert(id);
        continue;
      }
      if (a.what == FaultKind::kDeaf) {
        deaf_[id.value].push_back(i);
        continue;
      }
      of_[id.value].push_back(i);
      senders_.insert(id);
      if (a.what == FaultKind::kTwins) twins_.insert(id);
      if (a.what == FaultKind::kForge) forgers_.insert(id);
      if (a.what == FaultKind::kStuff) stuffers_.insert(id);
      if (a.what == FaultKind::kMimic) mimics_.insert(id);
      if (a.what == FaultKind::kReplay || a.what == FaultKind::kStale) hoarders_.insert(id);
    }
  }
  // A node that stopped is back with the next whole round.
  if (e.engine == Engine::kRounds) quiet_from_ = (quiet_from_ + kUnit - 1) / kUnit * kUnit;
}

// The f+1 correct nodes that get what is withheld from the others, drawn anew for each round.
const NodeSet& FaultPlan::chosen_few(std::size_t index, const Sent& sent) {
  if (few_.action == index && few_.from == sent.from && few_.round == sent.round) return few_.nodes;
  std::vector<std::pair<std::uint64_t, NodeId>> order;
  for (std::uint32_t i = 0; i < n_; ++i) {
    const NodeId id{static_cast<std::uint16_t>(i)};
    if (faulty_.contains(id)) continue;
    const std::uint64_t key = mix64(mix64(seed_ ^ index) ^ mix64(sent.round * n_ + i));
    order.emplace_back(key, id);
  }
  const std::size_t few = std::min<std::size_t>(f_ + std::size_t{1}, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(few), order.end());
  few_ = {index, sent.from, sent.round, NodeSet(n_)};
  for (std::size_t k = 0; k < few; ++k) few_.nodes.insert(order[k].second);
  return few_.nodes;
}

bool FaultPlan::concerns(std::size_t index, const Sent& sent) {
  const FaultAction& a = actions_[index];
  if (!active(a, sent.now)) return false;
  const bool forges = a.what == FaultKind::kForge;  // what it says itself is not heard at all
  if (!forges && !a.numbers.empty() &&
      std::find(a.numbers.begin(), a.numbers.end(), sent.number) == a.numbers.end())
    return false;
  switch (a.what) {
    case FaultKind::kEquivocate:
    case FaultKind::kTwins:
      return a.group.empty() ? sent.to.value % 2 == 1 : group_[index].contains(sent.to);
    case FaultKind::kSelective:
      return about(a, sent.label) && !group_[index].contains(sent.to);
    case FaultKind::kWithhold:
      return !faulty_.contains(sent.to) && !chosen_few(index, sent).contains(sent.to);
    case FaultKind::kStarve:
      return about(a, sent.label) &&
             (a.who.empty() ? sent.anchor : who_[index].contains(sent.from)) &&
             (a.group.empty() || group_[index].contains(sent.to));
    case FaultKind::kMimic:
      // Of what it proposes itself nobody has said anything yet.
      return !sent.anchor && about(a, sent.label) &&
             (a.group.empty() || group_[index].contains(sent.to));
    case FaultKind::kNoShare:
      return sent.share;
    case FaultKind::kDeny:
      return sent.answer && about(a, sent.label) &&
             (a.group.empty() || group_[index].contains(sent.to));
    case FaultKind::kDeaf:
    case FaultKind::kStuff:
    case FaultKind::kRestart:
    case FaultKind::kCrash:
    case FaultKind::kAmnesia:
      return false;  // nothing that befalls a message on its way out
    case FaultKind::kSilent:
    case FaultKind::kDelay:
    case FaultKind::kDrop:
    case FaultKind::kReplay:
    case FaultKind::kStale:
    case FaultKind::kFlood:
    case FaultKind::kMutate:
    case FaultKind::kForge:
      return true;
  }
  return false;
}

bool FaultPlan::about(const FaultAction& a, std::string_view label) {
  return a.field.empty() || a.field == label;
}

std::optional<std::size_t> FaultPlan::unheard(const Sent& sent) const {
  for (const std::size_t index : deaf_[sent.to.value]) {
    const FaultAction& a = actions_[index];
    if (!active(a, sent.now) || !about(a, sent.label)) continue;
    if (!a.group.empty() && !group_[index].contains(sent.from)) continue;
    const std::uint64_t salt = salt_of(index, sent.from, sent.number);
    if (happens(a, salt, sent.to.value + std::uint64_t{1})) return index;
  }
  return std::nullopt;
}

std::optional<std::size_t> FaultPlan::strikes(NodeId id, std::string_view moment,
                                              std::string_view label, Ticks now) {
  for (auto it = striking_.begin(); it != striking_.end(); ++it) {
    const FaultAction& a = actions_[*it];
    if (moment != a.field && label != a.field) continue;
    if (!who_[*it].contains(id) || now < a.from || now >= *a.to) continue;
    if (!goes_down(seed_, *it, a, id)) continue;
    const std::size_t index = *it;
    striking_.erase(it);
    return index;
  }
  return std::nullopt;
}

std::uint64_t FaultPlan::salt_of(std::size_t index, NodeId from, std::uint64_t number) const {
  return mix64(mix64(seed_ + index) ^ mix64(number * n_ + from.value));
}

void FaultPlan::deeds(const Sent& sent, std::vector<Deed>& out) {
  const auto consider = [&](std::size_t index) {
    if (!concerns(index, sent)) return;
    const FaultAction& a = actions_[index];
    const std::uint64_t salt = salt_of(index, sent.from, sent.number);
    if (a.what != FaultKind::kForge && !happens(a, salt, sent.to.value + std::uint64_t{1})) return;
    out.push_back({&a, index, salt});
  };
  for (const std::size_t index : of_[sent.from.value]) consider(index);
  for (const std::size_t index : starving_) consider(index);
}

std::optional<FaultPlan::Deed> FaultPlan::stuffs(NodeId id, std::uint64_t number, Ticks now) const {
  for (const std::size_t index : of_[id.value]) {
    const FaultAction& a = actions_[index];
    if (a.what != FaultKind::kStuff || !active(a, now)) continue;
    const std::uint64_t salt = salt_of(index, id, number);
    if (!happens(a, salt)) continue;
    return Deed{&a, index, salt};
  }
  return std::nullopt;
}

std::optional<FaultPlan::Deed> FaultPlan::mimics(NodeId id, const Sent& heard) {
  for (const std::size_t index : of_[id.value]) {
    const FaultAction& a = actions_[index];
    if (a.what != FaultKind::kMimic || !active(a, heard.now)) continue;
    if (!about(a, heard.label)) continue;
    if (!a.group.empty() && !group_[index].contains(heard.from)) continue;
    const std::uint64_t salt = salt_of(index, heard.from, heard.number);
    if (!happens(a, salt)) continue;
    return Deed{&a, index, salt};
  }
  return std::nullopt;
}

void FaultPlan::chances(NodeId id, std::uint64_t number, Ticks now,
                        std::vector<Chance>& out) const {
  for (const std::size_t index : of_[id.value]) {
    const FaultAction& a = actions_[index];
    if (a.what != FaultKind::kForge || !active(a, now)) continue;
    if (!a.numbers.empty() &&
        std::find(a.numbers.begin(), a.numbers.end(), number) == a.numbers.end())
      continue;
    const std::uint64_t liar = mix64(seed_ ^ mix64(id.value + std::uint64_t{n_}));
    const std::uint64_t salt = mix64(liar ^ mix64(number));
    if (!happens(a, salt)) continue;
    out.push_back({&a, index, mix64(liar + now / kMood), salt});
  }
}

bool FaultPlan::audience(std::size_t action, NodeId to) const {
  return actions_[action].group.empty() || group_[action].contains(to);
}

std::uint64_t FaultPlan::fired() const {
  return static_cast<std::uint64_t>(std::count(fired_.begin(), fired_.end(), true));
}

std::vector<std::size_t> FaultPlan::idle() const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < fired_.size(); ++i) {
    if (!fired_[i]) out.push_back(i);
  }
  return out;
}

std::uint64_t FaultPlan::fired(FaultKind kind) const {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < actions_.size(); ++i)
    count += fired_[i] && actions_[i].what == kind ? 1 : 0;
  return count;
}

}  // namespace thresher::sim
