// Bracha's reliable broadcast: many instances, driven by a rule table that is proved for every n.
//
//   Bracha node({.committee = *Committee::of(4), .self = NodeId{0}});
//   Executor<Bracha, Backend> executor(std::move(node), backend);
//   executor.run(Requested<Bracha::Request>{{payload}});      // broadcasts the next payload
//
// Guarantees, with up to f Byzantine nodes at any timing: if a correct node delivers a payload of
// (origin, number), every correct node does, and the same one, unless it is so far behind that the
// others forgot it (then it goes on where they are); a correct origin's payload is delivered;
// nothing else is delivered in its name. Echoes and readies carry digests; a node that lacks the
// payload asks those that echoed it, which have it on disk. Statements are durable before they are
// sent, so a restart never contradicts them; they are repeated while an instance is open here, and
// more seldom, but for ever, to peers that have not said ready, or while an owner says that it
// waits for nothing: lost messages only delay. Bounds:
// of an origin at most 2 `window` instances and `origin_bytes` of payload are kept; a peer counts
// once for each counter of an instance, so an instance holds at most 2n digests; of what was
// forgotten lately a digest remains (remains.hpp). Does not order. Rules, bounds and their reasons:
// docs/protocols/bracha.md. Source: Bracha, "Asynchronous Byzantine agreement protocols" (1987);
// docs/verify/automata.md.
#pragma once

#include <map>
#include <utility>
#include <variant>
#include <vector>

#include "thresher/core/committee.hpp"
#include "thresher/core/protocol.hpp"
#include "thresher/core/rule.hpp"
#include "thresher/core/rule_trace.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/protocols/broadcast/remains.hpp"
#include "thresher/protocols/broadcast/shelf.hpp"

namespace thresher {

namespace bracha {

enum Location : std::uint8_t { kIdle, kEchoed, kReadyFirst, kReady, kDelivered };
enum Counter : std::uint8_t { kEcho, kReadied };

inline constexpr LocationInfo kLocations[] = {{"S", true, false},
                                              {"E", true, false},
                                              {"N", true, true},
                                              {"R", false, true},
                                              {"D", false, true}};
inline constexpr std::string_view kCounters[] = {"echo", "ready"};
inline constexpr Rule kRules[] = {
    {"echo", kIdle, kEchoed, {}, Say{kEcho, Value::kInput}},
    {"ready", kEchoed, kReady, Guard{kEcho, kQuorum}, Say{kReadied, Value::kCounted}},
    {"amplify", kEchoed, kReady, Guard{kReadied, kValidity}, Say{kReadied, Value::kCounted}},
    {"ready before input", kIdle, kReadyFirst, Guard{kEcho, kQuorum},
     Say{kReadied, Value::kCounted}},
    {"amplify before input", kIdle, kReadyFirst, Guard{kReadied, kValidity},
     Say{kReadied, Value::kCounted}},
    {"echo late", kReadyFirst, kReady, {}, Say{kEcho, Value::kInput}},
    {"deliver", kReady, kDelivered, Guard{kReadied, kStrong}, {}},
    {"deliver before input", kReadyFirst, kDelivered, Guard{kReadied, kStrong}, {}},
    {"deliver fast", kReady, kDelivered, Guard{kEcho, kFast}, {}},
    {"deliver fast before input", kReadyFirst, kDelivered, Guard{kEcho, kFast}, {}},
};
inline constexpr RuleTable kTable{"bracha", kLocations, kCounters, kRules};
static_assert(well_formed(kTable));

using broadcast::Delivery;
using broadcast::Floor;
using broadcast::Footprint;
using broadcast::Instance;
using broadcast::Submit;

/// From the origin.
struct Init {
  Instance instance;
  Bytes payload;
};
/// An echo or a ready.
struct Statement {
  Instance instance;
  Counter counter = kEcho;
  Digest digest{};
  bool repeated = false;  ///< the sender is still open: it may lack what others said
};
/// Asks for the payload, or, without it, for what the receiver said in the instance.
struct Want {
  Instance instance;
  bool payload = true;
};
struct Give {
  Instance instance;
  Bytes payload;
};

}  // namespace bracha

class Bracha {
 public:
  static constexpr std::string_view kName = "bracha";
  static constexpr std::uint32_t kNodesPerFault = 3;
  static constexpr std::uint32_t kMostNodes = Committee::kMaxSize;

  using Message =
      std::variant<bracha::Init, bracha::Statement, bracha::Want, bracha::Give, bracha::Floor>;
  using Output = bracha::Delivery;
  using Request = bracha::Submit;
  using Fx = Effects<Message, Output>;

  struct Config {
    Committee committee = *Committee::make(4, 1);
    NodeId self{};
    std::uint64_t window = 64;             ///< instances of one origin on the way
    std::size_t payload_bytes = 1u << 20;  ///< largest payload
    std::size_t origin_bytes = 16u << 20;  ///< of one origin on the way; at least two payloads
    std::uint64_t history = broadcast::kHistory;  ///< delivered ones kept for nodes that lag
    bool owner_forgets = false;                   ///< nothing but forget_below makes room
    const RuleTable* table = &bracha::kTable;     ///< tests break it
    RuleLog* trace = nullptr;                     ///< where steps are logged; null: nowhere
  };

