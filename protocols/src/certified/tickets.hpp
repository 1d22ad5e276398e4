// The numbers by which a node knows again the verdicts and the own signatures that it asked for.
//
//   const std::uint64_t first = tickets.upcoming();
//   fx.push(Verify{{tickets.next(), {}}, ...});
//
// Guarantees: no two are alike, and those drawn one after the other are in a row.
#pragma once

#include <cstdint>

namespace thresher::certified {

class Tickets {
 public:
  std::uint64_t next() { return next_++; }
  std::uint64_t upcoming() const { return next_; }

 private:
  std::uint64_t next_ = 1;
};

}  // namespace thresher::certified
