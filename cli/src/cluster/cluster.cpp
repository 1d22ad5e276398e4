#include "cluster.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>

#include "../coin_making.hpp"
#include "../crashes.hpp"
#include "../testnet.hpp"
#include "../text.hpp"
#include "history_recorder.hpp"
#include "load_client.hpp"
#include "processes.hpp"
#include "thresher/core/hex.hpp"
#include "thresher/net/client.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/net/coin.hpp"

namespace thresher::cli {
namespace {

using net::Loop;

constexpr std::uint64_t kTick = 1000;            // us between looks at rates and events
constexpr std::uint64_t kPatience = 30'000'000;  // us without a commit before giving up

struct Link {
  std::unique_ptr<net::ClientLink> link;
  bool up = false;
  bool wanted = true;
  std::optional<net::NodeStatus> status;
};

class Cluster {
 public:
  explicit Cluster(const ClusterOptions& options)
      : options_(options), processes_(options.home, options.nodes) {}

  ClusterReport run() {
    auto genesis = make_testnet(testnet_options());
    if (!genesis) {
      report_.problem = genesis.error().text();
      return report_;
    }
    genesis_ = *genesis;
    if (report_.problem = make_coin(); !report_.problem.empty()) return report_;
    if (options_.trace) traces_.emplace(options_.home, options_.nodes);
    for (std::size_t i = 0; i < options_.nodes; ++i) start(i);
    for (std::size_t i = 0; i < options_.nodes; ++i) open_link(i);
    for (std::uint64_t c = 0; c < options_.clients; ++c) {
      clients_.push_back(
          std::make_unique<LoadClient>(loop_, genesis_, c % options_.nodes, hooks(c)));
    }
    record_history();
    opened_us_ = Loop::now_us();
    loop_.call_after(kTick, [this] { tick(); });
    loop_.run();
    finish();
    if (traces_) merge_traces();
    return report_;
  }

 private:
  void start(std::size_t node) {
    if (!traces_) return processes_.start(node);
    processes_.start(node, traces_->verb(node));
  }

  // A node writes the rest of its trace when it ends.
  void merge_traces() {
    if (!report_.problem.empty()) return;
    for (std::size_t i = 0; i < options_.nodes; ++i) processes_.end(i);
    auto table = traces_->table(began_us_, last_commit_us_);
    if (!table) {
      report_.problem = table.error().text();
      return;
    }
    report_.trace = std::move(*table);
  }

  TestnetOptions testnet_options() const {
    TestnetOptions t;
    t.dir = options_.home;
    t.nodes = options_.nodes;
    t.protocol = options_.protocol;
    t.set = options_.set;
    t.node.store = options_.memory ? net::StoreKind::kMemory : net::StoreKind::kDisk;
    t.node.threads = options_.threads;
    t.node.link_delay_us = options_.delay_us;
    t.node.delta_us += options_.delay_us;
    t.link_delays_us = options_.wan.way_us;
    t.node.delta_us = std::max(t.node.delta_us, options_.wan.delta_us);
    return t;
  }

  // Made by the nodes among themselves, as in a network without a dealer.
  std::string make_coin() {
    if (!net::needs_coin(options_.protocol)) return {};
    std::vector<std::string> homes;
    for (std::size_t i = 0; i < options_.nodes; ++i)
      homes.push_back(options_.home + "/node" + std::to_string(i));
    if (const auto made = make_coins(homes, {}); !made) return made.error().text();
    auto genesis = net::load_genesis(options_.home + "/genesis.json");
    if (!genesis) return genesis.error().text();
    genesis_ = std::move(*genesis);
    return {};
  }

  void open_link(std::size_t i) {
    links_.resize(options_.nodes);
    links_[i].link = std::make_unique<net::ClientLink>(
        loop_, genesis_.context().chain, genesis_.nodes[i],
        net::TransportCallbacks{[this, i](net::ConnectionId, const net::Frame& f) { frame(i, f); },
                                [this, i](net::ConnectionId, bool up) { linked(i, up); },
                                [](const std::string&) {}});
    links_[i].link->connect();
  }

