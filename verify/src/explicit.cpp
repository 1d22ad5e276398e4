#include <deque>
#include <map>

#include "budget.hpp"
#include "thresher/verify/checker.hpp"

namespace thresher::verify {
namespace {

constexpr std::int64_t kLargestParameter = 7;
constexpr std::size_t kMostConfigurations = 300'000;
constexpr std::int64_t kMostProcesses = 8;

/// One instance: fixed parameters.
class Explorer {
 public:
  Explorer(const Automaton& ta, const Property& property, std::vector<std::int64_t> parameters,
           const Budget& budget)
      : ta_(ta), property_(property), parameters_(std::move(parameters)), budget_(budget) {}

  /// A run to a configuration that breaks a safety property.
  std::optional<Run> search() {
    Configuration start{std::vector<std::int64_t>(ta_.locations.size()),
                        std::vector<std::int64_t>(ta_.shared.size())};
    spread(start, 0, kMostProcesses);
    while (!todo_.empty() && seen_.size() < kMostConfigurations && !budget_.over()) {
      const auto at = todo_.front();
      todo_.pop_front();
      for (std::uint32_t r = 0; r < ta_.rules.size(); ++r) {
        if (const auto next = fire(at->first, ta_.rules[r])) {
          if (auto run = visit(*next, &*at, r)) return run;
        }
      }
    }
    return std::move(found_);
  }

 private:
  struct Origin {
    const std::pair<const Configuration, Origin>* from = nullptr;
    std::uint32_t rule = 0;
  };
  using Node = std::pair<const Configuration, Origin>;

  // Every way to put processes into locations that the initial constraints admit.
  void spread(Configuration& c, std::size_t location, std::int64_t left) {
    if (found_ || budget_.over()) return;
    if (location == c.processes.size()) {
      for (const Formula& f : ta_.initial) {
        if (!holds_at(f, parameters_, c)) return;
      }
      if (auto run = visit(c, nullptr, 0)) found_ = std::move(run);
      return;
    }
    for (std::int64_t k = 0; k <= left; ++k) {
      c.processes[location] = k;
      spread(c, location + 1, left - k);
    }
    c.processes[location] = 0;
  }

  std::optional<Configuration> fire(const Configuration& at, const Rule& rule) const {
    if (at.processes[rule.from] <= 0 || !holds_at(rule.guard, parameters_, at)) return std::nullopt;
    Configuration next = at;
    --next.processes[rule.from];
    ++next.processes[rule.to];
    for (const Update& u : rule.updates) {
      std::int64_t& value = next.shared[u.shared];
      value = u.reset ? u.amount : value + u.amount;
      if (value < 0) return std::nullopt;
    }
    return next;
  }

  std::optional<Run> visit(const Configuration& c, const Node* from, std::uint32_t rule) {
    const auto [it, fresh] = seen_.try_emplace(c, Origin{from, rule});
    if (!fresh) return std::nullopt;
    todo_.push_back(it);
    Run run = path(&*it);
    const auto configurations = replay(ta_, run);
    if (!configurations || holds(property_.formula, parameters_, *configurations)) {
      return std::nullopt;
    }
    return run;
  }

  Run path(const Node* node) const {
    Run run{parameters_, {}, {}};
    for (; node->second.from != nullptr; node = node->second.from) {
      if (!run.steps.empty() && run.steps.front().rule == node->second.rule) {
        ++run.steps.front().times;
      } else {
        run.steps.insert(run.steps.begin(), {node->second.rule, 1});
      }
    }
    run.start = node->first;
    return run;
  }

  const Automaton& ta_;
  const Property& property_;
  std::vector<std::int64_t> parameters_;
  const Budget& budget_;
  std::map<Configuration, Origin> seen_;
  std::deque<std::map<Configuration, Origin>::iterator> todo_;
  std::optional<Run> found_;
};

// Counts the parameters up; false after the last vector.
bool next_parameters(std::vector<std::int64_t>& p) {
  for (std::int64_t& value : p) {
    if (++value <= kLargestParameter) return true;
    value = 0;
  }
  return false;
}

}  // namespace

Outcome check_explicit(const Automaton& ta, const Property& property, double seconds,
                       const CheckControl& control) {
  const Budget budget(seconds, control.stop);
  Outcome out;
  out.checker = "explicit";
  out.why = "no violation among small instances; this checker cannot prove their absence";
  if (property.category() != "safety") {
    out.why = "the explicit checker decides nothing about liveness";
    return out;
  }
  std::vector<std::int64_t> parameters(ta.parameters.size());
  do {
    bool admitted = true;
    const Configuration none{std::vector<std::int64_t>(ta.locations.size()),
                             std::vector<std::int64_t>(ta.shared.size())};
    for (const Formula& f : ta.resilience) admitted = admitted && holds_at(f, parameters, none);
    if (!admitted) continue;
    if (auto run = Explorer(ta, property, parameters, budget).search()) {
      out.verdict = Verdict::kViolated;
      out.why.clear();
      out.witness = std::move(run);
      break;
    }
  } while (!budget.over() && next_parameters(parameters));
  out.seconds = budget.used();
  return out;
}

}  // namespace thresher::verify
