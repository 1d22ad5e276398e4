// The engine, declared; include engine.hpp to run one. n executors, one calendar, the network, the
// faults, one trace hash. Lock-step rounds and discrete events differ only in how delays are
// rounded.
//
//   Machine<Mine> machine(Mine{...}, experiment, /*trace=*/nullptr);
//   machine.on_deliver = [&](NodeId id, const Output& output) { ... };
//   while (machine.next_time() <= end) machine.run_instant(machine.next_time());
//
// Guarantees: equal experiments give equal trace hashes on every compiler, optimisation level and
// number of threads beside it; the hash covers the instant, sender, receiver and number of every
// delivered message in the order in which each node took them, every request and every decision.
// Work grows with messages: a broadcast is one payload, and one event where all links are alike.
// Within an instant a node takes its messages in the order in which they were sent. In the events
// engine run() goes node by node through the shortest delay that a link has: nothing that happens
// in it at one node reaches another, and the state of a node stays near. Signatures are mocks
// or, where the experiment says so, real: the same hash either way. A crash loses what was in
// flight and the lazy records after the last that was not lazy; all others are durable at once.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "thresher/core/assert.hpp"
#include "thresher/core/executor.hpp"
#include "thresher/core/storage.hpp"
#include "thresher/sim/calendar.hpp"
#include "thresher/sim/faults.hpp"
#include "thresher/sim/hunt.hpp"
#include "thresher/sim/network.hpp"
#include "thresher/sim/sent_kinds.hpp"
#include "thresher/sim/slab.hpp"
#include "thresher/sim/subject.hpp"

namespace thresher::sim {

template <Subject S>
class Machine {
 public:
  using Node = typename S::Node;
  using Message = typename Node::Message;
  using Output = typename Node::Output;
  using Request = typename Node::Request;
  using Input = InputOf<Node>;

