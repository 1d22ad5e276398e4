// What a node asks of its application about transactions, and what the answers come to: whatever it
// throws or returns, a result that can be told, or the end of it. Private to net/.
//
//   AppCalls app(application, calls);
//   if (const auto result = app.apply(t)) tell(*result);
//   if (const auto refusal = app.check(client, data); refusal.against) refuse(*refusal.against);
//   if (!app.look_at_state(ledger.slot())) halt(calls.problem());
//   status.state = app.state();
//
// Guarantees: TransactionFailed is a failed result; a result that is too large is a failed one that
// says so; anything else that apply() throws is kept in HostCalls as words that find the
// transaction (every start gives it again), and from then on nothing is applied. A check that
// throws refuses: else whoever finds such a transaction could stop every node. The state is asked
// for once a slot: for an application that hashes all it has, each question would be dear.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "host/host_calls.hpp"
#include "thresher/core/ids.hpp"
#include "thresher/net/application.hpp"
#include "thresher/net/node.hpp"

namespace thresher::net {

class AppCalls {
 public:
  struct Refusal {
    std::optional<std::string> against{};  ///< why it is not taken; empty: it is
    std::optional<std::string> threw{};    ///< what check() threw, which is in `against` too
  };

  /// Both live longer than this.
  AppCalls(App& app, HostCalls& calls) : app_(app), calls_(calls) {}

  /// Empty: it threw, now or before.
  std::optional<ApplyResult> apply(const Transaction& t) {
    return apply(t, [&] { return ApplyResult{false, app_.apply(t)}; });
  }
  /// The same of a transaction that the application gets in another way: by `call`, which returns
  /// an ApplyResult.
  template <class F>
  std::optional<ApplyResult> apply(const Transaction& t, F&& call) {
    if (!calls_.problem().empty()) return std::nullopt;
    ApplyResult result;
    const bool ran = calls_.run([&] { return name_of(t); },
                                [&] {
                                  try {
                                    result = call();
                                  } catch (const TransactionFailed& e) {
                                    result = {true, Bytes::copy_of(as_view(e.what()))};
                                  }
                                });
    return ran ? std::optional(bounded(std::move(result))) : std::nullopt;
  }
  Refusal check(const ClientId& client, ByteView data) const;
  /// Asks for its state, as it is behind this slot of the log. False: it threw.
  bool look_at_state(Round slot);
  /// What it was when it was looked at last; zero: it never was.
  const Digest& state() const { return state_; }

 private:
  static std::string name_of(const Transaction& t);
  static ApplyResult bounded(ApplyResult result);

  App& app_;
  HostCalls& calls_;
  std::optional<Round> looked_;  // the slot behind which the state was looked at
  Digest state_{};
};

}  // namespace thresher::net
