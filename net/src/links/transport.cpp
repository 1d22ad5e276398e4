#include "thresher/net/transport.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "links/complaints.hpp"
#include "links/connection.hpp"
#include "links/descriptors.hpp"
#include "links/frame_budget.hpp"
#include "links/handshakes.hpp"
#include "links/loop_impl.hpp"
#include "links/places.hpp"
#include "links/second_links.hpp"
#include "links/strangers.hpp"
#include "links/tls_identity.hpp"

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

// Where the nodes are expected to come from.
std::set<Source> sources_of(const std::vector<PeerAddress>& nodes) {
  std::set<Source> out;
  for (const PeerAddress& node : nodes) {
    error_code e;
    const auto address = asio::ip::make_address(node.host, e);
    if (!e) out.insert(source_of(address));
  }
  return out;
}

// Nobody can foresee it, so that no flood can be shaped after it.
std::uint64_t secret_draw() {
  return hash(crypto::SigningKey::generate().public_key()).prefix();
}

}  // namespace

struct Transport::Impl : std::enable_shared_from_this<Impl> {
  Impl(Loop& l, TransportOptions o, TransportCallbacks c)
      : loop(l),
        options(std::move(o)),
        callbacks(std::move(c)),
        context(make_context(options.key)),
        helpers(options.threads - 1),
        peers(options.nodes.size()),
        frames(options.max_clients_frame_bytes, std::max(1u, options.max_clients)) {}

  ConnectionPtr make(tcp::socket socket, Connection::Events events) {
    Connection::Settings settings{options.chain, options.max_frame_bytes, options.max_queue_bytes,
                                  options.handshake_us, options.silence_us};
    settings.incarnation = own;
    settings.other_chain = options.other_chain;
    settings.gc_rounds = options.gc_rounds;
    settings.helper = helpers.next();
    settings.records_per_key = options.records_per_key;
    settings.oldest_version = [nodes = options.nodes](const PublicKey& key) {
      const bool member = std::any_of(nodes.begin(), nodes.end(),
                                      [&](const PeerAddress& n) { return n.key == key; });
      return member ? kWireVersion : kOldestClientVersion;
    };
    return std::make_shared<Connection>(std::move(socket), context, settings, std::move(events));
  }

  Connection::Events events(std::function<bool(Connection&, const PublicKey&)> identified,
                            std::function<void(Connection&)> over) {
    const std::weak_ptr<Impl> weak = weak_from_this();
    return {std::move(identified),
            [weak](Connection& c) {
              if (const auto self = weak.lock()) self->up(c);
            },
            [weak](Connection& c, Frame f) {
              const auto self = weak.lock();
              if (self && !self->stopped) self->take(c, std::move(f));
            },
            [weak, over = std::move(over)](Connection& c, const std::string& why) {
              const auto self = weak.lock();
              if (!self || self->stopped) return;
              self->down(c, why);
              over(c);
            },
            callbacks.prepare,
            [weak](Connection& c, std::size_t bytes) {
              const auto self = weak.lock();
              if (self && c.id >= kFirstClient) self->held(c, bytes);
            }};
  }

  bool is_node(ConnectionId id) const { return id < options.nodes.size(); }

  void up(Connection& c) {
    if (stopped) return c.close("shutting down");
    leave_places(c);
    if (c.id >= kFirstClient && !make_place()) {
      return c.close("there are " + std::to_string(options.max_clients) + " clients already");
    }
    const ConnectionPtr link = is_node(c.id) ? link_to(c.id) : nullptr;
    if (link && seconds.contend(link, c.shared_from_this())) return;
    take_place(c);
  }

  void take(Connection& c, Frame f) {
    if (is_node(c.id)) {
      if (f.kind == kAlive) return seconds.alive(c);
      c.spoke |= of_protocol(f.kind);
    }
    callbacks.on_frame(c.id, std::move(f));
  }

  void take_place(Connection& c) {
    ConnectionPtr& slot = links[c.id];
    const ConnectionPtr old = std::exchange(slot, c.shared_from_this());
    if (old && old.get() != &c) old->close("replaced by a newer connection of the same node");
    backoff[c.id] = kBackoffMin;
    if (is_node(c.id)) {
      peers[c.id].address = c.address();
      peers[c.id].last_problem.clear();
      ++peers[c.id].links;
    }
    callbacks.on_link(c.id, true);
    if (is_node(c.id) && callbacks.on_change)
      callbacks.on_change({c.id, true, false, c.address(), {}});
  }

