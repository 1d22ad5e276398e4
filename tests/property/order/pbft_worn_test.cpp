// R10 of docs/protocols/pbft.md where there are two liars or three: a value that one replica alone
// prepared, and views in which liars have the others shown ever new values of the same slots. Drawn
// are the liars, the nodes they keep away, for how many views, what each does as a leader, and the
// nodes that restart.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "../../how_many.hpp"
#include "pbft_run.hpp"
#include "thresher/core/prng.hpp"

namespace thresher {
namespace {

class Wearing {
 public:
  Wearing(std::uint64_t seed, bool remembers)
      : random_(seed, 27), n_(seed % 3 == 0 ? 10 : 7), run_(n_, true, remembers) {
    const std::uint32_t f = Committee::of(n_)->faults();
    while (liars_.size() < f) liars_.insert(any());
    do lonely_ = any();
    while (liars_.contains(lonely_));
    for (const std::uint16_t liar : liars_) equivocates_[liar] = random_.below(2) == 0;
    views_ = 3 + random_.below(40);
    restart_in_ = random_.below(2 * views_);
    restarts_ = any();
    slots_ = 1 + random_.below(3);
    delay_ = static_cast<std::int64_t>(100 + random_.below(800));
  }

  /// Whether what correct nodes want is ordered within the bound, once the liars have fallen silent
  /// and the network is well.
  bool heals() {
    run_.net.link = [this](auto from, auto to, const auto& m) { return link(from, to, m); };
    for (const std::uint16_t i : correct()) (void)run_.submit(i);  // so that somebody waits
    for (std::uint64_t k = 0; k < slots_; ++k) urge();
    run_.net.run_until(6 * kDelta);
    phase_ = kShows;
    show();
    phase_ = kLeaves;
    for (int k = 0; k < 200 && lowest_view() <= views_; ++k)
      run_.net.run_until(run_.net.now() + kDelta);
    phase_ = kHealed;
    std::uint64_t patience = 0;
    std::set<std::uint64_t> wanted;
    for (const std::uint16_t i : correct()) {
      patience = std::max(patience, run_.net.node(i).patience());
      wanted.insert(run_.submit(i));
    }
    const std::uint64_t end = run_.net.now() + bound_of(n_, patience) * kDelta;
    while (run_.net.now() < end && !ordered(wanted)) run_.net.run_until(run_.net.now() + kDelta);
    return ordered(wanted);
  }

 private:
  enum Phase { kPrepares, kShows, kLeaves, kHealed };

  std::uint16_t any() { return static_cast<std::uint16_t>(random_.below(n_)); }
  std::vector<std::uint16_t> correct() const {
    std::vector<std::uint16_t> out;
    for (std::uint16_t i = 0; i < n_; ++i) {
      if (!liars_.contains(i)) out.push_back(i);
    }
    return out;
  }
  Bytes fresh() {
    return Bytes::from(Writer().u64(1'000'000 + ++values_).u16(*liars_.begin()).take());
  }
  /// Among the correct nodes that are not kept away.
  std::uint64_t lowest_view() {
    std::uint64_t lowest = ~std::uint64_t{0};
    for (const std::uint16_t i : correct()) {
      if (i != lonely_) lowest = std::min(lowest, run_.net.node(i).view());
    }
    return lowest;
  }

  // By all correct nodes.
  bool ordered(const std::set<std::uint64_t>& wanted) const {
    const auto all = correct();
    return std::all_of(all.begin(), all.end(), [&](std::uint16_t i) {
      return std::all_of(wanted.begin(), wanted.end(),
                         [&](std::uint64_t payload) { return run_.has(i, payload); });
    });
  }

  // A liar wants something new of each leader.
  void urge() {
    const Bytes wanted = fresh();
    for (const std::uint16_t i : correct())
      run_.net.say(*liars_.begin(), i, pbft::Forward{wanted, true});
  }

  void show() {
    std::uint64_t last = 0;
    while (lowest_view() < views_) {
      if (lowest_view() != last) {
        last = lowest_view();
        for (std::uint64_t k = 0; k < slots_; ++k) urge();
        if (last == restart_in_ && restarts_ != lonely_) run_.net.restart(restarts_);
      }
      run_.net.run_until(run_.net.now() + kDelta);
    }
  }

  std::int64_t link(std::uint16_t from, std::uint16_t to, const Pbft::Message& m) {
    const bool vote = std::holds_alternative<pbft::Vote>(m);
    const bool liar = liars_.contains(from) || liars_.contains(to);
    const bool away = from == lonely_ || to == lonely_;
    if (phase_ == kPrepares) return vote && to != lonely_ ? kLost : delay_;
    if (phase_ == kHealed) return liar ? kLost : delay_;
    if (away || (liar && (vote || phase_ == kLeaves))) return kLost;
    const auto* shown = std::get_if<pbft::PrePrepare>(&m);
    if (shown == nullptr || !liars_.contains(from) || !equivocates_[from] || instead_)
      return delay_;
    instead_ = true;  // each is shown another value
    run_.net.say(from, to, pbft::PrePrepare{shown->view, shown->slot, fresh()});
    instead_ = false;
    return kLost;
  }

  Prng random_;
  std::uint32_t n_;
  PbftRun run_;
  Phase phase_ = kPrepares;
  std::set<std::uint16_t> liars_;
  std::map<std::uint16_t, bool> equivocates_;
  std::uint16_t lonely_ = 0;
  std::uint64_t views_ = 0;
  std::uint64_t restart_in_ = 0;
  std::uint16_t restarts_ = 0;
  std::uint64_t slots_ = 0;
  std::int64_t delay_ = 0;
  std::uint64_t values_ = 0;
  bool instead_ = false;
};

TEST(PbftWears, ValuesThatLiarsShowStopNobody) {
  for (std::uint64_t seed = 1; seed <= how_many(20, 60); ++seed)
    EXPECT_TRUE(Wearing(seed, true).heals()) << "seed " << seed;
}

// Replicas that forget what they accepted longest ago stop for ever: drawn liars find that.
TEST(PbftWears, ReplicasThatForgetAreFoundFromSeeds) {
  std::uint64_t seed = 1;
  while (seed <= 12 && Wearing(seed, false).heals()) ++seed;
  ASSERT_LE(seed, 12u);
  EXPECT_TRUE(Wearing(seed, true).heals()) << "seed " << seed;
}

}  // namespace
}  // namespace thresher
