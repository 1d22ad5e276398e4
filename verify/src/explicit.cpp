#include <algorithm>
#include <deque>
#include <map>

#include "budget.hpp"
#include "instances.hpp"
#include "starts.hpp"
#include "thresher/verify/checker.hpp"

namespace thresher::verify {
namespace {

using Kind = Formula::Kind;

constexpr std::int64_t kLargestParameter = 7;
constexpr std::size_t kMostNodes = 300'000;
constexpr std::size_t kMostStarts = 50'000;
constexpr std::size_t kMostLocations = 1'000;
/// Numbers in all configurations, and edges between them: each a quarter of a gigabyte.
constexpr std::size_t kMostNumbers = 32'000'000;
constexpr std::size_t kMostEdges = 32'000'000;
/// Instances that are run where none has parameters up to kLargestParameter.
constexpr int kMostOfTheSmallest = 5;
/// How much longer than the small ones those may take before a property is called safe.
constexpr double kSmallestTakes = 4;

/// The configurations of one instance, found as they are asked for.
class Graph {
 public:
  struct Edge {
    std::uint32_t rule = 0;
    std::uint32_t to = 0;
  };

  Graph(const Automaton& ta, const std::vector<std::int64_t>& parameters, const Budget& budget)
      : ta_(ta), parameters_(parameters), budget_(budget) {
    const std::size_t width = std::max<std::size_t>(1, ta.locations.size() + ta.shared.size());
    most_nodes_ = std::min(kMostNodes, kMostNumbers / width);
    few_starts_ = for_each_start(ta, parameters, budget, [this](const Configuration& c) {
      if (starts_.size() >= kMostStarts || nodes_.size() >= most_nodes_) return false;
      const std::size_t known = nodes_.size();
      const std::uint32_t node = add(c);
      if (node == known) starts_.push_back(node);
      return true;
    });
  }

  const std::vector<std::uint32_t>& starts() const { return starts_; }
  const Configuration& at(std::uint32_t node) const { return *nodes_[node]; }
  std::size_t size() const { return nodes_.size(); }
  /// The graph grows no more: too many configurations, or the time is over.
  bool ended() const { return cut_; }
  /// Something is left out: that, or starts.
  bool cut() const { return cut_ || !few_starts_; }
  bool out_of_time() const { return budget_.over(); }

  const std::vector<Edge>& successors(std::uint32_t node) {
    if (edges_[node]) return *edges_[node];
    cut_ |= budget_.over();
    std::vector<Edge> found;
    for (std::uint32_t r = 0; r < ta_.rules.size() && !cut_; ++r) {
      const auto next = fire(at(node), ta_.rules[r]);
      if (!next) continue;
      if (nodes_.size() >= most_nodes_ || all_edges_ >= kMostEdges || budget_.over()) {
        cut_ = true;
        break;
      }
      found.push_back({r, add(*next)});
      ++all_edges_;
    }
    edges_[node] = std::move(found);
    return *edges_[node];
  }

 private:
  std::uint32_t add(const Configuration& c) {
    const auto [it, fresh] = index_.try_emplace(c, static_cast<std::uint32_t>(nodes_.size()));
    if (fresh) {
      nodes_.push_back(&it->first);
      edges_.emplace_back();
    }
    return it->second;
  }

  std::optional<Configuration> fire(const Configuration& from, const Rule& rule) const {
    if (from.processes[rule.from] <= 0 || !holds_at(rule.guard, parameters_, from)) {
      return std::nullopt;
    }
    Configuration next = from;
    --next.processes[rule.from];
    ++next.processes[rule.to];
    for (const Update& u : rule.updates) {
      std::int64_t& value = next.shared[u.shared];
      value = u.reset ? u.amount : value + u.amount;
      if (value < 0) return std::nullopt;
    }
    return next;
  }

