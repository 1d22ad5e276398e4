// What a node still says of instances whose payloads it keeps no more.
//
//   Remains remains(config);
//   if (remains.room(i.origin) > 0) remains.leave(i, {.value = digest, .counter = {true, true}});
//   if (const Said* said = remains.find(i)) ...              // say it again when asked
//   remains.tick(origin, [&](const Instance& over) {...});   // erase its records
//
// An instance may be forgotten as soon as every node has its payload. But a node that has the
// payload may lack the statements that let it deliver, and of those that said them f may be silent
// from now on: so what was said has to be said again when asked, for as long as a question and its
// answer take. That needs a digest and not the payload.
// Guarantees: what was left is found for kKeepTicks ticks at least, in at most kRemainWindows
// windows of an origin. Says nothing and stores nothing itself: the protocol does. Rule R8 of
// docs/protocols/bracha.md.
#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <vector>

#include "thresher/core/assert.hpp"
#include "thresher/core/committee.hpp"
#include "thresher/core/hash.hpp"
#include "thresher/protocols/broadcast/shelf.hpp"

namespace thresher::broadcast {

/// What this node said in an instance, by counter, all of one value.
struct Said {
  Digest value{};
  bool counter[2] = {};
};

/// At most this many windows of one origin remain. They are what can be delivered within kKeepTicks
/// ticks, so this limits the speed of a stream: 8,192 payloads in 16 Delta for a window of 64.
inline constexpr std::uint64_t kRemainWindows = 128;

class Remains {
 public:
  template <class Config>
  explicit Remains(const Config& config)
      : most_(most_of_one(config)), origins_(config.committee.size()) {}

  /// What may remain of one origin: nothing where its owner says what matters no more.
  template <class Config>
  static std::size_t most_of_one(const Config& config) {
    return config.owner_forgets ? 0 : kRemainWindows * config.window;
  }

  /// How many more may be left of the origin. Pre of all that follows: it is of the committee.
  std::size_t room(NodeId origin) const { return most_ - origins_[origin.value].size(); }
  /// Pre: there is room, and the instance comes after all that were left of its origin.
  void leave(const Instance& i, const Said& said) {
    auto& all = origins_[i.origin.value];
    THRESHER_ASSERT(all.empty() || all.back().number < i.number, "instances are left in order");
    all.push_back({i.number, 0, said});
  }
  /// Null when nothing remains of it.
  const Said* find(const Instance& i) const {
    const auto& all = origins_[i.origin.value];
    const auto at = std::ranges::lower_bound(all, i.number, {}, &Entry::number);
    return at == all.end() || at->number != i.number ? nullptr : &at->said;
  }
  /// The first instance of which something remains.
  std::optional<std::uint64_t> first(NodeId origin) const {
    const auto& all = origins_[origin.value];
    return all.empty() ? std::nullopt : std::optional(all.front().number);
  }
  /// A tick passed: calls `over(instance)` for each that remains no more. In order, so that the
  /// first one bounds what others may be told is over.
  template <class F>
  void tick(NodeId origin, F over) {
    auto& all = origins_[origin.value];
    for (Entry& e : all) ++e.age;
    while (!all.empty() && all.front().age > kKeepTicks) {
      over(Instance{origin, all.front().number});
      all.pop_front();
    }
  }
  std::size_t size() const {
    std::size_t count = 0;
    for (const auto& all : origins_) count += all.size();
    return count;
  }
  bool empty() const { return size() == 0; }

 private:
  struct Entry {
    std::uint64_t number = 0;
    std::uint32_t age = 0;
    Said said;
  };

  std::size_t most_;
  std::vector<std::deque<Entry>> origins_;  // by number
};

}  // namespace thresher::broadcast
