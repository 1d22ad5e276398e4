#include "http/gateway.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <list>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "links/asio.hpp"
#include "links/descriptors.hpp"
//
#include <boost/beast.hpp>

#include "http/gateway_json.hpp"
#include "http/http_head.hpp"

namespace thresher::net {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using Request = http::request<http::string_body>;

/// Transactions in one answer, or in one write to a follower of the log.
constexpr std::size_t kMostRows = 1000;
/// The patience of a request, unless it says another one, and at most. Unit: milliseconds.
constexpr std::uint64_t kPatience = 30'000;
constexpr std::uint64_t kMostPatience = 120'000;
/// Between two looks for what is new in the log. Unit: milliseconds.
constexpr std::uint64_t kFollow = 20;
/// What is still being sent when an answer has ended the connection is read so long, in such parts.
constexpr std::chrono::seconds kLinger{1};
constexpr std::size_t kMostDrained = 64 * 1024;
/// Limit of what was read and not understood yet: a line of a chunk, or all fields behind the last.
constexpr std::size_t kMostUnread = 64 * 1024;
/// Events that are written to a follower of the log before others have their turn, but for the last
/// one. Unit: bytes.
constexpr std::size_t kMostText = 64 * 1024;
/// A follower of a log in which nothing happens gets a sign of life. Unit: looks.
constexpr int kBeat = 500;
/// One place of so many is for those whose request has not come whole yet.
constexpr std::size_t kUnservedShare = 8;
/// To who waits for it with the body (RFC 9110, 10.1.1).
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

HttpHead head_of(const Request& request) {
  const auto view = [](const auto& text) { return std::string_view(text.data(), text.size()); };
  HttpHead head(request.version(), view(request.target()));
  for (const auto& field : request) head.add(view(field.name_string()), view(field.value()));
  return head;
}

http::status status_of(Refusal refusal) {
  switch (refusal) {
    case Refusal::kOverloaded:
      return http::status::too_many_requests;
    case Refusal::kObserves:
      return http::status::misdirected_request;
    case Refusal::kUnreachable:
      return http::status::service_unavailable;
    case Refusal::kTooLarge:
    case Refusal::kExpired:
    case Refusal::kTooLate:
    case Refusal::kMalformed:
    case Refusal::kTooEarly:
    case Refusal::kRejected:
      return http::status::unprocessable_entity;
  }
  return http::status::internal_server_error;
}

struct Shared {
  GatewayHooks hooks;
  GatewayLimits limits;
  std::atomic<std::uint64_t> length{0};
  std::mutex mutex;
  bool open = true;  ///< the context is there; under the mutex
};

/// One connection. All of it runs on the gateway's thread.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, std::shared_ptr<Shared> shared, std::function<void(Session*)> ended)
      : stream_(std::move(socket)),
        shared_(std::move(shared)),
        ended_(std::move(ended)),
        timer_(stream_.get_executor()) {}

  void read() {
    parser_.emplace();
    parser_->header_limit(Gateway::kMostHead);
    parser_->body_limit(shared_->limits.transaction_bytes);
    served_ = false;
    last_ = std::chrono::steady_clock::now();
    stream_.expires_after(std::chrono::microseconds(shared_->limits.read_us));
    http::async_read_header(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](error_code ec, std::size_t) { self->got_head(ec); });
  }
  void close() {
    if (std::exchange(closed_, true)) return;
    error_code ignored;
    timer_.cancel();
    stream_.socket().close(ignored);
    ended_(this);
  }
  std::chrono::steady_clock::time_point last() const { return last_; }
  /// It has said a whole request, and is being answered.
  bool served() const { return served_; }

 private:
  void got_head(error_code ec);
  void read_body();
  void failed(error_code ec);
  std::optional<HttpRefusal> refusal();
  std::optional<HttpRefusal> refusal_of_method(const Request& request) const;
  void route(const Request& request, const Target& target);
  void submit(const Request& request, const Target& target);
  void query(const Target& target);
  void status();
  void log(const Request& request, const Target& target);
  void proof(const Target& target);
  void follow(std::uint64_t from);
  void follow_on();
  void write_events();
  void write(std::string text);
  void wait();
  void drain();
  std::optional<std::uint64_t> patience(const Target& target);
  bool knows(const Target& target, const std::vector<std::string>& known);
  void bad(const std::string& what) { reply(http::status::bad_request, error_json(what)); }
  void reply(http::status status, const text::Value& body, const std::string& allow = {});
  void reply_text(http::status status, const std::string& json, const std::string& allow = {});
  /// A callback that comes back to this thread, whatever thread it is called on, if the gateway and
  /// the connection are still there.
  template <class T, class F>
  std::function<void(const T&)> here(F f) {
    return [weak = weak_from_this(), shared = shared_, f](const T& value) {
      const std::lock_guard lock(shared->mutex);
      const auto self = shared->open ? weak.lock() : nullptr;
      if (!self) return;
      asio::post(self->stream_.get_executor(), [self, f, value] {
        if (!self->closed_) f(*self, value);
      });
    };
  }

  beast::tcp_stream stream_;
  std::shared_ptr<Shared> shared_;
  std::function<void(Session*)> ended_;
  bool closed_ = false;
  asio::steady_timer timer_;
  beast::flat_buffer buffer_{kMostUnread};
  std::optional<http::request_parser<http::string_body>> parser_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::optional<Target> target_;  // of the request that is being read
  bool keep_alive_ = false;
  bool served_ = false;
  std::string text_;                     // that is being written to a follower of the log
  std::uint64_t next_ = 0;               // the position that it gets next
  std::vector<LoggedTransaction> rows_;  // that it gets before it asks for more
  std::size_t row_ = 0;                  // of these, the next one
  int quiet_ = 0;                        // looks without anything new
};

