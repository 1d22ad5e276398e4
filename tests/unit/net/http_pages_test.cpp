#include "http/http_pages.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "../../integration/node/raw_peer.hpp"
#include "thresher/net/ports.hpp"

namespace thresher::net {
namespace {

struct Server : testing::Test {
  Server()
      : port(free_ports(1).at(0)),
        pages({{"/healthz",
                [] {
                  return HttpPages::Answer{200, "ok\n"};
                }},
               {"/readyz",
                [] {
                  return HttpPages::Answer{503, "reads its log\n"};
                }},
               {"/list",
                [] {
                  return HttpPages::Answer{200, "[]\n", "application/json"};
                }},
               {"/large", [] {
                  return HttpPages::Answer{200, std::string(4u << 20, 'x')};
                }}}) {
    EXPECT_TRUE(pages.listen("127.0.0.1", port));
  }
  ~Server() override {
    for (const int fd : idle) ::close(fd);
  }
  static void say(int fd, const std::string& text) {
    EXPECT_EQ(::send(fd, text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  static std::string rest_of(int fd) {
    const timeval patience{20, 0};
    (void)::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    std::string out;
    char buffer[65536];
    for (ssize_t n = 0; (n = ::recv(fd, buffer, sizeof buffer, 0)) > 0;)
      out.append(buffer, static_cast<std::size_t>(n));
    return out;
  }
  std::string ask(const std::string& request) const {
    const int fd = connect_to(port);
    say(fd, request);
    std::string out = rest_of(fd);
    ::close(fd);
    return out;
  }
  std::string get(const std::string& path) const {
    return ask("GET " + path + " HTTP/1.1\r\n\r\n");
  }

  std::uint16_t port;
  HttpPages pages;
  std::vector<int> idle;
};

TEST_F(Server, AnswersWithStatusLengthAndText) {
  EXPECT_EQ(get("/healthz").rfind("HTTP/1.1 200 OK\r\n", 0), 0u);
  EXPECT_NE(get("/healthz").find("Content-Length: 3\r\n"), std::string::npos);
  EXPECT_NE(get("/healthz").find("\r\n\r\nok\n"), std::string::npos);
  EXPECT_EQ(get("/readyz").rfind("HTTP/1.1 503 Service Unavailable\r\n", 0), 0u);
  EXPECT_NE(get("/healthz").find("Content-Type: text/plain; charset=utf-8\r\n"), std::string::npos);
  EXPECT_NE(get("/list").find("Content-Type: application/json\r\n"), std::string::npos);
  EXPECT_NE(get("/readyz?verbose=1").find("reads its log\n"), std::string::npos);
  EXPECT_GT(get("/large").size(), 4u << 20);
}

TEST_F(Server, SaysWhatItDoesNotHave) {
  EXPECT_EQ(get("/nothing").rfind("HTTP/1.1 404 ", 0), 0u);
  EXPECT_NE(get("/nothing").find("/healthz"), std::string::npos);
  EXPECT_EQ(ask("POST /healthz HTTP/1.1\r\n\r\n").rfind("HTTP/1.1 405 ", 0), 0u);
  EXPECT_EQ(ask("\x16\x03\x01\n\n").rfind("HTTP/1.1 400 ", 0), 0u);
  EXPECT_EQ(ask(std::string(HttpPages::kRequestBytes + 1, 'x')).rfind("HTTP/1.1 400 ", 0), 0u);
}

TEST_F(Server, AnAnswerToHeadHasNoBody) {
  const std::string answer = ask("HEAD /healthz HTTP/1.1\r\n\r\n");
  EXPECT_EQ(answer.rfind("HTTP/1.1 405 Method Not Allowed\r\nAllow: GET\r\n", 0), 0u) << answer;
  EXPECT_TRUE(answer.ends_with("\r\n\r\n")) << answer;
}

TEST_F(Server, ARequestMayComeInPieces) {
  const int fd = connect_to(port);
  for (const char* piece : {"GE", "T /heal", "thz HTTP/1.0\r", "\n\r", "\n"}) say(fd, piece);
  EXPECT_EQ(rest_of(fd).rfind("HTTP/1.1 200 ", 0), 0u);
  ::close(fd);
}

// Four idle connections made everybody wait for 60 s; now any number of them costs nothing.
TEST_F(Server, ACrowdThatSaysNothingKeepsNobodyOut) {
  for (std::size_t k = 0; k < 3 * HttpPages::kConnections; ++k) {
    idle.push_back(connect_to(port));
    if (k % 3 == 0) say(idle.back(), "GET /healthz HTTP/1.1\r\n");  // and never ends
    if (k % 16 == 0) {
      EXPECT_EQ(get("/healthz").rfind("HTTP/1.1 200 ", 0), 0u) << k;
    }
  }
  EXPECT_EQ(get("/healthz").rfind("HTTP/1.1 200 ", 0), 0u);
}

TEST_F(Server, WhoDoesNotReadItsAnswerKeepsNobodyOut) {
  for (int k = 0; k < 8; ++k) {
    idle.push_back(connect_to(port, 4096));
    say(idle.back(), "GET /large HTTP/1.1\r\n\r\n");
  }
  EXPECT_EQ(get("/healthz").rfind("HTTP/1.1 200 ", 0), 0u);
}

TEST_F(Server, APortThatIsTakenIsSaid) {
  HttpPages other({});
  const auto listens = other.listen("127.0.0.1", port);
  ASSERT_FALSE(listens);
  EXPECT_EQ(listens.error().code, ErrorCode::kBusy);
  EXPECT_EQ(listens.error().text(), "Address already in use");
}

// Its end waits for no client: with the server that waited for them this took as long as they did.
TEST(HttpPages, EndsWithConnectionsOpen) {
  const std::uint16_t port = free_ports(1).at(0);
  std::vector<int> open;
  {
    HttpPages pages({});
    ASSERT_TRUE(pages.listen("127.0.0.1", port));
    for (int k = 0; k < 10; ++k) open.push_back(connect_to(port));
  }
  for (const int fd : open) {
    char c = 0;
    EXPECT_LE(::recv(fd, &c, 1, 0), 0);
    ::close(fd);
  }
}

// A page of somewhere whose name leads here, opened by a browser on this machine, reads nothing.
TEST_F(Server, AnotherNameThatLeadsHereIsRefused) {
  const auto with = [&](const std::string& header) {
    return ask("GET /healthz HTTP/1.1\r\nAccept: */*\r\n" + header + "\r\n\r\n");
  };
  for (const char* good :
       {"Host: localhost:9464", "host:127.0.0.1", "HOST:\tLocalhost \t", "Host:", "X-Host: a"})
    EXPECT_EQ(with(good).rfind("HTTP/1.1 200 OK", 0), 0u) << good;
  for (const char* bad :
       {"Host: evil.example", "host:localhost.evil.example:80", "Host: 10.0.0.1"}) {
    const std::string answer = with(bad);
    EXPECT_EQ(answer.rfind("HTTP/1.1 403 Forbidden", 0), 0u) << bad;
    EXPECT_NE(answer.find("has to be localhost or 127.0.0.1"), std::string::npos);
  }
}

}  // namespace
}  // namespace thresher::net
