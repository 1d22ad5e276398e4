// Which of those who wait for a TLS handshake gets the next one, and when. Private to net/.
//
//   Handshakes waiting(members, seed);
//   waiting.add(connection, source);
//   while (const auto who = waiting.next(now)) begin(*who);
//   if (const auto at = waiting.due()) call_at(*at);                  // somebody waits still
//   waiting.forget(connection);
//
// A handshake costs the node's thread some tenth of a millisecond, and a flood costs its sender
// less: the first message can be sent again and again. So strangers together get one each kGap,
// after a burst, and sources from which nodes of the committee are expected as many for themselves:
// no flood from elsewhere delays a member, and a flood from a member's address costs no more than
// another.
//
// Guarantees: no more than kBurst and one each kGap are handed out, of strangers and of members'
// sources each. Sources take turns; within a source chance decides (places.hpp says why). Does not
// bound how many wait: Places does. Reads no clock.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "links/places.hpp"

namespace thresher::net {

class Handshakes {
 public:
  using Holder = Places::Holder;
  static constexpr std::uint64_t kGap = 2'000;  ///< microseconds
  static constexpr std::uint64_t kBurst = 64;

  Handshakes(std::set<Source> members, std::uint64_t seed)
      : members_(std::move(members)), draw_(seed) {}

  /// Pre: `who` does not wait.
  void add(Holder who, Source from) {
    Lane& lane = lane_of(from);
    std::vector<Holder>& crowd = lane.waiting[from];
    if (crowd.empty()) lane.turns.push_back(from);
    crowd.push_back(who);
    source_of_.emplace(who, from);
  }
  /// Does nothing when `who` does not wait.
  void forget(Holder who) {
    const auto it = source_of_.find(who);
    if (it == source_of_.end()) return;
    const Source from = it->second;
    Lane& lane = lane_of(from);
    std::erase(lane.waiting.at(from), who);
    if (lane.waiting.at(from).empty()) {
      lane.waiting.erase(from);
      std::erase(lane.turns, from);
    }
    source_of_.erase(it);
  }
  /// The one that begins now, and no longer waits. Pre: times do not go back. Unit: microseconds.
  std::optional<Holder> next(std::uint64_t now_us) {
    for (Lane& lane : lanes_) {
      if (lane.turns.empty() || lane.due_us > now_us) continue;
      lane.due_us = std::max(lane.due_us, now_us - std::min(now_us, (kBurst - 1) * kGap)) + kGap;
      const Source from = lane.turns.front();
      lane.turns.pop_front();
      lane.turns.push_back(from);
      const std::vector<Holder>& crowd = lane.waiting.at(from);
      const Holder who = crowd[draw_.below(crowd.size())];
      forget(who);
      return who;
    }
    return std::nullopt;
  }
  /// When next() may give somebody; empty: nobody waits.
  std::optional<std::uint64_t> due() const {
    std::optional<std::uint64_t> out;
    for (const Lane& lane : lanes_) {
      if (!lane.turns.empty()) out = std::min(out.value_or(lane.due_us), lane.due_us);
    }
    return out;
  }

 private:
  struct Lane {
    std::map<Source, std::vector<Holder>> waiting{};
    std::deque<Source> turns{};  // of those with somebody waiting
    std::uint64_t due_us = 0;    // not before, once the burst is used up
  };
  Lane& lane_of(Source from) { return lanes_[members_.contains(from) ? 0 : 1]; }

  std::set<Source> members_;
  Prng draw_;
  std::array<Lane, 2> lanes_{};  // of members' sources, of strangers
  std::map<Holder, Source> source_of_;
};

}  // namespace thresher::net
