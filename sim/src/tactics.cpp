#include "tactics.hpp"

#include "drawn.hpp"
#include "thresher/sim/faults.hpp"

namespace thresher::sim {
namespace {

constexpr std::uint64_t kTacticsStream = 0x74616374;
constexpr std::uint64_t kWhichStream = 0x77686963;
constexpr std::uint64_t kLongestHold = 40;  // units
constexpr std::uint64_t kMostPhases = 24;
constexpr std::uint64_t kLongestDown = 12;  // units that a restart takes

class Tactics : Drawn {
 public:
  Tactics(Experiment& e, std::uint64_t seed, const Menu& menu)
      : Drawn(e, seed, kTacticsStream), menu_(menu) {}

  void draw() {
    choose_liars();
    choose_features();
    if (menu_.network) pace();
    const std::uint64_t length = std::uint64_t{1} << rng_.below(5);
    std::uint64_t phases = 0;
    for (std::uint64_t at = 0; at < span_ && phases < kMostPhases; ++phases) {
      const std::uint64_t lasts = 1 + rng_.below(2 * length);
      from_ = at * kUnit;
      to_ = (at + lasts) * kUnit;
      phase();
      at += lasts;
    }
    if (features_.restarts) restarts();
    Workload& w = e_.workload;
    if (w.kind == Workload::Kind::kClosed && w.liars_interval == 0 && !w.one_at_a_time)
      w.liars_interval = (1 + rng_.below(4)) * std::max(kUnit, e_.network.delay.mean);
  }

 private:
  // What a run may do at all: each with even odds, so that one does not drown another.
  struct Features {
    bool splits = false;
    bool loses = false;
    bool lonely = false;
    bool holds = false;
    bool twins = false;
    bool mimics = false;
    bool picks = false;
    bool silent = false;
    bool replays = false;
    bool changes = false;
    bool restarts = false;
  };

