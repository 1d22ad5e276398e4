// The load of bench_life.py on nodes that run already:
//
//   bench_life_load GENESIS --nodes 0,1,2 [--rate R] [--until N] [--tx-bytes B] [--window W]
//
// One client a node named; R transactions a second in total, 0: as many as commit. Each second a
// line of JSON: seconds since the first submission, transactions committed, and the latencies of
// those that were committed within that second. It ends when N are committed, or when it is killed.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "cluster/load_client.hpp"

using namespace thresher;
using net::Loop;

namespace {

constexpr std::uint64_t kTick = 1000;          // us between looks at the rate
constexpr std::uint64_t kSecond = 1'000'000;   // us
constexpr std::uint64_t kConnect = 2'000'000;  // us until it begins without a node that is away

struct Options {
  std::string genesis;
  std::vector<std::size_t> nodes;
  double rate = 0;
  std::uint64_t until = ~std::uint64_t{0};
  std::uint64_t tx_bytes = 128;
  std::uint64_t window = 16384;
};

Options read_options(int argc, char** argv) {
  Options out;
  if (argc > 1) out.genesis = argv[1];
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const char* const value = argv[i + 1];
    std::istringstream list(value);
    if (name == "--nodes")
      for (std::string one; std::getline(list, one, ',');) out.nodes.push_back(std::stoul(one));
    if (name == "--rate") out.rate = std::strtod(value, nullptr);
    if (name == "--until") out.until = std::strtoull(value, nullptr, 10);
    if (name == "--tx-bytes") out.tx_bytes = std::strtoull(value, nullptr, 10);
    if (name == "--window") out.window = std::strtoull(value, nullptr, 10);
  }
  return out;
}

class Load {
 public:
  Load(Options options, const net::Genesis& genesis) : options_(std::move(options)) {
    const cli::LoadHooks hooks{
        [this](std::uint64_t line) { return data(line); },
        [this](std::uint64_t, std::uint64_t, std::uint64_t latency_us) {
          ++committed_;
          latencies_.push_back(latency_us);
        },
        [this] { submit(); },
        [](const std::string& why) {
          std::fprintf(stderr, "%s\n", why.c_str());
          std::exit(1);
        },
        [this](std::size_t node) { return std::ranges::count(options_.nodes, node) > 0; }};
    for (const std::size_t node : options_.nodes)
      clients_.push_back(std::make_unique<cli::LoadClient>(loop_, genesis, node, hooks));
    opened_us_ = Loop::now_us();
  }

  void run() {
    loop_.call_after(kTick, [this] { tick(); });
    loop_.run();
  }

 private:
  ByteView data(std::uint64_t line) {
    data_.resize(options_.tx_bytes);
    for (std::size_t i = 0; i < 8 && i < data_.size(); ++i)
      data_[i] = static_cast<std::byte>(line >> (8 * i));
    return data_;
  }

  void tick() {
    const std::uint64_t now = Loop::now_us();
    const auto ready = std::ranges::count_if(clients_, [](const auto& c) { return c->ready(); });
    const bool all = static_cast<std::size_t>(ready) == clients_.size();
    if (began_us_ == 0 && (all || (ready > 0 && now > opened_us_ + kConnect))) began_us_ = now;
    if (began_us_ != 0) {
      submit();
      if (now >= began_us_ + lines_ * kSecond + kSecond) print(now);
    }
    if (committed_ >= options_.until) {
      print(now);
      return loop_.stop();
    }
    loop_.call_after(kTick, [this] { tick(); });
  }

  // Fills the windows, within the rate; each call begins with another client.
  void submit() {
    if (began_us_ == 0) return;
    std::uint64_t budget = options_.until - std::min(options_.until, sent_);
    if (options_.rate > 0) {
      const double due =
          options_.rate * static_cast<double>(Loop::now_us() - began_us_) / double{kSecond};
      const auto whole = static_cast<std::uint64_t>(due);
      budget = std::min(budget, whole - std::min(whole, sent_));
    }
    const std::uint64_t window = std::max<std::uint64_t>(1, options_.window / clients_.size());
    for (std::size_t k = 0; k < clients_.size(); ++k) {
      cli::LoadClient& client = *clients_[(turn_ + k) % clients_.size()];
      if (!client.ready()) continue;
      // At full speed a half-empty window is refilled at once: larger frames cost less.
      if (options_.rate == 0 && client.in_flight() > window / 2 && window > 1) continue;
      std::vector<std::uint64_t> fresh;
      for (; client.in_flight() + fresh.size() < window && budget > 0; --budget)
        fresh.push_back(sent_++);
      if (!fresh.empty()) client.submit(fresh);
    }
    ++turn_;
  }

  void print(std::uint64_t now) {
    std::ranges::sort(latencies_);
    const auto at = [&](double q) {
      if (latencies_.empty()) return -1.0;
      return static_cast<double>(
                 latencies_[static_cast<std::size_t>(q * double(latencies_.size() - 1))]) /
             1e3;
    };
    std::printf(
        "{\"seconds\": %.3f, \"committed\": %llu, \"in_second\": %zu, \"p50_ms\": %.3f, "
        "\"p99_ms\": %.3f}\n",
        static_cast<double>(now - began_us_) / 1e6, static_cast<unsigned long long>(committed_),
        latencies_.size(), at(0.5), at(0.99));
    std::fflush(stdout);
    latencies_.clear();
    ++lines_;
  }

  Options options_;
  Loop loop_;
  std::vector<std::byte> data_;
  std::vector<std::unique_ptr<cli::LoadClient>> clients_;
  std::vector<std::uint64_t> latencies_;  // of this second
  std::uint64_t opened_us_ = 0, began_us_ = 0, sent_ = 0, committed_ = 0, lines_ = 0;
  std::size_t turn_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  Options options = read_options(argc, argv);
  auto genesis = net::load_genesis(options.genesis);
  if (!genesis || options.nodes.empty()) {
    std::fprintf(stderr, "%s\n", genesis ? "--nodes?" : genesis.error().text().c_str());
    return 2;
  }
  Load(std::move(options), *genesis).run();
}
