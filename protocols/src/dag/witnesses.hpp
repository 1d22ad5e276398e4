// What this node can show of a claim or a KILL: headers that prove it, out of the blocks that it
// holds, those below its floor and what it keeps as evidence. Rules E1 and E3 of
// docs/protocols/thresher.md; of KILLs T1 and T2 of two-delay.md.
//
//   const Witnesses here(config, store, attic, proofs);
//   if (const auto leader = here.provable(slot, digest)) show(here.of(*leader));
//   if (const auto claims = here.stance(header, leader)) count(header, *claims);
//
// Guarantees: of() is enough for whoever knows nothing else, or empty: headers of distinct authors
// (for a KILL two of one at most), those first that are durable as accepted blocks. A KILL is asked
// about by its round and kAboutKill in place of a leader. Checks no signature, and changes nothing
// of what it refers to.
#pragma once

#include <optional>
#include <vector>

#include "kill_evidence.hpp"
#include "proofs.hpp"
#include "store.hpp"
#include "thresher/protocols/attic.hpp"

namespace thresher::dag {

/// The accepted blocks of a round, above the floor or below it.
std::vector<BlockPtr> accepted_of(const Store& store, const Attic<BlockPtr>& attic, Round round);

class Witnesses {
 public:
  struct Witness {
    BlockPtr block;
    bool durable;  ///< as an accepted block
  };

  Witnesses(const Config& config, const Store& store, const Attic<BlockPtr>& attic,
            const Proofs& proofs)
      : config_(config), store_(store), attic_(attic), proofs_(proofs) {}

  /// Whether a header claims a leader block (true) or votes for it (false); empty: neither. For a
  /// KILL: whether it kills too, or may be a dead vote.
  std::optional<bool> stance(const Header& header, const Edge& leader) const;
  /// The leader block that a question is about, if there may be something to show; for a KILL its
  /// round.
  std::optional<Edge> provable(Round slot, const Digest& leader) const;
  std::vector<Witness> of(const Edge& leader) const;
  /// What is here proves a KILL of the round.
  bool prove_kill(Round round) const { return of_kill(round).proves(); }

 private:
  bool about_kill(const Digest& leader) const {
    return config_.rules.two_delays && leader == kAboutKill;
  }
  std::vector<Witness> gather(const Edge& leader, bool claims, Threshold enough) const;
  KillEvidence of_kill(Round round) const;
  std::vector<Witness> few_of_kill(Round round) const;

  const Config& config_;
  const Store& store_;
  const Attic<BlockPtr>& attic_;
  const Proofs& proofs_;
};

}  // namespace thresher::dag
