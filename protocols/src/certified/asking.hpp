// What this node lacks it asks of peers: vertices and payloads that something names, and rounds
// that others are ahead of it. Rules R8 to R10.
//
//   Asking asking({config, store, ordered, rounds, headers, batches, parking, bringing, stats});
//   asking.need(ref, who_named_it, certified);
//   asking.reached(peer, round);                  // it signed a header of that round
//   asking.arm(fx);                               // something may be missing now
//   asking.tick(fx);                              // kPullTimer ran off
//   if (!asking.expects(peer)) refuse();  asking.came(peer);   // an answer
//
// Guarantees: those of missing.hpp, pull_timer.hpp, word_credit.hpp, chassis/answers.hpp and
// chassis/frontier.hpp, which it owns. A question waits a short while, for what is missing usually
// arrives in between. While something is missing, or a peer that has credit says that it is ahead,
// the clock runs; it stands still otherwise. Takes no answer in.
#pragma once

#include <vector>

#include "../chassis/absence.hpp"
#include "../chassis/answers.hpp"
#include "../chassis/beside.hpp"
#include "../chassis/frontier.hpp"
#include "batches.hpp"
#include "bringing.hpp"
#include "missing.hpp"
#include "ordered.hpp"
#include "parking.hpp"
#include "peer_headers.hpp"
#include "pull_timer.hpp"
#include "rounds.hpp"
#include "word_credit.hpp"

namespace thresher::certified {

class Asking {
 public:
  using Fx = Bullshark::Fx;
  struct With {
    const Config& config;
    const Store& store;
    const Ordered& ordered;
    const Rounds& rounds;
    const PeerHeaders& headers;
    Batches& batches;
    Parking& parking;
    Bringing& bringing;
    Stats& stats;
  };
  explicit Asking(const With& with);

  // What is missing: missing.hpp.
  /// A reference of `who`, to what is not held; what is parked is looked at.
  void need(const Ref& ref, NodeId who, bool certified);
  void found(const Ref& ref) {
    absence_.look(rounds_->current(), frontier_);
    if (absence_.covers(ref.round)) missing_.pushed(ref);  // R11: as good as that
    missing_.found(ref);
  }
  void pushed(const Ref& ref) { missing_.pushed(ref); }
  bool exists(const Ref& ref) const { return missing_.exists(ref); }
  void forget(Round floor) { missing_.forget(floor); }
  std::size_t missing() const { return missing_.size(); }

  // How far the others are.
  void reached(NodeId peer, Round round);
  /// A round that some correct node has reached.
  Round frontier() const { return frontier_.reached(); }
  /// Peers that have credit signed what this node cannot follow with what it holds.
  bool lagging() const;

  // Questions.
  /// The clock runs from now on if there is anything to ask for.
  void arm(Fx& fx);
  /// A while is over: asks what it is time to ask.
  void tick(Fx& fx);
  /// All, for the last rounds: nothing names the last vertices before a committee rests.
  void ask_for_last(Fx& fx);

  // Answers.
  bool expects(NodeId peer) const { return answers_.expects(peer); }
  /// Pre: expects(peer).
  void came(NodeId peer) { answers_.came(peer); }
  /// Something new was in it.
  void brought_news(NodeId peer) { words_.renew(peer); }
  /// It was cut: there is more where it came from.
  void was_full(NodeId peer) { missing_.full_answer(peer, timer_.now()); }

 private:
  bool ahead(Round seen, Round here) const;
  bool may_ask(NodeId peer);
  void ask_vertices(std::vector<Want>& asks);
  void ask_batches(std::vector<Want>& asks);
  void ask_round(Fx& fx);
  WantRound want_from(Round r) const;

  MissingVertices missing_;
  PullTimer timer_;
  chassis::Frontier frontier_;
  chassis::Absence absence_;
  WordCredit words_;
  chassis::Answers answers_;
  chassis::Beside<const Config> config_;
  chassis::Beside<const Store> store_;
  chassis::Beside<const Ordered> ordered_;
  chassis::Beside<const Rounds> rounds_;
  chassis::Beside<const PeerHeaders> headers_;
  chassis::Beside<Batches> batches_;
  chassis::Beside<Parking> parking_;
  chassis::Beside<Bringing> bringing_;
  chassis::Beside<Stats> stats_;
};

}  // namespace thresher::certified
