// The own headers: what they refer to and carry, from the application's payload until the own
// signature is here. Rules R1, R4, R5 and R11.
//
//   Composing composing(config, store, own, ordered, bringing, tickets);
//   composing.begin_samples(seed);
//   if (!composing.add(payload)) refuse();
//   composing.announce(fx);                              // payloads travel ahead
//   Header h = composing.compose(round);                 // nothing has changed yet
//   composing.sign(std::move(h), fx);                    // with the oldest payload
//   if (auto draft = composing.take_signed(ticket)) send(*draft);
//
// Guarantees: those of backlog.hpp, which it owns. A header refers to what is accepted here alone.
// One waits for its signature at a time. When a header is made is not its business, nor what
// becomes of it (own.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "../chassis/beside.hpp"
#include "backlog.hpp"
#include "bringing.hpp"
#include "ordered.hpp"
#include "own.hpp"
#include "thresher/protocols/certified/bullshark.hpp"
#include "thresher/protocols/certified/policy.hpp"
#include "thresher/protocols/certified/store.hpp"
#include "tickets.hpp"

namespace thresher::certified {

class Composing {
 public:
  using Fx = Bullshark::Fx;
  struct Draft {
    Header header;
    Payload payload;
    std::vector<VertexPtr> bringing;  // along with it
    std::uint64_t ticket = 0;         // of its signature
  };

  Composing(const Config& config, Store& store, const Own& own, const Ordered& ordered,
            const Bringing& bringing, Tickets& tickets);

  /// Private samples are drawn by this.
  void begin_samples(std::uint64_t seed) { seed_ = seed; }

  // Payloads of the application: backlog.hpp.
  bool add(const Payload& payload) { return backlog_.add(payload); }
  void again(const Payload& payload) { backlog_.again(payload); }
  bool has_payloads() const { return !backlog_.empty(); }
  std::size_t payloads() const { return backlog_.size(); }
  /// Of those that wait, or of the draft; empty: none has this root.
  std::optional<Payload> find(const Digest& root) const;
  /// Payloads travel before the headers that name them.
  void announce(Fx& fx);

  // Headers.
  /// The own one of this round, without a payload.
  Header compose(Round r) const;
  /// Takes the oldest payload into the header and asks for the signature. Pre: !signs().
  void sign(Header h, Fx& fx);
  bool signs() const { return draft_.has_value(); }
  /// Empty: this ticket is for nothing here.
  std::optional<Draft> take_signed(std::uint64_t ticket);

 private:
  bool composes_dense(const Ref& vertex) const;
  void choose_parents(Header& h) const;
  NodeSet sampled(const Header& h, const NodeSet& held, std::optional<NodeId> anchor, bool has_own,
                  bool dense) const;
  void add_stragglers(Header& h) const;
  std::vector<VertexPtr> mark_history(const Header& h);

  Backlog backlog_;
  std::optional<Draft> draft_;
  std::uint64_t seed_ = 0;
  chassis::Beside<const Config> config_;
  chassis::Beside<Store> store_;  // of which it marks what the own history holds
  chassis::Beside<const Own> own_;
  chassis::Beside<const Ordered> ordered_;
  chassis::Beside<const Bringing> bringing_;
  chassis::Beside<Tickets> tickets_;
};

/// What only this set of vertices of a round has. They are certified, so each name has one digest.
Digest unique_value_of(const Store& store, const NodeSet& authors, Round r);

}  // namespace thresher::certified
