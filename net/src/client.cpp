#include "thresher/net/client.hpp"

#include <map>
#include <stdexcept>
#include <thread>
#include <utility>

#include "ledger.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/net/wire.hpp"

namespace thresher::net {
namespace {
constexpr std::uint64_t kReconnect = 100'000;
constexpr std::uint64_t kCommittedBefore = ~std::uint64_t{0};
}  // namespace

std::optional<NodeStatus> decode_status(ByteView control) {
  return wire::decode<NodeStatus>(control);
}

struct Client::Impl {
  explicit Impl(Genesis g, std::optional<NodeId> only)
      : genesis(std::move(g)), fixed(only), node(only ? only->value : 0) {
    id = hash(crypto::SigningKey::generate().public_key()).prefix();
    thread = std::thread([this] {
      connect();
      loop.run();
    });
  }
  ~Impl() {
    loop.post([this] {
      closed = true;
      link.reset();
      loop.stop();
    });
    thread.join();
    const auto gone = std::make_exception_ptr(std::runtime_error("the client was closed"));
    for (auto& [sequence, flight] : flying) flight.promise.set_exception(gone);
    for (auto& promise : asking) promise.set_exception(gone);
  }

  void connect() {
    if (closed) return;
    link = std::make_unique<ClientLink>(
        loop, genesis.context().chain, genesis.nodes[node],
        TransportCallbacks{[this](ConnectionId, const Frame& f) { frame(f); },
                           [this](ConnectionId, bool now_up) { linked(now_up); },
                           [this](const std::string& why) { last_problem = why; }});
    link->connect();
  }

  void linked(bool now_up) {
    up = now_up;
    if (closed) return;
    if (!up) {
      if (!fixed) node = (node + 1) % genesis.nodes.size();
      loop.call_after(kReconnect, [this] { connect(); });
      return;
    }
    for (const auto& [sequence, flight] : flying) send(flight.encoded);
    if (!asking.empty()) (void)link->send({kStatus, {}, {}});
    if (visit) ask_log();
  }

  void send(const Bytes& encoded) { (void)link->send({kSubmit, {}, encoded}); }
  void ask_log() {
    (void)link->send({kSubscribe, wire::encode(wire::Subscribe{log_position}), {}});
  }

  void frame(const Frame& f) {
    switch (f.kind) {
      case kAck:
        return acknowledged(f.payload.view());
      case kStatusReply:
        if (const auto s = decode_status(f.control.view())) {
          for (auto& promise : std::exchange(asking, {})) promise.set_value(*s);
        }
        return;
      case kOverloaded:
        return overloaded(f);
      case kLog:
        return log(f);
      default:
        return;
    }
  }

  void acknowledged(ByteView acks) {
    Reader in(acks);
    while (in.remaining() >= 24) {
      const std::uint64_t client = in.u64();
      const auto it = flying.find(in.u64());
      const std::uint64_t position = in.u64();
      if (client != id || it == flying.end()) continue;
      it->second.promise.set_value(position == kCommittedBefore ? std::nullopt
                                                                : std::optional(position));
      flying.erase(it);
    }
  }

  void overloaded(const Frame& f) {
    const auto answer = wire::decode<wire::Overloaded>(f.control.view());
    const std::runtime_error why(
        answer && answer->limit != 0
            ? "a transaction is larger than the " + std::to_string(answer->limit) +
                  " bytes that the node takes: split it, or raise limits.transaction_bytes there"
            : "the node is overloaded: submit less, or later");
    for (auto& [sequence, flight] : std::exchange(flying, {}))
      flight.promise.set_exception(std::make_exception_ptr(why));
  }

  void log(const Frame& f) {
    const auto control = wire::decode<wire::Log>(f.control.view());
    if (!visit || !control || control->first > log_position)
      return;  // not what was asked for: the node is broken
    std::uint64_t position = control->first;
    each_transaction(f.payload.view(),
                     [&](std::uint64_t client, std::uint64_t sequence, ByteView data) {
                       if (position++ < log_position) return;
                       visit(Transaction{log_position++, client, sequence, data});
                     });
  }

  Genesis genesis;
  std::optional<NodeId> fixed;
  std::size_t node;
  std::uint64_t id = 0;
  Loop loop;
  std::unique_ptr<ClientLink> link;
  bool up = false;
  bool closed = false;
  std::string last_problem;
  struct Flight {
    Bytes encoded;
    std::promise<std::optional<std::uint64_t>> promise;
  };
  std::map<std::uint64_t, Flight> flying;  // by sequence
  std::uint64_t next_sequence = 0;
  std::vector<std::promise<NodeStatus>> asking;
  std::function<void(const Transaction&)> visit;
  std::uint64_t log_position = 0;
  std::thread thread;
};

Client::Client() = default;
Client::~Client() = default;

Result<std::unique_ptr<Client>, std::string> Client::open(const std::string& genesis_file,
                                                          std::optional<NodeId> node) {
  auto genesis = load_genesis(genesis_file);
  if (!genesis) return genesis.error();
  if (node && node->value >= genesis->nodes.size()) {
    return "there is no node " + std::to_string(node->value) + " in '" + genesis_file +
           "'; nodes count from 0 to " + std::to_string(genesis->nodes.size() - 1);
  }
  std::unique_ptr<Client> client(new Client());
  client->impl_ = std::make_unique<Impl>(std::move(*genesis), node);
  return client;
}

std::future<std::optional<std::uint64_t>> Client::submit(ByteView transaction) {
  auto promise = std::make_shared<std::promise<std::optional<std::uint64_t>>>();
  auto future = promise->get_future();
  Impl& impl = *impl_;
  impl.loop.post([&impl, promise, data = Bytes::copy_of(transaction)] {
    const std::uint64_t sequence = impl.next_sequence++;
    Writer w;
    w.u64(impl.id).u64(sequence).u32(static_cast<std::uint32_t>(data.size())).bytes(data.view());
    const Bytes encoded = Bytes::from(w.take());
    impl.flying.emplace(sequence, Impl::Flight{encoded, std::move(*promise)});
    if (impl.up) impl.send(encoded);
  });
  return future;
}

std::future<NodeStatus> Client::status(std::uint64_t patience_us) {
  auto promise = std::make_shared<std::promise<NodeStatus>>();
  auto future = promise->get_future();
  Impl& impl = *impl_;
  impl.loop.post([&impl, promise, patience_us] {
    impl.asking.push_back(std::move(*promise));
    if (impl.up) (void)impl.link->send({kStatus, {}, {}});
    impl.loop.call_after(patience_us, [&impl] {
      for (auto& late : std::exchange(impl.asking, {})) {
        late.set_exception(std::make_exception_ptr(std::runtime_error(
            "no answer" +
            (impl.last_problem.empty() ? std::string() : " (" + impl.last_problem + ")"))));
      }
    });
  });
  return future;
}

void Client::subscribe(std::uint64_t position, std::function<void(const Transaction&)> visit) {
  Impl& impl = *impl_;
  impl.loop.post([&impl, position, visit = std::move(visit)] {
    impl.visit = visit;
    impl.log_position = position;
    if (impl.up) impl.ask_log();
  });
}

}  // namespace thresher::net
