#include "broadcast_member.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "thresher/core/transcript.hpp"

namespace thresher::cli {
namespace {

using broadcast::Channel;
using broadcast::Delivery;

constexpr auto kPatience = std::chrono::seconds(30);

class Member {
 public:
  Member(const MemberOptions& options, DeliveryBoard& board, int in, int out)
      : options_(options), board_(board), in_(in), out_(out) {}

  void run() {
    options_.channel.missed = [this](std::uint64_t count) { board_.miss(options_.id, count); };
    options_.channel.log = [id = options_.id](const std::string& line) {
      (void)std::fprintf(stderr, "node %llu: %s\n", static_cast<unsigned long long>(id),
                         line.c_str());
    };
    auto channel = Channel::join(options_.channel, [this](const Delivery& d) { take(d); });
    if (!channel) return tell(channel.error().text());
    channel_ = std::move(*channel);
    const std::uint64_t give_up = shared_now_us() + kPatienceUs;
    while (channel_->status().links < options_.links) {
      if (shared_now_us() > give_up) return tell("the nodes did not connect within 30 s");
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    tell({});
    std::uint64_t word = 0;
    if (!read_all(in_, &word, sizeof word)) return;
    load(word);
    tell({});
    (void)read_all(in_, &word, sizeof word);  // others may still need this one
  }

 private:
  static constexpr std::uint64_t kPatienceUs =
      std::chrono::duration_cast<std::chrono::microseconds>(kPatience).count();

  void take(const Delivery& d) {
    board_.put(options_.id, d.instance,
               std::max<std::uint64_t>(hash(d.payload.view()).prefix(), 1));
    const std::lock_guard lock(mutex_);
    ++delivered_;
    if (d.instance.origin.value == options_.id) {
      Reader in(d.payload.view());
      const auto at = in_flight_.find(in.u64());
      if (at != in_flight_.end()) {
        latencies_us_.push_back(shared_now_us() - at->second);
        in_flight_.erase(at);
      }
    }
    changed_.notify_all();
  }
  // As long as something comes there is no hurry.
  template <class F>
  bool wait(F done) {
    std::unique_lock lock(mutex_);
    while (!done()) {
      const std::uint64_t before = delivered_;
      if (!changed_.wait_for(lock, kPatience, [&] { return done() || delivered_ != before; }))
        return false;
    }
    return true;
  }
  void load(std::uint64_t until_us) {
    std::vector<std::byte> payload(std::max(options_.payload_bytes, kLeastPayload));
    // A process that was killed used other words.
    std::uint64_t word = shared_now_us() << 20;
    while (shared_now_us() < until_us) {
      if (!wait([&] { return in_flight_.size() < options_.window; })) return;
      const Bytes first = Bytes::from(Writer().u64(++word).take());
      std::copy(first.view().begin(), first.view().end(), payload.begin());
      {
        const std::lock_guard lock(mutex_);
        in_flight_[word] = shared_now_us();
      }
      if (channel_->send(payload)) continue;
      // Payloads delivered here may still be kept for others: room comes with time.
      {
        const std::lock_guard lock(mutex_);
        in_flight_.erase(word);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    (void)wait([&] { return in_flight_.empty(); });
  }
  void tell(const std::string& problem) {
    MemberLine out;
    if (channel_) {
      const broadcast::ChannelStatus status = channel_->status();
      out.bytes_sent = status.bytes_sent;
      out.syncs = status.syncs;
    }
    std::strncpy(out.problem, problem.c_str(), sizeof out.problem - 1);
    const std::lock_guard lock(mutex_);
    out.in_flight = in_flight_.size();
    std::vector<std::uint64_t> sorted = latencies_us_;
    std::sort(sorted.begin(), sorted.end());
    if (!sorted.empty()) {
      out.p50_us = sorted[sorted.size() / 2];
      out.p99_us = sorted[sorted.size() * 99 / 100];
    }
    write_all(out_, &out, sizeof out);
  }

  MemberOptions options_;
  DeliveryBoard& board_;
  int in_;
  int out_;
  std::unique_ptr<Channel> channel_;
  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::uint64_t delivered_ = 0;
  std::map<std::uint64_t, std::uint64_t> in_flight_;  // when each was sent
  std::vector<std::uint64_t> latencies_us_;
};

}  // namespace

std::uint64_t shared_now_us() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

bool read_all(int fd, void* out, std::size_t size) {
  for (std::size_t at = 0; at < size;) {
    const ssize_t got = ::read(fd, static_cast<char*>(out) + at, size - at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += static_cast<std::size_t>(got);
  }
  return true;
}

void write_all(int fd, const void* data, std::size_t size) {
  for (std::size_t at = 0; at < size;) {
    const ssize_t put = ::write(fd, static_cast<const char*>(data) + at, size - at);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return;
    at += static_cast<std::size_t>(put);
  }
}

void run_member(const MemberOptions& options, DeliveryBoard& board, int in, int out) {
  Member(options, board, in, out).run();
}

}  // namespace thresher::cli
