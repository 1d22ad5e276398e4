// What the gateway makes of requests that are not quite HTTP, or mean two things at once: where a
// body ends, who is asked, what an answer may carry.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "../../integration/node/raw_peer.hpp"
#include "http/gateway.hpp"
#include "thresher/net/ports.hpp"

namespace thresher::net {
namespace {

struct HttpAnswer {
  int status = 0;
  std::string head{};
  std::string body{};
};

using Answers = std::vector<HttpAnswer>;

/// The answers in `text`, in order; one of status 0 stands for bytes that are not an answer. Those
/// of `bodiless` (by index) have a length and no body.
Answers answers_in(std::string text, std::size_t bodiless = std::string::npos) {
  Answers out;
  while (!text.empty()) {
    const std::size_t end = text.find("\r\n\r\n");
    if (end == text.npos || !text.starts_with("HTTP/1.1 ")) return out.emplace_back(), out;
    HttpAnswer a{std::stoi(text.substr(9, 3)), text.substr(0, end + 2)};
    text.erase(0, end + 4);
    const std::string name = "Content-Length: ";
    const std::size_t at = a.head.find(name);
    const std::size_t length = at == a.head.npos ? 0 : std::stoul(a.head.substr(at + name.size()));
    if (out.size() != bodiless) {
      if (length > text.size()) return out.emplace_back(), out;
      a.body = text.substr(0, length);
      text.erase(0, length);
    }
    out.push_back(std::move(a));
  }
  return out;
}

/// A gateway in front of a node that takes every transaction at once, or when it is told to.
class Door {
 public:
  Door() : port_(free_ports(1).at(0)), gateway_(hooks(), {}) {
    EXPECT_TRUE(gateway_.listen({"127.0.0.1", port_}));
  }
  /// The answers to `request` and to the end of the stream.
  Answers ask(const std::string& request, std::size_t bodiless = std::string::npos) const {
    const int fd = connect();
    say(fd, request);
    ::shutdown(fd, SHUT_WR);
    std::string out;
    while (read_some(fd, out)) {
    }
    ::close(fd);
    return answers_in(out, bodiless);
  }
  /// All that was ordered since the last call.
  std::vector<std::string> ordered() {
    const std::lock_guard lock(mutex_);
    return std::exchange(ordered_, {});
  }
  /// From now on the answers to submissions wait for answer().
  void keep_waiting() { keeps_ = true; }
  void answer() {
    const std::lock_guard lock(mutex_);
    for (const OnCommitStatus& done : std::exchange(waiting_, {}))
      done({CommitStatus::Kind::kCommitted});
  }
  std::size_t waiting() {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
  }
  /// Has a log of so many transactions, of kEach bytes.
  static constexpr std::size_t kEach = 5000;
  void holds(std::uint64_t transactions) {
    held_ = transactions;
    gateway_.length(transactions);
  }
  int connect() const {
    const int fd = connect_to(port_);
    const timeval patience{20, 0};
    (void)::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return fd;
  }
  static void say(int fd, const std::string& text) {
    (void)!::send(fd, text.data(), text.size(), MSG_NOSIGNAL);
  }
  static bool read_some(int fd, std::string& out) {
    char buffer[4096];
    const ssize_t n = ::recv(fd, buffer, sizeof buffer, 0);
    if (n > 0) out.append(buffer, static_cast<std::size_t>(n));
    return n > 0;
  }

 private:
  GatewayHooks hooks() {
    GatewayHooks out;
    out.submit = [this](Bytes transaction, const SubmitOptions&, const OnCommitStatus& done) {
      CommitStatus outcome{CommitStatus::Kind::kCommitted};
      {
        const std::lock_guard lock(mutex_);
        outcome.receipt.position = ordered_.size();
        ordered_.emplace_back(as_text(transaction.view()));
        if (keeps_) return waiting_.push_back(done);
      }
      done(outcome);
    };
    out.query = [](Bytes question, std::uint64_t length, std::uint64_t,
                   std::function<void(Answer)> done) {
      done({false, std::move(question), length});
    };
    out.status = [](std::function<void(NodeStatus)> done) { done({}); };
    out.prove = [](std::uint64_t position, const std::function<void(ProofAnswer)>& done) {
      if (position == 0) return done({"{\"position\":0}", {}, 0, false});
      if (position == 1) return done({{}, "pruned", 2, false});
      done({{}, position == 2 ? "busy" : "not yet", 0, position == 2});
    };
    out.log = [this](std::uint64_t from, std::size_t most, std::function<void(LogPage)> done) {
      LogPage page{held_, {}, {}};
      for (std::uint64_t p = from; p < held_ && page.transactions.size() < most; ++p)
        page.transactions.push_back({p, 1, {}, p, Bytes::from(std::vector<std::byte>(kEach))});
      done(std::move(page));
    };
    return out;
  }

