// The engine: n nodes, one calendar, the network, the faults, one trace hash. Lock-step rounds and
// discrete events differ only in how delays are rounded. It is compiled once, whatever protocol
// runs: nodes.hpp says what it asks of them. machine.hpp is the same with a subject's types.
//
//   World world(nodes, experiment, /*trace=*/nullptr);
//   world.on_output = [&](NodeId id, const OutputFacts& facts, const Said& said) { ... };
//   world.start();
//   while (world.next_time() <= end) world.run_instant(world.next_time());
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
// Does not judge: run.hpp does.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "thresher/sim/calendar.hpp"
#include "thresher/sim/faults.hpp"
#include "thresher/sim/hunt.hpp"
#include "thresher/sim/network.hpp"
#include "thresher/sim/nodes.hpp"
#include "thresher/sim/sent_kinds.hpp"
#include "thresher/sim/slab.hpp"

namespace thresher::sim {

class World {
 public:
  /// `nodes` and `trace` outlive the world.
  World(Nodes& nodes, const Experiment& experiment, TraceSink* trace);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// Called at every output of a node that is not Byzantine.
  std::function<void(NodeId, const OutputFacts&, const Said&)> on_output =
      [](NodeId, const OutputFacts&, const Said&) {};
  std::function<void(NodeId by, NodeId who)> on_accuse = [](NodeId, NodeId) {};
  std::function<void(NodeId)> on_restart = [](NodeId) {};
  /// A request came to a node that was down.
  std::function<void(NodeId)> on_missed = [](NodeId) {};
  /// An invariant of the node's protocol does not hold; the node stops there.
  std::function<void(NodeId, const std::string& what)> on_broken = [](NodeId, const auto&) {};
  /// Called, if it is given, before a message leaves that a vertex is first sent with.
  std::function<void(const VertexName&)> on_born;
  /// Called, if it is given, after each input of a node (its first face): its host's turn.
  std::function<void(NodeId)> on_step;

  /// Starts every node, at instant 0. Set the callbacks first.
  void start();
  Ticks now() const { return now_; }
  /// Calendar::kNever when nothing is scheduled.
  Ticks next_time() { return calendar_.next_time(); }
  /// Runs everything of instant `t`. Pre: now() <= t <= next_time().
  void run_instant(Ticks t);
  /// Runs what is next, at instant `t`, and what else can be run with it before `until`; now() is
  /// then the latest instant run. Pre: as run_instant; callbacks hand requests only to their node.
  void run(Ticks t, Ticks until);
  /// Hands a request to every face of a node at instant `at`, or to one face of a two-faced one.
  void request(NodeId id, const std::shared_ptr<const Question>& question, Ticks at,
               std::optional<int> side = {});
  /// Hands a request to one face at once, before all else that the node has before it: a host acts
  /// on its input before its node's next step. Only while on_step() runs for that node, which is
  /// not called for it again.
  void hand(NodeId id, const std::shared_ptr<const Question>& question, int side);
  /// Has on_step() called at instant `at`, if the node is up then.
  void wake(NodeId id, Ticks at);

  const FaultPlan& faults() const { return faults_; }
  const Links& links() const { return links_; }
  bool correct(NodeId id) const { return faults_.correct(id); }
  bool up(NodeId id) const;
  /// The index of a node's first face.
  std::uint32_t face(NodeId id) const { return first_face_[id.value]; }
  NodeMeasures measures(NodeId id) const;
  std::uint64_t messages() const { return messages_; }
  std::uint64_t bytes() const { return bytes_; }
  const SentKinds& sent() const { return sent_; }
  /// Null with mocks.
  const SignatureChecks* signature_checks() const { return checks_.get(); }
  Digest trace_hash() const;

  // What nodes want done; `face` is whose step it is. If the node is down, none of it is.

