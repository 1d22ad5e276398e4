// What a broadcast keeps and for how long: instances of every origin within a window, a limit on
// their bytes, and what is forgotten when. The part that all of broadcast.hpp's protocols share.
//
//   struct State : broadcast::Kept {
//     explicit State(const Committee&);
//     // Of those that spoke of it one is correct.
//     bool vouched(const Committee&) const;
//     ...
//   };
//   Shelf<State> shelf(config);
//   State* s = shelf.open({origin, number});                 // null: outside the window
//   if (s != nullptr && shelf.has_room(i, payload.size())) shelf.keep(i, *s, digest, payload);
//
// Guarantees: of an origin at most 2 `window` instances and `origin_bytes` of payload are in its
// window. Half of the bytes is for its oldest instance that is not delivered, so that those after
// it never keep it out. Delivered instances go to the history when newer ones need their place: the
// last that were delivered, for nodes that lag, as many as Config::history has for each origin and
// in half of `origin_bytes` more. So a node that is slow, or was away for a little, misses nothing,
// and nobody waits for it. An instance is forgotten only when the history is full and nobody needs
// it here, or when f+1 peers keep it no more. Newer ones are those that the origin itself or a
// correct node spoke of, so that liars push nothing out. Where its owner forgets
// (Config::owner_forgets), an instance is kept until the owner says so, whatever room newer ones
// need. Says nothing and stores nothing itself: the protocol does. Rules R7 to R9 of
// docs/protocols/bracha.md, with the arguments.
#pragma once

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "thresher/core/assert.hpp"
#include "thresher/core/hash.hpp"
#include "thresher/core/node_ids.hpp"
#include "thresher/protocols/broadcast/progress.hpp"

namespace thresher::broadcast {

/// The sender keeps nothing of `origin` below `number`. `asks`: the receiver's message was too far
/// ahead for it, and it wants to know from where on the receiver keeps something.
struct Floor {
  NodeId origin;
  std::uint64_t number = 0;
  bool asks = false;
};

/// Ticks from a delivery to its record. Records of one step are written before its deliveries are
/// handed to the host, and a crash between the two would keep the payload from the host for ever;
/// the second tick after it is another step in any case.
inline constexpr std::uint32_t kRecordTicks = 2;

/// What the shelf knows of an instance; a protocol's own state derives from it.
struct Kept {
  bool done = false;      ///< delivered to the host
  std::uint32_t age = 0;  ///< timer ticks since then
  std::uint32_t unrecorded =
      0;  ///< ticks until the record of the delivery is due; 0: it was written
  std::map<Digest, Bytes> payloads{};
  /// Peers whose question was answered since the last tick. Questions are short and answers are
  /// not, so a peer gets one answer of an instance in a tick, and asks again if that was lost. The
  /// timer runs as long as there are any.
  NodeSet answered{};
};

/// How often open instances are said again. Unit: 1/1000 of Delta, as every Delay.
inline constexpr Delay kRepeat{4000};
/// Ticks of kRepeat that a delivered instance is kept at least: a node committed to it takes two
/// for the question and the answer.
inline constexpr std::uint32_t kKeepTicks = 4;
/// Delivered instances that are kept for nodes that lag when newer ones need their place, of all
/// origins together: each has an equal part, so that their number does not grow with the committee.
inline constexpr std::uint64_t kHistory = 4096;
/// Peers that are not known to be as far hear of an instance again after 1, 2, 4, ... ticks, and at
/// least this often.
inline constexpr std::uint32_t kSeldomTicks = 16;

/// Whether a correct node is among those that spoke of an instance in either counter.
inline bool one_is_correct(const NodeSet (&spoke)[2], const Committee& committee) {
  NodeSet all = spoke[0];
  all.merge(spoke[1]);
  return all.size() >= committee.at_least(kValidity);
}

/// How the instances of an origin went lately.
struct Pace {
  bool moves_on = false;   ///< the oldest open one is another one than at the last tick
  std::uint32_t took = 0;  ///< ticks from the first word of an instance to its delivery
};

/// At a tick: whether the record of a delivery is due now.
inline bool record_due(Kept& s) {
  return s.unrecorded > 0 && --s.unrecorded == 0;
}

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
        history_(history_of_one(config)),
        origin_bytes_(config.origin_bytes),
        origins_(config.committee.size()) {
    if constexpr (requires { config.owner_forgets; }) owner_forgets_ = config.owner_forgets;
  }

