// What a Loop holds; for the two files that may see Asio.
#pragma once

#include <map>
#include <memory>

#include "asio.hpp"
#include "thresher/net/transport.hpp"

namespace thresher::net {

struct Loop::Impl {
  boost::asio::io_context context{1};
  std::map<std::uint64_t, std::unique_ptr<boost::asio::steady_timer>> timers;
  std::uint64_t next = 0;
};

}  // namespace thresher::net
