// One client of a cluster under load: a connection with a key of its own, and what it has sent and
// not got acknowledged.
//
//   LoadClient client(loop, genesis, node, hooks);      // connects, and goes on elsewhere when the
//   if (client.ready()) client.submit(lines);           // node goes away
//
// Guarantees: what was not acknowledged is sent again, to the next node that answers, with the
// slots it was sent with, so it counts once.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "commit_path.hpp"
#include "thresher/crypto/signing_key.hpp"
#include "thresher/net/genesis.hpp"
#include "thresher/net/transport.hpp"

namespace thresher::cli {

struct LoadHooks {
  std::function<ByteView(std::uint64_t line)> data;  ///< valid until the next call
  /// One, so long after it was sent.
  std::function<void(std::uint64_t line, std::uint64_t position, std::uint64_t latency_us)>
      committed;
  std::function<void()> answered;                       ///< some were committed just now
  std::function<void(const std::string& why)> refused;  ///< for good
  std::function<bool(std::size_t node)> reachable;
  std::function<void(const TracedTransaction&)> traced{};  ///< null: nobody wants to know
};

class LoadClient {
 public:
  LoadClient(net::Loop& loop, const net::Genesis& genesis, std::size_t node, LoadHooks hooks);
  LoadClient(const LoadClient&) = delete;
  LoadClient& operator=(const LoadClient&) = delete;

  /// The node has said in which slot it is.
  bool ready() const { return ready_; }
  std::uint64_t in_flight() const { return in_flight_; }
  /// The node at hand.
  std::size_t node() const { return node_; }
  void submit(const std::vector<std::uint64_t>& lines);
  /// Reconnects no more.
  void stop() { stopped_ = true; }

 private:
  struct Flight {
    std::uint64_t sent_us = 0;
    std::uint64_t line = 0;
    Round since{0};
    bool done = false;
  };

  void connect();
  void linked(bool up);
  void frame(const net::Frame& f);
  void acknowledge(const net::Frame& f);
  void refused(const net::Frame& f);
  void send(std::uint64_t from);

  net::Loop& loop_;
  const net::Genesis& genesis_;
  std::size_t node_;
  LoadHooks hooks_;
  crypto::SigningKey key_ = crypto::SigningKey::generate();
  std::uint64_t id_ = 0;  // the beginning of the client's
  std::unique_ptr<net::ClientLink> link_;
  bool ready_ = false;
  bool stopped_ = false;
  Round slot_{0};  // the last that the node at hand named
  std::uint64_t longest_life_ = 0;
  std::uint64_t base_ = 0;  // sequence of flying_.front()
  std::deque<Flight> flying_;
  std::uint64_t in_flight_ = 0;
};

}  // namespace thresher::cli
