// What nodes are asked for, when, and what happens once they say it.
#include <algorithm>
#include <utility>

#include "run/run.hpp"

namespace thresher::sim {

// --- requests ---------------------------------------------------------------------------------

void Run::begin_workload() {
  const Workload& w = experiment_.workload;
  if (w.kind == Workload::Kind::kOpen) next_open_ = 0;
  if (w.kind != Workload::Kind::kClosed) return;
  if (w.one_at_a_time) return submit_alone(now_);
  if (w.liars_interval > 0 && !world_.faults().all_honest()) next_lie_ = w.liars_interval;
  for (std::uint32_t i = 0; i < experiment_.n; ++i) submit(node_id(i), now_, w.clients);
}

void Run::submit_at_liars() {
  for (std::uint32_t i = 0; i < experiment_.n; ++i) {
    if (!world_.correct(node_id(i)) && submit(node_id(i), now_)) ++liars_requests_;
  }
  next_lie_ = may_submit() ? now_ + experiment_.workload.liars_interval : kNone;
}

void Run::ask_again() {
  if (back_.empty()) return;
  const Workload& w = experiment_.workload;
  for (const NodeId id : std::exchange(back_, {})) {
    const bool closed = w.kind == Workload::Kind::kClosed && !w.one_at_a_time;
    if (!world_.up(id)) continue;  // another crash began at once
    const std::uint64_t missed = std::exchange(missed_[id.value], 0);
    const bool one_of_f = world_.faults().faulty().contains(id);
    if (closed) submit(id, now_, one_of_f ? missed : w.clients);
  }
}

void Run::submit_everywhere() {
  for (std::uint32_t i = 0; i < experiment_.n; ++i)
    submit(node_id(i), now_, experiment_.workload.burst);
  next_open_ = may_submit() ? now_ + std::max<Ticks>(experiment_.workload.interval, 1) : kNone;
}

bool Run::may_submit() const {
  const std::uint64_t all = experiment_.workload.requests;
  return !settling_ && (all == 0 || submitted_ < all);
}

bool Run::all_done() const {
  const std::uint64_t all = experiment_.workload.requests;
  return all != 0 && submitted_ >= all && judge_.outstanding() == 0;
}

void Run::submit_alone(Ticks at_time) {
  const auto ids = correct_and_up();
  if (ids.empty()) return;
  NodeId at = ids.front();
  const std::optional<NodeId> leader = insight_.leader(at);
  if (leader && std::binary_search(ids.begin(), ids.end(), *leader)) at = *leader;
  lone_.reset();
  if (const auto id = submit(at, at_time)) lone_ = *id;
}

std::optional<PayloadId> Run::submit(NodeId id, Ticks at, std::uint64_t count) {
  std::optional<PayloadId> last;
  for (; count > 0 && may_submit() && world_.up(id); --count) last = hand_out(id, at);
  if (last && pools_.on()) world_.wake(id, at);
  return last;
}

PayloadId Run::hand_out(NodeId id, Ticks at) {
  ++submitted_;
  const PayloadId first{id, next_number_[id.value]++};
  judge_.submitted(first, at);
  if (pools_.on()) {
    pools_.add(first, at);
    return first;
  }
  for (const int side : {0, 1}) {
    if (side == 1 && !world_.faults().two_faced(id)) break;
    PayloadId named = first;
    if (side == 1) named.number |= PayloadId::kSecondFace;
    world_.request(id, insight_.request(make_payload(named, experiment_.workload.bytes)), at, side);
  }
  return first;
}

void Run::feed(NodeId id) {
  const Ticks now = world_.now();
  const auto line = [&] { return Pools::Line{insight_.queued(id), traits_.extends}; };
  while (world_.up(id) && pools_.pack(id, now, line())) {
    for (int side = 0; side < (world_.faults().two_faced(id) ? 2 : 1); ++side) {
      const Bytes payload = pools_.payload(id, side);
      const bool grows = traits_.extends && pools_.grown_from(id) > 0;
      const auto question =
          grows ? insight_.extend(payload, pools_.replaced(id, side)) : insight_.request(payload);
      world_.hand(id, question, side);
    }
  }
}

// --- outputs ----------------------------------------------------------------------------------

void Run::each_request(ByteView payload, const std::function<void(ByteView)>& visit) const {
  if (!pools_.on()) return visit(payload);
  pools_.each(payload, visit);
}

void Run::delivered(NodeId id, const OutputFacts& facts, const Said& said) {
  const Ticks at = world_.now();
  const auto novelty = judge_.output(id, facts, at);
  if (novelty == Judge::Novelty::kInPart) in_part(id, facts.key, said);
  if (novelty == Judge::Novelty::kRepeated || novelty == Judge::Novelty::kInPart) return;
  commits_.committed(id, at);
  if (traits_.names_vertices) ordered(id, said);
  if (novelty == Judge::Novelty::kFirst) {
    said.items([&](const Digest& d) { judge_.item(d); });
    said.payloads(std::nullopt, [&](ByteView payload, std::optional<NodeId> author) {
      each_request(payload, [&](ByteView one) { judge_.payload(id, one, author); });
    });
  }
  said.payloads(id, [&](ByteView payload, std::optional<NodeId> author) {
    if (author.value_or(id) != id) return;
    each_request(payload, [&](ByteView one) {
      const auto named = read_payload(one);
      if (named && named->author == id) settled(*named);
    });
  });
}

void Run::in_part(NodeId id, std::uint64_t key, const Said& said) {
  std::vector<Digest> items;
  said.items([&](const Digest& d) { items.push_back(d); });
  judge_.in_part(id, key, items);
}

void Run::ordered(NodeId id, const Said& said) {
  const Ticks at = world_.now();
  vertices_.outputs(id, at);
  said.vertices([&](const VertexName& name) { vertices_.ordered(name, at); });
}

void Run::settled(PayloadId id) {
  now_ = world_.now();
  if (!judge_.settled(id, now_)) return;
  if (pools_.on()) pools_.delivered(id);
  served_.note(now_);
  const Workload& w = experiment_.workload;
  if (w.kind != Workload::Kind::kClosed) return;
  // A node that answers in the instant of the request is asked again a step later: else a protocol
  // that delivers what it is handed would never let the instant end.
  const Ticks next = judge_.latencies().back() == 0 ? now_ + kUnit : now_;
  if (!w.one_at_a_time) {
    submit(id.author, next);
  } else if (lone_ && lone_->author == id.author && lone_->number == id.number) {
    submit_alone(next);
  }
}

}  // namespace thresher::sim
