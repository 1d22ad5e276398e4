// A network of nodes whose application answers: one account each.
//
//   Tills tills(4);
//   tills.start_all();
//   EXPECT_EQ(result_of(tills.client()->submit(as_view("add 5")).get()), "5");
#pragma once

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "network.hpp"
#include "thresher/net/client.hpp"
#include "thresher/net/evidence.hpp"

namespace thresher::net {

/// One account. "add N" answers the sum, "take N" fails on an overdraft, "large" answers too much.
class Till final : public App {
 public:
  struct Seen {
    std::uint64_t slot = 0;
    std::uint64_t time_us = 0;
    friend bool operator==(const Seen&, const Seen&) = default;
  };

  Bytes apply(const Transaction& t) override {
    const std::lock_guard lock(mutex_);
    seen_.push_back({t.slot, t.time_us});
    const std::string words(as_text(t.data));
    if (words == broken_by_) throw std::logic_error("a bit of my memory has turned");
    if (words == "large") return Bytes::copy_of(as_view(std::string(kMostResult + 1, 'x')));
    if (words.starts_with("take ")) {
      const long wanted = std::stol(words.substr(5));
      if (wanted > sum_) throw TransactionFailed("overdraft: there are " + std::to_string(sum_));
      sum_ -= wanted;
    }
    if (words.starts_with("add ")) sum_ += std::stol(words.substr(4));
    while (held_) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return Bytes::copy_of(as_view(std::to_string(sum_ + lie_)));
  }
  std::optional<std::string> check(const ClientId&, ByteView data) const override {
    if (as_text(data) == "throw in check") throw std::runtime_error("check is broken");
    if (as_text(data).starts_with("nonsense")) return "not a word that a till knows";
    return std::nullopt;
  }
  Bytes query(ByteView question) const override {
    const std::lock_guard lock(mutex_);
    if (as_text(question) == "count") return Bytes::copy_of(as_view(std::to_string(seen_.size())));
    if (as_text(question) != "sum") throw std::runtime_error("what is that?");
    return Bytes::copy_of(as_view(std::to_string(sum_ + lie_)));
  }
  Digest state() const override {
    const std::lock_guard lock(mutex_);
    return hash(as_view(std::to_string(sum_)));
  }
  std::vector<Seen> seen() const {
    const std::lock_guard lock(mutex_);
    return seen_;
  }
  void breaks_by(const std::string& words) { broken_by_ = words; }
  struct Convicted {
    std::uint64_t position = 0;
    std::uint64_t author = 0;
    std::uint64_t round = 0;
    friend bool operator==(const Convicted&, const Convicted&) = default;
  };
  void convict(const Evidence& e, const Transaction& where) override {
    const std::lock_guard lock(mutex_);
    convicted_.push_back({where.position, e.author.value, e.round.value});
  }
  std::vector<Convicted> convicted() const {
    const std::lock_guard lock(mutex_);
    return convicted_;
  }
  /// The node's thread stands still in apply().
  void hold(bool held) { held_ = held; }
  /// In what it answers, not in what it holds.
  void lies_by(long difference) {
    const std::lock_guard lock(mutex_);
    lie_ = difference;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Seen> seen_;
  std::vector<Convicted> convicted_;
  std::string broken_by_ = "-";
  std::atomic<bool> held_{false};
  long sum_ = 0;
  long lie_ = 0;
};

/// A network of tills.
class Tills {
 public:
  explicit Tills(std::uint32_t n, const std::string& protocol = "thresher",
                 const Parameters& parameters = {})
      : net_(n, protocol, parameters) {
    members_.resize(n);
    for (auto& m : members_) m.app = std::make_unique<Till>();
  }
  ~Tills() {
    for (std::size_t i = 0; i < members_.size(); ++i) stop(i);
  }
  void start(std::size_t i) {
    Member& m = members_[i];
    NodeOptions options;
    options.home = net_.home(i);
    options.log = [](Level, const std::string&) {};
    auto node = Node::open(std::move(options), *m.app);
    ASSERT_TRUE(node) << node.error();
    m.node = std::move(*node);
    m.ended = std::async(std::launch::async, [&node = *m.node] {
      const auto ended = node.run();
      return ended ? std::string() : ended.error().text();
    });
  }
  void start_all() {
    for (std::size_t i = 0; i < members_.size(); ++i) start(i);
  }
  void stop(std::size_t i) {
    if (!members_[i].node) return;
    members_[i].app->hold(false);
    members_[i].node->stop();
    members_[i].ended.wait();
    members_[i].node.reset();
  }
  const Network& net() const { return net_; }
  Node& node(std::size_t i) { return *members_[i].node; }
  Till& app(std::size_t i) { return *members_[i].app; }
  std::string ending(std::size_t i) {
    if (members_[i].ended.wait_for(std::chrono::seconds(30)) != std::future_status::ready)
      return {};
    return members_[i].ended.get();
  }
  /// A restart replays the log into an application that is new.
  void forget(std::size_t i) { members_[i].app = std::make_unique<Till>(); }
  std::unique_ptr<Client> client(ClientOptions options = {}) {
    auto client = Client::open(net_.home(0) + "/../genesis.json", std::move(options));
    EXPECT_TRUE(client) << client.error();
    return std::move(*client);
  }
  bool all_have(std::size_t count) {
    return Network::eventually([&] {
      return std::all_of(members_.begin(), members_.end(),
                         [&](const Member& m) { return m.app->seen().size() >= count; });
    });
  }

 private:
  struct Member {
    std::unique_ptr<Till> app;
    std::unique_ptr<Node> node;
    std::shared_future<std::string> ended;
  };
  Network net_;
  std::vector<Member> members_;
};

inline std::string text_of(const ApplyResult& result) {
  return std::string(as_text(result.bytes.view()));
}
inline std::string result_of(const CommitStatus& out) {
  EXPECT_TRUE(out.committed()) << out.why;
  if (!out.committed() || !out.receipt.result) return "(none)";
  return (out.receipt.result->failed ? "failed: " : "") + text_of(*out.receipt.result);
}

}  // namespace thresher::net
