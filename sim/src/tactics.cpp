#include "tactics.hpp"

#include "drawn.hpp"
#include "thresher/sim/faults.hpp"

namespace thresher::sim {
namespace {

constexpr std::uint64_t kTacticsStream = 0x74616374;
constexpr std::uint64_t kWhichStream = 0x77686963;
constexpr std::uint64_t kLongestHold = 40;  // units
constexpr std::uint64_t kMostPhases = 48;
constexpr std::uint64_t kLongestDown = 12;  // units that a restart takes

class Tactics : Drawn {
 public:
  Tactics(Experiment& e, std::uint64_t seed, const Menu& menu)
      : Drawn(e, seed, kTacticsStream), menu_(menu) {}

  void draw() {
    choose_liars();
    choose_features();
    if (menu_.network) pace();
    if (menu_.network && one_in(2)) {
      plots();
    } else {
      phases();
    }
    if (features_.restarts) restarts();
    Workload& w = e_.workload;
    if (w.kind == Workload::Kind::kClosed && w.liars_interval == 0 && !w.one_at_a_time)
      w.liars_interval = (1 + rng_.below(4)) * std::max(kUnit, e_.network.delay.mean);
  }

 private:
  // What a run may do at all: in half of the runs each with even odds, so that one does not drown
  // another, and in the others nearly everything.
  struct Features {
    bool splits = false;
    bool loses = false;
    bool mutes = false;
    bool holds = false;
    bool twins = false;
    bool mimics = false;
    bool picks = false;
    bool two_words = false;
    bool replays = false;
    bool changes = false;
    bool deaf = false;
    bool forgets = false;
    bool restarts = false;
  };
  enum class Cut : std::uint8_t { kNone, kBoth, kLeftUnheard, kRightUnheard };
  using Side = std::vector<NodeId>;
  // What a liar does to each side; nothing: as if it were correct.
  using Mood = std::optional<FaultKind>;
  struct Liar {
    NodeId id;
    Mood left;
    Mood right;
    std::uint64_t deaf_to = 0;  // 1: the left side; 2: the right one
  };

