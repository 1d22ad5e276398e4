#include "starts.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace thresher::verify {
namespace {

using Kind = Formula::Kind;

/// Sums of products of 64 bits.
__extension__ using Wide = __int128;

/// Beyond this a bound is none.
constexpr std::int64_t kOpen = 1'000'000'000'000'000;
/// Bounds that follow from other bounds: one round for each step of such a chain.
constexpr int kRounds = 8;
/// Values above the least one in the first pass.
constexpr std::int64_t kFewAbove = 1;

struct Interval {
  std::int64_t least = 0;
  std::int64_t most = kOpen;

  bool empty() const { return least > most; }
  friend bool operator==(const Interval&, const Interval&) = default;
};
constexpr Interval kNothing{1, 0};

Interval both(const Interval& a, const Interval& b) {
  return {std::max(a.least, b.least), std::min(a.most, b.most)};
}
Interval either(const Interval& a, const Interval& b) {
  if (a.empty()) return b;
  return b.empty() ? a : Interval{std::min(a.least, b.least), std::max(a.most, b.most)};
}

class Starts {
 public:
  Starts(const Automaton& ta, const std::vector<std::int64_t>& parameters, const Budget& budget,
         const std::function<bool(const Configuration&)>& visit)
      : ta_(ta),
        parameters_(parameters),
        budget_(budget),
        visit_(visit),
        at_(ta.locations.size() + ta.shared.size()),
        naming_(at_.size()) {
    for (const Formula& f : ta.initial) constraints_.push_back(normal(f));
    for (const Formula& f : constraints_) {
      std::set<std::size_t> named;
      collect(f, named);
      for (const std::size_t s : named) naming_[s].push_back(&f);
      if (named.empty()) of_this_instance_ = of_this_instance_ && holds_at(f, parameters, {});
    }
  }

  bool run() {
    const auto none = [](const Interval& i) { return i.empty(); };
    const auto far = [](const Interval& i) { return i.least >= kOpen; };
    if (!of_this_instance_) return true;
    for (int round = 0; round < kRounds && narrow(); ++round) {
    }
    if (std::any_of(at_.begin(), at_.end(), none)) return true;
    if (std::any_of(at_.begin(), at_.end(), far)) return false;
    for (std::size_t s = 0; s < at_.size(); ++s) {
      if (at_[s].least < at_[s].most) open_.push_back(s);
    }
    for (const std::int64_t above : {kFewAbove, kMostAbove}) {
      above_ = above;
      all_ = true;
      if (!set(0, kMostProcesses)) return false;
      if (all_) return true;
    }
    return false;
  }

 private:
  bool location(std::size_t s) const { return s < ta_.locations.size(); }
  std::optional<std::size_t> place(const Symbol& s) const {
    if (s.kind == Symbol::Kind::kParameter) return std::nullopt;
    return s.index + (s.kind == Symbol::Kind::kShared ? ta_.locations.size() : 0);
  }
  void collect(const Formula& f, std::set<std::size_t>& named) const {
    for (const auto& [s, coefficient] : f.form.terms) {
      if (const auto at = place(s)) named.insert(*at);
    }
    for (const Formula& c : f.children) collect(c, named);
  }

