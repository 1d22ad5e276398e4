#include "broadcast_cluster.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "thresher/core/transcript.hpp"
#include "thresher/net/broadcast_channel.hpp"
#include "thresher/net/ports.hpp"

namespace thresher::cli {
namespace {

using broadcast::Channel;
using broadcast::ChannelOptions;
using broadcast::Delivery;
using Clock = std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::seconds(30);
constexpr std::size_t kLeastPayload = 8;  // the number of the payload

/// What a process tells, and in this order: it is linked; it sent so many, all delivered at itself;
/// everything was delivered.
struct Line {
  std::uint64_t sent = 0;
  std::uint64_t delivered = 0;
  Digest digest{};  ///< of all deliveries, in any order
  std::uint64_t bytes_sent = 0;
  std::uint64_t syncs = 0;
  std::uint64_t p50_us = 0;
  std::uint64_t p99_us = 0;
  char problem[256]{};
};
static_assert(std::is_trivially_copyable_v<Line>);

// False at the end of the pipe.
bool read_all(int fd, void* out, std::size_t size) {
  for (std::size_t at = 0; at < size;) {
    const ssize_t got = ::read(fd, static_cast<char*>(out) + at, size - at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += static_cast<std::size_t>(got);
  }
  return true;
}
// Who is gone cannot be told anything, and that it is gone is seen when it is read from.
void write_all(int fd, const void* data, std::size_t size) {
  for (std::size_t at = 0; at < size;) {
    const ssize_t put = ::write(fd, static_cast<const char*>(data) + at, size - at);
    if (put <= 0) return;
    at += static_cast<std::size_t>(put);
  }
}

/// One node, in a process of its own.
class Node {
 public:
  Node(const BroadcastOptions& options, ChannelOptions own, int in, int out)
      : options_(options), own_(std::move(own)), in_(in), out_(out) {}

  void run() {
    auto channel = Channel::join(own_, [this](const Delivery& d) { take(d); });
    if (!channel) return tell_problem(channel.error());
    channel_ = std::move(*channel);
    self_ = channel_->self();
    const auto deadline = Clock::now() + kPatience;
    while (channel_->status().links + 1 < options_.nodes) {
      if (Clock::now() > deadline) return tell_problem("the nodes did not connect within 30 s");
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    tell();
    std::uint64_t word = 0;
    if (!read_all(in_, &word, sizeof word)) return;  // all are linked
    load();
    tell();
    if (!read_all(in_, &word, sizeof word)) return;  // so many were sent in all
    if (!wait([&] { return delivered_ >= word; }))
      return tell_problem("not everything was delivered within 30 s");
    tell();
    (void)read_all(in_, &word, sizeof word);  // others may still need this one
  }

 private:
  void take(const Delivery& d) {
    Writer w;
    w.u16(d.instance.origin.value).u64(d.instance.number);
    w.bytes(hash(d.payload.view()).bytes);
    const Digest one = hash(w.view());
    const std::lock_guard lock(mutex_);
    for (std::size_t k = 0; k < one.bytes.size(); ++k) digest_.bytes[k] ^= one.bytes[k];
    ++delivered_;
    if (d.instance.origin == self_) {
      Reader in(d.payload.view());
      const auto at = in_flight_.find(in.u64());
      if (at != in_flight_.end()) {
        latencies_us_.push_back(static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - at->second)
                .count()));
        in_flight_.erase(at);
      }
    }
    changed_.notify_all();
  }
  template <class F>
  bool wait(F done) {
    std::unique_lock lock(mutex_);
    std::uint64_t before = delivered_;
    // As long as something comes there is no hurry.
    while (!done()) {
      if (changed_.wait_for(lock, kPatience, [&] { return done() || delivered_ != before; })) {
        before = delivered_;
      } else {
        return false;
      }
    }
    return true;
  }
  void load() {
    const auto end = Clock::now() + std::chrono::microseconds(options_.duration_us);
    std::vector<std::byte> payload(std::max<std::size_t>(options_.payload_bytes, kLeastPayload));
    while (Clock::now() < end) {
      if (!wait([&] { return in_flight_.size() < options_.window; })) return;
      std::memcpy(payload.data(), &sent_, sizeof sent_);
      {
        const std::lock_guard lock(mutex_);
        in_flight_[sent_] = Clock::now();
      }
      if (channel_->send(payload)) {
        ++sent_;
        continue;
      }
      // What was delivered here may still be kept for others: room comes with time.
      {
        const std::lock_guard lock(mutex_);
        in_flight_.erase(sent_);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    (void)wait([&] { return in_flight_.empty(); });
  }
  Line line() {
    const broadcast::ChannelStatus status =
        channel_ ? channel_->status() : broadcast::ChannelStatus{};
    const std::lock_guard lock(mutex_);
    Line out{.sent = sent_, .delivered = delivered_, .digest = digest_};
    out.bytes_sent = status.bytes_sent;
    out.syncs = status.syncs;
    std::vector<std::uint64_t> sorted = latencies_us_;
    std::sort(sorted.begin(), sorted.end());
    if (!sorted.empty()) {
      out.p50_us = sorted[sorted.size() / 2];
      out.p99_us = sorted[sorted.size() * 99 / 100];
    }
    return out;
  }
  void tell() {
    const Line out = line();
    write_all(out_, &out, sizeof out);
  }
  void tell_problem(const std::string& why) {
    Line out = line();
    std::strncpy(out.problem, why.c_str(), sizeof out.problem - 1);
    write_all(out_, &out, sizeof out);
  }

  BroadcastOptions options_;
  ChannelOptions own_;
  int in_;
  int out_;
  std::unique_ptr<Channel> channel_;
  NodeId self_;
  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::uint64_t sent_ = 0;
  std::uint64_t delivered_ = 0;
  Digest digest_{};
  std::map<std::uint64_t, Clock::time_point> in_flight_;
  std::vector<std::uint64_t> latencies_us_;
};

struct Child {
  pid_t pid = -1;
  int to = -1;
  int from = -1;
};

class Processes {
 public:
  explicit Processes(const BroadcastOptions& options) : options_(options) {}
  ~Processes() {
    for (const Child& c : children_) {
      ::close(c.to);
      ::close(c.from);
      ::kill(c.pid, SIGKILL);
      (void)::waitpid(c.pid, nullptr, 0);
    }
  }

  std::string start() {
    const std::vector<std::uint16_t> ports = net::free_ports(options_.nodes);
    if (ports.size() < options_.nodes) return "this machine has too few free ports";
    std::vector<crypto::SigningKey> keys;
    ChannelOptions common{.protocol = options_.protocol, .name = "cluster"};
    for (const std::uint16_t port : ports) {
      keys.push_back(crypto::SigningKey::generate());
      common.members.push_back({keys.back().public_key(), "127.0.0.1", port});
    }
    common.payload_bytes = std::max<std::size_t>(common.payload_bytes, options_.payload_bytes);
    common.origin_bytes = std::max(common.origin_bytes, 8 * common.payload_bytes);
    common.window = std::max(common.window, options_.window);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      common.key = keys[i];
      if (!options_.home.empty()) {
        common.folder = options_.home + "/node" + std::to_string(i);
        std::error_code failed;
        std::filesystem::create_directories(common.folder, failed);
        if (failed) return "cannot create '" + common.folder + "': " + failed.message();
      }
      if (std::string problem = fork_one(common); !problem.empty()) return problem;
    }
    return {};
  }
  /// The next line of every child; the first problem among them.
  std::string collect(std::vector<Line>& lines) {
    lines.assign(children_.size(), {});
    std::string problem;
    for (std::size_t i = 0; i < children_.size(); ++i) {
      if (!read_all(children_[i].from, &lines[i], sizeof(Line)))
        return "node " + std::to_string(i) + " ended before it had reported";
      if (problem.empty() && lines[i].problem[0] != 0)
        problem = "node " + std::to_string(i) + ": " + lines[i].problem;
    }
    return problem;
  }
  void say(std::uint64_t word) {
    for (const Child& c : children_) write_all(c.to, &word, sizeof word);
  }
  void end() {
    for (Child& c : children_) {
      (void)::waitpid(c.pid, nullptr, 0);
      ::close(c.to);
      ::close(c.from);
    }
    children_.clear();
  }

 private:
  std::string fork_one(const ChannelOptions& own) {
    int down[2];
    int up[2];
    if (::pipe2(down, O_CLOEXEC) != 0 || ::pipe2(up, O_CLOEXEC) != 0)
      return std::string("cannot make a pipe: ") + std::strerror(errno);
    const pid_t pid = ::fork();
    if (pid < 0) return std::string("cannot fork: ") + std::strerror(errno);
    if (pid == 0) {
      // A child that keeps its sisters' pipes open would keep them waiting for ever.
      for (const Child& c : children_) {
        ::close(c.to);
        ::close(c.from);
      }
      ::close(down[1]);
      ::close(up[0]);
      Node(options_, own, down[0], up[1]).run();
      ::_exit(0);
    }
    ::close(down[0]);
    ::close(up[1]);
    children_.push_back({pid, down[1], up[0]});
    return {};
  }

  BroadcastOptions options_;
  std::vector<Child> children_;
};

double cpu_of_children_us() {
  rusage use{};
  (void)::getrusage(RUSAGE_CHILDREN, &use);
  const auto us = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_usec);
  };
  return us(use.ru_utime) + us(use.ru_stime);
}

void sum_up(const BroadcastOptions& o, const std::vector<Line>& lines, double cpu_us,
            BroadcastReport& r) {
  r.agreement = true;
  std::uint64_t sent = 0;
  std::uint64_t bytes = 0;
  std::vector<std::uint64_t> p50;
  std::uint64_t p99 = 0;
  for (const Line& line : lines) {
    r.agreement =
        r.agreement && line.digest == lines[0].digest && line.delivered == lines[0].delivered;
    sent += line.sent;
    bytes += line.bytes_sent;
    r.syncs += line.syncs;
    p50.push_back(line.p50_us);
    p99 = std::max(p99, line.p99_us);
  }
  std::sort(p50.begin(), p50.end());
  r.delivered = lines[0].delivered;
  r.p50_ms = static_cast<double>(p50[p50.size() / 2]) / 1e3;
  r.p99_ms = static_cast<double>(p99) / 1e3;
  r.deliveries_per_s = r.seconds > 0 ? static_cast<double>(r.delivered) / r.seconds : 0;
  if (sent == 0) return;
  const double payload = static_cast<double>(sent) * static_cast<double>(std::max<std::uint64_t>(
                                                         o.payload_bytes, kLeastPayload));
  const double everywhere = static_cast<double>(r.delivered) * static_cast<double>(lines.size());
  r.bytes_per_payload_byte = static_cast<double>(bytes) / payload;
  r.cpu_us_per_delivery = cpu_us / everywhere;
  r.cpu_ms_per_mib = cpu_us / 1e3 / (payload * static_cast<double>(lines.size()) / (1u << 20));
}

}  // namespace

BroadcastReport run_broadcasts(const BroadcastOptions& options) {
  BroadcastReport report;
  (void)std::signal(SIGPIPE, SIG_IGN);
  Processes processes(options);
  if (report.problem = processes.start(); !report.problem.empty()) return report;
  std::vector<Line> lines;
  if (report.problem = processes.collect(lines); !report.problem.empty()) return report;
  const auto began = Clock::now();
  processes.say(0);
  if (report.problem = processes.collect(lines); !report.problem.empty()) return report;
  report.seconds = std::chrono::duration<double>(Clock::now() - began).count();
  std::uint64_t sent = 0;
  for (const Line& line : lines) sent += line.sent;
  processes.say(sent);
  if (report.problem = processes.collect(lines); !report.problem.empty()) return report;
  const double before_us = cpu_of_children_us();
  processes.say(0);
  processes.end();
  sum_up(options, lines, cpu_of_children_us() - before_us, report);
  return report;
}

}  // namespace thresher::cli
