#include "thresher/sim/fuzz.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

namespace thresher::sim {
namespace {

class Campaign {
 public:
  Campaign(const std::vector<Experiment>& bases, const Runner& run, const FuzzOptions& options)
      : bases_(bases), run_(run), options_(options), next_(options.first), end_(options.last) {}

  void work() {
    std::vector<std::thread> threads;
    const std::uint64_t seeds = options_.last - options_.first + 1;
    const std::uint64_t useful = std::min<std::uint64_t>(options_.jobs, seeds);
    try {
      for (std::uint64_t t = 1; t < useful; ++t) threads.emplace_back([this] { take_seeds(); });
    } catch (const std::system_error&) {  // the others do its work
    }
    take_seeds();
    for (std::thread& thread : threads) thread.join();
  }
  // What one thread would have come to: it stops at the first violation, unless it keeps going, and
  // wherever a run broke off.
  Result<FuzzReport, Error> take() {
    const auto& violation = report_.violation;
    const bool ends = violation && !options_.keep_going;
    const std::uint64_t last = ends ? violation->experiment.seed : options_.last;
    if (broke_ && broke_->seed <= last) return broke_->error;
    if (report_.stall && report_.stall->experiment.seed > last) report_.stall.reset();
    return std::move(report_);
  }

 private:
  struct Broken {
    std::uint64_t seed = 0;
    Error error;
  };

  // Seeds are taken in order, so when one fails all lower ones are done, on their way, or taken by
  // a thread that is about to begin: those count, so none is passed over.
  void take_seeds() {
    for (std::uint64_t seed = next_++; seed <= end_; seed = next_++) {
      try {
        const Experiment& base = bases_[seed % bases_.size()];
        const Experiment e =
            options_.draw ? options_.draw(base, seed) : draw_schedule(base, seed, options_.menu);
        note(e, run_(e));
      } catch (const std::bad_alloc&) {
        break_off(seed, "out of memory");
      } catch (const std::exception& error) {
        break_off(seed, error.what());
      } catch (...) {
        break_off(seed, "something was thrown that is no std::exception");
      }
    }
  }

  void break_off(std::uint64_t seed, const char* why) {
    const std::lock_guard lock(mutex_);
    end_at(seed);
    if (broke_ && broke_->seed < seed) return;
    const std::string where = "seed " + std::to_string(seed);
    broke_ = Broken{seed, {ErrorCode::kRejected, where + " broke off: " + why, where}};
  }

  void note(const Experiment& e, const Outcome& o) {
    const std::lock_guard lock(mutex_);
    ++report_.runs;
    report_.messages += o.messages;
    report_.decisions += o.decisions;
    report_.actions += e.faults.size();
    report_.fired += o.faults_fired;
    for (const FaultAction& a : e.faults) ++report_.drawn_of[static_cast<std::size_t>(a.what)];
    for (std::size_t k = 0; k < kFaultKinds; ++k) report_.fired_of[k] += o.fired[k];
    report_.restarts += o.restarts;
    report_.accusations += o.accusations;
    report_.liars_requests += o.liars_requests;
    report_.healed += o.healed ? 1 : 0;
    report_.judged.shown += o.judged.shown;
    report_.judged.validity += o.judged.validity;
    report_.judged.once += o.judged.once;
    if (o.verdict == Verdict::kNoProgress) {
      ++report_.no_progress;
      keep(report_.stall, e, o);
    }
    if (o.verdict == Verdict::kViolated) {
      ++report_.violated;
      keep(report_.violation, e, o);
      if (!options_.keep_going) end_at(e.seed);
    }
    if (options_.observe) options_.observe(e, o);
    if (options_.progress) {
      options_.progress({report_.runs, options_.last - options_.first + 1, report_.no_progress,
                         report_.violated});
    }
  }
  // Seeds above it are not run. Pre: the lock is held.
  void end_at(std::uint64_t seed) { end_ = std::min(end_.load(), seed); }
  static void keep(std::optional<Failure>& lowest, const Experiment& e, const Outcome& o) {
    if (!lowest || e.seed < lowest->experiment.seed) lowest = Failure{e, o};
  }

  const std::vector<Experiment>& bases_;
  const Runner& run_;
  const FuzzOptions& options_;
  std::atomic<std::uint64_t> next_;
  std::atomic<std::uint64_t> end_;
  std::mutex mutex_;
  std::optional<Broken> broke_;  // of the lowest seed
  FuzzReport report_;
};

}  // namespace

Result<FuzzReport, Error> fuzz(const std::vector<Experiment>& bases, const Runner& run,
                               const FuzzOptions& options) {
  Campaign campaign(bases, run, options);
  campaign.work();
  return campaign.take();
}

}  // namespace thresher::sim