  explicit Bracha(Config config);

  void on(const Restored&, Fx&);
  void on(const Start&, Fx&);
  void on(const Received<Message>&, Fx&);
  void on(const Requested<Request>&, Fx&);
  void on(const Expired&, Fx&);

  /// For an owner that numbers instances by something of its own: those below matter no more.
  void forget_below(std::uint64_t number, Fx& fx);
  /// The instance exists, the owner says: it is asked for, though nobody spoke of it here.
  void expect(const bracha::Instance& i, Fx& fx);
  /// Whether its owner waits for anything. While it does not, open instances are said again ever
  /// more seldom; owners that say nothing of it wait.
  void owner_waits(bool waits) { owner_waits_ = waits; }
  /// What was delivered there; null when nothing was or it is forgotten.
  const Bytes* delivered(const bracha::Instance& i) const;

  /// Whether this node has broadcast something under that number or a later one.
  bool submitted(std::uint64_t number) const { return next_ > number; }

  /// Instances that are not delivered yet.
  std::size_t open() const { return shelf_.undelivered(); }
  bracha::Footprint footprint() const;
  /// What footprint() never exceeds.
  static bracha::Footprint most_held(const Config& config);
  /// Messages refused: malformed, over a quota, repeated.
  std::uint64_t refused() const { return refused_; }
  std::uint64_t skipped() const { return shelf_.skipped(); }
  /// Instances that it looked at to see whether all is done.
  std::uint64_t looked_at() const { return shelf_.looked_at(); }

 private:
  /// What becomes of instances below the floor.
  enum class Past : std::uint8_t { kForgotten, kSpokenOf };
  struct Count {
    Tally by[2];  // by counter

    std::uint32_t senders(const Guard& guard) const;
  };
  struct State : broadcast::Kept {
    explicit State(const Committee& c) : spoke{NodeSet(c.size()), NodeSet(c.size())} {}
    bool vouched(const Committee& c) const {
      return has_input || done || expected || broadcast::one_is_correct(spoke, c);
    }

    std::uint8_t location = bracha::kIdle;
    bool has_input = false;
    Digest input{};
    std::optional<Digest> value;  // committed to
    std::map<Digest, Count> counts;
    NodeSet spoke[2];               // senders counted, by counter
    std::optional<Digest> said[2];  // by this node
    bool expected = false;          // by the owner; `age` then counts from there while nothing came
  };

  void receive(NodeId from, const bracha::Init& m, Fx& fx);
  void receive(NodeId from, const bracha::Statement& m, Fx& fx);
  void receive(NodeId from, const bracha::Want& m, Fx& fx);
  void receive(NodeId from, const bracha::Give& m, Fx& fx);
  void receive(NodeId from, const bracha::Floor& m, Fx& fx);
  State* instance_for(NodeId from, const bracha::Instance& i, bool asks, Fx& fx);
  void ask_expected(const bracha::Instance& i, State& s, Fx& fx) const;
  void catch_up(NodeId origin, Fx& fx);
  bool may_forget(const State& s) const;
  void trim(NodeId origin, Fx& fx);
  void raise_floor(NodeId origin, std::uint64_t number, Past past, Fx& fx);
  void leave(const bracha::Instance& i, const State& s, Fx& fx);
  std::uint64_t over_below(NodeId origin) const;
  void restore_statement(const Restored& record, const bracha::Instance& i);
  void repeat(NodeId to, const bracha::Instance& i, const State& s, Fx& fx) const;
  void input(const bracha::Instance& i, State& s, const Bytes& payload, Fx& fx);
  void count(const bracha::Instance& i, State& s, NodeId from, bracha::Counter c,
             const Digest& digest, Fx& fx);
  void advance(const bracha::Instance& i, State& s, Fx& fx);
  void take(const bracha::Instance& i, State& s, const Rule& rule, const Digest& counted, Fx& fx);
  bool say(const bracha::Instance& i, State& s, const Say& say, const Digest& digest, Fx& fx);
  void finish(const bracha::Instance& i, State& s, Fx& fx);
  void record_delivery(const bracha::Instance& i, const State& s, Fx& fx) const;
  void arm(Fx& fx);
  std::uint8_t last_location() const;
  bool speaks_for_itself(const State& s, NodeId peer) const;
  bool settled(const State& s) const;
  bool lacks_payload(const State& s) const;
  void ask_again(const bracha::Instance& i, State& s, Fx& fx) const;
  void ask_payload(const bracha::Instance& i, const State& s, std::uint32_t most, Fx& fx) const;

  Config config_;
  Guard delivering_;  // of the table's first rule that delivers
  broadcast::Shelf<State> shelf_;
  broadcast::Remains remains_;
  std::uint64_t next_ = 0;  // number of the next own payload
  std::uint64_t refused_ = 0;
  bool armed_ = false;
  bool owner_waits_ = true;
};

static_assert(broadcast::Broadcast<Bracha>);

}  // namespace thresher
