// Totality of every broadcast of the shelf when statements are lost and a liar pushes: whatever one
// correct node delivered, a node that holds the payload and has not heard of the delivery yet
// delivers as well. The others must not forget it on a liar's word, nor because all have the
// payload: the one that asks needs what they said.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "../../timed.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/protocols/broadcast/avid.hpp"
#include "thresher/protocols/broadcast/bracha.hpp"
#include "thresher/protocols/broadcast/chained_echo.hpp"
#include "thresher/protocols/broadcast/das_xiang_ren.hpp"
#include "thresher/protocols/broadcast/imbs_raynal.hpp"
#include "thresher/protocols/broadcast/signed_broadcast.hpp"

namespace thresher {
namespace {

using broadcast::Instance;

constexpr std::uint64_t kWindow = 32;
constexpr std::uint64_t kSeldom = 85 * kDelta;  // the longest promise to a node that heard nothing
constexpr NodeId kOrigin{0};

Digest something() {
  return hash(as_view("something"));
}

/// Messages of a protocol as the test needs them. `statement`: it brings nobody closer to the
/// payload, so a node that lacks it may hold the payload already. `far`: what a liar says of an
/// instance; `gone`: that it keeps nothing below.
struct BrachaWords {
  using M = Bracha::Message;
  static bool statement(const M& m) { return std::holds_alternative<bracha::Statement>(m); }
  static M far(Instance i) { return bracha::Statement{i, bracha::kEcho, something()}; }
  static M gone(Instance i) { return bracha::Floor{i.origin, i.number, false}; }
};
struct AvidWords {
  using M = Avid::Message;
  static bool statement(const M& m) { return std::holds_alternative<avid::Ready>(m); }
  static M far(Instance i) { return avid::Ready{i, something(), false}; }
  static M gone(Instance i) { return coded::Floor{i.origin, i.number, false}; }
};
struct DasXiangRenWords {
  using M = DasXiangRen::Message;
  static bool statement(const M& m) {
    return std::holds_alternative<das_xiang_ren::Echo>(m) ||
           std::holds_alternative<das_xiang_ren::Ready>(m);
  }
  static M far(Instance i) {
    return das_xiang_ren::Ready{i, something(), Bytes::copy_of(as_view("fragment"))};
  }
  static M gone(Instance i) { return coded::Floor{i.origin, i.number, false}; }
};
struct SignedWords {
  using M = SignedBroadcast::Message;
  static bool statement(const M& m) {
    return !std::holds_alternative<signed_broadcast::Propose>(m);
  }
  static M far(Instance i) { return signed_broadcast::Have{{{i.origin, 0, 0, {i.number}}}, false}; }
  static M gone(Instance i) {
    return signed_broadcast::Have{{{i.origin, i.number, i.number, {}}}, false};
  }
};
struct ChainedEchoWords {
  using M = ChainedEcho::Message;
  static bool statement(const M& m) { return !std::holds_alternative<chained_echo::Extend>(m); }
  static M far(Instance i) {
    const chained_echo::Head head{i.number, something()};
    return chained_echo::Status{i.origin, head, head, false};
  }
  static M gone(Instance i) { return chained_echo::Floor{i.origin, {i.number, something()}}; }
};

/// Whether a message of any of these protocols says something of the origin.
template <class M>
bool about_origin(const M& message) {
  return std::visit(
      [](const auto& m) {
        if constexpr (requires { m.instance; })
          return m.instance.origin == kOrigin;
        else if constexpr (requires { m.origin; })
          return m.origin == kOrigin;
        else
          return std::any_of(m.origins.begin(), m.origins.end(),
                             [](const auto& told) { return told.origin == kOrigin; });
      },
      message);
}

template <class B, class W>
struct Of {
  using Broadcast = B;
  using Words = W;
};

/// The last node lies: it behaves towards all but the one before it, the victim, to which it says
/// nothing but lies.
template <class Case>
class Totality : public ::testing::Test {
 protected:
  using B = typename Case::Broadcast;
  using Words = typename Case::Words;
  using Message = typename B::Message;

