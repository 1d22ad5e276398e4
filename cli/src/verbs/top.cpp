#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../durations.hpp"
#include "../json.hpp"
#include "../text.hpp"
#include "thresher/net/client.hpp"

namespace thresher::cli {
namespace {

struct Args {
  std::string genesis;
  std::string every = "1s";
  bool once = false;
  bool json = false;
};

/// What one node said at one time.
struct Row {
  bool answers = false;
  net::NodeStatus status{};
  double rate = 0;              ///< transactions a second since the row before
  std::uint32_t suspected = 0;  ///< by how many of those who answer
  std::uint32_t proved = 0;     ///< faulty, by how many
  std::string problem{};        ///< why it does not answer; or what it waits for
};

/// Asks every node of a network, each over a link of its own.
class Watch {
 public:
  /// Empty, or why nobody can be asked.
  std::string open(const std::string& genesis_file) {
    const auto genesis = net::load_genesis(genesis_file);
    if (!genesis) return genesis.error().text();
    protocol_ = genesis->protocol;
    needed_ = static_cast<std::uint32_t>(genesis->nodes.size()) - genesis->f;
    problems_ = std::make_shared<Problems>();
    problems_->of.resize(genesis->nodes.size());
    for (std::size_t i = 0; i < genesis->nodes.size(); ++i) {
      net::ClientOptions options;
      options.node = NodeId{static_cast<std::uint16_t>(i)};
      options.on_problem = [all = problems_, i](const std::string& why) {
        const std::lock_guard lock(all->mutex);
        all->of[i] = why;
      };
      auto client = net::Client::open(genesis_file, std::move(options));
      if (!client) return client.error().text();
      clients_.push_back(std::move(*client));
    }
    return {};
  }

  /// All answers that come within `patience_us`.
  std::vector<Row> look(std::uint64_t patience_us) {
    std::vector<std::future<net::NodeStatus>> asked;
    for (auto& client : clients_) asked.push_back(client->status(patience_us));
    std::vector<Row> rows(clients_.size());
    for (std::size_t i = 0; i < rows.size(); ++i) answer(i, asked[i], rows[i]);
    for (const Row& by : rows) {
      for (const net::PeerStatus& peer : by.status.peers) {
        if (peer.id.value >= rows.size()) continue;
        rows[peer.id.value].suspected += peer.suspicion > 0 ? 1 : 0;
        rows[peer.id.value].proved += peer.suspicion > 1 ? 1 : 0;
      }
    }
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - looked_).count();
    for (std::size_t i = 0; i < rows.size() && !before_.empty(); ++i) {
      const std::uint64_t was = before_[i].status.length;
      const std::uint64_t is = rows[i].status.length;
      if (before_[i].answers && is >= was) rows[i].rate = static_cast<double>(is - was) / seconds;
    }
    looked_ = now;
    before_ = rows;
    return rows;
  }
  const std::string& protocol() const { return protocol_; }
  std::uint32_t needed() const { return needed_; }

 private:
  struct Problems {
    std::mutex mutex;
    std::vector<std::string> of;  // by node
  };

  void answer(std::size_t i, std::future<net::NodeStatus>& asked, Row& row) {
    try {
      row.status = asked.get();
      row.answers = true;
      row.problem = row.status.waits_for;
    } catch (const std::runtime_error&) {
      const std::lock_guard lock(problems_->mutex);
      row.problem = problems_->of[i].empty() ? "no answer" : problems_->of[i];
    }
  }

