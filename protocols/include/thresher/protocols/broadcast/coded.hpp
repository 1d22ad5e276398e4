// What the erasure-coded broadcasts have in common: fragments of a payload, and the course of an
// instance around the rules that differ (avid.hpp, das_xiang_ren.hpp).
//
//   coded::Fragments fragments(committee);                     // any n-2f of n give the payload
//   std::vector<Bytes> mine = fragments.cut(payload.view());
//   std::optional<Bytes> back = fragments.join(received);      // absent ones are empty
//
// Guarantees of Instances: statements are durable before they are sent and said once; an open
// instance asks every peer for what it lacks of it every 4 Delta, is answered once a tick, and what
// is delivered is told for ever, ever more seldom, to peers that have not said ready: lost messages
// only delay. Of an origin at most 2 `window` instances are kept and origin_bytes() of payloads and
// fragments; what a peer alone says is a fragment takes a part of that which is the peer's, so that
// a liar keeps no payload of another origin out. Rules R5 to R8 of docs/protocols/avid.md, with the
// arguments.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "thresher/coding/reed_solomon.hpp"
#include "thresher/core/committee.hpp"
#include "thresher/core/protocol.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/protocols/broadcast/remains.hpp"
#include "thresher/protocols/broadcast/shelf.hpp"

namespace thresher::coded {

using broadcast::Delivery;
using broadcast::Floor;
using broadcast::Footprint;
using broadcast::Instance;
using broadcast::Submit;

enum Counter : std::uint8_t { kEcho, kReadied };

/// Asks a peer to say again what the asker lacks of it: as the origin, its echo, its ready.
struct Ask {
  Instance instance;
  bool input = false;
  bool echo = false;
  bool ready = false;
};

/// What a node waits for. Named by the step; tests lower them.
struct Thresholds {
  Threshold ready;                 ///< echoes of one value before ready
  Threshold vouch = kValidity;     ///< equal echoes before a fragment passes for the own one
  Threshold amplify = kValidity;   ///< readies before ready
  Threshold deliver = kStrong;     ///< readies before delivery
  Threshold join = kCorrectHeard;  ///< fragments that give a payload
};

struct Config {
  Committee committee = *Committee::make(4, 1);  ///< at most 255 nodes: a byte numbers a fragment
  NodeId self{};
  std::uint64_t window = 64;             ///< instances of one origin on the way
  std::size_t payload_bytes = 1u << 20;  ///< largest payload
  std::size_t origin_bytes = 16u << 20;  ///< of one origin on the way; raised to two instances
  std::uint64_t history = broadcast::kHistory;  ///< delivered ones kept for nodes that lag
  bool owner_forgets = false;                   ///< nothing but forget_below makes room
  std::optional<Thresholds> thresholds{};       ///< tests break them; else the protocol's own
};

/// A payload as n fragments, any n-2f of which give it back: f may be withheld, and of the n-f that
/// can be waited for f may come from nodes that go silent towards somebody else. The payload's
/// length goes with it, so fragments say nothing but themselves.
class Fragments {
 public:
  /// Pre: at most 255 nodes, `join` is between 1 and n.
  explicit Fragments(const Committee& committee, Threshold join = kCorrectHeard);

  std::uint32_t total() const { return code_.total(); }
  std::uint32_t needed() const { return code_.data(); }
  /// The size of every fragment of a payload of `payload_size` bytes.
  std::size_t size(std::size_t payload_size) const;
  std::vector<Bytes> cut(ByteView payload) const;
  Bytes cut(ByteView payload, NodeId of) const;
  /// The payload, from the first n-2f fragments that are there. Pre: as many are there, all of one
  /// size. Empty when no payload has such fragments.
  std::optional<Bytes> join(std::span<const Bytes> fragments) const;
  /// As join(), but some may be wrong: those of another size than most have, and of these as many
  /// as leave one answer only. Empty when there is none, or fewer than needed() are of that size.
  std::optional<Bytes> mend(std::span<const Bytes> fragments) const;

 private:
  Bytes frame(ByteView payload) const;
  std::optional<Bytes> unframe(const Bytes& framed) const;

  coding::ReedSolomon code_;
};

/// What both protocols know of an instance.
struct State : broadcast::Kept {
  explicit State(const Committee& c) : spoke{NodeSet(c.size()), NodeSet(c.size())} {}

  std::optional<Digest> input;    ///< the value of the origin's message, once it came
  std::optional<Digest> said[2];  ///< by this node, by counter; a ready binds it to the value
  NodeSet spoke[2];               ///< who was counted, by counter, whatever the value
  bool on_disk = false;           ///< the payload that was delivered, in another record
  bool expected = false;          ///< by the owner; `age` then counts from there
  std::size_t bytes = 0;          ///< of fragments, charged to the origin
  std::size_t charged() const { return bytes; }
  /// A statement of a liar alone makes no node ask or forget.
  bool vouched(const Committee& c) const {
    return input || said[kReadied] || done || expected || broadcast::one_is_correct(spoke, c);
  }
};

/// The course of instances. `Self` has
///   start(i, s, payload, fx)               broadcasts its own
///   receive(from, message, fx)             for each of its messages
///   advance(i, s, fx)                      takes the steps that are open
///   say(to, i, s, counter, fx) const       once more; pre: it was said
///   say_bare(to, i, value, counter, fx) const  as much of it as a digest tells
///   say_input(to, i, s, fx)                the origin's message once more; pre: it is ours
///   restore(i, s, counter, record)         its statement
///   resume(i, s, fx)                       after a restart
///   values(s) const                        how many values somebody spoke of
///   all_hold(s) const                      whether every node has the payload, as they say
///   held_on_word(s, from) const            bytes of fragments that only `from` says belong here
template <class Self, class S, class M>
class Instances {
 public:
  static constexpr std::uint32_t kNodesPerFault = 3;
  static constexpr std::uint32_t kMostNodes = coding::ReedSolomon::kMaxShards;

