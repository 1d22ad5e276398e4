#include "portfolio.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "budget.hpp"

namespace thresher::verify {
namespace {

/// Threads where something may run for ever beside what ends soon.
constexpr unsigned kLeastThreads = 3;
/// What a checker gets before the next one competes with it for the cores.
constexpr double kHeadStart = 0.4;
/// What checkers get to come to an end once nobody waits for their answer any more.
constexpr double kGrace = 0.2;

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

/// Owned by the call and by each of its threads, of which some may outlive the call.
class Portfolio : public std::enable_shared_from_this<Portfolio> {
 public:
  Portfolio(const Automaton& ta, const CheckOptions& options, AskChecker ask)
      : ta_(ta), options_(options), ask_(std::move(ask)), budget_(options.seconds, nullptr) {
    for (const Property& p : ta_.properties) {
      const auto& only = options.only;
      if (!only.empty() && std::find(only.begin(), only.end(), p.name) == only.end()) continue;
      Question& q = questions_.emplace_back();
      q.property = &p;
      q.checkers = checkers_for(ta_, p, options.checker);
      q.patient = q.checkers.front() == "live";
    }
  }

  std::vector<Outcome> run() {
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    unsigned count = options_.threads == 0 ? cores : options_.threads;
    if (options_.checker == "auto" && lowers(ta_)) count = std::max(count, kLeastThreads);
    std::vector<std::thread> threads;
    ended_threads_.resize(count);
    for (unsigned t = 0; t < count; ++t) {
      threads.emplace_back([self = shared_from_this(), t] {
        self->work();
        const std::lock_guard lock(self->mutex_);
        self->ended_threads_[t] = true;
        self->changed_.notify_all();
      });
    }
    std::unique_lock lock(mutex_);
    wait(lock);
    closed_ = true;
    for (Question& q : questions_) close(q);
    const std::vector<bool> ended = ended_threads_;
    std::vector<Outcome> outcomes;
    for (const Question& q : questions_) outcomes.push_back(q.outcome);
    lock.unlock();
    for (unsigned t = 0; t < count; ++t) ended[t] ? threads[t].join() : threads[t].detach();
    const bool left = std::find(ended.begin(), ended.end(), false) != ended.end();
    for (Outcome& o : outcomes) o.left_behind = left;
    return outcomes;
  }

 private:
  // Until all threads have ended, or for a moment longer than anybody needs their answers.
  void wait(std::unique_lock<std::mutex>& lock) {
    const auto ended = [this] {
      return std::find(ended_threads_.begin(), ended_threads_.end(), false) == ended_threads_.end();
    };
    const auto decided = [](const Question& q) { return q.decided.load(); };
    const auto answered = [&] {
      return ended() || std::all_of(questions_.begin(), questions_.end(), decided);
    };
    (void)changed_.wait_until(lock, budget_.deadline(), answered);
    (void)changed_.wait_for(lock, std::chrono::duration<double>(kGrace), ended);
  }

  // What is unfinished when the call ends is unknown, and its checkers are told to end.
  void close(Question& q) {
    if (!q.decided.exchange(true) && q.ended < q.begun) {
      Outcome late;
      late.checker = q.checkers[q.begun - 1];
      late.why = "no answer within the time";
      late.seconds = options_.seconds;
      ++q.ended;
      record(q, std::move(late));
    } else if (q.outcome.checker.empty()) {
      q.outcome.checker = q.checkers.front();
      q.outcome.why = "the time for the whole call was over";
    }
  }

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
    while (!closed_ && std::any_of(questions_.begin(), questions_.end(), open)) {
      Question* const q = next();
      if (q == nullptr) {
        (void)changed_.wait_for(lock, std::chrono::milliseconds(20));
        continue;
      }
      const std::string checker = q->checkers[q->begun++];
      q->last_begun = budget_.used();
      lock.unlock();
      Outcome outcome =
          ask_(ta_, *q->property, checker, budget_.left(), {&q->decided, options_.keep_proofs});
      if (outcome.checker.empty()) outcome.checker = checker;
      lock.lock();
      if (closed_) return;
      ++q->ended;
      record(*q, std::move(outcome));
      changed_.notify_all();
    }
  }

  static void record(Question& q, Outcome outcome) {
    if (q.outcome.verdict != Verdict::kUnknown) return;
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

  const Automaton ta_;
  const CheckOptions options_;
  const AskChecker ask_;
  const Budget budget_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Question> questions_;
  std::vector<bool> ended_threads_;
  bool closed_ = false;
};

}  // namespace

const std::vector<std::string>& checker_names() {
  static const std::vector<std::string> names{"auto", "smt",     "live",    "acs",
                                              "zcs",  "binding", "explicit"};
  return names;
}

std::vector<Outcome> run_portfolio(const Automaton& ta, const CheckOptions& options,
                                   const AskChecker& ask) {
  return std::make_shared<Portfolio>(ta, options, ask)->run();
}

std::vector<Outcome> check_all(const Automaton& ta, const CheckOptions& options) {
  return run_portfolio(ta, options, check_one);
}

}  // namespace thresher::verify
