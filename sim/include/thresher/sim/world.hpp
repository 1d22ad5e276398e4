// A committee in one process: n executors, a seeded network, faults, one trace hash.
//
//   World<dag::Dag> world(plan, [&](NodeId id) { return dag::Dag({.self = id, ...}); });
//   world.on_deliver = [&](NodeId id, const dag::Committed& c) { checker.delivered(id, c); };
//   world.run_until([&] { return world.now() >= 100; });
//
// Guarantees: the same plan gives the same trace hash on every compiler and optimisation level;
// the hash covers the tick, sender, receiver and number of every delivered message, and every
// output whose digest is given; work grows with messages, never with idle links. Signatures are
// mocked by a keyed hash that a faulty node cannot compute for another. Records are durable at
// once, so a crash loses only what was in flight.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "thresher/core/executor.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/core/storage.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/sim/plan.hpp"

namespace thresher::sim {

template <Protocol P>
class World {
 public:
  using Message = typename P::Message;
  using Output = typename P::Output;
  using Input = InputOf<P>;
  using Make = std::function<P(NodeId)>;

  World(Plan plan, Make make) : plan_(std::move(plan)), make_(std::move(make)) {
    const std::uint32_t n = plan_.committee.size();
    for (std::uint32_t i = 0; i < n; ++i) {
      add_face(NodeId{static_cast<std::uint16_t>(i)}, 0);
      if (fault(i) == FaultKind::kTwins) add_face(NodeId{static_cast<std::uint16_t>(i)}, 1);
    }
    for (const auto& face : faces_) {
      if (live(*face)) boot(*face);
    }
  }

  /// Called at every output of a node that is not Byzantine.
  std::function<void(NodeId, const Output&)> on_deliver = [](NodeId, const Output&) {};
  /// Mixes an output into the trace hash.
  std::function<Digest(const Output&)> digest_of_output = [](const Output&) { return Digest{}; };

  /// Runs tick by tick until `done` says so. Returns the ticks run.
  template <class Done>
  std::uint64_t run_until(Done done) {
    const std::uint64_t begin = now_;
    while (!done()) tick();
    return now_ - begin;
  }

  /// Hands a request to every face of a node at the next tick, or to one face of a two-faced one.
  void request(NodeId id, const typename P::Request& request, std::optional<int> side = {}) {
    for (const auto& face : faces_) {
      if (face->id == id && face->up && face->side == side.value_or(face->side))
        post(face->index, now_ + 1, Requested<typename P::Request>{request});
    }
  }

  bool correct(NodeId id) const {
    const auto it = plan_.faults.find(id);
    return it == plan_.faults.end() || it->second.kind == FaultKind::kCrash;
  }
  bool up(NodeId id) const { return faces_[first_face_[id.value]]->up; }
  const P& node(NodeId id) const { return faces_[first_face_[id.value]]->executor->protocol(); }
  std::uint64_t now() const { return now_; }
  std::uint64_t messages() const { return messages_; }
  std::uint64_t accusations_of_correct() const { return slander_; }
  const Digest& trace_hash() const { return trace_; }
  const Committee& committee() const { return plan_.committee; }

