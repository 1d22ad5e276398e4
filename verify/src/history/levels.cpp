#include "thresher/verify/history/levels.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "closures.hpp"
#include "order_search.hpp"

namespace thresher::history {
namespace {

constexpr std::array<std::string_view, kLevels + 1> kNames{
    "linearizable", "sequential",       "causal-convergent", "causal",  "pipelined",
    "session",      "read-your-writes", "monotonic-reads",   "written", "nothing"};

Finding too_many(const std::string& what) {
  return {Holds::kUnknown, what};
}

Finding searched(Holds holds, std::uint64_t bound, const std::string& no) {
  if (holds == Holds::kYes) return {holds};
  if (holds == Holds::kNo) return {holds, no};
  return too_many("not decided within " + std::to_string(bound) +
                  " states; more may be allowed with --states");
}

/// Which of two operations is over first. Those that end at one instant are so in the order of the
/// file: without an order the first of them would be blamed for what another one got.
bool over_before(const Operation& a, const Operation& b) {
  return std::pair(a.end, a.line) < std::pair(b.end, b.line);
}

/// What stood in the history when `last` was over. Puts that had not returned by then may still
/// have an effect, gets have none.
std::vector<Operation> until(const std::vector<Operation>& ops, const Operation& last) {
  std::vector<Operation> out;
  for (const Operation& op : ops) {
    if (op.begin > last.end || (op.kind == Kind::kGet && over_before(last, op))) continue;
    out.push_back(op);
  }
  return out;
}

/// Linearizability of some operations, all of one key or all that there are.
class Linearizability {
 public:
  Linearizability(const History& history, const Bounds& bounds)
      : history_(history), bounds_(bounds) {}

  // A history is linearizable exactly if it is for each key (Herlihy and Wing, 1990, Theorem 1).
  // Declared dependencies between keys have no part in that theorem, so they forbid the division.
  Finding judge() const {
    const auto& ops = history_.operations;
    if (std::ranges::any_of(ops, [](const Operation& op) { return !op.after.empty(); })) {
      return searched(search(ops), bounds_.states,
                      "no order of all operations keeps real time and the dependencies");
    }
    std::vector<std::vector<Operation>> by_key(history_.keys.size());
    for (const Operation& op : ops) by_key[op.key].push_back(op);
    Finding all{Holds::kYes};
    for (const auto& of_key : by_key) {
      const Holds found = search(of_key);
      if (found == Holds::kNo) return {found, first_breach(of_key)};
      if (found == Holds::kUnknown) all = searched(found, bounds_.states, {});
    }
    return all;
  }

 private:
  Holds search(std::vector<Operation> ops) const {
    return OrderSearch(history_, std::move(ops), Precedence::kRealTime, bounds_.states).run();
  }

  // A history that is not linearizable stays so when it goes on, so the moment is found by halves.
  std::string first_breach(const std::vector<Operation>& ops) const {
    std::vector<const Operation*> by_end;
    for (const Operation& op : ops) {
      if (op.end != kNever) by_end.push_back(&op);
    }
    std::ranges::sort(by_end,
                      [](const Operation* a, const Operation* b) { return over_before(*a, *b); });
    const auto breach = std::partition_point(
        by_end.begin(), by_end.end(),
        [&](const Operation* op) { return search(until(ops, *op)) != Holds::kNo; });
    if (breach == by_end.end()) return "no order of all operations keeps real time";
    return "all is well until " + show(history_, **breach) + " ends" + stale(ops, **breach);
  }

  // The commonest breach, in words: a value that another put had replaced before the get began.
  std::string stale(const std::vector<Operation>& ops, const Operation& get) const {
    if (get.kind != Kind::kGet) return {};
    for (const Operation& newer : ops) {
      if (newer.kind != Kind::kPut || newer.end >= get.begin || newer.version == get.version)
        continue;
      const bool newest = std::ranges::all_of(ops, [&](const Operation& op) {
        return op.kind != Kind::kPut || op.version != get.version || op.end < newer.begin;
      });
      if (newest)
        return "; its value was replaced by " + show(history_, newer) + " before it began";
    }
    return {};
  }

  const History& history_;
  const Bounds& bounds_;
};

void judge_below_sequential(const History& h, const Reads& reads, Report& r) {
  const auto set = [&](Level level, Finding finding) {
    r.findings[static_cast<std::size_t>(level)] = std::move(finding);
  };
  set(Level::kReadYourWrites, judge_read_your_writes(h, reads));
  set(Level::kMonotonicReads, judge_monotonic_reads(h, reads));
  set(Level::kSession, judge_session(h, reads));
  set(Level::kPipelined, judge_pipelined(h, reads));
  set(Level::kCausal, judge_causal(h, reads));
  const bool causal = r.of(Level::kCausal).holds == Holds::kYes;
  set(Level::kCausalConvergent, causal ? judge_causal_convergent(h, reads) : r.of(Level::kCausal));
}

// All from `from` on hold, as levels imply those below them.
void hold_from(Level from, Report& r) {
  for (auto i = static_cast<std::size_t>(from); i < kLevels; ++i) {
    r.findings[i] = {Holds::kYes};
  }
}

}  // namespace

std::string_view name_of(Level level) {
  return kNames[static_cast<std::size_t>(level)];
}

Level level_called(std::string_view name) {
  const auto at = std::ranges::find(kNames, name);
  return at == kNames.end() ? Level::kNothing : static_cast<Level>(at - kNames.begin());
}

bool Report::certain() const {
  const auto end = findings.begin() + static_cast<std::ptrdiff_t>(level);
  return std::none_of(findings.begin(), end,
                      [](const Finding& f) { return f.holds == Holds::kUnknown; });
}

Report judge(const History& h, const Bounds& bounds) {
  Report r;
  const Reads reads(h);
  if (!reads.from_nowhere().empty()) {
    r.findings.fill({Holds::kNo, reads.from_nowhere()});
    return r;
  }
  hold_from(Level::kWritten, r);
  Finding& linear = r.findings[0];
  linear = Linearizability(h, bounds).judge();
  if (linear.holds == Holds::kYes) hold_from(Level::kLinearizable, r);
  const bool small = h.operations.size() <= bounds.closure;
  const bool open = linear.holds != Holds::kYes;
  if (open && small && reads.ambiguous().empty()) {
    judge_below_sequential(h, reads, r);
  } else if (open) {
    const Finding why =
        too_many(small ? "not decided: " + reads.ambiguous()
                       : "not decided: more than " + std::to_string(bounds.closure) +
                             " operations; more may be allowed with --closure");
    for (std::size_t i = 2; i < kLevels - 1; ++i) r.findings[i] = why;
  }
  Finding& sequential = r.findings[1];
  const Finding& convergent = r.of(Level::kCausalConvergent);
  if (open && convergent.holds == Holds::kNo) {
    sequential = convergent;
    if (linear.holds == Holds::kUnknown) linear = convergent;
  } else if (open) {
    const Holds found = OrderSearch(h, h.operations, Precedence::kSession, bounds.states).run();
    sequential = searched(found, bounds.states, "no one order of all operations fits all clients");
    if (found == Holds::kYes) hold_from(Level::kSequential, r);
    if (found == Holds::kNo && linear.holds == Holds::kUnknown) linear = sequential;
  }
  const auto holds = std::ranges::find(r.findings, Holds::kYes, &Finding::holds);
  r.level = static_cast<Level>(holds - r.findings.begin());
  return r;
}

}  // namespace thresher::history