  /// Whether what the node says still leaves it: a message may be the moment at which it stops.
  bool awake(std::uint32_t face) const;
  /// To one node, or to all. Pre: awake.
  void send(std::uint32_t face, std::optional<NodeId> to, const Placed& message);
  void deliver(std::uint32_t face, const OutputFacts& facts, const Said& said);
  void arm(std::uint32_t face, TimerId id, Delay after);
  void cancel(std::uint32_t face, TimerId id);
  void persist(std::uint32_t face, std::vector<Persist> records, std::uint64_t barrier);
  void verify(std::uint32_t face, const Verify& question);
  void verify(std::uint32_t face, const VerifyAll& question);
  void endorse(std::uint32_t face, const Endorse& question);
  void accuse(std::uint32_t face, const Accuse& accusation);

 private:
  // What an event is; the face, where it has one, is in the other bits.
  enum Kind : std::uint32_t {
    kOne,
    kAll,
    kArrival,
    kTimer,
    kInput,
    kControl,
    kResume,
    kHeard,
    kWake
  };
  struct Face;
  struct Alarm;
  struct Posted;
  struct Control;
  struct Kept;
  struct Carriage;
  struct Held {
    std::uint32_t ref = 0;
    Letter letter;
  };
  static bool earlier(const Event& a, const Event& b) {
    return a.at != b.at ? a.at < b.at : a.sequence < b.sequence;
  }
  struct Later {
    bool operator()(const Event& a, const Event& b) const { return earlier(b, a); }
  };

  static std::uint32_t pack(Kind kind, std::uint32_t face);
  static Kind kind_of(const Event& e);
  Face& face_of(const Event& e);
  const Face& face_of(NodeId id) const;
  static NodeId node_id(std::uint32_t i) { return NodeId{static_cast<std::uint16_t>(i)}; }
  void add_face(NodeId id, int side);

  // --- the calendar ---------------------------------------------------------------------------

  void schedule_crashes();
  std::uint32_t control_of(NodeId id) const;
  // In a window what a node schedules for itself may still belong to the window.
  void schedule(Ticks at, std::uint32_t what, std::uint32_t who);
  // What a NIC receives it hands over in order, so this needs no queue.
  void receive(Face& face, Ticks at, std::uint32_t ref);

  // --- windows --------------------------------------------------------------------------------

  // How far nodes can run apart. A lone client hands its next request to any node at once, the
  // adaptive scheduler sees all nodes, a crash of a twin stops two faces, and a restart at a moment
  // strikes the first of several nodes.
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

  // --- inputs ---------------------------------------------------------------------------------

  void boot(Face& face);
  void control(const Control& c);
  void dispatch(const Event& event);
  void expire(Face& face, const Alarm& alarm);
  void take_posted(Face& face, const Posted& posted);
  // Has the node step with what `step` hands it, and answers what it asks at once.
  template <class Step>
  void run(Face& face, Step step);
  // The same, but that the host does not learn of it.
  template <class Step>
  void step_alone(Face& face, Step step);
  template <class Step>
  void guard(Face& face, Step step);
  void tell_node(Face& face, const Notice& notice);
  void stop_broken(Face& face, const std::string& what);
  void settle(Face& face);
  void fall(Face& face);
  void keep(Face& face, std::vector<Persist>& records);
  void post(Face& face, Ticks at, std::uint64_t life, Notice notice);
  // The answer to an effect: at once, or when the core has done the work.
  void answer(Face& face, std::uint64_t work_ns, Notice notice);
  void charge(Face& face, std::uint64_t work_ns);
  // When the core of a node has nothing more to do.
  Ticks free_at(const Face& face) const;
  // A message that finds the core at work waits for it.
  void put_off(Face& face, const Event& event);
  void resume(Face& face);
  std::uint64_t tag_of(const Payload& p) const;
  // Broadcasts that arrive everywhere in this instant: each node takes all of them in turn.
  void flush();
  void take(Face& face, std::uint32_t ref);
  void take(Face& face, Payload& p);
  // Whether the face is deaf to it.
  bool misses(const Face& face, const Payload& p);

  // --- messages -------------------------------------------------------------------------------