  const Automaton& ta_;
  const std::vector<std::int64_t>& parameters_;
  const Budget& budget_;
  std::map<Configuration, std::uint32_t> index_;
  std::vector<const Configuration*> nodes_;
  std::vector<std::optional<std::vector<Edge>>> edges_;
  std::vector<std::uint32_t> starts_;
  std::size_t most_nodes_ = 0;
  std::size_t all_edges_ = 0;
  bool few_starts_ = true;
  bool cut_ = false;
};

void add_firing(std::vector<Step>& steps, std::uint32_t rule) {
  if (!steps.empty() && steps.back().rule == rule) {
    ++steps.back().times;
  } else {
    steps.push_back({rule, 1});
  }
}

Formula simplified(Kind kind, std::vector<Formula> parts) {
  const Kind neutral = kind == Kind::kAnd ? Kind::kTrue : Kind::kFalse;
  const Kind final = kind == Kind::kAnd ? Kind::kFalse : Kind::kTrue;
  const Formula flat = combine(kind, std::move(parts));
  std::vector<Formula> kept;
  for (const Formula& c : flat.children) {
    if (c.kind == final) return c;
    const bool known = std::find(kept.begin(), kept.end(), c) != kept.end();
    if (c.kind != neutral && !known) kept.push_back(c);
  }
  if (kept.empty()) return truth(kind == Kind::kAnd);
  return kept.size() == 1 ? kept.front() : combine(kind, std::move(kept));
}

/// Runs on which a formula in normal form holds. A node is a configuration with what the run from
/// there on has still to do.
class RunSearch {
 public:
  RunSearch(Graph& graph, const std::vector<std::int64_t>& parameters)
      : graph_(graph), parameters_(parameters) {}

  std::optional<Execution> search(const Formula& f) {
    const std::uint32_t duty = duty_of(f);
    for (const std::uint32_t s : graph_.starts()) visit(s, duty, {});
    for (std::size_t next = 0; next < nodes_.size(); ++next) {
      if (graph_.out_of_time()) {
        cut_ = true;
        break;
      }
      const Node node = nodes_[next];
      if (at_rest(duties_[node.duty], graph_.at(node.at))) return path(next);
      const Formula rest = after(duties_[node.duty], graph_.at(node.at));
      if (rest.kind == Kind::kFalse) continue;
      const std::uint32_t then = duty_of(rest);
      const auto edges = graph_.successors(node.at);
      for (const Graph::Edge& e : edges) visit(e.to, then, {next, e.rule});
    }
    return std::nullopt;
  }
  bool cut() const { return cut_; }

 private:
  struct Origin {
    std::optional<std::size_t> from;
    std::uint32_t rule = 0;
    Origin() = default;
    Origin(std::size_t node, std::uint32_t by) : from(node), rule(by) {}
  };
  struct Node {
    std::uint32_t at = 0;
    std::uint32_t duty = 0;
    Origin origin;
  };

  std::uint32_t duty_of(const Formula& f) {
    const auto it = std::find(duties_.begin(), duties_.end(), f);
    if (it != duties_.end()) return static_cast<std::uint32_t>(it - duties_.begin());
    duties_.push_back(f);
    return static_cast<std::uint32_t>(duties_.size() - 1);
  }
  void visit(std::uint32_t at, std::uint32_t duty, Origin origin) {
    if (nodes_.size() >= kMostNodes) {
      cut_ = true;
      return;
    }
    if (seen_.try_emplace({at, duty}, true).second) nodes_.push_back({at, duty, origin});
  }
  // Whether it holds if the configuration repeats for ever.
  bool at_rest(const Formula& f, const Configuration& c) const {
    if (is_state(f)) return holds_at(f, parameters_, c);
    const auto rests = [&](const Formula& child) { return at_rest(child, c); };
    return f.kind == Kind::kOr ? std::any_of(f.children.begin(), f.children.end(), rests)
                               : std::all_of(f.children.begin(), f.children.end(), rests);
  }
  // What is left to hold from the next configuration on.
  Formula after(const Formula& f, const Configuration& c) const {
    if (is_state(f)) return truth(holds_at(f, parameters_, c));
    std::vector<Formula> parts;
    for (const Formula& child : f.children) parts.push_back(after(child, c));
    if (f.kind == Kind::kAnd || f.kind == Kind::kOr) return simplified(f.kind, std::move(parts));
    parts.push_back(f);
    return simplified(f.kind == Kind::kEventually ? Kind::kOr : Kind::kAnd, std::move(parts));
  }
  Execution path(std::size_t node) const {
    Execution run{parameters_, {}, {}};
    for (; nodes_[node].origin.from; node = *nodes_[node].origin.from) {
      add_firing(run.steps, nodes_[node].origin.rule);
    }
    std::reverse(run.steps.begin(), run.steps.end());
    run.start = graph_.at(nodes_[node].at);
    return run;
  }

