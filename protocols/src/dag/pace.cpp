#include "pace.hpp"

namespace thresher::dag {
namespace {

/// Up to so many bytes a payload is not load: a host that speaks of itself, as of its clock's time.
constexpr std::uint32_t kNoLoad = 32;
/// With fewer loads on their way no node is paced. Others may still have the one before of a client
/// that submits one at a time.
constexpr std::size_t kLoadsToPace = 3;
/// Rounds in which blocks wait for delivery while nobody is late.
constexpr std::uint64_t kFreshRounds = 8;

// Blocks with a load that wait for delivery, in rounds up to `newest`; so many are enough.
std::size_t loads(const Store& store, Round newest, std::size_t enough) {
  std::size_t found = 0;
  for (std::uint64_t k = 0; k < kFreshRounds && newest.value > k && found < enough; ++k) {
    for (const Entry& e : store.round(Round{newest.value - k})) {
      found += e.accepted && !e.delivered && e.block->header.payload_bytes > kNoLoad ? 1 : 0;
    }
  }
  return found;
}

}  // namespace

// M5. With next to nothing on its way the next round will not be paced, so a timer would only wake
// the host.
bool Pace::begins(const Store& store, const Backlog& backlog, Round own) {
  if (off_) return false;
  constexpr std::size_t kAlmost = kLoadsToPace - 1;  // the next round brings more
  over_ = backlog.longer_than(kNoLoad) + loads(store, own, kAlmost) < kAlmost;
  return !over_;
}

// M5. A light load does not need a round as soon as the network could do one.
bool Pace::holds(const Store& store, const Backlog& backlog, const Undelivered& undelivered,
                 Round round) const {
  if (off_ || over_) return false;
  if (undelivered.blocks() + backlog.size() < kLoadsToPace) return false;
  if (undelivered.bytes() + backlog.bytes() >= most_bytes_) return false;
  return backlog.longer_than(kNoLoad) + loads(store, Round{round.value + 1}, kLoadsToPace) >=
         kLoadsToPace;
}

}  // namespace thresher::dag
