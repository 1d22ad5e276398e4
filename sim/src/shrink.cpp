#include "thresher/sim/shrink.hpp"

#include <algorithm>
#include <exception>
#include <set>

#include "dag_subject.hpp"
#include "fault_kinds.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/sim/faults.hpp"
#include "thresher/sim/read.hpp"
#include "thresher/sim/wan.hpp"

namespace thresher::sim {
namespace {

// Chance depends on an action's place, so one dropped changes the luck of the others: a few other
// seeds get a try.
constexpr std::uint64_t kOtherSeeds = 4;
constexpr std::uint64_t kMoreSeeds = 24;  // while there are many actions
constexpr std::size_t kManyActions = 8;

// Whether messages are lost by chance, on some link at least.
bool loses(const Network& net) {
  const std::vector<LinkRule> links = links_with_wan(net);
  return net.loss_ppm > 0 || std::any_of(links.begin(), links.end(),
                                         [](const LinkRule& rule) { return rule.loss_ppm > 0; });
}

class Shrinker {
 public:
  Shrinker(const Experiment& failing, const Runner& run, const ShrinkOptions& options)
      : run_(run), options_(options), best_(failing), outcome_(run(failing)) {}

  Shrunk go() {
    if (outcome_.verdict == Verdict::kPass) return {best_, outcome_, runs_};
    cut_time();
    for (bool smaller = true; smaller && !spent();) {
      smaller = false;
      smaller |= drop_parts();
      smaller |= plain_network();
      smaller |= fewer_nodes();
      smaller |= plain_actions();
      smaller |= round_numbers();
      smaller |= fewer_members();
      smaller |= less_work();
      smaller |= all_earlier();
      smaller |= earlier_actions();
      smaller |= shorter_intervals();
      smaller |= cut_time();
    }
    return {best_, outcome_, runs_};
  }

 private:
  bool spent() const { return runs_ >= options_.most_runs; }

  bool attempt(const Experiment& candidate) {
    if (spent()) return false;
    ++runs_;
    try {
      Outcome o = run_(candidate);
      if (o.verdict != outcome_.verdict || o.oracle != outcome_.oracle) return false;
      outcome_ = std::move(o);
    } catch (...) {
      return false;  // it fails in another way, and what was found must not be lost for it
    }
    best_ = candidate;
    if (options_.progress) options_.progress({runs_, actions_in(best_), best_.n});
    return true;
  }
  bool attempt_with_luck(Experiment candidate) {
    if (attempt(candidate)) return true;
    const std::uint64_t seed = candidate.seed;
    const std::uint64_t tries = actions_in(candidate) > kManyActions ? kMoreSeeds : kOtherSeeds;
    for (std::uint64_t k = 1; k <= tries; ++k) {
      candidate.seed = mix64(seed + k) >> 40;
      if (attempt(candidate)) return true;
    }
    return false;
  }
  template <class Change>
  bool with(Change change) {
    Experiment candidate = best_;
    change(candidate);
    return attempt(candidate);
  }

  // Delta debugging over the list that `of` names: halves, quarters, ..., single ones are left out
  // while it still fails. `least` have to stay.
  template <class Of>
  bool ddmin(Of of, std::size_t least, bool luck) {
    bool smaller = false;
    for (std::size_t chunk = std::max<std::size_t>(of(best_).size() / 2, 1); chunk > 0;
         chunk /= 2) {
      for (std::size_t at = 0; at < of(best_).size();) {
        Experiment candidate = best_;
        auto& list = of(candidate);
        const std::size_t end = std::min(at + chunk, list.size());
        const bool enough = list.size() - (end - at) >= least;
        if (enough) {
          using Offset = std::ptrdiff_t;
          list.erase(list.begin() + static_cast<Offset>(at),
                     list.begin() + static_cast<Offset>(end));
        }
        const bool dropped = enough && (luck ? attempt_with_luck(candidate) : attempt(candidate));
        if (!dropped) at += chunk;
        smaller |= dropped;
      }
    }
    return smaller;
  }