  void down(Connection& c, const std::string& why) {
    const auto it = links.find(c.id);
    const bool linked = it != links.end() && it->second.get() == &c;
    if (is_node(c.id)) {
      peers[c.id].bytes_sent += c.bytes_sent;
      peers[c.id].bytes_received += c.bytes_received;
      if (linked || it == links.end()) peers[c.id].last_problem = why;
    }
    if (linked) links.erase(it);
    if (linked) callbacks.on_link(c.id, false);
    if (is_node(c.id) && callbacks.on_change) {
      if (linked || c.refused()) {
        callbacks.on_change({c.id, false, c.refused(), c.address(), why});
      }
    } else if (c.refused()) {
      const std::string what = is_node(c.id) ? "node " + std::to_string(c.id) + ": " + why : why;
      if (complaints.fresh(what, Loop::now_us())) callbacks.on_error(what);
    }
    seconds.closed(c);  // what waits for its place comes up behind its end
  }

  // A connection with a first byte gets TLS, and competes for a place with the others of its kind
  // until it is known.
  void spoke(tcp::socket socket, Source from) {
    const auto connection =
        make(std::move(socket), events(
                                    [weak = weak_from_this()](Connection& c, const PublicKey& key) {
                                      const auto self = weak.lock();
                                      return self && self->identify(c, key);
                                    },
                                    [this](Connection& c) { leave_places(c); }));
    connection->place = next_place++;
    speaking.emplace(connection->place, connection);
    if (const auto out = places->enter(connection->place, from)) {
      const ConnectionPtr loser = speaking.at(*out);
      loser->close("others wait for its place");
    }
    if (connection->closed()) return;
    handshakes->add(connection->place, from);
    begin_handshakes();
  }

  void begin_handshakes() {
    const std::uint64_t now = Loop::now_us();
    while (const auto place = handshakes->next(now)) {
      const ConnectionPtr connection = speaking.at(*place);
      connection->handshake(TlsStream::Role::kServer);
    }
    const auto due = handshakes->due();
    if (!due || std::exchange(handshake_timer, true)) return;
    loop.call_after(*due - now, [weak = weak_from_this()] {
      const auto self = weak.lock();
      if (!self || self->stopped) return;
      self->handshake_timer = false;
      self->begin_handshakes();
    });
  }

  void leave_places(Connection& c) {
    places->leave(c.place);
    handshakes->forget(c.place);
    speaking.erase(c.place);
    if (is_node(c.id) && peers[c.id].greeting == &c) peers[c.id].greeting = nullptr;
  }

  // An unfinished frame of a client grew, or ended.
  void held(Connection& c, std::size_t bytes) {
    if (bytes == 0) return frames.release(c.id);
    while (!c.closed()) {
      const auto out = frames.hold(c.id, bytes);
      if (!out) return;
      const ConnectionPtr slow = link_to(*out);  // there is one, or it had sent no frame
      const std::string why =
          "client " + std::to_string(*out) + " at " + slow->address() +
          " is disconnected: its frame is the oldest that is not whole, and those of all clients "
          "are at their limit of " +
          std::to_string(options.max_clients_frame_bytes) + " bytes together";
      if (complaints.fresh("a client's unfinished frame", Loop::now_us())) callbacks.on_error(why);
      slow->close(why);
    }
  }

  // Frames that somebody began and does not go on with are given up. Not after the process itself
  // stood still: then the peers are not to blame.
  void watch_frames() {
    const std::uint64_t now = Loop::now_us();
    const bool awake = now - watched_us < 2 * options.frame_us;
    watched_us = now;
    std::vector<ConnectionPtr> stuck;
    for (const auto& [id, link] : links) {
      if (link->stalls() && awake) stuck.push_back(link);
    }
    for (const ConnectionPtr& link : stuck) {
      link->refuse("less than " + std::to_string(Connection::kSmallFrame) +
                   " bytes of an unfinished frame came in " +
                   std::to_string(options.frame_us / 1'000'000) + " s");
    }
    loop.call_after(options.frame_us, [weak = weak_from_this()] {
      const auto self = weak.lock();
      if (self && !self->stopped) self->watch_frames();
    });
  }

