#include "thresher/net/transport.hpp"

#include <openssl/evp.h>
#include <openssl/x509.h>
#include <sys/resource.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <map>

#include "complaints.hpp"
#include "connection.hpp"
#include "loop_impl.hpp"

namespace thresher::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using ConnectionPtr = std::shared_ptr<Connection>;

constexpr std::uint64_t kBackoffMin = 5'000;
constexpr std::uint64_t kBackoffMax = 250'000;
/// A client takes parts of the log, which are larger than what nodes send each other.
constexpr std::uint32_t kClientFrameBytes = 64u << 20;
constexpr std::size_t kClientQueueBytes = 256u << 20;
constexpr std::uint64_t kClientHandshake = 3'000'000;
/// Until an accept is tried again that failed, for want of file descriptors above all.
constexpr std::uint64_t kAcceptRetry = 100'000;

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

}  // namespace

struct Transport::Impl : std::enable_shared_from_this<Impl> {
  Impl(Loop& l, TransportOptions o, TransportCallbacks c)
      : loop(l),
        options(std::move(o)),
        callbacks(std::move(c)),
        context(make_context(options.key)),
        acceptor(l.impl().context) {}

  ConnectionPtr make(Connection::Events events) {
    const Connection::Settings settings{options.chain, options.max_frame_bytes,
                                        options.max_queue_bytes, options.handshake_us,
                                        options.silence_us};
    return std::make_shared<Connection>(loop.impl().context, context, settings, std::move(events));
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
    if (c.id >= kFirstClient && !make_place()) {
      return c.close("there are " + std::to_string(options.max_clients) + " clients already");
    }
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
      const bool node = c.id < options.nodes.size();
      const std::string what = node ? "node " + std::to_string(c.id) + ": " + why : why;
      if (c.refused() && complaints.fresh(what, Loop::now_us())) callbacks.on_error(what);
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
                            if (e) {
                              self->loop.call_after(kAcceptRetry, [weak = std::weak_ptr(self)] {
                                const auto again = weak.lock();
                                if (again && !again->stopped) again->accept();
                              });
                              return;
                            }
                            self->make_room();
                            self->strangers.push_back(connection);
                            connection->handshake(asio::ssl::stream_base::server);
                            self->accept();
                          });
  }

  // Those who have not said hello yet share few places; the oldest gives way, so that whoever means
  // it gets through a flood.
  void make_room() {
    std::erase_if(strangers, [](const std::weak_ptr<Connection>& s) {
      const ConnectionPtr c = s.lock();
      return !c || c->ready() || c->closed();
    });
    if (strangers.size() < options.max_strangers) return;
    if (const ConnectionPtr oldest = strangers.front().lock()) {
      oldest->close("others wait for its place");
    }
    strangers.pop_front();
  }

  // False: no client gives way to a new one.
  bool make_place() {
    if (clients() < options.max_clients) return true;
    const auto gives_way = callbacks.on_full ? callbacks.on_full() : std::nullopt;
    const auto it = gives_way ? links.find(*gives_way) : links.end();
    if (it == links.end()) return false;
    const ConnectionPtr link = it->second;
    link->close("another client needs its place");
    return true;
  }

  std::size_t clients() const {
    return static_cast<std::size_t>(std::distance(links.lower_bound(kFirstClient), links.end()));
  }

  // A committee key is that node; any other key is a client.
  bool identify(Connection& c, const PublicKey& key) {
    for (std::size_t i = 0; i < options.nodes.size(); ++i) {
      if (options.nodes[i].key == key) {
        c.id = i;
        return i != options.self.value;
      }
    }
    c.id = next_client++;
    c.limit_queue(options.max_client_queue_bytes, client_bytes);
    return true;
  }

  bool send_now(ConnectionId to, const Frame& frame);
  bool make_client_room(ConnectionId to, const Frame& frame);

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
    connection->connect(tcp::endpoint(address, peer.port));
  }

  Loop& loop;
  TransportOptions options;
  TransportCallbacks callbacks;
  std::shared_ptr<asio::ssl::context> context;
  tcp::acceptor acceptor;
  std::map<ConnectionId, ConnectionPtr> links;
  std::deque<std::weak_ptr<Connection>> strangers;  // accepted, no hello yet; oldest first
  std::map<ConnectionId, std::uint64_t> backoff;
  Complaints complaints;
  ConnectionId next_client = kFirstClient;
  std::uint64_t sent_before = 0;
  std::uint64_t dropped = 0;
  std::shared_ptr<std::size_t> client_bytes = std::make_shared<std::size_t>(0);
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
  // Whoever connects gets at most half of the descriptors: the disk and the nodes need theirs.
  rlimit descriptors{};
  if (::getrlimit(RLIMIT_NOFILE, &descriptors) == 0) {
    const auto share = static_cast<std::uint32_t>(
        std::clamp<rlim_t>(descriptors.rlim_cur / 4, 1, std::numeric_limits<std::uint32_t>::max()));
    impl_->options.max_strangers = std::min(impl_->options.max_strangers, share);
    impl_->options.max_clients = std::min(impl_->options.max_clients, share);
  }
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
  const bool room = to < kFirstClient || make_client_room(to, frame);
  const auto it = room ? links.find(to) : links.end();
  const bool ok = it != links.end() && it->second->send(frame);
  if (!ok) ++dropped;
  return ok;
}

