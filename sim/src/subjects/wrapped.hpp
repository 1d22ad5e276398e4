// A protocol with the workload's requests and outputs around one that has its own. Messages, timers
// and records stay those of the inner one.
//
//   class Proposer : public Wrapped<Proposer, BcaAgreement, Proposal, Agreed> {
//     using Wrapped::on;
//     void on(const Requested<Proposal>& e, Fx& fx) { feed(Requested<Propose>{...}, fx); }
//     void take(Decision&& d, Fx& fx) { fx.deliver({...}); }    // called for each inner output
//   };
//
// Guarantees: outputs are taken after the inner protocol returned, in their order.
#pragma once

#include <map>
#include <utility>

#include "thresher/core/compose.hpp"

namespace thresher::sim {

/// The payload of the request for an instance, which is asked for no more; empty: there was none.
inline Bytes taken(std::map<std::uint64_t, Bytes>& asked, std::uint64_t instance) {
  auto node = asked.extract(instance);
  return node ? std::move(node.mapped()) : Bytes{};
}

template <class Outer, class Inner, class RequestType, class OutputType>
class Wrapped {
 public:
  using Message = typename Inner::Message;
  using Request = RequestType;
  using Output = OutputType;
  using Fx = Effects<Message, Output>;

  void on(const Restored& e, Fx& fx) { outer().feed(e, fx); }
  void on(const Start& e, Fx& fx) { outer().feed(e, fx); }
  void on(const Received<Message>& e, Fx& fx) { outer().feed(e, fx); }
  void on(const Expired& e, Fx& fx) {
    Expired inner = e;
    (void)pop_hop(inner.id.route);
    outer().feed(inner, fx);
  }
  void on(const Verified& e, Fx& fx) { answer(e, fx); }
  void on(const Endorsed& e, Fx& fx) { answer(e, fx); }
  const Inner& node() const { return node_; }

  template <class Input>
  void feed(const Input& input, Fx& fx) {
    act(fx, [&](auto& child) {
      if constexpr (requires { node_.on(input, child); }) node_.on(input, child);
    });
  }

 protected:
  explicit Wrapped(typename Inner::Config config) : node_(std::move(config)) {}

  template <class F>
  void act(Fx& fx, F with) {
    EffectsOf<Inner> child;
    with(child);
    lift(
        child, fx, 0, [](Message&& m) { return std::move(m); },
        [&](auto&& output) { outer().take(std::forward<decltype(output)>(output), fx); });
  }

  Inner node_;

 private:
  template <class Answer>
  void answer(Answer e, Fx& fx) {
    (void)pop_hop(e.ticket.route);
    outer().feed(e, fx);
  }
  Outer& outer() { return static_cast<Outer&>(*this); }
};

}  // namespace thresher::sim
