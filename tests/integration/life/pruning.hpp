// Four nodes that keep a part of their log.
//
//   Pruning p;
//   for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(p.net.start(i, p.options()), "");
//   p.run_until_pruned(100);
#pragma once

#include <sys/stat.h>

#include "network.hpp"
#include "thresher/net/client.hpp"

namespace thresher::net {

namespace fs = std::filesystem;

inline constexpr std::size_t kPayload = 50'000;

/// Four nodes with a checkpoint every 4 slots, a snapshot every 2 checkpoints, files of a MiB, and
/// a DAG that is kept for as short as it can be.
struct Pruning {
  explicit Pruning(const std::string& protocol = "thresher", const std::string& checkpoint = "4",
                   std::uint32_t nodes = 4)
      : net(nodes, protocol, {{"checkpoint", checkpoint}}) {}

  Network net;
  std::size_t payload = kPayload;
  bool at_once = false;  // what is submitted until something is pruned
  std::mutex mutex;
  std::vector<std::string> warnings;
  std::uint64_t length = 0;
  std::vector<std::size_t> senders{0, 1, 2, 3};  // nodes that run

  NodeOptions options() {
    NodeOptions out;
    out.snapshot_checkpoints = 2;
    out.keep_snapshots = 2;
    out.segment_bytes = 1u << 20;
    out.gc_rounds = 16;
    out.sync_rounds = 8;
    out.log = [this](Level level, const std::string& line) {
      const std::lock_guard lock(mutex);
      if (level >= Level::kWarning) warnings.push_back(line);
    };
    return out;
  }
  void submit(const std::string& text) {
    std::string data = text;
    data.resize(payload, '.');
    length = net.submit(senders[length % senders.size()], data).position + 1;
  }
  NodeStatus status(std::size_t node) const {
    const auto client =
        Client::open(genesis_file(), {.node = NodeId{static_cast<std::uint16_t>(node)}});
    return (*client)->status().get();
  }
  std::uint64_t begins(std::size_t node) const { return status(node).begins; }
  std::string waits_for(std::size_t node) const { return status(node).waits_for; }
  std::string genesis_file() const {
    return (fs::path(net.home(0)).parent_path() / "genesis.json").string();
  }
  /// Bytes that a node's store takes, as the file system has them.
  std::uint64_t on_disk(std::size_t node) const {
    std::uint64_t sum = 0;
    for (const auto& entry : fs::recursive_directory_iterator(
             net.home(node) + "/data", fs::directory_options::skip_permission_denied)) {
      struct stat info {};
      if (::stat(entry.path().c_str(), &info) == 0 && S_ISREG(info.st_mode))
        sum += static_cast<std::uint64_t>(info.st_blocks) * 512;
    }
    return sum;
  }
  /// From all senders at once: in half of the time, and with fewer slots for as many positions.
  void submit_ten() {
    std::vector<std::string> texts;
    for (std::uint64_t k = 0; k < 10; ++k) texts.push_back("entry " + std::to_string(length + k));
    std::vector<std::future<Receipt>> sent;
    for (std::string& text : texts) {
      text.resize(payload, '.');
      sent.push_back(net.submit_later(senders[sent.size() % senders.size()], as_view(text)));
    }
    for (auto& one : sent) {
      ASSERT_EQ(one.wait_for(std::chrono::seconds(20)), std::future_status::ready);
      length = std::max(length, one.get().position + 1);
    }
  }
  /// Goes on until a node has pruned more than `position`. At leisure: it looks each second whether
  /// it may.
  void run_until_pruned(std::uint64_t position, std::size_t node = 3) {
    EXPECT_TRUE(Network::eventually([&] {
      if (at_once) submit_ten();
      for (int k = 0; k < 10 && !at_once; ++k) submit("entry " + std::to_string(length));
      if (begins(node) > position) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      return false;
    }));
  }
  NodeOptions resting(std::size_t node) const {
    NodeOptions out;
    out.home = net.home(node);
    return out;
  }
  void expect_no_warnings() {
    const std::lock_guard lock(mutex);
    EXPECT_TRUE(warnings.empty()) << warnings.front();
  }
};

}  // namespace thresher::net