  bool drop_parts() {
    bool smaller = ddmin(
        [](Experiment & e) -> auto& { return e.faults; }, 0, true);
    smaller |= ddmin(
        [](Experiment & e) -> auto& { return e.network.partitions; }, 0, true);
    smaller |= ddmin(
        [](Experiment & e) -> auto& { return e.network.links; }, 0, false);
    return smaller;
  }

  bool plain_network() {
    const Network& net = best_.network;
    bool smaller = false;
    for (const auto part :
         {&Network::reorder_ppm, &Network::duplicate_ppm, &Network::loss_ppm, &Network::cut_ppm}) {
      if (net.*part != 0) smaller |= with([&](Experiment& e) { e.network.*part = 0; });
    }
    for (const auto part : {&WanTable::jitter_ppm, &WanTable::loss_ppm}) {
      if (net.matrix.*part != 0)
        smaller |= with([&](Experiment& e) { e.network.matrix.*part = 0; });
    }
    if (best_.workload.block_bytes != 0) {
      smaller |= with([](Experiment& e) {
        e.workload.block_bytes = 0;
        e.workload.burst = 1;
      });
    }
    if (net.scheduler != Network::Scheduler::kFair)
      smaller |= with([](Experiment& e) { e.network.scheduler = Network::Scheduler::kFair; });
    if (net.delay.kind != DelayLaw::Kind::kConstant)
      smaller |= with([](Experiment& e) { e.network.delay = DelayLaw{}; });
    // Without a GST what is starved comes within Delta; but losses that end with it would go on for
    // ever, and nothing has to come about then.
    if (net.gst != 0 && !loses(net)) {
      smaller |= with([](Experiment& e) {
        e.network.gst = 0;
        e.network.cut_ppm = 0;  // of links that are cut until then
      });
    }
    while (best_.network.gst >= 2 * kUnit &&
           with([](Experiment& e) { e.network.gst = e.network.gst / kUnit / 2 * kUnit; }))
      smaller = true;
    return smaller;
  }

  bool fewer_nodes() {
    if (best_.network.topology != Topology::kComplete || table_of(best_.network) != nullptr)
      return false;
    bool smaller = false;
    for (std::uint32_t i = best_.n; i-- > 0 && best_.n > options_.least_nodes;) {
      const auto candidate = without(NodeId{static_cast<std::uint16_t>(i)});
      smaller |= candidate && attempt_with_luck(*candidate);
    }
    return smaller;
  }
  // Nodes behind it move up by one.
  std::optional<Experiment> without(NodeId gone) const {
    Experiment e = best_;
    --e.n;
    e.f = std::min(e.f, (e.n - 1) / options_.nodes_per_fault);
    while (e.f > 0 && !check_fast(e)) --e.f;
    if (!check_fast(e)) return std::nullopt;
    if (e.f == 0 && best_.f > 0) return std::nullopt;  // another kind of protocol: one is enough
    const auto cut = [gone](std::vector<NodeId>& ids) {
      std::erase(ids, gone);
      for (NodeId& id : ids) id.value = static_cast<std::uint16_t>(id.value - (id > gone ? 1 : 0));
    };
    for (LinkRule& rule : e.network.links) {
      if (rule.from == std::vector{gone} || rule.to == std::vector{gone}) return std::nullopt;
      cut(rule.from);
      cut(rule.to);
    }
    for (Partition& p : e.network.partitions) {
      for (auto& group : p.groups) cut(group);
      std::erase_if(p.groups, [](const auto& group) { return group.empty(); });
    }
    std::erase_if(e.network.partitions, [](const Partition& p) { return p.groups.size() < 2; });
    std::erase_if(e.faults, [&](FaultAction& a) {
      const bool named = !a.who.empty();
      const bool heard = !a.group.empty();
      cut(a.who);
      cut(a.group);
      return (named && a.who.empty()) || (heard && a.group.empty());
    });
    std::set<NodeId> faulty;
    for (const FaultAction& a : e.faults) {
      if (sim::faulty(a.what)) faulty.insert(a.who.begin(), a.who.end());
    }
    if (faulty.size() > e.f && !e.beyond_f) return std::nullopt;
    return e;
  }