  /// The most that is kept of all origins, of which each may have `origin_bytes` in its window and
  /// `digests` in an instance.
  template <class Config>
  static Footprint most_held(const Config& config, std::size_t origin_bytes, std::size_t digests) {
    const std::size_t n = config.committee.size();
    const std::uint64_t history = history_of_one(config);
    Footprint out;
    out.instances = n * 2 * config.window;
    out.history = n * history;
    out.digests = out.instances * digests;
    out.history_digests = out.history * digests;
    out.payload_bytes = n * origin_bytes;
    out.history_bytes = history > 0 ? n * (origin_bytes / 2) : 0;
    return out;
  }

  /// The instance's state, made if it is new; null when it is forgotten, beyond the window or not
  /// of a member.
  State* open(const Instance& i) {
    if (!committee_.contains(i.origin)) return nullptr;
    if (i.number < floor(i.origin) || i.number >= end(i.origin)) return nullptr;
    return &restore(i);
  }
  /// Over, and not open any more. A peer that speaks of it is late, which is no offence: a link
  /// that was cut brings at once what was said meanwhile.
  bool late(const Instance& i) const {
    return committee_.contains(i.origin) && i.number < floor(i.origin);
  }
  /// The first number beyond the window. Pre: the origin is of the committee.
  std::uint64_t end(NodeId id) const { return origins_[id.value].first + 2 * window_; }
  /// As open(), but wherever the window is: its place is known only when all records are restored.
  /// Pre: the origin is of the committee.
  State& restore(const Instance& i) {
    touch(i);
    return origins_[i.origin.value].open.try_emplace(i.number, committee_).first->second;
  }
  /// Null when nothing of it is kept.
  const State* find(const Instance& i) const {
    if (!committee_.contains(i.origin)) return nullptr;
    const auto& open = origins_[i.origin.value].open;
    const auto at = open.find(i.number);
    return at == open.end() ? nullptr : &at->second;
  }
  State* find(const Instance& i) {
    touch(i);
    return const_cast<State*>(std::as_const(*this).find(i));
  }