  Graph& graph_;
  const std::vector<std::int64_t>& parameters_;
  std::vector<Formula> duties_;
  std::vector<Node> nodes_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> seen_;
  bool cut_ = false;
};

/// The shortest steps from a configuration to one where a state formula holds.
std::optional<std::vector<Step>> steps_to(Graph& graph, std::uint32_t from,
                                          const std::vector<bool>& wanted) {
  std::map<std::uint32_t, Graph::Edge> origin;  // rule and predecessor
  std::deque<std::uint32_t> todo{from};
  origin[from] = {};
  while (!todo.empty()) {
    std::uint32_t node = todo.front();
    todo.pop_front();
    if (wanted[node]) {
      std::vector<Step> steps;
      for (; node != from; node = origin[node].to) add_firing(steps, origin[node].rule);
      std::reverse(steps.begin(), steps.end());
      return steps;
    }
    for (const Graph::Edge& e : graph.successors(node)) {
      if (origin.try_emplace(e.to, Graph::Edge{e.rule, node}).second) todo.push_back(e.to);
    }
  }
  return std::nullopt;
}

/// A configuration with both futures, by two backward marks over the whole graph.
class ForkSearch {
 public:
  ForkSearch(Graph& graph, const Fork& fork, const std::vector<std::int64_t>& parameters)
      : graph_(graph), fork_(fork), parameters_(parameters) {}

  std::optional<Futures> search() {
    for (std::uint32_t node = 0; node < graph_.size() && !graph_.ended(); ++node) {
      for (const Graph::Edge& e : graph_.successors(node)) {
        if (before_.size() <= e.to) before_.resize(e.to + 1);
        before_[e.to].push_back(node);
      }
    }
    before_.resize(graph_.size());
    const auto first = where(fork_.first);
    const auto second = where(fork_.second);
    const auto reaches_first = backward(first);
    const auto reaches_second = backward(second);
    const auto when = where(fork_.when);
    for (std::uint32_t node = 0; node < graph_.size(); ++node) {
      if (!when[node] || !reaches_first[node] || !reaches_second[node]) continue;
      std::vector<bool> here(graph_.size());
      here[node] = true;
      for (const std::uint32_t s : graph_.starts()) {
        const auto steps = steps_to(graph_, s, here);
        if (!steps) continue;
        return Futures{{parameters_, graph_.at(s), *steps},
                       *steps_to(graph_, node, first),
                       *steps_to(graph_, node, second)};
      }
    }
    return std::nullopt;
  }

 private:
  std::vector<bool> where(const Formula& f) const {
    std::vector<bool> out(graph_.size());
    for (std::uint32_t i = 0; i < out.size(); ++i) out[i] = holds_at(f, parameters_, graph_.at(i));
    return out;
  }
  std::vector<bool> backward(std::vector<bool> marked) const {
    std::deque<std::uint32_t> todo;
    for (std::uint32_t i = 0; i < marked.size(); ++i) {
      if (marked[i]) todo.push_back(i);
    }
    while (!todo.empty()) {
      const std::uint32_t node = todo.front();
      todo.pop_front();
      for (const std::uint32_t from : before_[node]) {
        if (marked[from]) continue;
        marked[from] = true;
        todo.push_back(from);
      }
    }
    return marked;
  }

