#include "thresher/testing/draw.hpp"

#include <set>

#include "thresher/core/assert.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/sim/faults.hpp"

namespace thresher::testing {
namespace {

constexpr std::uint64_t kInputStream = 0x696e;
constexpr std::uint64_t kMostClients = 4;
constexpr std::uint64_t kMostBytes = 512;

sim::Experiment over(const Committee& committee) {
  sim::Experiment e;
  e.n = committee.size();
  e.f = committee.faults();
  return e;
}

}  // namespace

sim::Network uneven_links(std::uint64_t longest) {
  sim::Network network;
  const sim::Ticks most = longest * sim::kUnit;
  if (longest > 1) network.delay = {sim::DelayLaw::Kind::kUniform, most / 2, 0, 1, most};
  network.delta = most;
  return network;
}

sim::FaultAction crash_of(NodeId id, std::uint64_t at, std::uint64_t back) {
  sim::FaultAction crash{.who = {id}, .what = sim::FaultKind::kCrash, .from = at * sim::kUnit};
  if (back > at) crash.to = back * sim::kUnit;
  return crash;
}

sim::Workload draw_input(std::uint64_t seed) {
  Prng rng(seed, kInputStream);
  sim::Workload w;
  w.clients = 1 + rng.below(kMostClients);
  w.bytes = sim::Workload{}.bytes + static_cast<std::uint32_t>(rng.below(kMostBytes));
  if (rng.below(3) == 0) {
    w.kind = sim::Workload::Kind::kOpen;
    w.interval = (1 + rng.below(8)) * sim::kUnit;
  }
  return w;
}

sim::Network draw_network(const Committee& committee, std::uint64_t seed) {
  return sim::draw_schedule(over(committee), seed, {}).network;
}

sim::FaultAction draw_action(const Committee& committee, std::uint64_t seed,
                             const sim::Menu& menu) {
  sim::Menu quiet = menu;
  quiet.network = false;
  const auto faults = sim::draw_schedule(over(committee), seed, quiet).faults;
  THRESHER_ASSERT(!faults.empty(), "a committee that bears no fault has no action");
  return faults.front();
}

std::vector<sim::FaultAction> within_faults(std::vector<sim::FaultAction> plan,
                                            const Committee& committee) {
  std::set<NodeId> faulty;
  std::erase_if(plan, [&](const sim::FaultAction& a) {
    if (!sim::faulty(a.what)) return false;
    std::set<NodeId> with = faulty;
    with.insert(a.who.begin(), a.who.end());
    if (with.size() > committee.faults()) return true;
    faulty = std::move(with);
    return false;
  });
  return plan;
}

}  // namespace thresher::testing
