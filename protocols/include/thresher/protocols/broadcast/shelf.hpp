// What a broadcast keeps and for how long: instances of every origin within a window, a limit on
// their bytes, and what is forgotten when. The part that all of broadcast.hpp's protocols share.
//
//   struct State : broadcast::Kept { explicit State(const Committee&); ... };
//   Shelf<State> shelf(config);
//   State* s = shelf.open({origin, number});                 // null: outside the window
//   if (s != nullptr && shelf.has_room(i, payload.size())) shelf.keep(i, *s, digest, payload);
//
// Guarantees: of an origin at most 2 `window` instances and `origin_bytes` of payload. Half of the
// bytes is for its oldest instance that is not delivered, so that those after it never keep it out;
// what is delivered makes room in time, so the oldest is let in at last and no stream stops. An
// instance is forgotten only when newer ones need the room and nobody needs it here, or when f+1
// peers keep it no more. Where its owner forgets (Config::owner_forgets), an instance is kept until
// the owner says so, whatever room newer ones need. Says nothing and stores nothing itself: the
// protocol does. Rules R7 to R9 of docs/protocols/bracha.md, with the arguments.
#pragma once

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "thresher/core/hash.hpp"
#include "thresher/protocols/broadcast/progress.hpp"

namespace thresher::broadcast {

/// The sender keeps nothing of `origin` below `number`. `asks`: the receiver's message was too far
/// ahead for it, and it wants to know from where on the receiver keeps something.
struct Floor {
  NodeId origin;
  std::uint64_t number = 0;
  bool asks = false;
};

/// What the shelf knows of an instance; a protocol's own state derives from it.
struct Kept {
  bool done = false;      ///< delivered to the host
  std::uint32_t age = 0;  ///< timer ticks since then
  std::map<Digest, Bytes> payloads{};
};

/// How often open instances are said again. Unit: 1/1000 of Delta, as every Delay.
inline constexpr Delay kRepeat{4000};
/// Ticks of kRepeat that a delivered instance is kept at least: who is committed to it takes two
/// for the question and the answer.
inline constexpr std::uint32_t kKeepTicks = 4;
/// Peers that are not known to be as far hear of an instance again after 1, 2, 4, ... ticks, and at
/// least this often.
inline constexpr std::uint32_t kSeldomTicks = 16;

constexpr bool due(std::uint32_t age) {
  return std::has_single_bit(age) || age % kSeldomTicks == 0;
}

template <class State>
class Shelf {
 public:
  template <class Config>
  explicit Shelf(const Config& config)
      : committee_(config.committee),
        window_(config.window),
        origin_bytes_(config.origin_bytes),
        origins_(config.committee.size()) {
    if constexpr (requires { config.owner_forgets; }) owner_forgets_ = config.owner_forgets;
  }

  /// The instance's state, made if it is new; null when it is forgotten, beyond the window or of
  /// nobody.
  State* open(const Instance& i) {
    if (!committee_.contains(i.origin)) return nullptr;
    const Origin& origin = origins_[i.origin.value];
    if (i.number < origin.floor || i.number >= origin.floor + 2 * window_) return nullptr;
    return &restore(i);
  }
  /// As open(), but wherever the window is: its place is known only when all records are restored.
  /// Pre: the origin is of the committee.
  State& restore(const Instance& i) {
    return origins_[i.origin.value].open.try_emplace(i.number, committee_).first->second;
  }
  /// Null when nothing of it is kept.
  const State* find(const Instance& i) const {
    if (!committee_.contains(i.origin)) return nullptr;
    const auto& open = origins_[i.origin.value].open;
    const auto at = open.find(i.number);
    return at == open.end() ? nullptr : &at->second;
  }
  State* find(const Instance& i) { return const_cast<State*>(std::as_const(*this).find(i)); }

  /// R7: what an origin may fill. Pre: the origin is of the committee.
  bool has_room(const Instance& i, std::size_t bytes) const {
    const Origin& origin = origins_[i.origin.value];
    if (origin.bytes + bytes <= origin_bytes_ / 2) return true;
    return i.number == oldest_open(i.origin) && origin.bytes + bytes <= origin_bytes_;
  }
  /// Everything of the origin below was delivered or skipped.
  std::uint64_t oldest_open(NodeId id) const {
    const Origin& origin = origins_[id.value];
    std::uint64_t oldest = origin.floor;
    for (auto at = origin.open.begin();
         at != origin.open.end() && at->first == oldest && at->second.done; ++at)
      ++oldest;
    return oldest;
  }
  /// What this node tells peers that it delivered.
  Progress progress(NodeId id) const {
    Progress out{.origin = id, .floor = floor(id), .below = oldest_open(id)};
    const auto& open = origins_[id.value].open;
    for (auto at = open.lower_bound(out.below); at != open.end(); ++at) {
      if (at->second.done) out.above.push_back(at->first);
    }
    return out;
  }
  void keep(const Instance& i, State& s, const Digest& digest, const Bytes& payload) {
    if (s.payloads.emplace(digest, payload).second)
      origins_[i.origin.value].bytes += payload.size();
  }
  /// Nobody can be committed to another payload any more, so nobody will ask for one.
  void keep_only(const Instance& i, State& s, const Digest& digest) {
    std::erase_if(s.payloads, [&](const auto& entry) {
      if (entry.first == digest) return false;
      origins_[i.origin.value].bytes -= entry.second.size();
      return true;
    });
  }
  /// Other bytes than payloads that an instance holds, such as fragments: more or fewer of them.
  void charge(const Instance& i, std::size_t more) { origins_[i.origin.value].bytes += more; }
  void refund(const Instance& i, std::size_t fewer) { origins_[i.origin.value].bytes -= fewer; }