// What the head says is judged before the body is read: no field that follows the body can change
// it, and a client that asks first sends no body in vain.
void Session::got_head(error_code ec) {
  last_ = std::chrono::steady_clock::now();
  keep_alive_ = false;
  if (ec) return failed(ec);
  if (const auto wrong = refusal()) {
    // A body that follows, told or not, is not read, so no request can follow it.
    const http::verb method = parser_->get().method();
    const bool bare = method == http::verb::get || method == http::verb::head;
    keep_alive_ = parser_->get().keep_alive() && parser_->is_done() && bare && !wrong->ends;
    return reply(http::int_to_status(static_cast<unsigned>(wrong->status)), error_json(wrong->why),
                 wrong->allow);
  }
  const bool waits = head_of(parser_->get()).waits_for_continue();
  if (!waits || parser_->is_done() || buffer_.size() > 0) return read_body();
  asio::async_write(stream_, asio::buffer(kContinue),
                    [self = shared_from_this()](error_code broken, std::size_t) {
                      if (broken) return self->close();
                      self->read_body();
                    });
}

void Session::read_body() {
  http::async_read(stream_, buffer_, *parser_,
                   [self = shared_from_this()](error_code ec, std::size_t) {
                     self->last_ = std::chrono::steady_clock::now();
                     if (ec) return self->failed(ec);
                     self->keep_alive_ = self->parser_->get().keep_alive();
                     self->route(self->parser_->get(), *self->target_);
                   });
}

void Session::failed(error_code ec) {
  if (ec == http::error::body_limit) {
    return reply(http::status::payload_too_large,
                 error_json("a transaction has at most " +
                            std::to_string(shared_->limits.transaction_bytes) + " bytes here"));
  }
  if (ec == http::error::header_limit) {
    return reply(http::status::request_header_fields_too_large,
                 error_json("the head of a request has at most 8192 bytes"));
  }
  if (ec == http::error::buffer_overflow) {
    return reply(
        http::status::request_header_fields_too_large,
        error_json("the line of a chunk, and the fields behind the last chunk, have at most " +
                   std::to_string(kMostUnread) + " bytes"));
  }
  if (ec.category() == make_error_code(http::error::bad_method).category() &&
      ec != http::error::end_of_stream && ec != http::error::partial_message) {
    return bad("this is no HTTP: " + ec.message());
  }
  close();
}

// Why the head alone has the request refused; empty: it has not, and target_ is its target.
std::optional<HttpRefusal> Session::refusal() {
  const Request& request = parser_->get();
  const HttpHead head = head_of(request);
  if (auto wrong = head.refusal()) return wrong;
  if (!is_this_machine(head.host())) {
    return HttpRefusal{
        403, "this gateway serves its own machine: the Host has to be localhost or 127.0.0.1"};
  }
  if (head.has("Origin")) {
    return HttpRefusal{403,
                       "this gateway serves no web pages: a request with an Origin is refused"};
  }
  target_ = Target::parse(head.origin_form());
  if (!target_) {
    return HttpRefusal{400, "the target cannot be read: check its % and its parameters"};
  }
  if (auto wrong = refusal_of_method(request)) return wrong;
  if (target_->path != "/submit") return std::nullopt;
  if (!head.tells_length()) {
    return HttpRefusal{
        411, "the body is the transaction: give its Content-Length, 0 if it is empty", {}, true};
  }
  // What a web page may send without asking has another type.
  if (!beast::iequals(request[http::field::content_type], "application/octet-stream"))
    return HttpRefusal{415, "the body is the transaction, as application/octet-stream"};
  if (request.count(http::field::content_encoding) > 0 &&
      !beast::iequals(request[http::field::content_encoding], "identity"))
    return HttpRefusal{415, "the body is the transaction as it is: leave out Content-Encoding"};
  return std::nullopt;
}

