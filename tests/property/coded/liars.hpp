// What Byzantine nodes say to an erasure-coded broadcast, attack by attack.
//
//   Liars<Avid> liars(committee, random);
//   liars.hear(message);                            // the adversary hears everything
//   for (auto& [to, message] : liars.say(self)) ... // one attack
//
// Guarantees: every attack is drawn again and again, on instances of liars and of correct origins;
// `fired` counts the messages of each.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "thresher/core/prng.hpp"
#include "thresher/protocols/broadcast/avid.hpp"
#include "thresher/protocols/broadcast/das_xiang_ren.hpp"

namespace thresher {

template <class Node>
class Craft;

template <class Node>
class Liars {
 public:
  using Message = typename Node::Message;
  using Instance = broadcast::Instance;
  using Said = std::vector<std::pair<NodeId, Message>>;

  static constexpr std::uint64_t kWindow = 6;
  static constexpr std::size_t kMostPayload = 64;
  static constexpr std::string_view kMute = "mute echoer";

  Liars(const Committee& committee, Prng random)
      : committee_(committee), random_(random), craft_(committee) {
    taste();
  }

  /// Liars that do few things for a while get further than those that do everything: a sender that
  /// sticks to one story, with a lie at the end, is believed.
  void taste() {
    for (std::size_t& attack : favourites_) attack = random_.below(Craft<Node>::kAttacks.size());
    to_of_4_ = 1 + random_.below(4);
    story_ = random_.below(3);
  }
  Bytes any_payload() {
    std::vector<std::byte> out(random_.below(kMostPayload + 1));
    for (std::byte& b : out) b = static_cast<std::byte>(random_.below(256));
    return Bytes::from(std::move(out));
  }
  /// What `from` said to a liar or to somebody else: liars own the network. To a liar, it is one
  /// that stays mute if a correct node would echo it.
  void hear(NodeId from, bool to_a_liar, const Message& m) {
    std::visit([&](const auto& x) { heard(x); }, m);
    craft_.hear(from, m);
    if (to_a_liar && Craft<Node>::calls_for_echo(m)) ++fired_[std::string(kMute)];
  }

  Said say(NodeId self) {
    const std::size_t attack = random_.below(4) == 0 ? random_.below(Craft<Node>::kAttacks.size())
                                                     : favourites_[random_.below(3)];
    const Instance i = any_instance(self);
    Said out;
    for (std::uint16_t to = 0; to < committee_.size(); ++to) {
      if (random_.below(4) >= to_of_4_) continue;
      if (auto m = craft_.say(attack, self, NodeId{to}, i, story_, random_)) {
        out.emplace_back(NodeId{to}, std::move(*m));
        ++fired_[std::string(Craft<Node>::kAttacks[attack])];
      }
    }
    return out;
  }
  const std::map<std::string, std::uint64_t>& fired() const { return fired_; }

 private:
  template <class M>
  void heard(const M& m) {
    if constexpr (requires { m.instance; }) {
      if (std::ranges::find(known_, m.instance) == known_.end()) known_.push_back(m.instance);
    }
  }
  // One of its own, one that somebody spoke of, or any. Never so that a window moves.
  Instance any_instance(NodeId self) {
    const std::uint64_t which = random_.below(8);
    if (which < 4) return {self, random_.below(2)};
    if (which < 7 && !known_.empty()) return known_[random_.below(known_.size())];
    const std::uint64_t far = random_.below(2) * (2 * kWindow + random_.below(9));
    return {NodeId{static_cast<std::uint16_t>(random_.below(committee_.size() + 1))},
            random_.below(kWindow) + far};
  }

  Committee committee_;
  Prng random_;
  Craft<Node> craft_;
  std::vector<Instance> known_;
  std::array<std::size_t, 3> favourites_{};
  std::uint64_t story_ = 0;  // of two payloads: this one, or as number 2 both
  std::uint64_t to_of_4_ = 4;
  std::map<std::string, std::uint64_t> fired_;
};

/// A payload that liars make up for an instance: `which` of them.
inline Bytes made_up(const broadcast::Instance& i, std::uint64_t which) {
  Writer w;
  w.u16(i.origin.value).u64(i.number).u64(which);
  return Bytes::from(w.take());
}

inline Bytes spoilt(const Bytes& fragment) {
  std::vector<std::byte> bytes(fragment.view().begin(), fragment.view().end());
  bytes.back() ^= std::byte{1};
  return Bytes::from(std::move(bytes));
}

template <>
class Craft<Avid> {
 public:
  static constexpr std::array<std::string_view, 10> kAttacks{"equivocating sender",
                                                             "two codewords under one root",
                                                             "wrong fragment, right root",
                                                             "echo of an unknown root",
                                                             "ready before echo",
                                                             "withheld echo",
                                                             "fragment of a wrong size",
                                                             "ask",
                                                             "sender silent after the first",
                                                             "floor"};

  explicit Craft(const Committee& committee) : fragments_(committee) {}

  static bool calls_for_echo(const Avid::Message& m) {
    return std::holds_alternative<avid::Disperse>(m);
  }
  void hear(NodeId, const Avid::Message& m) {
    const auto note = [&](const auto& x, NodeId) { pieces_[x.instance].push_back(x.piece); };
    if (const auto* x = std::get_if<avid::Disperse>(&m)) note(*x, {});
    if (const auto* x = std::get_if<avid::Echo>(&m)) note(*x, {});
  }

