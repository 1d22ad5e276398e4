// A world as it is made, and the instants that it runs.
#include "thresher/sim/world.hpp"

#include "luck.hpp"
#include "world/state.hpp"

namespace thresher::sim {

World::World(Nodes& nodes, const Experiment& experiment, TraceSink* trace)
    : nodes_(nodes),
      skills_(nodes.skills()),
      n_(experiment.n),
      rounds_(experiment.engine != Engine::kEvents),
      seed_(experiment.seed),
      delta_(experiment.network.delta),
      costs_(experiment.costs),
      signer_(experiment),
      faults_(experiment),
      links_(experiment, faults_.faulty()),
      hunt_(experiment, faults_.faulty()),
      calendar_(rounds_ ? kUnit : std::max<Ticks>(1, links_.longest() / 256)),
      trace_(trace) {
  if (rounds_) costs_ = {};
  nic_bits_per_s_ = rounds_ ? 0 : experiment.network.nic_bits_per_s;
  nic_saves_up_ = experiment.network.nic_saves_up;
  lookahead_ = rounds_ ? 0 : lookahead_of(experiment);
  charges_ = costs_.sign_ns + costs_.verify_ns + costs_.hash_ns_per_kb > 0;
  nodes_.live_in(*this);
  for (std::uint32_t i = 0; i < n_; ++i) {
    first_face_.push_back(static_cast<std::uint32_t>(faces_.size()));
    add_face(node_id(i), 0);
    if (faults_.two_faced(node_id(i))) add_face(node_id(i), 1);
  }
  if (signer_.real()) checks_ = std::make_unique<SignatureChecks>(signer_);
  schedule_crashes();
}

World::~World() = default;

void World::add_face(NodeId id, int side) {
  auto face = std::make_unique<Face>();
  face->index = static_cast<std::uint32_t>(faces_.size());
  face->id = id;
  face->side = side;
  face->watched = faults_.touches(id);
  face->returns = faults_.returns(id);
  face->deaf = faults_.deaf(id);
  face->measures.faulty = faults_.faulty().contains(id);
  nodes_.make(face->index, id);
  faces_.push_back(std::move(face));
}

void World::schedule_crashes() {
  for (std::size_t i = 0; i < faults_.actions().size(); ++i) {
    const FaultAction& a = faults_.actions()[i];
    if (!stops(a.what)) continue;
    for (const NodeId id : a.who) {
      if (!goes_down(seed_, i, a, id)) continue;
      const Ticks from = rounds_ ? round_up(a.from) : a.from;
      if (!waits_for_moment(a)) calendar_.push(from, controls_.put({id, i, false}), control_of(id));
      if (!a.to || *a.to <= a.from) continue;
      const Ticks to = rounds_ ? round_up(*a.to) : *a.to;
      calendar_.push(to, controls_.put({id, i, true}), control_of(id));
    }
  }
}

void World::start() {
  for (const auto& face : faces_) boot(*face);
}

void World::run_instant(Ticks t) {
  now_ = t;
  Event event;
  do {
    while (calendar_.take(t, event)) {
      if (kind_of(event) == kAll) {
        all_.push_back(event.what);
        continue;
      }
      flush();
      dispatch(event);
    }
    flush();
  } while (calendar_.next_time() == t);
}

void World::run(Ticks t, Ticks until) {
  const Ticks end = std::min(until, t + lookahead_);
  if (end <= t + 1) return run_instant(t);
  run_window(end);
}

void World::request(NodeId id, const std::shared_ptr<const Question>& question, Ticks at,
                    std::optional<int> side) {
  for (std::size_t f = first_face_[id.value]; f < faces_.size() && faces_[f]->id == id; ++f) {
    if (faces_[f]->side == side.value_or(faces_[f]->side)) post(*faces_[f], at, 0, question);
  }
}

bool World::up(NodeId id) const {
  return face_of(id).up;
}
bool World::awake(std::uint32_t face) const {
  return faces_[face]->up && !faces_[face]->struck;
}
// Both faces of a twin are the node on the network.
NodeMeasures World::measures(NodeId id) const {
  NodeMeasures out = face_of(id).measures;
  for (std::size_t f = first_face_[id.value] + 1; f < faces_.size() && faces_[f]->id == id; ++f) {
    const NodeMeasures& second = faces_[f]->measures;
    out.messages_sent += second.messages_sent;
    out.bytes_sent += second.bytes_sent;
    out.messages_received += second.messages_received;
  }
  return out;
}

Digest World::trace_hash() const {
  Writer w;
  for (const auto& face : faces_) w.u64(face->heard).bytes(face->decided.bytes);
  return hash(w.view());
}

}  // namespace thresher::sim
