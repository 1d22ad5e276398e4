#include "broadcast_cluster.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <thread>

#include "broadcast_member.hpp"
#include "processes.hpp"
#include "thresher/net/ports.hpp"

namespace thresher::cli {
namespace {

using broadcast::ChannelOptions;

constexpr std::uint64_t kPatienceUs = 30'000'000;

constexpr std::string_view kStoppedByUser = "interrupted";

// False when the user stopped the run first.
bool comes(int from) {
  pollfd wait{from, POLLIN, 0};
  while (!Interrupts::came()) {
    if (::poll(&wait, 1, 100) > 0) return true;
  }
  return false;
}

struct Child {
  pid_t pid = -1;  ///< -1: it was killed
  int to = -1;
  int from = -1;
};

class Members {
 public:
  Members(const BroadcastOptions& options, DeliveryBoard& board)
      : options_(options), board_(board), children_(options.nodes), own_(options.nodes) {}
  ~Members() {
    for (std::size_t i = 0; i < children_.size(); ++i) kill(i);
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
      own_[i] = {common, i, options_.nodes - 1, options_.window, options_.payload_bytes};
      own_[i].channel.key = keys[i];
      if (!options_.home.empty()) {
        own_[i].channel.folder = options_.home + "/node" + std::to_string(i);
        std::error_code failed;
        std::filesystem::create_directories(own_[i].channel.folder, failed);
        if (failed) return "cannot create '" + own_[i].channel.folder + "': " + failed.message();
      }
      if (std::string problem = fork_one(i); !problem.empty()) return problem;
    }
    return {};
  }
  void kill(std::size_t i) {
    Child& c = children_[i];
    if (c.pid < 0) return;
    ::kill(c.pid, SIGKILL);
    (void)::waitpid(c.pid, nullptr, 0);
    ::close(c.to);
    ::close(c.from);
    c = {};
  }
  std::string restart(std::size_t i) {
    own_[i].links = 0;
    return fork_one(i);
  }
  /// The next line of every process that is up; the first problem among them.
  std::string collect(std::vector<MemberLine>& lines) {
    lines.clear();
    std::string problem;
    for (const std::uint64_t i : up()) {
      MemberLine line;
      if (!comes(children_[i].from)) return std::string(kStoppedByUser);
      if (!read_all(children_[i].from, &line, sizeof line))
        return "node " + std::to_string(i) + " ended before it had reported";
      if (problem.empty() && line.problem[0] != 0)
        problem = "node " + std::to_string(i) + ": " + line.problem;
      lines.push_back(line);
    }
    return problem;
  }
  void say(std::uint64_t word) {
    for (const std::uint64_t i : up()) say(i, word);
  }
  void say(std::size_t i, std::uint64_t word) { write_all(children_[i].to, &word, sizeof word); }
  /// The line of one process, which was just started.
  std::string collect_one(std::size_t i) {
    MemberLine line;
    if (!comes(children_[i].from)) return std::string(kStoppedByUser);
    if (!read_all(children_[i].from, &line, sizeof line))
      return "node " + std::to_string(i) + " did not come back";
    return line.problem[0] == 0 ? std::string{} : "node " + std::to_string(i) + ": " + line.problem;
  }
  std::vector<std::uint64_t> up() const {
    std::vector<std::uint64_t> out;
    for (std::size_t i = 0; i < children_.size(); ++i) {
      if (children_[i].pid >= 0) out.push_back(i);
    }
    return out;
  }
  void end() {
    for (Child& c : children_) {
      if (c.pid < 0) continue;
      (void)::waitpid(c.pid, nullptr, 0);
      ::close(c.to);
      ::close(c.from);
      c = {};
    }
  }

 private:
  std::string fork_one(std::size_t i) {
    int down[2];
    int up[2];
    if (::pipe2(down, O_CLOEXEC) != 0 || ::pipe2(up, O_CLOEXEC) != 0)
      return std::string("cannot make a pipe: ") + std::strerror(errno);
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid < 0) return std::string("cannot fork: ") + std::strerror(errno);
    if (pid == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != parent) ::_exit(1);
      // A terminal's Ctrl-C reaches all; it is the parent that ends the run.
      (void)std::signal(SIGINT, SIG_IGN);
      (void)std::signal(SIGTERM, SIG_DFL);
      // A child that keeps its sisters' pipes open would keep them waiting for ever.
      for (const Child& c : children_) {
        if (c.pid < 0) continue;
        ::close(c.to);
        ::close(c.from);
      }
      ::close(down[1]);
      ::close(up[0]);
      run_member(own_[i], board_, down[0], up[1]);
      ::_exit(0);
    }
    ::close(down[0]);
    ::close(up[1]);
    children_[i] = {pid, down[1], up[0]};
    return {};
  }

  BroadcastOptions options_;
  DeliveryBoard& board_;
  std::vector<Child> children_;
  std::vector<MemberOptions> own_;
};

double cpu_of_children_us() {
  rusage use{};
  (void)::getrusage(RUSAGE_CHILDREN, &use);
  const auto us = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_usec);
  };
  return us(use.ru_utime) + us(use.ru_stime);
}

