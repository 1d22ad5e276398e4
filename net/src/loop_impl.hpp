// What a Loop holds; for the two files that may see Asio.
#pragma once

#include <atomic>
#include <map>
#include <memory>

#include "asio.hpp"
#include "thresher/net/transport.hpp"

namespace thresher::net {

struct Loop::Impl {
  Impl() : own(std::make_unique<boost::asio::io_context>(1)), context(*own) {}
  explicit Impl(boost::asio::io_context& host) : context(host) {}

  std::unique_ptr<boost::asio::io_context> own;  // null: the host's
  boost::asio::io_context& context;
  std::atomic<bool> stopped{false};  // of a loop on the host's context: nothing is called any more
  std::map<std::uint64_t, std::unique_ptr<boost::asio::steady_timer>> timers;
  std::uint64_t next = 0;
};

}  // namespace thresher::net
