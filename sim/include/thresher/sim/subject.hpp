// What the engine has to know of a protocol beyond its inputs and effects: the one small file that
// puts a protocol into the simulator (sim/src/subjects/).
//
//   struct Mine {
//     using Node = MyProtocol;
//     static constexpr bool kOrdered = true;              // all nodes output one sequence
//     Node make(NodeId id) const;
//     Node::Request request(const Bytes& payload) const;
//     MessageFacts facts_of(const Node::Message&) const;
//     OutputFacts facts_of(const Node::Output&) const;
//     ...                                                 // see the concept below
//   };
//
// A subject of a DAG may name vertices, so that their ways into the order are timed:
// `born(message)`, the name of the vertex that is first sent with it, if it is one, and
// `vertices(output, visit)`.
//
// A subject may also have: `leader(node)` (where a lone client goes), `waiting(node)`,
// `queued(node)` (payloads that wait for a block; pools.hpp) with `extend(payload, replaced)` (a
// request in the place of one that waits),
// `items(output, visit)` (digests that are delivered at most once), `vertex(message)` (a DAG
// block's text for traces), `kRounds` (round() is what Stop::rounds counts),
// `warm(node, from, message)` (brings near what the message will look at; a hint),
// `heals_within(node)` (in Delta, the longest wait for a decision that is no fault, as the node's
// timers are now), with `catches_up_within(rounds)` (likewise, for what a node lacks that is so
// many rounds behind the others, or so much behind in what `reached(node)` says), or
// `patience(experiment)` (in ticks, where they never change), `reach(node)` (how far it is and what
// it keeps for nodes that lag, where that is not all), `held(node)` (what is to stay bounded:
// NodeMeasures::held), `forge(id, action, mood, salt)` (proposals that a liar signs, each with its
// audience) with `proposes(message)` (what they stand in for) and `hand_out(id, message)` (a liar's
// answer), `adopt(message, id)` (signs in a liar's name what it heard another say:
// FaultKind::kMimic), `audit()` or `audit(nodes)` (a Finding when the run broke what only the
// subject can judge: the lemmas of a proof, a log of rules taken, the state of the correct nodes
// that are up at the end) with `unpromised(experiment)` (why it judges nothing of such a run),
// `measures(nodes)` (measures of its own, of those nodes, if there are
// any), `vouched(node)`, `accepts(node, entry)`, `text_of(entry)` and `kIncludes` (healing.hpp),
// `bounds(node)` (a list of Bound, judged now and then and at the end), `stuff(id, asked, salt)`
// (what a liar says to fill an asker's memory: FaultKind::kStuff), `archive(id, record)` (each
// record that becomes durable, for what the node may read back after it erased it) with
// `lose_archive(id)`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "thresher/core/prng.hpp"
#include "thresher/core/protocol.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/sim/outcome.hpp"
#include "thresher/sim/signing.hpp"

namespace thresher::sim {

struct MessageFacts {
  std::string_view label;   ///< a literal
  std::uint64_t round = 0;  ///< round, slot or view that it is about
  std::uint32_t bytes = 0;  ///< as encoded
  bool anchor = false;      ///< a leader's proposal
  bool share = false;       ///< carries a share of a coin
  bool answer = false;      ///< answers a question, or a proposal: what FaultKind::kDeny keeps back
  /// What its sender vouches for with it, one of ProtocolInfo::moments; empty: nothing of a liar's.
  std::string_view moment{};
  std::uint32_t payload_bytes = 0;  ///< of `bytes`, what applications asked for; 0: not said
};

struct VertexName {
  NodeId author;
  std::uint64_t round = 0;
};

struct OutputFacts {
  std::uint64_t key = 0;  ///< ordered: grows along the sequence; else names what was decided
  Digest digest{};        ///< of all that nodes must agree on
  std::uint64_t round = 0;
  std::string_view label = "decide";
  /// Set where a restarted node may say an output again in part, since garbage that it collected is
  /// not ordered again: then this is the same, and what it says are the last of the same `items` in
  /// the same order. Zero: it says the same `digest`. Pre: not zero only beside `items`.
  Digest lead{};
};

/// How far a node is, and from where on it can still help one that was away. Both count `unit`s.
struct Reach {
  std::uint64_t needs = 0;     ///< the first that it may lack
  std::uint64_t gives = 0;     ///< the first that it has for others
  std::string_view unit;       ///< "round", "slot" or the like
  std::string_view parameter;  ///< of the protocol: how much is kept
};
/// For a node that is done with all below `needs` and keeps the last `kept` of them.
inline Reach reach_back(std::uint64_t needs, std::uint64_t kept, std::string_view unit,
                        std::string_view parameter) {
  return {needs, needs - std::min(needs, kept), unit, parameter};
}

/// What a subject found wrong itself.
struct Finding {
  std::string oracle;
  std::string why;
};

/// The hash of all that a node decided, after one decision more.
Digest with_decision(const Digest& so_far, Ticks at, const OutputFacts& facts);

/// Which request a payload is. Numbers count from 1; the second face of a twin has a bit more.
struct PayloadId {
  NodeId author;
  std::uint64_t number = 0;
  static constexpr std::uint64_t kSecondFace = std::uint64_t{1} << 63;
};
inline constexpr std::uint32_t kLeastPayload = 10;

/// A payload of max(`size`, kLeastPayload) bytes that names who submitted it.
Bytes make_payload(PayloadId id, std::uint32_t size);
/// Empty when `payload` is none that make_payload made.
std::optional<PayloadId> read_payload(ByteView payload);

/// Makes another payload of the same submitter of it, or other bytes; false: it is empty.
bool another_payload(Bytes& value);

/// What a liar made, and the share of nodes that it shows it to.
template <class Message>
struct Forged {
  Message message;
  std::uint64_t shown_ppm = 1'000'000;
  /// Messages with the same one are shown to the same nodes; 0: to others each time.
  std::uint64_t audience = 0;
};

template <class S>
concept Subject = Protocol<typename S::Node> &&
    requires(const S s, NodeId id, const Bytes& payload, const typename S::Node& node,
             const typename S::Node::Message& m, typename S::Node::Message& mutable_m,
             const typename S::Node::Output& o) {
  { S::kOrdered } -> std::convertible_to<bool>;
  { s.make(id) } -> std::same_as<typename S::Node>;
  { s.request(payload) } -> std::same_as<typename S::Node::Request>;
  { s.facts_of(m) } -> std::same_as<MessageFacts>;
  { s.facts_of(o) } -> std::same_as<OutputFacts>;
  /// Visits the payloads of an output, those of `author` at least if one is given, each with its
  /// author if the protocol knows it.
  s.payloads(o, std::optional<NodeId>{}, [](ByteView, std::optional<NodeId>) {});
  /// Changes a field (empty: any) of a message that `id` sends; false: it has no such field.
  { s.mutate(mutable_m, id, std::string_view{}, std::uint64_t{}) } -> std::same_as<bool>;
  { s.round(node) } -> std::convertible_to<std::uint64_t>;
  { s.refused(node) } -> std::convertible_to<std::uint64_t>;
};

}  // namespace thresher::sim