std::optional<HttpRefusal> Session::refusal_of_method(const Request& request) const {
  const std::string& path = target_->path;
  const bool submits = path == "/submit";
  const bool known =
      submits || path == "/query" || path == "/status" || path == "/log" || path == "/proof";
  if (!known) {
    return HttpRefusal{
        404, "there is no " + path + "; there are /submit, /query, /status, /log, /proof"};
  }
  if (request.method() == (submits ? http::verb::post : http::verb::get)) return std::nullopt;
  const std::string name = submits ? "POST" : "GET";
  return HttpRefusal{405, path + " wants " + name, name};
}

void Session::route(const Request& request, const Target& target) {
  served_ = true;
  if (target.path == "/submit") return submit(request, target);
  if (target.path == "/query") return query(target);
  if (target.path == "/log") return log(request, target);
  if (target.path == "/proof") return proof(target);
  if (knows(target, {})) status();
}

bool Session::knows(const Target& target, const std::vector<std::string>& known) {
  const auto unknown = target.unknown_of(known);
  if (unknown) bad(target.path + " has no parameter '" + *unknown + "'");
  return !unknown;
}

// Empty: it was answered that it is none.
std::optional<std::uint64_t> Session::patience(const Target& target) {
  const auto ms = target.number("timeout_ms", kPatience);
  if (!ms || *ms == 0 || *ms > kMostPatience) {
    bad("timeout_ms is a number from 1 to " + std::to_string(kMostPatience));
    return std::nullopt;
  }
  return *ms * 1000;
}

void Session::submit(const Request& request, const Target& target) {
  if (!knows(target, {"timeout_ms", "prove"})) return;
  const auto patience_us = patience(target);
  if (!patience_us) return;
  const std::string* prove = target.find("prove");
  if (prove != nullptr && *prove != "0" && *prove != "1") return bad("prove is 0 or 1");
  const bool proves = prove != nullptr && *prove == "1";
  shared_->hooks.submit(Bytes::copy_of(as_view(request.body())),
                        {.prove = proves ? Prove::kYes : Prove::kNo, .patience_us = *patience_us},
                        here<CommitStatus>([](Session& self, const CommitStatus& out) {
                          if (out.committed()) return self.reply(http::status::ok, json_of(out));
                          if (out.kind == CommitStatus::Kind::kUnknown) {
                            return self.reply(http::status::gateway_timeout, json_of(out));
                          }
                          self.reply(status_of(out.refusal), json_of(out));
                        }));
}

void Session::query(const Target& target) {
  if (!knows(target, {"q", "length", "timeout_ms"})) return;
  const auto patience_us = patience(target);
  const auto length = target.number("length", 0);
  const std::string* question = target.find("q");
  if (!patience_us) return;
  if (!length || question == nullptr) return bad("give the question as q, and length as a number");
  // Whichever comes first; the other finds the answer gone.
  const auto waits = std::make_shared<bool>(true);
  timer_.expires_after(std::chrono::microseconds(*patience_us));
  timer_.async_wait([self = shared_from_this(), waits, any = *length == 0](error_code ec) {
    if (ec || !std::exchange(*waits, false)) return;
    self->reply(
        http::status::gateway_timeout,
        error_json(any ? "no answer in time: the node has started and is not level with its "
                         "peers; GET /status says what it waits for"
                       : "no answer in time: the log has not come to that length here"));
  });
  shared_->hooks.query(Bytes::copy_of(as_view(*question)), *length, *patience_us,
                       here<Answer>([waits](Session& self, const Answer& answer) {
                         if (!std::exchange(*waits, false)) return;
                         self.timer_.cancel();
                         self.reply(
                             answer.failed ? http::status::unprocessable_entity : http::status::ok,
                             json_of(answer));
                       }));
}

void Session::status() {
  shared_->hooks.status(here<NodeStatus>(
      [](Session& self, const NodeStatus& s) { self.reply(http::status::ok, json_of(s)); }));
}

