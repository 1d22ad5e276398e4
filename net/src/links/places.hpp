// A bounded number of places that strangers compete for, and which of them has to give one up when
// all are taken. Private to net/.
//
//   Places places(512, members, seed);
//   if (const auto out = places.enter(connection, source)) close(*out);
//   places.leave(connection);
//
// Guarantees: never more than `most` hold a place. A source that floods competes with itself: the
// place is taken from the source that holds most, and from a source of members only when no other
// holds as many. Within a source chance decides, not age: against a flood that fills all places
// within one handshake the oldest would always lose, while a draw lets some of the handshakes
// finish. Does not know what a connection is, and reads no clock.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "thresher/core/prng.hpp"

namespace thresher::net {

/// Where a connection comes from: an IPv4 address, or the /64 of an IPv6 address, which is what
/// one host gets.
using Source = std::uint64_t;

class Places {
 public:
  using Holder = std::uint64_t;

  /// `members`: sources from which nodes of the committee are expected.
  Places(std::size_t most, std::set<Source> members, std::uint64_t seed)
      : most_(most), members_(std::move(members)), draw_(seed) {}

  std::size_t size() const { return source_of_.size(); }

  /// Gives `who` a place. The one that lost its own for it, if none was free: `who` itself only
  /// when nobody else of the source to take it from is there. Pre: `who` holds none.
  std::optional<Holder> enter(Holder who, Source from) {
    source_of_.emplace(who, from);
    holders_[from].push_back(who);
    if (source_of_.size() <= most_) return std::nullopt;
    const std::vector<Holder>& crowd = holders_.at(largest());
    const bool spared = crowd.back() == who && crowd.size() > 1;
    const Holder out = crowd[draw_.below(crowd.size() - (spared ? 1 : 0))];
    leave(out);
    return out;
  }

  /// Does nothing when `who` holds no place.
  void leave(Holder who) {
    const auto it = source_of_.find(who);
    if (it == source_of_.end()) return;
    const auto crowd = holders_.find(it->second);
    std::erase(crowd->second, who);
    if (crowd->second.empty()) holders_.erase(crowd);
    source_of_.erase(it);
  }

 private:
  /// The source with the most places; of several one by lot, a stranger's before a member's.
  Source largest() {
    std::pair<std::size_t, bool> most{0, false};
    std::vector<Source> tied;
    for (const auto& [source, crowd] : holders_) {
      const std::pair rank(crowd.size(), !members_.contains(source));
      if (rank > most) tied.clear();
      if (rank >= most) {
        most = rank;
        tied.push_back(source);
      }
    }
    return tied[draw_.below(tied.size())];
  }

  std::size_t most_;
  std::set<Source> members_;
  Prng draw_;
  std::map<Holder, Source> source_of_;
  std::map<Source, std::vector<Holder>> holders_;
};

}  // namespace thresher::net
