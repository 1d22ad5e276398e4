// Backward exploration with processes counted exactly: sets of configurations that are closed
// upwards in the processes and boxes in the cells.
#include <z3++.h>

#include <algorithm>
#include <deque>
#include <numeric>

#include "backward.hpp"
#include "interrupt.hpp"
#include "linear.hpp"

namespace thresher::verify {
namespace {

constexpr std::size_t kMostBoxes = 200'000;
constexpr std::size_t kMostNumbers = 20'000'000;  // of all boxes together

/// At least these processes, each form in one of these cells.
struct Box {
  std::vector<std::int64_t> processes;
  std::vector<CellSet> cells;

  bool covers(const Box& other) const {
    for (std::size_t l = 0; l < processes.size(); ++l) {
      if (processes[l] > other.processes[l]) return false;
    }
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if ((other.cells[i] & ~cells[i]) != 0) return false;
    }
    return true;
  }
};

class Boxes : public Guide {
 public:
  explicit Boxes(std::vector<Box> all) : all_(std::move(all)) {}

  bool hopeful(const Context& context) const override {
    return std::any_of(all_.begin(), all_.end(),
                       [&](const Box& b) { return contains(b, context); });
  }
  std::vector<std::vector<std::int64_t>> needed(const Context& context) const override {
    std::vector<std::vector<std::int64_t>> out;
    for (const Box& b : all_) {
      if (contains(b, context)) out.push_back(b.processes);
    }
    return out;
  }

 private:
  static bool contains(const Box& box, const Context& context) {
    for (std::size_t i = 0; i < context.size(); ++i) {
      if ((box.cells[i] >> context[i] & 1) == 0) return false;
    }
    return true;
  }
  std::vector<Box> all_;
};

class Backward {
 public:
  Backward(const Automaton& ta, const Query& query, const Cells& cells, const Budget& budget)
      : ta_(ta),
        query_(query),
        cells_(cells),
        budget_(budget),
        numbers_(ta.locations.size() + cells.forms.size()),
        most_(most_sets(numbers_)) {}

  MaybeGuide run() {
    for (const AbstractTarget& t : cells_.targets) {
      if (!add_target(t)) return too_many();
    }
    while (!todo_.empty()) {
      if (budget_.over()) return limit("the abstract exploration was not finished in time");
      if (basis_.size() > most_ || todo_.size() > most_) return too_many();
      const Box box = std::move(todo_.front());
      todo_.pop_front();
      if (superseded(box)) continue;
      for (const AbstractMove& move : cells_.moves) {
        budget_.demand();
        if (auto before = predecessor(move, box)) insert(std::move(*before));
      }
    }
    const auto started = starts();
    if (!started) return started.error();
    if (!*started) return std::unique_ptr<Guide>();
    return std::unique_ptr<Guide>(std::make_unique<Boxes>(std::move(basis_)));
  }

 private:
  static Error limit(std::string what) { return {ErrorCode::kRejected, std::move(what)}; }
  Error too_many() const {
    return {ErrorCode::kRejected,
            "the abstract exploration holds too many configurations, more than " +
                std::to_string(most_) + " sets of " + std::to_string(numbers_) + " numbers",
            "", "another checker may need fewer"};
  }
  // The fewest processes with which the target may hold. Sums become "one of them", bounds from
  // above nothing: both admit more than the target, and the search with Z3 is exact. False when
  // there are too many ways to choose the ones.
  bool add_target(const AbstractTarget& target) {
    std::vector<std::vector<std::int64_t>> least{std::vector<std::int64_t>(ta_.locations.size())};
    for (const Linear& f : target.processes) {
      const bool up =
          std::all_of(f.terms.begin(), f.terms.end(), [](const auto& t) { return t.second > 0; });
      const bool down =
          std::all_of(f.terms.begin(), f.terms.end(), [](const auto& t) { return t.second < 0; });
      if (down && f.constant < 0) return true;
      if (!up || f.constant >= 0) continue;
      std::vector<std::vector<std::int64_t>> next;
      for (const auto& before : least) {
        budget_.demand();
        if (next.size() > most_) return false;
        for (const auto& [s, c] : f.terms) {
          const std::int64_t count = f.terms.size() == 1 ? (-f.constant + c - 1) / c : 1;
          next.push_back(before);
          next.back()[s.index] = std::max(next.back()[s.index], count);
        }
      }
      least = std::move(next);
    }
    for (auto& processes : least) {
      budget_.demand();
      insert({std::move(processes), target.cells});
    }
    return true;
  }