  /// Everything below is forgotten.
  std::uint64_t floor(NodeId origin) const { return origins_[origin.value].floor; }
  /// The floor that room for newer instances asks for: those below may be forgotten, says
  /// `may_forget(instance, state)`, which must be false of what is not delivered.
  template <class F>
  std::uint64_t crowded_floor(NodeId id, F may_forget) const {
    const Origin& origin = origins_[id.value];
    if (owner_forgets_) return origin.floor;
    std::uint64_t floor = origin.floor;
    std::size_t bytes = origin.bytes;
    for (const auto& [number, s] : origin.open) {
      const bool crowded =
          origin.open.rbegin()->first >= floor + window_ || bytes > origin_bytes_ / 2;
      if (number != floor || !crowded || !may_forget(Instance{id, number}, s)) break;
      bytes -= held_bytes(s);
      ++floor;
    }
    return floor;
  }
  /// Forgets what is below `number`, calling `forgotten(instance)` for each. False when nothing
  /// changes.
  template <class F>
  bool raise(NodeId id, std::uint64_t number, F forgotten) {
    Origin& origin = origins_[id.value];
    if (number <= origin.floor) return false;
    const std::uint64_t first = std::max(origin.floor, origin.restored);
    if (number > first) skipped_ += number - first;
    while (!origin.open.empty() && origin.open.begin()->first < number) {
      const auto oldest = origin.open.begin();
      if (oldest->first >= first && oldest->second.done) --skipped_;
      forgotten(Instance{id, oldest->first});
      origin.bytes -= held_bytes(oldest->second);
      origin.open.erase(oldest);
    }
    origin.floor = number;
    return true;
  }
  /// While records are restored: where the window was. take_restored_floor() hands it back, for
  /// raise(): records that were erased lazily may be back.
  void restore_floor(NodeId id, std::uint64_t number) {
    if (committee_.contains(id)) origins_[id.value].floor = number;
  }
  std::uint64_t take_restored_floor(NodeId id) {
    Origin& origin = origins_[id.value];
    origin.restored = std::exchange(origin.floor, 0);
    return origin.restored;
  }
  /// Instances that were forgotten and not delivered here.
  std::uint64_t skipped() const { return skipped_; }

  /// R9: a peer keeps nothing of `origin` below `number`. The floor that f+1 peers are at or above,
  /// so that one of them is correct and what is missing below is over; empty: there is none. Pre:
  /// `origin` and `peer` are of the committee.
  std::optional<std::uint64_t> told_floor(NodeId origin, NodeId peer, std::uint64_t number) {
    std::uint64_t& told = told_[{origin, peer}];
    told = std::max(told, number);
    const std::uint32_t some = committee_.at_least(kValidity);
    std::vector<std::uint64_t> floors;
    for (auto at = told_.lower_bound({origin, NodeId{0}});
         at != told_.end() && at->first.first == origin; ++at)
      floors.push_back(at->second);
    if (floors.size() < some) return std::nullopt;
    std::nth_element(floors.begin(), floors.begin() + (some - 1), floors.end(), std::greater<>());
    return floors[some - 1];
  }

  /// Calls `visit(instance, state)` for all that is kept, by origin and number. The one visited may
  /// be forgotten meanwhile, and those before it.
  template <class F>
  void for_each(F visit) {
    for (std::uint16_t o = 0; o < origins_.size(); ++o) for_each_of(NodeId{o}, visit);
  }
  template <class F>
  void for_each(F visit) const {
    for (std::uint16_t o = 0; o < origins_.size(); ++o) {
      for (const auto& [number, s] : origins_[o].open) visit(Instance{NodeId{o}, number}, s);
    }
  }
  template <class F>
  void for_each_of(NodeId origin, F visit) {
    auto& open = origins_[origin.value].open;
    for (auto at = open.begin(); at != open.end();) {
      const std::uint64_t number = at->first;
      visit(Instance{origin, number}, at->second);
      at = open.upper_bound(number);
    }
  }
  std::uint32_t origins() const { return committee_.size(); }
  /// Instances and bytes; digests are the protocol's to count.
  Footprint footprint() const {
    Footprint out;
    for (const Origin& origin : origins_) {
      out.instances += origin.open.size();
      out.payload_bytes += origin.bytes;
    }
    return out;
  }
  std::size_t undelivered() const {
    std::size_t count = 0;
    for_each([&](const Instance&, const State& s) { count += s.done ? 0 : 1; });
    return count;
  }

 private:
  struct Origin {
    std::uint64_t floor = 0;
    std::uint64_t restored = 0;  // the floor before a restart: what lies below was judged then
    std::size_t bytes = 0;
    std::map<std::uint64_t, State> open;
  };

  static std::size_t held_bytes(const State& s) {
    std::size_t bytes = 0;
    for (const auto& [digest, payload] : s.payloads) bytes += payload.size();
    if constexpr (requires { s.charged(); }) bytes += s.charged();
    return bytes;
  }

  Committee committee_;
  std::uint64_t window_;
  std::size_t origin_bytes_;
  bool owner_forgets_ = false;
  std::vector<Origin> origins_;
  std::uint64_t skipped_ = 0;
  std::map<std::pair<NodeId, NodeId>, std::uint64_t> told_;  // floors, by origin and peer
};

}  // namespace thresher::broadcast
