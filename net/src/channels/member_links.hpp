// The links among the members of a committee, and the thread on which one protocol uses them.
// Private to net/.
//
//   MemberLinks links;
//   links.open(links_of(self, key, chain, members, "compare the genesis files"),
//              [](NodeId from, const Frame& frame) { ... },
//              [](const std::string& what) { ... });
//   ... make what receives frames on links.loop() ...
//   if (auto started = links.start(); !started) return started.error();
//   links.send(NodeId{2}, frame);                        // on the loop's thread
//   const auto status = links.on_loop([&] { ... });      // from any other thread
//
// Guarantees: frames of members alone are handed on, on the loop's thread; after end() nothing is
// called any more. The receiver of frames has to outlive end(), so its owner calls that first.
#pragma once

#include <algorithm>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "thresher/core/error.hpp"
#include "thresher/net/transport.hpp"

namespace thresher::net {

/// The member whose key this is; empty: none's.
inline std::optional<NodeId> place_of(const PublicKey& key,
                                      const std::vector<PeerAddress>& members) {
  const auto at = std::find_if(members.begin(), members.end(),
                               [&](const PeerAddress& member) { return member.key == key; });
  if (at == members.end()) return std::nullopt;
  return NodeId{static_cast<std::uint16_t>(at - members.begin())};
}

/// The error with the name of the call in front, for calls of one object that fail alike.
inline Error said_by(const std::string& call, Error error) {
  error.what = call + ": " + error.what;
  return error;
}

/// Links to members alone. `chain`: a member with another one never connects, and the log then says
/// `other_chain`.
inline TransportOptions links_of(NodeId self, const crypto::SigningKey& key, const Digest& chain,
                                 std::vector<PeerAddress> members, std::string other_chain) {
  TransportOptions out;
  out.self = self;
  out.key = key;
  out.chain = chain;
  out.nodes = std::move(members);
  out.other_chain = std::move(other_chain);
  out.max_clients = 0;
  return out;
}

class MemberLinks {
 public:
  using Receive = std::function<void(NodeId, const Frame&)>;
  using Log = std::function<void(const std::string&)>;
  using Changed = std::function<void(NodeId, bool up)>;

  MemberLinks() = default;
  ~MemberLinks() { end(); }
  MemberLinks(const MemberLinks&) = delete;
  MemberLinks& operator=(const MemberLinks&) = delete;

  /// Nothing is sent or received before start(). Pre: called once.
  /// `changed`: a link came up, or went down; it may be null.
  void open(TransportOptions options, Receive receive, Log log, Changed changed = {}) {
    const std::size_t members = options.nodes.size();
    transport_ = std::make_unique<Transport>(
        loop_, std::move(options),
        TransportCallbacks{
            [members, receive = std::move(receive)](ConnectionId from, const Frame& frame) {
              if (from < members) receive(NodeId{static_cast<std::uint16_t>(from)}, frame);
            },
            [members, changed = std::move(changed)](ConnectionId of, bool up) {
              if (changed && of < members) changed(NodeId{static_cast<std::uint16_t>(of)}, up);
            },
            std::move(log)});
  }
  /// Listens, and runs the loop on a thread. When it cannot, nothing runs. Pre: open.
  Result<Unit, Error> start() {
    auto started = transport_->start();
    if (started) thread_ = std::thread([this] { loop_.run(); });
    return started;
  }
  /// Stops the loop and closes the links. Pre: not on the loop's thread.
  void end() {
    loop_.stop();
    if (thread_.joinable()) thread_.join();
    if (transport_) transport_->close();
  }

  Loop& loop() { return loop_; }
  const Transport& transport() const { return *transport_; }
  /// False when there is no link, or its queue is full: the frame is lost then.
  bool send(NodeId to, const Frame& frame) { return transport_->send(to.value, frame); }
  bool on_loop_thread() const { return std::this_thread::get_id() == thread_.get_id(); }
  /// What `work()` returns on the loop's thread. Pre: started, and not on that thread.
  template <class F>
  auto on_loop(F work) {
    using R = decltype(work());
    auto done = std::make_shared<std::promise<R>>();
    auto result = done->get_future();
    loop_.post([done, work = std::move(work)] { done->set_value(work()); });
    return result.get();
  }

 private:
  Loop loop_;
  std::unique_ptr<Transport> transport_;
  std::thread thread_;
};

}  // namespace thresher::net