  void linked(std::size_t i, bool up) {
    links_[i].up = up;
    if (up) return;
    loop_.call_after(20'000, [this, i] {
      if (!stopping_) links_[i].link->connect();
    });
  }

  void record_history() {
    if (options_.history.empty()) return;
    recorder_ = std::make_unique<HistoryRecorder>(
        loop_, HistoryOptions{options_.history, options_.home + "/genesis.json", options_.nodes,
                              options_.clients, options_.replica_gets});
  }

  LoadHooks hooks(std::size_t client) {
    return {[this](std::uint64_t line) { return data(line); },
            [this, client](std::uint64_t, std::uint64_t position, std::uint64_t latency_us) {
              committed(latency_us);
              if (recorder_) recorder_->acknowledged(client, clients_[client]->node(), position);
            },
            [this] {
              note_commits();
              load();
            },
            [this](const std::string& why) {
              if (!stopping_) stop(why);
            },
            [this](std::size_t node) { return links_[node].wanted; },
            traced()};
  }

  std::function<void(const TracedTransaction&)> traced() {
    if (!traces_) return {};
    return [this](const TracedTransaction& t) { traces_->answered(t); };
  }

  ByteView data(std::uint64_t line) {
    if (options_.from_file) return as_view(options_.lines[line]);
    if (recorder_) return as_view(operation_ = HistoryRecorder::request(line));
    fill(line);
    return generated_;
  }

  void fill(std::uint64_t number) {
    generated_.resize(options_.tx_bytes);
    for (std::size_t i = 0; i < 8 && i < generated_.size(); ++i) {
      generated_[i] = static_cast<std::byte>(number >> (8 * i));
    }
  }

  bool more(std::uint64_t now) const {
    if (options_.from_file) return next_line_ < options_.lines.size();
    return now < began_us_ + options_.duration_us;
  }

  // Fills every client's window, within the rate.
  void load() {
    if (began_us_ == 0 || draining_) return;
    std::uint64_t budget = ~std::uint64_t{0};
    const std::uint64_t now = Loop::now_us();
    if (options_.rate > 0) {
      const double due = options_.rate * static_cast<double>(now - began_us_) / 1e6;
      budget =
          due > static_cast<double>(next_line_) ? static_cast<std::uint64_t>(due) - next_line_ : 0;
    }
    const std::uint64_t window = std::max<std::uint64_t>(1, options_.window / clients_.size());
    for (std::size_t k = 0; k < clients_.size(); ++k) {
      // Within a rate each call starts with the next client: else the first would send it all.
      const std::size_t client = (turn_ + k) % clients_.size();
      LoadClient& c = *clients_[client];
      if (!c.ready() || (recorder_ && recorder_->busy(client))) continue;
      // At full speed a half-empty window is refilled at once: larger frames cost less.
      if (options_.rate == 0 && c.in_flight() > window / 2 && window > 1) continue;
      std::vector<std::uint64_t> fresh;
      while (c.in_flight() + fresh.size() < window && budget > 0 && more(now)) {
        --budget;
        const std::uint64_t line = next_line_++;
        if (!recorder_ || goes_to_log(client, line)) fresh.push_back(line);
      }
      c.submit(fresh);
    }
    if (options_.rate > 0) ++turn_;
  }

  // Begins a recorded operation; a get of a replica ends at once.
  bool goes_to_log(std::size_t client, std::uint64_t line) {
    if (!recorder_->is_transaction(line)) {
      recorder_->get_from_replica(client, clients_[client]->node(), line);
      return false;
    }
    recorder_->begin(client, line);
    return true;
  }

  void frame(std::size_t node, const net::Frame& f) {
    if (f.kind != net::kStatusReply) return;
    if (const auto s = net::decode_status(f.control.view())) links_[node].status = *s;
  }

