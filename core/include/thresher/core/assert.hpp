// Invariants that are checked while the program runs, release builds included.
//
//   THRESHER_ASSERT(floor < next, "what is forgotten was decided");     // a few instructions
//   THRESHER_DEBUG_ASSERT(std::is_sorted(refs.begin(), refs.end()), "references are in order");
//
// What a proof promises is asserted where the code relies on it. A broken invariant means a defect
// of the program, or more than f Byzantine members, and what follows from it must not be signed.
//
// Guarantees: a condition that does not hold throws InvariantBroken with the promise, the condition
// and the file, and nothing behind it runs. The caller that steps a protocol (a node, a simulation,
// a test) catches it, releases no effect of that step, and never steps that protocol again: its
// state is half changed. THRESHER_DEBUG_ASSERT is for checks that cost more than the work beside
// them: it is compiled but does nothing where NDEBUG is defined.
//
// Not for bad input: what a peer, a user or a disk can cause is refused with an error.
#pragma once

#include <stdexcept>
#include <string>

namespace thresher {

class InvariantBroken : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Throws InvariantBroken. `promise` says in words what should have held. The line is not told: two
/// runs that break one promise say the same, whatever was edited above it.
[[noreturn]] void invariant_broken(const char* promise, const char* condition, const char* file);

}  // namespace thresher

#define THRESHER_ASSERT(condition, promise) \
  ((condition) ? static_cast<void>(0) : ::thresher::invariant_broken(promise, #condition, __FILE__))

#ifdef NDEBUG
#define THRESHER_DEBUG_ASSERT(condition, promise) static_cast<void>(sizeof((condition) ? 1 : 0))
#else
#define THRESHER_DEBUG_ASSERT(condition, promise) THRESHER_ASSERT(condition, promise)
#endif
