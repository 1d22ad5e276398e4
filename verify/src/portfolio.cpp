#include "portfolio.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <tuple>

#include "budget.hpp"
#include "cells.hpp"
#include "second_encoding.hpp"

namespace thresher::verify {
namespace {

/// Threads where something may run for ever beside what ends soon.
constexpr unsigned kLeastThreads = 3;
/// What a checker gets before the next one competes with it for the cores.
constexpr double kHeadStart = 0.4;
/// The shortest slice of a checker that others wait behind.
constexpr double kLeastSlice = 0.5;
/// A later slice is so many times as long as the one before: what was cut off costs no more than
/// what the checker gets in the end.
constexpr double kLonger = 2;
/// A checker that ends with less than this share of its slice left was cut off by it.
constexpr double kNearlyOver = 0.1;
/// What running small instances may take before a property is called safe.
constexpr double kRehearsal = 0.05;
/// It may take so many times as long where the smallest instances are large.
constexpr double kWholeRehearsal = 5;
/// What checkers get to come to an end once nobody waits for their answer any more.
constexpr double kGrace = 0.2;

bool lowers(const Automaton& ta) {
  return std::any_of(ta.rules.begin(), ta.rules.end(), [](const Rule& r) {
    return std::any_of(r.updates.begin(), r.updates.end(),
                       [](const Update& u) { return u.reset || u.amount < 0; });
  });
}

bool asked_for(const CheckOptions& options, const Property& p) {
  const auto& only = options.only;
  return only.empty() || std::find(only.begin(), only.end(), p.name) != only.end();
}

/// The likeliest to answer first. An `explicit` at the end waits for the others: it proves nothing.
std::vector<std::string> checkers_for(const Automaton& ta, const Property& p,
                                      const std::string& asked) {
  if (asked != "auto") return {asked};
  if (p.fork && lowers(ta)) return {"explicit"};
  if (p.fork) return {"binding", "explicit"};
  if (p.category() != "safety") return {"live", "explicit"};
  if (lowers(ta)) return {"zcs", "explicit", "acs"};
  return {"smt", "zcs", "acs", "explicit"};
}

CheckResult check_one(const Automaton& ta, const Property& p, const std::string& checker,
                      double seconds, const CheckControl& control) {
  CheckResult none;
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

/// One checker on one property, in slices of time: each begins anew, so that one that needs long
/// does not keep the others from the cores.
struct Try {
  std::string checker;
  unsigned slices = 0;  ///< that it got
  double slice = 0;     ///< the last one
  bool last = false;    ///< it begins when all others have ended
  bool running = false;
  bool ended = false;  ///< it said why it has no answer, or gave one
  std::string why;     ///< of no answer, once it has begun
  double seconds = 0;  ///< of its last slice
};

/// A property and where its checkers stand.
struct Question {
  const Property* property = nullptr;
  std::vector<Try> tries;
  unsigned rank = 0;                 ///< what is likelier to be quick comes first
  double last_begun = 0;             ///< seconds since the call began
  std::atomic<bool> decided{false};  ///< ends the checkers that still run
  CheckResult outcome;
};

/// Owned by the call and by each of its threads, of which some may outlive the call.
class Portfolio : public std::enable_shared_from_this<Portfolio> {
 public:
  Portfolio(const Automaton& ta, const CheckOptions& options, AskChecker ask)
      : ta_(ta), options_(options), ask_(std::move(ask)), budget_(options.seconds, nullptr) {
    for (const Property& p : ta_.properties) {
      if (!asked_for(options, p)) continue;
      Question& q = questions_.emplace_back();
      q.property = &p;
      for (std::string& name : checkers_for(ta_, p, options.checker)) {
        q.tries.emplace_back().checker = std::move(name);
      }
      q.tries.back().last = q.tries.size() > 1 && q.tries.back().checker == "explicit";
      q.rank = p.category() == "liveness" ? 1 : 0;
    }
  }

  std::vector<CheckResult> run() {
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    unsigned count = options_.threads == 0 ? cores : options_.threads;
    if (options_.checker == "auto" && lowers(ta_)) count = std::max(count, kLeastThreads);
    std::vector<std::thread> threads = start(count);
    count = static_cast<unsigned>(threads.size());
    std::unique_lock lock(mutex_);
    wait(lock);
    closed_ = true;
    for (Question& q : questions_) close(q);
    const std::vector<bool> ended = ended_threads_;
    std::vector<CheckResult> outcomes;
    for (const Question& q : questions_) outcomes.push_back(q.outcome);
    lock.unlock();
    for (unsigned t = 0; t < count; ++t) ended[t] ? threads[t].join() : threads[t].detach();
    const bool left = std::find(ended.begin(), ended.end(), false) != ended.end();
    for (CheckResult& o : outcomes) o.left_behind = left;
    return outcomes;
  }

 private:
  // As many as the machine gives. Throws std::system_error where that is none.
  std::vector<std::thread> start(unsigned count) {
    std::vector<std::thread> threads;
    ended_threads_.resize(count);
    for (unsigned t = 0; t < count; ++t) {
      try {
        threads.emplace_back([self = shared_from_this(), t] {
          self->work();
          const std::lock_guard lock(self->mutex_);
          self->ended_threads_[t] = true;
          self->changed_.notify_all();
        });
      } catch (const std::system_error&) {
        if (t == 0) throw;
        const std::lock_guard lock(mutex_);
        ended_threads_.resize(t);
        break;
      }
    }
    return threads;
  }
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

  // Questions unfinished when the call ends are unknown, and their checkers are stopped.
  void close(Question& q) {
    if (q.decided.exchange(true)) return;
    CheckResult& out = q.outcome;
    out = {};
    std::size_t named = 0;
    for (const Try& t : q.tries) {
      if (t.slices == 0) continue;
      const bool alone = q.tries.size() == 1;
      std::string why = t.why.empty() ? "no answer within the time" : t.why;
      if (const auto advice = why.find(kAskAnother); !alone && advice != std::string::npos) {
        why.erase(advice, kAskAnother.size());  // the others were asked
      }
      out.why += (named == 0 ? "" : "; ") + (alone ? why : t.checker + ": " + why);
      out.checker += (named == 0 ? "" : ", ") + t.checker;
      out.seconds = std::max(out.seconds, t.running ? budget_.used() : t.seconds);
      ++named;
    }
    if (named == 0) {
      out.checker = q.tries.front().checker;
      out.why = "the time for the whole call was over";
    }
  }

  struct Choice {
    Question* question = nullptr;
    Try* attempt = nullptr;
    std::size_t waiting = 0;  ///< how many could run now
    std::tuple<unsigned, unsigned> order;
  };
  // Fewest slices first, a question's second checker counting as one more; among those safety
  // before liveness. Nothing while all have their head start.
  Choice next() {
    Choice best;
    for (Question& q : questions_) {
      if (q.decided) continue;
      const auto running = [](const Try& t) { return t.running; };
      const bool busy = std::any_of(q.tries.begin(), q.tries.end(), running);
      const bool head_start = busy && budget_.used() < q.last_begun + kHeadStart;
      for (unsigned i = 0; i < q.tries.size(); ++i) {
        Try& t = q.tries[i];
        if (t.running || t.ended || head_start) continue;
        if (t.last && !others_ended(q)) continue;
        ++best.waiting;
        const std::tuple order(t.slices + i, q.rank);
        if (best.attempt != nullptr && best.order <= order) continue;
        best.question = &q;
        best.attempt = &t;
        best.order = order;
      }
    }
    return best;
  }
  static bool others_ended(const Question& q) {
    return std::all_of(q.tries.begin(), q.tries.end() - 1, [](const Try& t) { return t.ended; });
  }
  // An equal share of what is left, unless that would be a slice like the one that did not suffice.
  // Nobody waits behind the last one: it is not cut off.
  double slice_of(const Try& t, std::size_t waiting, double left) const {
    if (waiting == 1) return left;
    const double share =
        left * static_cast<double>(ended_threads_.size()) / static_cast<double>(waiting);
    return std::min(left, std::max({kLeastSlice, share, kLonger * t.slice}));
  }
  bool anything_left() const {
    const auto unfinished = [](const Try& t) { return !t.ended; };
    return std::any_of(questions_.begin(), questions_.end(), [&](const Question& q) {
      return !q.decided && std::any_of(q.tries.begin(), q.tries.end(), unfinished);
    });
  }

  void work() {
    std::unique_lock lock(mutex_);
    while (!closed_ && anything_left()) {
      const Choice choice = next();
      if (choice.attempt == nullptr) {
        (void)changed_.wait_for(lock, std::chrono::milliseconds(20));
        continue;
      }
      Question& q = *choice.question;
      Try& t = *choice.attempt;
      const double left = budget_.left();
      const double slice = slice_of(t, choice.waiting, left);
      ++t.slices;
      t.slice = slice;
      t.running = true;
      q.last_begun = budget_.used();
      lock.unlock();
      const Budget own(slice, nullptr);
      CheckResult outcome =
          ask_(ta_, *q.property, t.checker, slice, {&q.decided, options_.keep_proofs});
      const bool cut_off = own.left() <= kNearlyOver * slice && slice < left;
      if (outcome.checker.empty()) outcome.checker = t.checker;
      lock.lock();
      if (closed_) return;
      record(q, t, std::move(outcome), cut_off);
      changed_.notify_all();
    }
  }

  static void record(Question& q, Try& t, CheckResult outcome, bool cut_off) {
    t.running = false;
    t.seconds = outcome.seconds;
    if (outcome.verdict == Safety::kUnknown && cut_off) return;
    t.ended = true;
    t.why = outcome.why;
    if (outcome.verdict == Safety::kUnknown || q.decided.exchange(true)) return;
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

namespace {

// Another encoding, where there is one, instead of what the checker itself asked the solver.
void write_again(const Automaton& ta, const Property& p, CheckResult& out) {
  auto second = second_encoding(ta, p);
  if (!second) return;
  out.proofs = {std::move(second->text)};
  out.coarse_proofs = !second->exact;
}

}  // namespace

AskChecker rehearsed(const Automaton& ta, double patience, AskChecker ask) {
  const auto given = std::make_shared<const Automaton>(ta);  // who is left behind works on
  return [given, patience, ask = std::move(ask)](const Automaton& easier, const Property& p,
                                                 const std::string& checker, double seconds,
                                                 const CheckControl& control) {
    const Budget own(seconds, nullptr);
    CheckResult out = ask(easier, p, checker, seconds, control);
    if (out.verdict != Safety::kSafe) return out;
    Rehearsal small =
        rehearse(*given, p, std::min(patience, own.left() / kWholeRehearsal), control);
    out.instances = small.instances;
    out.no_instances = std::move(small.why_none);
    if (!small.witness) {
      if (control.keep_proofs) write_again(*given, p, out);
      return out;
    }
    out.overruled = out.checker;
    out.checker = "explicit";
    out.verdict = Safety::kViolated;
    out.witness = std::move(small.witness);
    out.futures = std::move(small.futures);
    out.proofs.clear();
    return out;
  };
}

std::vector<CheckResult> run_portfolio(const Automaton& ta, const CheckOptions& options,
                                       const AskChecker& ask) {
  return std::make_shared<Portfolio>(ta, options, ask)->run();
}

std::vector<CheckResult> check_all(const Automaton& ta, const CheckOptions& options) {
  const Budget budget(options.seconds, nullptr);
  const auto instance = options.instance_known ? Result<Unit, Error>(Unit{})
                                               : check_instance(ta, options.seconds / 10);
  if (!instance) {
    CheckResult none;
    none.why = instance.error().text();
    none.checker = options.checker;
    const auto wanted = [&](const Property& p) { return asked_for(options, p); };
    const auto count = std::count_if(ta.properties.begin(), ta.properties.end(), wanted);
    return std::vector(static_cast<std::size_t>(count), none);
  }
  const Automaton simple = simplified(ta, options.seconds / 10);
  CheckOptions rest = options;
  rest.seconds = std::max(0.0, budget.left());
  return run_portfolio(simple, rest, rehearsed(ta, kRehearsal, check_one));
}

}  // namespace thresher::verify
