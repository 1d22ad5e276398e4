// Certified vertices that are held become accepted once all that they refer to is. Rules R3 and R8.
//
//   Admission admission({config, store, asking, pacemaker, from_log, undelivered, records, stats});
//   store.insert(vertex);
//   if (admission.acceptable(ref, peer)) completed = admission.settle({ref}, fx);
//   admission.forget(floor, freed);            // they may be acceptable now
//
// Guarantees: those of chassis/waits.hpp, which it owns. What is accepted is on the disk, and one
// vertex after the other: nothing is before what it refers to. What is missing is asked for. Holds
// nothing and checks nothing.
#pragma once

#include <vector>

#include "../chassis/beside.hpp"
#include "../chassis/waits.hpp"
#include "asking.hpp"
#include "log_vertices.hpp"
#include "pacemaker.hpp"
#include "records.hpp"
#include "undelivered.hpp"

namespace thresher::certified {

class Admission {
 public:
  using Fx = Bullshark::Fx;
  struct With {
    const Config& config;
    Store& store;
    Asking& asking;
    Pacemaker& pacemaker;
    LogVertices& from_log;
    Undelivered& undelivered;
    const Records& records;
    Stats& stats;
  };
  explicit Admission(const With& with);

  /// True when every parent is settled; else registers what is missing, as `from` referred to it,
  /// and what it waits for. Pre: it is held.
  bool acceptable(const Ref& ref, NodeId from);
  /// Accepts those of `ready` that are acceptable, and what waited for them. True: a round is
  /// complete now.
  bool settle(std::vector<Ref> ready, Fx& fx);

  /// Appends those that waited for a vertex that was accepted otherwise, or for what lies at or
  /// below the floor.
  void wake(const Ref& ref, std::vector<Ref>& ready) { waits_.wake(ref, ready); }
  void forget(Round floor, std::vector<Ref>& ready) { waits_.forget(floor, ready); }
  std::size_t waiting() const { return waits_.size(); }

 private:
  chassis::Waits<Ref> waits_;
  chassis::Beside<const Config> config_;
  chassis::Beside<Store> store_;
  chassis::Beside<Asking> asking_;
  chassis::Beside<Pacemaker> pacemaker_;
  chassis::Beside<LogVertices> from_log_;
  chassis::Beside<Undelivered> undelivered_;
  chassis::Beside<const Records> records_;
  chassis::Beside<Stats> stats_;
};

}  // namespace thresher::certified