  std::mutex mutex_;
  std::vector<std::string> ordered_;
  std::vector<OnCommitStatus> waiting_;
  std::atomic<bool> keeps_{false};
  std::atomic<std::uint64_t> held_{0};
  std::uint16_t port_;
  Gateway gateway_;
};

const std::string kHost = "Host: localhost\r\n";
const std::string kType = "Content-Type: application/octet-stream\r\n";

std::string post(const std::string& fields, const std::string& body) {
  return "POST /submit HTTP/1.1\r\n" + kHost + kType + fields + "\r\n" + body;
}
std::string length_of(const std::string& body) {
  return "Content-Length: " + std::to_string(body.size()) + "\r\n";
}
/// A whole request, as a body that is read for the next request would bring it.
std::string hidden() {
  return post(length_of("SMUGGLED"), "SMUGGLED");
}
std::string get(const std::string& target, const std::string& fields = kHost) {
  return "GET " + target + " HTTP/1.1\r\n" + fields + "\r\n";
}

/// Refused as one request, and the connection ends with it: nothing behind it is read.
void expect_end(Door& door, const std::string& request, int status) {
  const Answers got = door.ask(request);
  ASSERT_EQ(got.size(), 1u) << request;
  EXPECT_EQ(got[0].status, status) << request << got[0].body;
  EXPECT_NE(got[0].head.find("Connection: close\r\n"), std::string::npos) << request;
  EXPECT_EQ(door.ordered(), std::vector<std::string>{}) << request;
}

// An unknown coding was taken for no body: an empty transaction was ordered, then the one hidden.
TEST(GatewayHttp, ABodyInAnUnknownCodingIsNoRequest) {
  Door door;
  for (const std::string coding : {"gzip", "identity", "xchunked", "chunked;q=1", "gzip, chunked",
                                   "chunked, gzip", "chunked, identity", "\"chunked\"", ""}) {
    expect_end(door, post("Transfer-Encoding: " + coding + "\r\n", hidden()), 501);
    expect_end(door, post("Origin: x\r\nTransfer-Encoding: " + coding + "\r\n", hidden()), 501);
  }
  expect_end(door, post("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", hidden()),
             501);
  expect_end(door, post("Transfer-Encoding: gzip\r\n" + length_of(hidden()), hidden()), 400);
  expect_end(door, post("Transfer-Encoding: chunked\r\n" + length_of(hidden()), hidden()), 400);
  expect_end(door, post("Transfer-Encoding: chunked, chunked\r\n", hidden()), 501);
  expect_end(door,
             "POST /submit HTTP/1.0\r\nConnection: keep-alive\r\n" + kHost + kType +
                 "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n" + hidden(),
             400);
}

TEST(GatewayHttp, ABodyHasALength) {
  Door door;
  expect_end(door, post("", hidden()), 411);
  EXPECT_EQ(door.ask(post("Content-Length: 0\r\n", "")).at(0).status, 200);
  EXPECT_EQ(door.ask(post("transfer-encoding: CHUNKED\r\n", "2\r\nhi\r\n0\r\n\r\n")).at(0).status,
            200);
  EXPECT_EQ(door.ask(post(length_of("one"), "one") + post(length_of("two"), "two")).size(), 2u);
  EXPECT_EQ(door.ordered(), (std::vector<std::string>{"", "hi", "one", "two"}));
}

// 600 KB of fields behind a body, and one chunk with an extension of 5 MB, were taken and kept.
TEST(GatewayHttp, WhatStandsBesideTheChunksIsBounded) {
  Door door;
  const std::string chunked = "Transfer-Encoding: chunked\r\n";
  std::string fields;
  while (fields.size() < 600'000) fields += "X-Field: " + std::string(50, 'x') + "\r\n";
  expect_end(door, post(chunked, "2\r\nhi\r\n0\r\n" + fields + "\r\n"), 431);
  expect_end(door, post(chunked, "2;x=" + std::string(5'000'000, 'x') + "\r\nhi\r\n0\r\n\r\n"),
             431);
  EXPECT_EQ(door.ask(post(chunked, "2;x=" + std::string(1000, 'x') + "\r\nhi\r\n0\r\nX: y\r\n\r\n"))
                .at(0)
                .status,
            200);
  EXPECT_EQ(door.ordered(), (std::vector<std::string>{"hi"}));
}

// A head that is refused leaves its body unread, so nothing behind it counts.
TEST(GatewayHttp, TheBodyOfARefusedRequestIsNoRequest) {
  Door door;
  const std::string rest = length_of(hidden()) + "\r\n" + hidden();
  expect_end(door, "POST /submit HTTP/1.1\r\n" + kHost + rest, 415);
  const std::string zipped = kHost + kType + "Content-Encoding: gzip\r\n";
  expect_end(door, "POST /submit HTTP/1.1\r\n" + zipped + rest, 415);
  expect_end(door, "POST /nothing HTTP/1.1\r\n" + kHost + rest, 404);
  expect_end(door, "PUT /submit HTTP/1.1\r\n" + kHost + rest, 405);
  expect_end(door, "POST /submit HTTP/1.1\r\nHost: evil.example\r\n" + kType + rest, 403);
  expect_end(door, post("Origin: http://evil.example\r\n" + length_of(hidden()), hidden()), 403);
  // One without a body ends no connection.
  EXPECT_EQ(door.ask(get("/nothing") + get("/status")).size(), 2u);
}

TEST(GatewayHttp, AProofOrWhyThereIsNone) {
  Door door;
  const auto proof = [&door](const std::string& position) {
    return door.ask(get("/proof" + position)).at(0).status;
  };
  EXPECT_EQ(proof("?position=0"), 200);
  EXPECT_EQ(proof("?position=1"), 410);
  EXPECT_EQ(proof("?position=2"), 503);
  EXPECT_EQ(proof("?position=3"), 404);
  for (const char* wrong : {"", "?position=", "?position=-1", "?position=1e3", "?at=1"})
    EXPECT_EQ(proof(wrong), 400) << wrong;
}

TEST(GatewayHttp, OneHostAndItIsThisMachine) {
  Door door;
  const auto status = [&door](const std::string& target, const std::string& fields) {
    const Answers got = door.ask(get(target, fields));
    return got.size() == 1 ? got[0].status : 0;
  };
  EXPECT_EQ(status("/status", "Host: LOCALHOST:80\r\n"), 200);
  EXPECT_EQ(status("/status", ""), 400);
  EXPECT_EQ(status("/status", kHost + "Host: evil.example\r\n"), 400);
  EXPECT_EQ(status("/status", kHost + kHost), 400);
  EXPECT_EQ(status("/status", "Host: evil.example@localhost\r\n"), 400);
  EXPECT_EQ(status("/status", "Host: localhost:80:90\r\n"), 400);
  EXPECT_EQ(status("/status", "Host: [::1\r\n"), 400);
  EXPECT_EQ(status("/status", "Host: [::1]:80\r\n"), 403);
  // The target's word counts where it has one.
  EXPECT_EQ(status("http://localhost/status", kHost), 200);
  EXPECT_EQ(status("HTTP://127.0.0.1:80/query?q=a", "Host: evil.example\r\n"), 200);
  EXPECT_EQ(status("http://localhost", kHost), 404);
  EXPECT_EQ(status("http://localhost?q=1", kHost), 404);
  EXPECT_EQ(status("http://evil.example/status", kHost), 403);
  EXPECT_EQ(status("http://evil.example@localhost/status", kHost), 400);
  EXPECT_EQ(status("http:///status", kHost), 400);
  EXPECT_EQ(status("https://localhost/status", kHost), 400);
}

// The body of an answer to HEAD would be read for the next answer.
TEST(GatewayHttp, AnAnswerToHeadHasNoBody) {
  Door door;
  for (const std::string target : {"/status", "/nothing", "/submit", "/status?x=%zz"}) {
    const Answers got =
        door.ask("HEAD " + target + " HTTP/1.1\r\n" + kHost + "\r\n" + get("/status"), 0);
    ASSERT_EQ(got.size(), 2u) << target;
    EXPECT_GE(got[0].status, 400) << target;
    EXPECT_EQ(got[1].status, 200) << target;
  }
}

TEST(GatewayHttp, WhoWaitsForContinueGetsIt) {
  Door door;
  const int fd = door.connect();
  std::string said;
  Door::say(fd, post("Expect: 100-Continue\r\n" + length_of("hi"), ""));
  while (said.find("\r\n\r\n") == said.npos && Door::read_some(fd, said)) {
  }
  EXPECT_EQ(said, "HTTP/1.1 100 Continue\r\n\r\n");
  Door::say(fd, "hi");
  ::shutdown(fd, SHUT_WR);
  while (Door::read_some(fd, said)) {
  }
  ::close(fd);
  const Answers got = answers_in(said);
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[1].status, 200);
  EXPECT_EQ(door.ordered(), std::vector<std::string>{"hi"});
}

// Nobody who asks first sends in vain.
/// Connections whose submissions are being served.
std::vector<int> submit_and_wait(Door& door, std::size_t count) {
  door.keep_waiting();
  std::vector<int> out;
  while (out.size() < count) {
    out.push_back(door.connect());
    Door::say(out.back(), post(length_of("hi"), "hi"));
    while (door.waiting() < out.size()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return out;
}

// They closed the one that had waited for its answer longer than they for their second half.
TEST(GatewayHttp, HalfARequestEndsNobodyWhoIsServed) {
  Door door;
  const int served = submit_and_wait(door, 1).front();
  const std::string whole = post(length_of("hi"), "hi");
  const std::size_t head = whole.find("\r\n\r\n") + 4;
  std::vector<int> halves;
  for (std::size_t k = 0; k < 2 * Gateway::kMostConnections; ++k) {
    halves.push_back(door.connect());
    Door::say(halves.back(), whole.substr(0, k % 2 == 0 ? 9 : head));
  }
  EXPECT_EQ(door.ask(get("/status")).at(0).status, 200);
  door.answer();
  std::string said;
  EXPECT_TRUE(Door::read_some(served, said));
  EXPECT_TRUE(said.starts_with("HTTP/1.1 200 ")) << said;
  for (const int fd : halves) ::close(fd);
  ::close(served);
}

TEST(GatewayHttp, WhoComesWhereAllAreServedIsServedToo) {
  Door door;
  const std::vector<int> served = submit_and_wait(door, Gateway::kMostConnections);
  for (int k = 0; k < 20; ++k) EXPECT_EQ(door.ask(get("/status")).at(0).status, 200);
  door.answer();
  for (const int fd : served) ::close(fd);
}

TEST(GatewayHttp, WhoWaitsForContinueIsRefusedAtOnce) {
  Door door;
  const auto ask = [&door](const std::string& fields) {
    const Answers got = door.ask(post(fields, ""));
    return got.size() == 1 ? got[0].status : 0;
  };
  EXPECT_EQ(ask("Expect: pizza\r\nContent-Length: 2\r\n"), 417);
  EXPECT_EQ(ask("Expect: 100-continue\r\nOrigin: x\r\nContent-Length: 2\r\n"), 403);
  EXPECT_EQ(ask("Expect: 100-continue\r\nContent-Length: 9999999\r\n"), 413);
  EXPECT_EQ(door.ask(post("Expect: 100-continue\r\nContent-Length: 2\r\n", "hi")).back().status,
            200);
  EXPECT_EQ(door.ordered(), std::vector<std::string>{"hi"});
}

// Its successor was position 0: the whole log, once more.
TEST(GatewayHttp, NothingFollowsTheLargestPosition) {
  Door door;
  const std::string events = kHost + "Accept: text/event-stream\r\nLast-Event-ID: ";
  EXPECT_EQ(door.ask(get("/log", events + "18446744073709551615\r\n")).at(0).status, 400);
  EXPECT_EQ(door.ask(get("/log", events + "18446744073709551616\r\n")).at(0).status, 400);
  const int fd = door.connect();
  Door::say(fd, get("/log", events + "18446744073709551614\r\n"));
  std::string said;
  EXPECT_TRUE(Door::read_some(fd, said));
  EXPECT_TRUE(said.starts_with("HTTP/1.1 200 OK\r\n")) << said;
  ::close(fd);
}

// A page of the log is written in several parts: all of it comes, in order, and what follows.
TEST(GatewayHttp, WhoFollowsTheLogGetsAllOfItInOrder) {
  Door door;
  door.holds(30);
  const int fd = door.connect();
  Door::say(fd, get("/log?from=0", kHost + "Accept: text/event-stream\r\n"));
  std::string said;
  std::uint64_t next = 0;
  while (next < 250 && Door::read_some(fd, said)) {
    if (next == 30) door.holds(250);
    for (std::size_t end; (end = said.find("\n\n")) != said.npos; said.erase(0, end + 2)) {
      const std::size_t id = said.find("id: ");
      if (id > end) continue;  // the head, or a sign of life
      EXPECT_EQ(std::stoull(said.substr(id + 4)), next++);
    }
  }
  EXPECT_EQ(next, 250u);
  ::close(fd);
}

/// A field that says, truly or not quite, how long the body is.
rc::Gen<std::string> length_field(const std::string& body) {
  const std::string n = std::to_string(body.size());
  return rc::gen::elementOf(std::vector<std::string>{"Content-Length: " + n,
                                                     "content-length:\t" + n + " ",
                                                     "Content-Length: +" + n,
                                                     "Content-Length: " + n + ", " + n,
                                                     "Content-Length: 0x" + n,
                                                     "Content-Length: -1",
                                                     "Content-Length: " + n + "x",
                                                     "Content-Length : " + n,
                                                     "Content-Length: 99999999999999999999",
                                                     "Content-Length:",
                                                     "Content_Length: " + n,
                                                     "X-Content-Length: " + n,
                                                     "Transfer-Encoding: gzip",
                                                     "Transfer-Encoding: identity",
                                                     "Transfer-Encoding: chunked",
                                                     "Transfer-Encoding:",
                                                     "Transfer-Encoding: xchunked",
                                                     "Transfer-Encoding: chunked, identity",
                                                     "Transfer-Encoding: gzip, chunked",
                                                     "Transfer-Encoding\t: chunked",
                                                     "TRANSFER-ENCODING: \tgzip",
                                                     "Transfer-Encoding: ,",
                                                     "Transfer-Encoding: \x0b"
                                                     "chunked",
                                                     " Transfer-Encoding: chunked",
                                                     "Expect: 100-continue",
                                                     "Expect: x",
                                                     "Connection: close",
                                                     "Connection: keep-alive",
                                                     "Origin: x",
                                                     "Host: localhost",
                                                     "TE: trailers",
                                                     ":",
                                                     "X: \x01",
                                                     "Upgrade: h2c"});
}

// Fields that may or may not say where the body ends: what is ordered is that body, whole, or
// nothing, and never what it hides.
RC_GTEST_PROP(GatewayHttp, WhateverTheHeadSaysABodyIsNoRequest, ()) {
  static Door door;
  const std::string body = hidden();
  const auto method = *rc::gen::element<std::string>("POST", "POST", "post", "PUT");
  const auto version = *rc::gen::element<std::string>("1.1", "1.1", "1.0", "1.2", "2.0");
  const auto fields =
      *rc::gen::resize(4, rc::gen::container<std::vector<std::string>>(length_field(body)));
  std::string request = method + " /submit HTTP/" + version + "\r\n" + kHost + kType;
  for (const std::string& field : fields) request += field + "\r\n";
  RC_LOG() << request;
  for (const HttpAnswer& a : door.ask(request + "\r\n" + body))
    RC_ASSERT(a.status == 100 || a.status == 200 || (a.status >= 400 && a.status < 600));
  for (const std::string& transaction : door.ordered()) RC_ASSERT(transaction == body);
}

// Bytes of a good request that were changed, lost or doubled: an answer or none, and the next one
// is served.
RC_GTEST_PROP(GatewayHttp, ABrokenRequestIsAnsweredOrDropped, ()) {
  static Door door;
  std::string request =
      *rc::gen::element(get("/log?from=0&limit=9"), get("http://localhost/query?q=%41+b&length=8"),
                        post("Transfer-Encoding: chunked\r\n", "2;a=b\r\nhi\r\n0\r\nX: y\r\n\r\n"),
                        post("Expect: 100-continue\r\nContent-Length: 2\r\n", "hi"));
  const int breaks = *rc::gen::inRange(1, 4);
  for (int k = 0; k < breaks; ++k) {
    const auto at = *rc::gen::inRange<std::size_t>(0, request.size());
    const auto byte = *rc::gen::oneOf(rc::gen::elementOf(std::string("\r\n :/?%&=,;\t0")),
                                      rc::gen::arbitrary<char>());
    const int kind = *rc::gen::inRange(0, 3);
    request.replace(at, kind == 1 ? 0 : 1, kind == 2 ? "" : std::string(1, byte));
  }
  RC_LOG() << request;
  for (const HttpAnswer& a : door.ask(request, request.starts_with("HEAD") ? 0 : std::string::npos))
    RC_ASSERT(a.status == 100 || a.status == 200 || (a.status >= 400 && a.status < 600));
  RC_ASSERT(door.ask(get("/status")).at(0).status == 200);
}

}  // namespace
}  // namespace thresher::net
