// All members of an agreement in a directed graph, each a process of its own on this machine.
//
//   MembersReport r = run_members({.graph = graph, .graph_file = "graph.json", .faults = 1,
//                                  .values = {7, 7, 8, 7}, .home = "/tmp/x"});
//   if (!r.problem.empty()) return fail(kFailed, r.problem);
//   if (r.violated) ...
//
// Guarantees: every process is `thresher digraph agree`, with a key, a folder and links of its own,
// and none outlives the call. Liars are threads of this process, with links like everybody. Judges
// what those decided that were neither left out nor killed and did not lie, and whom they caught.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../text.hpp"
#include "member_liar.hpp"
#include "thresher/protocols/digraph/graph.hpp"

namespace thresher::cli {

struct LiarAt {
  std::uint64_t node = 0;
  Lie lie = Lie::kSplit;
};

struct MembersOptions {
  digraph::Digraph graph{1};
  std::string graph_file;
  std::uint64_t faults = 0;
  std::vector<std::int64_t> values;  ///< one for each node
  std::optional<std::uint64_t> eps;  ///< of approximate agreement; empty: exact
  std::string delta = "1s";
  std::vector<std::uint64_t> dead;  ///< never started
  std::vector<NodeAt> kills;        ///< from the first round on, or from when all are started
  std::vector<LiarAt> liars;        ///< lie in place of taking part
  std::uint64_t patience_us = 60'000'000;
  std::string home;  ///< an empty folder
};

struct MemberResult {
  std::string fate = "correct";       ///< or dead, killed, or the name of its lie
  std::vector<std::uint64_t> caught;  ///< who lied, as this member found out
  std::optional<std::int64_t> decision;
  std::uint64_t late = 0;
  std::string problem;  ///< what it said in place of a decision
};

struct MembersReport {
  std::vector<MemberResult> members;
  std::string problem;  ///< why there was no run
  bool interrupted = false;
  bool undecided = false;  ///< a correct member has no decision
  std::string violated;    ///< what of the promises does not hold; empty: all do
};

MembersReport run_members(const MembersOptions& options);

}  // namespace thresher::cli