  /// R7: what an origin may fill. Pre: the origin is of the committee.
  bool has_room(const Instance& i, std::size_t bytes) const {
    const Origin& origin = origins_[i.origin.value];
    if (origin.bytes + bytes <= origin_bytes_ / 2) return true;
    return i.number == oldest_open(i.origin) && origin.bytes + bytes <= origin_bytes_;
  }
  /// Everything of the origin below was delivered or skipped.
  std::uint64_t oldest_open(NodeId id) const {
    const Origin& origin = origins_[id.value];
    std::uint64_t oldest = origin.first;
    for (auto at = origin.open.find(oldest);
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
  /// To be called when the host is given the payload. Pre: the origin is of the committee.
  void mark_delivered(const Instance& i, State& s) {
    THRESHER_ASSERT(!s.done, "an instance is delivered once");
    std::uint32_t& took = origins_[i.origin.value].took;
    took = std::max(took, s.age);
    s.done = true;
    s.age = 0;
    s.unrecorded = kRecordTicks;
  }
  /// To be called once at a tick. A long delivery is forgotten a tick at a time.
  Pace at_tick(NodeId id) {
    Origin& origin = origins_[id.value];
    const std::uint64_t oldest = oldest_open(id);
    const Pace pace{std::exchange(origin.oldest_at_tick, oldest) != oldest, origin.took};
    origin.took -= origin.took > 0 ? 1 : 0;
    return pace;
  }
  void keep(const Instance& i, State& s, const Digest& digest, const Bytes& payload) {
    if (s.payloads.emplace(digest, payload).second) charge(i, payload.size());
  }
  /// Nobody can be committed to another payload any more, so nobody will ask for one.
  void keep_only(const Instance& i, State& s, const Digest& digest) {
    std::erase_if(s.payloads, [&](const auto& entry) {
      if (entry.first == digest) return false;
      refund(i, entry.second.size());
      return true;
    });
  }
  /// For what was delivered, and found no room (R7).
  void drop(const Instance& i, State& s, const Digest& digest) {
    const auto at = s.payloads.find(digest);
    if (at == s.payloads.end()) return;
    refund(i, at->second.size());
    s.payloads.erase(at);
  }
  /// Other bytes than payloads that an instance holds, such as fragments: more or fewer of them.
  void charge(const Instance& i, std::size_t more) { bytes_for(i) += more; }
  void refund(const Instance& i, std::size_t fewer) { bytes_for(i) -= fewer; }

  /// Everything below is forgotten.
  std::uint64_t floor(NodeId origin) const { return origins_[origin.value].floor; }
  /// R8: what newer instances need the place of goes to the history. The floor that leaves: those
  /// below may be forgotten, says `may_forget(instance, state)`, which must be false of what is not
  /// delivered. The caller raises the floor.
  template <class F>
  std::uint64_t crowded_floor(NodeId id, F may_forget) {
    Origin& origin = origins_[id.value];
    std::uint64_t floor = origin.floor;
    if (owner_forgets_) return floor;
    const std::uint64_t newest = newest_vouched(origin);
    std::size_t old_bytes = origin.old_bytes;
    auto oldest = origin.open.begin();
    for (auto at = origin.open.find(origin.first);
         at != origin.open.end() && at->first == origin.first && at->second.done; ++at) {
      if (newest < origin.first + window_ && origin.bytes <= origin_bytes_ / 2) break;
      const std::size_t more = held_bytes(at->second);
      old_bytes += more;
      const auto full = [&] {
        return origin.first + 1 - floor > history_ || old_bytes > origin_bytes_ / 2;
      };
      for (; floor <= origin.first && full(); ++floor, ++oldest) {
        if (!may_forget(Instance{id, floor}, oldest->second)) return floor;
        old_bytes -= held_bytes(oldest->second);
      }
      origin.bytes -= more;
      origin.old_bytes += more;
      touch({id, origin.first++});
    }
    return floor;
  }
  /// Forgets what is below `number`, calling `forgotten(instance, state)` for each. False when
  /// nothing changes.
  template <class F>
  bool raise(NodeId id, std::uint64_t number, F forgotten) {
    Origin& origin = origins_[id.value];
    if (number <= origin.floor) return false;
    const std::uint64_t first = std::max(origin.floor, origin.restored);
    if (number > first) skipped_ += number - first;
    while (!origin.open.empty() && origin.open.begin()->first < number) {
      const auto oldest = origin.open.begin();
      if (oldest->first >= first && oldest->second.done) --skipped_;
      const Instance i{id, oldest->first};
      forgotten(i, std::as_const(oldest->second));
      refund(i, held_bytes(oldest->second));
      origin.open.erase(oldest);
    }
    origin.floor = number;
    origin.first = std::max(origin.first, number);
    touch({id, origin.first});
    return true;
  }
  /// A peer spoke of an instance beyond the window. Pre: both are of the committee.
  void told_ahead(const Instance& i, NodeId peer) {
    std::uint64_t& told = ahead_[{i.origin, peer}];
    if (i.number <= told) return;
    told = i.number;
    touch(i);
  }
  /// Whether of some instance within the window nothing was heard though a later one exists:
  /// numbers have no gaps, unless an owner gives them.
  bool missed_some(NodeId id) const {
    if (owner_forgets_) return false;
    const auto& open = origins_[id.value].open;
    const std::uint64_t first = origins_[id.value].first;
    const std::uint64_t end = end_of_missed(id);
    if (end <= first) return false;
    const auto heard = std::distance(open.lower_bound(first), open.lower_bound(end));
    return static_cast<std::uint64_t>(heard) < end - first;
  }
  /// Whether a correct peer is beyond the window: a node that lags so much asks for the next
  /// instances as soon as it has place for them, and not at a tick.
  bool far_behind(NodeId id) const { return one_is_at(ahead_, id).value_or(0) >= end(id); }
  /// Opens those instances, and calls `overtaken(instance, state)` for each that is not delivered
  /// though a later one exists.
  template <class F>
  void open_missed(NodeId id, F overtaken) {
    if (owner_forgets_) return;
    Origin& origin = origins_[id.value];
    for (std::uint64_t k = origin.first, end = end_of_missed(id); k < end; ++k) {
      State& s = restore({id, k});
      if (!s.done) overtaken(Instance{id, k}, s);
    }
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
    return one_is_at(told_, origin);
  }

  /// Calls `visit(instance, state)` for all that is kept, by origin and number. The one visited may
  /// be forgotten meanwhile, and those before it.
  template <class F>
  void for_each(F visit) {
    for (const NodeId o : node_ids(origins_.size())) for_each_of(o, visit);
  }
  template <class F>
  void for_each(F visit) const {
    for (const NodeId o : node_ids(origins_.size())) {
      for (const auto& [number, s] : origins_[o.value].open) visit(Instance{o, number}, s);
    }
  }
  template <class F>
  void for_each_of(NodeId origin, F visit) {
    rested_ = false;
    auto& open = origins_[origin.value].open;
    for (auto at = open.begin(); at != open.end();) {
      const std::uint64_t number = at->first;
      visit(Instance{origin, number}, at->second);
      at = open.upper_bound(number);
    }
  }
  /// Whether there is nothing left to do: `rests(instance, state)` of all that is kept,
  /// `quiet(origin)` of all origins, and nothing was missed. Once all rests, only what was handed
  /// out to be changed since then is looked at: most messages that come to an idle node are about
  /// one instance, and it keeps thousands. Pre: what the answers depend on is the state of the
  /// instance and the shelf alone; of what else changed, look_again() was told.
  template <class Rests, class Quiet>
  bool at_rest(Rests rests, Quiet quiet) {
    const auto look = [&](const Instance& i, const State& s) {
      ++looked_at_;
      return rests(i, s);
    };
    const auto still = [&](NodeId id) { return !missed_some(id) && quiet(id); };
    const bool rest = rested_ ? touched_rest(look, still) : all_rest(look, still);
    THRESHER_DEBUG_ASSERT(rest == all_rest(rests, still), "what nobody touched rests as before");
    rested_ = rest;
    touched_.clear();
    return rest;
  }
  /// Instances in that origin's window may rest no more.
  void look_again(NodeId id) {
    const Origin& origin = origins_[id.value];
    for (auto at = origin.open.lower_bound(origin.first); at != origin.open.end(); ++at)
      touch({id, at->first});
  }
  /// Instances that at_rest() looked at so far.
  std::uint64_t looked_at() const { return looked_at_; }

  /// The sum of `bytes(state)` over the origin's instances that are not delivered.
  template <class F>
  std::size_t sum_of_open(NodeId id, F bytes) const {
    const Origin& origin = origins_[id.value];
    std::size_t sum = 0;
    for (auto at = origin.open.lower_bound(origin.first); at != origin.open.end(); ++at)
      sum += at->second.done ? 0 : bytes(at->second);
    return sum;
  }
  /// Whether the instance is delivered and out of its window: nodes that lag ask for it.
  bool in_history(const Instance& i) const { return i.number < origins_[i.origin.value].first; }
  std::uint32_t origins() const { return committee_.size(); }
  /// `digests(state)` counts the contents that somebody spoke of.
  template <class F>
  Footprint footprint(F digests) const {
    Footprint out;
    for (const Origin& origin : origins_) {
      const auto window = origin.open.lower_bound(origin.first);
      for (auto at = origin.open.begin(); at != window; ++at) {
        ++out.history;
        out.history_digests += digests(at->second);
      }
      for (auto at = window; at != origin.open.end(); ++at) {
        ++out.instances;
        out.digests += digests(at->second);
      }
      out.payload_bytes += origin.bytes;
      out.history_bytes += origin.old_bytes;
    }
    return out;
  }
  std::size_t undelivered() const {
    std::size_t count = 0;
    for (const NodeId o : node_ids(origins_.size()))
      count += sum_of_open(o, [](const State&) { return std::size_t{1}; });
    return count;
  }

 private:
  static constexpr std::size_t kMostTouched = 1024;  // beyond, all is looked at

  using Told = std::map<std::pair<NodeId, NodeId>, std::uint64_t>;  // numbers, by origin and peer
  struct Origin {
    std::uint64_t floor = 0;     // of the history
    std::uint64_t first = 0;     // of the window
    std::uint64_t restored = 0;  // the floor before a restart: what lies below was judged then
    std::uint64_t oldest_at_tick = 0;  // of those that were not delivered at the last tick
    std::uint32_t took = 0;            // the most ticks that a delivery took lately
    std::size_t bytes = 0;             // in the window
    std::size_t old_bytes = 0;         // in the history
    std::map<std::uint64_t, State> open;
  };

  template <class Config>
  static std::uint64_t history_of_one(const Config& config) {
    if constexpr (requires { config.owner_forgets; }) {
      if (config.owner_forgets) return 0;
    }
    return config.history / config.committee.size();
  }
  void touch(const Instance& i) {
    if (!rested_ || (!touched_.empty() && touched_.back() == i)) return;
    touched_.push_back(i);
    rested_ = touched_.size() < kMostTouched;
  }
  template <class Rests, class Still>
  bool touched_rest(Rests rests, Still still) const {
    std::optional<NodeId> before;
    for (const Instance& i : touched_) {
      const State* s = find(i);
      if (s != nullptr && !rests(i, *s)) return false;
      if (committee_.contains(i.origin) && std::exchange(before, i.origin) != i.origin &&
          !still(i.origin))
        return false;
    }
    return true;
  }
  template <class Rests, class Still>
  bool all_rest(Rests rests, Still still) const {
    for (const NodeId o : node_ids(origins_.size())) {
      if (!still(o)) return false;
      for (const auto& [number, s] : origins_[o.value].open) {
        if (!rests(Instance{o, number}, s)) return false;
      }
    }
    return true;
  }
  std::size_t& bytes_for(const Instance& i) {
    Origin& origin = origins_[i.origin.value];
    return i.number < origin.first ? origin.old_bytes : origin.bytes;
  }
  // The number that f+1 peers are at or above, so that one of them is correct.
  std::optional<std::uint64_t> one_is_at(const Told& told, NodeId origin) const {
    const std::uint32_t some = committee_.at_least(kValidity);
    std::vector<std::uint64_t> numbers;
    for (auto at = told.lower_bound({origin, NodeId{0}});
         at != told.end() && at->first.first == origin; ++at)
      numbers.push_back(at->second);
    if (numbers.size() < some) return std::nullopt;
    std::nth_element(numbers.begin(), numbers.begin() + (some - 1), numbers.end(),
                     std::greater<>());
    return numbers[some - 1];
  }

  // Instances below this and within the window exist somewhere, and are to be asked about.
  std::uint64_t end_of_missed(NodeId id) const {
    const std::uint64_t newest = newest_vouched(origins_[id.value]);
    return std::min(std::max(newest, one_is_at(ahead_, id).value_or(0)), end(id));
  }
  // The floor when there is none.
  std::uint64_t newest_vouched(const Origin& origin) const {
    for (auto at = origin.open.rbegin(); at != origin.open.rend(); ++at) {
      if (at->second.vouched(committee_)) return at->first;
    }
    return origin.floor;
  }
  static std::size_t held_bytes(const State& s) {
    std::size_t bytes = 0;
    for (const auto& [digest, payload] : s.payloads) bytes += payload.size();
    if constexpr (requires { s.charged(); }) bytes += s.charged();
    return bytes;
  }

  Committee committee_;
  std::uint64_t window_;
  std::uint64_t history_;  // of one origin
  std::size_t origin_bytes_;
  bool owner_forgets_ = false;
  std::vector<Origin> origins_;
  std::uint64_t skipped_ = 0;
  Told told_;                      // floors
  Told ahead_;                     // the highest beyond the window
  bool rested_ = false;            // all did when at_rest() was asked last
  std::vector<Instance> touched_;  // since then
  std::uint64_t looked_at_ = 0;
};

}  // namespace thresher::broadcast
