#include "thresher/protocols/agreement/gather.hpp"

#include <algorithm>
#include <utility>

#include "thresher/protocols/agreement/node_bits.hpp"

namespace thresher {
namespace {

using gather::Members;
using gather::Stage;

constexpr TimerId kRepeatTimer{1, {}};
constexpr std::array kStages{Stage::kFirst, Stage::kSecond};

Bytes key_of(std::uint64_t instance, Stage stage) {
  return Bytes::from(Writer().u64(instance).u8(static_cast<std::uint8_t>(stage)).take());
}

}  // namespace

void gather::encode_members(const Members& m, std::uint32_t n, Writer& out) {
  out.u64(m.instance).u8(static_cast<std::uint8_t>(m.stage)).u8(m.asks ? 1 : 0);
  agreement::write_nodes(m.members, n, out);
}

std::optional<Members> gather::decode_members(Reader& in, std::uint32_t n) {
  const std::uint64_t instance = in.u64();
  const std::uint8_t stage = in.u8();
  const std::uint8_t asks = in.u8();
  auto members = agreement::read_nodes(in, n);
  if (!members || !in.done() || stage > 1 || asks > 1) return std::nullopt;
  return Members{instance, Stage{stage}, *std::move(members), asks == 1};
}

void Gather::on(const Restored& e, Fx&) {
  Reader key(e.key.view());
  Reader value(e.value.view());
  const std::uint64_t instance = key.u64();
  const std::uint8_t stage = key.u8();
  auto members = agreement::read_nodes(value, config_.committee.size());
  if (e.table != gather::kSaid || !key.done() || !members || stage > 1) return;
  state_of(instance).said[stage].insert_or_assign(config_.self, *std::move(members));
}

void Gather::on(const Start&, Fx& fx) {
  for (const auto& [instance, s] : states_) {
    if (waits(s)) repeat(instance, s, true, [&](const Members& m) { fx.broadcast(m); });
  }
  arm(fx);
}

// A set of too few is ignored: no correct node sends it. The first word of a node on a stage
// counts.
void Gather::on(const Received<Message>& e, Fx& fx) {
  const Members& m = e.message;
  const bool good = e.from != config_.self && config_.committee.contains(e.from) &&
                    reaches(m.instance) && m.members.below(config_.committee.size()) &&
                    enough(m.members.size());
  if (!good) {
    ++refused_;
    return;
  }
  State& s = state_of(m.instance);
  const auto [known, fresh] = s.at(m.stage).try_emplace(e.from, m.members);
  if (!fresh && known->second != m.members) ++refused_;
  if (m.asks && served_.take(e.from)) {
    serves_ = true;
    repeat(m.instance, s, false, [&](const Members& own) { fx.send(e.from, own); });
  }
  advance(m.instance, s, fx);
  arm(fx);
}

void Gather::on(const Requested<gather::Have>& e, Fx& fx) {
  if (!reaches(e.request.instance) || !config_.committee.contains(e.request.member)) return;
  State& s = state_of(e.request.instance);
  s.here.insert(e.request.member);
  advance(e.request.instance, s, fx);
  arm(fx);
}

// G4
void Gather::on(const Expired& e, Fx& fx) {
  if (e.id != kRepeatTimer) return;
  armed_ = false;
  if (std::exchange(serves_, false))
    served_ = PeerQuota<gather::kAnswers>(config_.committee.size());
  for (const auto& [instance, s] : states_) {
    if (waits(s)) repeat(instance, s, true, [&](const Members& m) { fx.broadcast(m); });
  }
  arm(fx);
}

/// Whether n-f nodes, this one included, said sets of which all members are here.
bool Gather::accepted(const State& s, Stage stage) const {
  const auto& said = s.at(stage);
  const auto here = std::count_if(said.begin(), said.end(), [&](const auto& of_node) {
    return of_node.second.subset_of(s.here);
  });
  return said.contains(config_.self) && enough(static_cast<std::size_t>(here));
}

void Gather::say(std::uint64_t instance, State& s, Stage stage, Fx& fx) {
  Writer w;
  agreement::write_nodes(s.here, config_.committee.size(), w);
  fx.push(Persist{gather::kSaid, key_of(instance, stage), Bytes::from(w.take())});
  fx.broadcast(Members{instance, stage, s.here, false});
  s.at(stage).emplace(config_.self, s.here);
}

template <class Tell>
void Gather::repeat(std::uint64_t instance, const State& s, bool asks, Tell tell) const {
  for (const Stage stage : kStages) {
    const auto own = s.at(stage).find(config_.self);
    if (own != s.at(stage).end()) tell(Members{instance, stage, own->second, asks});
  }
}

void Gather::advance(std::uint64_t instance, State& s, Fx& fx) {
  if (s.settled) return;
  // G1
  if (!s.at(Stage::kFirst).contains(config_.self) && enough(s.here.size()))
    say(instance, s, Stage::kFirst, fx);
  // G2
  if (!s.at(Stage::kSecond).contains(config_.self) && accepted(s, Stage::kFirst))
    say(instance, s, Stage::kSecond, fx);
  // G3
  if (!accepted(s, Stage::kSecond)) return;
  s.settled = true;
  fx.deliver(gather::Gathered{instance, s.here});
}

void Gather::settle(std::uint64_t instance) {
  if (reaches(instance)) state_of(instance).settled = true;
}

void Gather::forget_below(std::uint64_t instance, Fx& fx) {
  floor_ = std::max(floor_, instance);
  for (auto it = states_.begin(); it != states_.end() && it->first < floor_;
       it = states_.erase(it)) {
    for (const Stage stage : kStages) {
      if (it->second.at(stage).contains(config_.self))
        fx.push(Persist{gather::kSaid, key_of(it->first, stage), {}, {}, true});
    }
  }
}

std::size_t Gather::held() const {
  std::size_t out = 0;
  for (const auto& [instance, s] : states_)
    out += s.at(Stage::kFirst).size() + s.at(Stage::kSecond).size();
  return out;
}

void Gather::arm(Fx& fx) {
  const bool open =
      std::any_of(states_.begin(), states_.end(), [&](const auto& s) { return waits(s.second); });
  if ((open || serves_) && !std::exchange(armed_, true))
    fx.push(ArmTimer{kRepeatTimer, gather::kRepeat});
}

}  // namespace thresher