 private:
  struct Face;
  struct Backend {
    World* world;
    Face* face;
    void send(NodeId to, Message m) { world->send(*face, to, m); }
    void broadcast(Message m) {
      for (std::uint32_t i = 0; i < world->plan_.committee.size(); ++i) {
        if (i != face->id.value) world->send(*face, NodeId{static_cast<std::uint16_t>(i)}, m);
      }
    }
    void deliver(Output o) { world->deliver(*face, o); }
    void arm(TimerId id, Delay d) {
      const std::uint64_t generation = ++face->timers[id];
      const std::uint64_t wait = 1 + d.value * world->plan_.delta / 1000;
      world->calendar_at(world->now_ + wait)
          .push_back({face->index, face->life, generation, Expired{id}});
    }
    void cancel(TimerId id) { ++face->timers[id]; }
    void persist(std::vector<Persist> records, std::uint64_t barrier) {
      // Only a node that will be restarted ever reads them back.
      if (world->fault(face->id.value) == FaultKind::kCrash)
        (void)face->storage.write(records, true);
      if (barrier != 0) face->barriers.push_back(barrier);  // nobody waits for lazy records
    }
    void verify(const Verify& v) {
      face->soon.push_back(Verified{v.ticket, sign(v.signer, v.digest) == v.signature});
    }
    void endorse(const Endorse& e) {
      face->soon.push_back(Endorsed{e.ticket, sign(face->id, e.digest)});
    }
    void reveal(const RevealCoin& c) {
      face->soon.push_back(Revealed{c.ticket, (mix64(world->plan_.seed ^ c.round.value) & 1) != 0});
    }
    void accuse(const Accuse& a) {
      if (world->correct(a.who) && world->correct(face->id)) ++world->slander_;
    }
  };
  struct Face {
    std::size_t index = 0;
    NodeId id;
    int side = 0;
    bool up = false;
    std::uint64_t life = 0;
    MemoryStorage storage;
    std::map<TimerId, std::uint64_t> timers;
    std::deque<Input> soon;
    std::vector<std::uint64_t> barriers;
    std::unique_ptr<Backend> backend;
    std::unique_ptr<Executor<P, Backend>> executor;
  };
  struct Event {
    std::size_t face;
    std::uint64_t life;   // 0: a message or request, for whoever lives
    std::uint64_t stamp;  // the generation of a timer, or the number of a message
    Input input;
  };

  static Signature sign(NodeId id, const Digest& digest) {
    // Cheap and injective enough: the mock only has to bind the signer and the digest.
    Signature s{};
    std::copy(digest.bytes.begin(), digest.bytes.end(), s.begin());
    const std::uint64_t tag = mix64(digest.prefix() ^ mix64(id.value));
    for (std::size_t i = 0; i < 8; ++i) s[32 + i] = static_cast<std::byte>(tag >> (8 * i));
    return s;
  }

  std::optional<FaultKind> fault(std::uint32_t i) const {
    const auto it = plan_.faults.find(NodeId{static_cast<std::uint16_t>(i)});
    if (it == plan_.faults.end()) return std::nullopt;
    return it->second.kind;
  }
  bool live(const Face& face) const { return fault(face.id.value) != FaultKind::kSilent; }

  void add_face(NodeId id, int side) {
    auto face = std::make_unique<Face>();
    face->index = faces_.size();
    face->id = id;
    face->side = side;
    face->backend = std::make_unique<Backend>(Backend{this, face.get()});
    face->executor = std::make_unique<Executor<P, Backend>>(make_(id), *face->backend);
    if (side == 0) first_face_.push_back(faces_.size());
    faces_.push_back(std::move(face));
  }

  void boot(Face& face) {
    face.up = true;
    ++face.life;
    face.soon.clear();
    face.timers.clear();
    face.executor = std::make_unique<Executor<P, Backend>>(make_(face.id), *face.backend);
    (void)face.storage.replay([&](const Restored& r) { face.soon.push_back(r); });
    face.soon.push_back(Start{mix64(plan_.seed ^ face.index)});
    drain(face);
  }

  std::vector<Event>& calendar_at(std::uint64_t at) {
    while (calendar_.size() <= at - now_) calendar_.push_back(std::exchange(spare_, {}));
    return calendar_[at - now_];
  }
  void post(std::size_t face, std::uint64_t at, Input input) {
    calendar_at(at).push_back({face, 0, 0, std::move(input)});
  }