  bool offers(FaultKind kind) const {
    const auto& kinds = menu_.faults;
    return kinds.empty() || std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  }
  void choose_liars() {
    for (const FaultAction& a : e_.faults) {
      if (faulty(a.what)) bad_.insert(a.who.begin(), a.who.end());
    }
    while (bad_.size() < e_.f) {
      const NodeId id = node();
      if (bad_.insert(id).second) liars_.push_back({id, {}, {}, 0});
    }
  }
  void choose_features() {
    const bool rich = one_in(2);
    const auto have = [&](bool possible) {
      const bool left_out = rich ? one_in(8) : one_in(2);
      return possible && !left_out;
    };
    features_.splits = have(menu_.network);
    features_.loses = have(menu_.network);
    features_.mutes = have(menu_.network);
    features_.holds = have(menu_.network);
    features_.twins = have(offers(FaultKind::kTwins));
    features_.mimics = have(offers(FaultKind::kMimic));
    features_.picks = have(offers(FaultKind::kSelective));
    features_.two_words = have(offers(FaultKind::kEquivocate));
    features_.replays = have(offers(FaultKind::kReplay));
    features_.changes = have(offers(FaultKind::kMutate));
    features_.deaf = have(offers(FaultKind::kDeaf));
    features_.forgets = have(offers(FaultKind::kAmnesia));
    features_.restarts = have(menu_.restarts);
  }
  // Nothing has to come in time before a late GST, or all comes within Delta, sooner or later.
  void pace() {
    Network& net = e_.network;
    const bool timed = e_.stop.time.has_value();
    if (!timed) span_ *= 1 + rng_.below(4);  // what is held back ends later, and so does the run
    if (net.gst == 0 && !one_in(8)) net.gst = (span_ / 2 + rng_.below(span_)) * kUnit;
    if (plain_delays() && one_in(3)) {
      const Ticks most = std::max(net.delay.mean, net.delta);
      net.delay = {DelayLaw::Kind::kUniform, (1 + most) / 2, 0, 1, most};
    }
    if (one_in(4)) slow_links();
    if (net.reorder_ppm == 0 && one_in(6)) net.reorder_ppm = 1 + rng_.below(300'000);
    if (net.duplicate_ppm == 0 && one_in(6)) net.duplicate_ppm = 1 + rng_.below(200'000);
    if (net.gst > 0 && net.loss_ppm == 0 && one_in(8)) net.loss_ppm = 1 + rng_.below(300'000);
  }

  // What is done to the network and what liars do is done to the same sides, so that it adds up:
  // one side may see a quorum that the other never hears of.
  void divide() {
    const Side correct = all_but(bad_);
    left_ = right_ = correct;
    if (correct.size() < 2) return;
    left_.clear();
    right_.clear();
    for (const NodeId id : correct) (one_in(2) ? left_ : right_).push_back(id);
    if (left_.empty() || right_.empty()) divide();
  }
  // One node changes sides, with what it heard on the other.
  void move_one() {
    Side& from = one_in(2) ? left_ : right_;
    if (from.size() < 2) return divide();
    Side& to = &from == &left_ ? right_ : left_;
    const auto it = from.begin() + static_cast<std::ptrdiff_t>(rng_.below(from.size()));
    to.push_back(*it);
    from.erase(it);
  }
  const Side& side() { return one_in(2) ? left_ : right_; }

  void phases() {
    divide();
    const std::uint64_t length = std::uint64_t{1} << rng_.below(4);
    std::uint64_t left = kMostPhases;
    for (to_ = 0; to_ < span_ * kUnit && left > 0; --left) {
      next(2 * length);
      phase();
    }
  }
  void next(std::uint64_t longest) {
    from_ = to_;
    to_ += (1 + rng_.below(longest)) * kUnit;
  }

  // How forks come about where quorums are too small or locks too weak: one side is not heard, and
  // comes to know what liars keep from the other; then they help the other on without it.
  void plots() {
    std::uint64_t left = kMostPhases / 3;
    for (to_ = 0; to_ < span_ * kUnit && left > 0; --left) {
      next(8);  // all is well
      one_in(4) ? divide() : leave_alone();
      next(8);
      starve(left_, right_, {}, 0);
      if (features_.holds && one_in(2)) starve(right_, right_, label(), 0);
      const Mood keeps = one_of({FaultKind::kSelective, FaultKind::kEquivocate, FaultKind::kTwins});
      const bool deaf = one_in(2) && offers(FaultKind::kDeaf);
      const Mood to_left = features_.mimics && one_in(2) ? Mood(FaultKind::kMimic) : Mood();
      for (Liar& liar : liars_) {
        liar = {liar.id, to_left, deaf && one_in(2) ? Mood() : keeps, deaf ? 1 + rng_.below(2) : 0};
        lie(liar);
      }
      next(24);
      starve(left_, right_, {}, 0);
      const bool helps = !one_in(4) && offers(FaultKind::kMimic);
      for (Liar& liar : liars_) {
        liar = {liar.id, {}, helps ? Mood(FaultKind::kMimic) : Mood(), 0};
        lie(liar);
        if (features_.changes && one_in(2)) lie(liar.id, FaultKind::kMutate, right_, left_);
        if (features_.forgets && one_in(2)) stop(liar.id, FaultKind::kAmnesia);
      }
      if (features_.restarts && one_in(2))
        stop(right_[rng_.below(right_.size())], FaultKind::kRestart);
    }
  }
  // Is back soon: what it said is said, and what it kept in memory alone is gone.
  void stop(NodeId who, FaultKind what) {
    FaultAction a{.who = {who}, .what = what, .from = from_};
    a.to = from_ + (1 + rng_.below(3)) * kUnit;
    e_.faults.push_back(std::move(a));
  }
  void leave_alone() {
    const Side correct = all_but(bad_);
    left_ = {correct[rng_.below(correct.size())]};
    right_.clear();
    for (const NodeId id : correct) {
      if (id != left_.front()) right_.push_back(id);
    }
    if (right_.empty()) right_ = left_;
  }

  // Something changes, and the rest goes on as it was.
  void phase() {
    const std::uint64_t change = rng_.below(6);
    if (change == 0) divide();
    if (change == 1 || change == 2) move_one();
    if (from_ == 0 || change % 2 == 1) {
      cut_ = next_cut();
      loses_ = features_.loses && one_in(2);
      holds_for_ = one_in(2) ? 0 : (1 + rng_.below(kLongestHold)) * kUnit;
    }
    const bool together = one_in(2);
    for (Liar& liar : liars_) {
      if (from_ == 0 || one_in(2)) choose_moods(liar);
      if (together) liar = {liar.id, liars_.front().left, liars_.front().right, liar.deaf_to};
    }
    cut();
    if (features_.holds && one_in(2)) hold();
    for (const Liar& liar : liars_) lie(liar);
  }
  Cut next_cut() {
    if (one_in(4)) return Cut::kNone;
    if (features_.splits && (!features_.mutes || one_in(2))) return Cut::kBoth;
    if (!features_.mutes) return Cut::kNone;
    return one_in(2) ? Cut::kLeftUnheard : Cut::kRightUnheard;
  }
  void cut() {
    switch (cut_) {
      case Cut::kNone:
        return;
      case Cut::kBoth:
        return part({{left_, right_}, from_, to_, loses_});
      case Cut::kLeftUnheard:
        return starve(left_, right_, {}, holds_for_);
      case Cut::kRightUnheard:
        return starve(right_, left_, {}, holds_for_);
    }
  }
  // One that goes on is one: what it holds, it holds to its end.
  void part(Partition p) {
    auto& all = e_.network.partitions;
    const bool goes_on = !all.empty() && all.back().to == p.from && all.back().groups == p.groups &&
                         all.back().loses == p.loses;
    if (goes_on) {
      all.back().to = p.to;
    } else {
      all.push_back(std::move(p));
    }
  }
  void add(FaultAction a) {
    for (FaultAction& old : e_.faults) {
      const bool same = old.to == a.from && old.what == a.what && old.who == a.who &&
                        old.group == a.group && old.field == a.field && old.amount == a.amount &&
                        old.probability_ppm == a.probability_ppm;
      if (!same) continue;
      old.to = a.to;
      return;
    }
    e_.faults.push_back(std::move(a));
  }
  // Messages of a label, from some to some, come last. Nobody named: leaders' proposals.
  void hold() {
    const std::string what = label();
    Side who;
    if (!one_in(4)) who = one_in(2) ? all_but(std::set<NodeId>{}) : side();
    const Ticks amount = one_in(2) ? 0 : (1 + rng_.below(kLongestHold)) * kUnit;
    starve(std::move(who), side(), what, amount);
  }
  void starve(Side who, Side group, std::string what, Ticks amount) {
    FaultAction a{.who = std::move(who), .what = FaultKind::kStarve, .from = from_, .to = to_};
    a.group = std::move(group);
    a.field = std::move(what);
    a.amount = amount;
    add(std::move(a));
  }
  std::string label() {
    if (menu_.labels.empty() || one_in(3)) return {};
    return menu_.labels[rng_.below(menu_.labels.size())];
  }

  // After what a restart strikes: where a protocol names moments, files name one of these.
  std::string moment() {
    std::string said = label();
    if (said.empty() || menu_.moments.empty()) return said;
    return menu_.moments[rng_.below(menu_.moments.size())];
  }

  void choose_moods(Liar& liar) {
    liar.left = mood();
    liar.right = mood();
    liar.deaf_to = features_.deaf ? rng_.below(4) : 0;
  }
  // One of those that the menu offers, or nothing.
  Mood one_of(std::initializer_list<FaultKind> kinds) {
    const std::vector<FaultKind> all(kinds);
    const FaultKind drawn = all[rng_.below(all.size())];
    return offers(drawn) ? Mood(drawn) : Mood();
  }
  Mood mood() {
    if (one_in(4)) return {};
    if (features_.mimics && one_in(2)) return FaultKind::kMimic;
    std::vector<FaultKind> moods;
    if (features_.twins) moods.push_back(FaultKind::kTwins);
    if (features_.picks) moods.push_back(FaultKind::kSelective);
    if (features_.two_words) moods.push_back(FaultKind::kEquivocate);
    if (features_.replays) moods.push_back(FaultKind::kReplay);
    if (features_.changes) moods.push_back(FaultKind::kMutate);
    if (moods.empty()) return {};
    return moods[rng_.below(moods.size())];
  }
  void lie(const Liar& liar) {
    if (liar.left) lie(liar.id, *liar.left, left_, right_);
    if (liar.right) lie(liar.id, *liar.right, right_, left_);
    // It goes along with one side, as if it had never heard of the other.
    if (liar.deaf_to == 1) lie(liar.id, FaultKind::kDeaf, left_, right_);
    if (liar.deaf_to == 2) lie(liar.id, FaultKind::kDeaf, right_, left_);
  }
  void lie(NodeId id, FaultKind mood, const Side& to, const Side& others) {
    FaultAction a{.who = {id}, .what = mood, .from = from_, .to = to_};
    a.group = to;
    if (mood == FaultKind::kMimic && one_in(4)) a.field = label();
    if (mood == FaultKind::kSelective) {
      a.group = others;  // the only ones that hear it
      if (one_in(2)) a.field = label();
    }
    const bool changes = mood == FaultKind::kMutate || mood == FaultKind::kEquivocate;
    if (changes && !menu_.fields.empty() && one_in(2))
      a.field = menu_.fields[rng_.below(menu_.fields.size())];
    if (mood == FaultKind::kMutate || mood == FaultKind::kReplay) {
      a.group.clear();
      if (one_in(2)) a.probability_ppm = 1 + rng_.below(1'000'000);
    }
    add(std::move(a));
  }

  // Correct nodes stop, most of them right after a message: what it says is out, and the rest not.
  void restarts() {
    const Side correct = all_but(bad_);
    if (correct.empty()) return;
    for (std::uint64_t k = 1 + rng_.below(4); k > 0; --k) {
      FaultAction a{.who = {correct[rng_.below(correct.size())]}, .what = FaultKind::kRestart};
      a.from = (1 + rng_.below(span_)) * kUnit;
      a.to = a.from + (1 + rng_.below(one_in(2) ? 3 : kLongestDown)) * kUnit;
      if (!one_in(3)) a.field = moment();
      e_.faults.push_back(a);
    }
  }

  const Menu& menu_;
  std::set<NodeId> bad_;
  std::vector<Liar> liars_;
  Side left_;
  Side right_;
  Cut cut_ = Cut::kNone;
  bool loses_ = false;
  Ticks holds_for_ = 0;  // 0: as long as allowed
  Features features_;
  Ticks from_ = 0;  // of the phase that is drawn
  Ticks to_ = 0;
};

}  // namespace

bool goes_by_tactics(std::uint64_t seed, const Menu& menu) {
  return menu.tactics && Prng(seed, kWhichStream).below(3) != 0;
}

void draw_tactics(Experiment& e, std::uint64_t seed, const Menu& menu) {
  Tactics(e, seed, menu).draw();
}

}  // namespace thresher::sim
