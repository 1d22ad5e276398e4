// Nodes of one network in this process: real sockets, TLS and disks, one thread a node.
//
//   Network net(4);
//   net.start(0, options); net.submit(0, "hello"); net.stop(0);
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "thresher/crypto/key_file.hpp"
#include "thresher/net/coin.hpp"
#include "thresher/net/genesis.hpp"
#include "thresher/net/node.hpp"
#include "thresher/net/ports.hpp"
#include "thresher/net/replay.hpp"

namespace thresher::net {

/// Remembers what it was given; its state is the hash of that.
class Recorder final : public App {
 public:
  Bytes apply(const Transaction& t) override {
    while (held_) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const std::lock_guard lock(mutex_);
    Writer w;
    w.bytes(state_.bytes).u64(t.position).bytes(t.data);
    state_ = hash(w.view());
    ++count_;
    ++applied_;
    if (t.position == wrong_state_at_) state_.bytes[0] ^= std::byte{1};
    return t.position == wrong_result_at_ ? Bytes::copy_of(as_view("wrong")) : Bytes{};
  }
  /// As an application that is not deterministic. To be said before the node starts.
  void answer_wrongly_at(std::uint64_t position) { wrong_result_at_ = position; }
  void remember_wrongly_at(std::uint64_t position) { wrong_state_at_ = position; }
  /// The bytes of its snapshots are this node's alone.
  void freeze_with(std::uint8_t own) { own_byte_ = own; }
  void restore_wrongly() { restores_wrongly_ = true; }
  Digest state() const override {
    const std::lock_guard lock(mutex_);
    return state_;
  }
  /// While held, the node's thread stands still: it reads nothing from its peers either.
  void hold(bool held) { held_ = held; }
  /// While held, a snapshot that has begun is not written to its end.
  void hold_snapshots(bool held) { *snapshots_held_ = held; }
  std::unique_ptr<Frozen> freeze() const override {
    return std::make_unique<Slow>(App::freeze(), own_byte_, snapshots_held_);
  }
  std::uint64_t count() const { return count_; }
  /// Transactions applied by this object, restored ones not counted.
  std::uint64_t applied() const { return applied_; }
  std::optional<Bytes> snapshot() const override {
    Writer w;
    w.u64(count_).bytes(state().bytes);
    return Bytes::from(w.take());
  }
  bool restore(ByteView bytes) override {
    Reader in(bytes);
    const std::uint64_t count = in.u64();
    const Digest state = in.digest();
    if (!in.done()) return false;
    const std::lock_guard lock(mutex_);
    count_ = count;
    state_ = state;
    if (restores_wrongly_) state_.bytes[0] ^= std::byte{1};
    return true;
  }

 private:
  class Slow final : public Frozen {
   public:
    Slow(std::unique_ptr<Frozen> state, std::optional<std::uint8_t> own,
         std::shared_ptr<std::atomic<bool>> held)
        : state_(std::move(state)), own_(own), held_(std::move(held)) {}
    bool write(const std::function<bool(ByteView)>& sink) const override {
      while (*held_) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      return state_->write(sink) && (!own_ || sink(Writer().u8(*own_).view()));
    }

   private:
    std::unique_ptr<Frozen> state_;
    std::optional<std::uint8_t> own_;
    std::shared_ptr<std::atomic<bool>> held_;
  };

  mutable std::mutex mutex_;
  std::atomic<bool> held_{false};
  std::shared_ptr<std::atomic<bool>> snapshots_held_ = std::make_shared<std::atomic<bool>>(false);
  Digest state_{};
  std::uint64_t wrong_result_at_ = ~std::uint64_t{0};
  std::uint64_t wrong_state_at_ = ~std::uint64_t{0};
  bool restores_wrongly_ = false;
  std::optional<std::uint8_t> own_byte_;
  std::atomic<std::uint64_t> count_{0};
  std::atomic<std::uint64_t> applied_{0};
};

class Network {
 public:
  explicit Network(std::uint32_t n, const std::string& protocol = "thresher",
                   const Parameters& parameters = {})
      : running_(n) {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = test->name();
    std::replace(name.begin(), name.end(), '/', '-');
    dir_ = std::filesystem::temp_directory_path() /
           ("thresher-node-" + std::to_string(::getpid()) + "-" + name);
    std::filesystem::create_directories(dir_);
    genesis_.f = (n - 1) / 3;
    genesis_.chain = test->name();
    genesis_.protocol = protocol;
    genesis_.parameters = parameters;
    for (std::uint32_t i = 0; i < n; ++i) {
      std::filesystem::create_directories(home(i));
      const auto key = crypto::SigningKey::generate();
      EXPECT_TRUE(crypto::save_key(key, home(i) + "/node.key"));
      genesis_.nodes.push_back({key.public_key(), "127.0.0.1", free_ports(1).at(0)});
    }
    if (needs_coin(protocol)) {
      std::vector<std::string> homes;
      for (std::uint32_t i = 0; i < n; ++i) homes.push_back(home(i));
      EXPECT_TRUE(deal_coin(genesis_, homes));
    }
    EXPECT_TRUE(save_genesis(genesis_, (dir_ / "genesis.json").string()));
  }
  ~Network() {
    for (std::size_t i = 0; i < running_.size(); ++i) stop(i);
    std::filesystem::remove_all(dir_);
  }

