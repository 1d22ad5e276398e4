#include "thresher/net/client.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <thread>
#include <utility>

#include "thresher/net/codec.hpp"
#include "thresher/net/wire.hpp"
#include "transactions.hpp"

namespace thresher::net {
namespace {

constexpr std::uint64_t kReconnect = 100'000;
/// Until what was refused, and may be on its way through another node, is sent again.
constexpr std::uint64_t kRetry = 500'000;
/// Between two looks for submissions whose patience has ended.
constexpr std::uint64_t kTick = 50'000;
/// Entries of one frame, at least one. Unit: bytes.
constexpr std::size_t kFrameBytes = 256 * 1024;

Outcome committed(std::uint64_t position, const Validity& valid) {
  Receipt receipt;
  receipt.position = position;
  return {Outcome::Kind::kCommitted, std::move(receipt), {}, valid.until.value, {}};
}
Outcome refused(Refusal refusal, const Validity& valid, std::string why) {
  return {Outcome::Kind::kRefused, {}, refusal, valid.until.value, std::move(why)};
}
Outcome unknown(const Validity& valid, const std::string& why) {
  return {Outcome::Kind::kUnknown,
          {},
          {},
          valid.until.value,
          why + ": it may still be ordered until slot " + std::to_string(valid.until.value) +
              ", and never after; the log tells (thresher log)"};
}

std::string in_words(const wire::Refused& answer) {
  switch (answer.reason) {
    case Refusal::kTooLarge:
      return "the transaction is larger than the " + std::to_string(answer.limit) +
             " bytes that the node takes: split it, or raise limits.transaction_bytes there";
    case Refusal::kOverloaded:
      return "the node is overloaded: submit less, or later";
    case Refusal::kExpired:
      return "it was not ordered by its last slot, and never will be: submit it again";
    default:
      return "the node could not read the submission: do client and node have one release?";
  }
}

}  // namespace

std::optional<NodeStatus> decode_status(ByteView control) {
  return wire::decode<NodeStatus>(control);
}

struct Client::Impl {
  /// A submission on its way.
  struct Flight {
    Bytes data;
    std::promise<Outcome> promise;
    std::uint64_t deadline_us = 0;
    Validity valid{};        // of its first sending, and of all
    std::uint32_t sent = 0;  // on so many links
  };
  using Flights = std::map<std::uint64_t, Flight>;  // by sequence

