// Which checkers a property gets, and all of them on all cores: the first answer ends the others.
#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "budget.hpp"
#include "thresher/verify/checker.hpp"

namespace thresher::verify {
namespace {

/// Threads where something may run for ever beside what ends soon.
constexpr unsigned kLeastThreads = 3;
/// What a checker gets before the next one competes with it for the cores.
constexpr double kHeadStart = 0.4;

bool lowers(const Automaton& ta) {
  return std::any_of(ta.rules.begin(), ta.rules.end(), [](const Rule& r) {
    return std::any_of(r.updates.begin(), r.updates.end(),
                       [](const Update& u) { return u.reset || u.amount < 0; });
  });
}

/// The likeliest to answer first.
std::vector<std::string> checkers_for(const Automaton& ta, const Property& p,
                                      const std::string& asked) {
  if (asked != "auto") return {asked};
  if (p.fork) return {lowers(ta) ? "explicit" : "binding"};
  if (p.category() != "safety") return {"live", "explicit"};
  if (lowers(ta)) return {"zcs", "explicit", "acs"};
  return {"smt", "zcs", "acs"};
}

Outcome check_one(const Automaton& ta, const Property& p, const std::string& checker,
                  double seconds, const CheckControl& control) {
  Outcome none;
  none.checker = checker;
  if (seconds <= 0) {
    none.why = "the time for the whole call was over";
    return none;
  }
  if (checker == "explicit") return check_explicit(ta, p, seconds, control);
  if (checker == "binding") return check_binding(ta, p, seconds, control);
  if (p.fork) {
    none.why = "it speaks of two futures: use the binding checker or auto";
    return none;
  }
  if (checker == "acs") return check_acs(ta, p, seconds, control);
  if (checker == "zcs") return check_zcs(ta, p, seconds, control);
  const bool safety = p.category() == "safety";
  if (checker == "smt" && !safety) {
    none.why = "the smt checker decides safety; this is a liveness property: use live or auto";
    return none;
  }
  if (checker == "live" && safety) {
    none.why = "the live checker decides liveness; this is a safety property: use smt or auto";
    return none;
  }
  return check_smt(ta, p, seconds, control);
}

/// A property and where its checkers stand.
struct Question {
  const Property* property = nullptr;
  std::vector<std::string> checkers;
  std::size_t begun = 0;
  std::size_t ended = 0;
  double last_begun = 0;  ///< seconds since the call began
  /// One checker after the other: the second one is for what the first one refuses.
  bool patient = false;
  std::atomic<bool> decided{false};  ///< ends the checkers that still run
  Outcome outcome;
};

class Portfolio {
 public:
  Portfolio(const Automaton& ta, const CheckOptions& options)
      : ta_(ta), options_(options), budget_(options.seconds, nullptr) {
    for (const Property& p : ta.properties) {
      const auto& only = options.only;
      if (!only.empty() && std::find(only.begin(), only.end(), p.name) == only.end()) continue;
      Question& q = questions_.emplace_back();
      q.property = &p;
      q.checkers = checkers_for(ta, p, options.checker);
      q.patient = q.checkers.front() == "live";
    }
  }

  std::vector<Outcome> run() {
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    unsigned threads = options_.threads == 0 ? cores : options_.threads;
    if (options_.checker == "auto" && lowers(ta_)) threads = std::max(threads, kLeastThreads);
    {
      std::vector<std::jthread> others;
      for (unsigned t = 1; t < threads; ++t) others.emplace_back([this] { work(); });
      work();
    }
    std::vector<Outcome> outcomes;
    for (Question& q : questions_) outcomes.push_back(std::move(q.outcome));
    return outcomes;
  }

 private:
  static bool open(const Question& q) { return !q.decided && q.begun < q.checkers.size(); }
  // Every property's first checker before anybody's second; nothing while all have their head
  // start.
  Question* next() {
    Question* best = nullptr;
    for (Question& q : questions_) {
      const bool head_start = q.patient || budget_.used() < q.last_begun + kHeadStart;
      const bool wait = q.ended < q.begun && head_start;
      if (!open(q) || wait) continue;
      if (best == nullptr || q.begun < best->begun) best = &q;
    }
    return best;
  }

  void work() {
    std::unique_lock lock(mutex_);
    while (std::any_of(questions_.begin(), questions_.end(), open)) {
      Question* const q = next();
      if (q == nullptr) {
        (void)ended_.wait_for(lock, std::chrono::milliseconds(20));
        continue;
      }
      const std::string checker = q->checkers[q->begun++];
      q->last_begun = budget_.used();
      lock.unlock();
      Outcome outcome = check_one(ta_, *q->property, checker, budget_.left(),
                                  {&q->decided, options_.keep_proofs});
      if (outcome.checker.empty()) outcome.checker = checker;
      lock.lock();
      ++q->ended;
      take(*q, std::move(outcome));
      ended_.notify_all();
    }
  }

  void take(Question& q, Outcome outcome) {
    if (q.decided) return;
    outcome.seconds = std::max(outcome.seconds, q.outcome.seconds);
    if (outcome.verdict != Verdict::kUnknown) {
      q.decided = true;
    } else if (q.ended > 1) {
      outcome.why = q.outcome.why + "; " + outcome.checker + ": " + outcome.why;
      outcome.checker = q.outcome.checker + ", " + outcome.checker;
    } else if (q.checkers.size() > 1) {
      outcome.why = outcome.checker + ": " + outcome.why;
    }
    q.outcome = std::move(outcome);
  }

  const Automaton& ta_;
  const CheckOptions& options_;
  Budget budget_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::deque<Question> questions_;
};

}  // namespace

const std::vector<std::string>& checker_names() {
  static const std::vector<std::string> names{"auto", "smt",     "live",    "acs",
                                              "zcs",  "binding", "explicit"};
  return names;
}

std::vector<Outcome> check_all(const Automaton& ta, const CheckOptions& options) {
  return Portfolio(ta, options).run();
}

}  // namespace thresher::verify