void nap() {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

// Kills and restarts at their times; what is down at the end stays down.
std::string carry_out(const BroadcastOptions& options, std::uint64_t began_us,
                      std::uint64_t until_us, DeliveryBoard& board, Members& members) {
  const std::vector<ClusterEvent>& events = options.events;
  for (const ClusterEvent& e : events) {
    while (shared_now_us() < std::min(began_us + e.at_us, until_us)) {
      if (Interrupts::came()) return std::string(kStoppedByUser);
      nap();
    }
    if (!e.restart) {
      members.kill(e.node);
      continue;
    }
    board.excuse(e.node);
    if (std::string problem = members.restart(e.node); !problem.empty()) return problem;
    if (std::string problem = members.collect_one(e.node); !problem.empty()) return problem;
    members.say(e.node, until_us);
  }
  return {};
}

// Until all that are up delivered what one of them did. As long as something comes there is no
// hurry.
std::string wait_until_level(DeliveryBoard& board, const std::vector<std::uint64_t>& up) {
  std::uint64_t progress = board.progress();
  for (std::uint64_t since_us = shared_now_us(); !board.level(up); nap()) {
    if (Interrupts::came()) return std::string(kStoppedByUser);
    if (board.progress() != progress) {
      progress = board.progress();
      since_us = shared_now_us();
    }
    if (shared_now_us() - since_us <= kPatienceUs) continue;
    if (board.level_but_for_excused(up)) return {};
    return "not everything was delivered, and nothing came for 30 s: " + board.missing(up);
  }
  return {};
}

void sum_up(const BroadcastOptions& o, const std::vector<MemberLine>& lines, double cpu_us,
            BroadcastReport& r) {
  std::uint64_t bytes = 0;
  std::vector<std::uint64_t> p50;
  std::uint64_t p99 = 0;
  for (const MemberLine& line : lines) {
    bytes += line.bytes_sent;
    r.syncs += line.syncs;
    p50.push_back(line.p50_us);
    p99 = std::max(p99, line.p99_us);
  }
  std::sort(p50.begin(), p50.end());
  r.p50_ms = static_cast<double>(p50[p50.size() / 2]) / 1e3;
  r.p99_ms = static_cast<double>(p99) / 1e3;
  r.deliveries_per_s = r.seconds > 0 ? static_cast<double>(r.delivered) / r.seconds : 0;
  if (r.delivered == 0) return;
  const double payload = static_cast<double>(r.delivered) *
                         static_cast<double>(std::max(o.payload_bytes, kLeastPayload));
  const double everywhere = static_cast<double>(r.delivered) * static_cast<double>(lines.size());
  r.bytes_per_payload_byte = static_cast<double>(bytes) / payload;
  r.cpu_us_per_delivery = cpu_us / everywhere;
  r.cpu_ms_per_mib = cpu_us / 1e3 / (payload * static_cast<double>(lines.size()) / (1u << 20));
}

// From the first payload to the last delivery.
std::string load(const BroadcastOptions& options, DeliveryBoard& board, Members& members,
                 std::vector<MemberLine>& lines, BroadcastReport& report) {
  if (std::string problem = members.collect(lines); !problem.empty()) return problem;
  const std::uint64_t began_us = shared_now_us();
  const std::uint64_t until_us = began_us + options.duration_us;
  members.say(until_us);
  if (std::string p = carry_out(options, began_us, until_us, board, members); !p.empty()) return p;
  const std::vector<std::uint64_t> up = members.up();
  if (up.empty()) return "every node was killed and none came back";
  if (std::string problem = members.collect(lines); !problem.empty()) return problem;
  report.seconds = static_cast<double>(shared_now_us() - began_us) / 1e6;
  report.agreement = !board.conflict();
  std::uint64_t open = 0;
  for (const MemberLine& line : lines) open += line.in_flight;
  if (open > 0 && report.agreement) {
    report.stalled = true;
    return "nothing was delivered for 30 s: " + std::to_string(up.size()) + " of " +
           std::to_string(options.nodes) + " nodes are left running, and " + std::to_string(open) +
           " payloads that they sent are on the way";
  }
  if (std::string problem = wait_until_level(board, up); !problem.empty()) return problem;
  if (board.full())
    return "more payloads were sent than can be compared; give a shorter --duration";
  for (const std::uint64_t node : up) {
    report.delivered = std::max(report.delivered, board.delivered(node));
    report.missed += board.missed(node);
  }
  return {};
}

}  // namespace

BroadcastReport run_broadcasts(const BroadcastOptions& options) {
  BroadcastReport report;
  (void)std::signal(SIGPIPE, SIG_IGN);
  const auto board = DeliveryBoard::make(options.nodes);
  if (!board) {
    report.problem = "there is no memory to compare the deliveries of so many nodes in";
    return report;
  }
  const Interrupts interrupts;
  const double before_us = cpu_of_children_us();
  Members members(options, *board);
  if (report.problem = members.start(); !report.problem.empty()) return report;
  std::vector<MemberLine> lines;
  report.problem = load(options, *board, members, lines, report);
  report.interrupted = report.problem == kStoppedByUser;
  if (!report.problem.empty()) return report;
  members.say(0);
  members.end();
  sum_up(options, lines, cpu_of_children_us() - before_us, report);
  return report;
}

}  // namespace thresher::cli
