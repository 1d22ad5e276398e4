// The timed bounds of verify/proofs/LiveModel.v, of real nodes with delays up to Delta: in each
// slot whose leader, and the next one, is correct, all correct nodes enter the round, accept the
// leader's block, vote, claim and have the claims in time. docs/protocols/proof.md, "What is proved
// of liveness".
#include <gtest/gtest.h>

#include <algorithm>

#include "thresher/core/prng.hpp"
#include "timed.hpp"

namespace thresher::dag {
namespace {

/// The names of LiveModel.v. `fetch`: a question for a round, of which one of the first two asked
/// is correct. Liars here show what they show to all, so nothing is `owed`.
struct Bounds {
  Ticks delta = kDelta;
  Ticks fetch = 5 * kDelta / 2;
  Ticks owed = 0;
  Ticks longest = 6 * kDelta;
  Ticks spread() const { return delta + fetch + owed; }
  Ticks heard() const { return spread() + delta + owed; }
  Ticks lasts() const { return heard() + longest; }
  Ticks commits() const { return 2 * lasts() + delta; }
};

/// A run with f liars that are silent, or write a block without a vote in each round.
class Watched {
 public:
  /// Links take between half of `slowest` and `slowest`.
  Watched(std::uint64_t seed, Ticks slowest) : random_(seed, 17) {
    static constexpr std::uint32_t kSizes[] = {4, 7, 10};
    n_ = kSizes[random_.below(std::size(kSizes))];
    committee_ = *Committee::of(n_);
    while (liars_.size() < committee_.faults()) {
      const auto liar = static_cast<std::uint16_t>(random_.below(n_));
      if (liars_.insert(liar).second && random_.below(2) == 0)
        blamers_[liar] = Edge{NodeId{liar}, {}, {}};
    }
    for (std::uint32_t link = 0; link < n_ * n_; ++link) {
      links_.push_back(slowest / 2 + random_.below(slowest / 2 + 1));
    }
  }

  /// Says what took longer than is proved; empty when nothing did.
  std::string run(Ticks time) {
    Rules rules = Rules::thresher();
    rules.leaders = Leaders::kInTurn;  // `law_same`: leaders in turn
    Timed world(n_, liars_, rules);
    world_ = &world;
    world.delay = [this](std::uint16_t from, std::uint16_t to) { return links_[from * n_ + to]; };
    world.said = [this](std::uint16_t who, const Message& m) {
      if (const auto* push = std::get_if<Push>(&m)) note(who, push->block);
    };
    world.start();
    world.at(0, [&] {
      world.keep_busy(kDelta, 10);
      look();
    });
    world.run_until(time);
    return judge(time);
  }
  std::uint64_t judged() const { return judged_; }

 private:
  static constexpr Ticks kLook = 50;
  struct Slot {
    std::map<std::uint16_t, Ticks> entered;   // by correct nodes
    std::map<std::uint16_t, Ticks> accepted;  // its leader's block, seen at the next look
    std::set<std::uint16_t> votes;
    std::map<std::uint16_t, Ticks> claims;
    BlockPtr leader;
  };

  std::uint16_t leads(std::uint64_t round) const {
    return leader_of(Round{round}, committee_).value;
  }
  void note(std::uint16_t who, const BlockPtr& block) {
    const std::uint64_t r = block->round().value;
    Slot& slot = slots_[r];
    if (!slot.entered.emplace(who, world_->now()).second) return;
    if (leads(r) == who) slot.leader = block;
    const Header& h = block->header;
    if (r > 1 && slots_[r - 1].leader && h.vote == slots_[r - 1].leader->digest)
      slots_[r - 1].votes.insert(who);
    if (r > 2 && slots_[r - 2].leader && h.claim == slots_[r - 2].leader->digest) {
      slots_[r - 2].claims.emplace(who, world_->now());
    }
    if (slot.entered.size() == 1) blame(r);
  }
  void blame(std::uint64_t round) {
    for (auto& [liar, last] : blamers_) {
      if (leads(round) == liar) continue;  // a leader's block names others
      Header h;
      h.author = NodeId{liar};
      h.round = Round{round};
      h.self = last;
      const BlockPtr block = block_of(h);
      last = block->edge();
      for (const std::uint16_t to : world_->running()) world_->post(liar, to, Push{block}, 1);
    }
  }
  void look() {
    for (auto& [round, slot] : slots_) {
      if (!slot.leader || slot.accepted.size() == n_ - liars_.size()) continue;
      for (const std::uint16_t i : world_->running()) {
        if (world_->node(i).accepts(slot.leader->edge())) slot.accepted.emplace(i, world_->now());
      }
    }
    world_->at(world_->now() + kLook, [this] { look(); });
  }

  std::string judge(Ticks end) {
    std::string out;
    for (const auto& [round, slot] : slots_) {
      // `begins`: when f + 1 correct nodes are in the round.
      if (round < 2 || liars_.contains(leads(round)) || liars_.contains(leads(round + 1))) continue;
      std::vector<Ticks> times;
      for (const auto& [who, at] : slot.entered) times.push_back(at);
      std::sort(times.begin(), times.end());
      if (times.size() <= committee_.faults()) continue;
      const Ticks begun = times[committee_.faults()];
      if (begun + bounds_.commits() > end) continue;
      ++judged_;
      const auto late = [&, r = round](const std::string& what) {
        out += what + " in round " + std::to_string(r) + "; ";
      };
      const std::size_t all = n_ - liars_.size();
      if (times.size() < all || times.back() > begun + bounds_.spread()) late("entered late");
      if (slot.accepted.size() < all) late("not accepted");
      for (const auto& [who, at] : slot.accepted) {
        if (at > begun + bounds_.heard() + kLook) late("accepted late");
      }
      if (slot.votes.size() < all) late("not voted for");
      if (slot.claims.size() < all) late("not claimed");
      for (const auto& [who, at] : slot.claims) {
        if (at + kDelta > begun + bounds_.commits()) late("claimed late");
      }
    }
    return out;
  }

  Prng random_;
  Bounds bounds_;
  std::uint32_t n_ = 4;
  Committee committee_ = *Committee::of(4);
  std::set<std::uint16_t> liars_;
  std::map<std::uint16_t, Edge> blamers_;  // and their last blocks
  std::vector<Ticks> links_;
  std::map<std::uint64_t, Slot> slots_;
  std::uint64_t judged_ = 0;
  Timed* world_ = nullptr;
};

TEST(Liveness, SlotsOfCorrectLeadersCommitWithinWhatIsProved) {
  std::uint64_t judged = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Watched run(seed, kDelta);
    EXPECT_EQ(run.run(80 * kDelta), "") << "seed " << seed;
    judged += run.judged();
  }
  EXPECT_GT(judged, 1000u);  // otherwise it has shown nothing
}

// `law_push` does not hold, and the bounds are seen not to.
TEST(Liveness, MessagesLaterThanDeltaAreSeen) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    if (!Watched(seed, 6 * kDelta).run(200 * kDelta).empty()) return;
  }
  ADD_FAILURE() << "not caught in 20 seeds";
}

}  // namespace
}  // namespace thresher::dag