  Totality()
      : n_(B::kNodesPerFault + 1),
        victim_(static_cast<std::uint16_t>(n_ - 2)),
        liar_(static_cast<std::uint16_t>(n_ - 1)),
        net_(n_, [n = n_](NodeId id) {
          typename B::Config config;
          config.committee = *Committee::make(n, 1);
          config.self = id;
          config.window = kWindow;
          config.payload_bytes = 100;
          config.origin_bytes = 1 << 20;
          // A history for nodes that lag would hide what is forgotten.
          if constexpr (requires { config.history; }) config.history = 0;
          return B(config);
        }) {
    net_.delivered = [this](std::uint16_t i, const broadcast::Delivery& d) {
      if (d.instance.origin == kOrigin) got_.emplace(i, d.instance.number);
    };
    net_.link = [this](std::uint16_t from, std::uint16_t to, const Message& m) {
      if (from == liar_ && to == victim_ && !lying_) return kLost;
      const bool lost = to == victim_ && (cut_ || (deaf_ && Words::statement(m)) ||
                                          (deaf_to_origin_ && about_origin(m)));
      return lost || (cut_ && from == victim_) ? kLost : std::int64_t{300};
    };
  }
  void broadcast(std::uint64_t number, NodeId origin = kOrigin) {
    Writer w;
    while (w.view().size() < 96) w.u64(number);
    net_.feed(origin.value, Requested<broadcast::Submit>{{Bytes::from(w.take())}});
  }
  void lie(std::uint16_t to, const Message& m) {
    lying_ = true;
    net_.say(liar_, to, m);
    lying_ = false;
  }
  /// Towards the others it moves the window of the origin on, towards the victim it says that all
  /// is over.
  void lie_about_the_window() {
    for (std::uint64_t k = kWindow; k < 2 * kWindow; ++k) {
      for (std::uint16_t to = 0; to < victim_; ++to) lie(to, Words::far({kOrigin, k}));
    }
  }
  void heal() {
    cut_ = deaf_ = false;
    net_.every(kDelta, [this] { lie(victim_, Words::gone({kOrigin, 2 * kWindow})); });
  }
  void run_for(std::uint64_t time) { net_.run_until(net_.now() + time); }
  bool has(std::uint16_t node, std::uint64_t number) const { return got_.contains({node, number}); }
  std::uint64_t missed(std::uint16_t node, std::uint64_t of) const {
    std::uint64_t count = 0;
    for (std::uint64_t k = 0; k < of; ++k) count += has(node, k) ? 0 : 1;
    return count;
  }
  void play_stream(bool restart) {
    constexpr std::uint64_t kMany = 3 * kWindow;
    deaf_ = true;
    for (std::uint64_t k = 0; k < kMany; ++k) {
      broadcast(k);
      run_for(kDelta / 20);
    }
    run_for(4 * kDelta);
    for (std::uint16_t i = 0; restart && i < victim_; ++i) net_.restart(i);
    heal();
    run_for(2 * kSeldom);
    EXPECT_EQ(missed(0, 2 * kWindow), 0u);
    // Some origins take no third window while somebody lacks the second.
    EXPECT_LE(missed(victim_, kMany), missed(0, kMany));
  }

  std::uint32_t n_;
  std::uint16_t victim_;
  std::uint16_t liar_;
  Timed<B> net_;
  bool deaf_ = false;            // the victim loses statements
  bool cut_ = false;             // the victim loses everything, and its own
  bool deaf_to_origin_ = false;  // the victim loses what is said of the origin
 private:
  bool lying_ = false;
  std::set<std::pair<std::uint16_t, std::uint64_t>> got_;
};

using Cases =
    ::testing::Types<Of<Bracha, BrachaWords>, Of<ImbsRaynal, BrachaWords>, Of<Avid, AvidWords>,
                     Of<DasXiangRen, DasXiangRenWords>, Of<SignedBroadcast, SignedWords>,
                     Of<CertifiedBroadcast, SignedWords>, Of<ChainedEcho, ChainedEchoWords>>;
struct Names {
  template <class Case>
  static std::string GetName(int) {
    return std::string(Case::Broadcast::kName);
  }
};
TYPED_TEST_SUITE(Totality, Cases, Names);

// A liar spoke of far instances in a correct origin's name, and what all had echoed was forgotten:
// the victim asked, heard f+1 times that it was over, and skipped what it held.
TYPED_TEST(Totality, ALiarMovesNobodysWindow) {
  this->deaf_ = true;
  this->lie_about_the_window();
  this->broadcast(0);
  this->run_for(2 * kDelta);
  this->heal();
  this->run_for(kSeldom);
  EXPECT_EQ(this->missed(0, 1), 0u);
  EXPECT_EQ(this->missed(this->victim_, 1), 0u);
}

// Nor after any time: nothing newer needs the room.
TYPED_TEST(Totality, WithoutNeedOfRoomNothingIsForgotten) {
  this->cut_ = true;
  this->broadcast(0);
  this->run_for(100 * kDelta);
  EXPECT_EQ(this->missed(0, 1), 0u);
  this->lie_about_the_window();
  this->run_for(50 * kDelta);
  this->heal();
  this->run_for(kSeldom);
  EXPECT_EQ(this->missed(this->victim_, 1), 0u);
}

// What the others say of the origin's only payload does not reach the victim for some time, and all
// that they say of another origin does, which never pauses: what is said again must not wait for
// that.
TYPED_TEST(Totality, WhoMissedTheEndOfAStreamHearsOfItWhileAnotherGoesOn) {
  constexpr NodeId kBusy{1};
  std::uint64_t next = 0;
  this->net_.every(kDelta, [&] { this->broadcast(next++, kBusy); });
  this->run_for(30 * kDelta);
  this->deaf_to_origin_ = true;
  this->broadcast(0);
  this->run_for(20 * kDelta);
  EXPECT_EQ(this->missed(0, 1), 0u);
  EXPECT_EQ(this->missed(this->victim_, 1), 1u);
  this->deaf_to_origin_ = false;
  this->run_for(kSeldom);
  EXPECT_EQ(this->missed(this->victim_, 1), 0u);
}

// Three windows of payloads, of which two come to all; the victim hears nothing else of them before
// the others need their room. They say again what they said, though they keep the payloads no more;
// after a restart as well.
TYPED_TEST(Totality, WhatNeedsRoomIsStillSpokenOf) {
  this->play_stream(false);
}
TYPED_TEST(Totality, WhatNeedsRoomIsStillSpokenOfAfterARestart) {
  this->play_stream(true);
}

}  // namespace
}  // namespace thresher
