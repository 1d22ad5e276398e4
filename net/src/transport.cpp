#include "thresher/net/transport.hpp"

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>

#include "loop_impl.hpp"
#include "thresher/net/wire.hpp"

namespace thresher::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Stream = asio::ssl::stream<tcp::socket>;

constexpr std::uint8_t kHello = 0;
constexpr std::size_t kFrameHead = 9;
constexpr std::size_t kWriteBytes = 256 * 1024;
constexpr std::uint32_t kHelloBytes = 5 + wire::kSmallBytes;
constexpr std::uint64_t kBackoffMin = 50'000;
constexpr std::uint64_t kBackoffMax = 1'000'000;

// A self-signed certificate whose key is the node's key.
void install_identity(asio::ssl::context& context, const crypto::SigningKey& key) {
  struct Free {
    void operator()(EVP_PKEY* k) const { EVP_PKEY_free(k); }
    void operator()(X509* x) const { X509_free(x); }
  };
  const std::unique_ptr<EVP_PKEY, Free> pkey(EVP_PKEY_new_raw_private_key(
      EVP_PKEY_ED25519, nullptr, reinterpret_cast<const unsigned char*>(key.seed().data()),
      key.seed().size()));
  const std::unique_ptr<X509, Free> cert(X509_new());
  X509_set_version(cert.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(cert.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(cert.get()), -86400);
  X509_gmtime_adj(X509_getm_notAfter(cert.get()), 10L * 365 * 86400);
  X509_set_pubkey(cert.get(), pkey.get());
  X509_NAME* name = X509_get_subject_name(cert.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>("thresher"), -1, -1, 0);
  X509_set_issuer_name(cert.get(), name);
  X509_sign(cert.get(), pkey.get(), nullptr);
  SSL_CTX* raw = context.native_handle();
  SSL_CTX_use_certificate(raw, cert.get());
  SSL_CTX_use_PrivateKey(raw, pkey.get());
}

std::shared_ptr<asio::ssl::context> make_context(const crypto::SigningKey& key) {
  auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls);
  SSL_CTX* raw = context->native_handle();
  SSL_CTX_set_min_proto_version(raw, TLS1_3_VERSION);
  SSL_CTX_set_ciphersuites(raw, "TLS_AES_128_GCM_SHA256");
  SSL_CTX_set_session_cache_mode(raw, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(raw, 0);
  install_identity(*context, key);
  context->set_verify_mode(asio::ssl::verify_peer | asio::ssl::verify_fail_if_no_peer_cert);
  // No CA: whose key it is gets checked against the pinned keys once the handshake proved
  // possession.
  context->set_verify_callback([](bool, asio::ssl::verify_context&) { return true; });
  return context;
}

std::optional<PublicKey> peer_key(Stream& stream) {
  X509* cert = SSL_get0_peer_certificate(stream.native_handle());
  EVP_PKEY* key = cert == nullptr ? nullptr : X509_get0_pubkey(cert);
  PublicKey out;
  std::size_t size = out.size();
  if (key == nullptr || EVP_PKEY_id(key) != EVP_PKEY_ED25519 ||
      EVP_PKEY_get_raw_public_key(key, reinterpret_cast<unsigned char*>(out.data()), &size) != 1) {
    return std::nullopt;
  }
  return out;
}

void put_u32(std::vector<std::byte>& out, std::size_t v) {
  for (int i = 0; i < 4; ++i) out.push_back(static_cast<std::byte>(v >> (8 * i)));
}
std::uint32_t get_u32(const std::byte* p) {
  std::uint32_t v = 0;
  for (int i = 0; i < 4; ++i) v |= std::to_integer<std::uint32_t>(p[i]) << (8 * i);
  return v;
}

// One TLS connection: handshake, hello, frames both ways. Lives as long as its operations do. Calls
// no event after `closed`, and keeps them until its end: one of them may be running when it closes.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  struct Events {
    std::function<bool(Connection&, const PublicKey&)> identified;  // false refuses
    std::function<void(Connection&)> ready;
    std::function<void(Connection&, Frame)> frame;
    std::function<void(Connection&, const std::string& why)> closed;
  };

  Connection(asio::io_context& io, std::shared_ptr<asio::ssl::context> context, const Digest& chain,
             std::uint32_t max_frame, std::size_t max_queue, std::uint64_t handshake_us,
             Events events)
      : context_(std::move(context)),
        stream_(io, *context_),
        deadline_(io),
        chain_(chain),
        max_frame_(max_frame),
        max_queue_(max_queue),
        handshake_us_(handshake_us),
        events_(std::move(events)) {}

  tcp::socket& socket() { return stream_.next_layer(); }
  ConnectionId id = 0;

  void handshake(asio::ssl::stream_base::handshake_type type) {
    error_code ignored;
    socket().set_option(tcp::no_delay(true), ignored);
    deadline_.expires_after(std::chrono::microseconds(handshake_us_));
    deadline_.async_wait([self = shared_from_this()](const error_code& e) {
      if (!e && !self->ready_) self->close("the handshake took too long");
    });
    stream_.async_handshake(type, [self = shared_from_this()](const error_code& e) {
      if (self->closed_) return;
      if (e) return self->close("TLS handshake failed: " + e.message());
      const auto key = peer_key(self->stream_);
      if (!key || !self->events_.identified(*self, *key)) {
        return self->close("the peer's key is not the one pinned for it");
      }
      self->say_hello();
      self->read_head();
    });
  }

  bool send(const Frame& frame) {
    if (closed_ || !ready_) return false;
    const std::size_t size = kFrameHead + frame.control.size() + frame.payload.size();
    if (queued_bytes_ + size > max_queue_) return false;
    queued_bytes_ += size;
    queue_.push_back(frame);
    if (!writing_) write();
    return true;
  }

  void close(const std::string& why) {
    if (closed_) return;
    closed_ = true;
    error_code ignored;
    deadline_.cancel(ignored);
    socket().close(ignored);
    queue_.clear();
    events_.closed(*this, why);
  }

  std::uint64_t bytes_sent = 0;

 private:
  void say_hello() {
    queue_.push_back({kHello, wire::encode(wire::Hello{kWireVersion, chain_}), {}});
    write();
  }

  void append(const Frame& f) {
    put_u32(out_, 5 + f.control.size() + f.payload.size());
    out_.push_back(static_cast<std::byte>(f.kind));
    put_u32(out_, f.control.size());
    const ByteView control = f.control.view();
    const ByteView payload = f.payload.view();
    out_.insert(out_.end(), control.begin(), control.end());
    out_.insert(out_.end(), payload.begin(), payload.end());
  }

  // Many frames a write: TLS records stay full and system calls few.
  void write() {
    out_.clear();
    while (!queue_.empty() && (out_.empty() || out_.size() < kWriteBytes)) {
      append(queue_.front());
      queue_.pop_front();
    }
    if (out_.empty()) return;
    writing_ = true;
    asio::async_write(stream_, asio::buffer(out_),
                      [self = shared_from_this()](const error_code& e, std::size_t n) {
                        self->writing_ = false;
                        self->bytes_sent += n;
                        self->queued_bytes_ -= std::min(self->queued_bytes_, n);
                        if (e) return self->close("write failed: " + e.message());
                        if (!self->closed_) self->write();
                      });
  }

  void read_head() {
    asio::async_read(stream_, asio::buffer(head_),
                     [self = shared_from_this()](const error_code& e, std::size_t) {
                       if (self->closed_) return;
                       if (e) return self->close("connection lost: " + e.message());
                       self->read_body();
                     });
  }

  void read_body() {
    const std::uint32_t total = get_u32(head_.data());
    const std::uint32_t control = get_u32(head_.data() + 5);
    const std::uint32_t limit = ready_ ? max_frame_ : kHelloBytes;
    if (total < 5 || total > limit || control > total - 5) {
      return close("a frame of " + std::to_string(total) + " bytes is over the limit of " +
                   std::to_string(limit));
    }
    body_.resize(total - 5);
    asio::async_read(stream_, asio::buffer(body_),
                     [self = shared_from_this(), control](const error_code& e, std::size_t) {
                       // What was read before somebody else closed may come in after that.
                       if (self->closed_) return;
                       if (e) return self->close("connection lost: " + e.message());
                       self->accept_frame(control);
                       if (!self->closed_) self->read_head();
                     });
  }

  void accept_frame(std::uint32_t control) {
    const std::size_t size = body_.size();
    const Bytes all = Bytes::from(std::move(body_));
    body_ = {};
    Frame frame{static_cast<std::uint8_t>(head_[4]), all.slice(0, control),
                all.slice(control, size - control)};
    if (ready_) return events_.frame(*this, std::move(frame));
    const auto hello = wire::decode<wire::Hello>(frame.control.view());
    if (frame.kind != kHello || !hello) return close("the peer did not say hello");
    if (hello->version != kWireVersion) {
      return close("the peer speaks wire version " + std::to_string(hello->version) +
                   ", this node " + std::to_string(kWireVersion) + "; upgrade the older one");
    }
    if (hello->chain != chain_)
      return close("the peer has another genesis; compare the genesis files");
    ready_ = true;
    deadline_.cancel();
    events_.ready(*this);
  }

  std::shared_ptr<asio::ssl::context> context_;
  Stream stream_;
  asio::steady_timer deadline_;
  Digest chain_;
  std::uint32_t max_frame_;
  std::size_t max_queue_;
  std::uint64_t handshake_us_;
  Events events_;
  std::deque<Frame> queue_;
  std::size_t queued_bytes_ = 0;
  std::vector<std::byte> out_;
  std::vector<std::byte> body_;
  std::array<std::byte, kFrameHead> head_{};
  bool writing_ = false;
  bool ready_ = false;
  bool closed_ = false;
};

