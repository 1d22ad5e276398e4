// The authors whose blocks come late again and again, so that others bring them along. Rule B1 of
// docs/protocols/thresher.md, section "A block brings what others may lack".
//
//   Latecomers late(committee);
//   late.flag(author, now);            // its block was missing here when another named it
//   late.missed(author, asker, now);   // `asker` lacks a block that is held here
//   if (late.degree(author, now) >= Lateness::kLate) ...   // its blocks go along with own ones
//
// Guarantees: a sign lasts so many own rounds and no longer, and signs add up to a bound, so who
// comes in time again is forgotten as a latecomer. Questions are a sign only when kValidity peers
// ask within a short while: f liars alone make nobody late. A value; memory is a set of nodes for
// each member. `now` is the round of the own last block and never falls.
#pragma once

#include <cstdint>
#include <vector>

#include "thresher/core/committee.hpp"

namespace thresher::chassis {

enum class Lateness : std::uint8_t {
  kInTime,
  kLate,
  kVeryLate,    ///< two signs: its blocks also go along with one that names them through another
  kAlwaysLate,  ///< round after round: f+1 nodes bring what all name
};

class Latecomers {
 public:
  explicit Latecomers(const Committee& committee);

  /// A block of `author` was missing here: `signs` times as much as once.
  void flag(NodeId author, Round now, std::uint32_t signs = 1);
  /// `asker` asked for a block by `author`, or one that `author` should have brought to all.
  void missed(NodeId author, NodeId asker, Round now);
  Lateness degree(NodeId author, Round now) const;
  /// Somebody is late.
  bool any(Round now) const;

 private:
  struct Record {
    std::uint32_t points = 0;  // at round `at`; one less for each round since
    Round at{0};
    NodeSet askers;  // for its blocks lately, from round `asked_since` on
    Round asked_since{0};
  };
  static std::uint64_t points(const Record& record, Round now);

  std::uint32_t members_;
  std::uint32_t enough_;  // askers, of whom one is correct
  std::vector<Record> records_;
};

}  // namespace thresher::chassis
