// A run as it goes on: the workload, when to stop, what is judged at the end. One object lives for
// one experiment; the files beside this one hold its parts.
//
//   return Run(nodes, insight, experiment, options).go();
//
// Guarantees: those of the public run.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "thresher/sim/commits.hpp"
#include "thresher/sim/insight.hpp"
#include "thresher/sim/measure.hpp"
#include "thresher/sim/oracles.hpp"
#include "thresher/sim/pools.hpp"
#include "thresher/sim/vertex_times.hpp"
#include "thresher/sim/world.hpp"

namespace thresher::sim {

class Run {
 public:
  Run(Nodes& nodes, const Insight& insight, const Experiment& experiment,
      const RunOptions& options);
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  Outcome go();

 private:
  static constexpr Ticks kNone = ~Ticks{0};

  void listen();
  Ticks next_event();
  // Runs what is next, and with it what is before `until`.
  void advance(Ticks to, Ticks until);
  static NodeId node_id(std::uint32_t i) { return NodeId{static_cast<std::uint16_t>(i)}; }
  std::vector<NodeId> correct_and_up() const;

  // --- when to stop ---------------------------------------------------------------------------

  // What takes one Delta by the promises of protocols: more where some way is longer than that.
  Ticks longest() const;
  Ticks quiet_from() const;
  Ticks bound() const;
  // The same, whatever the experiment says of liveness.
  Ticks promised() const;
  // The length of timers when the network becomes well is part of the bound.
  void note_calm();
  // No run is longer, whatever it waits for.
  Ticks limit() const;
  bool timed() const;
  // Looked at once a unit of time.
  bool stopped();
  // A stop to which every node must come, and one that nobody can help any more.
  bool out_of_reach() const;
  bool stopped_by(const Stop& stop) const;
  // Of the stop that is nearest.
  void tell_how_far() const;
  void look_at_held();
  // Nothing that a peer can fill holds more than it ever may.
  void check_bounds();
  void note_fullest(const Bound& seen);
  std::uint64_t lowest_round() const;
  std::uint64_t lowest_length() const;

  // --- workload -------------------------------------------------------------------------------

  void begin_workload();
  // Nobody can tell when a request of a liar is served, so they come at their own pace.
  void submit_at_liars();
  // A crash loses what a node was asked for and had not said yet: its clients ask again. One of
  // the f is asked again only for what came while it was down, which it never heard of: else it
  // would be blamed for a silence that no request could end.
  void ask_again();
  void submit_everywhere();
  bool may_submit() const;
  // The workload has an end, and correct nodes delivered all that they were asked for.
  bool all_done() const;
  // At the node that orders requests, if it is known and correct: nothing is forwarded then.
  void submit_alone(Ticks at_time);
  // The last of `count` requests, if there were any.
  std::optional<PayloadId> submit(NodeId id, Ticks at, std::uint64_t count = 1);
  PayloadId hand_out(NodeId id, Ticks at);
  // Hands a node what it packs of its pool, for as long as it is to have more. Pre: a step of the
  // node is just over, or it was woken.
  void feed(NodeId id);

  // --- outputs --------------------------------------------------------------------------------

  void each_request(ByteView payload, const std::function<void(ByteView)>& visit) const;
  void delivered(NodeId id, const OutputFacts& facts, const Said& said);
  void in_part(NodeId id, std::uint64_t key, const Said& said);
  void ordered(NodeId id, const Said& said);
  void settled(PayloadId id);

  // --- the end --------------------------------------------------------------------------------

  void finish();
  // Why nobody can say of the run, at its stop, whether it was too slow; empty if one can.
  std::string why_unjudged() const;
  // Until when what is owed at the stop is waited for, from `begin`.
  Ticks grace(Ticks begin) const;
  // New work goes on meanwhile: a request may need that others are asked for something, too.
  void await_requests();
  // Nodes that lag get the time to catch up with what is known now.
  void settle();
  void missed(NodeId id, std::uint64_t target);
  // Nothing is promised of more than f faulty nodes, and nothing has to heal where all went well.
  bool heals() const;
  // New work goes on meanwhile: what only comes about when all are idle has not healed.
  void heal();
  void wait_until_healed();
  // Which correct node was away for longer than any other that is up remembers, in words; empty:
  // none. On a network its host takes over the log, here nobody does.
  std::string left_behind() const;
  // What only the subject can judge: the protocol's proof, or the state of its nodes.
  void audit();
  Outcome outcome();
  void conclude(Outcome& out);

  CpuClock clock_;
  MemoryMeter memory_;
  const Insight& insight_;
  const Insight::Traits traits_;
  Experiment experiment_;
  std::atomic<std::uint32_t>* done_ppm_;  // null: nobody asks
  World world_;
  Ticks promised_;  // promised(), at the start and then from when all is calm
  Judge judge_;
  Commits commits_;
  Pools pools_;
  Served served_;
  std::vector<std::uint64_t> held_;
  std::vector<std::uint64_t> next_number_;
  std::optional<PayloadId> lone_;  // of one_at_a_time: the request in flight
  std::uint64_t submitted_ = 0;
  std::uint64_t accusations_ = 0;
  std::uint64_t restarts_ = 0;
  std::uint64_t liars_requests_ = 0;
  std::vector<std::uint64_t> missed_;  // requests that came while a node was down, by node
  std::vector<NodeId> back_;           // nodes that restarted, Byzantine ones left out
  bool healed_ = false;                // it was waited for
  std::string unjudged_;               // why_unjudged(), of the stop
  VertexTimes vertices_;
  bool settling_ = false;
  std::vector<Bound> fullest_;  // by what it is
  bool calm_ = false;           // network and faults leave the run alone
  Ticks now_ = 0;
  Ticks next_open_ = kNone;
  Ticks next_lie_ = kNone;
  Ticks next_check_ = 0;
};

}  // namespace thresher::sim