using ConnectionPtr = std::shared_ptr<Connection>;

}  // namespace

struct Transport::Impl : std::enable_shared_from_this<Impl> {
  Impl(Loop& l, TransportOptions o, TransportCallbacks c)
      : loop(l),
        options(std::move(o)),
        callbacks(std::move(c)),
        context(make_context(options.key)),
        acceptor(l.impl().context) {}

  ConnectionPtr make(Connection::Events events) {
    return std::make_shared<Connection>(loop.impl().context, context, options.chain,
                                        options.max_frame_bytes, options.max_queue_bytes,
                                        options.handshake_us, std::move(events));
  }

  Connection::Events events(std::function<bool(Connection&, const PublicKey&)> identified,
                            std::function<void()> retry) {
    const std::weak_ptr<Impl> weak = weak_from_this();
    return {std::move(identified),
            [weak](Connection& c) {
              if (const auto self = weak.lock()) self->up(c);
            },
            [weak](Connection& c, Frame f) {
              const auto self = weak.lock();
              if (self && !self->stopped) self->callbacks.on_frame(c.id, std::move(f));
            },
            [weak, retry = std::move(retry)](Connection& c, const std::string& why) {
              const auto self = weak.lock();
              if (!self || self->stopped) return;
              self->down(c, why);
              if (retry) retry();
            }};
  }

