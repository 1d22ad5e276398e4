// How long each protocol may take to go on once the network is well, in Delta: the formulas of
// docs/protocols/bounds.md, in the one place where programs read them.
//
//   const std::uint64_t delta = promises::pbft(*Committee::of(4), 8, 8, 1);   // 288
//   // within so many Delta each correct node has decided something, and a request of its own
//
// Guarantees: of correct nodes that are up, with messages that take at most Delta, at most f others
// that do what they like, and nobody so far behind that the others forgot what it lacks; the page
// of each protocol says why. The length that timers reached before the network was well is an
// argument. The simulator judges runs by these numbers and `unit_promises` holds the page's table
// against them. Says nothing of protocols whose rules are changed for a test.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "thresher/core/committee.hpp"
#include "thresher/protocols/order/served.hpp"

namespace thresher::promises {

/// ceil(log2(x)). Pre: x > 0.
constexpr std::uint64_t log2_up(std::uint64_t x) {
  return static_cast<std::uint64_t>(std::bit_width(x - 1));
}

/// docs/protocols/thresher.md: f+4 rounds until measured waits give way to T, f+3 to the next
/// direct commit and 3f+2 that may hang on it, each T and 3 Delta, and two levels of blocks that
/// liars showed to some. `wait`: T, in Delta.
constexpr std::uint64_t timed_dag(const Committee& c, std::uint64_t wait) {
  const std::uint64_t level = 8 + 2 * log2_up(std::uint64_t{c.size()} + 1);
  return (5 * std::uint64_t{c.faults()} + 9) * (wait + 3) + 2 * level;
}

/// Leaders by a coin: n + 8 rounds of at most `wait` and 4 Delta, in which each slot commits with
/// probability at least 1/2 (docs/protocols/mahi-mahi.md). The only ones that are not certain.
constexpr std::uint64_t by_coin(const Committee& c, std::uint64_t wait) {
  return (std::uint64_t{c.size()} + 8) * (wait + 4);
}

/// The time that a node needs in addition if it lacks `blocks`, at `per_answer` blocks an answer:
/// each question goes to two peers, and f may keep silent. docs/protocols/bounds.md.
constexpr std::uint64_t catch_up(const Committee& c, std::uint64_t blocks,
                                 std::uint64_t per_answer) {
  const std::uint64_t answers = (blocks + per_answer - 1) / per_answer;
  const std::uint64_t at_once = std::max(1u, (c.size() - 1 - c.faults()) / 2);
  return 2 * ((answers + at_once - 1) / at_once);
}

/// The time that a node of PBFT, Simplex or HotStuff-2 needs in addition if it lacks `slots`: it
/// asks all for the names of kAnswers at a time, and then, for the values, one after the other of
/// those that named them. f of these may keep silent, at growing pauses. docs/protocols/bounds.md.
constexpr std::uint64_t catch_up_slots(const Committee& c, std::uint64_t slots) {
  std::uint64_t each = 5;
  for (std::uint64_t k = 1; k <= c.faults(); ++k)
    each += std::uint64_t{1} << std::min<std::uint64_t>(k, 4);
  return (slots + order::kAnswers - 1) / order::kAnswers * each;
}

/// docs/protocols/anchored.md, leaders in turn: a vertex that carries the request, then the anchor
/// that takes it in, each by the bound of commits: f+4 anchors until measured waits give way to T
/// and f+1 with T, two rounds each. `wait`: T, in Delta.
constexpr std::uint64_t certified(const Committee& c, std::uint64_t wait) {
  const std::uint64_t asking = 2 * (log2_up(std::uint64_t{c.faults()} + 1) + 3);
  return 2 * (8 + asking + (4 * std::uint64_t{c.faults()} + 10) * (wait + 3));
}

/// The same with leaders that follow from what was ordered: all have to order the same first, and
/// of 3f+1 anchors one is surely a correct node's.
constexpr std::uint64_t anchored(const Committee& c, std::uint64_t wait) {
  const std::uint64_t asking = 2 * (log2_up(std::uint64_t{c.faults()} + 1) + 3);
  return 2 * (2 * (8 + asking) + (8 * std::uint64_t{c.faults()} + 10) * (wait + 3));
}

/// docs/protocols/pbft.md, of a request with `before` others of its node ahead of it. `wait`: the
/// patience P, in Delta; `window`: slots open at a time.
constexpr std::uint64_t pbft(const Committee& c, std::uint64_t wait, std::uint64_t window,
                             std::uint64_t before) {
  const std::uint64_t n = c.size();
  const std::uint64_t f = c.faults();
  const std::uint64_t turn = 4 * ((2 * n + 2 * window + window - 1) / window);
  return (before + 1) * (n + f + 1) * (wait + 2 * (f + 1) + turn);
}

/// docs/protocols/simplex.md, of a request with `before` others of its node ahead of it: n + f + 1
/// views, of which a correct leader's orders what stands first in every queue. `wait`: the patience
/// P, in Delta.
constexpr std::uint64_t simplex(const Committee& c, std::uint64_t wait, std::uint64_t before) {
  const std::uint64_t f = c.faults();
  return (before + 1) * (c.size() + f + 1) * (wait + 2 * (f + 1) + 4);
}

/// docs/protocols/hotstuff2.md: as Simplex, but a block is final only when three correct leaders
/// follow each other, which happens once in n views, and a silent leader costs two views.
constexpr std::uint64_t hotstuff2(const Committee& c, std::uint64_t wait, std::uint64_t before) {
  const std::uint64_t f = c.faults();
  return (before + 1) * 3 * (std::uint64_t{c.size()} + 1) * (wait + 4 * (f + 1) + 4);
}

/// docs/protocols/bracha.md: what one node delivered, of which another heard nothing, and then a
/// broadcast of its own. Also of the broadcasts that keep and repeat as Bracha's does: Imbs and
/// Raynal's, the coded and the signed ones.
constexpr std::uint64_t bracha() {
  return 80 + 8;
}

/// docs/protocols/chained-echo.md: the origin's repetition of what a peer lacks, then echoes and
/// readies that wait for a tick each; and so again for every `at_a_time` payloads more that were
/// lost. `idle`: Config::idle_ticks. `open`: payloads of one origin that are on the way.
constexpr std::uint64_t chained_echo(std::uint64_t idle, std::uint64_t open,
                                     std::uint64_t at_a_time) {
  const std::uint64_t said = 4 * idle + 1;
  const std::uint64_t repeated = 64 + 4 * (idle + 3) + 1;
  const std::uint64_t batches = open == 0 ? 0 : (open - 1) / at_a_time;
  return repeated + 2 * said + batches * (said + 4 + 1);
}

/// docs/protocols/threshold-coin.md: what was lost is said and asked for again after 4 Delta, heard
/// and answered within two more, and then a toss. `pause`: between two tosses, in Delta.
constexpr std::uint64_t tosses(std::uint64_t pause) {
  return pause + 4 + 2 + 2;
}

/// docs/protocols/vrf-coin.md: what was lost is said again, heard and answered; a node that lags
/// tosses then what the others have tossed, and hears of that at its next repetition; and then a
/// toss of two kinds of messages. `pause`: between two tosses, in Delta.
constexpr std::uint64_t lowest_tickets(std::uint64_t pause) {
  return pause + 2 * (4 + 2) + 3;
}

/// docs/protocols/setup-free-coin.md: what was lost of the secrets, of the sets and of the weights
/// is said again, each in turn; then so many rounds of a broadcast, a report and what reports name;
/// and a toss after that. `pause`: between two tosses, in Delta.
constexpr std::uint64_t setup_free(std::uint64_t rounds, std::uint64_t pause) {
  return 3 * bracha() + 2 * (8 * rounds + 20) + pause;
}

/// docs/protocols/agreement.md: what is over elsewhere is heard of, or 40 rounds of a repetition's
/// first tick and five delays go by, of which each decides with probability 1/2. Not certain.
constexpr std::uint64_t agreement() {
  return 80 + 40 * 5;
}

/// docs/protocols/mvba.md: what was lost of the values and of the election is said again, and then
/// agreement about two candidates; more than two have to be voted about as seldom as agreement
/// needs its 40 rounds. Not certain.
constexpr std::uint64_t mvba() {
  return bracha() + tosses(0) + 2 * agreement();
}

/// docs/protocols/approximate-agreement.md: what was lost of the broadcasts is said again, and then
/// each round is a broadcast, a report and a question about what is missing.
constexpr std::uint64_t approximate(std::uint64_t rounds) {
  return bracha() + 12 * rounds;
}

/// docs/protocols/raft.md: twelve elections that fail, and then a request. With five nodes fewer
/// than one in a hundred takes longer.
constexpr std::uint64_t raft() {
  return 300 + 28;
}

}  // namespace thresher::promises
