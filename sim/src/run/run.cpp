#include "run/run.hpp"

#include <algorithm>
#include <string>

#include "thresher/sim/run.hpp"

namespace thresher::sim {

Run::Run(Nodes& nodes, const Insight& insight, const Experiment& experiment,
         const RunOptions& options)
    : insight_(insight),
      traits_(insight.traits()),
      experiment_(experiment),
      done_ppm_(options.done_ppm),
      world_(nodes, experiment, options.trace),
      promised_(promised()),
      judge_(experiment, world_.faults(),
             {.ordered = traits_.ordered, .quiet_from = quiet_from(), .bound = bound()}),
      commits_(experiment),
      pools_(experiment.workload, experiment.n),
      next_number_(experiment.n, 1),
      missed_(experiment.n),
      vertices_(experiment.n) {
  listen();
}

void Run::listen() {
  world_.on_output = [this](NodeId id, const OutputFacts& facts, const Said& said) {
    delivered(id, facts, said);
  };
  world_.on_accuse = [this](NodeId by, NodeId who) {
    accusations_ += world_.correct(by) ? 1 : 0;
    judge_.accused(by, who);
  };
  world_.on_broken = [this](NodeId id, const std::string& what) {
    judge_.violated("invariant", "node " + std::to_string(id.value) + ": " + what);
  };
  if (traits_.names_vertices)
    world_.on_born = [this](const VertexName& name) { vertices_.sent(name, world_.now()); };
  if (pools_.on()) world_.on_step = [this](NodeId id) { feed(id); };
  world_.on_missed = [this](NodeId id) { ++missed_[id.value]; };
  world_.on_restart = [this](NodeId id) {
    judge_.restarted(id, world_.now());
    commits_.restarted(id);
    if (pools_.on()) pools_.lost(id);
    ++restarts_;
    if (world_.correct(id)) back_.push_back(id);
  };
}

Outcome Run::go() {
  world_.start();
  begin_workload();
  const Ticks limit = this->limit();
  while (!judge_.failed() && !stopped()) {
    const Ticks next = next_event();
    if (next > limit) {
      now_ = limit;
      break;
    }
    advance(next, limit == kNone ? limit : limit + 1);
  }
  if (!judge_.failed()) finish();
  Outcome out = outcome();
  if (!judge_.failed()) heal();
  if (judge_.verdict() != Verdict::kViolated) audit();
  conclude(out);
  return out;
}

Ticks Run::next_event() {
  return std::min({world_.next_time(), next_open_, next_lie_});
}

void Run::advance(Ticks to, Ticks until) {
  now_ = to;
  const Ticks work = std::min(next_open_, next_lie_);
  if (world_.next_time() == to) {
    if (work == to) {
      world_.run_instant(to);
    } else {
      world_.run(to, std::min(until, work));
    }
    now_ = world_.now();
  }
  if (next_open_ == to) submit_everywhere();
  if (next_lie_ == to) submit_at_liars();
  note_calm();
  ask_again();
  if (lone_ && !world_.up(lone_->author)) submit_alone(now_);
  // The latest requests are packed by a later step of the same instant.
  if (pools_.on() && world_.next_time() > now_) pools_.look(correct_and_up());
}

std::vector<NodeId> Run::correct_and_up() const {
  std::vector<NodeId> ids;
  for (std::uint32_t i = 0; i < experiment_.n; ++i) {
    if (world_.correct(node_id(i)) && world_.up(node_id(i))) ids.push_back(node_id(i));
  }
  return ids;
}

Outcome run_nodes(Nodes& nodes, const Insight& insight, const Experiment& experiment,
                  const RunOptions& options) {
  return Run(nodes, insight, experiment, options).go();
}

}  // namespace thresher::sim