  void up(Connection& c) {
    if (stopped) return c.close("shutting down");
    ConnectionPtr& slot = links[c.id];
    const ConnectionPtr old = std::exchange(slot, c.shared_from_this());
    if (old && old.get() != &c) old->close("replaced by a newer connection of the same node");
    backoff[c.id] = kBackoffMin;
    callbacks.on_link(c.id, true);
  }

  void down(Connection& c, const std::string& why) {
    sent_before += c.id < kFirstClient ? c.bytes_sent : 0;
    const auto it = links.find(c.id);
    if (it == links.end() || it->second.get() != &c) {
      if (why.find("pinned") != std::string::npos || why.find("the peer") != std::string::npos) {
        callbacks.on_error(why);
      }
      return;
    }
    links.erase(it);
    callbacks.on_link(c.id, false);
  }

  void accept() {
    auto connection = make(events(
        [weak = weak_from_this()](Connection& c, const PublicKey& key) {
          const auto self = weak.lock();
          return self && self->identify(c, key);
        },
        nullptr));
    acceptor.async_accept(connection->socket(),
                          [self = shared_from_this(), connection](const error_code& e) {
                            if (self->stopped) return;
                            if (!e) connection->handshake(asio::ssl::stream_base::server);
                            self->accept();
                          });
  }

