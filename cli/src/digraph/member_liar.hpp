// A member of `thresher digraph cluster` that lies, on a thread of its own.
//
//   MemberLiar liar(options, 3, Lie::kSplit);      // options: those of the others, with its key
//   if (liar.problem()) return fail(kFailed, *liar.problem());
//
// Guarantees: lies until the object ends, which takes milliseconds. It signs with its own key
// alone.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "thresher/net/graph_liar.hpp"

namespace thresher::cli {

enum class Lie {
  kSplit,    ///< says one thing to every other neighbour, and something else to the rest
  kGarbage,  ///< sends bytes that are not a message
};

/// Empty: no lie has this name.
std::optional<Lie> lie_named(std::string_view name);
std::string name_of(Lie lie);
/// All names, for a complaint.
inline constexpr std::string_view kLies = "split or garbage";

class MemberLiar {
 public:
  /// Pre: check_options(options), and `self` is the place of its key. Approximate agreement
  /// is lied to with values beyond `low` and `high`.
  MemberLiar(net::GraphAgreementOptions options, std::uint16_t self, Lie lie, std::int64_t low = 0,
             std::int64_t high = 0);
  ~MemberLiar();
  MemberLiar(const MemberLiar&) = delete;
  MemberLiar& operator=(const MemberLiar&) = delete;

  const std::optional<Error>& problem() const { return liar_.problem(); }

 private:
  void lie();
  void await_links();
  void send_garbage();
  void split_inputs();
  void split_statements();
  void split_values();
  /// False: the object ends.
  bool wait_until(std::chrono::system_clock::time_point when) const;

  net::GraphAgreementOptions options_;
  Lie lie_;
  std::int64_t low_;
  std::int64_t high_;
  std::vector<std::uint16_t> neighbours_;  // that hear it
  std::size_t links_ = 0;                  // that it can have
  net::GraphLiar liar_;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

}  // namespace thresher::cli
