// Signatures of peers are checked: asks the host for verdicts, or computes them where one signature
// stands for a whole certificate. Rules R3 and R10.
//
//   Checking checking(config, tickets, stats);
//   checking.next_input();
//   if (!checking.begin(std::move(check), fx)) return;             // its sender has too much of it
//   if (auto done = checking.verdict(verified)) conclude(*done);   // it was the last one
//
// Guarantees: those of checks.hpp. A whole certificate costs one question, votes and headers one
// for each signature. Does not say what follows from a verdict.
#pragma once

#include "../chassis/beside.hpp"
#include "checks.hpp"
#include "thresher/protocols/certified/bullshark.hpp"
#include "tickets.hpp"

namespace thresher::certified {

class Checking {
 public:
  using Fx = Bullshark::Fx;

  Checking(const Config& config, Tickets& tickets, Stats& stats);

  /// What one input makes a node ask for is answered in one call.
  void next_input() { checks_.next_input(); }
  /// Asks for the verdicts: for one on a whole certificate, which is good or is not; of votes it
  /// must be known which ones. False: refused, as the peer that caused the work has too much of it
  /// pending.
  bool begin(Check check, Fx& fx);
  /// Empty: others are missing still.
  std::optional<Checks::Concluded> verdict(const Verified& verified) {
    return checks_.verdict(verified.ticket.local, verified.ok);
  }
  /// The one signature of a certificate is good. Pre: rules.one_signature.
  bool joint_is_good(const Vertex& vertex);
  std::size_t size() const { return checks_.size(); }

 private:
  Checks checks_;
  chassis::Beside<const Config> config_;
  chassis::Beside<Tickets> tickets_;
  chassis::Beside<Stats> stats_;
};

}  // namespace thresher::certified