  // A committee key is that node; any other key is a client.
  bool identify(Connection& c, const PublicKey& key) {
    for (std::size_t i = 0; i < options.nodes.size(); ++i) {
      if (options.nodes[i].key == key) {
        c.id = i;
        return i != options.self.value;
      }
    }
    if (links.size() >= options.nodes.size() + options.max_clients) return false;
    c.id = next_client++;
    return true;
  }

  bool send_now(ConnectionId to, const Frame& frame);

  void dial(std::size_t node) {
    if (stopped) return;
    const PeerAddress& peer = options.nodes[node];
    const auto retry = [weak = weak_from_this(), node] {
      const auto self = weak.lock();
      if (!self || self->stopped) return;
      std::uint64_t& wait = self->backoff[node];
      wait = std::clamp(wait * 2, kBackoffMin, kBackoffMax);
      self->loop.call_after(wait, [weak, node] {
        if (const auto again = weak.lock()) again->dial(node);
      });
    };
    auto connection = make(
        events([key = peer.key](Connection&, const PublicKey& got) { return got == key; }, retry));
    connection->id = node;
    error_code e;
    const auto address = asio::ip::make_address(peer.host, e);
    if (e) return callbacks.on_error("address '" + peer.host + "' is not an IP address");
    connection->socket().async_connect(
        tcp::endpoint(address, peer.port), [connection](const error_code& failed) {
          if (failed) return connection->close("cannot connect: " + failed.message());
          connection->handshake(asio::ssl::stream_base::client);
        });
  }

  Loop& loop;
  TransportOptions options;
  TransportCallbacks callbacks;
  std::shared_ptr<asio::ssl::context> context;
  tcp::acceptor acceptor;
  std::map<ConnectionId, ConnectionPtr> links;
  std::map<ConnectionId, std::uint64_t> backoff;
  ConnectionId next_client = kFirstClient;
  std::uint64_t sent_before = 0;
  std::uint64_t dropped = 0;
  bool stopped = false;
};

Transport::Transport(Loop& loop, TransportOptions options, TransportCallbacks callbacks)
    : impl_(std::make_shared<Impl>(loop, std::move(options), std::move(callbacks))) {}

Transport::~Transport() {
  close();
}

void Transport::close() {
  impl_->stopped = true;
  error_code ignored;
  impl_->acceptor.close(ignored);
  for (const auto& [id, link] : std::exchange(impl_->links, {})) link->close("shutting down");
}

std::string Transport::start() {
  const PeerAddress& own = impl_->options.nodes[impl_->options.self.value];
  error_code e;
  const tcp::endpoint endpoint(asio::ip::make_address(own.host, e), own.port);
  const std::string where = own.host + ":" + std::to_string(own.port);
  if (e) return "listen address '" + where + "' is not an IP address; write it as 127.0.0.1:26656";
  impl_->acceptor.open(endpoint.protocol(), e);
  if (!e) impl_->acceptor.set_option(tcp::acceptor::reuse_address(true), e);
  if (!e) impl_->acceptor.bind(endpoint, e);
  if (!e) impl_->acceptor.listen(asio::socket_base::max_listen_connections, e);
  if (e) {
    return "cannot listen on " + where + ": " + e.message() +
           "; stop what uses the port or change the address in the genesis file";
  }
  impl_->accept();
  // The lower id dials: one connection a pair.
  for (std::size_t i = impl_->options.self.value + 1u; i < impl_->options.nodes.size(); ++i) {
    impl_->dial(i);
  }
  return {};
}