  Impl(Genesis g, ClientOptions o)
      : genesis(std::move(g)),
        options(std::move(o)),
        key(options.key ? *options.key : crypto::SigningKey::generate()),
        node(options.node ? options.node->value : 0),
        next_sequence(options.first_sequence) {
    thread = std::thread([this] {
      connect();
      tick();
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
    for (auto& [sequence, flight] : flying) give_up(flight, "the client was closed");
    const auto gone = std::make_exception_ptr(std::runtime_error("the client was closed"));
    for (auto& promise : asking) promise.set_exception(gone);
  }

  void connect() {
    if (closed) return;
    link = std::make_unique<ClientLink>(
        loop, genesis.context().chain, genesis.nodes[node],
        TransportCallbacks{[this](ConnectionId, const Frame& f) { frame(f); },
                           [this](ConnectionId, bool up) { linked(up); },
                           [this](const std::string& why) { failed(why); }},
        key);
    link->connect();
  }

  void failed(const std::string& why) {
    const PeerAddress& at = genesis.nodes[node];
    problem = "node " + std::to_string(node) + " at " + at.host + ":" + std::to_string(at.port) +
              ": " + why;
    if (!closed && options.on_problem) options.on_problem(problem);
  }

  void linked(bool up) {
    if (closed) return;
    if (up) {
      if (!asking.empty()) (void)link->send({kStatus, {}, {}});
      if (visit) ask_log();
      return;
    }
    welcome = false;
    if (!options.node) node = (node + 1) % genesis.nodes.size();
    loop.call_after(kReconnect, [this] { connect(); });
  }

  // Several transactions with one validity fill a frame; those that other nodes have seen keep
  // theirs.
  void send_all() {
    std::vector<std::byte> entries;
    Validity valid{};
    const auto flush = [&] {
      if (!entries.empty()) submit(valid, std::exchange(entries, {}));
    };
    for (auto& [sequence, flight] : flying) {
      stamp(flight);
      if (!(flight.valid == valid) || entries.size() > kFrameBytes) flush();
      valid = flight.valid;
      append_entry(sequence, flight.data.view(), entries);
    }
    flush();
  }
  void send(std::uint64_t sequence, Flight& flight) {
    stamp(flight);
    std::vector<std::byte> entry;
    append_entry(sequence, flight.data.view(), entry);
    submit(flight.valid, std::move(entry));
  }
  void submit(const Validity& valid, std::vector<std::byte> entries) {
    const wire::Submit control{std::pair(valid.since, valid.until)};
    (void)link->send({kSubmit, wire::encode(control), Bytes::from(std::move(entries))});
  }
  // Once sent, its last slot is part of it: whoever orders it by then remembers it.
  void stamp(Flight& flight) const {
    if (flight.sent++ > 0) return;
    const std::uint64_t since = slot.value - std::min(slot.value, kSlotsBack);
    flight.valid = {Round{since}, Round{since + kLongestLife}};
  }

  void ask_log() {
    (void)link->send({kSubscribe, wire::encode(wire::Subscribe{log_position}), {}});
  }

  void frame(const Frame& f) {
    switch (f.kind) {
      case kWelcome:
        if (const auto in = wire::decode<wire::Welcome>(f.control.view())) {
          slot = in->slot;  // another node's word is nothing to this one
          welcome = true;
          send_all();
        }
        return;
      case kAck:
        return acknowledged(f);
      case kStatusReply:
        if (const auto s = decode_status(f.control.view())) {
          for (auto& promise : std::exchange(asking, {})) promise.set_value(*s);
        }
        return;
      case kRefused:
        return refusals(f);
      case kLog:
        return log(f);
      default:
        return;
    }
  }

  void saw(Round at) { slot = std::max(slot, at); }

  void acknowledged(const Frame& f) {
    if (const auto in = wire::decode<wire::Ack>(f.control.view())) saw(in->slot);
    Reader in(f.payload.view());
    while (in.remaining() >= 16) {
      const auto it = flying.find(in.u64());
      const std::uint64_t position = in.u64();
      if (it != flying.end()) resolve(it, committed(position, it->second.valid));
    }
  }

  void refusals(const Frame& f) {
    const auto answer = wire::decode<wire::Refused>(f.control.view());
    if (!answer) return;
    saw(answer->slot);
    Reader in(f.payload.view());
    while (in.remaining() >= 8) {
      const auto it = flying.find(in.u64());
      if (it != flying.end()) refusal(it, *answer);
    }
  }

  // What another node may have taken before is not refused by this one's word: it goes on until its
  // patience ends, unless its last slot is over.
  void refusal(Flights::iterator it, const wire::Refused& answer) {
    Flight& flight = it->second;
    const bool first = flight.sent <= 1;
    if (answer.reason == Refusal::kTooLate) {
      if (!first) {
        return resolve(it, unknown(flight.valid,
                                   "a node that may have taken it went away, and "
                                   "the next one remembers too little to tell"));
      }
      flight.sent = 0;  // this node was behind when it said which slot it is: once more
      return send(it->first, flight);
    }
    const bool early = answer.reason == Refusal::kTooEarly;  // this node is behind the last one
    if (early || (!first && answer.reason != Refusal::kExpired)) return again_later(it->first);
    resolve(it, refused(answer.reason, flight.valid, in_words(answer)));
  }

  void again_later(std::uint64_t sequence) {
    loop.call_after(kRetry, [this, sequence] {
      const auto it = flying.find(sequence);
      if (it != flying.end() && welcome) send(sequence, it->second);
    });
  }

  void resolve(Flights::iterator it, Outcome outcome) {
    it->second.promise.set_value(std::move(outcome));
    flying.erase(it);
  }
  void give_up(Flight& flight, const std::string& why) const {
    const std::string& seen = problem.empty() ? why : why + " (" + problem + ")";
    flight.promise.set_value(flight.sent == 0
                                 ? refused(Refusal::kUnreachable, {}, seen + ": it was never sent")
                                 : unknown(flight.valid, seen));
  }

  void tick() {
    const std::uint64_t now = Loop::now_us();
    for (auto it = flying.begin(); it != flying.end();) {
      const auto late = it++;
      if (late->second.deadline_us > now) continue;
      give_up(late->second, "no answer in time");
      flying.erase(late);
    }
    loop.call_after(kTick, [this] { tick(); });
  }

  void log(const Frame& f) {
    const auto control = wire::decode<wire::Log>(f.control.view());
    if (!visit || !control || control->first > log_position)
      return;  // not what was asked for: the node is broken
    std::uint64_t position = control->first;
    each_transaction(f.payload.view(), [&](const Run& run, std::uint64_t sequence, ByteView data) {
      if (position++ < log_position) return;
      visit(Transaction{log_position++, run.client, sequence, data});
    });
  }

  Genesis genesis;
  ClientOptions options;
  crypto::SigningKey key;
  std::size_t node;
  Loop loop;
  std::unique_ptr<ClientLink> link;
  bool welcome = false;  // the link is up and the node has said in which slot it is
  bool closed = false;
  std::string problem;  // the last one of a link
  Round slot{0};        // the last that the node at hand named
  Flights flying;
  std::uint64_t next_sequence;
  std::vector<std::promise<NodeStatus>> asking;
  std::function<void(const Transaction&)> visit;
  std::uint64_t log_position = 0;
  std::thread thread;
};

Client::Client() = default;
Client::~Client() = default;

Result<std::unique_ptr<Client>, std::string> Client::open(const std::string& genesis_file,
                                                          ClientOptions options) {
  auto genesis = load_genesis(genesis_file);
  if (!genesis) return genesis.error();
  if (options.node && options.node->value >= genesis->nodes.size()) {
    return "there is no node " + std::to_string(options.node->value) + " in '" + genesis_file +
           "'; nodes count from 0 to " + std::to_string(genesis->nodes.size() - 1);
  }
  std::unique_ptr<Client> client(new Client());
  client->impl_ = std::make_unique<Impl>(std::move(*genesis), std::move(options));
  return client;
}

std::future<Outcome> Client::submit(ByteView transaction, std::uint64_t patience_us) {
  auto promise = std::make_shared<std::promise<Outcome>>();
  auto future = promise->get_future();
  Impl& impl = *impl_;
  const std::uint64_t deadline = Loop::now_us() + patience_us;
  impl.loop.post([&impl, promise, deadline, data = Bytes::copy_of(transaction)] {
    const std::uint64_t sequence = impl.next_sequence++;
    Impl::Flight& flight =
        impl.flying.emplace(sequence, Impl::Flight{data, std::move(*promise), deadline})
            .first->second;
    if (impl.welcome) impl.send(sequence, flight);
  });
  return future;
}

std::future<NodeStatus> Client::status(std::uint64_t patience_us) {
  auto promise = std::make_shared<std::promise<NodeStatus>>();
  auto future = promise->get_future();
  Impl& impl = *impl_;
  impl.loop.post([&impl, promise, patience_us] {
    impl.asking.push_back(std::move(*promise));
    if (impl.link && impl.link->up()) (void)impl.link->send({kStatus, {}, {}});
    impl.loop.call_after(patience_us, [&impl] {
      for (auto& late : std::exchange(impl.asking, {})) {
        late.set_exception(std::make_exception_ptr(std::runtime_error(
            "no answer" + (impl.problem.empty() ? std::string() : " (" + impl.problem + ")"))));
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
    if (impl.link && impl.link->up()) impl.ask_log();
  });
}

}  // namespace thresher::net
