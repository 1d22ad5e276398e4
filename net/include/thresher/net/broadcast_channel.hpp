// Reliable broadcast for programs: join with a key and addresses, send bytes, get everybody's.
//
//   auto channel = broadcast::Channel::join({.key = key, .members = members},
//       [](const broadcast::Delivery& d) { show(d.instance.origin, as_text(d.payload.view())); });
//   if (!channel) return fail(channel.error());
//   if (auto sent = (*channel)->send(as_view("hello")); !sent) warn(sent.error());
//
// or without a callback, in a coroutine of Boost.Asio, with thresher/net/completion.hpp:
//
//   broadcast::Delivery d = co_await channel.next(boost::asio::use_awaitable);
//
// Guarantees: those of the broadcast that `protocol` names (protocols/broadcast/broadcast.hpp):
// every correct member delivers the same payloads, each once in a process, also of members that
// lie, up to f of them. Links are TLS 1.3 with the members' keys pinned. With a folder, what a
// member said outlives crashes and power cuts, and payloads that were delivered before a crash may
// be delivered again; without one it must not come back with its key. The last 4,096 payloads are
// kept for members that lag. A member so far behind that the others forgot what it lacks skips
// that, and learns so from `missed`, status() and the log; with chained-echo and folders at all
// members none skips anything. One thread of its own; `deliver` is called there and must not block.
// Deliveries that next() has not taken are kept up to `origin_bytes`; a program that lets more of
// them wait is a member that lags. Nothing is ordered among origins. Errors say what is wrong,
// where, and what to do.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "thresher/core/error.hpp"
#include "thresher/crypto/signing_key.hpp"
#include "thresher/net/transport.hpp"
#include "thresher/protocols/broadcast/broadcast.hpp"

namespace thresher::broadcast {

struct ChannelOptions {
  crypto::SigningKey key = crypto::SigningKey::generate();  ///< whose is one of the members'
  std::vector<net::PeerAddress> members{};  ///< the same, in the same order, at every member
  std::string protocol = "bracha";          ///< as `thresher protocols` calls it
  std::string name = "channel";             ///< members of other names never connect
  std::uint32_t f = 0;                      ///< liars that are borne; 0: as many as n allows
  std::string folder{};                     ///< where records lie; empty: nowhere
  std::uint64_t delta_us = 20'000;          ///< what a message takes at most when all is well
  std::uint64_t window = 64;                ///< payloads of one member on the way
  std::size_t payload_bytes = 1u << 20;     ///< largest payload; at most 64 MiB
  std::size_t origin_bytes = 16u << 20;     ///< kept of one member, and for next(); >= two payloads
  std::uint32_t speakers = 1;               ///< of chained-echo: members that speak of an instance
  /// With chained-echo without a folder: how long to wait for a member that lags, until it was
  /// level for as long.
  std::uint64_t patience_us = 10'000'000;
  /// This many more payloads will never be delivered here, since the others forgot them. On the
  /// channel's thread, at once; the log says it as well, once a second.
  std::function<void(std::uint64_t)> missed{};
  /// Gets what is wrong with links and disk, on the channel's thread. Default: stderr.
  std::function<void(const std::string&)> log{};
};

/// Counters since the channel began.
struct ChannelStatus {
  std::uint64_t delivered = 0;
  std::uint64_t refused = 0;     ///< messages of peers: malformed, over a limit, too old
  std::uint64_t bytes_sent = 0;  ///< to other members
  std::uint64_t skipped = 0;     ///< payloads that are never delivered here: others forgot them
  std::uint64_t syncs = 0;       ///< of the disk
  std::size_t ready = 0;         ///< deliveries that wait for next()
  std::size_t links = 0;         ///< other members that are connected now
  std::size_t open = 0;          ///< instances on the way
};

/// Thrown by next(): there is no delivery any more.
class ChannelEnded : public std::runtime_error {
 public:
  ChannelEnded() : std::runtime_error("the channel has ended") {}
};

/// Gets a delivery, or nothing when the channel has ended.
using OnDelivery = std::function<void(std::optional<Delivery>)>;
template <class T>
concept NextToken = !std::is_invocable_v<std::decay_t<T>&, std::optional<Delivery>>;

class Channel {
 public:
  using Deliver = std::function<void(const Delivery&)>;

  /// kRejected: the options do not fit each other, or the members. kMismatch: the key is not a
  /// member's. Also those of net::DiskStore::open_checked() and net::Transport::start().
  static Result<std::unique_ptr<Channel>, Error> join(ChannelOptions options, Deliver deliver);
  /// Leaves at once; what was not delivered yet others may still deliver.
  ~Channel();

  /// From any thread; returns once the broadcast has taken the payload. kRejected: it is too
  /// large. kBusy: too much is on the way; wait for deliveries. kIo: the disk failed before.
  Result<Unit, Error> send(ByteView payload);
  /// The next delivery that no earlier call was given, in place of `deliver`. From any thread.
  /// Throws ChannelEnded when the channel ends before. Pre: join() got no `deliver`.
  std::future<Delivery> next();
  /// The same; `taker` is called once: here when a delivery waits already, else on the channel's
  /// thread, which it must not hold up, or on that of whoever ends the channel.
  void next(OnDelivery taker);
  /// The same with a completion token of Boost.Asio: thresher/net/completion.hpp defines it.
  template <NextToken Token>
  auto next(Token&& token);
  ChannelStatus status() const;
  NodeId self() const;

 private:
  struct Impl;
  explicit Channel(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace thresher::broadcast