  bool plain_actions() {
    bool smaller = false;
    for (std::size_t i = 0; i < best_.faults.size(); ++i) {
      const FaultAction& a = best_.faults[i];
      if (a.probability_ppm < 1'000'000)
        smaller |= with([i](Experiment& e) { e.faults[i].probability_ppm = 1'000'000; });
      if (a.what == FaultKind::kStarve && a.amount != 0)
        smaller |= with([i](Experiment& e) { e.faults[i].amount = 0; });
      const FieldMeans means = traits_of(a.what).takes.field;
      if (!a.field.empty() && (means == FieldMeans::kLabel || means == FieldMeans::kMoment))
        smaller |= with([i](Experiment& e) { e.faults[i].field.clear(); });
      if (!a.numbers.empty()) smaller |= with([i](Experiment& e) { e.faults[i].numbers.clear(); });
      if (a.what != FaultKind::kSilent && sim::faulty(a.what))
        smaller |= with([i](Experiment& e) {
          FaultAction& b = e.faults[i];
          b = {.who = b.who, .what = FaultKind::kSilent, .from = b.from, .to = b.to};
        });
    }
    return smaller;
  }

  // The remaining probabilities and times become short numbers: halves and tenths, whole units of
  // time.
  bool round_numbers() {
    bool smaller = false;
    for (std::size_t i = 0; i < best_.faults.size(); ++i) {
      smaller |= rounder([i](Experiment & e) -> auto& { return e.faults[i].probability_ppm; });
      smaller |= whole(
          [i](Experiment & e) -> auto& { return e.faults[i].amount; },
          best_.faults[i].what == FaultKind::kDelay || best_.faults[i].what == FaultKind::kStarve);
    }
    for (const auto part :
         {&Network::reorder_ppm, &Network::duplicate_ppm, &Network::loss_ppm, &Network::cut_ppm})
      smaller |= rounder([part](Experiment & e) -> auto& { return e.network.*part; });
    for (std::size_t i = 0; i < best_.network.links.size(); ++i) {
      smaller |= whole_law([i](Experiment & e) -> auto& { return e.network.links[i].delay; });
    }
    smaller |= whole_law([](Experiment & e) -> auto& { return e.network.delay; });
    return smaller;
  }
  template <class Of>
  bool rounder(Of of) {
    const std::uint64_t was = of(best_);
    constexpr std::uint64_t kTenth = 100'000;
    constexpr std::uint64_t kHundredth = 10'000;
    for (const std::uint64_t step : {5 * kTenth, kTenth, kHundredth}) {
      if (was % step == 0) return false;
      const std::uint64_t near = std::max((was + step / 2) / step, std::uint64_t{1}) * step;
      if (near <= 10 * kTenth && with([&](Experiment& e) { of(e) = near; })) return true;
    }
    return false;
  }
  template <class Of>
  bool whole(Of of, bool is_time) {
    const Ticks was = of(best_);
    if (!is_time || was % kUnit == 0) return false;
    return with(
        [&](Experiment& e) { of(e) = std::max((was + kUnit / 2) / kUnit, Ticks{1}) * kUnit; });
  }
  template <class Of>
  bool whole_law(Of of) {
    const DelayLaw was = of(best_);
    if (was.kind != DelayLaw::Kind::kConstant || was.mean % kUnit == 0) return false;
    const Ticks near = std::max((was.mean + kUnit / 2) / kUnit, Ticks{1}) * kUnit;
    return with([&](Experiment& e) { of(e) = {was.kind, near, 0, near, near}; });
  }

