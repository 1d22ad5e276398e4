// Accepts connections, and keeps those that have not said enough for TLS to answer. Private to
// transport.cpp, which is the one file that may include it.
//
//   Strangers strangers(io, settings, [](tcp::socket socket, Source from) { ... });
//   if (const auto e = strangers.listen(endpoint)) ...
//
// Guarantees: a connection that says nothing, or not a whole first record of TLS, costs a
// descriptor and some hundred bytes, no TLS, and is closed after `patience_us`; what is no TLS is
// closed at once. It is handed out with its first record, of which nothing has been read. The
// silent ones share `most` places, apart from those that have spoken: a stranger that opens
// thousands of connections a second and says nothing on them, or half a word, takes no place from
// others, for the first record comes along with the connection. Accepting goes on when it fails for
// want of descriptors.
#pragma once

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "files/disk_problem.hpp"
#include "links/asio.hpp"
#include "links/places.hpp"
#include "thresher/core/error.hpp"
#include "thresher/net/transport.hpp"

namespace thresher::net {

inline Source source_of(const boost::asio::ip::address& a) {
  if (a.is_v4()) return a.to_v4().to_uint();
  if (a.to_v6().is_v4_mapped()) {
    return boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, a.to_v6()).to_uint();
  }
  Source prefix = 0;
  const auto bytes = a.to_v6().to_bytes();
  for (std::size_t i = 0; i < 8; ++i) prefix = prefix << 8 | bytes[i];
  return prefix;
}

/// Why nobody can be listened for there.
inline Error cannot_listen(const std::string& where, boost::system::error_code e) {
  const std::string what = "cannot listen on " + where + ": ";
  if (e == boost::system::errc::address_not_available)
    return {ErrorCode::kMissing, what + std::string(kNotHere), where,
            "start this node on the machine that has it, or correct the genesis file"};
  return {
      code_of_errno(e.value()), what + e.message(), where,
      limit_remedy(e.value(), "stop what uses the port or change the address in the genesis file")};
}

class Strangers : public std::enable_shared_from_this<Strangers> {
 public:
  using tcp = boost::asio::ip::tcp;
  using error_code = boost::system::error_code;
  struct Settings {
    std::size_t most = 0;
    std::uint64_t patience_us = 0;
    std::set<Source> members{};
    std::uint64_t seed = 0;
  };
  using Spoke = std::function<void(tcp::socket, Source)>;

  Strangers(boost::asio::io_context& io, const Settings& settings, Spoke spoke)
      : io_(io),
        acceptor_(io),
        retry_(io),
        settings_(settings),
        places_(settings.most, settings.members, settings.seed),
        spoke_(std::move(spoke)) {}

  error_code listen(const tcp::endpoint& at) {
    error_code e;
    acceptor_.open(at.protocol(), e);
    if (!e) acceptor_.set_option(tcp::acceptor::reuse_address(true), e);
    if (!e) acceptor_.bind(at, e);
    if (!e) acceptor_.listen(boost::asio::socket_base::max_listen_connections, e);
    if (!e) accept();
    return e;
  }

  void close() {
    closed_ = true;
    error_code ignored;
    acceptor_.close(ignored);
    retry_.cancel(ignored);
    for (const auto& [number, silent] : std::exchange(silent_, {})) silent->close();
  }

 private:
  struct Silent {
    explicit Silent(tcp::socket s) : socket(std::move(s)), deadline(socket.get_executor()) {}
    void close() {
      error_code ignored;
      deadline.cancel(ignored);
      socket.close(ignored);
    }
    tcp::socket socket;
    boost::asio::steady_timer deadline;
    Source from = 0;
    int looks = 0;
  };
  enum class Said : std::uint8_t { kRecord, kPart, kNothing, kNonsense };
  static constexpr std::chrono::milliseconds kAcceptRetry{100};
  static constexpr int kMostLooks = 4;
  // RFC 8446, 5.1: type, version and length, and what a record holds at most.
  static constexpr std::size_t kRecordHead = 5;
  static constexpr std::size_t kMostRecord = 1u << 14;
  static constexpr unsigned char kHandshakeRecord = 22;

