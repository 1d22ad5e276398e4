// A few pages over HTTP/1.1, made when they are asked for, on a thread of their own. Private to
// net/.
//
//   HttpPages pages({{"/healthz", [] { return HttpPages::Answer{200, "ok\n"}; }}});
//   const auto listens = pages.listen("127.0.0.1", 9464);
//
// Guarantees: a client that sends a request gets its answer, however many others hold connections
// and say nothing: there are kConnections places, a sixteenth of the descriptors at most, and the
// oldest gives way. A connection ends with its answer, or after kPatience. A page runs on the
// server's thread, one at a time, and must not block. The end of the object waits for no client.
// GET alone; no bodies, no TLS: for loopback.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <utility>

#include "links/descriptors.hpp"
#include "thresher/core/error.hpp"

namespace thresher::net {

class HttpPages {
 public:
  struct Answer {
    int status = 200;
    std::string text;
    std::string type = "text/plain; charset=utf-8";
  };
  using Page = std::function<Answer()>;

  explicit HttpPages(std::map<std::string, Page> pages)
      : pages_(std::move(pages)),
        most_(std::min<std::size_t>(kConnections, share_of_descriptors(16))) {}
  ~HttpPages();
  HttpPages(const HttpPages&) = delete;
  HttpPages& operator=(const HttpPages&) = delete;

  /// Binds and begins to serve. Errors: the system's, in its words. `host`: an IPv4 address.
  Result<Unit, Error> listen(const std::string& host, std::uint16_t port);

  static constexpr std::size_t kConnections = 64;
  static constexpr std::size_t kRequestBytes = 8192;
  static constexpr std::chrono::seconds kPatience{5};

 private:
  using Clock = std::chrono::steady_clock;
  struct Visitor {
    int fd = -1;
    Clock::time_point until;
    std::string request;
    std::string answer;  // empty while the request comes
    std::size_t sent = 0;
    bool over = false;
  };
  void serve();
  void accept();
  void read(Visitor& v) const;
  static void write(Visitor& v);
  std::string answer_to(const std::string& request) const;
  void end_those_over();

  std::map<std::string, Page> pages_;
  std::size_t most_;  // connections
  int listener_ = -1;
  int wake_ = -1;                 // an eventfd, which ends the thread
  std::deque<Visitor> visitors_;  // oldest first
  std::thread thread_;
};

}  // namespace thresher::net