bool Transport::send(ConnectionId to, const Frame& frame) {
  const std::uint64_t delay = impl_->options.link_delay_us;
  if (delay == 0 || to >= kFirstClient) return impl_->send_now(to, frame);
  impl_->loop.call_after(delay, [weak = std::weak_ptr(impl_), to, frame] {
    if (const auto self = weak.lock()) (void)self->send_now(to, frame);
  });
  return impl_->links.contains(to);
}

bool Transport::Impl::send_now(ConnectionId to, const Frame& frame) {
  const auto it = links.find(to);
  const bool ok = it != links.end() && it->second->send(frame);
  if (!ok) ++dropped;
  return ok;
}

std::uint64_t Transport::node_bytes_sent() const {
  std::uint64_t sum = impl_->sent_before;
  for (const auto& [id, link] : impl_->links) sum += id < kFirstClient ? link->bytes_sent : 0;
  return sum;
}
std::uint64_t Transport::dropped() const {
  return impl_->dropped;
}

std::size_t Transport::node_links() const {
  const auto end = impl_->links.lower_bound(kFirstClient);
  return static_cast<std::size_t>(std::distance(impl_->links.begin(), end));
}

struct ClientLink::Impl {
  Loop& loop;
  Digest chain;
  PeerAddress node;
  TransportCallbacks callbacks;
  std::shared_ptr<asio::ssl::context> context;
  ConnectionPtr connection;
  bool up = false;
  bool closed = false;
};

ClientLink::ClientLink(Loop& loop, const Digest& chain, PeerAddress node,
                       TransportCallbacks callbacks)
    : impl_(std::make_shared<Impl>(Impl{loop, chain, std::move(node), std::move(callbacks),
                                        make_context(crypto::SigningKey::generate()), nullptr,
                                        false, false})) {}

ClientLink::~ClientLink() {
  impl_->closed = true;
  if (impl_->connection) impl_->connection->close("shutting down");
}

void ClientLink::connect() {
  const std::weak_ptr<Impl> weak = impl_;
  Connection::Events events{
      [key = impl_->node.key](Connection&, const PublicKey& got) { return got == key; },
      [weak](Connection&) {
        const auto self = weak.lock();
        if (!self || self->closed) return;
        self->up = true;
        self->callbacks.on_link(0, true);
      },
      [weak](Connection&, Frame f) {
        const auto self = weak.lock();
        if (self && !self->closed) self->callbacks.on_frame(0, std::move(f));
      },
      [weak](Connection&, const std::string& why) {
        const auto self = weak.lock();
        if (!self || self->closed) return;
        self->up = false;
        self->callbacks.on_error(why);
        self->callbacks.on_link(0, false);
      }};
  impl_->connection =
      std::make_shared<Connection>(impl_->loop.impl().context, impl_->context, impl_->chain,
                                   64u << 20, 256u << 20, 3'000'000, std::move(events));
  error_code e;
  const auto address = asio::ip::make_address(impl_->node.host, e);
  impl_->connection->socket().async_connect(
      tcp::endpoint(address, impl_->node.port),
      [connection = impl_->connection](const error_code& failed) {
        if (failed) return connection->close("cannot connect: " + failed.message());
        connection->handshake(asio::ssl::stream_base::client);
      });
}

bool ClientLink::send(const Frame& frame) {
  return impl_->connection && impl_->connection->send(frame);
}
bool ClientLink::up() const {
  return impl_->up;
}

}  // namespace thresher::net
