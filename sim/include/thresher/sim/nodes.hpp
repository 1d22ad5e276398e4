// The seam between the engine, which is compiled once, and the nodes of a run, whose messages,
// requests and outputs have types of their own: what world.hpp asks of their owner.
//
//   TypedNodes<Mine> nodes(Mine{experiment});         // typed_nodes.hpp: Nodes of any subject
//   World world(nodes, experiment, /*trace=*/nullptr);
//
// A message is a Payload here: the facts that the engine goes by. An implementation keeps the typed
// message right behind it, names it by a small number, its ref, and frees it at drop().
//
// Guarantees (of each implementation): a payload does not move between its making and drop();
// faces are told apart by index; nothing is kept of what an argument refers to. One virtual call a
// message that a node takes. Does not count uses and knows no time: the World does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "thresher/core/protocol.hpp"
#include "thresher/sim/subject.hpp"

namespace thresher::sim {

class World;

/// A message on its way, as far as the engine looks at it.
struct Payload {
  MessageFacts facts;
  std::uint64_t number = 0;  ///< the sender's count
  std::uint32_t from = 0;    ///< face
  std::uint32_t uses = 0;
  std::uint32_t kind = 0;  ///< of SentKinds
  NodeId id{};
  std::uint64_t tag = 0;  ///< of a delivery in the instant that runs
};
/// A message that was just made. All but the facts of its payload is the World's to fill in.
struct Placed {
  std::uint32_t ref = 0;
  Payload* payload = nullptr;
};
/// One that a liar made, and the nodes that see it: see Forged.
struct Forgery {
  Placed made;
  std::uint64_t shown_ppm = 0;
  std::uint64_t audience = 0;
};

/// A request of the workload, whose type the nodes know.
struct Question {
  virtual ~Question() = default;
};
/// What a node is told in other ways than by a message.
using Notice =
    std::variant<Start, Restored, Expired, Verified, Endorsed, std::shared_ptr<const Question>>;

/// An output of a node, for as long as it is told. What a subject does not have is empty.
class Said {
 public:
  using Visit = std::function<void(ByteView, std::optional<NodeId>)>;
  virtual ~Said() = default;
  /// As the subject's payloads().
  virtual void payloads(std::optional<NodeId> author, const Visit& visit) const = 0;
  virtual void items(const std::function<void(const Digest&)>&) const {}
  virtual void vertices(const std::function<void(const VertexName&)>&) const {}
  virtual std::string leader_text() const { return {}; }
};

class Nodes {
 public:
  /// What the subject has; asked once.
  struct Skills {
    bool forges = false;
    bool stuffs = false;
    bool archives = false;
    bool warms = false;
    std::size_t message_bytes = sizeof(Payload);  ///< of a payload with its message
  };

  virtual ~Nodes() = default;
  virtual Skills skills() const = 0;
  /// Called first. `world` gets what the nodes want done.
  virtual void live_in(World& world) = 0;

  /// A node at its beginning, in the place of what was there. Pre: the first time, `face` is the
  /// number of faces so far.
  virtual void make(std::uint32_t face, NodeId id) = 0;
  /// Steps the node. An invariant that breaks is thrown on to the caller.
  virtual void hear(std::uint32_t face, const Payload& message) = 0;
  virtual void notice(std::uint32_t face, const Notice& notice) = 0;
  virtual void persisted(std::uint32_t face, std::uint64_t barrier) = 0;
  virtual std::uint64_t round(std::uint32_t face) const = 0;

  /// Nobody uses the message any more.
  virtual void drop(std::uint32_t ref) = 0;
  /// Brings near what the message will look at; a hint.
  virtual void warm(std::uint32_t /*face*/, const Payload& /*message*/) const {}
  /// A DAG block's text for traces; empty: it is none.
  virtual std::string vertex(const Payload& /*message*/) const { return {}; }
  virtual void archive(NodeId /*id*/, const Persist& /*record*/) {}
  virtual void lose_archive(NodeId /*id*/) {}

  // What liars make, each a member of the subject of the same name.

  /// A copy with a field changed; empty: it has no such field.
  virtual std::optional<Placed> mutated(NodeId by, const Payload& message, std::string_view field,
                                        std::uint64_t salt) = 0;
  /// A copy that `by` says as its own.
  virtual Placed adopted(NodeId by, const Payload& heard) = 0;
  virtual bool proposes(const Payload& /*message*/) const { return false; }
  virtual std::optional<Placed> hand_out(NodeId /*by*/, const Payload& /*heard*/) { return {}; }
  virtual void forge(NodeId /*by*/, const FaultAction& /*action*/, std::uint64_t /*mood*/,
                     std::uint64_t /*salt*/, const std::function<void(const Forgery&)>& /*visit*/) {
  }
  /// Goes on while `wanted` says so; what would come next is not made then.
  virtual void stuff(NodeId /*by*/, const Payload& /*heard*/, std::uint64_t /*salt*/,
                     const std::function<bool()>& /*wanted*/,
                     const std::function<void(const Placed&)>& /*visit*/) {}
};

}  // namespace thresher::sim
