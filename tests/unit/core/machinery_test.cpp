// The machinery of the core: executor, lift, storage, rule tables, bounded containers.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "thresher/core/assert.hpp"
#include "thresher/core/bounded.hpp"
#include "thresher/core/compose.hpp"
#include "thresher/core/executor.hpp"
#include "thresher/core/rule.hpp"
#include "thresher/core/storage.hpp"

namespace thresher {
namespace {

using Fx = Effects<int, int>;

/// A protocol that does what its request says; so that a test writes the effects down.
struct Script {
  using Message = int;
  using Output = int;
  using Request = std::vector<Fx::Effect>;
  int received = 0;
  void on(const Received<int>& m, Fx& fx) {
    received += m.message;
    fx.deliver(received);
  }
  void on(const Requested<Request>& r, Fx& fx) {
    for (const Fx::Effect& e : r.request) fx.push(e);
  }
};

struct Recorder {
  std::vector<std::string> log;
  void say(std::string what) { log.push_back(std::move(what)); }
  void send(NodeId to, int m) { say("send " + std::to_string(to.value) + " " + std::to_string(m)); }
  void broadcast(int m) { say("broadcast " + std::to_string(m)); }
  void deliver(int o) { say("deliver " + std::to_string(o)); }
  void arm(TimerId id, Delay) { say("arm " + std::to_string(id.local)); }
  void cancel(TimerId id) { say("cancel " + std::to_string(id.local)); }
  void persist(std::vector<Persist> records, std::uint64_t barrier) {
    say("persist " + std::to_string(records.size()) + " at " + std::to_string(barrier));
  }
  void verify(const Verify& v) { say("verify " + std::to_string(v.ticket.local)); }
  void verify(const VerifyAll& v) { say("verify-all " + std::to_string(v.ticket.local)); }
  void endorse(const Endorse& e) { say("endorse " + std::to_string(e.ticket.local)); }
  void accuse(const Accuse& a) { say("accuse " + std::to_string(a.who.value)); }
};
static_assert(Backend<Recorder, Script>);

using Log = std::vector<std::string>;

Persist record(std::string_view key, std::string_view value = "v", bool lazy = false) {
  return {1, Bytes::copy_of(as_view(key)), Bytes::copy_of(as_view(value)), {}, lazy};
}

InputOf<Script> ask(std::vector<Fx::Effect> effects) {
  return Requested<Script::Request>{std::move(effects)};
}

TEST(Executor, HoldsWhatOthersSeeUntilTheRecordIsDurable) {
  Recorder backend;
  Executor<Script, Recorder> executor(Script{}, backend);
  executor.run(ask({Broadcast<int>{1}, record("a"), Broadcast<int>{2}, Send<int>{NodeId{3}, 4},
                    Deliver<int>{5}, ArmTimer{{6}, {1}}, CancelTimer{{7}}, Verify{{8}, {}, {}, {}},
                    VerifyAll{{12}, {}, {}}, Endorse{{9}, {}}, Accuse{{11}, {}}}));
  EXPECT_EQ(backend.log, (Log{"broadcast 1", "arm 6", "cancel 7", "verify 8", "verify-all 12",
                              "endorse 9", "accuse 11", "persist 1 at 1"}));
  EXPECT_EQ(executor.held(), 3u);
  backend.log.clear();
  executor.persisted(1);
  EXPECT_EQ(backend.log, (Log{"broadcast 2", "send 3 4", "deliver 5"}));
  EXPECT_EQ(executor.held(), 0u);
}

TEST(Executor, GroupsTheRecordsOfOneRunAndReleasesRunsInOrder) {
  Recorder backend;
  Executor<Script, Recorder> executor(Script{}, backend);
  const std::vector<InputOf<Script>> first{ask({record("a"), Broadcast<int>{1}}),
                                           ask({record("b"), Broadcast<int>{2}})};
  executor.run(first);
  executor.run(ask({record("c"), Broadcast<int>{3}}));
  executor.run(ask({Broadcast<int>{4}}));  // no record of its own, but after those that wait
  EXPECT_EQ(backend.log, (Log{"persist 2 at 1", "persist 1 at 2"}));
  backend.log.clear();
  executor.persisted(1);
  EXPECT_EQ(backend.log, (Log{"broadcast 1", "broadcast 2"}));
  executor.persisted(1);  // told twice: nothing more
  executor.persisted(2);
  executor.persisted(1);  // an old answer takes nothing back
  executor.run(ask({Broadcast<int>{5}}));
  EXPECT_EQ(backend.log,
            (Log{"broadcast 1", "broadcast 2", "broadcast 3", "broadcast 4", "broadcast 5"}));
}

TEST(Executor, NobodyWaitsForALazyRecord) {
  Recorder backend;
  Executor<Script, Recorder> executor(Script{}, backend);
  executor.run(ask({record("a", "v", true), Broadcast<int>{1}}));
  EXPECT_EQ(backend.log, (Log{"broadcast 1", "persist 1 at 0"}));
}

TEST(Invariant, NamesThePromiseTheConditionAndTheFile) {
  EXPECT_NO_THROW(THRESHER_ASSERT(1 + 1 == 2, "sums are right"));
  try {
    const int sum = 5;
    THRESHER_ASSERT(sum == 4, "sums are right");
    FAIL() << "nothing was thrown";
  } catch (const InvariantBroken& broken) {
    EXPECT_STREQ(broken.what(), "sums are right (sum == 4 does not hold in machinery_test.cpp)");
  }
}

TEST(Invariant, IsCheckedInReleaseBuildsAndTheCostlyOnesOnlyElsewhere) {
  int looked = 0;
  const auto look = [&] { return ++looked > 0; };
  THRESHER_ASSERT(look(), "it is looked at");
  EXPECT_EQ(looked, 1);
  THRESHER_DEBUG_ASSERT(look(), "it is looked at without NDEBUG");
#ifdef NDEBUG
  EXPECT_EQ(looked, 1);
#else
  EXPECT_EQ(looked, 2);
#endif
}

TEST(Step, IgnoresInputsWithoutAnOverload) {
  Script script;
  Fx fx;
  step(script, InputOf<Script>{Expired{}}, fx);
  step(script, InputOf<Script>{Start{1}}, fx);
  EXPECT_TRUE(fx.empty());
  EXPECT_EQ(script.received, 0);
}

TEST(Lift, WrapsMessagesConsumesOutputsAndMarksTheWayBack) {
  Fx child;
  child.send(NodeId{1}, 10);
  child.deliver(20);
  child.push(ArmTimer{{5}, {1}});
  child.push(Verify{{6}, {}, {}, {}});
  child.broadcast(30);
  child.push(record("k"));
  child.push(VerifyAll{{7}, {}, {}});
  Effects<std::string, int> parent;
  std::vector<int> consumed;
  lift(
      child, parent, 77, [](int m) { return "w" + std::to_string(m); },
      [&](int o) { consumed.push_back(o); });
  EXPECT_TRUE(child.empty());
  EXPECT_EQ(consumed, std::vector<int>{20});
  const auto list = parent.list();
  ASSERT_EQ(list.size(), 6u);
  EXPECT_EQ(std::get<Send<std::string>>(list[0]).message, "w10");
  TimerId timer = std::get<ArmTimer>(list[1]).id;
  EXPECT_EQ(timer.local, 5u);
  EXPECT_EQ(pop_hop(timer.route), 77u);
  EXPECT_EQ(timer, TimerId{5}) << "popping the hop does not give the child's own name back";
  EXPECT_EQ(std::get<Verify>(list[2]).ticket.route.depth, 1);
  EXPECT_EQ(std::get<Broadcast<std::string>>(list[3]).message, "w30");
  EXPECT_TRUE(std::holds_alternative<Persist>(list[4]));
  Ticket ticket = std::get<VerifyAll>(list[5]).ticket;
  EXPECT_EQ(pop_hop(ticket.route), 77u);
  EXPECT_EQ(ticket, Ticket{7});
}

TEST(Route, HopsComeBackInReverse) {
  Route route;
  for (const std::uint32_t hop : {1u, 2u, 3u, 4u}) push_hop(route, hop);
  for (const std::uint32_t hop : {4u, 3u, 2u, 1u}) EXPECT_EQ(pop_hop(route), hop);
  EXPECT_EQ(route.depth, 0);
}

Log contents(const MemoryStorage& storage) {
  Log out;
  EXPECT_TRUE(storage.replay([&](const Restored& r) {
    out.push_back(std::to_string(r.table) + std::string(as_text(r.key.view())) + "=" +
                  std::string(as_text(r.value.view())));
  }));
  return out;
}

TEST(MemoryStorage, ReplaysTheNewestValueInTheOrderOfTheLastWrite) {
  MemoryStorage storage;
  const std::vector<Persist> batch{record("a", "1"), record("b", "1"), record("a", "2")};
  ASSERT_TRUE(storage.write(batch, Sync::kYes));
  EXPECT_EQ(contents(storage), (Log{"1b=1", "1a=2"}));
  Persist other_table = record("a", "3");
  other_table.table = 2;
  const std::vector<Persist> second{other_table, record("b", "")};
  ASSERT_TRUE(storage.write(second, Sync::kNo));
  EXPECT_EQ(contents(storage), (Log{"1a=2", "2a=3"}));
  EXPECT_EQ(storage.size(), 2u);
}

constexpr LocationInfo kPlaces[] = {{"start"}, {"middle"}, {"end"}};
constexpr std::string_view kCounters[] = {"said"};

TEST(RuleTable, RefusesCyclesRepeatsAndUnknownNames) {
  const Rule good[] = {{"go", 0, 1, {}, Say{0}}, {"on", 1, 2, Guard{0, kQuorum}}};
  EXPECT_TRUE(well_formed({"t", kPlaces, kCounters, good}));
  const Rule cycle[] = {{"go", 0, 1}, {"back", 1, 0, Guard{0, kQuorum}}};
  EXPECT_FALSE(well_formed({"t", kPlaces, kCounters, cycle}));
  const Rule twice[] = {{"go", 0, 1, {}, Say{0}}, {"on", 1, 2, Guard{0, kQuorum}, Say{0}}};
  EXPECT_FALSE(well_formed({"t", kPlaces, kCounters, twice}));
  const Rule same_name[] = {{"go", 0, 1}, {"go", 1, 2, Guard{0, kQuorum}}};
  EXPECT_FALSE(well_formed({"t", kPlaces, kCounters, same_name}));
  const Rule nowhere[] = {{"go", 0, 3}};
  EXPECT_FALSE(well_formed({"t", kPlaces, kCounters, nowhere}));
  const Rule unknown[] = {{"go", 0, 1, Guard{1, kQuorum}}};
  EXPECT_FALSE(well_formed({"t", kPlaces, kCounters, unknown}));
}

TEST(RuleTable, EnablesTheFirstRuleWhoseGuardIsMet) {
  const Rule rules[] = {{"input", 0, 1}, {"few", 1, 2, Guard{0, kQuorum}}};
  const RuleTable table{"t", kPlaces, kCounters, rules};
  const auto committee = Committee::of(4);
  ASSERT_TRUE(committee);
  const auto count = [](std::uint32_t n) { return [n](const Guard&) { return n; }; };
  EXPECT_EQ(enabled(table, 0, false, count(4), *committee), nullptr);
  EXPECT_EQ(enabled(table, 0, true, count(0), *committee), &rules[0]);
  EXPECT_EQ(enabled(table, 1, true, count(2), *committee), nullptr);
  EXPECT_EQ(enabled(table, 1, false, count(3), *committee), &rules[1]);
}

TEST(PerPeerMap, AFloodOfOneTakesNoRoomFromAnother) {
  PerPeerMap<int, std::string, 2> map(4);
  EXPECT_TRUE(*map.insert(NodeId{0}, 5, "a"));
  EXPECT_FALSE(*map.insert(NodeId{1}, 5, "stolen"));
  EXPECT_EQ(map.held_by(NodeId{1}), 0u);
  EXPECT_TRUE(*map.insert(NodeId{0}, 7, "b"));
  EXPECT_EQ(map.insert(NodeId{0}, 6, "c").error(), Errc::kQuotaExceeded);
  EXPECT_EQ(map.find(6), nullptr);
  EXPECT_TRUE(*map.insert(NodeId{1}, 6, "d"));
  EXPECT_EQ(map.insert(NodeId{4}, 8, "e").error(), Errc::kUnknownSender);
  EXPECT_EQ(map.insert(NodeId{4}, 5, "e").error(), Errc::kUnknownSender);
  ASSERT_NE(map.find(5), nullptr);
  EXPECT_EQ(*map.find(5), "a");
  map.erase_below(6);
  EXPECT_EQ(map.held_by(NodeId{0}), 1u);
  EXPECT_EQ(map.take(6), "d");
  EXPECT_FALSE(map.take(6));
  EXPECT_EQ(map.held_by(NodeId{1}), 0u);
  EXPECT_TRUE(*map.insert(NodeId{0}, 1, "f"));
  std::vector<int> keys;
  map.for_each([&](int key, const std::string&) { keys.push_back(key); });
  EXPECT_EQ(keys, (std::vector<int>{1, 7}));
}

}  // namespace
}  // namespace thresher