  /// What `sign * form >= 0` leaves for the symbol, whatever the others are within their bounds.
  Interval at_least(const Linear& form, std::int64_t sign, std::size_t symbol) const {
    Wide most = static_cast<Wide>(form.constant) * sign;
    Wide own = 0;
    for (const auto& [s, unsigned_coefficient] : form.terms) {
      const Wide coefficient = static_cast<Wide>(unsigned_coefficient) * sign;
      const auto at = place(s);
      if (!at) {
        most += coefficient * parameters_[s.index];
      } else if (*at == symbol) {
        own = coefficient;
      } else if (coefficient < 0) {
        most += coefficient * at_[*at].least;
      } else if (at_[*at].most >= kOpen) {
        return {};
      } else {
        most += coefficient * at_[*at].most;
      }
    }
    if (own == 0) return most < 0 ? kNothing : Interval{};
    if (own < 0 && most < 0) return kNothing;
    if (own > 0 && most >= 0) return {};
    const Wide bound = own < 0 ? most / -own : (-most + own - 1) / own;
    const auto near = static_cast<std::int64_t>(std::min<Wide>(bound, kOpen));
    return own < 0 ? Interval{0, near} : Interval{near, kOpen};
  }
  /// Pre: normal form, no temporal operator.
  Interval left_by(const Formula& f, std::size_t symbol) const {
    switch (f.kind) {
      case Kind::kTrue:
        return {};
      case Kind::kAtLeast:
        return at_least(f.form, 1, symbol);
      case Kind::kEqual:
        return both(at_least(f.form, 1, symbol), at_least(f.form, -1, symbol));
      case Kind::kAnd:
      case Kind::kOr:
        break;
      case Kind::kFalse:
      case Kind::kNot:
      case Kind::kEventually:
      case Kind::kAlways:
        return kNothing;
    }
    Interval out = f.kind == Kind::kAnd ? Interval{} : kNothing;
    for (const Formula& c : f.children) {
      out = f.kind == Kind::kAnd ? both(out, left_by(c, symbol)) : either(out, left_by(c, symbol));
    }
    return out;
  }
  Interval left_for(std::size_t symbol) const {
    Interval out = at_[symbol];
    for (const Formula* f : naming_[symbol]) out = both(out, left_by(*f, symbol));
    return out;
  }
  // Whether a bound came nearer.
  bool narrow() {
    bool nearer = false;
    for (std::size_t s = 0; s < at_.size() && !budget_.over(); ++s) {
      const Interval before = at_[s];
      if (before.least == before.most) continue;  // whether it fits is seen where all are set
      at_[s] = left_for(s);
      if (at_[s].empty()) return false;
      nearer |= at_[s] != before;
    }
    return nearer;
  }

  // Gives the open symbols values, one after the other. False: nothing more is wanted.
  bool set(std::size_t index, std::int64_t processes) {
    if (budget_.over()) return false;
    if (index == open_.size()) return tell();
    const std::size_t s = open_[index];
    const Interval whole = at_[s];
    const Interval left = left_for(s);
    if (left.least >= kOpen) {
      all_ = false;
      return true;
    }
    const std::int64_t most = std::min(left.most, location(s) ? processes : left.least + above_);
    all_ = all_ && (left.empty() || left.most <= most);
    bool wanted = true;
    for (std::int64_t value = left.least; value <= most && wanted; ++value) {
      at_[s] = {value, value};
      wanted = set(index + 1, location(s) ? processes - value : processes);
    }
    at_[s] = whole;
    return wanted;
  }
  bool tell() const {
    Configuration c;
    for (std::size_t s = 0; s < at_.size(); ++s) {
      (location(s) ? c.processes : c.shared).push_back(at_[s].least);
    }
    const auto admitted = [&](const Formula& f) { return holds_at(f, parameters_, c); };
    return !std::all_of(ta_.initial.begin(), ta_.initial.end(), admitted) || visit_(c);
  }

  const Automaton& ta_;
  const std::vector<std::int64_t>& parameters_;
  const Budget& budget_;
  const std::function<bool(const Configuration&)>& visit_;
  std::vector<Formula> constraints_;                 // in normal form
  std::vector<Interval> at_;                         // locations, then variables
  std::vector<std::vector<const Formula*>> naming_;  // the constraints on each
  std::vector<std::size_t> open_;                    // that may have several values
  std::int64_t above_ = 0;
  bool of_this_instance_ = true;  // says what is no matter of the start
  bool all_ = true;
};

}  // namespace

bool for_each_start(const Automaton& ta, const std::vector<std::int64_t>& parameters,
                    const Budget& budget, const std::function<bool(const Configuration&)>& visit) {
  return Starts(ta, parameters, budget, visit).run();
}

}  // namespace thresher::verify
