#include <algorithm>
#include <limits>
#include <set>

#include "drawn.hpp"
#include "registry.hpp"
#include "tactics.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/core/threshold.hpp"
#include "thresher/protocols/dag/two_delay.hpp"
#include "thresher/sim/faults.hpp"
#include "thresher/sim/fuzz.hpp"

namespace thresher::sim {
namespace {

constexpr std::uint64_t kScheduleStream = 0x66757a7a;
constexpr std::uint64_t kLossStream = 0x6c6f7373;   // so that partitions stand where they did
constexpr std::uint64_t kNearStream = 0x6e656172;   // and all else where it was
constexpr std::uint64_t kPowerStream = 0x706f7772;  // likewise
constexpr std::uint64_t kMostNumbers = 6;
constexpr std::uint64_t kHighestNumber = 60;
constexpr std::uint64_t kMostInStorm = 40;
constexpr std::uint64_t kSeldom = 256;  // what costs as much as dozens of other schedules
constexpr std::uint64_t kCostly = 32;   // near limits: filling memory costs as much as many runs
constexpr std::uint64_t kFewRequests = 20;
constexpr std::uint32_t kFew = 5;            // nodes: a view change costs the cube of them
constexpr std::uint64_t kLargeRounds = 16;   // of payloads that take memory
constexpr std::uint64_t kLongestDown = 20;   // units that a restart takes
constexpr std::uint64_t kLongestAway = 160;  // units that a siege takes, and so many times as many
constexpr std::uint64_t kMostFlaps = 8;      // units before an outage
constexpr std::uint64_t kForAges = 256;      // while nobody asks for much

std::vector<FaultKind> standard_kinds() {
  using enum FaultKind;
  return {kSilent,   kCrash,  kDelay,  kDrop,   kEquivocate, kEquivocate, kTwins, kTwins,
          kWithhold, kReplay, kMutate, kMutate, kSelective,  kSelective,  kStale, kDeaf};
}

// Draws one schedule into an experiment.
class Drawing : Drawn {
 public:
  Drawing(Experiment& e, std::uint64_t seed, const Menu& menu)
      : Drawn(e, seed, kScheduleStream),
        loss_(seed, kLossStream),
        near_(seed, kNearStream),
        power_(seed, kPowerStream),
        menu_(menu) {
    if (menu_.faults.empty()) menu_.faults = standard_kinds();
    lawless_ = menu_.lawless && menu_.network && e_.network.gst == 0 && one_in(2);
    near_limits();
    forgets_early();
    two_delays();
    keeps_much();
  }

