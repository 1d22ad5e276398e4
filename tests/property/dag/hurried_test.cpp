// A round whose leader is not waited for (W2) is not left before the votes on the slot below it are
// there. Otherwise nobody claims, and the slot of a correct leader is lost.
// docs/protocols/proof.md, "What the proof found"; verify/proofs, `late_wait_next`.
#include <gtest/gtest.h>

#include "timed.hpp"

namespace thresher::dag {
namespace {

constexpr std::uint32_t kNodes = 7;
constexpr std::uint16_t kSilent = 5;
constexpr std::uint16_t kBlamer = 6;  // a block in each round, which votes for nothing
constexpr std::uint16_t kSlow = 4;    // heard nearly a Delta late, and hears late

/// The voters and the claimers of the leader's block of each slot.
class Seen {
 public:
  explicit Seen(Timed& world) : world_(world) {
    world_.delay = [this](std::uint16_t from, std::uint16_t to) {
      if (from == kSlow) return Ticks{round_ % kNodes == kSlow ? 100u : 900u};
      return Ticks{to == kSlow ? 900u : 100u};
    };
    world_.said = [this](std::uint16_t who, const Message& m) {
      if (const auto* push = std::get_if<Push>(&m)) note(who, push->block);
    };
  }
  std::uint64_t highest() const { return leads_.empty() ? 0 : leads_.rbegin()->first; }
  std::size_t votes(std::uint64_t slot) { return votes_[slot].size(); }
  std::size_t claims(std::uint64_t slot) { return claims_[slot].size(); }

 private:
  void note(std::uint16_t who, const BlockPtr& b) {
    round_ = b->round().value;
    if (leader_of(Round{round_}, *Committee::of(kNodes)).value == who) leads_[round_] = b->digest;
    if (is_leader(round_ - 1, b->header.vote)) votes_[round_ - 1].insert(who);
    if (is_leader(round_ - 2, b->header.claim)) claims_[round_ - 2].insert(who);
    if (round_ > blamed_ && round_ % kNodes != kBlamer) blame();
  }
  bool is_leader(std::uint64_t slot, const std::optional<Digest>& named) const {
    const auto it = leads_.find(slot);
    return it != leads_.end() && named == it->second;
  }
  void blame() {
    blamed_ = round_;
    Header h;
    h.author = NodeId{kBlamer};
    h.round = Round{round_};
    h.self = last_;
    const BlockPtr block = block_of(h);
    last_ = block->edge();
    for (std::uint16_t to = 0; to < kSilent; ++to) world_.post(kBlamer, to, Push{block}, 1);
  }

  Timed& world_;
  std::uint64_t round_ = 0;
  std::uint64_t blamed_ = 0;
  Edge last_{NodeId{kBlamer}, Round{0}, {}};
  std::map<std::uint64_t, Digest> leads_;
  std::map<std::uint64_t, std::set<std::uint16_t>> votes_;
  std::map<std::uint64_t, std::set<std::uint16_t>> claims_;
};

TEST(Hurried, AllCorrectNodesClaimTheSlotOfACorrectLeader) {
  Rules rules = Rules::thresher();
  rules.leaders = Leaders::kInTurn;
  Timed world(kNodes, {kSilent, kBlamer}, rules);
  Seen seen(world);
  world.start();
  world.at(0, [&] { world.keep_busy(2 * kDelta, 10); });
  world.run_until(200 * kDelta);
  ASSERT_GT(seen.highest(), 60u);
  for (std::uint64_t slot = 8; slot + 10 < seen.highest(); ++slot) {
    const std::uint16_t leader = leader_of(Round{slot}, *Committee::of(kNodes)).value;
    if (leader == kSilent || leader == kBlamer) continue;
    EXPECT_EQ(seen.votes(slot), 5u) << "slot " << slot << " of " << leader;
    EXPECT_EQ(seen.claims(slot), 5u) << "slot " << slot << " of " << leader;
  }
  EXPECT_GT(world.node(0).stats().direct_commits, 30u);
}

}  // namespace
}  // namespace thresher::dag
