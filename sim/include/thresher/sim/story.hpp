// A run told step by step in words.
//
//   Story story([](std::string_view line) { std::cout << line << '\n'; },
//               {.until = 12 * kUnit, .node = NodeId{2}, .experiment = &experiment});
//   Outcome outcome = simulate(experiment, {.trace = &story});
//   story.end();
//
// One line a step: "[7] node 2 -> 0 1 3: block of 5 (message 6, 231 bytes)". Tells who takes a
// message, what is lost and why, which fault fires against whom, timers, crashes, decisions,
// accusations.
//
// A node that twins gave two faces says under which of them it sends: "node 0 (second face)".
//
// A long one may be cut in the middle (`most_lines`): its head shows how it begins, its tail what
// led to what the run ends with. A line between them says how many are left out, and what prints
// all.
//
// Guarantees: steps in the order of the run; those later than `until` are left out. One message
// that goes to several nodes at once is one line. Nothing is left out unasked. Does not say which
// face of a node takes a message: both do.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "thresher/sim/outcome.hpp"

namespace thresher::sim {

struct StoryOptions {
  Ticks until = ~Ticks{0};
  std::optional<NodeId> node{};  ///< only steps in which it acts, or is the other end
  std::string about{};           ///< only steps about messages, faults and decisions called so
  const Experiment* experiment = nullptr;  ///< for the faces of its twins; outlives the story
  std::size_t most_lines = 0;  ///< of more, a quarter at the head and the rest at the tail; 0: all
  std::string all_by{};        ///< how one sees all, as in "--full"
};

/// What fits on a few pages, for those that print a story unless they are asked for all of it.
inline constexpr std::size_t kStoryLines = 200;

class Story final : public TraceSink {
 public:
  using Line = std::function<void(std::string_view)>;

  explicit Story(Line line, const StoryOptions& options = {});
  void event(const TraceEvent& event) override;
  /// Tells what is still held back, the tail of a story that is cut among it.
  void end();
  /// Steps that would be told but for `until`.
  std::uint64_t left_out() const { return left_out_; }

 private:
  void say(Ticks at, const std::string& what);
  void tell_sending();
  bool joins(const TraceEvent& event) const;
  bool wanted(const TraceEvent& event) const;
  std::string sender(const TraceEvent& event) const;
  std::string words(const TraceEvent& event) const;

  Line line_;
  StoryOptions options_;
  std::vector<NodeId> faces_;  ///< whose each face is, in the order of the engine
  std::uint64_t left_out_ = 0;
  std::size_t told_ = 0;
  std::deque<std::string> tail_;
  std::uint64_t cut_ = 0;  // lines between head and tail
  TraceEvent sending_{};   // its receivers are collected
  std::string receivers_;
  std::string label_;
};

}  // namespace thresher::sim