void Session::log(const Request& request, const Target& target) {
  if (!knows(target, {"from", "limit"})) return;
  auto from = target.number("from", 0);
  const auto most = target.number("limit", kMostRows);
  if (!from || !most || *most == 0) return bad("from and limit are numbers, limit at least 1");
  const auto accept = request[http::field::accept];
  if (accept.find("text/event-stream") != accept.npos) {
    const auto last = request["Last-Event-ID"];  // of who comes back
    if (!last.empty()) {
      const auto after = Target{{}, {{"id", {last.data(), last.size()}}}}.number("id", 0);
      // The largest number has none behind it: it would wrap round to the begin of the log.
      if (!after || *after == std::numeric_limits<std::uint64_t>::max())
        return bad("Last-Event-ID is no position");
      *from = *after + 1;
    }
    return follow(*from);
  }
  const auto rows = static_cast<std::size_t>(std::min<std::uint64_t>(*most, kMostRows));
  shared_->hooks.log(*from, rows, here<LogPage>([at = *from](Session& self, const LogPage& page) {
    if (page.begins > 0) return self.reply(http::status::gone, pruned_json(page));
    if (!page.problem.empty() && page.transactions.empty()) {
      return self.reply(http::status::service_unavailable, error_json(page.problem));
    }
    self.reply(http::status::ok, json_of(at, page));
  }));
}

void Session::proof(const Target& target) {
  if (!knows(target, {"position"})) return;
  const auto position =
      target.find("position") == nullptr ? std::nullopt : target.number("position", 0);
  if (!position) return bad("give the position as a number");
  shared_->hooks.prove(*position, here<ProofAnswer>([](Session& self, const ProofAnswer& answer) {
    if (!answer.proof.empty()) return self.reply_text(http::status::ok, answer.proof);
    if (answer.begins > 0) {
      text::Value gone = error_json(answer.problem);
      return self.reply(http::status::gone, gone.set("begins", answer.begins));
    }
    self.reply(answer.busy ? http::status::service_unavailable : http::status::not_found,
               error_json(answer.problem));
  }));
}

// Server-sent events: the body has no end, so the connection is not used again.
void Session::follow(std::uint64_t from) {
  next_ = from;
  keep_alive_ = false;
  write(
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
      "Connection: close\r\n\r\n");
}

void Session::follow_on() {
  if (row_ < rows_.size()) return write_events();
  if (shared_->length.load() <= next_) return wait();
  shared_->hooks.log(
      next_, kMostRows, here<LogPage>([](Session& self, const LogPage& page) {
        if (page.begins > 0) {  // told, and then what is there
          self.next_ = page.begins;
          return self.write("event: pruned\ndata: " + text::write(pruned_json(page)) + "\n\n");
        }
        if (!page.problem.empty() && page.transactions.empty()) return self.close();
        if (page.transactions.empty()) return self.wait();
        self.rows_ = page.transactions;
        self.row_ = 0;
        self.write_events();
      }));
}

void Session::wait() {
  if (++quiet_ == kBeat) return write(": nothing new\n\n");
  timer_.expires_after(std::chrono::milliseconds(kFollow));
  timer_.async_wait([self = shared_from_this()](error_code ec) {
    if (!ec) self->follow_on();
  });
}

// A little at a time: to make text of a whole page takes long enough that others would notice, and
// the text of one whose reader is slow is kept until it is taken.
void Session::write_events() {
  std::string out;
  for (; row_ < rows_.size() && out.size() < kMostText; ++row_) {
    const LoggedTransaction& t = rows_[row_];
    out += "id: " + std::to_string(t.position) + "\ndata: " + text::write(json_of(t)) + "\n\n";
    next_ = t.position + 1;
  }
  if (row_ == rows_.size()) rows_.clear();
  if (rows_.empty()) row_ = 0;
  write(std::move(out));
}

void Session::write(std::string text) {
  quiet_ = 0;
  text_ = std::move(text);
  stream_.expires_after(std::chrono::microseconds(shared_->limits.write_us));
  asio::async_write(stream_, asio::buffer(text_),
                    [self = shared_from_this()](error_code ec, std::size_t) {
                      if (ec) return self->close();
                      self->last_ = std::chrono::steady_clock::now();
                      self->follow_on();
                    });
}

void Session::reply(http::status status, const text::Value& body, const std::string& allow) {
  reply_text(status, text::write(body), allow);
}