  bool fewer_members() {
    bool smaller = false;
    for (std::size_t i = 0; i < best_.faults.size(); ++i) {
      const auto action = [i](Experiment& e) -> FaultAction& { return e.faults[i]; };
      smaller |= ddmin(
          [&](Experiment & e) -> auto& { return action(e).numbers; }, 1, false);
      smaller |= ddmin(
          [&](Experiment & e) -> auto& { return action(e).group; }, 1, false);
      smaller |= ddmin(
          [&](Experiment & e) -> auto& { return action(e).who; }, 1, false);
    }
    for (std::size_t i = 0; i < best_.network.partitions.size(); ++i) {
      for (std::size_t g = 0; g < best_.network.partitions[i].groups.size(); ++g) {
        smaller |= ddmin(
            [&](Experiment & e) -> auto& { return e.network.partitions[i].groups[g]; }, 1, false);
      }
    }
    return smaller;
  }

  bool less_work() {
    const Workload& w = best_.workload;
    bool smaller = false;
    if (w.kind != Workload::Kind::kNone && outcome_.verdict == Verdict::kViolated)
      smaller |= with([](Experiment& e) {
        e.workload.kind = Workload::Kind::kNone;
        e.workload.one_at_a_time = false;  // of closed ones alone
        e.workload.burst = 1;              // of open ones
      });
    if (w.kind == Workload::Kind::kClosed && w.clients > 1)
      smaller |= with([](Experiment& e) { e.workload.clients = 1; });
    if (w.liars_interval > 0) smaller |= with([](Experiment& e) { e.workload.liars_interval = 0; });
    constexpr std::uint64_t kMost = 8;
    for (std::uint64_t few = 1; few <= kMost && w.kind != Workload::Kind::kNone; few *= 2) {
      if (w.requests != 0 && w.requests <= few) break;
      if (!with([few](Experiment& e) { e.workload.requests = few; })) continue;
      smaller = true;
      break;
    }
    return smaller;
  }

  // All that begins after the start begins sooner, by as much: what hangs together stays together,
  // and what happened before it is no longer told. Protocols repeat themselves after a few units,
  // so some of these shifts find leaders and timers where they were.
  bool all_earlier() {
    constexpr Ticks kTries = 24;
    Ticks first = ~Ticks{0};
    const auto look = [&](Ticks from) { first = from > 0 ? std::min(first, from) : first; };
    for (const FaultAction& a : best_.faults) look(a.from);
    for (const Partition& p : best_.network.partitions) look(p.from);
    if (first == ~Ticks{0}) return false;
    for (Ticks left = 0; left < kTries * kUnit && left < first; left += kUnit) {
      const Ticks by = (first - left) / kUnit * kUnit;  // whole rounds stay in their windows
      if (by == 0) break;
      Experiment candidate = best_;
      shift(candidate, by);
      if (attempt(candidate)) return true;
    }
    return false;
  }
  static void shift(Experiment& e, Ticks by) {
    for (FaultAction& a : e.faults) {
      if (a.from == 0) continue;
      a.from -= by;
      if (a.to) *a.to -= by;
    }
    for (Partition& p : e.network.partitions) {
      if (p.from == 0) continue;
      p.from -= by;
      p.to -= by;
    }
    if (e.network.gst > by + kUnit) e.network.gst -= by;
  }

  // At the start, or half as late, so that less happens before it.
  bool earlier_actions() {
    bool smaller = false;
    for (std::size_t i = 0; i < best_.faults.size(); ++i) {
      const Ticks from = best_.faults[i].from;
      for (const Ticks at : {Ticks{0}, from / kUnit / 2 * kUnit}) {
        const auto move = [&](Experiment& e) {
          FaultAction& a = e.faults[i];
          if (a.to) *a.to -= from - at;
          a.from = at;
        };
        if (at >= from || !with(move)) continue;
        smaller = true;
        break;
      }
    }
    return smaller;
  }

