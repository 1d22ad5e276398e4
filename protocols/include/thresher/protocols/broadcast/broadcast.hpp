// One shelf of reliable broadcasts: what all of them have in common, whatever they cost.
//
//   template <broadcast::Broadcast B>
//   class KeyGeneration { ... B dealings_; };               // Bracha, Avid, ChainedEcho, ...
//   static_assert(broadcast::Broadcast<Bracha>);
//
// Guarantees of whatever models `Broadcast`, with up to f Byzantine nodes of n at any timing:
//   validity   a correct origin's payload is delivered by every correct node;
//   agreement  no two correct nodes deliver different payloads of one instance;
//   integrity  an instance is delivered once, and of a correct origin only what it broadcast;
//   totality   what one correct node delivers all deliver.
// A node that is so far behind that the others forgot an instance skips it, counts it in skipped()
// and goes on where they are: nothing bounded can promise more, since a silent peer may need
// everything for ever. Where the host lends archives (archive.hpp) nothing is forgotten. The
// limits of Config bound what is kept of each origin; most_held() says what that adds up to, and
// footprint() never exceeds it, whatever peers send. A restarted node contradicts nothing that it
// said. Origins are independent: a flood of one takes no room from another.
// Does not order. Does not say how messages travel: `encode` and `decode` of a broadcast are in its
// own <name>_wire.hpp. Which broadcast is for whom: docs/protocols/broadcast.md.
// Source: Bracha, "Asynchronous Byzantine agreement protocols" (1987) for the four properties.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "thresher/core/bytes.hpp"
#include "thresher/core/committee.hpp"
#include "thresher/core/protocol.hpp"

namespace thresher::broadcast {

/// The `number`-th payload of `origin`. Numbers count from 0 and have no gaps, unless an owner
/// numbers instances by something of its own (Submit::at_least, forget_below).
struct Instance {
  NodeId origin;
  std::uint64_t number = 0;
  friend auto operator<=>(const Instance&, const Instance&) = default;
};

/// Broadcasts `payload` as this node's next instance. Refused, which refused() counts, when it is
/// over Config::payload_bytes or when Config::window or origin_bytes leave no room for it now.
struct Submit {
  Bytes payload;
  std::uint64_t at_least = 0;  ///< its number: this one, or the next that is free
};

struct Delivery {
  Instance instance;
  Bytes payload;
};

/// What a node holds, all origins together.
struct Footprint {
  std::size_t instances = 0;        ///< within their origin's window
  std::size_t history = 0;          ///< delivered before it, and kept for nodes that lag
  std::size_t digests = 0;          ///< different contents of the instances that somebody spoke of
  std::size_t history_digests = 0;  ///< the same of the history
  std::size_t remains = 0;        ///< instances of which this node knows no more than what it said
  std::size_t payload_bytes = 0;  ///< payloads within the window, and fragments of payloads
  std::size_t history_bytes = 0;  ///< the same of the history
};

/// Config of every broadcast has at least these members, by these names:
///   Committee committee;        who takes part
///   NodeId self;
///   std::uint64_t window;       instances of one origin that go on at a time; 2 `window` are kept
///   std::size_t payload_bytes;  largest payload
///   std::size_t origin_bytes;   kept of one origin; at least two payloads
template <class C>
concept BroadcastConfig = std::default_initializable<C> && requires(C c) {
  { c.committee } -> std::same_as<Committee&>;
  { c.self } -> std::same_as<NodeId&>;
  { c.window } -> std::same_as<std::uint64_t&>;
  { c.payload_bytes } -> std::same_as<std::size_t&>;
  { c.origin_bytes } -> std::same_as<std::size_t&>;
};

template <class B>
concept Broadcast = Protocol<B> && BroadcastConfig<typename B::Config> &&
    std::same_as<typename B::Output, Delivery> && std::same_as<typename B::Request, Submit> &&
    std::constructible_from<B, typename B::Config> &&
    requires(B b, const B& c, const typename B::Config& config, const Instance& i,
             std::uint64_t number, EffectsOf<B>& fx) {
  /// The name in `thresher protocols`, in experiments and for Channel.
  { B::kName } -> std::convertible_to<std::string_view>;
  /// n > kNodesPerFault * f.
  { B::kNodesPerFault } -> std::convertible_to<std::uint32_t>;
  /// n <= kMostNodes. Fragments of a coded broadcast are numbered by a byte.
  { B::kMostNodes } -> std::convertible_to<std::uint32_t>;
  /// Instances below matter no more to the owner, of any origin.
  { b.forget_below(number, fx) } -> std::same_as<void>;
  /// The instance exists, the owner says: it is asked for, though nobody spoke of it here.
  { b.expect(i, fx) } -> std::same_as<void>;
  /// What was delivered there; null when nothing was or it is forgotten.
  { c.delivered(i) } -> std::same_as<const Bytes*>;
  /// Whether this node has broadcast something under that number or a later one.
  { c.submitted(number) } -> std::same_as<bool>;
  /// Instances that this node knows of and has not delivered.
  { c.open() } -> std::same_as<std::size_t>;
  { c.footprint() } -> std::same_as<Footprint>;
  { B::most_held(config) } -> std::same_as<Footprint>;
  /// Messages and requests refused: malformed, over a limit, of an instance that is over.
  { c.refused() } -> std::same_as<std::uint64_t>;
  /// Instances that this node will not deliver any more, since others keep them no longer.
  { c.skipped() } -> std::same_as<std::uint64_t>;
};

/// A broadcast whose owner numbers instances by something of its own and says itself what is to be
/// forgotten: with Config::owner_forgets nobody makes room by newer instances, liars least of all.
template <class B>
concept OwnedBroadcast = Broadcast<B> && requires(typename B::Config c) {
  { c.owner_forgets } -> std::same_as<bool&>;
};

}  // namespace thresher::broadcast