  // False: no client gives way to a new one.
  bool make_place() {
    if (clients() < options.max_clients) return true;
    const auto gives_way = callbacks.on_full ? callbacks.on_full() : std::nullopt;
    const ConnectionPtr link = gives_way ? link_to(*gives_way) : nullptr;
    if (!link) return false;
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
        return i != options.self.value && options.links_with(i) && greets(c);
      }
    }
    c.id = next_client++;
    c.limit_queue(options.max_client_queue_bytes, client_bytes);
    return true;
  }

  // A node that is known needs no place among the strangers, and has one of its own until its
  // hello: the newest of its connections.
  bool greets(Connection& c) {
    places->leave(c.place);
    if (Connection* const old = std::exchange(peers[c.id].greeting, &c)) {
      old->close("replaced by a newer connection of the same node");
    }
    return true;
  }

  bool send_now(ConnectionId to, const Frame& frame);
  ConnectionPtr link_to(ConnectionId peer) const;  // null: there is none
  bool make_client_room(ConnectionId to, const Frame& frame);
  bool fits(ConnectionId to, const Frame& frame);

  void dial(std::size_t node) {
    if (stopped || !options.links_with(node)) return;
    const PeerAddress& peer = options.nodes[node];
    const auto retry = [weak = weak_from_this(), node](Connection&) {
      const auto self = weak.lock();
      if (!self || self->stopped) return;
      std::uint64_t& wait = self->backoff[node];
      wait = std::clamp(wait * 2, kBackoffMin, kBackoffMax);
      self->loop.call_after(wait, [weak, node] {
        if (const auto again = weak.lock()) again->dial(node);
      });
    };
    auto connection = make(
        tcp::socket(loop.impl().context),
        events([key = peer.key](Connection&, const PublicKey& got) { return got == key; }, retry));
    connection->id = node;
    error_code e;
    const auto address = asio::ip::make_address(peer.host, e);
    if (e) return callbacks.on_error("address '" + peer.host + "' is not an IP address");
    connection->connect(tcp::endpoint(address, peer.port));
  }

  /// What is known of a node, over all its connections that are gone.
  struct Peer {
    std::string address;
    std::string last_problem;
    std::uint64_t links = 0;
    std::uint64_t bytes_sent = 0;
    std::uint64_t bytes_received = 0;
    Connection* greeting = nullptr;  // accepted, its key is known, and its hello has not come
  };

  Loop& loop;
  TransportOptions options;
  TransportCallbacks callbacks;
  std::shared_ptr<asio::ssl::context> context;
  Helpers helpers;
  std::map<ConnectionId, ConnectionPtr> links;
  std::vector<Peer> peers;
  std::shared_ptr<Strangers> strangers;  // null before start()
  std::unique_ptr<Places> places;        // of those that have begun to speak; the same
  std::map<Places::Holder, ConnectionPtr> speaking;
  std::unique_ptr<Handshakes> handshakes;  // which of them get TLS next
  bool handshake_timer = false;
  Places::Holder next_place = 1;
  FrameBudget frames;
  std::uint64_t watched_us = 0;
  std::map<ConnectionId, std::uint64_t> backoff;
  Complaints complaints;
  ConnectionId next_client = kFirstClient;
  std::optional<Incarnation> own;  // as peers are told
  SecondLinks seconds{loop,
                      options.answer_us,
                      {[this](Connection& c) { take_place(c); },
                       [this](const std::string& why) {
                         if (complaints.fresh(why, Loop::now_us())) callbacks.on_error(why);
                       }}};
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
  if (impl_->strangers) impl_->strangers->close();
  impl_->seconds.close();
  for (const auto& [id, link] : std::exchange(impl_->links, {})) link->close("shutting down");
  for (const auto& [place, link] : std::exchange(impl_->speaking, {})) link->close("shutting down");
  impl_->helpers.stop();
}

Result<Unit, Error> Transport::start() {
  // Strangers get at most half of the descriptors: the disk and the nodes need theirs.
  TransportOptions& options = impl_->options;
  const std::uint32_t quarter = share_of_descriptors(4);
  options.max_strangers = std::min(options.max_strangers, quarter / 2);
  options.max_clients = std::min(options.max_clients, quarter);
  const PeerAddress& own = impl_->options.nodes[impl_->options.self.value];
  error_code e;
  const tcp::endpoint endpoint(asio::ip::make_address(own.host, e), own.port);
  const std::string where = own.host + ":" + std::to_string(own.port);
  if (e)
    return Error{ErrorCode::kMalformed, "listen address '" + where + "' is not an IP address",
                 where, "write it as 127.0.0.1:26656"};
  const auto sources = sources_of(options.nodes);
  impl_->places = std::make_unique<Places>(options.max_strangers, sources, secret_draw());
  impl_->handshakes = std::make_unique<Handshakes>(sources, secret_draw());
  impl_->strangers = std::make_shared<Strangers>(
      impl_->loop.impl().context,
      Strangers::Settings{options.max_strangers, options.handshake_us, sources, secret_draw()},
      [impl = impl_.get()](tcp::socket socket, Source from) {
        impl->spoke(std::move(socket), from);
      });
  if ((e = impl_->strangers->listen(endpoint))) return cannot_listen(where, e);
  impl_->watch_frames();
  // The lower id dials: one connection a pair.
  for (std::size_t i = impl_->options.self.value + 1u; i < impl_->options.nodes.size(); ++i) {
    impl_->dial(i);
  }
  return Unit{};
}

