// The public lists of `committee-coin`: which members its committees have, and to which of them
// each party listens.
//
//   const CommitteeLists lists({.n = 64, .k = 3});
//   for (NodeId member : lists.members(7)) ...         // of committee 7
//   const auto places = lists.listens(NodeId{2}, 7);   // in that list
//
// N = n^(2-2/k) committees of s = c n^(1/k) members, of which a party listens to d = O(log n); b =
// gamma sqrt(N) of them may be in liars' hands. Everything is drawn from a hash of its name, so
// nobody chose it, and computed in whole numbers, so that it is the same on all machines.
// Guarantees: a function of the setup. Source: Mizrahi and Wattenhofer, arXiv 2603.02071; the sizes
// are docs/protocols/committee-coin.md's.
#pragma once

#include <cstdint>
#include <vector>

#include "thresher/core/ids.hpp"

namespace thresher::coin {

/// How large everything is.
struct CommitteeSizes {
  struct Setup {
    std::uint32_t n = 64;
    std::uint32_t k = 3;                 ///< the strong coin costs s^k messages: 3 or 4
    std::uint64_t size_ppm = 3'000'000;  ///< c in s = c n^(1/k), at most 10^7
    std::uint64_t gamma_ppm = 100'000;   ///< b = gamma sqrt(N)
  };
  explicit CommitteeSizes(const Setup& setup);

  std::uint32_t committees = 0;  ///< N
  std::uint32_t size = 0;        ///< s
  std::uint32_t listened = 0;    ///< d
  std::uint32_t bound = 0;       ///< b
};

class CommitteeLists {
 public:
  using Setup = CommitteeSizes::Setup;

  explicit CommitteeLists(const Setup& setup);

  const Setup& setup() const { return setup_; }
  std::uint32_t committees() const { return sizes_.committees; }
  std::uint32_t size() const { return sizes_.size; }
  std::uint32_t listened() const { return sizes_.listened; }
  std::uint32_t bound() const { return sizes_.bound; }

  /// Pre, of all that follow: there is such a committee, and the node is below n.
  const std::vector<NodeId>& members(std::uint32_t committee) const { return members_[committee]; }
  /// The committees of a node, in order.
  const std::vector<std::uint32_t>& of(NodeId node) const { return of_[node.value]; }
  /// Places in the list of `committee` whose members `party` listens to: as many as listened().
  std::vector<std::uint32_t> listens(NodeId party, std::uint32_t committee) const;
  /// Whether f liars can overpower no committee, and mislead nobody about one.
  bool bears(std::uint32_t f) const { return 3 * f < size() && 2 * f < listened(); }

 private:
  Setup setup_;
  CommitteeSizes sizes_;
  std::vector<std::vector<NodeId>> members_;    // by committee
  std::vector<std::vector<std::uint32_t>> of_;  // by node
};

}  // namespace thresher::coin
