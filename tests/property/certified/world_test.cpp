// Whole committees of the certified family in the simulator's world: delays, losses, silence, twins
// and restarts. Agreement and integrity at every delivery; totality and validity at the end.
#include "thresher/sim/world.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "thresher/protocols/certified/bullshark.hpp"
#include "thresher/protocols/coin/ideal_coin.hpp"

namespace thresher {
namespace {

using certified::Bullshark;
using certified::Committed;
using certified::Rules;

constexpr std::uint32_t kSizes[] = {4, 5, 6, 7, 10};

struct Outcome {
  std::string violation;
  std::uint64_t shortest = ~std::uint64_t{0};  ///< fewest commits of a correct node
  std::uint64_t payloads = 0;                  ///< of correct nodes, delivered by all
  std::uint64_t submitted = 0;
  std::uint64_t equivocations = 0;
  std::uint64_t refused = 0;
  std::uint64_t ticks = 0;
  Digest trace{};
};

// Submits `payloads` at every node, one every few ticks, until everything of the correct ones is
// delivered everywhere or `limit` ticks passed.
class Committees {
 public:
  Committees(const Rules& rules, sim::Plan plan, std::uint64_t gc_depth = 50)
      : plan_(plan), logs_(plan.committee.size()), world_(plan, [=](NodeId id) {
          certified::Config config;
          config.committee = plan.committee;
          config.self = id;
          config.rules = rules;
          config.gc_depth = gc_depth;
          const std::uint32_t enough = plan.committee.at_least(kStrong);
          config.coin = std::make_shared<coin::IdealCoin>(enough, id, plan.seed);
          return Bullshark(std::move(config));
        }) {
    world_.digest_of_output = [](const Committed& c) { return c.leader; };
    world_.on_deliver = [this](NodeId id, const Committed& c) { delivered(id, c); };
  }

  Outcome run(std::uint64_t payloads, std::uint64_t limit) {
    std::uint64_t sent = 0;
    world_.run_until([&] {
      if (world_.now() % 5 == 0 && sent < payloads) {
        ++sent;
        each([&](NodeId id) { submit(id, sent); });
      }
      return world_.now() >= limit || (sent == payloads && everything_everywhere()) ||
             !out_.violation.empty();
    });
    each([&](NodeId id) {
      if (!world_.correct(id) || !world_.up(id)) return;
      out_.shortest = std::min<std::uint64_t>(out_.shortest, logs_[id.value].length);
      out_.equivocations += world_.node(id).stats().equivocations;
      out_.refused += world_.node(id).stats().refused;
    });
    out_.payloads = everything_everywhere() ? wanted_.size() : 0;
    out_.submitted = wanted_.size();
    out_.ticks = world_.now();
    out_.trace = world_.trace_hash();
    if (world_.accusations_of_correct() > 0) out_.violation = "a correct node was accused";
    return out_;
  }
  std::string where() const {
    std::string out;
    for (std::uint16_t i = 0; i < plan_.committee.size(); ++i) {
      const Bullshark& b = world_.node(NodeId{i});
      out += "; node " + std::to_string(i) + " round " + std::to_string(b.round().value) +
             " ordered " + std::to_string(b.last_ordered().value) + " missing " +
             std::to_string(b.footprint().missing) + " proposals " +
             std::to_string(b.footprint().proposals) + " checks " +
             std::to_string(b.footprint().checks);
    }
    return out;
  }
  std::uint64_t messages_in(std::uint64_t ticks) {
    const std::uint64_t before = world_.messages();
    const std::uint64_t end = world_.now() + ticks;
    world_.run_until([&] { return world_.now() >= end; });
    return world_.messages() - before;
  }

 private:
  struct Log {
    std::uint64_t length = 0;
    Round latest{0};
    std::set<Digest> roots;
  };

  template <class F>
  void each(F visit) {
    for (std::uint32_t i = 0; i < plan_.committee.size(); ++i) {
      visit(NodeId{static_cast<std::uint16_t>(i)});
    }
  }
  void submit(NodeId id, std::uint64_t number) {
    if (!world_.up(id)) return;
    Writer w;
    w.u16(id.value).u64(number);
    const Bytes bytes = Bytes::from(w.take());
    const Digest root = hash(bytes.view());
    // What a node loses in a crash before its header is durable is lost: that is the host's part.
    if (world_.correct(id) && !plan_.faults.contains(id)) wanted_.insert(root);
    world_.request(id, {{bytes, root}});
  }
  void delivered(NodeId id, const Committed& c) {
    Log& log = logs_[id.value];
    for (const auto& v : c.blocks) log.roots.insert(v->payload.root);
    if (c.slot <= log.latest) return;  // a restarted node delivers again what it had
    log.latest = c.slot;
    Writer w;
    w.u64(c.slot.value).bytes(c.leader.bytes);
    for (const auto& v : c.blocks) w.bytes(v->digest.bytes);
    const Digest digest = hash(w.view());
    if (reference_.size() == log.length) {
      reference_.push_back(digest);
      for (const auto& v : c.blocks) {
        if (!seen_.insert(v->ref()).second) out_.violation = "a vertex was delivered twice";
      }
    }
    if (reference_[log.length] != digest) {
      out_.violation =
          "node " + std::to_string(id.value) + " disagrees at commit " + std::to_string(log.length);
    }
    ++log.length;
  }
  bool everything_everywhere() {
    bool all = true;
    each([&](NodeId id) {
      if (!all || !world_.correct(id) || !world_.up(id)) return;
      for (const Digest& root : wanted_) all = all && logs_[id.value].roots.contains(root);
    });
    return all;
  }

