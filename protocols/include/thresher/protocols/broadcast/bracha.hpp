// Bracha's reliable broadcast: many instances, driven by a rule table that is proved for every n.
//
//   Bracha node({.committee = *Committee::of(4), .self = NodeId{0}});
//   Executor<Bracha, Backend> executor(std::move(node), backend);
//   executor.run(Requested<Bracha::Request>{{payload}});      // broadcasts the next payload
//
// Guarantees, with up to f Byzantine nodes at any timing: if a correct node delivers a payload of
// (origin, number), every correct node does, and the same one; a correct origin's payload is
// delivered; nothing else is delivered in its name. Echoes and readies carry digests; a node that
// lacks the payload asks those who echoed it. Statements are durable before they are sent, so a
// restart never contradicts them; they are repeated while an instance is open here, and ever more
// seldom to peers that have not said ready, so lost messages only delay.
// Bounds: of an origin, 2 `window` instances are kept, done ones for those who are late; a peer
// counts once for each counter of an instance, so an instance holds at most n digests; payloads are
// at most `payload_bytes`. Does not order.
// Source: Bracha, "Asynchronous Byzantine agreement protocols" (1987); docs/verify/automata.md.
#pragma once

#include <map>
#include <variant>
#include <vector>

#include "thresher/core/committee.hpp"
#include "thresher/core/protocol.hpp"
#include "thresher/core/rule.hpp"
#include "thresher/core/rule_trace.hpp"

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
};
inline constexpr RuleTable kTable{"bracha", kLocations, kCounters, kRules};
static_assert(well_formed(kTable));

/// An instance: the `number`-th payload of `origin`.
struct Instance {
  NodeId origin;
  std::uint64_t number = 0;
  friend auto operator<=>(const Instance&, const Instance&) = default;
};
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
/// Asks somebody who echoed for the payload.
struct Want {
  Instance instance;
};
struct Give {
  Instance instance;
  Bytes payload;
};

struct Delivery {
  Instance instance;
  Bytes payload;
};
struct Submit {
  Bytes payload;
};

}  // namespace bracha

class Bracha {
 public:
  using Message = std::variant<bracha::Init, bracha::Statement, bracha::Want, bracha::Give>;
  using Output = bracha::Delivery;
  using Request = bracha::Submit;
  using Fx = Effects<Message, Output>;

  struct Config {
    Committee committee = *Committee::make(4, 1);
    NodeId self{};
    std::uint64_t window = 64;                 ///< instances of one origin on the way
    std::size_t payload_bytes = 1u << 20;      ///< largest payload
    const RuleTable* table = &bracha::kTable;  ///< tests break it
    RuleLog* trace = nullptr;                  ///< where steps are logged; null: nowhere
  };

  explicit Bracha(Config config);

  void on(const Restored&, Fx&);
  void on(const Start&, Fx&);
  void on(const Received<Message>&, Fx&);
  void on(const Requested<Request>&, Fx&);
  void on(const Expired&, Fx&);

  /// Instances that are not delivered yet.
  std::size_t open() const;
  /// Messages refused: malformed, over a quota, repeated.
  std::uint64_t refused() const { return refused_; }

 private:
  struct Count {
    Tally by[2];  // by counter
  };
  struct State {
    std::uint8_t location = bracha::kIdle;
    bool has_input = false;
    Digest input{};
    std::optional<Digest> value;       // committed to
    std::map<Digest, Bytes> payloads;  // of the origin, or given; one each
    std::map<Digest, Count> counts;
    NodeSet spoke[2];               // senders counted, by counter
    std::optional<Digest> said[2];  // by this node
    bool done = false;              // delivered to the host
    std::uint32_t age = 0;          // timer ticks since
  };
  struct Origin {
    std::uint64_t floor = 0;  // everything below is done and forgotten
    std::map<std::uint64_t, State> open;
  };

  void receive(NodeId from, const bracha::Init& m, Fx& fx);
  void receive(NodeId from, const bracha::Statement& m, Fx& fx);
  void receive(NodeId from, const bracha::Want& m, Fx& fx);
  void receive(NodeId from, const bracha::Give& m, Fx& fx);
  State* instance(const bracha::Instance& i);
  void restore_statement(const Restored& record);
  void repeat(NodeId to, const bracha::Instance& i, const State& s, Fx& fx) const;
  void input(const bracha::Instance& i, State& s, const Bytes& payload, Fx& fx);
  void count(const bracha::Instance& i, State& s, NodeId from, bracha::Counter c,
             const Digest& digest, Fx& fx);
  void advance(const bracha::Instance& i, State& s, Fx& fx);
  void take(const bracha::Instance& i, State& s, const Rule& rule, const Digest& counted, Fx& fx);
  bool say(const bracha::Instance& i, State& s, const Say& say, const Digest& digest, Fx& fx);
  void finish(const bracha::Instance& i, State& s, Fx& fx);
  void arm(Fx& fx);
  bool settled(const State& s) const;
  void ask_again(const bracha::Instance& i, const State& s, Fx& fx) const;

  Config config_;
  std::vector<Origin> origins_;
  std::uint64_t next_ = 0;  // number of the next own payload
  std::uint64_t refused_ = 0;
  bool armed_ = false;
};

}  // namespace thresher