  void network() {
    if (lawless_) return asynchrony();
    if (short_memory_) return slow_links();
    Network& net = e_.network;
    if (net.gst == 0 && one_in(2)) net.gst = (1 + rng_.below(span_)) * kUnit;
    if (net.scheduler == Network::Scheduler::kFair && one_in(2))
      net.scheduler = static_cast<Network::Scheduler>(rng_.below(Network::kSchedulers));
    if (plain_delays() && one_in(2)) {
      const Ticks most = std::max(net.delay.mean, net.delta);  // timers count on Delta
      net.delay = {DelayLaw::Kind::kUniform, (1 + most) / 2, 0, 1, most};
    }
    if (net.reorder_ppm == 0 && one_in(4)) net.reorder_ppm = 1 + rng_.below(300'000);
    if (net.duplicate_ppm == 0 && one_in(4)) net.duplicate_ppm = 1 + rng_.below(200'000);
    if (net.gst > 0 && net.cut_ppm == 0 && one_in(4)) net.cut_ppm = 1 + rng_.below(500'000);
    if (net.gst > 0 && net.loss_ppm == 0 && one_in(4)) net.loss_ppm = 1 + rng_.below(300'000);
    if (one_in(6)) siege();
    if (one_in(3)) slow_links();
    if (one_in(3)) return storm();
    for (std::uint64_t k = one_in(3) ? 1 + rng_.below(2) : 0; k > 0; --k) partition(span_ / 2);
    for (std::uint64_t k = one_in(2) ? 1 + rng_.below(4) : 0; k > 0; --k) starve(false);
    if (near_.below(5) == 0) outage();
  }

  void faults() {
    std::set<NodeId> bad;
    for (const FaultAction& a : e_.faults) {
      if (faulty(a.what)) bad.insert(a.who.begin(), a.who.end());
    }
    const std::size_t most = e_.beyond_f ? std::min(kStrong.eval(e_.n, e_.f), e_.n) : e_.f;
    const std::uint64_t more = most > bad.size() ? most - bad.size() : 0;
    for (std::uint64_t k = lawless_ || more == 0 ? more : 1 + rng_.below(more); k > 0; --k) {
      NodeId id = node();
      while (bad.contains(id)) id = node();
      bad.insert(id);
      if (short_memory_) {
        speaks_seldom(id, bad);
        continue;
      }
      if (menu_.forges && (lawless_ || one_in(4))) {
        forge(id);
        if (menu_.denies && one_in(2)) deny(id);
        const bool fills = menu_.stuffs && one_in(kSeldom);
        if (fills || (near_limits_ && near_.below(kCostly) == 0)) stuff(id);
        continue;
      }
      if (besieged_ && loss_.below(2) == 0) {
        stop(id);
        continue;
      }
      if (menu_.stuffs && !menu_.forges && one_in(kSeldom)) stuff(id);
      for (std::uint64_t actions = 1 + rng_.below(3); actions > 0; --actions) misbehave(id);
    }
    if (menu_.restarts && !short_memory_ && one_in(2)) restarts(bad);
    const bool may_stop = menu_.restarts && menu_.power_cuts && !short_memory_;
    if (may_stop && power_.below(8) == 0) power_cut(bad);
  }

  // What the experiment itself says of the largest request: none that is larger is taken.
  std::uint32_t said_limit() const {
    std::int64_t out = std::numeric_limits<std::uint32_t>::max();
    for (const char* name : {"payload_bytes", "value_bytes"})
      out = std::min(out, parameter(e_, name, out));
    // A packed block holds one request at least.
    if (e_.workload.block_bytes != 0)
      out = std::min(out, static_cast<std::int64_t>(e_.workload.block_bytes));
    return static_cast<std::uint32_t>(out);
  }
  // What clients ask for: liars go on, and now and then payloads are as large as answers may be.
  void workload() {
    Workload& w = e_.workload;
    if (near_limits_)
      w.bytes = std::min(std::max(w.bytes, menu_.near_payload >> near_.below(4)), said_limit());
    if (w.kind == Workload::Kind::kClosed && w.liars_interval == 0 && !w.one_at_a_time)
      w.liars_interval = (1 + rng_.below(4)) * std::max(kUnit, e_.network.delay.mean);
    if (menu_.largest == 0 || !one_in(kSeldom)) return;
    w.bytes = std::min(menu_.largest >> rng_.below(3), said_limit());
    if (e_.stop.rounds) e_.stop.rounds = std::min(*e_.stop.rounds, kLargeRounds);
    if (e_.stop.time) e_.stop.time = std::min(*e_.stop.time, 3 * kLargeRounds * kUnit);
    if (e_.stop.decisions) e_.stop.decisions = std::min(*e_.stop.decisions, kLargeRounds);
  }

 private:
  // An experiment that was read from a file has all parameters, most of them as nobody said.
  bool silent_on(const std::string& name) const {
    const auto set = e_.parameters.find(name);
    const auto standard = menu_.standard.find(name);
    return set == e_.parameters.end() ||
           (standard != menu_.standard.end() && standard->second == set->second);
  }
  // A limit that takes hundreds of blocks or megabytes to reach is tested as well when it is small.
  void near_limits() {
    if (menu_.limits.empty() || near_.below(4) != 0) return;
    near_limits_ = true;
    for (const auto& [name, small] : menu_.limits) {
      if (silent_on(name)) e_.parameters[name] = small;
    }
  }
  // A node left behind gets nothing any more, and no oracle can blame a node for that.
  void keeps_much() {
    const auto& [name, much] = menu_.kept;
    if (!name.empty() && silent_on(name)) e_.parameters[name] = much;
  }
  // Nobody who is away for long comes back then, so nobody is.
  void forgets_early() {
    const auto& [name, least] = menu_.memory;
    if (name.empty() || lawless_ || !silent_on(name) || near_.below(8) != 0) return;
    short_memory_ = static_cast<std::uint64_t>(least) + near_.below(8);
    e_.parameters[name] = static_cast<std::int64_t>(*short_memory_);
  }
  // The two-delay path, in a quarter of the schedules, for as few votes as the committee allows.
  void two_delays() {
    const auto committee = Committee::make(e_.n, e_.f);
    if (menu_.two_delays.empty() || e_.beyond_f || !committee || power_.below(4) != 0) return;
    const std::uint64_t p = power_.below(dag::most_absent(*committee) + 1);
    if (silent_on(menu_.two_delays)) e_.parameters[menu_.two_delays] = static_cast<std::int64_t>(p);
  }
  // All correct nodes stop at one instant, once or twice, and come back one after the other.
  void power_cut(const std::set<NodeId>& bad) {
    Ticks from = (1 + power_.below(span_)) * kUnit;
    for (std::uint64_t times = 1 + power_.below(2); times > 0; --times) {
      Ticks last = from;
      for (const NodeId id : all_but(bad)) {
        FaultAction a{.who = {id}, .what = FaultKind::kRestart, .from = from};
        a.to = from + (1 + power_.below(power_.below(2) == 0 ? 3 : kLongestDown)) * kUnit;
        last = std::max(last, *a.to);
        e_.faults.push_back(a);
      }
      from = last + power_.below(4) * kUnit;
    }
  }
  // A liar that hears all, says nothing for about as many rounds as are remembered, and then speaks
  // to some, again and again.
  void speaks_seldom(NodeId id, const std::set<NodeId>& bad) {
    FaultAction to_some{.who = {id}, .what = FaultKind::kSelective};
    to_some.group = some();
    if (e_.engine == Engine::kRounds) leave_one(to_some.group, bad);
    e_.faults.push_back(to_some);
    Ticks at = 0;
    for (std::uint64_t times = 1 + near_.below(3); times > 0; --times) {
      FaultAction silent{.who = {id}, .what = FaultKind::kSilent, .from = at};
      at += (*short_memory_ + near_.below(4 * *short_memory_)) * kUnit;
      silent.to = at;
      e_.faults.push_back(silent);
      at += (1 + near_.below(8)) * kUnit;
    }
    e_.faults.push_back({.who = {id}, .what = FaultKind::kSilent, .from = at});
  }
  // In rounds every timer ends with a unit. A node asks its peers five times as seldom there, and
  // may have asked one just before that one got what it lacks: dozens of rounds later, when it asks
  // again, a short memory has lost it. So one correct node alone is told something by liars: those
  // who hear of it hear of it from that node, which has it.
  void leave_one(std::vector<NodeId>& group, const std::set<NodeId>& bad) {
    const auto told =
        std::find_if(group.begin(), group.end(), [&](NodeId id) { return !bad.contains(id); });
    if (!told_ && told != group.end()) told_ = *told;
    std::erase_if(group, [&](NodeId id) { return !bad.contains(id) && id != told_; });
    if (group.empty() && told_) group.push_back(*told_);
  }
  void interval(Ticks& from, std::optional<Ticks>& to) {
    from = one_in(3) ? 0 : rng_.below(span_) * kUnit;
    if (one_in(2)) to = from + (1 + rng_.below(one_in(2) ? 6 : span_)) * kUnit;
  }

  // No message has to come before the end, and for a while at a time some nodes are hardly heard or
  // hear hardly anybody.
  void asynchrony() {
    Network& net = e_.network;
    net.gst = span_ * kUnit;
    const Ticks most = (1 + rng_.below(4)) * kUnit;
    net.delta = std::max(net.delta, most);
    if (plain_delays()) net.delay = {DelayLaw::Kind::kUniform, (1 + most) / 2, 0, 1, most};
    const std::uint64_t longest = 2 + rng_.below(30);
    for (std::uint64_t at = 0; at < span_;) {
      const std::uint64_t lasts = 1 + rng_.below(longest);
      const auto hide = [&](std::vector<NodeId> who, std::vector<NodeId> group) {
        FaultAction a{.who = std::move(who), .what = FaultKind::kStarve, .from = at * kUnit};
        a.to = (at + lasts) * kUnit;
        a.group = std::move(group);
        a.amount = (1 + rng_.below(40)) * kUnit;
        e_.faults.push_back(a);
      };
      const NodeId unheard = node();
      const NodeId deaf = node();
      if (one_in(2)) hide({unheard}, all_but(unheard, node()));
      if (one_in(2)) hide(all_but(deaf, node()), {deaf});
      // A draw a statement: compilers evaluate arguments in orders of their own.
      if (one_in(2)) {
        const NodeId waits = node();
        hide(some(), {waits});
      }
      if (one_in(4)) {
        const std::vector<NodeId> wait = some();
        hide({node()}, wait);
      }
      at += lasts;
    }
  }
  void forge(NodeId id) {
    FaultAction a{.who = {id}, .what = FaultKind::kForge};
    if (!one_in(3)) a.probability_ppm = 50'000 + rng_.below(500'000);
    if (one_in(2)) a.amount = 1 + rng_.below(3);
    if (!menu_.fields.empty() && one_in(3)) a.field = menu_.fields[rng_.below(menu_.fields.size())];
    e_.faults.push_back(a);
  }

  void stuff(NodeId id) {
    FaultAction a{.who = {id}, .what = FaultKind::kStuff};
    a.probability_ppm = 250'000;
    e_.faults.push_back(a);
  }
  // Is gone for good, from some time on.
  void stop(NodeId id) {
    FaultAction a{.who = {id}, .what = FaultKind::kCrash};
    a.from = besieged_until_ && loss_.below(2) == 0 ? *besieged_until_ : loss_.below(span_) * kUnit;
    e_.faults.push_back(a);
  }
  // Leaves questions unanswered, mostly those of everybody and for ever.
  void deny(NodeId id) {
    FaultAction a{.who = {id}, .what = FaultKind::kDeny};
    if (one_in(4)) a.group = some();
    if (one_in(4)) interval(a.from, a.to);
    e_.faults.push_back(a);
  }
  // Correct nodes that crash and come back, beside whoever is faulty: not more than could be.
  void restarts(const std::set<NodeId>& bad) {
    for (std::uint64_t k = 1 + rng_.below(2); k > 0; --k) {
      const NodeId id = node();
      const Ticks from = (1 + rng_.below(span_)) * kUnit;
      const Ticks to = from + (1 + rng_.below(one_in(2) ? 3 : kLongestDown)) * kUnit;
      if (bad.contains(id)) continue;
      FaultAction a{.who = {id}, .what = FaultKind::kRestart, .from = from};
      a.to = to;
      if (!bad.empty() && !menu_.moments.empty() && near_.below(2) == 0) {
        a.field = menu_.moments[near_.below(menu_.moments.size())];
        a.who = all_but(bad);
        a.to = from + (1 + near_.below(span_)) * kUnit;
      }
      e_.faults.push_back(a);
      const bool lies = std::count(menu_.faults.begin(), menu_.faults.end(), FaultKind::kTwins) > 0;
      if (lies && !bad.empty() && one_in(2)) tell_another(*bad.begin(), a);
    }
  }
  // A liar told a node one thing before it stopped, and tells it another when it is back: a node
  // that kept the first in memory alone goes along.
  void tell_another(NodeId liar, const FaultAction& restart) {
    FaultAction first{.who = {liar}, .what = FaultKind::kTwins, .from = 0, .to = restart.from};
    first.group = some();
    const NodeId back = restart.who.front();
    if (std::find(first.group.begin(), first.group.end(), back) == first.group.end())
      first.group.push_back(back);
    FaultAction second{.who = {liar}, .what = FaultKind::kReplay, .from = *restart.to};
    e_.faults.push_back(first);
    e_.faults.push_back(second);
  }

  // One node is cut off for a long time, while what it misses goes on without it.
  void siege() {
    Partition p;
    const NodeId victim = node();
    p.from = rng_.below(span_) * kUnit;
    p.to = p.from + (1 + rng_.below(kLongestAway)) * kUnit;
    if (menu_.long_sieges && e_.n <= kFew && one_in(8)) {
      p.to = p.from + (kLongestAway / 4 + rng_.below(kLongestAway)) * kForAges * kUnit;
      e_.workload.requests = kFewRequests;
      e_.stop = {.time = p.to, .rounds = {}, .decisions = {}};
      besieged_until_ = p.to;
      // Meanwhile leaders may do nothing for the others either.
      if (loss_.below(2) == 0) {
        e_.network.gst = std::max(e_.network.gst, p.to);
        e_.network.scheduler = Network::Scheduler::kStarve;
      }
    }
    p.groups = {{victim}, all_but(victim, victim)};
    const Ticks until = p.to;
    part(std::move(p));
    if (e_.network.partitions.back().loses) break_links(until);
  }
  // One node's links come and go for a few units, then all of them are gone for long.
  void outage() {
    const NodeId victim = node(near_.below(e_.n));
    const std::uint64_t from = 1 + near_.below(span_);
    const std::uint64_t flaps = std::min(from, 1 + near_.below(kMostFlaps));
    for (std::uint64_t at = from - flaps; at < from; ++at) {
      std::vector<NodeId> unheard;
      const bool all = near_.below(2) == 0;
      for (const NodeId id : all_but(victim, victim)) {
        if (all || near_.below(2) == 0) unheard.push_back(id);
      }
      if (near_.below(2) == 0 || unheard.empty()) continue;
      e_.network.partitions.push_back({{{victim}, unheard}, at * kUnit, (at + 1) * kUnit, true});
    }
    const Ticks to = (from + 1 + near_.below(kLongestAway)) * kUnit;
    e_.network.partitions.push_back({{{victim}, all_but(victim, victim)}, from * kUnit, to, true});
    besieged_ = true;
  }
  // Messages across come late, as long as links hold, or never.
  void part(Partition p) {
    p.loses = loss_.below(2) == 0;
    e_.network.partitions.push_back(std::move(p));
  }
  // Links that are about to break lose some messages before, and somebody may be gone already.
  void break_links(Ticks until) {
    Network& net = e_.network;
    besieged_ = true;
    if (net.loss_ppm > 0 || loss_.below(2) == 0) return;
    net.gst = std::max(net.gst, until);
    net.loss_ppm = 100'000 + loss_.below(400'000);
  }

  // One short disturbance after the other.
  void storm() {
    for (std::uint64_t k = 4 + rng_.below(std::min(span_, kMostInStorm)); k > 0; --k) {
      if (one_in(2)) {
        partition(4);
      } else {
        starve(true);
      }
    }
  }

  void partition(std::uint64_t longest) {
    Partition p;
    p.from = rng_.below(span_) * kUnit;
    p.to = p.from + (1 + rng_.below(longest)) * kUnit;
    std::vector<NodeId> left;
    std::vector<NodeId> right;
    // All of them, or a few while the rest reaches everybody.
    const std::uint64_t third = one_in(2) ? 0 : rng_.below(4);
    for (std::uint32_t i = 0; i < e_.n; ++i) {
      if (third > 0 && rng_.below(third + 2) >= 2) continue;
      (one_in(2) ? left : right).push_back(node(i));
    }
    if (left.empty() || right.empty()) return;
    p.groups = {left, right};
    part(std::move(p));
  }

  // Leaders, or a node that only one other hears, or one that hears only one, or a single link.
  void starve(bool briefly) {
    FaultAction a{.what = FaultKind::kStarve};
    if (briefly) {
      a.from = rng_.below(span_) * kUnit;
      a.to = a.from + (1 + rng_.below(4)) * kUnit;
    } else {
      interval(a.from, a.to);
    }
    const NodeId victim = node();
    const NodeId friend_of_it = node();
    switch (rng_.below(4)) {
      case 0:
        if (one_in(2)) a.group = some();
        break;
      case 1:
        a.who = {victim};
        a.group = all_but(victim, friend_of_it);
        break;
      case 2:
        a.who = all_but(victim, friend_of_it);
        a.group = {victim};
        break;
      default:
        a.who = {victim};
        a.group = {friend_of_it};
        break;
    }
    e_.faults.push_back(a);
  }

  void misbehave(NodeId id) {
    FaultAction a{.who = {id}, .what = menu_.faults[rng_.below(menu_.faults.size())]};
    interval(a.from, a.to);
    // A node that was away is needed when another one goes.
    if (besieged_until_ && loss_.below(2) == 0) {
      a.from = *besieged_until_;
      a.to.reset();
    }
    if (one_in(3)) a.probability_ppm = 1 + rng_.below(1'000'000);
    const bool stop = stops(a.what);
    if (one_in(4) && !stop) numbers(a);
    switch (a.what) {
      case FaultKind::kSelective:
        a.group = some();
        break;
      case FaultKind::kTwins:
      case FaultKind::kEquivocate:
      case FaultKind::kDeny:
        if (!one_in(4)) a.group = some();
        break;
      case FaultKind::kStuff:
        a.numbers.clear();
        break;
      case FaultKind::kDeaf:
        a.numbers.clear();
        a.group = one_in(2) ? std::vector{node()} : some();
        break;
      case FaultKind::kDelay:
        a.amount = (1 + rng_.below(8)) * kUnit;
        break;
      case FaultKind::kFlood:
        a.amount = 1 + rng_.below(3);
        break;
      case FaultKind::kRestart:
        if (!a.to) a.to = a.from + (1 + rng_.below(kLongestDown)) * kUnit;
        break;
      case FaultKind::kSilent:
      case FaultKind::kCrash:
      case FaultKind::kAmnesia:
      case FaultKind::kDrop:
      case FaultKind::kWithhold:
      case FaultKind::kReplay:
      case FaultKind::kStale:
      case FaultKind::kMutate:
      case FaultKind::kForge:
      case FaultKind::kStarve:
      case FaultKind::kNoShare:
      case FaultKind::kMimic:
        break;
    }
    const bool changes = a.what == FaultKind::kEquivocate || a.what == FaultKind::kMutate;
    if (changes && !menu_.fields.empty() && one_in(2))
      a.field = menu_.fields[rng_.below(menu_.fields.size())];
    e_.faults.push_back(a);
  }
  void numbers(FaultAction& a) {
    std::set<std::uint64_t> drawn;
    for (std::uint64_t k = 1 + rng_.below(kMostNumbers); k > 0; --k)
      drawn.insert(1 + rng_.below(kHighestNumber));
    a.numbers.assign(drawn.begin(), drawn.end());
  }

  Prng loss_;
  Prng near_;
  Prng power_;
  bool near_limits_ = false;
  std::optional<std::uint64_t> short_memory_{};  // rounds
  std::optional<NodeId> told_{};                 // by liars, where memory is short
  Menu menu_;
  bool lawless_ = false;
  std::optional<Ticks> besieged_until_{};  // for ages
  bool besieged_ = false;                  // by links that break
};

}  // namespace

Menu menu_of(const std::string& protocol) {
  Menu menu;
  const ProtocolInfo* info = simulated_protocol(protocol);
  if (info == nullptr) return menu;
  menu.fields = info->fields;
  menu.lawless = true;
  menu.forges = info->forges;
  menu.denies = info->answers;
  menu.stuffs = info->stuffs;
  menu.long_sieges = info->bears_sieges;
  menu.largest = info->largest_payload;
  menu.moments = info->moments;
  menu.limits = info->limits;
  menu.near_payload = info->near_payload;
  menu.memory = info->memory;
  menu.kept = info->kept;
  for (const ParameterInfo& p : info->parameters) menu.standard.emplace(p.name, p.standard);
  menu.two_delays = info->two_delays;
  menu.power_cuts = !info->forgets;
  if (info->byzantine() && info->answers) {
    menu.faults = standard_kinds();
    menu.faults.push_back(FaultKind::kDeny);
  }
  if (!info->byzantine()) menu.faults = {FaultKind::kCrash};
  return menu;
}

Experiment draw_schedule(const Experiment& base, std::uint64_t seed, const Menu& menu) {
  Experiment e = base;
  e.seed = seed;
  if (goes_by_tactics(seed, menu)) {
    draw_tactics(e, seed, menu);
  } else {
    Drawing drawing(e, seed, menu);
    if (menu.network) drawing.network();
    drawing.faults();
    drawing.workload();
  }
  if (e.n == 1) e.network.partitions.clear();  // there is nobody on the other side
  // Written to a file it must read back, and there these may not stand.
  if (const ProtocolInfo* info = simulated_protocol(e.protocol)) leave_out_unjudged(*info, e);
  return e;
}

}  // namespace thresher::sim
