#include "ledger/shared_queue.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <thread>
#include <vector>

namespace thresher::net {
namespace {

using Queue = SharedQueue<std::uint64_t>;

std::vector<std::uint64_t> of(const Queue::View& view) {
  std::vector<std::uint64_t> out;
  view.each([&](std::uint64_t x) { out.push_back(x); });
  EXPECT_EQ(out.size(), view.size());
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(view[i], out[i]);
  return out;
}

TEST(SharedQueue, IsAQueue) {
  std::mt19937_64 random(3);
  Queue queue;
  std::deque<std::uint64_t> model;
  for (std::uint64_t k = 0; k < 200; ++k) {
    for (std::uint64_t n = random() % 600; n > 0; --n) {
      queue.push_back(random());
      model.push_back(queue[queue.size() - 1]);
    }
    for (std::uint64_t n = random() % 600; n > 0 && !model.empty(); --n) {
      queue.pop_front();
      model.pop_front();
    }
    if (k % 20 == 0) {
      ASSERT_EQ(of(queue.view()), std::vector(model.begin(), model.end()));
    }
    const std::size_t some = model.empty() ? 0 : random() % model.size();
    ASSERT_EQ(of(queue.view().last(some)),
              std::vector(model.end() - static_cast<std::ptrdiff_t>(some), model.end()));
  }
}

TEST(SharedQueue, AViewStaysAsItWas) {
  Queue queue;
  for (std::uint64_t k = 0; k < 3000; ++k) queue.push_back(k);
  const Queue::View then = queue.view();
  const auto before = of(then);
  for (std::uint64_t k = 0; k < 5000; ++k) queue.push_back(1'000'000 + k);
  while (!queue.empty()) queue.pop_front();
  EXPECT_EQ(of(then), before);
}

// Two that begin with the same elements must not write into one block.
TEST(SharedQueue, QueuesOfOneViewGoOnEachForItself) {
  for (const std::size_t size : {0u, 1u, 1023u, 1024u, 1025u, 3000u}) {
    Queue queue;
    for (std::uint64_t k = 0; k < size + 5; ++k) queue.push_back(k);
    for (int k = 0; k < 5; ++k) queue.pop_front();
    const Queue::View view = queue.view();
    Queue one(view);
    Queue other(view.last(size));
    one.push_back(1);
    other.push_back(2);
    queue.push_back(3);
    EXPECT_EQ(one[size], 1u);
    EXPECT_EQ(other[size], 2u);
    EXPECT_EQ(queue[size], 3u);
    EXPECT_EQ(of(view).size(), size);
  }
}

TEST(SharedQueue, IsEmptyAfterItMovedAway) {
  Queue queue;
  for (std::uint64_t k = 0; k < 1500; ++k) queue.push_back(k);
  Queue other = std::move(queue);
  EXPECT_EQ(other.size(), 1500u);
  queue = Queue();
  queue.push_back(7);
  EXPECT_EQ(of(queue.view()), std::vector<std::uint64_t>{7});
  EXPECT_EQ(other[1499], 1499u);
}

// What a sanitizer for threads looks at.
TEST(SharedQueue, AnotherThreadReadsWhileItGoesOn) {
  Queue queue;
  for (std::uint64_t k = 0; k < 2500; ++k) queue.push_back(k);
  std::vector<std::uint64_t> seen;
  std::thread reader([view = queue.view(), &seen]() mutable {
    view.each([&](std::uint64_t x) { seen.push_back(x); });
    view = Queue::View();
  });
  for (std::uint64_t k = 0; k < 50'000; ++k) {
    queue.push_back(k);
    queue.pop_front();
  }
  reader.join();
  ASSERT_EQ(seen.size(), 2500u);
  EXPECT_EQ(seen.back(), 2499u);
}

}  // namespace
}  // namespace thresher::net