  using Message = M;
  using Output = Delivery;
  using Request = Submit;
  using Fx = Effects<Message, Output>;
  using Config = coded::Config;

  void on(const Restored&, Fx&);
  void on(const Start&, Fx&);
  void on(const Received<Message>&, Fx&);
  void on(const Requested<Request>&, Fx&);
  void on(const Expired&, Fx&);

  /// The rest of broadcast::Broadcast, as said there.
  void forget_below(std::uint64_t number, Fx& fx);
  void expect(const Instance& i, Fx& fx);
  const Bytes* delivered(const Instance& i) const;
  bool submitted(std::uint64_t number) const { return next_ > number; }
  std::size_t open() const { return shelf_.undelivered(); }
  Footprint footprint() const;
  static Footprint most_held(const Config& config);
  std::uint64_t refused() const { return refused_; }
  std::uint64_t skipped() const { return shelf_.skipped(); }
  /// Instances that it looked at to see whether all is done.
  std::uint64_t looked_at() const { return shelf_.looked_at(); }

  /// What is really kept of one origin: Config::origin_bytes, or twice the most that an instance
  /// of the largest payload can take if that is more. Half is for the oldest one, which then has
  /// room whatever the others hold.
  static std::size_t origin_bytes(const Config& config);

 protected:
  Instances(const Config& config, const Thresholds& standard);

  void receive(NodeId from, const Ask& m, Fx& fx);
  void receive(NodeId from, const Floor& m, Fx& fx);
  /// The instance that a peer speaks of; null outside the window, and counted as refused unless it
  /// is late, which is not an offence.
  S* instance_for(NodeId from, const Instance& i, Fx& fx);
  void refuse() { ++refused_; }
  bool reached(const Tally& tally, Threshold threshold) const;
  /// Charges the origin; false, and counted as refused, when it has no room for `bytes` now.
  bool take_room(const Instance& i, S& s, std::size_t bytes);
  /// As take_room(), for a fragment that belongs to the instance on the word of `from` alone: false
  /// as well when it holds too much of the origin's room with such, unless the instance is the
  /// origin's oldest.
  bool take_room_on_word(NodeId from, const Instance& i, S& s, std::size_t bytes);
  void free_room(const Instance& i, S& s, std::size_t bytes);
  /// Durable, and kept: the payload that this node broadcasts, whose value is `digest`.
  void own(const Instance& i, S& s, const Digest& digest, const Bytes& payload, Fx& fx);
  /// Durable, and never said otherwise. Pre: not said yet.
  void record(const Instance& i, S& s, Counter c, const Digest& digest, ByteView more,
              const Bytes& body, Fx& fx);
  /// Hands the payload over. Pre: it is held, and was not handed over. `on_disk`: another record
  /// holds it.
  void deliver(const Instance& i, S& s, const Digest& digest, bool on_disk, Fx& fx);

  coded::Config config_;
  Thresholds thresholds_;
  Fragments fragments_;
  broadcast::Shelf<S> shelf_;
  broadcast::Remains remains_;

 private:
  /// What becomes of instances below the floor.
  enum class Past : std::uint8_t { kForgotten, kSpokenOf };

  Self& self() { return static_cast<Self&>(*this); }
  const Self& self() const { return static_cast<const Self&>(*this); }
  std::size_t room_of_one_sender() const;
  bool in_window(const Instance& i) const;
  void tell_past(NodeId to, const Ask& m, Fx& fx);
  void tell_floor(NodeId to, const Instance& i, bool asks, Fx& fx);
  void raise_floor(NodeId id, std::uint64_t number, Past past, Fx& fx);
  void leave(const Instance& i, const S& s, Fx& fx);
  std::uint64_t over_below(NodeId origin) const;
  void trim(NodeId id, Fx& fx);
  bool may_forget(const S& s) const;
  bool settled(const S& s) const;
  bool old(const Instance& i, const S& s) const;
  void ask_again(const Instance& i, S& s, Fx& fx);
  void tell_again(const Instance& i, S& s, Fx& fx);
  void ask_expected(const Instance& i, S& s, Fx& fx) const;
  void catch_up(NodeId id, Fx& fx);
  void record_delivery(const Instance& i, const S& s, Fx& fx) const;
  void arm(Fx& fx);

  std::uint64_t next_ = 0;  // number of the next own payload
  std::uint64_t refused_ = 0;
  bool armed_ = false;
};

}  // namespace thresher::coded
