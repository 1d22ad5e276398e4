// A run told step by step in words.
//
//   Story story([](std::string_view line) { std::cout << line << '\n'; }, 12 * kUnit);
//   Outcome outcome = simulate(experiment, {.trace = &story});
//   story.end();
//
// One line a step: "[7] node 2 -> 0 1 3: block of 5 (message 6, 231 bytes)". Who takes a message,
// what is lost and why, which fault fires against whom, timers, crashes, decisions, accusations.
//
// Guarantees: steps in the order of the run; those later than `until` are left out. One message
// that goes to several nodes at once is one line.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "thresher/sim/outcome.hpp"

namespace thresher::sim {

class Story final : public TraceSink {
 public:
  using Line = std::function<void(std::string_view)>;

  explicit Story(Line line, Ticks until = ~Ticks{0}) : line_(std::move(line)), until_(until) {}
  void event(const TraceEvent& event) override;
  /// Tells what is still held back.
  void end();
  std::uint64_t left_out() const { return left_out_; }

 private:
  void say(Ticks at, const std::string& what);
  bool joins(const TraceEvent& event) const;

  Line line_;
  Ticks until_;
  std::uint64_t left_out_ = 0;
  TraceEvent sending_{};  // its receivers are collected
  std::string receivers_;
  std::string label_;
};

}  // namespace thresher::sim