  std::uint32_t admit(const Face& from, const Placed& message, std::uint64_t number);
  void release(std::uint32_t ref);
  void strike(Face& from, std::string_view moment, std::string_view label);
  [[noreturn]] void refuse_stranger(NodeId from, NodeId to) const;
  void look_for_rest(NodeId id);
  void send_alike(Face& from, std::uint32_t ref, Ticks delay);
  void send_each(Face& from, std::optional<NodeId> to, std::uint32_t ref);
  void count_sent(Face& from, const Payload& p, std::uint64_t copies);
  void remember(Face& from, std::uint32_t ref);
  void dispose(Face& from, NodeId to, std::uint32_t ref);
  std::uint64_t wire_ns(std::uint64_t bytes) const {
    return bytes * 8 * 1'000'000'000 / nic_bits_per_s_;
  }
  // Hands a message to the network.
  void carry(Face& from, NodeId to, std::uint32_t ref, const Carriage& how);
  void forward(std::uint32_t ref, const Letter& letter);
  void ship(std::uint32_t ref, Ticks at, std::size_t face);
  void saw_leader(const Face& from, std::uint64_t round);
  // The hunted node is heard again.
  void let_go();

  // --- faults ---------------------------------------------------------------------------------

  FaultPlan::Sent facts_of(const Payload& p, NodeId to) const;
  bool denies(Face& from, NodeId to, std::uint32_t ref);
  // What faults make of one message to one node.
  void afflict(Face& from, NodeId to, std::uint32_t ref);
  // False: the message does not leave.
  bool befalls(Face& from, NodeId to, std::uint32_t& use, const FaultPlan::Deed& deed,
               Carriage& carriage);
  // Only one face of a two-faced node speaks to a receiver.
  bool hidden(const Face& from) const;
  void note(const Face& from, NodeId to, std::uint32_t ref, const FaultPlan::Deed& deed,
            bool dropped);
  bool swap(std::uint32_t& use, std::optional<std::uint32_t> other);
  std::optional<std::uint32_t> mutated(Face& from, std::uint32_t ref, const FaultPlan::Deed& deed,
                                       std::uint64_t salt);
  // The other message of an equivocator: the same one for all of its second audience.
  std::optional<std::uint32_t> second_face(Face& from, std::uint32_t ref,
                                           const FaultPlan::Deed& deed);
  // The latest message of an earlier round, best of the same kind.
  std::optional<std::uint32_t> older(Face& from, std::uint32_t ref);
  bool replay(Face& from, NodeId to, const FaultPlan::Deed& deed);
  // Copies, every other one with a field changed.
  void flood(Face& from, NodeId to, std::uint32_t ref, const FaultPlan::Deed& deed);
  // What a liar that hears a message says of its own: proposals, and answers to those that ask.
  void lie(Face& face, const Payload& heard);
  void show(Face& face, const Forgery& forged, const FaultPlan::Chance& chance,
            std::uint64_t variant);
  void stuff(Face& face, const Payload& heard);
  void mimic(Face& face, const Payload& heard);
  void starve(Face& from, NodeId to, std::uint32_t ref);

  // --- traces ---------------------------------------------------------------------------------

  void emit(const TraceEvent& e);
  void tell_kept();
  void tell(TraceEvent::Kind kind, const Face& face, NodeId peer, std::string_view label);
  void tell_message(TraceEvent::Kind kind, const Payload& p, NodeId to, std::string_view why);
  void tell_decision(const Face& face, const OutputFacts& facts, const Said& said);
  void tell_vertex(const Face& from, const Payload& p);

  Nodes& nodes_;
  const Nodes::Skills skills_;
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
  Hunt<Held> hunt_;
  Slab<std::uint64_t> hunted_;  // rounds of leaders
  Calendar calendar_;
  TraceSink* trace_;
  std::vector<Payload*> payloads_;  // by ref
  Slab<Alarm> alarms_;
  Slab<Posted> posted_;
  Slab<Control> controls_;
  std::vector<std::unique_ptr<Face>> faces_;
  std::vector<std::uint32_t> first_face_;
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
  Ticks restless_at_ = 0;       // when timers of no length were armed last
  std::uint64_t restless_ = 0;  // how many then
  std::uint64_t messages_ = 0;
  std::uint64_t bytes_ = 0;
  SentKinds sent_;
};

}  // namespace thresher::sim