  std::optional<Avid::Message> say(std::size_t attack, NodeId self, NodeId to,
                                   const broadcast::Instance& i, std::uint64_t story,
                                   Prng& random) {
    const std::uint64_t two = story == 2 ? random.below(2) : story;
    avid::Piece mine = made(i, two)[self.value];
    const auto real = piece_of(i, self);
    switch (attack) {
      case 0:
        return avid::Disperse{i, made(i, two)[to.value]};
      case 1:
        return avid::Disperse{i, made(i, 2)[to.value]};
      case 2:
        if (real) mine = *real;
        mine.fragment = spoilt(mine.fragment);
        return avid::Echo{i, mine};
      case 3:
        return avid::Echo{i, mine};
      case 4:
        return avid::Ready{i, real ? real->root : made(i, two)[0].root, random.below(2) == 0};
      case 5:
        if (i.origin == self)
          return avid::Echo{i, made(i, random.below(4) == 0 ? 2 : two)[self.value]};
        return real ? std::optional<Avid::Message>(avid::Echo{i, *real}) : std::nullopt;
      case 6:
        mine.fragment = random.below(2) == 0 ? Bytes{} : Bytes::from(std::vector<std::byte>(99));
        return avid::Echo{i, mine};
      case 7:
        return avid::Ask{i, true, true, true};
      case 8:
        return avid::Disperse{{self, 0}, made({self, 0}, story % 2)[to.value]};
      default:
        return avid::Floor{i.origin, i.number + random.below(9), random.below(2) == 0};
    }
  }

 private:
  // Pieces of a made-up payload, or, as number 2, of a root over fragments of two payloads.
  std::vector<avid::Piece> made(const broadcast::Instance& i, std::uint64_t which) const {
    std::vector<Bytes> cut = fragments_.cut(made_up(i, which).view());
    if (which == 2) {
      const std::vector<Bytes> other = fragments_.cut(made_up(i, 3).view());
      for (std::size_t k = i.number % 2; k < cut.size(); k += 2) cut[k] = other[k];
    }
    return Avid::pieces_of(cut);
  }
  // The piece of `self` under a root that somebody spoke of, cut from the fragments that were
  // heard.
  std::optional<avid::Piece> piece_of(const broadcast::Instance& i, NodeId self) const {
    const auto heard = pieces_.find(i);
    if (heard == pieces_.end()) return std::nullopt;
    for (const avid::Piece& p : heard->second) {
      if (Avid::proved(p, self, fragments_.total())) return p;
    }
    return std::nullopt;
  }

  coded::Fragments fragments_;
  std::map<broadcast::Instance, std::vector<avid::Piece>> pieces_;
};

template <>
class Craft<DasXiangRen> {
 public:
  static constexpr std::array<std::string_view, 10> kAttacks{"equivocating sender",
                                                             "echo of another fragment",
                                                             "wrong fragment, right hash",
                                                             "echo of an unknown hash",
                                                             "ready before echo",
                                                             "withheld echo",
                                                             "fragment of a wrong size",
                                                             "ask",
                                                             "sender silent after the first",
                                                             "floor"};

  explicit Craft(const Committee& committee) : fragments_(committee) {}

  static bool calls_for_echo(const DasXiangRen::Message& m) {
    return std::holds_alternative<das_xiang_ren::Propose>(m);
  }
  void hear(NodeId, const DasXiangRen::Message& m) {
    if (const auto* x = std::get_if<das_xiang_ren::Propose>(&m))
      payloads_.emplace(x->instance, x->payload);
  }

  std::optional<DasXiangRen::Message> say(std::size_t attack, NodeId self, NodeId to,
                                          const broadcast::Instance& i, std::uint64_t story,
                                          Prng& random) {
    const std::uint64_t two = story == 2 ? random.below(2) : story;
    const Bytes made = made_up(i, two);
    const auto heard = payloads_.find(i);
    const Bytes real = heard == payloads_.end() || i.origin == self ? made : heard->second;
    const Digest name = hash(real.view());
    const auto cut = [&](const Bytes& payload, NodeId of) {
      return Bytes::copy_of(fragments_.cut(payload.view(), of).view());
    };
    switch (attack) {
      case 0:
        return das_xiang_ren::Propose{i, made};
      case 1:
        return das_xiang_ren::Echo{i, name, spoilt(cut(real, to))};
      case 2:
        return das_xiang_ren::Ready{i, name, spoilt(cut(real, self))};
      case 3:
        return das_xiang_ren::Echo{i, hash(made.view()), cut(made, to)};
      case 4:
        if (random.below(4) > 0) return das_xiang_ren::Ready{i, name, cut(real, self)};
        return das_xiang_ren::Ready{i, hash(made.view()), cut(made, self)};
      case 5:
        return das_xiang_ren::Echo{i, name, cut(real, to)};
      case 6:
        return das_xiang_ren::Ready{i, name, Bytes::from(std::vector<std::byte>(random.below(99)))};
      case 7:
        return das_xiang_ren::Ask{i, true, true, true};
      case 8:
        return das_xiang_ren::Propose{{self, 0}, made_up({self, 0}, story % 2)};
      default:
        return das_xiang_ren::Floor{i.origin, i.number + random.below(9), random.below(2) == 0};
    }
  }

 private:
  coded::Fragments fragments_;
  std::map<broadcast::Instance, Bytes> payloads_;
};

}  // namespace thresher
