// The lemmas of the uncertified DAG's safety proof, checked over every block that was signed in a
// run: what no run shows yet as a fork, but the faulty could make one by signing a little more.
//
//   DagLemmas lemmas(committee, rules, plan);
//   lemmas.note(block);                        // of anybody, as it is sent
//   if (auto finding = lemmas.check()) judge.violated(finding->oracle, finding->why);
//
// P1: no slot has two certified leaders. P2: what a correct node refers to claims nothing without a
// certificate. P3: a leader that enough nodes claim is claimed in the history of every later leader
// block. P4: what enough nodes did not vote for can never be certified. The faulty count on either
// side, for they may still sign. For rules with the two-delay path also those of
// two_delay_lemmas.hpp. Source: docs/protocols/thresher.md, "How it is tested".
//
// Guarantees: silent while the rules are whole and at most f nodes are faulty. Looks at explicit
// votes and claims alone; P3 looks a few rounds ahead. Keeps every block of the run.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "thresher/protocols/dag/block.hpp"
#include "thresher/protocols/dag/rules.hpp"
#include "thresher/sim/faults.hpp"
#include "thresher/sim/subject.hpp"

namespace thresher::sim {

class DagLemmas {
 public:
  DagLemmas(const Committee& committee, const dag::Rules& rules, FaultPlan plan)
      : committee_(committee), rules_(rules), plan_(std::move(plan)) {}

  void note(const dag::BlockPtr& block);
  std::optional<Finding> check() const;

 private:
  using Authors = std::set<NodeId>;
  using Blocks = std::vector<dag::BlockPtr>;

  bool correct(const dag::BlockPtr& b) const { return plan_.correct(b->author()); }
  // Those that may still sign anything: nobody else does.
  std::uint32_t faults() const {
    std::uint32_t liars = 0;
    for (std::uint32_t i = 0; i < committee_.size(); ++i)
      liars += plan_.correct(NodeId{static_cast<std::uint16_t>(i)}) ? 0 : 1;
    return std::min(liars, committee_.faults());
  }
  std::map<Digest, Authors> votes(const Blocks& blocks, bool honest) const;
  std::optional<Finding> one_certificate(std::uint64_t round, const Blocks& blocks) const;
  std::optional<Finding> skips_kill(std::uint64_t round, const Blocks& blocks) const;
  std::optional<Finding> claims_are_proved(const Blocks& blocks) const;
  std::optional<Finding> claims_carry(std::uint64_t round, const Blocks& blocks) const;
  std::optional<Finding> carried(std::uint64_t round, const Digest& leader) const;
  bool certified(std::uint64_t round, const Digest& leader) const;
  bool leads(const dag::BlockPtr& b) const;

  Committee committee_;
  dag::Rules rules_;
  FaultPlan plan_;
  std::map<Digest, dag::BlockPtr> known_;
  std::map<std::uint64_t, Blocks> by_round_;
};

}  // namespace thresher::sim