  void send(const Face& from, NodeId to, const Message& m) {
    const std::optional<FaultKind> fault_of_sender = fault(from.id.value);
    if (fault_of_sender == FaultKind::kSilent) return;
    const bool two_faced = fault_of_sender == FaultKind::kTwins;
    const std::uint64_t link = from.id.value * std::uint64_t{Committee::kMaxSize} + to.value;
    Prng rng(plan_.seed ^ mix64(++sent_), link);
    const bool early = now_ < plan_.gst;
    if (early && rng.chance_ppm(plan_.loss_ppm)) return;
    std::uint64_t at = now_ + plan_.delay_min;
    if (plan_.delay_max > plan_.delay_min) at += rng.below(plan_.delay_max - plan_.delay_min + 1);
    if (early && Prng(plan_.seed, link + 1).chance_ppm(plan_.cut_ppm)) at += plan_.gst - now_;
    for (std::size_t f = first_face_[to.value]; f < faces_.size() && faces_[f]->id == to; ++f) {
      const bool same_half = static_cast<int>(to.value % 2) == from.side;
      if (two_faced && !same_half) continue;
      if (f == first_face_[to.value]) ++messages_;
      calendar_at(at).push_back({f, 0, sent_, Received<Message>{from.id, m}});
    }
  }

  void deliver(const Face& face, const Output& output) {
    absorb(face.id, digest_of_output(output));
    if (correct(face.id)) on_deliver(face.id, output);
  }

  void absorb(NodeId id, const Digest& digest) {
    Writer w;
    w.bytes(trace_.bytes).u64(now_).u16(id.value).bytes(digest.bytes);
    trace_ = hash(w.view());
  }

  /// Who got what from whom and when. The number of a message stands for its content, which is a
  /// function of the deliveries before it.
  void absorb_delivery(const Event& event) {
    const auto* received = std::get_if<Received<Message>>(&event.input);
    const std::uint64_t sender = received != nullptr ? received->from.value + std::uint64_t{1} : 0;
    for (const std::uint64_t part : {std::uint64_t{event.face}, now_, sender, event.stamp})
      delivered_ = mix64(delivered_ + mix64(part));
  }

  void tick() {
    ++now_;
    if (!calendar_.empty()) calendar_.pop_front();
    for (const auto& [id, fault] : plan_.faults) {
      if (fault.kind != FaultKind::kCrash) continue;
      Face& face = *faces_[first_face_[id.value]];
      if (fault.at == now_) face.up = false;
      if (fault.back == now_ && fault.back > fault.at) boot(face);
    }
    if (calendar_.empty()) return;
    // New events never land in the tick that runs.
    std::vector<Event> events = std::move(calendar_.front());
    for (Event& event : events) {
      Face& face = *faces_[event.face];
      if (!face.up || (event.life != 0 && event.life != face.life)) continue;
      if (const auto* timer = std::get_if<Expired>(&event.input)) {
        if (face.timers[timer->id] != event.stamp) continue;
      } else {
        absorb_delivery(event);
      }
      face.soon.push_back(std::move(event.input));
      drain(face);
    }
    events.clear();
    spare_ = std::move(events);
    if (delivered_ != absorbed_) {
      absorbed_ = delivered_;
      Writer w;
      w.bytes(trace_.bytes).u64(delivered_);
      trace_ = hash(w.view());
    }
  }

  void drain(Face& face) {
    while (!face.soon.empty() || !face.barriers.empty()) {
      if (!face.soon.empty()) {
        const Input input = std::move(face.soon.front());
        face.soon.pop_front();
        face.executor->run(input);
      }
      const auto barriers = std::exchange(face.barriers, {});
      for (const std::uint64_t barrier : barriers) face.executor->persisted(barrier);
    }
  }

  Plan plan_;
  Make make_;
  std::vector<std::unique_ptr<Face>> faces_;
  std::vector<std::size_t> first_face_;
  std::deque<std::vector<Event>> calendar_;  // [k]: events of tick now_ + k
  std::vector<Event> spare_;  // empty: keeps the memory of the last tick for a later one
  std::uint64_t now_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t messages_ = 0;
  std::uint64_t slander_ = 0;
  std::uint64_t delivered_ = 0;
  std::uint64_t absorbed_ = 0;
  Digest trace_{};
};

}  // namespace thresher::sim
