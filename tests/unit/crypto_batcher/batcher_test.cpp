// The batcher with backends that a test can watch, slow down and break.
#include "thresher/crypto/batcher.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>

#include "thresher/crypto/signing_key.hpp"

namespace thresher::crypto {
namespace {

using Verify = std::function<void(std::span<const SignatureJob>, std::span<SignatureStatus>)>;

class Fake final : public BatchVerifier {
 public:
  explicit Fake(Verify verify) : verify_(std::move(verify)) {}
  std::string_view name() const override { return "fake"; }
  void verify(std::span<const SignatureJob> jobs,
              std::span<SignatureStatus> verdicts) noexcept override {
    verify_(jobs, verdicts);
  }

 private:
  Verify verify_;
};

/// The first byte of a signature says whether it is good.
SignatureStatus verdict_of(const SignatureJob& job) {
  return job.signature[0] == std::byte{0} ? SignatureStatus::kValid
                                          : SignatureStatus::kBadSignature;
}
void honestly(std::span<const SignatureJob> jobs, std::span<SignatureStatus> verdicts) {
  for (std::size_t i = 0; i < jobs.size(); ++i) verdicts[i] = verdict_of(jobs[i]);
}

struct Bench {
  std::atomic<std::uint64_t> now{1'000'000};
  std::vector<std::size_t> individual, combined, wide;  // sizes of the batches
  std::vector<std::set<std::byte>> combined_senders;
  std::uint64_t individual_us = 0, combined_us = 0;  // a signature
  bool with_combined = false;
  Verify on_wide;  // empty: no accelerator
  std::unique_ptr<Batcher> batcher;
  std::uint64_t tickets = 0;

  Batcher& open(BatcherOptions options) {
    Batcher::Backends b;
    b.individual = std::make_unique<Fake>([this](auto jobs, auto verdicts) {
      individual.push_back(jobs.size());
      now += individual_us * jobs.size();
      honestly(jobs, verdicts);
    });
    if (with_combined) {
      b.combined = std::make_unique<Fake>([this](auto jobs, auto verdicts) {
        combined.push_back(jobs.size());
        std::set<std::byte> senders;
        for (const SignatureJob& j : jobs) senders.insert(j.key[0]);
        combined_senders.push_back(senders);
        now += combined_us * jobs.size();
        honestly(jobs, verdicts);
      });
    }
    if (on_wide) b.wide = std::make_unique<Fake>(on_wide);
    batcher = std::make_unique<Batcher>(options, std::move(b), [this] { return now.load(); });
    return *batcher;
  }