  sim::Plan plan_;
  std::vector<Log> logs_;
  std::vector<Digest> reference_;
  std::set<certified::Ref> seen_;
  std::set<Digest> wanted_;
  Outcome out_;
  sim::World<Bullshark> world_;
};

sim::Plan planned(std::uint32_t n, std::uint64_t seed, std::uint64_t delay_max) {
  sim::Plan plan;
  plan.committee = *Committee::of(n);
  plan.seed = seed;
  plan.delay_max = delay_max;
  plan.delta = delay_max;
  return plan;
}

class CertifiedWorld : public testing::TestWithParam<Rules> {};
INSTANTIATE_TEST_SUITE_P(Family, CertifiedWorld,
                         testing::Values(Rules::bullshark(), Rules::bullshark_async(),
                                         Rules::anchored_bullshark(6), Rules::anchored_bullshark(0),
                                         Rules::sparse_bullshark(10),
                                         Rules::sparse_bullshark(10, true)),
                         [](const auto& suite) {
                           std::string name(suite.param.name);
                           std::erase(name, '-');
                           return name + std::to_string(suite.index);
                         });

TEST_P(CertifiedWorld, EverythingIsDeliveredEverywhereInOneOrder) {
  for (const std::uint32_t n : kSizes) {
    sim::Plan plan = planned(n, n, 3);
    Committees run(GetParam(), plan);
    const Outcome out = run.run(20, 3000);
    EXPECT_EQ(out.violation, "") << "n " << n;
    EXPECT_EQ(out.payloads, std::uint64_t{n} * 20) << "n " << n;
    EXPECT_EQ(out.refused, 0u) << "n " << n;
  }
}

TEST_P(CertifiedWorld, SilentNodesLossAndCutLinksOnlyDelay) {
  for (const std::uint32_t n : kSizes) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      sim::Plan plan = planned(n, seed, 4);
      plan.loss_ppm = 200'000;
      plan.gst = 150;
      plan.cut_ppm = 100'000;
      for (std::uint16_t i = 0; i < plan.committee.faults(); ++i) {
        plan.faults[NodeId{static_cast<std::uint16_t>((seed + i) % n)}] = {};
      }
      Committees run(GetParam(), plan);
      const Outcome out = run.run(10, 8000);
      EXPECT_EQ(out.violation, "") << "n " << n << " seed " << seed;
      EXPECT_GT(out.payloads, 0u) << "n " << n << " seed " << seed << " after " << out.ticks
                                  << run.where();
    }
  }
}

TEST_P(CertifiedWorld, TwinsCannotCertifyTwoVertices) {
  std::uint64_t equivocations = 0;
  for (const std::uint32_t n : kSizes) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      sim::Plan plan = planned(n, seed, 3);
      plan.faults[NodeId{static_cast<std::uint16_t>(seed % n)}] = {.kind = sim::FaultKind::kTwins};
      Committees run(GetParam(), plan);
      const Outcome out = run.run(10, 6000);
      EXPECT_EQ(out.violation, "") << "n " << n << " seed " << seed;
      EXPECT_GT(out.payloads, 0u) << "n " << n << " seed " << seed << " after " << out.ticks;
      equivocations += out.equivocations;
    }
  }
  (void)equivocations;  // each half of the committee sees one face: evidence is not owed
}

TEST_P(CertifiedWorld, ARestartedNodeCatchesUp) {
  for (const std::uint32_t n : kSizes) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      sim::Plan plan = planned(n, seed, 3);
      const NodeId victim{static_cast<std::uint16_t>(seed % n)};
      plan.faults[victim] = {sim::FaultKind::kCrash, 40 + seed, 120};
      Committees run(GetParam(), plan);
      const Outcome out = run.run(40, 6000);
      EXPECT_EQ(out.violation, "") << "n " << n << " seed " << seed;
      EXPECT_GT(out.payloads, 0u) << "n " << n << " seed " << seed << " after " << out.ticks;
    }
  }
}

// Only the slow re-push remains: a certificate to every other node, once in idle_push.
TEST_P(CertifiedWorld, AnIdleCommitteeFallsSilent) {
  const sim::Plan plan = planned(4, 9, 2);
  Committees run(GetParam(), plan);
  EXPECT_EQ(run.run(3, 2000).payloads, 12u);
  const std::uint64_t settled = run.messages_in(200);
  const std::uint64_t pushes = run.messages_in(1000);
  EXPECT_GT(settled, 0u);
  EXPECT_LE(pushes, 4u * 3u * (1000u / 100u + 1u));
}

TEST_P(CertifiedWorld, TheSameSeedGivesTheSameTrace) {
  const auto trace = [&](std::uint64_t seed) {
    sim::Plan plan = planned(7, seed, 4);
    Committees run(GetParam(), plan);
    return run.run(10, 600).trace;
  };
  EXPECT_EQ(trace(3), trace(3));
  EXPECT_NE(trace(3), trace(4));
}

}  // namespace
}  // namespace thresher