  Graph& graph_;
  const Fork& fork_;
  const std::vector<std::int64_t>& parameters_;
  std::vector<std::vector<std::uint32_t>> before_;
};

Exploration explored(const Automaton& ta, const Property& property,
                     const std::vector<std::int64_t>& parameters, const Budget& budget) {
  Exploration out;
  const Configuration none{std::vector<std::int64_t>(ta.locations.size()),
                           std::vector<std::int64_t>(ta.shared.size())};
  for (const Formula& f : ta.resilience) {
    if (!holds_at(f, parameters, none)) return out;
  }
  Graph graph(ta, parameters, budget);
  bool cut = false;
  if (property.fork) {
    out.futures = ForkSearch(graph, *property.fork, parameters).search();
    if (out.futures) out.witness = one_future(*out.futures);
  } else {
    RunSearch runs(graph, parameters);
    out.witness = runs.search(normal(negate(property.formula)));
    cut = runs.cut();
  }
  out.started = !graph.starts().empty();
  out.complete = !cut && !graph.cut() && out.started;
  return out;
}

/// What the small instances showed, or where there are none the smallest, up to the first
/// violation.
struct Tour {
  Exploration last;
  std::size_t complete = 0;
  std::size_t begun = 0;  ///< those that are not complete have more than was looked at
  bool small = true;      ///< some may have parameters up to kLargestParameter
  bool in_time = true;

  /// Why none was run in full.
  std::string why_none() const {
    const std::string largest = std::to_string(kLargestParameter);
    if (small && !in_time) return "no small instance could be run in time";
    const std::string none = "no instance has parameters up to " + largest;
    if (begun == 0) return none + ", and none that is larger could be run";
    if (!small) return none + ", and the smallest are too large to be run in full";
    return "all instances with parameters up to " + largest + " are too large to be run in full";
  }
};

/// `more`: for the smallest instances where there are no small ones.
Tour tour(const Automaton& ta, const Property& property, const Budget& budget, const Budget& more) {
  Tour out;
  const auto run = [&](const Budget& own) {
    return [&, of = &own](const std::vector<std::int64_t>& parameters) {
      out.last = explored(ta, property, parameters, *of);
      out.complete += out.last.complete ? 1 : 0;
      out.begun += out.last.started ? 1 : 0;
      return !out.last.witness;
    };
  };
  for_each_instance(ta, kLargestParameter, budget, run(budget));
  out.in_time = !budget.over();
  if (out.begun > 0) return out;
  out.small = !out.in_time;  // then nobody knows
  for_each_smallest(ta, kMostOfTheSmallest, more, run(more));
  out.in_time = out.in_time && (out.begun > 0 || !more.over());
  return out;
}

std::string too_many_locations() {
  return "more than " + std::to_string(kMostLocations) + " locations are too many to explore";
}

// For a tour without a violation.
std::string found_nothing(const Tour& all) {
  if (all.complete == 0) return all.why_none();
  const std::size_t larger = all.begun - all.complete;
  return "no violation among " + std::to_string(all.complete) +
         (all.complete == 1 ? " small instance" : " small instances") + " that " +
         (all.complete == 1 ? "was" : "were") + " run in full" +
         (!all.in_time  ? " until the time was over"
          : larger == 0 ? ""
                        : ", and " + std::to_string(larger) + " were too large for that") +
         "; this checker cannot prove their absence";
}

}  // namespace

Exploration explore_instance(const Automaton& ta, const Property& property,
                             const std::vector<std::int64_t>& parameters, double seconds) {
  return explored(ta, property, parameters, Budget(seconds, nullptr));
}

CheckResult check_explicit(const Automaton& ta, const Property& property, double seconds,
                           const CheckControl& control) {
  const Budget budget(seconds, control.stop);
  CheckResult out;
  out.checker = "explicit";
  if (ta.locations.size() > kMostLocations) {
    out.why = too_many_locations();
    return out;
  }
  Tour all = tour(ta, property, budget, budget);
  if (all.last.witness) {
    out.verdict = Safety::kViolated;
    out.witness = std::move(all.last.witness);
    out.futures = std::move(all.last.futures);
  } else {
    out.why = found_nothing(all);
  }
  out.seconds = budget.used();
  return out;
}

Rehearsal rehearse(const Automaton& ta, const Property& property, double seconds,
                   const CheckControl& control) {
  const Budget budget(seconds, control.stop);
  const Budget more((1 + kSmallestTakes) * seconds, control.stop);
  Rehearsal out;
  if (ta.locations.size() > kMostLocations) {
    out.why_none = too_many_locations();
    return out;
  }
  Tour all = tour(ta, property, budget, more);
  out.instances = all.complete;
  if (all.complete == 0) out.why_none = all.why_none();
  out.witness = std::move(all.last.witness);
  out.futures = std::move(all.last.futures);
  return out;
}

}  // namespace thresher::verify