  void accept() {
    acceptor_.async_accept(io_, [self = shared_from_this()](const error_code& e, tcp::socket s) {
      if (self->closed_) return;
      if (e) return self->accept_later();
      self->admit(std::move(s));
      self->accept();
    });
  }

  void accept_later() {
    retry_.expires_after(kAcceptRetry);
    retry_.async_wait([self = shared_from_this()](const error_code& e) {
      if (!e && !self->closed_) self->accept();
    });
  }

  void admit(tcp::socket socket) {
    error_code e;
    const auto end = socket.remote_endpoint(e);
    if (e) return;  // gone already
    const std::uint64_t number = next_++;
    const auto silent = std::make_shared<Silent>(std::move(socket));
    silent->from = source_of(end.address());
    silent_.emplace(number, silent);
    if (const auto out = places_.enter(number, silent->from)) drop(*out);
    if (!silent_.contains(number)) return;
    await_record(number, silent);
    silent->deadline.expires_after(std::chrono::microseconds(settings_.patience_us));
    silent->deadline.async_wait([self = shared_from_this(), number](const error_code& early) {
      if (!early && !self->closed_) self->drop(number);
    });
  }

  void await_record(std::uint64_t number, const std::shared_ptr<Silent>& silent) {
    silent->socket.async_wait(tcp::socket::wait_read, [self = shared_from_this(), number,
                                                       silent](const error_code& failed) {
      if (self->closed_ || !self->silent_.contains(number)) return;
      const Said said = failed ? Said::kNonsense : look(silent->socket);
      if (said == Said::kNothing) return self->await_record(number, silent);
      // Whatever comes in how many pieces: the head, and the rest.
      if (said == Said::kNonsense || ++silent->looks > kMostLooks) return self->drop(number);
      if (said == Said::kPart) return self->await_record(number, silent);
      self->silent_.erase(number);
      self->places_.leave(number);
      silent->deadline.cancel();
      self->spoke_(std::move(silent->socket), silent->from);
    });
  }

  // Takes nothing out of the socket. Where a part is missing the socket is readable again when it
  // is there (SO_RCVLOWAT, socket(7)), or at the end. A wait may also end with nothing there: Asio
  // gives a new socket the event of the one that had its descriptor and its record just before.
  static Said look(tcp::socket& socket) {
    std::array<unsigned char, kRecordHead> head{};
    const ssize_t n =
        ::recv(socket.native_handle(), head.data(), head.size(), MSG_PEEK | MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return Said::kNothing;
    if (n <= 0) return Said::kNonsense;
    if (head[0] != kHandshakeRecord) return Said::kNonsense;
    std::size_t need = kRecordHead;
    if (static_cast<std::size_t>(n) == kRecordHead) need += head[3] * 256u + head[4];
    if (need > kRecordHead + kMostRecord) return Said::kNonsense;
    error_code e;
    const bool whole = need > kRecordHead && socket.available(e) >= need;
    const int low = whole ? 1 : static_cast<int>(need);
    (void)::setsockopt(socket.native_handle(), SOL_SOCKET, SO_RCVLOWAT, &low, sizeof low);
    return whole ? Said::kRecord : Said::kPart;
  }

  void drop(std::uint64_t number) {
    places_.leave(number);
    const auto it = silent_.find(number);
    if (it == silent_.end()) return;
    const auto silent = it->second;
    silent_.erase(it);
    silent->close();
  }

  boost::asio::io_context& io_;
  tcp::acceptor acceptor_;
  boost::asio::steady_timer retry_;
  Settings settings_;
  Places places_;
  Spoke spoke_;
  std::map<std::uint64_t, std::shared_ptr<Silent>> silent_;
  std::uint64_t next_ = 1;
  bool closed_ = false;
};

}  // namespace thresher::net