  bool add(std::uint32_t sender, bool good = true, Purpose purpose = Purpose::kQuorum) {
    VerifyRequest r;
    r.ticket.local = tickets++;
    r.sender = sender;
    r.purpose = purpose;
    r.key[0] = static_cast<std::byte>(sender);
    r.signature[0] = static_cast<std::byte>(good ? 0 : 1);
    return batcher->add(r);
  }
  void add_many(std::size_t count, std::uint32_t sender, bool good, Purpose purpose) {
    for (std::size_t i = 0; i < count; ++i) ASSERT_TRUE(add(sender, good, purpose));
  }
  /// run() until `count` answers came.
  std::vector<VerifyAnswer> run_until(std::size_t count) {
    std::vector<VerifyAnswer> all;
    while (all.size() < count) {
      const auto some = batcher->run();
      all.insert(all.end(), some.begin(), some.end());
      if (some.empty()) std::this_thread::yield();
    }
    return all;
  }
};

void expect_once(const std::vector<VerifyAnswer>& answers, std::size_t count) {
  std::set<std::uint64_t> tickets;
  for (const VerifyAnswer& a : answers) {
    EXPECT_NE(a.verdict, SignatureStatus::kUnavailable);
    EXPECT_TRUE(tickets.insert(a.ticket.local).second) << "answered twice: " << a.ticket.local;
  }
  EXPECT_EQ(tickets.size(), count);
}

TEST(Batcher, ClosesOnSizeAndOnTheDeadline) {
  Bench t;
  BatcherOptions o;
  o.close_at = 4;
  o.deadline_us = 200;
  Batcher& batcher = t.open(o);
  EXPECT_FALSE(batcher.due());
  ASSERT_TRUE(t.add(1));
  const std::uint64_t first = t.now;
  EXPECT_EQ(batcher.due(), first + 200);
  t.now += 150;
  ASSERT_TRUE(t.add(2));
  EXPECT_TRUE(batcher.run().empty());
  EXPECT_EQ(batcher.due(), first + 200);  // the oldest one decides
  t.now += 50;
  expect_once(batcher.run(), 2);
  EXPECT_FALSE(batcher.due());
  for (std::uint32_t i = 0; i < 4; ++i) ASSERT_TRUE(t.add(i));
  EXPECT_LE(*batcher.due(), t.now);
  EXPECT_EQ(batcher.run().size(), 4u);
  const BatcherFigures f = batcher.figures();
  EXPECT_EQ(f.closed_by_deadline, 1u);
  EXPECT_EQ(f.closed_by_size, 1u);
  EXPECT_EQ(f.batches, 2u);
  EXPECT_EQ(f.answered, 6u);
  EXPECT_EQ(f.largest, 4u);
}

TEST(Batcher, GivesVerdictsBackToWhoAsked) {
  const auto name = best_verifier();
  auto backends = Batcher::backends(name, "rlc", "no such backend");
  ASSERT_TRUE(backends);
  EXPECT_EQ(backends->wide, nullptr);
  EXPECT_FALSE(Batcher::backends("no such backend", "", ""));
  Batcher batcher({}, std::move(*backends), [] { return std::uint64_t{1}; });
  const SigningKey key = SigningKey::from_seed(SigningKey::Seed{});
  batcher.register_keys(std::vector{key.public_key()});
  std::vector<VerifyRequest> asked;
  for (std::uint32_t i = 0; i < 200; ++i) {
    VerifyRequest r;
    r.instance = i % 7;
    r.ticket.local = i;
    r.sender = i % 3;
    r.purpose = i % 2 == 0 ? Purpose::kQuorum : Purpose::kCatchUp;
    r.key = key.public_key();
    r.digest.bytes[0] = static_cast<std::byte>(i);
    r.signature = key.sign(r.digest.bytes);
    if (i % 5 == 0) r.signature[40] ^= std::byte{1};
    asked.push_back(r);
    ASSERT_TRUE(batcher.add(r));
  }
  std::vector<VerifyAnswer> answers;
  while (batcher.due()) {
    for (const VerifyAnswer& a : batcher.run()) answers.push_back(a);
  }
  expect_once(answers, 200);
  for (const VerifyAnswer& a : answers) {
    const auto i = static_cast<std::uint32_t>(a.ticket.local);
    EXPECT_EQ(a.verdict, i % 5 == 0 ? SignatureStatus::kBadSignature : SignatureStatus::kValid)
        << i;
    EXPECT_EQ(a.instance, i % 7);
    EXPECT_EQ(a.sender, i % 3);
  }
}

TEST(Batcher, EverySenderHasAQuotaOfItsOwn) {
  Bench t;
  BatcherOptions o;
  o.sender_quota = 10;
  o.most_senders = 3;
  Batcher& batcher = t.open(o);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(t.add(1));
  EXPECT_FALSE(t.add(1));
  EXPECT_TRUE(t.add(2));
  EXPECT_TRUE(t.add(3));
  EXPECT_FALSE(t.add(4));  // a fourth sender
  EXPECT_EQ(batcher.figures().refused, 2u);
  EXPECT_EQ(batcher.run().size(), 12u);
  EXPECT_TRUE(t.add(4));  // the others were forgotten
  EXPECT_TRUE(t.add(1));
}

// Room for suspects is bounded too: they are forgotten when nothing else can be.
TEST(Batcher, ManySuspectsDoNotShutOthersOut) {
  Bench t;
  BatcherOptions o;
  o.most_senders = 3;
  Batcher& batcher = t.open(o);
  for (std::uint32_t s = 0; s < 3; ++s) ASSERT_TRUE(t.add(s, false));
  EXPECT_EQ(batcher.run().size(), 3u);
  EXPECT_EQ(batcher.figures().suspects, 3u);
  EXPECT_TRUE(t.add(9));
  EXPECT_EQ(batcher.figures().suspects, 2u);
}

TEST(Batcher, ACheaterDelaysOnlyItself) {
  Bench t;
  BatcherOptions o;
  o.slice = 64;
  Batcher& batcher = t.open(o);
  t.add_many(1000, 66, false, Purpose::kQuorum);
  t.add_many(8, 1, true, Purpose::kQuorum);
  // Not known as a cheater yet: an equal part, so that the honest sender is served at once.
  std::size_t honest = 0;
  for (const VerifyAnswer& a : batcher.run()) honest += a.sender == 1 ? 1 : 0;
  EXPECT_EQ(honest, 8u);
  EXPECT_EQ(batcher.figures().suspects, 1u);
  // Known now: an eighth of the room while others wait, and all of it when nobody does.
  t.add_many(200, 1, true, Purpose::kQuorum);
  std::size_t cheater = 0;
  for (const VerifyAnswer& a : batcher.run()) cheater += a.sender == 66 ? 1 : 0;
  EXPECT_EQ(cheater, 8u);
  std::size_t left = 1000 + 8 + 200 - 128;
  while (batcher.due()) left -= batcher.run().size();
  EXPECT_EQ(left, 0u);
}

TEST(Batcher, TrustComesBackWithGoodSignatures) {
  Bench t;
  Batcher& batcher = t.open({});
  ASSERT_TRUE(t.add(5, false));
  (void)batcher.run();
  EXPECT_EQ(batcher.figures().suspects, 1u);
  t.add_many(256, 5, true, Purpose::kQuorum);
  (void)batcher.run();
  EXPECT_EQ(batcher.figures().suspects, 0u);
}

// One sender a combination, and never a suspect: its bad signature would cost the others theirs.
TEST(Batcher, CombinesOneSenderAtATime) {
  Bench t;
  t.with_combined = true;
  t.individual_us = 10;
  t.combined_us = 5;
  Batcher& batcher = t.open({});
  t.add_many(100, 1, true, Purpose::kCatchUp);
  t.add_many(100, 2, true, Purpose::kAdmission);
  t.add_many(20, 3, true, Purpose::kAudit);  // too few
  t.add_many(100, 4, true, Purpose::kQuorum);
  ASSERT_TRUE(t.add(5, false, Purpose::kCatchUp));
  expect_once(t.run_until(321), 321);
  ASSERT_EQ(t.combined_senders.size(), 2u);
  for (const auto& senders : t.combined_senders) EXPECT_EQ(senders.size(), 1u);
  EXPECT_EQ(batcher.figures().combined, 200u);
  EXPECT_EQ(batcher.figures().individually, 121u);
  t.add_many(100, 5, true, Purpose::kCatchUp);
  expect_once(t.run_until(100), 100);
  EXPECT_EQ(t.combined_senders.size(), 2u);
}

TEST(Batcher, TakesTheFasterOneByMeasuredRates) {
  Bench t;
  t.with_combined = true;
  t.individual_us = 5;
  t.combined_us = 10;
  t.open({});
  t.add_many(100, 1, true, Purpose::kQuorum);  // measures one by one
  (void)t.run_until(100);
  t.add_many(100, 1, true, Purpose::kCatchUp);  // measures the combination
  (void)t.run_until(100);
  EXPECT_EQ(t.combined.size(), 1u);
  for (int i = 0; i < 10; ++i) {
    t.add_many(100, 1, true, Purpose::kCatchUp);
    (void)t.run_until(100);
  }
  EXPECT_EQ(t.combined.size(), 1u);
  t.combined_us = 1;  // it became faster: a probe finds out, and a few more convince
  for (int i = 0; i < 1500; ++i) {
    t.add_many(100, 1, true, Purpose::kCatchUp);
    (void)t.run_until(100);
  }
  const std::size_t before = t.combined.size();
  t.add_many(100, 1, true, Purpose::kCatchUp);
  (void)t.run_until(100);
  EXPECT_EQ(t.combined.size(), before + 1);
}

BatcherOptions wide_options() {
  BatcherOptions o;
  o.wave_us = 100;
  o.retry_us = 50'000;
  return o;
}

// 10 us a signature on the processor and 100 us a wave: more than ten are worth a wave.
TEST(Batcher, SendsBulkToTheAcceleratorAboveTheThreshold) {
  Bench t;
  t.individual_us = 10;
  t.on_wide = [&](auto jobs, auto verdicts) {
    t.wide.push_back(jobs.size());
    t.now += 100;
    honestly(jobs, verdicts);
  };
  Batcher& batcher = t.open(wide_options());
  t.add_many(64, 1, true, Purpose::kQuorum);  // measures the processor
  (void)t.run_until(64);
  t.add_many(9, 1, true, Purpose::kCatchUp);
  (void)t.run_until(9);
  EXPECT_EQ(batcher.figures().wide, 0u);
  t.add_many(300, 1, true, Purpose::kQuorum);
  (void)t.run_until(300);
  EXPECT_EQ(batcher.figures().wide, 0u);  // certificates never
  t.add_many(500, 2, true, Purpose::kAudit);
  t.add_many(500, 3, false, Purpose::kAdmission);
  const auto answers = t.run_until(1000);
  expect_once(answers, 1000);
  for (const VerifyAnswer& a : answers) {
    EXPECT_EQ(a.verdict, a.sender == 2 ? SignatureStatus::kValid : SignatureStatus::kBadSignature);
  }
  EXPECT_EQ(batcher.figures().wide, 1000u);
  EXPECT_EQ(batcher.figures().wide_losses, 0u);
}

TEST(Batcher, ADeviceLostInMidBatchAccusesNobody) {
  Bench t;
  t.individual_us = 10;
  bool lost = true;
  t.on_wide = [&](auto jobs, auto verdicts) {
    t.wide.push_back(jobs.size());
    honestly(jobs.first(jobs.size() / 2), verdicts);
    if (!lost) honestly(jobs, verdicts);
  };
  Batcher& batcher = t.open(wide_options());
  const auto one_thousand = [&] {
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(t.add(1, i % 3 != 0, Purpose::kCatchUp));
    const auto answers = t.run_until(1000);
    expect_once(answers, 1000);
    std::size_t bad = 0;
    for (const VerifyAnswer& a : answers)
      bad += a.verdict == SignatureStatus::kBadSignature ? 1 : 0;
    EXPECT_EQ(bad, 334u);
  };
  one_thousand();
  EXPECT_EQ(batcher.figures().retried, 500u);
  EXPECT_EQ(batcher.figures().wide_losses, 1u);
  one_thousand();  // left alone for now
  EXPECT_EQ(t.wide.size(), 1u);
  lost = false;
  t.now += 100'000;
  one_thousand();
  EXPECT_EQ(t.wide.size(), 2u);
  EXPECT_EQ(batcher.figures().wide_losses, 1u);
}

// A whole wave came back and was verified in one call, whatever `slice` said, and certificates that
// came meanwhile waited for all of it: up to 131,072 signatures.
TEST(Batcher, ALostWaveIsVerifiedASliceAtATime) {
  Bench t;
  t.on_wide = [&](auto jobs, auto) { t.wide.push_back(jobs.size()); };
  BatcherOptions o = wide_options();
  o.slice = 64;
  Batcher& batcher = t.open(o);
  t.add_many(1000, 1, true, Purpose::kCatchUp);
  auto answers = t.run_until(1);
  EXPECT_EQ(t.wide, std::vector<std::size_t>{1000});
  // Certificates have a part of the very next call.
  t.add_many(10, 2, true, Purpose::kQuorum);
  const auto some = batcher.run();
  EXPECT_EQ(std::count_if(some.begin(), some.end(), [](auto& a) { return a.sender == 2; }), 10);
  answers.insert(answers.end(), some.begin(), some.end());
  while (batcher.due()) {
    const auto more = batcher.run();
    answers.insert(answers.end(), more.begin(), more.end());
  }
  expect_once(answers, 1010);
  EXPECT_EQ(batcher.figures().retried, 1000u);
  EXPECT_LE(*std::max_element(t.individual.begin(), t.individual.end()), o.slice);
}

// An accelerator that works until the test lets a wave end.
struct Gate {
  std::atomic<int> allowed{0};
  std::atomic<int> begun{0};
  std::vector<std::size_t> sizes;  // of waves; read when none is in work
  Verify verify() {
    return [this](auto jobs, auto verdicts) {
      sizes.push_back(jobs.size());
      const int mine = ++begun;
      while (allowed < mine) std::this_thread::yield();
      honestly(jobs, verdicts);
    };
  }
  void await(int waves) const {
    while (begun < waves) std::this_thread::yield();
  }
};

/// The accelerator works on 500 signatures, and the gate is shut.
Batcher& at_work(Bench& t, Gate& gate, const BatcherOptions& options = wide_options()) {
  t.individual_us = 10;
  t.on_wide = gate.verify();
  Batcher& batcher = t.open(options);
  t.add_many(500, 1, true, Purpose::kCatchUp);
  EXPECT_TRUE(batcher.run().empty());
  gate.await(1);
  return batcher;
}

/// The wave that was given up ends after all, and nobody is told of its verdicts.
void expect_late_verdicts_untold(Batcher& batcher, Gate& gate, std::uint64_t answered) {
  gate.allowed = 1;
  while (batcher.due() != 0) std::this_thread::yield();  // its late verdicts are there
  EXPECT_TRUE(batcher.run().empty());
  EXPECT_FALSE(batcher.due());
  EXPECT_EQ(batcher.figures().answered, answered);
  EXPECT_EQ(batcher.figures().waiting, 0u);
}

TEST(Batcher, AHangingAcceleratorIsGivenUp) {
  Bench t;
  Gate gate;
  Batcher& batcher = at_work(t, gate);
  // Certificates go on meanwhile.
  t.add_many(10, 2, true, Purpose::kQuorum);
  expect_once(batcher.run(), 10);
  ASSERT_TRUE(batcher.due());
  EXPECT_GT(*batcher.due(), t.now);
  t.now += 2'000'000;
  EXPECT_LE(*batcher.due(), t.now);
  const auto answers = t.run_until(500);
  expect_once(answers, 500);
  expect_late_verdicts_untold(batcher, gate, 510);
}

// While the accelerator works, what comes goes into its next wave, and is not due once it is there:
// else the owner would spin. The accelerator goes on to that wave without run(): with one wave at
// a time it stood still until the owner had come round.
TEST(Batcher, TheAcceleratorGoesFromOneWaveToTheNext) {
  Bench t;
  Gate gate;
  Batcher& batcher = at_work(t, gate);
  for (const std::size_t more : {400u, 300u}) {
    t.add_many(more, 1, true, Purpose::kCatchUp);
    EXPECT_LE(*batcher.due(), t.now);
    EXPECT_TRUE(batcher.run().empty());
    EXPECT_GT(*batcher.due(), t.now);
  }
  EXPECT_EQ(batcher.figures().waiting, 1200u);
  gate.allowed = 1;
  gate.await(2);  // nobody called run()
  gate.allowed = 2;
  expect_once(t.run_until(1200), 1200);
  EXPECT_EQ(batcher.figures().wide, 1200u);
  EXPECT_EQ(gate.sizes, (std::vector<std::size_t>{500, 700}));
}

TEST(Batcher, BulkWaitsWhereTheNextWaveIsFull) {
  Bench t;
  Gate gate;
  BatcherOptions o = wide_options();
  o.wide_batch = 500;
  Batcher& batcher = at_work(t, gate, o);
  t.add_many(900, 1, true, Purpose::kCatchUp);
  EXPECT_TRUE(batcher.run().empty());
  EXPECT_GT(*batcher.due(), t.now);
  EXPECT_TRUE(batcher.run().empty());
  gate.allowed = 3;
  expect_once(t.run_until(1400), 1400);
  EXPECT_EQ(gate.sizes, (std::vector<std::size_t>{500, 500, 400}));
}

TEST(Batcher, AHangingAcceleratorGivesTheNextWaveBackToo) {
  Bench t;
  Gate gate;
  Batcher& batcher = at_work(t, gate);
  t.add_many(400, 2, false, Purpose::kCatchUp);
  EXPECT_TRUE(batcher.run().empty());
  t.now += 2'000'000;
  expect_once(t.run_until(900), 900);
  EXPECT_EQ(batcher.figures().wide_losses, 1u);
  EXPECT_EQ(batcher.figures().retried, 900u);
  expect_late_verdicts_untold(batcher, gate, 900);
  EXPECT_EQ(gate.sizes, std::vector<std::size_t>{500});
}

// For the thread sanitizer: many threads add, one runs, the accelerator has its own.
TEST(Batcher, TakesRequestsFromManyThreads) {
  constexpr std::uint32_t kThreads = 4;
  constexpr std::size_t kEach = 3000;
  std::atomic<std::uint64_t> clock{1};
  std::atomic<int> woken{0};
  std::atomic<int> waves{0};
  Batcher::Backends b;
  b.individual = std::make_unique<Fake>([&](auto jobs, auto verdicts) {
    clock += jobs.size();
    honestly(jobs, verdicts);
  });
  b.wide = std::make_unique<Fake>([&](auto jobs, auto verdicts) {
    if (++waves % 3 != 0) honestly(jobs, verdicts);  // every third wave is lost
  });
  BatcherOptions o = wide_options();
  o.wave_us = 50;
  o.sender_quota = 200;
  auto batcher = std::make_unique<Batcher>(
      o, std::move(b), [&] { return ++clock; }, [&] { ++woken; });
  std::vector<std::thread> threads;
  for (std::uint32_t s = 0; s < kThreads; ++s) {
    threads.emplace_back([&, s] {
      for (std::size_t i = 0; i < kEach;) {
        VerifyRequest r;
        r.ticket.local = s * kEach + i;
        r.sender = s;
        r.purpose = i % 4 == 0 ? Purpose::kQuorum : Purpose::kAdmission;
        r.signature[0] = static_cast<std::byte>(s == 0 ? 1 : 0);
        if (batcher->add(r)) {
          ++i;
        } else {
          std::this_thread::yield();
        }
        if (i % 500 == 0) (void)batcher->figures();
      }
    });
  }
  std::vector<VerifyAnswer> answers;
  while (answers.size() < kThreads * kEach) {
    const auto some = batcher->run();
    answers.insert(answers.end(), some.begin(), some.end());
    if (some.empty()) std::this_thread::yield();
  }
  for (std::thread& t : threads) t.join();
  expect_once(answers, kThreads * kEach);
  for (const VerifyAnswer& a : answers)
    EXPECT_EQ(a.verdict == SignatureStatus::kValid, a.sender != 0);
  EXPECT_EQ(batcher->figures().bad, kEach);
  batcher.reset();  // joins the worker
  EXPECT_EQ(woken, waves);
}

}  // namespace
}  // namespace thresher::crypto