bool Transport::send(ConnectionId to, const Frame& frame) {
  const std::uint64_t delay = impl_->options.link_delay_to(to);
  if (delay == 0) return impl_->send_now(to, frame);
  impl_->loop.call_after(delay, [weak = std::weak_ptr(impl_), to, frame] {
    if (const auto self = weak.lock()) (void)self->send_now(to, frame);
  });
  return impl_->links.contains(to);
}

bool Transport::Impl::send_now(ConnectionId to, const Frame& frame) {
  const bool room = fits(to, frame) && (to < kFirstClient || make_client_room(to, frame));
  const ConnectionPtr link = room ? link_to(to) : nullptr;
  const bool ok = link && link->send(frame);
  if (!ok) ++dropped;
  return ok;
}

// What the other side has to refuse would cost the link, and the one after it.
bool Transport::Impl::fits(ConnectionId to, const Frame& frame) {
  const std::uint32_t most = to < kFirstClient ? options.max_frame_bytes : kClientFrameBytes;
  const std::size_t bytes = Connection::counted(frame);
  if (bytes <= most) return true;
  const std::string whom = (to < kFirstClient ? "node " : "client ") + std::to_string(to);
  if (complaints.fresh("too large a frame for " + whom, Loop::now_us()))
    callbacks.on_error("a frame of " + std::to_string(bytes) + " bytes for " + whom + ", of kind " +
                       std::to_string(frame.kind) + ", is not sent: the limit is " +
                       std::to_string(most));
  return false;
}

// Clients share one budget. Over it, the client that has most waiting is in the way: if it is not
// the receiver it is closed, so that clients that read are served and those that do not make room.
bool Transport::Impl::make_client_room(ConnectionId to, const Frame& frame) {
  const ConnectionPtr receiver = link_to(to);
  if (!receiver || !receiver->has_room(frame)) return false;
  const std::size_t size = Connection::weight_of(frame);
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

ConnectionPtr Transport::Impl::link_to(ConnectionId peer) const {
  const auto it = links.find(peer);
  return it == links.end() ? nullptr : it->second;
}

void Transport::drop(ConnectionId to, const std::string& why) {
  if (const ConnectionPtr link = impl_->link_to(to)) link->close(why);
}

void Transport::rest(ConnectionId from, std::uint64_t us) {
  if (const ConnectionPtr link = impl_->link_to(from)) link->rest(us);
}

std::optional<PublicKey> Transport::key_of(ConnectionId peer) const {
  const ConnectionPtr link = impl_->link_to(peer);
  return link ? std::optional(link->key()) : std::nullopt;
}

std::uint32_t Transport::version_of(ConnectionId peer) const {
  const ConnectionPtr link = impl_->link_to(peer);
  return link ? link->version() : kWireVersion;
}

void Transport::introduce(const Incarnation& own) {
  impl_->own = own;
}

std::size_t Transport::queued_bytes(ConnectionId to) const {
  const ConnectionPtr link = impl_->link_to(to);
  return link ? link->queued_bytes() : 0;
}

PeerLink Transport::peer(NodeId node) const {
  const Impl::Peer& p = impl_->peers.at(node.value);
  PeerLink out{false, p.address, p.last_problem, p.links, p.bytes_sent, p.bytes_received};
  if (const ConnectionPtr link = impl_->link_to(node.value)) {
    out.up = true;
    out.bytes_sent += link->bytes_sent;
    out.bytes_received += link->bytes_received;
  }
  return out;
}

std::uint64_t Transport::node_bytes_sent() const {
  std::uint64_t sum = 0;
  for (const Impl::Peer& p : impl_->peers) sum += p.bytes_sent;
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
  const TransportOptions usual;
  Connection::Settings settings{impl_->chain, kClientFrameBytes, kClientQueueBytes,
                                kClientHandshake, usual.silence_us};
  settings.other_chain = usual.other_chain;
  impl_->connection = std::make_shared<Connection>(tcp::socket(impl_->loop.impl().context),
                                                   impl_->context, settings, std::move(events));
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