  bool offers(FaultKind kind) const {
    const auto& kinds = menu_.faults;
    return kinds.empty() || std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  }
  void choose_liars() {
    for (const FaultAction& a : e_.faults) {
      if (faulty(a.what)) bad_.insert(a.who.begin(), a.who.end());
    }
    const bool all = !one_in(4);
    for (std::size_t k = bad_.size(); k < e_.f; ++k) {
      if (!all && !liars_.empty()) break;
      NodeId id = node();
      while (bad_.contains(id)) id = node();
      bad_.insert(id);
      liars_.push_back(id);
    }
  }
  void choose_features() {
    const auto have = [this](bool possible) { return one_in(2) && possible; };
    features_.splits = have(menu_.network);
    features_.loses = have(menu_.network);
    features_.lonely = have(menu_.network);
    features_.holds = have(menu_.network);
    features_.twins = have(offers(FaultKind::kTwins));
    features_.mimics = have(offers(FaultKind::kMimic));
    features_.picks = have(offers(FaultKind::kSelective));
    features_.silent = have(offers(FaultKind::kSilent));
    features_.replays = have(offers(FaultKind::kReplay));
    features_.changes = have(offers(FaultKind::kMutate));
    features_.restarts = have(menu_.restarts);
  }
  // Nothing has to come in time before a late GST, or all comes within Delta, sooner or later.
  void pace() {
    Network& net = e_.network;
    if (net.gst == 0 && !one_in(4)) net.gst = (span_ / 2 + rng_.below(span_)) * kUnit;
    if (plain_delays() && one_in(3)) {
      const Ticks most = std::max(net.delay.mean, net.delta);
      net.delay = {DelayLaw::Kind::kUniform, (1 + most) / 2, 0, 1, most};
    }
    if (one_in(4)) slow_links();
    if (net.reorder_ppm == 0 && one_in(6)) net.reorder_ppm = 1 + rng_.below(300'000);
    if (net.duplicate_ppm == 0 && one_in(6)) net.duplicate_ppm = 1 + rng_.below(200'000);
    if (net.gst > 0 && net.loss_ppm == 0 && one_in(8)) net.loss_ppm = 1 + rng_.below(300'000);
  }

  void phase() {
    if (features_.splits && !one_in(3)) split();
    if (features_.lonely && one_in(2)) leave_alone();
    if (features_.holds && !one_in(3)) {
      for (std::uint64_t k = 1 + rng_.below(3); k > 0; --k) hold();
    }
    for (const NodeId liar : liars_) lie(liar);
  }

  void part(std::vector<NodeId> left, std::vector<NodeId> right) {
    if (left.empty() || right.empty()) return;
    const bool loses = features_.loses && one_in(2);
    e_.network.partitions.push_back({{std::move(left), std::move(right)}, from_, to_, loses});
  }
  // In two; liars mostly reach both.
  void split() {
    std::vector<NodeId> left;
    std::vector<NodeId> right;
    for (std::uint32_t i = 0; i < e_.n; ++i) {
      if (bad_.contains(node(i)) && !one_in(3)) continue;
      (one_in(2) ? left : right).push_back(node(i));
    }
    part(std::move(left), std::move(right));
  }
  void leave_alone() {
    const NodeId alone = node();
    std::set<NodeId> others{alone};
    if (one_in(2)) others.insert(bad_.begin(), bad_.end());
    part({alone}, all_but(others));
  }
  // Messages of a label, from some to some, come last.
  void hold() {
    FaultAction a{.what = FaultKind::kStarve, .from = from_, .to = to_};
    a.field = label();
    // Nobody named: leaders' proposals.
    if (!one_in(4)) a.who = one_in(2) ? std::vector{node()} : some();
    if (!one_in(4)) a.group = one_in(2) ? std::vector{node()} : some();
    a.amount = (1 + rng_.below(kLongestHold)) * kUnit;
    e_.faults.push_back(a);
  }
  std::string label() {
    if (menu_.labels.empty() || one_in(3)) return {};
    return menu_.labels[rng_.below(menu_.labels.size())];
  }

  // One thing at a time, so that what a liar says in a phase hangs together.
  void lie(NodeId liar) {
    if (features_.twins && one_in(2)) {
      add(liar, FaultKind::kTwins, some());
      if (one_in(2)) return;
    }
    std::vector<FaultKind> moods;
    if (features_.mimics) moods.push_back(FaultKind::kMimic);
    if (features_.picks) moods.push_back(FaultKind::kSelective);
    if (features_.silent) moods.push_back(FaultKind::kSilent);
    if (features_.replays) moods.push_back(FaultKind::kReplay);
    if (features_.changes) moods.push_back(FaultKind::kMutate);
    const std::uint64_t mood = rng_.below(moods.size() + 1);
    if (mood == moods.size()) return;  // as if it were correct
    FaultAction& a = add(liar, moods[mood], {});
    if (a.what == FaultKind::kMimic || a.what == FaultKind::kSelective) {
      a.group = some();
      a.field = label();
    }
    if (a.what == FaultKind::kMutate) {
      if (one_in(2)) a.probability_ppm = 1 + rng_.below(1'000'000);
      if (!menu_.fields.empty() && one_in(2))
        a.field = menu_.fields[rng_.below(menu_.fields.size())];
    }
  }
  FaultAction& add(NodeId who, FaultKind what, std::vector<NodeId> group) {
    FaultAction a{.who = {who}, .what = what, .from = from_, .to = to_};
    a.group = std::move(group);
    e_.faults.push_back(std::move(a));
    return e_.faults.back();
  }

  // Correct nodes stop, most of them right after a message: what it says is out, and the rest not.
  void restarts() {
    const std::vector<NodeId> correct = all_but(bad_);
    if (correct.empty()) return;
    for (std::uint64_t k = 1 + rng_.below(3); k > 0; --k) {
      FaultAction a{.who = {correct[rng_.below(correct.size())]}, .what = FaultKind::kRestart};
      a.from = (1 + rng_.below(span_)) * kUnit;
      a.to = a.from + (1 + rng_.below(kLongestDown)) * kUnit;
      if (!one_in(3)) a.field = label();
      e_.faults.push_back(a);
    }
  }

  const Menu& menu_;
  std::set<NodeId> bad_;
  std::vector<NodeId> liars_;
  Features features_;
  Ticks from_ = 0;  // of the phase that is drawn
  Ticks to_ = 0;
};

}  // namespace

bool goes_by_tactics(std::uint64_t seed, const Menu& menu) {
  return menu.tactics && Prng(seed, kWhichStream).below(2) == 0;
}

void draw_tactics(Experiment& e, std::uint64_t seed, const Menu& menu) {
  Tactics(e, seed, menu).draw();
}

}  // namespace thresher::sim
