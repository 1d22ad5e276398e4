// The core against random use: nothing leaves before its record, quotas hold, storage is a map.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "thresher/core/bounded.hpp"
#include "thresher/core/executor.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/core/storage.hpp"

namespace thresher {
namespace {

using Fx = Effects<std::uint64_t, std::uint64_t>;

struct Script {
  using Message = std::uint64_t;
  using Output = std::uint64_t;
  using Request = std::vector<Fx::Effect>;
  void on(const Received<Message>&, Fx&) {}
  void on(const Requested<Request>& r, Fx& fx) {
    for (const Fx::Effect& e : r.request) fx.push(e);
  }
};

/// Numbers messages; message m was made after `needs[m]` records that are not lazy.
struct Disk {
  std::vector<std::uint64_t> sent;
  std::vector<std::pair<std::uint64_t, std::size_t>> pending;  // barrier, strict records
  std::size_t durable = 0;
  std::vector<std::size_t> durable_when_sent;
  void out(std::uint64_t m) {
    sent.push_back(m);
    durable_when_sent.push_back(durable);
  }
  void send(NodeId, std::uint64_t m) { out(m); }
  void broadcast(std::uint64_t m) { out(m); }
  void deliver(std::uint64_t o) { out(o); }
  void arm(TimerId, Delay) {}
  void cancel(TimerId) {}
  void persist(std::vector<Persist> records, std::uint64_t barrier) {
    std::size_t strict = 0;
    for (const Persist& r : records) strict += r.lazy ? 0u : 1u;
    if (barrier != 0) pending.emplace_back(barrier, strict);
  }
  void verify(const Verify&) {}
  void verify(const VerifyAll&) {}
  void endorse(const Endorse&) {}
  void accuse(const Accuse&) {}
};

// The promise of the executor, whatever the order of requests and of answers of the disk.
RC_GTEST_PROP(ExecutorProperty, NothingLeavesBeforeItsRecordAndOrderIsKept, (std::uint64_t seed)) {
  Prng rng(seed);
  Disk disk;
  Executor<Script, Disk> executor(Script{}, disk);
  std::vector<std::size_t> needs;
  std::size_t strict = 0;
  std::size_t next_answer = 0;
  const auto answer = [&] {
    if (next_answer == disk.pending.size()) return;
    disk.durable += disk.pending[next_answer].second;
    executor.persisted(disk.pending[next_answer++].first);
  };
  for (int run = 0; run < 40; ++run) {
    std::vector<Fx::Effect> effects;
    for (std::uint64_t i = rng.below(6); i > 0; --i) {
      const std::uint64_t kind = rng.below(5);
      if (kind == 0 || kind == 1) {
        const bool lazy = kind == 1;
        strict += lazy ? 0u : 1u;
        effects.emplace_back(Persist{0, {}, Bytes::copy_of(as_view("v")), {}, lazy});
      } else {
        const std::uint64_t m = needs.size();
        needs.push_back(strict);
        if (kind == 2) effects.emplace_back(Send<std::uint64_t>{NodeId{0}, m});
        if (kind == 3) effects.emplace_back(Broadcast<std::uint64_t>{m});
        if (kind == 4) effects.emplace_back(Deliver<std::uint64_t>{m});
      }
    }
    executor.run(Requested<Script::Request>{std::move(effects)});
    for (std::uint64_t k = rng.below(3); k > 0; --k) answer();
  }
  while (next_answer < disk.pending.size()) answer();
  RC_ASSERT(disk.sent.size() == needs.size());
  for (std::size_t m = 0; m < needs.size(); ++m) {
    RC_ASSERT(disk.sent[m] == m);
    RC_ASSERT(disk.durable_when_sent[m] >= needs[m]);
  }
}

RC_GTEST_PROP(BoundedProperty, NoPeerEverHoldsMoreThanItsQuota, (std::uint64_t seed)) {
  static constexpr std::size_t kLimit = 3;
  Prng rng(seed);
  PerPeerMap<std::uint64_t, int, kLimit> map(4);
  std::map<std::uint64_t, NodeId> model;
  for (int i = 0; i < 300; ++i) {
    const std::uint64_t key = rng.below(20);
    const NodeId peer{static_cast<std::uint16_t>(rng.below(4))};
    std::size_t held = 0;
    for (const auto& [k, owner] : model) held += owner == peer ? 1u : 0u;
    const std::uint64_t action = rng.below(8);
    if (action < 5) {
      const auto got = map.insert(peer, key, i);
      if (model.contains(key)) {
        RC_ASSERT(got && !*got);
      } else if (held == kLimit) {
        RC_ASSERT(!got && got.error() == Errc::kQuotaExceeded);
      } else {
        RC_ASSERT(got && *got);
        model.emplace(key, peer);
      }
    } else if (action < 7) {
      RC_ASSERT(map.take(key).has_value() == (model.erase(key) == 1));
    } else {
      map.erase_below(key);
      model.erase(model.begin(), model.lower_bound(key));
    }
    RC_ASSERT(map.size() == model.size());
    for (std::uint16_t p = 0; p < 4; ++p) {
      std::size_t owned = 0;
      for (const auto& [k, owner] : model) owned += owner == NodeId{p} ? 1u : 0u;
      RC_ASSERT(map.held_by(NodeId{p}) == owned);
      RC_ASSERT(owned <= kLimit);
    }
  }
}

RC_GTEST_PROP(StorageProperty, MemoryStorageIsAMap, (std::uint64_t seed)) {
  Prng rng(seed);
  MemoryStorage storage;
  std::map<std::pair<std::uint32_t, std::string>, std::string> model;
  for (int i = 0; i < 100; ++i) {
    const auto table = static_cast<std::uint32_t>(rng.below(2));
    const std::string key = std::to_string(rng.below(8));
    const std::string value = rng.below(4) == 0 ? "" : std::to_string(i);
    const Persist record{table, Bytes::copy_of(as_view(key)), Bytes::copy_of(as_view(value))};
    RC_ASSERT(storage.write(std::span(&record, 1), rng.below(2) == 0 ? Sync::kYes : Sync::kNo));
    model.erase({table, key});
    if (!value.empty()) model[{table, key}] = value;
  }
  int last = -1;
  std::size_t seen = 0;
  RC_ASSERT(storage.replay([&](const Restored& r) {
    const std::string value(as_text(r.value.view()));
    RC_ASSERT(model.at({r.table, std::string(as_text(r.key.view()))}) == value);
    RC_ASSERT(std::stoi(value) > last);  // values are write times: the order of the last write
    last = std::stoi(value);
    ++seen;
  }));
  RC_ASSERT(seen == model.size());
}

}  // namespace
}  // namespace thresher
