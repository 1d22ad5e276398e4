// What a Loop holds; for the files that may see Asio.
//
// All waits of a loop share one timer of the system. It is set anew only for a wait that ends
// before all others, and a cancelled wait leaves it as it is: a node sets and cancels some thousand
// waits a second, and each change of the system's timer is a call that costs more than the wait's
// work. So the thread may wake once for a wait that has been cancelled; it calls nothing then.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "links/asio.hpp"
#include "thresher/net/transport.hpp"

namespace thresher::net {

struct Loop::Impl : std::enable_shared_from_this<Loop::Impl> {
  Impl() : own(std::make_unique<boost::asio::io_context>(1)), context(*own) {}
  explicit Impl(boost::asio::io_context& host) : context(host) {}

  static constexpr std::uint64_t kNoAlarm = ~std::uint64_t{0};

  /// Sees to it that ring() is called when the first wait ends.
  void set_alarm();
  /// Sees to it that ring() is called when the thread has done what it has to do already: what
  /// waits for no time needs no timer of the system.
  void ring_soon();
  /// Calls all whose wait has ended, in the order of their ends, and none that is asked for
  /// meanwhile; nobody behind one that stops the loop.
  void ring();

  std::unique_ptr<boost::asio::io_context> own;  // null: the host's
  boost::asio::io_context& context;
  std::atomic<bool> stopped{false};  // of a loop on the host's context: nothing is called any more
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::function<void()>> waits;  // by end, handle
  std::map<std::uint64_t, std::uint64_t> ends;                                     // by handle
  std::unique_ptr<boost::asio::steady_timer> alarm;  // null: nobody has waited yet, or no more
  std::uint64_t alarm_us = kNoAlarm;                 // what it is set for
  bool ringing_soon = false;                         // ring_soon() was called, ring() was not yet
  std::uint64_t next = 0;
};

}  // namespace thresher::net
