// One Transport on a thread of its own, and what it reported; and options for a committee of them.
//
//   auto options = nodes(2);
//   Host a(options[0]), b(options[1]);
//   EXPECT_TRUE(Network::eventually([&] { return a.up(1); }));
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <future>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "../../integration/node/network.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/net/transport.hpp"

namespace thresher::net {

/// With THRESHER_TEST_THREADS its loops have helpers.
inline std::vector<TransportOptions> nodes(std::size_t n) {
  const char* const threads = std::getenv("THRESHER_TEST_THREADS");
  std::vector<TransportOptions> out(n);
  std::vector<PeerAddress> addresses;
  for (const TransportOptions& o : out) {
    addresses.push_back({o.key.public_key(), "127.0.0.1", free_ports(1).at(0)});
  }
  for (std::size_t i = 0; i < n; ++i) {
    out[i].self = NodeId{static_cast<std::uint16_t>(i)};
    out[i].nodes = addresses;
    if (threads != nullptr) out[i].threads = static_cast<std::uint32_t>(std::stoul(threads));
  }
  return out;
}

/// Hash of frames up to this one. `before`: of those in front of it; zero when there are
/// none.
inline Digest hash_behind(const Digest& before, const Frame& frame) {
  Writer w;
  w.bytes(before.bytes).u8(frame.kind).u64(frame.control.size()).bytes(frame.control.view());
  return hash(w.bytes(frame.payload.view()).view());
}

/// One Transport on a thread of its own, and what it reported.
class Host {
 public:
  explicit Host(TransportOptions options)
      : transport_(loop_, std::move(options),
                   {[this](ConnectionId from, const Frame& frame) {
                      const std::lock_guard lock(mutex_);
                      ++frames_[from];
                      hashes_[from] = hash_behind(hashes_[from], frame);
                    },
                    [this](ConnectionId who, bool up) {
                      const std::lock_guard lock(mutex_);
                      up_[who] = up;
                      told_.emplace_back(who, up);
                    },
                    [this](const std::string& why) {
                      const std::lock_guard lock(mutex_);
                      errors_.push_back(why);
                    },
                    [this](const LinkChange& change) {
                      const std::lock_guard lock(mutex_);
                      changes_.push_back(change);
                    }}) {
    EXPECT_TRUE(transport_.start());
    thread_ = std::thread([this] { loop_.run(); });
  }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  ~Host() {
    loop_.post([this] {
      transport_.close();
      loop_.stop();
    });
    thread_.join();
  }
  bool up(ConnectionId who) const {
    const std::lock_guard lock(mutex_);
    const auto it = up_.find(who);
    return it != up_.end() && it->second;
  }
  /// What it reported of links, in order.
  std::vector<std::pair<ConnectionId, bool>> told() const {
    const std::lock_guard lock(mutex_);
    return told_;
  }
  std::uint64_t frames(ConnectionId from) const {
    const std::lock_guard lock(mutex_);
    const auto it = frames_.find(from);
    return it == frames_.end() ? 0 : it->second;
  }
  /// hash_behind() of all of them in their order.
  Digest hashes(ConnectionId from) const {
    const std::lock_guard lock(mutex_);
    const auto it = hashes_.find(from);
    return it == hashes_.end() ? Digest{} : it->second;
  }
  std::vector<std::string> errors() const {
    const std::lock_guard lock(mutex_);
    return errors_;
  }
  std::vector<LinkChange> changes() const {
    const std::lock_guard lock(mutex_);
    return changes_;
  }
  /// What `ask` says, on the loop's thread.
  template <class F>
  auto on_loop(F ask) {
    std::promise<decltype(ask(transport_))> answer;
    loop_.post([&] { answer.set_value(ask(transport_)); });
    return answer.get_future().get();
  }

 private:
  mutable std::mutex mutex_;
  std::map<ConnectionId, std::uint64_t> frames_;
  std::map<ConnectionId, Digest> hashes_;
  std::map<ConnectionId, bool> up_;
  std::vector<std::pair<ConnectionId, bool>> told_;
  std::vector<std::string> errors_;
  std::vector<LinkChange> changes_;
  Loop loop_;
  Transport transport_;
  std::thread thread_;
};

}  // namespace thresher::net
