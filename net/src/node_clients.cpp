#include <algorithm>
#include <utility>

#include "node_impl.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/net/wire.hpp"

namespace thresher::net {
namespace {
constexpr std::uint64_t kUnknownPosition = ~std::uint64_t{0};
/// Log sent to a subscriber in one frame. Unit: bytes.
constexpr std::size_t kLogFrame = 1u << 20;
/// A subscriber that could not take more is tried again so much later. Unit: microseconds.
constexpr std::uint64_t kSubscriberRetry = 10'000;
/// Client ids of all links together whose acknowledgements are awaited.
constexpr std::size_t kClientIds = 1u << 16;
}  // namespace

void Node::Impl::link(ConnectionId id, bool up) {
  if (id < kFirstClient && up) meet(NodeId{static_cast<std::uint16_t>(id)});
  if (id < kFirstClient || up) return;
  std::erase_if(client_links, [id](const auto& entry) { return entry.second == id; });
  subscriptions.erase(id);
}

void Node::Impl::client_frame(ConnectionId from, const Frame& f) {
  const bool bare = f.kind == kStatus || f.kind == kSubmit;
  if (bare && !wire::decode<wire::Empty>(f.control.view())) {
    ++malformed;
    return;
  }
  switch (f.kind) {
    case kStatus:
      (void)transport.send(from, {kStatusReply, status(), {}});
      return;
    case kSubmit:
      take(from, f.payload);
      return pump();
    case kSubscribe:
      return subscribe(from, f);
    default:
      ++malformed;
  }
}

void Node::Impl::take(ConnectionId from, const Bytes& payload) {
  std::uint32_t count = 0;
  std::uint64_t client = 0;
  bool small = true;
  const bool whole =
      each_transaction(payload.view(), [&](std::uint64_t c, std::uint64_t sequence, ByteView d) {
        ++count;
        client = c;
        // Committed before this link asked for it: answer now, with no position.
        if (ledger.contains(c, sequence)) acks[from].u64(c).u64(sequence).u64(kUnknownPosition);
        small &= d.size() <= options.transaction_bytes;
      });
  const bool fits = small && payload.size() <= options.block_bytes &&
                    (client_links.size() < kClientIds || client_links.contains(client));
  if (!whole || !fits || pool_bytes + payload.size() > options.pool_bytes) {
    const wire::Overloaded answer{count, small ? 0 : options.transaction_bytes};
    (void)transport.send(from, {kOverloaded, wire::encode(answer), {}});
    return;
  }
  if (count == 0) return;
  client_links[client] = from;
  acknowledge();
  pool_bytes += payload.size();
  pool.push_back(payload);
}

void Node::Impl::subscribe(ConnectionId from, const Frame& f) {
  const auto in = wire::decode<wire::Subscribe>(f.control.view());
  if (!in) {
    ++malformed;
    return;
  }
  const auto start = reader.before(in->position, ledger.slot());
  if (!start) {
    ++malformed;
    return;
  }
  subscriptions[from] = {*start, in->position};
  feed_subscribers();
}

// Sends each subscriber what it lacks; comes back later while something is left.
void Node::Impl::feed_subscribers() {
  if (feeding_subscribers || subscriptions.empty()) return;
  bool more = false;
  std::vector<ConnectionId> behind;  // a full link may close, and leave the map
  for (const auto& [id, s] : subscriptions) {
    if (s.after < ledger.slot()) behind.push_back(id);
  }
  for (const ConnectionId id : behind) more |= subscriptions.contains(id) && feed_subscriber(id);
  more |= std::any_of(subscriptions.begin(), subscriptions.end(),
                      [this](const auto& s) { return s.second.after < ledger.slot(); });
  if (!more) return;
  feeding_subscribers = true;
  loop.call_after(kSubscriberRetry, [this] {
    feeding_subscribers = false;
    feed_subscribers();
  });
}

// One frame; false when nothing was left or enough waits already: who does not read must not cost a
// look at the log each time.
bool Node::Impl::feed_subscriber(ConnectionId id) {
  if (transport.queued_bytes(id) > kLogFrame) return false;
  Subscription& s = subscriptions[id];
  Subscription next = s;
  std::vector<std::byte> log;
  std::uint32_t count = 0;
  (void)reader.each(s.after, [&](const LogEntry& entry) {
    const auto whole = reader.whole(entry);
    if (!whole) return false;
    std::uint64_t position = entry.first;
    for (std::size_t i = 0; i < entry.blocks.size(); ++i) {
      position = each_ordered(entry.blocks[i], whole->blocks[i]->payload.bytes.view(), position,
                              [&](const Transaction& t) {
                                if (t.position < s.position) return;
                                Writer w;
                                w.u64(t.client).u64(t.sequence);
                                w.u32(static_cast<std::uint32_t>(t.data.size())).bytes(t.data);
                                log.insert(log.end(), w.view().begin(), w.view().end());
                                ++count;
                              });
    }
    next.after = entry.slot;
    next.position = std::max(next.position, position);
    return log.size() < kLogFrame;
  });
  if (next.after == s.after) return false;
  if (count > 0) {
    const wire::Log control{next.position - count, count};
    const Frame frame{kLog, wire::encode(control), Bytes::from(std::move(log))};
    if (!transport.send(id, frame)) return false;
  }
  s = next;
  return true;
}

void Node::Impl::acknowledge() {
  for (auto& [link_id, w] : std::exchange(acks, {})) {
    if (transport.send(link_id, {kAck, {}, Bytes::from(w.take())})) continue;
    // It would wait for this answer for ever; on a new connection it asks again.
    transport.drop(link_id, "the client does not read its answers");
  }
}

void Node::Impl::resolve(const Transaction& t, const dag::Committed& commit,
                         const dag::BlockPtr& block) {
  const auto it = promises.find(t.sequence);
  if (it == promises.end()) return;
  Receipt receipt{t.position, commit.slot.value, commit.leader, block->digest, {}};
  if (it->second.prove == Prove::kYes) receipt.proof = engine->prove(commit.slot, *block);
  it->second.promise.set_value(std::move(receipt));
  promises.erase(it);
}

Bytes Node::Impl::status() {
  const EngineSample now = engine->sample();
  const crypto::BatcherFigures verified = batcher.figures();
  NodeStatus out{ledger.length(),
                 now.round.value,
                 ledger.slot().value,
                 transport.node_bytes_sent(),
                 store->syncs(),
                 payload_bytes,
                 ledger.log_hash(),
                 {},
                 static_cast<std::uint32_t>(transport.node_links()),
                 verified.answered,
                 verified.batches,
                 now.certificate_calls};
  if (!calls.run("state()", [&] { out.state = app.state(); })) halt(calls.problem());
  out.waits_for = waits_for();
  out.peers = peers();
  return wire::encode(out);
}

}  // namespace thresher::net