  // Ends come nearer, by halves of what is left.
  bool shorter_intervals() {
    bool smaller = false;
    for (std::size_t i = 0; i < best_.faults.size(); ++i) {
      smaller |= shorter([i](Experiment& e) {
        return Ends{&e.faults[i].from, nullptr, &e.faults[i].to};
      });
    }
    for (std::size_t i = 0; i < best_.network.partitions.size(); ++i) {
      smaller |= shorter([i](Experiment& e) {
        return Ends{&e.network.partitions[i].from, &e.network.partitions[i].to, nullptr};
      });
    }
    return smaller;
  }
  struct Ends {
    Ticks* from;
    Ticks* to;
    std::optional<Ticks>* open;  // in place of `to`
    Ticks end(Ticks run) const { return to != nullptr ? *to : open->value_or(run); }
    void set_end(Ticks at) const {
      if (to != nullptr) {
        *to = at;
      } else {
        *open = at;
      }
    }
  };
  template <class Of>
  bool shorter(Of of) {
    bool smaller = false;
    for (const bool late : {true, false}) {
      for (bool more = true; more && !spent();) {
        Experiment candidate = best_;
        const Ends ends = of(candidate);
        const Ticks run = (outcome_.time / kUnit + 1) * kUnit;
        const Ticks end = ends.end(run);
        const Ticks half = end > *ends.from ? (end - *ends.from) / kUnit / 2 * kUnit : 0;
        if (half == 0) break;
        if (late) {
          ends.set_end(*ends.from + half);
        } else {
          if (ends.end(0) == 0) ends.set_end(end);
          *ends.from = end - half;
        }
        more = attempt(candidate);
        smaller |= more;
      }
    }
    return smaller;
  }

  // A violation needs no more time than it took, or less where only the end showed it; a wait that
  // is too long needs no more goals.
  bool cut_time() {
    if (outcome_.verdict == Verdict::kViolated) {
      const Ticks end = (outcome_.time / kUnit + 1) * kUnit;
      bool smaller = false;
      if (!best_.stop.time || *best_.stop.time > end)
        smaller =
            with([end](Experiment& e) { e.stop = {.time = end, .rounds = {}, .decisions = {}}; });
      const auto shorter = [&] {
        const Ticks most = best_.stop.time.value_or(0) / kUnit * 7 / 8 * kUnit;
        return most > 0 && with([most](Experiment& e) { e.stop.time = most; });
      };
      while (!spent() && shorter()) smaller = true;
      return smaller;
    }
    bool smaller = false;
    const auto halve = [](auto& goal) {
      const bool can = goal && *goal > 1;
      if (can) goal = *goal / 2;
      return can;
    };
    for (bool more = true; more && !spent();) {
      Experiment candidate = best_;
      const bool can = halve(candidate.stop.rounds) || halve(candidate.stop.decisions);
      more = can && attempt(candidate);
      smaller |= more;
    }
    return smaller;
  }

  const Runner& run_;
  const ShrinkOptions& options_;
  Experiment best_;
  Outcome outcome_;
  std::size_t runs_ = 0;
};

}  // namespace

std::size_t actions_in(const Experiment& e) {
  return e.faults.size() + e.network.partitions.size();
}

Shrunk shrink(const Experiment& failing, const Runner& run, const ShrinkOptions& options) {
  return Shrinker(failing, run, options).go();
}

std::string write_scenario(const Experiment& e, const Outcome& o, const std::string& replay) {
  const char* what = o.verdict == Verdict::kViolated ? " is violated: " : " is missing: ";
  const std::string told = o.verdict == Verdict::kPass ? "nothing fails" : o.oracle + what + o.why;
  return "// " + told + "\n// replay: " + replay + "\n" + write_experiment(e) + "\n";
}

}  // namespace thresher::sim
