#include "http/http_pages.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <vector>

#include "files/disk_problem.hpp"
#include "http/gateway_json.hpp"

namespace thresher::net {
namespace {

std::string text_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    default:
      return "Service Unavailable";
  }
}

std::string whole(const HttpPages::Answer& answer, bool with_body = true) {
  return "HTTP/1.1 " + std::to_string(answer.status) + " " + text_of(answer.status) +
         (answer.status == 405 ? "\r\nAllow: GET" : "") + "\r\nContent-Type: " + answer.type +
         "\r\nContent-Length: " + std::to_string(answer.text.size()) +
         "\r\nConnection: close\r\n\r\n" + (with_body ? answer.text : std::string());
}

bool would_block() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

// The value of the first such header; empty: there is none, as HTTP/1.0 allows.
std::string_view host_in(std::string_view request) {
  constexpr std::string_view kName = "host:";
  while (true) {
    const std::size_t end = request.find('\n');
    if (end == request.npos) return {};
    request.remove_prefix(end + 1);
    const std::string_view line = request.substr(0, request.find_first_of("\r\n"));
    const bool is_host = line.size() > kName.size() &&
                         std::ranges::equal(line.substr(0, kName.size()), kName, {}, [](char c) {
                           return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
                         });
    if (!is_host) continue;
    const std::string_view value = line.substr(kName.size());
    const std::size_t begin = value.find_first_not_of(" \t");
    if (begin == value.npos) return {};
    return value.substr(begin, value.find_last_not_of(" \t") + 1 - begin);
  }
}

}  // namespace

HttpPages::~HttpPages() {
  if (thread_.joinable()) {
    const std::uint64_t one = 1;
    (void)!::write(wake_, &one, sizeof one);
    thread_.join();
  }
  for (const Visitor& v : visitors_) ::close(v.fd);
  if (listener_ >= 0) ::close(listener_);
  if (wake_ >= 0) ::close(wake_);
}

Result<Unit, Error> HttpPages::listen(const std::string& host, std::uint16_t port) {
  const std::string where = host + ":" + std::to_string(port);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(port);
  if (::inet_pton(AF_INET, host.c_str(), &at.sin_addr) != 1)
    return Error{ErrorCode::kMalformed, "not an IPv4 address", where};
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  wake_ = ::eventfd(0, EFD_CLOEXEC);
  const int yes = 1;
  const bool ok = listener_ >= 0 && wake_ >= 0 &&
                  ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
                  ::bind(listener_, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0 &&
                  ::listen(listener_, SOMAXCONN) == 0;
  if (const int error = ok ? 0 : errno; error != 0)
    return Error{code_of_errno(error), std::strerror(error), where, limit_remedy(error, {})};
  thread_ = std::thread([this] { serve(); });
  return Unit{};
}

void HttpPages::serve() {
  std::vector<pollfd> fds;
  while (true) {
    fds = {{wake_, POLLIN, 0}, {listener_, POLLIN, 0}};
    for (const Visitor& v : visitors_) {
      fds.push_back({v.fd, static_cast<short>(v.answer.empty() ? POLLIN : POLLOUT), 0});
    }
    // Once a second for those who take too long; an accept that failed is tried again then too.
    (void)::poll(fds.data(), fds.size(), visitors_.empty() ? -1 : 1000);
    if (fds[0].revents != 0) return;
    for (std::size_t i = 0; i < visitors_.size(); ++i) {
      if (fds[i + 2].revents == 0) continue;
      Visitor& v = visitors_[i];
      if (v.answer.empty()) read(v);
      if (!v.answer.empty()) write(v);
    }
    end_those_over();
    if (fds[1].revents != 0) accept();
  }
}

void HttpPages::accept() {
  const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd < 0) {
    // Without descriptors the listener stays readable: no busy loop, and a place for the next one.
    if (!would_block() && !visitors_.empty()) visitors_.front().over = true;
    if (!would_block()) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return end_those_over();
  }
  if (visitors_.size() >= most_) {
    visitors_.front().over = true;
    end_those_over();
  }
  visitors_.push_back({fd, Clock::now() + kPatience, {}, {}, 0, false});
}

void HttpPages::read(Visitor& v) const {
  char buffer[2048];
  const ssize_t n = ::recv(v.fd, buffer, sizeof buffer, 0);
  if (n < 0 && would_block()) return;
  if (n <= 0) {
    v.over = true;
    return;
  }
  v.request.append(buffer, static_cast<std::size_t>(n));
  const bool complete = v.request.find("\r\n\r\n") != std::string::npos ||
                        v.request.find("\n\n") != std::string::npos;
  if (complete) v.answer = answer_to(v.request);
  if (!complete && v.request.size() > kRequestBytes)
    v.answer = whole({400, "the request is too long\n"});
}

void HttpPages::write(Visitor& v) {
  const ssize_t n = ::send(v.fd, v.answer.data() + v.sent, v.answer.size() - v.sent, MSG_NOSIGNAL);
  if (n < 0 && would_block()) return;
  if (n > 0) v.sent += static_cast<std::size_t>(n);
  v.over = n <= 0 || v.sent == v.answer.size();
}

std::string HttpPages::answer_to(const std::string& request) const {
  const std::string line = request.substr(0, request.find_first_of("\r\n"));
  const std::size_t space = line.find(' ');
  if (space == std::string::npos) return whole({400, "not HTTP\n"});
  const std::string method = line.substr(0, space);
  if (method != "GET") return whole({405, "only GET\n"}, method != "HEAD");
  const std::string_view host = host_in(request);
  if (!host.empty() && !is_this_machine(host)) {
    return whole(
        {403, "these pages are for this machine: the Host has to be localhost or 127.0.0.1\n"});
  }
  const std::size_t end = line.find_first_of(" ?", space + 1);
  const auto page = pages_.find(line.substr(space + 1, end - space - 1));
  if (page != pages_.end()) return whole(page->second());
  std::string known = "no such page; there are";
  for (const auto& [path, unused] : pages_) known += " " + path;
  return whole({404, known + "\n"});
}

void HttpPages::end_those_over() {
  const auto now = Clock::now();
  std::erase_if(visitors_, [now](const Visitor& v) {
    if (!v.over && now < v.until) return false;
    ::close(v.fd);
    return true;
  });
}

}  // namespace thresher::net