void Session::reply_text(http::status status, const std::string& json, const std::string& allow) {
  auto answer = std::make_shared<http::response<http::string_body>>(status, 11);
  answer->set(http::field::content_type, "application/json");
  answer->set(http::field::cache_control, "no-store");
  answer->set("X-Content-Type-Options", "nosniff");
  if (!allow.empty()) answer->set(http::field::allow, allow);
  answer->body() = json + "\n";
  answer->keep_alive(keep_alive_);
  answer->prepare_payload();
  // The length stays: it is that of the body that another method would have got.
  if (parser_->get().method() == http::verb::head) answer->body().clear();
  stream_.expires_after(std::chrono::microseconds(shared_->limits.write_us));
  http::async_write(stream_, *answer,
                    [self = shared_from_this(), answer](error_code ec, std::size_t) {
                      if (!ec && self->keep_alive_) return self->read();
                      if (ec) return self->close();
                      error_code ignored;
                      self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
                      self->stream_.expires_after(kLinger);
                      self->drain();
                    });
}

// Closed with something unread, the answer might be lost on the way.
void Session::drain() {
  served_ = false;
  buffer_.clear();
  stream_.async_read_some(buffer_.prepare(kMostDrained),
                          [self = shared_from_this()](error_code ec, std::size_t) {
                            if (ec) return self->close();
                            self->drain();
                          });
}

}  // namespace

struct Gateway::Impl {
  Impl(GatewayHooks hooks, const GatewayLimits& limits) : acceptor(context) {
    shared->hooks = std::move(hooks);
    shared->limits = limits;
  }
  const std::size_t most = std::min<std::size_t>(kMostConnections, share_of_descriptors(16));

  void accept() {
    acceptor.async_accept([this](error_code ec, tcp::socket socket) {
      if (ec == asio::error::operation_aborted) return;
      if (!ec) begin(std::move(socket));
      if (!ec) return accept();
      // No descriptor is left: later again, not at once.
      pause.expires_after(std::chrono::milliseconds(100));
      pause.async_wait([this](error_code stopped) {
        if (!stopped) accept();
      });
    });
  }
  // A connection with half a request ends none that is being served. Where nearly all are served
  // it may be any of them: else those that come would only end each other.
  std::shared_ptr<Session> gives_way() const {
    const auto served = [](const auto& s) { return s->served(); };
    const auto unserved =
        sessions.size() - static_cast<std::size_t>(std::ranges::count_if(sessions, served));
    const bool spares = unserved > 0 && unserved >= most / kUnservedShare;
    std::shared_ptr<Session> out;
    for (const auto& session : sessions) {
      if (spares && session->served()) continue;
      if (!out || session->last() < out->last()) out = session;
    }
    return out;
  }
  void begin(tcp::socket socket) {
    if (sessions.size() >= most) gives_way()->close();
    const auto session =
        std::make_shared<Session>(std::move(socket), shared, [this](Session* gone) {
          sessions.remove_if([gone](const auto& s) { return s.get() == gone; });
        });
    sessions.push_back(session);
    session->read();
  }

  std::shared_ptr<Shared> shared = std::make_shared<Shared>();
  asio::io_context context{1};
  tcp::acceptor acceptor;
  asio::steady_timer pause{context};
  std::list<std::shared_ptr<Session>> sessions;
  std::thread thread;
};

Gateway::Gateway(GatewayHooks hooks, const GatewayLimits& limits)
    : impl_(std::make_unique<Impl>(std::move(hooks), limits)) {}

// What the node still answers is dropped.
Gateway::~Gateway() {
  {
    const std::lock_guard lock(impl_->shared->mutex);
    impl_->shared->open = false;
  }
  impl_->context.stop();
  if (impl_->thread.joinable()) impl_->thread.join();
}

Result<Unit, Error> Gateway::listen(const LoopbackAddress& at) {
  error_code ec;
  const tcp::endpoint place(asio::ip::make_address(at.host), at.port);
  impl_->acceptor.open(place.protocol(), ec);
  if (!ec) impl_->acceptor.set_option(tcp::acceptor::reuse_address(true), ec);
  if (!ec) impl_->acceptor.bind(place, ec);
  if (!ec) impl_->acceptor.listen(asio::socket_base::max_listen_connections, ec);
  if (ec) {
    const std::string where = at.host + ":" + std::to_string(at.port);
    return Error{code_of_errno(ec.value()), "cannot listen at " + where + ": " + ec.message(),
                 where, "free the port, or name another one in gateway.address"};
  }
  impl_->accept();
  impl_->thread = std::thread([impl = impl_.get()] { impl->context.run(); });
  return Unit{};
}

void Gateway::length(std::uint64_t transactions) {
  impl_->shared->length.store(transactions);
}

}  // namespace thresher::net