  void insert(Box box) {
    if (std::any_of(box.cells.begin(), box.cells.end(), [](CellSet s) { return s == 0; })) return;
    if (std::any_of(basis_.begin(), basis_.end(), [&](const Box& b) { return b.covers(box); })) {
      return;
    }
    std::erase_if(basis_, [&](const Box& b) { return box.covers(b); });
    basis_.push_back(box);
    todo_.push_back(std::move(box));
  }
  // A box that a larger one has replaced leads nowhere that the larger one does not.
  bool superseded(const Box& box) const {
    return std::none_of(basis_.begin(), basis_.end(), [&](const Box& b) {
      return b.processes == box.processes && b.cells == box.cells;
    });
  }

  std::optional<Box> predecessor(const AbstractMove& move, const Box& box) const {
    Box before = box;
    for (std::size_t i = 0; i < box.cells.size(); ++i) {
      CellSet set = box.cells[i];
      if (!move.steps[i].empty()) {
        set = 0;
        for (std::size_t c = 0; c < move.steps[i].size(); ++c) {
          if ((move.steps[i][c] & box.cells[i]) != 0) set |= CellSet{1} << c;
        }
      }
      before.cells[i] = set & move.guards[i];
      if (before.cells[i] == 0) return std::nullopt;
    }
    if (move.from == move.to) {
      before.processes[move.from] = std::max<std::int64_t>(before.processes[move.from], 1);
      return before;
    }
    before.processes[move.to] = std::max<std::int64_t>(before.processes[move.to] - 1, 0);
    ++before.processes[move.from];
    return before;
  }

  // Whether a box holds an initial configuration, for some parameters.
  Result<bool, Error> starts() const {
    z3::context context;
    const Interrupter interrupter(context, budget_);
    const SymbolTerms at(context, ta_, "");
    z3::solver solver = simple_solver(context);
    assume_start(solver, at, ta_, query_.start);
    for (const Box& box : basis_) {
      if (!may_start(box)) continue;
      if (budget_.over()) return limit("the abstract starts were not all tried in time");
      solver.push();
      add_box(solver, at, box);
      const z3::check_result r = solver.check();
      solver.pop();
      if (r == z3::sat) return true;
      if (r == z3::unknown) return limit(budget_.reason("the solver gave up on an abstract start"));
    }
    return false;
  }
  bool may_start(const Box& box) const {
    for (std::size_t l = 0; l < box.processes.size(); ++l) {
      if (box.processes[l] > 0 && !cells_.may_be_started[l]) return false;
    }
    for (std::size_t i = 0; i < box.cells.size(); ++i) {
      if ((box.cells[i] & cells_.start[i]) == 0) return false;
    }
    return true;
  }
  void add_box(z3::solver& solver, const SymbolTerms& at, const Box& box) const {
    z3::context& context = *at.context;
    for (std::size_t l = 0; l < box.processes.size(); ++l) {
      solver.add(at.processes[l] >= context.int_val(box.processes[l]));
    }
    for (std::size_t i = 0; i < box.cells.size(); ++i) {
      const Form& f = cells_.forms[i];
      const z3::expr sum = at.value(f.sum);
      z3::expr_vector any(context);
      for (std::size_t c = 0; c < f.cells.size(); ++c) {
        if ((box.cells[i] >> c & 1) == 0) continue;
        z3::expr_vector all(context);
        for (std::size_t a = 0; a < f.atoms.size(); ++a) {
          const z3::expr holds =
              context.int_val(f.atoms[a].factor) * sum + at.value(f.atoms[a].rest) >= 0;
          all.push_back(f.cells[c][a] ? holds : !holds);
        }
        any.push_back(every(all));
      }
      solver.add(some(any));
    }
  }

  const Automaton& ta_;
  const Query& query_;
  const Cells& cells_;
  const Budget& budget_;
  std::size_t numbers_;  // of one box
  std::size_t most_;     // boxes
  std::vector<Box> basis_;
  std::deque<Box> todo_;
};

MaybeGuide explore(const Automaton& ta, const Query& query, const Cells& cells,
                   const Budget& budget) {
  try {
    return Backward(ta, query, cells, budget).run();
  } catch (const z3::exception& e) {
    return Error{ErrorCode::kRejected, budget.reason(gave_up(e))};
  }
}

}  // namespace

std::size_t most_sets(std::size_t numbers) {
  return std::clamp<std::size_t>(kMostNumbers / std::max<std::size_t>(numbers, 1), 1, kMostBoxes);
}

CheckResult check_acs(const Automaton& ta, const Property& property, double seconds,
                      const CheckControl& control) {
  return check_backward("acs", ta, property, seconds, control, explore);
}

}  // namespace thresher::verify
