// What the arena's judge of one sequence says of nodes that stop and come back.
#include "thresher/testing/arena.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "thresher/core/transcript.hpp"

namespace thresher {
namespace {

// Counts, and commits each number: nothing that others say matters. It resumes where its disk ends,
// and so many numbers off.
struct Counter {
  struct Message {};
  struct Request {};
  struct Output {
    std::uint64_t number = 0;
  };
  using Fx = EffectsOf<Counter>;

  std::int64_t off = 0;
  std::uint64_t number = 0;

  void on(const Restored& r, Fx&) {
    const auto kept = static_cast<std::int64_t>(Reader(r.value.view()).u64());
    number = static_cast<std::uint64_t>(std::max<std::int64_t>(kept + off, 0));
  }
  void on(const Expired&, Fx& fx) {
    ++number;
    Writer w;
    w.u64(number);
    fx.deliver({number});
    fx.push(Persist{1, Bytes::copy_of(as_view("number")), Bytes::from(w.take()), {}, false});
  }
  void on(const Received<Message>&, Fx&) {}
  void on(const Requested<Request>&, Fx&) {}
};

class Counting : private testing::ArenaOf<Counting, Counter> {
  using Arena = testing::ArenaOf<Counting, Counter>;
  friend Arena;
  using Arena::emit;

 public:
  explicit Counting(std::int64_t off) : Arena(4, Prng(1), 0), off_(off) { create_nodes(); }

  void count(std::uint16_t i, int numbers) {
    for (; numbers > 0; --numbers) feed(i, Expired{});
  }
  void stop(std::uint16_t i) { restart(i); }
  const std::string& broken() const { return broken_; }

 private:
  Counter fresh(std::uint16_t) { return {off_}; }
  void lie() {}
  void submit() {}
  void taste() {}
  void begins(std::uint16_t) {}
  bool forgets(const Restored&) { return false; }
  void post(std::uint16_t, std::uint16_t, const Message&) {}
  void emit(std::uint16_t i, const Deliver<Counter::Output>& e, Todo&) {
    committed(i, {e.output.number, {}});
  }
  void violated(const std::string& lemma, const std::string& why) {
    if (broken_.empty()) broken_ = lemma + ": " + why;
  }

  std::int64_t off_;
  std::string broken_;
};

// One that left out what it had never committed passed, as long as another node had.
TEST(Arena, SeesWhatIsLeftOutAfterARestart) {
  for (const std::int64_t off : {-2, -1, 0, 1, 2}) {
    Counting run(off);
    run.count(0, 10);
    run.count(1, 3);
    run.stop(1);
    run.count(1, 4);
    EXPECT_EQ(run.broken().empty(), off <= 0) << off << " " << run.broken();
  }
}

TEST(Arena, LetsWhatIsRepeatedBeCutShort) {
  Counting run(-2);
  run.count(0, 10);
  run.count(1, 6);
  for (int times = 0; times < 3; ++times) {
    run.stop(1);
    run.count(1, 1);
  }
  run.count(1, 9);
  EXPECT_EQ(run.broken(), "");
}

}  // namespace
}  // namespace thresher
