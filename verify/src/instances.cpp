#include "instances.hpp"

#include <algorithm>
#include <optional>

#include "interrupt.hpp"
#include "linear.hpp"
#include "smallest.hpp"
#include "thresher/core/assert.hpp"
#include "thresher/verify/replay.hpp"

namespace thresher::verify {
namespace {

/// One more than the last parameter that the formula speaks of. Pre: it speaks of nothing else.
std::size_t decided_after(const Formula& f) {
  THRESHER_ASSERT(!f.form.has(Symbol::Kind::kShared) && !f.form.has(Symbol::Kind::kLocation),
                  "a condition on the instance names parameters only");
  std::size_t out = f.form.terms.empty() ? 0 : f.form.terms.rbegin()->first.index + 1u;
  for (const Formula& c : f.children) out = std::max(out, decided_after(c));
  return out;
}

/// Sets one parameter after the other and turns back where a condition on those set fails: a dozen
/// parameters, most of them bounded by others, are no problem.
class Instances {
 public:
  Instances(const Automaton& ta, const Budget& budget,
            const std::function<bool(const std::vector<std::int64_t>&)>& visit)
      : budget_(budget),
        visit_(visit),
        conditions_(ta.parameters.size() + 1),
        parameters_(ta.parameters.size()),
        nobody_{std::vector<std::int64_t>(ta.locations.size()),
                std::vector<std::int64_t>(ta.shared.size())} {
    for (const Formula& f : ta.resilience) add(f);
    for (const Formula& f : ta.initial) {
      if (!names(f, Symbol::Kind::kShared) && !names(f, Symbol::Kind::kLocation)) add(f);
    }
  }

  /// All whose largest parameter is `largest`. False when it is over.
  bool of_size(std::int64_t largest) {
    largest_ = largest;
    return set(0, false);
  }

 private:
  void add(const Formula& f) {
    const std::size_t after = decided_after(f);
    THRESHER_ASSERT(after < conditions_.size(), "a condition names parameters that are declared");
    conditions_[after].push_back(&f);
  }
  bool set(std::size_t index, bool reached) {
    if (budget_.over()) return false;
    const auto holds_here = [&](const Formula* f) { return holds_at(*f, parameters_, nobody_); };
    if (!std::all_of(conditions_[index].begin(), conditions_[index].end(), holds_here)) return true;
    if (index == parameters_.size()) {
      return (!reached && largest_ > 0) || visit_(parameters_);
    }
    for (std::int64_t value = 0; value <= largest_; ++value) {
      parameters_[index] = value;
      if (!set(index + 1, reached || value == largest_)) return false;
    }
    return true;
  }

  const Budget& budget_;
  const std::function<bool(const std::vector<std::int64_t>&)>& visit_;
  std::vector<std::vector<const Formula*>> conditions_;  // by how many parameters they need
  std::vector<std::int64_t> parameters_;
  const Configuration nobody_;
  std::int64_t largest_ = 0;
};

/// Bits of a sum of parameters, which is halved as often.
constexpr int kHalvings = 64;

/// Instances as models of the conditions on them and on their starts.
class Models {
 public:
  Models(const Automaton& ta, const Budget& budget)
      : budget_(budget),
        interrupter_(context_, budget_),
        solver_(simple_solver(context_)),
        at_(context_, ta, "0") {
    assume_start(solver_, at_, ta, {});
  }

  /// Some parameters of the least sum, without those that were given before.
  std::optional<std::vector<std::int64_t>> next() {
    if (!check()) return std::nullopt;
    smallest(sum(), kHalvings, [this](std::int64_t wanted) -> std::optional<std::int64_t> {
      if (budget_.over()) return std::nullopt;
      solver_.push();
      solver_.add(total_of_parameters() <= context_.int_val(wanted));
      const bool found = check();
      solver_.pop();
      return found ? std::optional(sum()) : std::nullopt;
    });
    z3::expr_vector other(context_);
    for (std::size_t i = 0; i < found_.size(); ++i) {
      other.push_back(at_.parameters[i] != context_.int_val(found_[i]));
    }
    solver_.add(some(other));
    return found_;
  }

 private:
  bool check() {
    if (solver_.check() != z3::sat) return false;
    const z3::model model = solver_.get_model();
    found_.clear();
    for (const z3::expr& p : at_.parameters) {
      found_.push_back(model.eval(p, true).get_numeral_int64());
    }
    return true;
  }
  std::int64_t sum() const { return sum_up(found_); }
  z3::expr total_of_parameters() {
    z3::expr_vector all(context_);
    for (const z3::expr& p : at_.parameters) all.push_back(p);
    return total(all);
  }

  const Budget& budget_;
  z3::context context_;
  Interrupter interrupter_;
  z3::solver solver_;
  SymbolTerms at_;
  std::vector<std::int64_t> found_;
};

}  // namespace

void for_each_smallest(const Automaton& ta, int most, const Budget& budget,
                       const std::function<bool(const std::vector<std::int64_t>&)>& visit) {
  try {
    Models models(ta, budget);
    for (int i = 0; i < most && !budget.over(); ++i) {
      const auto parameters = models.next();
      if (!parameters || !visit(*parameters)) return;
    }
  } catch (const z3::exception&) {
    // Out of time, or of 64 bits: there are no more.
  }
}

void for_each_instance(const Automaton& ta, std::int64_t largest, const Budget& budget,
                       const std::function<bool(const std::vector<std::int64_t>&)>& visit) {
  Instances instances(ta, budget, visit);
  for (std::int64_t size = 0; size <= largest; ++size) {
    if (!instances.of_size(size)) return;
  }
}

}  // namespace thresher::verify
