// The levels below sequential consistency, each decided in polynomial time when no two puts write
// the same version. Then every get names the one put that it reads.
//
//   const Reads reads(history);
//   if (reads.ambiguous()) ... else judge_causal(history, reads)
//
// Guarantees: exact (see the sources in levels.hpp); a finding of kNo names the operations that
// contradict each other. Costs n^2 / 64 words of memory and up to n^3 / 64 steps for each pair of
// puts that it orders.
#pragma once

#include <optional>

#include "thresher/verify/history/levels.hpp"

namespace thresher::history {

/// Which put each get reads.
class Reads {
 public:
  explicit Reads(const History& history);

  /// Why a get may have read one of several puts; empty: it cannot.
  const std::string& ambiguous() const { return ambiguous_; }
  /// A get of what nobody put; empty: there is none.
  const std::string& from_nowhere() const { return from_nowhere_; }
  /// The put that this get reads; empty: it found nothing. Pre: a get, both texts above empty.
  std::optional<std::size_t> of(const Operation& get) const { return put_of_[get.version]; }
  /// The puts of a key, as indices.
  const std::vector<std::size_t>& puts(std::uint32_t key) const { return puts_[key]; }

 private:
  std::vector<std::optional<std::size_t>> put_of_;  // by version
  std::vector<std::vector<std::size_t>> puts_;
  std::string ambiguous_;
  std::string from_nowhere_;
};

Finding judge_causal_convergent(const History& history, const Reads& reads);
Finding judge_causal(const History& history, const Reads& reads);
Finding judge_pipelined(const History& history, const Reads& reads);
Finding judge_session(const History& history, const Reads& reads);
Finding judge_read_your_writes(const History& history, const Reads& reads);
Finding judge_monotonic_reads(const History& history, const Reads& reads);

}  // namespace thresher::history