  Machine(S subject, const Experiment& experiment, TraceSink* trace = nullptr)
      : subject_(std::move(subject)),
        n_(experiment.n),
        rounds_(experiment.engine != Engine::kEvents),
        seed_(experiment.seed),
        delta_(experiment.network.delta),
        costs_(experiment.costs),
        signer_(experiment),
        faults_(experiment),
        links_(experiment, faults_.faulty()),
        hunt_(experiment, faults_.faulty()),
        gst_(experiment.network.gst),
        calendar_(rounds_ ? kUnit : std::max<Ticks>(1, links_.longest() / 256)),
        trace_(trace) {
    if (rounds_) costs_ = {};
    nic_bits_per_s_ = rounds_ ? 0 : experiment.network.nic_bits_per_s;
    nic_saves_up_ = experiment.network.nic_saves_up;
    lookahead_ = rounds_ ? 0 : lookahead_of(experiment);
    charges_ = costs_.sign_ns + costs_.verify_ns + costs_.hash_ns_per_kb > 0;
    for (std::uint32_t i = 0; i < n_; ++i) {
      const NodeId id{static_cast<std::uint16_t>(i)};
      first_face_.push_back(faces_.size());
      add_face(id, 0);
      if (faults_.two_faced(id)) add_face(id, 1);
    }
    if (signer_.real()) checks_ = std::make_unique<SignatureChecks>(signer_);
    schedule_crashes();
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// Called at every output of a node that is not Byzantine.
  std::function<void(NodeId, const Output&)> on_deliver = [](NodeId, const Output&) {};
  std::function<void(NodeId by, NodeId who)> on_accuse = [](NodeId, NodeId) {};
  std::function<void(NodeId)> on_restart = [](NodeId) {};
  /// An invariant of the node's protocol does not hold; the node stops there.
  std::function<void(NodeId, const std::string& what)> on_broken = [](NodeId, const auto&) {};
  /// Called, if it is given, once for each message before it leaves.
  std::function<void(const Message&)> on_send;
  /// Called, if it is given, after each input of a node (its first face), and whether that was a
  /// request.
  std::function<void(NodeId, bool requested)> on_step;

  /// Starts every node, at instant 0. Set the callbacks first.
  void start() {
    for (const auto& face : faces_) boot(*face);
  }
  Ticks now() const { return now_; }
  /// Calendar::kNever when nothing is scheduled.
  Ticks next_time() { return calendar_.next_time(); }
  /// Runs everything of instant `t`. Pre: now() <= t <= next_time().
  void run_instant(Ticks t) {
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

  /// Runs what is next, at instant `t`, and what else can be run with it before `until`; now() is
  /// then the latest instant run. Pre: as run_instant; callbacks hand requests only to their node.
  void run(Ticks t, Ticks until) {
    const Ticks end = std::min(until, t + lookahead_);
    if (end <= t + 1) return run_instant(t);
    run_window(end);
  }

  /// Hands a request to every face of a node at instant `at`, or to one face of a two-faced one.
  void request(NodeId id, const Request& request, Ticks at, std::optional<int> side = {}) {
    for (std::size_t f = first_face_[id.value]; f < faces_.size() && faces_[f]->id == id; ++f) {
      if (faces_[f]->side == side.value_or(faces_[f]->side))
        post(*faces_[f], at, 0, Requested<Request>{request});
    }
  }

  const S& subject() const { return subject_; }
  const FaultPlan& faults() const { return faults_; }
  const Links& links() const { return links_; }
  bool correct(NodeId id) const { return faults_.correct(id); }
  bool up(NodeId id) const { return face_of(id).up; }
  const Node& node(NodeId id) const { return face_of(id).executor->protocol(); }
  const NodeMeasures& measures(NodeId id) const { return face_of(id).measures; }
  std::uint64_t messages() const { return messages_; }
  std::uint64_t bytes() const { return bytes_; }
  const SentKinds& sent() const { return sent_; }
  /// Null with mocks.
  const SignatureChecks* signature_checks() const { return checks_.get(); }

  Digest trace_hash() const {
    Writer w;
    for (const auto& face : faces_) w.u64(face->heard).bytes(face->decided.bytes);
    return hash(w.view());
  }

 private:
  // What an event is; the face, where it has one, is in the other bits.
  enum Kind : std::uint32_t { kOne, kAll, kArrival, kTimer, kInput, kControl, kResume, kHeard };
  static constexpr std::uint32_t kFaceBits = 16;
  static constexpr bool kForges = requires(const S& s, const Message& m) { s.proposes(m); };
  static constexpr std::uint64_t kMostStuffed = 64u << 20;  // of one liar; in bytes
  static constexpr bool kStuffs = requires(const S& s, const Message& m) {
    s.stuff(NodeId{}, m, std::uint64_t{});
  };
  static constexpr bool kArchives = requires(S & s, const Persist& p) { s.archive(NodeId{}, p); };
  static constexpr std::size_t kRemembered = 64;  // messages kept of a node that replays them

  struct Face;
  struct Backend {
    Machine* machine;
    Face* face;
    void send(NodeId to, Message m) { machine->send(*face, to, std::move(m)); }
    void broadcast(Message m) { machine->send(*face, std::nullopt, std::move(m)); }
    void deliver(Output o) { machine->deliver(*face, o); }
    void arm(TimerId id, Delay d) { machine->arm(*face, id, d); }
    void cancel(TimerId id) { ++face->timers[id]; }
    void persist(std::vector<Persist> records, std::uint64_t barrier) {
      // Only a node that will be restarted ever reads them back, or one with an archive.
      if (face->returns || kArchives) machine->keep(*face, records);
      if (barrier != 0) face->barriers.push_back(barrier);  // nobody waits for lazy records
    }
    void verify(const Verify& v) {
      if (machine->checks_) machine->checks_->ask(face->index, v);
      const bool ok = !machine->checks_ && mock_signature(v.signer, v.digest) == v.signature;
      machine->answer(*face, machine->costs_.verify_ns, Verified{v.ticket, ok});
    }
    void verify(const VerifyAll& v) {
      if (machine->checks_) machine->checks_->ask(face->index, v);
      const bool ok = !machine->checks_ && machine->mock_lists_.good(v.digest, v.list);
      machine->answer(*face, machine->costs_.verify_ns * v.list->signatures.size(),
                      Verified{v.ticket, ok});
    }
    void endorse(const Endorse& e) {
      machine->answer(*face, machine->costs_.sign_ns,
                      Endorsed{e.ticket, machine->signer_.sign(face->id, e.digest)});
    }
    void accuse(const Accuse& a) {
      machine->tell(TraceEvent::Kind::kAccuse, *face, a.who, "accuse");
      machine->on_accuse(face->id, a.who);
    }
  };
  struct Face {
    std::uint32_t index = 0;
    NodeId id{};
    int side = 0;
    bool up = false;
    bool watched = false;  // its messages meet faults
    bool returns = false;
    bool deaf = false;  // to some messages
    std::uint64_t life = 0;
    std::uint64_t sent = 0, stuffed = 0;  // messages, a broadcast as one; bytes that fill memory
    std::uint64_t heard = 0;              // hash of all it took
    Digest decided{};                     // hash of all it decided
    NodeMeasures measures;
    std::uint64_t busy_ns = 0;  // its core works until
    std::uint64_t out_ns = 0;   // its NIC sends until
    std::uint64_t in_ns = 0;    // and receives until
    MemoryStorage storage;
    std::vector<Persist> lazy;                // not durable yet
    std::map<TimerId, std::uint64_t> timers;  // generation
    std::deque<Input> soon;
    std::vector<std::uint64_t> barriers;
    std::deque<Event> backlog;             // waits for the core
    std::deque<std::uint32_t> remembered;  // payloads
    std::optional<Backend> backend;
    std::optional<Executor<Node, Backend>> executor;
  };
  struct Payload {
    Input input{Start{}};
    MessageFacts facts;
    std::uint64_t number = 0;  // the sender's count
    std::uint32_t from = 0;    // face
    std::uint32_t uses = 0;
    std::uint32_t kind = 0;  // of sent_
    NodeId id{};
    std::uint64_t tag = 0;  // of a delivery in the instant that runs
  };
  struct Alarm {
    std::uint64_t life = 0;
    std::uint64_t generation = 0;
    TimerId id{};
  };
  struct Posted {
    std::uint64_t life = 0;  // 0: for whoever lives
    Input input{Start{}};
  };
  struct Control {
    NodeId id{};
    std::size_t action = 0;
    bool up = false;
  };

  // A trace event of a window, kept until the window's events can be told in order.
  struct Kept {
    TraceEvent event;
    std::string detail;
  };

  static std::uint32_t pack(Kind kind, std::uint32_t face) {
    return static_cast<std::uint32_t>(kind) << kFaceBits | face;
  }
  static constexpr std::size_t kFetchAhead = 12;
  static constexpr std::size_t kWarmAhead = 5;
  static constexpr std::size_t kLine = 64;  // of a cache
  static Kind kind_of(const Event& e) { return static_cast<Kind>(e.who >> kFaceBits); }
  Face& face_of(const Event& e) { return *faces_[e.who & ((1U << kFaceBits) - 1)]; }
  const Face& face_of(NodeId id) const { return *faces_[first_face_[id.value]]; }

  void add_face(NodeId id, int side) {
    auto face = std::make_unique<Face>();
    face->index = static_cast<std::uint32_t>(faces_.size());
    face->id = id;
    face->side = side;
    face->watched = faults_.touches(id);
    face->returns = faults_.returns(id);
    face->deaf = faults_.deaf(id);
    face->measures.faulty = faults_.faulty().contains(id);
    face->backend.emplace(Backend{this, face.get()});
    face->executor.emplace(subject_.make(id), *face->backend);
    faces_.push_back(std::move(face));
  }

  void schedule_crashes();
  std::uint32_t control_of(NodeId id) const {
    return pack(kControl, static_cast<std::uint32_t>(first_face_[id.value]));
  }
  static Ticks round_up(Ticks t) { return (t + kUnit - 1) / kUnit * kUnit; }

  void boot(Face& face);
  void keep(Face& face, std::vector<Persist>& records);

  void control(const Control& c);

  // --- windows --------------------------------------------------------------------------------

  // How far nodes can run apart. A lone client hands its next request to any node at once, the
  // adaptive scheduler sees all nodes, and a crash of a twin stops two faces.
  Ticks lookahead_of(const Experiment& e) const;

  void run_window(Ticks end);
  // The events before `end`, by node.
  void collect(Ticks end);
  // Runs what one node does in the window.
  void run_face(std::vector<Event>& box);
  std::optional<Event> next_of(const std::vector<Event>& box, std::size_t& at);
  // Memory is far: asks for what an event needs some events ahead of it.
  void fetch(const Event& event) const;
  void warm(const Event& event) const;
  static bool earlier(const Event& a, const Event& b) {
    return a.at != b.at ? a.at < b.at : a.sequence < b.sequence;
  }
  struct Later {
    bool operator()(const Event& a, const Event& b) const { return earlier(b, a); }
  };
  // In a window what a node schedules for itself may still belong to the window.
  void schedule(Ticks at, std::uint32_t what, std::uint32_t who) {
    if (at < window_end_) {
      local_.push({at, calendar_.next_sequence(), what, who});
    } else {
      calendar_.push(at, what, who);
    }
  }

  // What a NIC receives it hands over in order, so this needs no queue.
  void receive(Face& face, Ticks at, std::uint32_t ref) {
    const std::uint32_t who = pack(kOne, face.index);
    if (at < window_end_) {
      received_.push_back({at, calendar_.next_sequence(), ref, who});
    } else {
      calendar_.push(at, ref, who);
    }
  }

  // --- inputs ---------------------------------------------------------------------------------

  void run(Face& face, const Input& input) {
    hand(face, input);
    if (!face.soon.empty() || !face.barriers.empty()) settle(face);
    if (on_step && face.side == 0)
      on_step(face.id, std::holds_alternative<Requested<Request>>(input));
    if (hunt_.on() && hunt_.reached(face.id, subject_.round(face.executor->protocol()))) let_go();
  }
  void hand(Face& face, const Input& input) {
    try {
      step(face, input);
    } catch (const InvariantBroken& broken) {
      stop_broken(face, broken.what());
    }
  }
  // Real signatures are verified, with all that wait, when the first of their verdicts is due.
  void step(Face& face, const Input& input) {
    const auto* asked = checks_ ? std::get_if<Verified>(&input) : nullptr;
    if (asked == nullptr) return face.executor->run(input);
    face.executor->run(Verified{asked->ticket, checks_->verdict(face.index, asked->ticket)});
  }
  void stop_broken(Face& face, const std::string& what);
  void settle(Face& face) {
    while (!face.soon.empty() || !face.barriers.empty()) {
      if (!face.soon.empty()) {
        const Input input = std::move(face.soon.front());
        face.soon.pop_front();
        hand(face, input);
      }
      const auto barriers = std::exchange(face.barriers, {});
      for (const std::uint64_t barrier : barriers) face.executor->persisted(barrier);
    }
  }

  void post(Face& face, Ticks at, std::uint64_t life, Input input) {
    schedule(at, posted_.put({life, std::move(input)}), pack(kInput, face.index));
  }
  // The answer to an effect: at once, or when the core has done the work.
  void answer(Face& face, std::uint64_t work_ns, Input input) {
    if (!charges_) {
      face.soon.push_back(std::move(input));
      return;
    }
    charge(face, work_ns);
    post(face, free_at(face), face.life, std::move(input));
  }
  void charge(Face& face, std::uint64_t work_ns) {
    face.busy_ns = std::max(face.busy_ns, now_ * 1000) + work_ns;
  }
  /// When the core of a node has nothing more to do.
  Ticks free_at(const Face& face) const { return std::max(now_, (face.busy_ns + 999) / 1000); }

  void arm(Face& face, TimerId id, Delay d) {
    const std::uint64_t generation = ++face.timers[id];
    Ticks at = now_ + std::max<Ticks>(1, d.value * delta_ / 1000);
    if (rounds_) at = round_up(at);
    schedule(at, alarms_.put({face.life, generation, id}), pack(kTimer, face.index));
  }

  void dispatch(const Event& event);

  // A message that finds the core at work waits for it.
  void put_off(Face& face, const Event& event);
  void resume(Face& face);

  std::uint64_t tag_of(const Payload& p) const {
    return mix64(p.number + mix64(now_ * 65536 + p.from));
  }
  // Broadcasts that arrive everywhere in this instant: each node takes all of them in turn.
  void flush();
  void take(Face& face, std::uint32_t ref) {
    Payload& p = payloads_[ref];
    p.tag = tag_of(p);
    take(face, p);
  }
  void take(Face& face, Payload& p) {
    if (!face.up) {
      if (trace_ != nullptr) tell_message(TraceEvent::Kind::kDrop, p, face.id, "down");
      return;
    }
    if (face.deaf && misses(face, p)) return;
    face.heard = mix64(face.heard ^ p.tag);
    if (face.side == 0) {
      ++messages_;
      bytes_ += p.facts.bytes;
      ++face.measures.messages_received;
    }
    if (trace_ != nullptr) tell_message(TraceEvent::Kind::kDeliver, p, face.id, {});
    if (charges_) charge(face, costs_.hash_ns_per_kb * p.facts.bytes / 1000);
    if constexpr (kForges) {
      if (faults_.forges(face.id) && face.side == 0) lie(face, p);
    }
    if constexpr (kStuffs) {
      if (faults_.stuffs(face.id) && face.side == 0) stuff(face, p);
    }
    run(face, p.input);
  }

  // --- outputs --------------------------------------------------------------------------------

  void deliver(Face& face, const Output& output) {
    const OutputFacts facts = subject_.facts_of(output);
    face.decided = with_decision(face.decided, now_, facts);
    if (trace_ != nullptr && face.side == 0) tell_decision(face, facts, output);
    if (!faults_.correct(face.id)) return;
    ++face.measures.decisions;
    on_deliver(face.id, output);
  }

  std::uint32_t put(Face& from, Message m, std::uint64_t number);
  void release(std::uint32_t ref) {
    Payload& p = payloads_[ref];
    if (--p.uses > 0) return;
    p.input = Start{};
    payloads_.drop(ref);
  }
  const Message& message_of(const Payload& p) const {
    return std::get<Received<Message>>(p.input).message;
  }

  void strike(Face& from, std::string_view moment);
  // To one node, or to all.
  void send(Face& from, std::optional<NodeId> to, Message m);
  static NodeId node_id(std::uint32_t i) { return NodeId{static_cast<std::uint16_t>(i)}; }
  void count_sent(Face& from, const Payload& p, std::uint64_t copies) {
    from.measures.messages_sent += copies;
    from.measures.bytes_sent += copies * p.facts.bytes;
    sent_.sent(p.kind, p.facts, copies);
  }
  void remember(Face& from, std::uint32_t ref);

  void dispose(Face& from, NodeId to, std::uint32_t ref) {
    if (from.watched) {
      afflict(from, to, ref);
    } else {
      carry(from, to, ref, {});
    }
  }

  struct Carriage {
    Ticks extra = 0;
    bool withheld = false;
    Ticks hold = 0;
    std::uint64_t copy = 0;  // tells copies of one message apart
  };

  FaultPlan::Sent facts_of(const Payload& p, NodeId to) const {
    const MessageFacts& f = p.facts;
    return {p.id, to, p.number, f.round, f.anchor, f.share, now_, f.answer, f.label};
  }
  // What a deaf node does not take.
  bool misses(const Face& face, const Payload& p);
  bool denies(Face& from, NodeId to, std::uint32_t ref);
  // What faults make of one message to one node.
  void afflict(Face& from, NodeId to, std::uint32_t ref);
  // Of a two-faced node only one face speaks to a receiver.
  bool hidden(const Face& from) const;
  void note(const Face& from, NodeId to, std::uint32_t ref, const FaultPlan::Deed& deed,
            bool dropped);
  bool swap(std::uint32_t& use, std::optional<std::uint32_t> other) {
    if (!other) return false;
    release(use);
    use = *other;
    return true;
  }
  std::optional<std::uint32_t> mutated(Face& from, std::uint32_t ref, const FaultPlan::Deed& deed,
                                       std::uint64_t salt);
  // The other message of an equivocator: the same one for all of its second audience.
  std::optional<std::uint32_t> second_face(Face& from, std::uint32_t ref,
                                           const FaultPlan::Deed& deed);
  // What a liar that hears a message says of its own: proposals, and answers to who asks for them.
  void lie(Face& face, const Payload& heard);
  void stuff(Face& face, const Payload& heard);
  void starve(Face& from, NodeId to, std::uint32_t ref);
  bool proposes(std::uint32_t ref) const;
  // The latest message of an earlier round, best of the same kind.
  std::optional<std::uint32_t> older(Face& from, std::uint32_t ref);
  bool replay(Face& from, NodeId to, const FaultPlan::Deed& deed);
  // Copies, every other one with a field changed.
  void flood(Face& from, NodeId to, std::uint32_t ref, const FaultPlan::Deed& deed);

  std::uint64_t wire_ns(std::uint64_t bytes) const {
    return bytes * 8 * 1'000'000'000 / nic_bits_per_s_;
  }
  // Hands a message to the network.
  void carry(Face& from, NodeId to, std::uint32_t ref, const Carriage& how);
  void forward(std::uint32_t ref, const Letter& letter);
  void ship(std::uint32_t ref, Ticks at, std::size_t face) {
    ++payloads_[ref].uses;
    schedule(at, ref,
             pack(nic_bits_per_s_ != 0 ? kArrival : kOne, static_cast<std::uint32_t>(face)));
  }

  void saw_leader(const Face& from, std::uint64_t round);
  // Who was hunted is heard again.
  void let_go();

  // --- traces ---------------------------------------------------------------------------------

  void emit(const TraceEvent& e) {
    if (window_end_ == 0) return trace_->event(e);
    kept_.push_back({e, std::string(e.detail)});
  }
  void tell_kept();
  void tell(TraceEvent::Kind kind, const Face& face, NodeId peer, std::string_view label);
  void tell_message(TraceEvent::Kind kind, const Payload& p, NodeId to, std::string_view why);
  void tell_decision(const Face& face, const OutputFacts& facts, const Output& output);
  void tell_vertex(const Face& from, const Payload& p);

  S subject_;
  std::uint32_t n_;
  bool rounds_;
  std::uint64_t seed_;
  Ticks delta_;
  Costs costs_;
  bool charges_ = false;
  std::uint64_t nic_bits_per_s_ = 0;
  bool nic_saves_up_ = false;
  Signer signer_;
  std::unique_ptr<SignatureChecks> checks_;  // null: mocks
  MockLists mock_lists_;
  FaultPlan faults_;
  Links links_;
  struct Held {
    std::uint32_t ref = 0;
    Letter letter;
  };
  Hunt<Held> hunt_;
  Slab<std::uint64_t> hunted_;  // rounds of leaders
  Ticks gst_;
  Calendar calendar_;
  TraceSink* trace_;
  Slab<Payload> payloads_;
  Slab<Alarm> alarms_;
  Slab<Posted> posted_;
  Slab<Control> controls_;
  std::vector<std::unique_ptr<Face>> faces_;
  std::vector<std::size_t> first_face_;
  std::vector<std::uint32_t> all_;  // broadcasts of this instant that were not taken yet
  std::vector<Payload*> flushed_;
  std::vector<FaultPlan::Deed> deeds_;
  std::vector<FaultPlan::Chance> chances_;
  std::vector<std::pair<std::size_t, std::uint32_t>> second_faces_;  // of the message on its way
  Ticks lookahead_ = 0;
  Ticks window_end_ = 0;                     // 0: no window runs
  std::vector<std::vector<Event>> inboxes_;  // of the window, by face
  std::vector<std::uint32_t> touched_;
  std::priority_queue<Event, std::vector<Event>, Later> local_;
  std::vector<Event> received_;  // by the NIC of the face that runs, in order, and
  std::size_t taken_ = 0;        // how many of them its node took
  std::vector<Kept> kept_;
  Ticks now_ = 0;
  std::uint64_t messages_ = 0;
  std::uint64_t bytes_ = 0;
  SentKinds sent_;
};

}  // namespace thresher::sim
