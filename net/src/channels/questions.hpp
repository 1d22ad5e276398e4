// A multi-shot agreement that is asked questions one after the other. Private to net/.
//
//   Questions<BcaAgreement> asked(BcaAgreement(config));
//   executor.run(Requested<Ask>{agreement::Propose{0, true}});      // Ask: Questions<...>::Request
//   executor.run(Requested<Ask>{ForgetBelow{12}});
//
// Guarantees: those of `P`, whose messages, records and outputs it has.
#pragma once

#include <utility>
#include <variant>

#include "thresher/core/protocol.hpp"

namespace thresher::net {

/// Instances below matter no more.
struct ForgetBelow {
  std::uint64_t instance = 0;
};

template <Protocol P>
class Questions {
 public:
  using Message = typename P::Message;
  using Output = typename P::Output;
  using Request = std::variant<typename P::Request, ForgetBelow>;
  using Fx = EffectsOf<P>;

  explicit Questions(P inner) : inner_(std::move(inner)) {}

  void on(const Received<Message>& e, Fx& fx) { inner_.on(e, fx); }
  void on(const Requested<Request>& e, Fx& fx) {
    if (const auto* forget = std::get_if<ForgetBelow>(&e.request)) {
      inner_.forget_below(forget->instance, fx);
    } else {
      inner_.on(Requested<typename P::Request>{std::get<typename P::Request>(e.request)}, fx);
    }
  }
  template <class Input>
  void on(const Input& e, Fx& fx) requires requires(P& inner) {
    inner.on(e, fx);
  }
  { inner_.on(e, fx); }

  const P& inner() const { return inner_; }

 private:
  P inner_;
};

}  // namespace thresher::net
