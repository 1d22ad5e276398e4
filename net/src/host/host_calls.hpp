// The calls of a node into its host's code: the application, and the log. Private to net/.
//
//   HostCalls calls;
//   if (!calls.run("apply()", [&] { app.apply(t); })) halt(calls.problem());
//   const auto call = calls.now();             // from any thread: odd while a call runs
//
// Guarantees: an exception of the host ends no thread of the node; the first one is kept as words.
// A thread that waits for the node's can tell whether that is in the host's code: the same odd
// number twice is one call that has not returned. Costs two plain stores a call. Calls come from
// one thread at a time, and none from inside another.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <type_traits>

namespace thresher::net {

class HostCalls {
 public:
  /// False when it threw, which is kept. `what` names the call, as in "apply()".
  template <class F>
  bool run(const char* what, F&& call) {
    return run([what] { return std::string(what); }, call);
  }
  /// The same; `what` gives the name, and is asked for it only when the call threw.
  template <class What, class F>
  requires std::is_invocable_r_v<std::string, What>
  bool run(const What& what, F&& call) {
    const std::optional<std::string> why = inside(call);
    if (why && problem_.empty()) problem_ = "the application threw in " + what() + ": " + *why;
    return !why;
  }
  /// Why it threw, which is not kept; empty: it did not.
  template <class F>
  std::optional<std::string> attempt(F&& call) {
    return inside(call);
  }
  /// What it throws is forgotten.
  template <class F>
  void pass(F&& call) {
    (void)inside(call);
  }
  /// Empty as long as nothing threw.
  const std::string& problem() const { return problem_; }
  std::uint64_t now() const { return calls_.load(std::memory_order_relaxed); }

 private:
  struct Inside {
    explicit Inside(HostCalls& c) : calls(c) { calls.next(); }
    ~Inside() { calls.next(); }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    HostCalls& calls;
  };
  void next() {
    calls_.store(calls_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  /// Why it threw; empty: it did not.
  template <class F>
  std::optional<std::string> inside(F& call) {
    const Inside here(*this);
    try {
      call();
      return std::nullopt;
    } catch (const std::exception& e) {
      return e.what();
    } catch (...) {
      return "an exception that is no std::exception";
    }
  }

  std::atomic<std::uint64_t> calls_{0};
  std::string problem_;
};

}  // namespace thresher::net