// Clients share one budget. Over it, the client that has most waiting is in the way: if it is not
// the receiver it is closed, so that whoever reads is served and those who do not make room.
bool Transport::Impl::make_client_room(ConnectionId to, const Frame& frame) {
  const auto link = links.find(to);
  if (link == links.end() || !link->second->has_room(frame)) return false;
  const ConnectionPtr receiver = link->second;
  const std::size_t size = Connection::size_of(frame);
  while (!stopped && *client_bytes > 0 &&
         *client_bytes + size > options.max_all_clients_queue_bytes) {
    const auto most = std::max_element(links.lower_bound(kFirstClient), links.end(),
                                       [](const auto& a, const auto& b) {
                                         return a.second->queued_bytes() < b.second->queued_bytes();
                                       });
    const ConnectionPtr greedy = most->second;
    if (greedy->queued_bytes() <= receiver->queued_bytes()) return false;
    const std::string why = "client " + std::to_string(greedy->id) +
                            " is disconnected: " + std::to_string(greedy->queued_bytes()) +
                            " bytes wait for it, the most of all clients, and the clients' queues "
                            "are at their limit of " +
                            std::to_string(options.max_all_clients_queue_bytes) +
                            " bytes together; it has to read faster";
    greedy->close(why);
    callbacks.on_error(why);
  }
  return !stopped && !receiver->closed();
}

void Transport::drop(ConnectionId to, const std::string& why) {
  const auto it = impl_->links.find(to);
  if (it == impl_->links.end()) return;
  const ConnectionPtr link = it->second;
  link->close(why);
}

std::optional<PublicKey> Transport::key_of(ConnectionId peer) const {
  const auto it = impl_->links.find(peer);
  if (it == impl_->links.end()) return std::nullopt;
  return it->second->identity;
}

std::size_t Transport::queued_bytes(ConnectionId to) const {
  const auto it = impl_->links.find(to);
  return it == impl_->links.end() ? 0 : it->second->queued_bytes();
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
                       TransportCallbacks callbacks, const crypto::SigningKey& key)
    : impl_(std::make_shared<Impl>(Impl{loop, chain, std::move(node), std::move(callbacks),
                                        make_context(key), nullptr, false, false})) {}

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
  const Connection::Settings settings{impl_->chain, kClientFrameBytes, kClientQueueBytes,
                                      kClientHandshake, TransportOptions{}.silence_us};
  impl_->connection = std::make_shared<Connection>(impl_->loop.impl().context, impl_->context,
                                                   settings, std::move(events));
  error_code e;
  const auto address = asio::ip::make_address(impl_->node.host, e);
  impl_->connection->connect(tcp::endpoint(address, impl_->node.port));
}

bool ClientLink::send(const Frame& frame) {
  return impl_->connection && impl_->connection->send(frame);
}
bool ClientLink::up() const {
  return impl_->up;
}

}  // namespace thresher::net
