// Looking for trouble: from each seed a schedule of faults, delays and partitions is drawn, run and
// judged, on all cores.
//
//   auto report = fuzz({experiment}, [](const Experiment& e) { return simulate(e, {}); },
//                      {.first = 1, .last = 100'000, .jobs = 8});
//   if (report && report->violation) shrink(report->violation->experiment, ...);   // shrink.hpp
//
// Guarantees: a schedule is a function of (experiment, seed); what an experiment says already stays
// in it. No more than f nodes become faulty, unless it says `beyond_f`. The reported failures are
// those of the lowest seeds, for any number of threads. Does not make a failure small.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "thresher/core/error.hpp"
#include "thresher/sim/experiment.hpp"
#include "thresher/sim/outcome.hpp"

namespace thresher::sim {

/// What schedules are drawn from.
struct Menu {
  std::vector<FaultKind> faults{};    ///< of nodes; empty: every kind but floods and coin shares
  std::vector<std::string> fields{};  ///< that equivocators and mutations may name
  bool network = true;                ///< delays, schedulers, starved links, partitions, GST
  bool lawless = false;       ///< in half of the schedules nothing has to arrive before the end
  bool forges = false;        ///< liars forge, in lawless schedules and in some others
  bool denies = false;        ///< and leave questions unanswered
  bool stuffs = false;        ///< and answer with what fills memory
  bool restarts = true;       ///< correct nodes crash and come back, beside the f
  bool power_cuts = true;     ///< or all of them at once
  bool long_sieges = false;   ///< some nodes are cut off for very long; of protocols that bear it
  std::uint32_t largest = 0;  ///< payloads of now and then, in bytes; 0: as the workload says
  /// What ProtocolInfo says of the same names: restarts strike at moments, now and then limits are
  /// small and payloads and liars come near them, and memory is shorter than a run.
  std::vector<std::string> moments{};
  std::vector<std::pair<std::string, std::int64_t>> limits{};
  std::uint32_t near_payload = 0;
  std::pair<std::string, std::int64_t> memory{};
  /// The standard value of parameters: such a one may be drawn, any other is kept.
  std::map<std::string, Parameter> standard{};
  std::pair<std::string, std::int64_t> kept{};  ///< set so wherever the experiment is silent
  std::string two_delays{};                     ///< likewise: now and then some votes commit sooner
  /// Two thirds of the schedules go by phases, with what is known to break agreement: splits that
  /// change, liars with two faces, liars that say what others say, messages of a label that come
  /// last.
  bool tactics = false;
  std::vector<std::string> labels{};  ///< of messages, that those schedules single out
};

/// The menu that fits a protocol of the registry; the plain one for others.
Menu menu_of(const std::string& protocol);

/// `base` with the faults and the network of `seed` added, and that seed. Valid if `base` is.
Experiment draw_schedule(const Experiment& base, std::uint64_t seed, const Menu& menu);

/// Whatever runs an experiment: simulate(), or run() with a subject of one's own.
using Runner = std::function<Outcome(const Experiment&)>;

struct FuzzProgress {
  std::uint64_t done = 0;
  std::uint64_t total = 0;
  std::uint64_t no_progress = 0;
  std::uint64_t violated = 0;
};

struct FuzzOptions {
  std::uint64_t first = 1;  ///< seeds, both inclusive
  std::uint64_t last = 1000;
  unsigned jobs = 1;        ///< threads; fewer where no more can be started
  bool keep_going = false;  ///< run the rest of the seeds after a violation
  Menu menu{};
  /// What is run for a seed; empty: draw_schedule with the menu. Pre: a function of its arguments.
  std::function<Experiment(const Experiment& base, std::uint64_t seed)> draw{};
  std::function<void(const FuzzProgress&)> progress{};  ///< one call at a time
  /// Told every run, in any order, one call at a time.
  std::function<void(const Experiment&, const Outcome&)> observe{};
};

struct Failure {
  Experiment experiment;
  Outcome outcome;
};

struct FuzzReport {
  std::uint64_t runs = 0;
  std::uint64_t no_progress = 0;
  std::uint64_t violated = 0;
  std::uint64_t messages = 0;                         ///< delivered in all runs
  std::uint64_t decisions = 0;                        ///< of one correct node, in all runs
  std::uint64_t actions = 0;                          ///< fault actions drawn
  std::uint64_t fired = 0;                            ///< of those, that changed something
  std::array<std::uint64_t, kFaultKinds> drawn_of{};  ///< the same, by kind
  std::array<std::uint64_t, kFaultKinds> fired_of{};
  std::uint64_t restarts = 0;          ///< of nodes that came back
  std::uint64_t accusations = 0;       ///< that correct nodes put forward
  std::uint64_t liars_requests = 0;    ///< instances that Byzantine nodes began, but for the first
  std::uint64_t healed = 0;            ///< runs that went on until they had to have healed
  Judged judged{};                     ///< in all runs
  std::optional<Failure> violation{};  ///< of the lowest seed that violates
  std::optional<Failure> stall{};      ///< of the lowest seed that makes no progress
};

/// Seed s runs bases[s % size]. Pre: `bases` is not empty. kRejected: the run of a seed
/// broke off (an exception); `where` is "seed 7".
Result<FuzzReport, Error> fuzz(const std::vector<Experiment>& bases, const Runner& run,
                               const FuzzOptions& options);

}  // namespace thresher::sim