  void committed(std::uint64_t latency_us) {
    latencies_.push_back(static_cast<std::uint32_t>(latency_us));
    ++report_.committed;
  }

  void note_commits() {
    const std::uint64_t now = Loop::now_us();
    if (last_commit_us_ != 0) longest_gap_us_ = std::max(longest_gap_us_, now - last_commit_us_);
    last_commit_us_ = now;
  }

  std::uint64_t in_flight() const {
    std::uint64_t sum = 0;
    for (const auto& c : clients_) sum += c->in_flight();
    if (recorder_ && sum == 0 && !recorder_->idle()) return 1;  // a get waits for its node's log
    return sum;
  }

  void tick() {
    if (Interrupts::came()) {  // first: a terminal's Ctrl-C ends the nodes, too
      report_.interrupted = true;
      return stop("interrupted after " + std::to_string(report_.committed) + " transactions");
    }
    const std::uint64_t now = Loop::now_us();
    if (began_us_ == 0) {
      begin_when_ready(now);
    } else {
      fire_events(now);
      load();
      watch(now);
    }
    if (!stopping_) loop_.call_after(kTick, [this] { tick(); });
  }

  void begin_when_ready(std::uint64_t now) {
    // A node that is up may still be dialling the others.
    const auto ready = [this](const Link& l) {
      return l.up && l.status && l.status->links + 1 >= links_.size();
    };
    const auto linked = [](const std::unique_ptr<LoadClient>& c) { return c->ready(); };
    if (std::all_of(links_.begin(), links_.end(), ready) &&
        std::all_of(clients_.begin(), clients_.end(), linked)) {
      began_us_ = now;
      cpu_before_ = cpu_us();
      load();
    } else if (now > opened_us_ + kPatience) {
      stop("the nodes did not come up within 30 s; see " + processes_.log_of(0));
    } else if (now >= next_poll_) {
      next_poll_ = now + 20'000;
      ask_all();
    }
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (processes_.died(i))
        stop("node " + std::to_string(i) + " ended; see " + processes_.log_of(i));
    }
  }

  void fire_events(std::uint64_t now) {
    for (; next_event_ < options_.events.size(); ++next_event_) {
      const ClusterEvent& e = options_.events[next_event_];
      if (now < began_us_ + e.at_us) return;
      if (e.restart) {
        start(e.node);
        restarted_us_ = now;
        restarted_ = e.node;
        links_[e.node].wanted = true;
        if (recorder_) recorder_->back(e.node);
      } else {
        processes_.kill(e.node);
        links_[e.node].wanted = false;
        if (recorder_) recorder_->gone(e.node);
        report_.killed.push_back(e.node);
      }
    }
  }