  std::vector<std::unique_ptr<net::Client>> clients_;
  std::shared_ptr<Problems> problems_;  // the clients' threads write it
  std::string protocol_;
  std::uint32_t needed_ = 0;  // nodes without which nothing is ordered
  std::vector<Row> before_;
  std::chrono::steady_clock::time_point looked_{};
};

std::uint64_t highest(const std::vector<Row>& rows, std::uint64_t net::NodeStatus::*figure) {
  std::uint64_t out = 0;
  for (const Row& r : rows) out = std::max(out, r.status.*figure);
  return out;
}

std::string suspicion(const Row& r) {
  if (r.proved > 0) return "proved faulty, by " + std::to_string(r.proved);
  return r.suspected == 0 ? "-" : "suspected by " + std::to_string(r.suspected);
}

void print_json(const std::vector<Row>& rows) {
  Json out;
  std::vector<Json> nodes;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& r = rows[i];
    Json& row = nodes.emplace_back();
    row.set("node", std::uint64_t{i}).set("answers", r.answers).set("problem", escaped(r.problem));
    row.set("length", r.status.length).set("rate", r.rate).set("slot", r.status.slot);
    row.set("round", r.status.round).set("links", std::uint64_t{r.status.links});
    row.set("suspected_by", std::uint64_t{r.suspected}).set("proved_by", std::uint64_t{r.proved});
  }
  out.set("nodes", nodes).print();
  (void)std::fflush(stdout);
}

void print_text(const Watch& watch, const std::vector<Row>& rows) {
  const auto up = std::count_if(rows.begin(), rows.end(), [](const Row& r) { return r.answers; });
  const std::uint64_t length = highest(rows, &net::NodeStatus::length);
  double rate = 0;
  for (const Row& r : rows) rate = std::max(rate, r.rate);
  std::printf("%s, %zu nodes: %lld answer, %u are needed; %llu transactions, %.0f a second\n\n",
              watch.protocol().c_str(), rows.size(), static_cast<long long>(up), watch.needed(),
              static_cast<unsigned long long>(length), rate);
  std::printf(
      "node  ready        length     behind    tx/s       slot      round  links  suspicion\n");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& r = rows[i];
    const char* ready = !r.answers ? "away" : r.problem.empty() ? "yes" : "no";
    std::printf("%-4zu  %-5s  %12llu %10llu  %6.0f %10llu %10llu  %5u  %s%s\n", i, ready,
                static_cast<unsigned long long>(r.status.length),
                static_cast<unsigned long long>(r.answers ? length - r.status.length : 0), r.rate,
                static_cast<unsigned long long>(r.status.slot),
                static_cast<unsigned long long>(r.status.round), r.status.links,
                suspicion(r).c_str(),
                r.problem.empty() ? "" : ("  (" + escaped(r.problem) + ")").c_str());
  }
  (void)std::fflush(stdout);
}

int top(const Args& a) {
  const auto every = parse_duration(a.every);
  if (!every || *every < 100'000) {
    return fail(kUsage, no_duration("--every", a.every, "time of 100ms or more; write it as 1s"));
  }
  Watch watch;
  if (std::string why = watch.open(a.genesis); !why.empty()) return fail(kUsage, why);
  const bool terminal = ::isatty(STDOUT_FILENO) != 0;
  bool first = true;
  for (;;) {
    // A first look waits for links to come up.
    const std::vector<Row> rows = watch.look(std::exchange(first, false) ? 2'000'000 : *every);
    if (terminal && !a.once && !a.json) std::printf("\x1b[H\x1b[2J");
    a.json ? print_json(rows) : print_text(watch, rows);
    const bool any = std::any_of(rows.begin(), rows.end(), [](const Row& r) { return r.answers; });
    if (a.once) return any ? kDone : kFailed;
    std::this_thread::sleep_for(std::chrono::microseconds(*every));
  }
}

}  // namespace

Verb make_top() {
  auto a = std::make_shared<Args>();
  return {{"top"},
          "Watch all nodes of a network: rates, lag, who is suspected. Example: thresher top "
          "--genesis mynet/genesis.json",
          {{"--genesis", "the network's genesis file", &a->genesis, true},
           {"--every", "time between two looks, like 1s", &a->every},
           {"--once", "one look; status 1 when no node answers", &a->once},
           {"--json", "one object a look, on one line", &a->json}},
          [a] { return top(*a); },
          {{{"--every"}, [a] { return a->once; }, "--once looks once"}}};
}

}  // namespace thresher::cli
