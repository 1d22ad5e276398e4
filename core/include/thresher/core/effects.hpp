// What a protocol wants done: plain data in one ordered list that the driver owns and reuses.
//
//   fx.push(Persist{kOwnBlock, key, value});
//   fx.broadcast(block);                          // leaves only when the record above is durable
//
// Guarantees: the order in the list is the order of becoming visible; `Persist` is a barrier for
// every Send, Broadcast and Deliver after it. Timers, Verify, VerifyAll and Endorse do not
// wait. Source: docs/architecture.md; ADR 001, ADR 009.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "thresher/core/bytes.hpp"
#include "thresher/core/hash.hpp"
#include "thresher/core/ids.hpp"
#include "thresher/core/signature_list.hpp"

namespace thresher {

template <class M>
struct Send {
  NodeId to;
  M message;
};
/// Reaches every other member. The sender steps its own message itself.
template <class M>
struct Broadcast {
  M message;
};
/// To the layer above: the parent protocol or the application.
template <class O>
struct Deliver {
  O output;
};
struct ArmTimer {
  TimerId id;
  Delay after;
};
struct CancelTimer {
  TimerId id;
};
/// A durable record. `body` is a large slice that is stored beside `value` without being copied.
/// Later records of the same table and key replace earlier ones; an empty `value` erases.
/// A `lazy` record is not itself a barrier: it is durable before the next record that is one.
struct Persist {
  std::uint32_t table = 0;
  Bytes key;
  Bytes value;
  Bytes body{};
  bool lazy = false;
};
/// Ask for a verdict on a signature; answered by `Verified`. `sender`: the node that brought it, to
/// whom a host counts a bad one. Empty: the sender of the message that is handled, which is wrong
/// where a signature waits until another node's message makes its verdict worth asking for.
struct Verify {
  Ticket ticket;
  NodeId signer;
  Digest digest;
  Signature signature;
  std::optional<NodeId> sender{};
};
/// Ask for one verdict on a list of signatures on `digest`; answered by one `Verified`, which says
/// whether all are good. Pre: the list is complete and does not change after this, so that a
/// verifier may cache its verdict by the list's address.
struct VerifyAll {
  Ticket ticket;
  Digest digest;
  std::shared_ptr<const SignatureList> list;
  std::optional<NodeId> sender{};  ///< as in Verify
};
/// Sign with the node's key, which the core never holds; answered by `Endorsed`.
struct Endorse {
  Ticket ticket;
  Digest digest;
};
/// Evidence against a node, provable to others.
struct Accuse {
  NodeId who;
  Bytes evidence;
};

/// The ordered list. `M` is the protocol's message, `O` its output.
template <class M, class O>
class Effects {
 public:
  using Message = M;
  using Output = O;
  using Effect = std::variant<Send<M>, Broadcast<M>, Deliver<O>, ArmTimer, CancelTimer, Persist,
                              Verify, VerifyAll, Endorse, Accuse>;

  void send(NodeId to, M message) { list_.emplace_back(Send<M>{to, std::move(message)}); }
  void broadcast(M message) { list_.emplace_back(Broadcast<M>{std::move(message)}); }
  void deliver(O output) { list_.emplace_back(Deliver<O>{std::move(output)}); }
  template <class E>
  void push(E effect) {
    list_.emplace_back(std::move(effect));
  }
  std::span<Effect> list() { return list_; }
  bool empty() const { return list_.empty(); }
  void clear() { list_.clear(); }

 private:
  std::vector<Effect> list_;
};

}  // namespace thresher
