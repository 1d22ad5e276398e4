// What check_protocol has to know of a protocol, with defaults for most of it.
//
//   struct MySubject : thresher::testing::SubjectBase<MyProtocol> {
//     using SubjectBase::facts_of;
//     using SubjectBase::SubjectBase;
//     sim::OutputFacts facts_of(const MyProtocol::Output& o) const {
//       return {.key = o.slot, .digest = hash(o.payload.view())};      // what nodes must agree on
//     }
//   };
//   template <>
//   struct thresher::testing::SubjectOf<MyProtocol> { using type = MySubject; };
//
// Defaults: nodes are P(committee, id), or P{committee, id}; requests are {payload}. Outputs with a
// member `payload` show it to the oracles. Messages with one can be changed by equivocators. A
// better `mutate`, and `facts_of` a message with its label, round and size, make a better
// adversary. `kOrdered` (all nodes output one sequence) is true: say false where nothing is
// ordered. Add `std::uint64_t held(const P&) const` (anything that is to stay bounded) for
// bounded_memory, and `void adopt(Message&, NodeId) const` where messages name or are signed by
// their sender, for liars that say what others say.
#pragma once

#include <optional>
#include <string_view>

#include "thresher/core/committee.hpp"
#include "thresher/sim/experiment.hpp"
#include "thresher/sim/subject.hpp"

namespace thresher::testing {

template <Protocol P>
struct SubjectBase {
  using Node = P;
  using Message = typename P::Message;
  using Output = typename P::Output;
  static constexpr bool kOrdered = true;

  /// Pre: the experiment's n and f make a committee.
  explicit SubjectBase(const sim::Experiment& e) : committee(*Committee::make(e.n, e.f)) {}

  P make(NodeId id) const { return P{committee, id}; }
  typename P::Request request(const Bytes& payload) const { return {payload}; }
  sim::MessageFacts facts_of(const Message&) const { return {.label = "message"}; }
  template <class F>
  void payloads(const Output& o, std::optional<NodeId>, F visit) const {
    if constexpr (requires { o.payload.view(); }) visit(o.payload.view(), std::nullopt);
  }
  bool mutate(Message& m, NodeId, std::string_view, std::uint64_t) const {
    if constexpr (requires { sim::another_payload(m.payload); }) {
      return sim::another_payload(m.payload);
    } else {
      return false;
    }
  }
  std::uint64_t round(const P&) const { return 0; }
  std::uint64_t refused(const P&) const { return 0; }

  Committee committee;
};

/// The subject of a protocol; a subject is its own.
template <class P>
struct SubjectOf {
  using type = P;
};

}  // namespace thresher::testing