  void watch(std::uint64_t now) {
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (links_[i].wanted && processes_.died(i)) {
        return stop("node " + std::to_string(i) + " ended; see " + processes_.log_of(i));
      }
    }
    if (options_.live && now >= next_live_) live_line(now);
    const bool loaded = !more(now);
    if (loaded && !draining_) draining_ = true;
    const std::uint64_t last = std::max(last_commit_us_, began_us_);
    if (in_flight() > 0 && now > last + kPatience) {
      report_.stalled = true;
      return stop("nothing was committed for 30 s: " + missing_nodes());
    }
    if (restarted_us_ != 0 || (draining_ && in_flight() == 0)) poll(now);
  }

  std::string missing_nodes() const {
    const auto up = std::ranges::count_if(links_, [](const Link& l) { return l.wanted; });
    return std::to_string(up) + " of " + std::to_string(links_.size()) +
           " nodes are left running, and the protocol stands " +
           std::to_string(crashes_of(genesis_)) + " stopped; see the logs under " + options_.home;
  }

  void live_line(std::uint64_t now) {
    std::fprintf(stderr, "t=%3llus committed %llu (+%llu/s) in flight %llu\n",
                 static_cast<unsigned long long>((now - began_us_) / 1'000'000),
                 static_cast<unsigned long long>(report_.committed),
                 static_cast<unsigned long long>(report_.committed - live_before_),
                 static_cast<unsigned long long>(in_flight()));
    live_before_ = report_.committed;
    next_live_ = now + 1'000'000;
  }

  // Asks for everybody's status; level nodes end a catch-up, and at the end the run.
  void poll(std::uint64_t now) {
    if (settled_us_ == 0 && draining_ && in_flight() == 0) {
      settled_us_ = now;
      end_work(now);  // what comes now is not for transactions: restarts, level nodes
    }
    if (now < next_poll_) return;
    next_poll_ = now + 20'000;
    std::uint64_t highest = 0;
    bool all = true;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (!links_[i].wanted) continue;
      all &= links_[i].status.has_value() && links_[i].up;
      if (links_[i].status && i != restarted_)
        highest = std::max(highest, links_[i].status->length);
    }
    const auto& back =
        restarted_ < links_.size() ? links_[restarted_].status : std::optional<net::NodeStatus>{};
    if (restarted_us_ != 0 && back && links_[restarted_].up && back->length >= level_ &&
        level_ > 0) {
      report_.catch_up_ms = static_cast<double>(now - restarted_us_) / 1e3;
      restarted_us_ = 0;
    }
    level_ = highest;
    const bool events_done = next_event_ == options_.events.size();
    if (draining_ && in_flight() == 0 && events_done && all && agree()) return stop({});
    if (draining_ && settled_us_ != 0 && events_done && now > settled_us_ + 2 * kPatience) {
      return stop("the nodes were not level 60 s after the last commit");
    }
    ask_all();
    if (restarted_us_ != 0 && !links_[restarted_].up) links_[restarted_].status.reset();
  }

  void ask_all() {
    for (Link& l : links_) {
      l.status.reset();
      if (l.up) (void)l.link->send({net::kStatus, {}, {}});
    }
  }

  bool agree() {
    const net::NodeStatus* first = nullptr;
    for (const Link& l : links_) {
      if (!l.wanted) continue;
      if (first == nullptr) first = &*l.status;
      if (l.status->length != first->length || l.status->log_hash != first->log_hash ||
          l.status->state != first->state) {
        return false;
      }
    }
    // A status may be older than the last commit: ask again until it covers everything.
    if (first == nullptr || first->length < report_.committed) return false;
    report_.agreement = true;
    report_.others = first->length - report_.committed;
    report_.log_hash = to_hex(first->log_hash.bytes);
    report_.state_hash = to_hex(first->state.bytes);
    std::uint64_t bytes = 0;
    std::uint64_t payload = 0;  // as who was never restarted counts it
    for (const Link& l : links_) {
      if (!l.status) continue;
      bytes += l.status->node_bytes;
      payload = std::max(payload, l.status->payload_bytes);
      report_.syncs += l.status->syncs;
    }
    report_.bytes_per_payload_byte = ratio(bytes, payload);
    count_calls();
    return true;
  }

  // Rounds count from the genesis, calls from the start of a process: both must be from one
  // start.
  void count_calls() {
    std::uint64_t rounds = 0, calls = 0, certificates = 0, signatures = 0;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const auto& status = links_[i].status;
      if (!status || std::ranges::count(report_.killed, i) > 0) continue;
      rounds += status->round;
      calls += status->verify_calls;
      certificates += status->certificate_calls;
      signatures += status->signatures;
    }
    if (rounds == 0) return;
    report_.calls = {ratio(calls, rounds), ratio(certificates, rounds), ratio(signatures, calls)};
  }

  static double ratio(std::uint64_t a, std::uint64_t b) {
    return static_cast<double>(a) / static_cast<double>(std::max<std::uint64_t>(1, b));
  }

  void stop(const std::string& problem) {
    if (report_.problem.empty()) report_.problem = problem;
    stopping_ = true;
    for (const auto& c : clients_) c->stop();
    if (cpu_after_ == 0) end_work(Loop::now_us());
    loop_.stop();
  }

  void end_work(std::uint64_t now) {
    cpu_after_ = cpu_us();
    worked_us_ = now - began_us_;
  }

  std::uint64_t cpu_us() const { return processes_.cpu_us() + own_cpu_us(); }

  static std::uint64_t own_cpu_us() {
    rusage u{};
    ::getrusage(RUSAGE_SELF, &u);
    return static_cast<std::uint64_t>((u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1'000'000 +
                                      u.ru_utime.tv_usec + u.ru_stime.tv_usec);
  }

  void finish() {
    if (recorder_) {
      const auto written = recorder_->finish();
      if (!written && report_.problem.empty()) report_.problem = written.error().text();
    }
    if (latencies_.empty()) return;
    std::sort(latencies_.begin(), latencies_.end());
    const auto at = [&](double q) {
      return latencies_[static_cast<std::size_t>(q * static_cast<double>(latencies_.size() - 1))] /
             1e3;
    };
    report_.p50_ms = at(0.5);
    report_.p90_ms = at(0.9);
    report_.p99_ms = at(0.99);
    report_.max_ms = at(1);
    report_.seconds = static_cast<double>(last_commit_us_ - began_us_) / 1e6;
    report_.tx_per_s = static_cast<double>(report_.committed) / std::max(report_.seconds, 1e-6);
    report_.cpu_us_per_tx =
        static_cast<double>(cpu_after_ - cpu_before_) / static_cast<double>(report_.committed);
    // The time of all cores for as long as that work was counted, which is longer than to the last
    // commit. The system counts the work of others in whole ticks, so a little more may come out.
    const double cores = std::max(1.0, static_cast<double>(std::thread::hardware_concurrency()));
    const double all = cores * static_cast<double>(std::max<std::uint64_t>(1, worked_us_));
    report_.cpu_share = std::min(1.0, static_cast<double>(cpu_after_ - cpu_before_) / all);
    report_.longest_gap_ms = static_cast<double>(longest_gap_us_) / 1e3;
  }

  const ClusterOptions& options_;
  ClusterReport report_;
  Interrupts interrupts_;
  Processes processes_;
  net::Genesis genesis_;
  Loop loop_;
  std::vector<Link> links_;
  std::vector<std::unique_ptr<LoadClient>> clients_;
  std::optional<CommitTraces> traces_;
  std::unique_ptr<HistoryRecorder> recorder_;  // after loop_, on which its clients post
  std::vector<std::byte> generated_;
  std::string operation_;
  std::size_t turn_ = 0;  // the client that load() begins with
  std::vector<std::uint32_t> latencies_;
  std::uint64_t opened_us_ = 0, began_us_ = 0, last_commit_us_ = 0, longest_gap_us_ = 0;
  std::uint64_t restarted_us_ = 0, next_poll_ = 0, next_live_ = 0, settled_us_ = 0, level_ = 0;
  std::uint64_t cpu_before_ = 0, cpu_after_ = 0, worked_us_ = 0, live_before_ = 0, next_line_ = 0;
  std::size_t restarted_ = ~std::size_t{0};
  std::size_t next_event_ = 0;
  bool draining_ = false;
  bool stopping_ = false;
};

}  // namespace

ClusterReport run_cluster(const ClusterOptions& options) {
  return Cluster(options).run();
}

ClusterReport run_temporary_cluster(ClusterOptions& options) {
  namespace fs = std::filesystem;
  std::string pattern = (fs::temp_directory_path() / "thresher-cluster-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    ClusterReport failed;
    failed.problem = "cannot make a folder like '" + pattern + "'; set TMPDIR to one that is there";
    return failed;
  }
  options.home = pattern;
  ClusterReport report = run_cluster(options);
  const bool good =
      report.problem.empty() && report.agreement && !report.stalled && report.others == 0;
  if (good || report.interrupted) fs::remove_all(pattern);
  return report;
}

}  // namespace thresher::cli