  std::string home(std::size_t i) const { return (dir_ / ("node" + std::to_string(i))).string(); }
  const Genesis& genesis() const { return genesis_; }

  /// Empty, or why the node could not be opened. `prepare` gets the application before the node.
  std::string start(
      std::size_t i, NodeOptions options = {},
      const std::function<void(Recorder&)>& prepare = [](Recorder&) {}) {
    auto& r = running_[i];
    r = std::make_unique<Running>();
    prepare(r->app);
    options.home = home(i);
    auto node = Node::open(std::move(options), r->app);
    if (!node) {
      const std::string why = node.error().text();
      r.reset();
      return why;
    }
    r->node = std::move(*node);
    r->thread = std::thread([&r = *r] {
      const auto ended = r.node->run();
      if (!ended) r.ended_because = ended.error().text();
      r.ended = true;
    });
    return {};
  }
  /// How the node ended; empty: well.
  std::string stop(std::size_t i) {
    if (!running_[i]) return {};
    running_[i]->app.hold(false);
    running_[i]->app.hold_snapshots(false);
    running_[i]->node->stop();
    running_[i]->thread.join();
    std::string ended = running_[i]->ended_because;
    running_[i].reset();
    return ended;
  }
  Receipt submit(std::size_t i, const std::string& text) {
    auto future = running_[i]->node->submit(as_view(text));
    EXPECT_EQ(future.wait_for(std::chrono::seconds(20)), std::future_status::ready);
    return future.get();
  }
  std::future<Receipt> submit_later(std::size_t i, ByteView data, Prove prove = Prove::kNo) {
    return running_[i]->node->submit(data, {.prove = prove});
  }
  std::future<Answer> query(std::size_t i, const std::string& question, std::uint64_t length) {
    return running_[i]->node->query(as_view(question), length);
  }
  Recorder& app(std::size_t i) { return running_[i]->app; }
  /// Waits until node `i` has applied `count` transactions; false after 20 s.
  bool reaches(std::size_t i, std::uint64_t count) {
    return eventually([&] { return running_[i]->app.count() >= count; });
  }
  /// All nodes apply `count` transactions and then hold the same.
  void expect_same_state(std::uint64_t count) {
    for (std::size_t i = 0; i < running_.size(); ++i)
      EXPECT_TRUE(reaches(i, count)) << "node " << i;
    for (std::size_t i = 1; i < running_.size(); ++i) EXPECT_EQ(app(i).state(), app(0).state());
  }
  /// The node's protocol does again what it did in its last starts, of which there are `starts`
  /// journals. Pre: it is stopped.
  void expect_replays(std::size_t i, std::size_t starts) const {
    std::size_t found = 0;
    for (const auto& file : std::filesystem::directory_iterator(home(i) + "/journal")) {
      const auto again = replay_journal(
          file.path().string(), {(dir_ / "genesis.json").string(), home(i) + "/coin.key", {}});
      ASSERT_TRUE(again) << again.error();
      EXPECT_FALSE(again->difference)
          << file << " entry " << again->difference->entry << ": recorded "
          << again->difference->recorded << ", now " << again->difference->now;
      EXPECT_EQ(again->end, Replayed::End::kClosed) << again->damage;
      EXPECT_GT(again->commits, 0u);
      ++found;
    }
    EXPECT_EQ(found, starts);
  }
  bool ended(std::size_t i) const { return running_[i]->ended; }
  /// Waits until node `i` stopped by itself; why, or empty after 20 s.
  std::string ending(std::size_t i) {
    eventually([&] { return running_[i]->ended.load(); });
    return running_[i]->ended ? running_[i]->ended_because : std::string();
  }
  template <class F>
  static bool eventually(F done) {
    for (int k = 0; k < 2000; ++k) {
      if (done()) return true;  // not asked again: it may have done something, such as connect
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

 private:
  struct Running {
    Recorder app;
    std::unique_ptr<Node> node;
    std::thread thread;
    std::string ended_because;
    std::atomic<bool> ended{false};
  };
  std::filesystem::path dir_;
  Genesis genesis_;
  std::vector<std::unique_ptr<Running>> running_;
};

}  // namespace thresher::net
