#include "thresher/net/node.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <deque>
#include <map>
#include <stdexcept>
#include <utility>

#include "ledger.hpp"
#include "thresher/core/executor.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/crypto/key_file.hpp"
#include "thresher/crypto/sha256.hpp"
#include "thresher/crypto/verifier.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/net/genesis.hpp"
#include "thresher/protocols/dag/dag.hpp"
#include "writer_thread.hpp"

namespace thresher::net {
namespace {

using dag::Dag;

/// Rounds kept in memory and served to nodes that were away.
constexpr std::uint64_t kGcDepth = 20'000;
constexpr std::uint64_t kUnknownPosition = ~std::uint64_t{0};

Bytes encode_transaction(std::uint64_t client, std::uint64_t sequence, ByteView data) {
  Writer w;
  w.u64(client).u64(sequence).u32(static_cast<std::uint32_t>(data.size())).bytes(data);
  return Bytes::from(w.take());
}

Result<Genesis, std::string> genesis_of(const std::string& home) {
  return load_genesis(home + "/../genesis.json");
}

}  // namespace

struct Node::Impl {
  Impl(NodeOptions o, App& a, Genesis g, crypto::SigningKey k, NodeId id,
       std::unique_ptr<DiskStore> s)
      : options(std::move(o)),
        app(a),
        genesis(std::move(g)),
        key(std::move(k)),
        self(id),
        chain(genesis.context()),
        store(std::move(s)),
        verifier(crypto::make_verifier("portable")),
        executor(make_dag(), *this),
        transport(
            loop, transport_options(),
            {[this](ConnectionId c, Frame f) { frame(c, std::move(f)); },
             [this](ConnectionId c, bool up) { link(c, up); },
             [](const std::string& why) { std::fprintf(stderr, "warning: %s\n", why.c_str()); }}) {}

  Dag make_dag() const {
    dag::Config config;
    config.committee =
        *Committee::make(static_cast<std::uint32_t>(genesis.nodes.size()), genesis.f);
    config.self = self;
    config.chain = chain;
    config.rules =
        genesis.protocol == "mysticeti" ? dag::Rules::mysticeti() : dag::Rules::thresher();
    config.gc_depth = kGcDepth;
    config.evict_delivered = true;
    return Dag(std::move(config));
  }
  TransportOptions transport_options() const {
    TransportOptions t;
    t.self = self;
    t.key = key;
    t.chain = chain.chain;
    t.nodes = genesis.nodes;
    return t;
  }

  // The backend of the executor.
  void send(NodeId to, dag::Message m) {
    if (auto* give = std::get_if<dag::Give>(&m)) {
      for (dag::BlockPtr& b : give->blocks) {
        if (!fill_in(b)) return;  // nothing is better than half an answer: the peer asks another
      }
    }
    (void)transport.send(to.value, encode(m));
  }
  // Reads back the payload of a delivered block.
  bool fill_in(dag::BlockPtr& block) const {
    if (block->payload.bytes.size() == block->header.payload_bytes) return true;
    const std::uint32_t table = block->author() == self ? dag::kOwn : dag::kBlock;
    const Bytes record = dag::block_key({block->author(), block->round(), block->digest});
    const auto place = store->locate(table, record.view());
    if (!place) return false;
    const auto body = store->read_body(*place);
    if (!body) return false;
    auto whole = std::make_shared<dag::Block>(*block);
    whole->payload.bytes = *body;
    block = std::move(whole);
    return true;
  }
  void broadcast(dag::Message m) {
    const Frame f = encode(m);
    for (std::size_t i = 0; i < genesis.nodes.size(); ++i) {
      if (i != self.value) (void)transport.send(i, f);
    }
  }
  void deliver(dag::Committed commit) {
    if (commit.slot <= last_slot) return;  // a restart delivers again what the log already has
    last_slot = commit.slot;
    writer->ledger(commit, self);
    for (const dag::BlockPtr& b : commit.blocks) append(b->digest, b->payload.bytes.view());
    acknowledge();
  }
  void arm(TimerId id, Delay d) {
    cancel(id);
    timers[id] = loop.call_after(d.value * options.delta_us / 1000, [this, id] {
      timers.erase(id);
      inputs.push_back(Expired{id});
      pump();
    });
  }
  void cancel(TimerId id) {
    if (const auto it = timers.find(id); it != timers.end()) {
      loop.cancel(it->second);
      timers.erase(it);
    }
  }
  void persist(std::vector<Persist> records, std::uint64_t barrier) {
    writer->persist(std::move(records), barrier);
  }
  void verify(const Verify& v) { jobs.push_back(v); }
  void endorse(const Endorse& e) { inputs.push_back(Endorsed{e.ticket, key.sign(e.digest.bytes)}); }
  void reveal(const RevealCoin&) {}
  void accuse(const Accuse& a) {
    std::fprintf(stderr, "warning: node %u signed two blocks for one round (evidence: %zu bytes)\n",
                 a.who.value, a.evidence.size());
  }

  // Runs inputs until nothing is left to do now.
  void pump() {
    if (std::exchange(pumping, true)) return;
    do {
      while (!inputs.empty()) {
        const InputOf<Dag> input = std::move(inputs.front());
        inputs.pop_front();
        executor.run(input);
      }
      verify_jobs();
      feed();
    } while (!inputs.empty() || !jobs.empty());
    pumping = false;
  }

  void verify_jobs() {
    if (jobs.empty()) return;
    std::vector<crypto::SignatureJob> batch;
    batch.reserve(jobs.size());
    for (const Verify& v : jobs) {
      batch.push_back({genesis.nodes[v.signer.value].key, v.digest.bytes, v.signature});
    }
    std::vector<crypto::Verdict> verdicts(batch.size());
    verifier->verify(batch, verdicts);
    const auto done = std::exchange(jobs, {});
    for (std::size_t i = 0; i < done.size(); ++i) {
      inputs.push_back(Verified{done[i].ticket, verdicts[i] == crypto::Verdict::kValid});
    }
  }

  // Hands waiting transactions to the DAG as one payload when it has none.
  void feed() {
    if (pool.empty() || executor.protocol().pending_submits() > 0) return;
    std::vector<std::byte> packed;
    while (!pool.empty() &&
           (packed.empty() || packed.size() + pool.front().size() <= options.block_bytes)) {
      const ByteView v = pool.front().view();
      packed.insert(packed.end(), v.begin(), v.end());
      pool.pop_front();
    }
    pool_bytes -= packed.size();
    const Bytes bytes = Bytes::from(std::move(packed));
    const Digest root = crypto::sha256(bytes.view());
    inputs.push_back(Requested<dag::Submit>{{{bytes, root}}});
  }

  void append(const Digest& block, ByteView payload) {
    ledger.append(block, payload, [&](const Transaction& t) {
      app.apply(t);
      payload_bytes += t.data.size();
      const auto it = client_links.find(t.client);
      if (it != client_links.end()) {
        acks[it->second].u64(t.client).u64(t.sequence).u64(t.position);
      } else if (t.client == own_client) {
        resolve(t);
      }
    });
  }

  void acknowledge() {
    for (auto& [link_id, w] : acks) {
      (void)transport.send(link_id, {kAck, {}, Bytes::from(w.take())});
    }
    acks.clear();
  }

  void resolve(const Transaction& t) {
    const auto it = promises.find(t.sequence);
    if (it == promises.end()) return;
    it->second.set_value({t.position});
    promises.erase(it);
  }

  void link(ConnectionId id, bool up) {
    if (id < kFirstClient || up) return;
    std::erase_if(client_links, [id](const auto& entry) { return entry.second == id; });
  }

  void frame(ConnectionId from, Frame f) {
    if (from >= kFirstClient) return client_frame(from, f);
    auto message = decode(f, chain, static_cast<std::uint32_t>(genesis.nodes.size()));
    if (!message) {
      ++malformed;
      return;
    }
    inputs.push_back(
        Received<dag::Message>{NodeId{static_cast<std::uint16_t>(from)}, std::move(*message)});
    pump();
  }

  void client_frame(ConnectionId from, const Frame& f) {
    if (f.kind == kStatus) {
      (void)transport.send(from, {kStatusReply, status(), {}});
    } else if (f.kind == kSubmit) {
      take(from, f.payload);
      pump();
    }
  }

  void take(ConnectionId from, const Bytes& payload) {
    std::uint32_t count = 0;
    std::uint64_t client = 0;
    bool fits = payload.size() <= options.block_bytes;
    const bool whole =
        each_transaction(payload.view(), [&](std::uint64_t c, std::uint64_t sequence, ByteView d) {
          ++count;
          client = c;
          // Committed before this link asked for it: answer now, with no position.
          if (ledger.contains(c, sequence)) acks[from].u64(c).u64(sequence).u64(kUnknownPosition);
          fits &= d.size() <= options.transaction_bytes;
        });
    if (!whole || !fits || pool_bytes + payload.size() > options.pool_bytes) {
      Writer w;
      w.u32(count);
      (void)transport.send(from, {kOverloaded, Bytes::from(w.take()), {}});
      return;
    }
    if (count == 0) return;
    client_links[client] = from;
    acknowledge();
    pool_bytes += payload.size();
    pool.push_back(payload);
  }

  // StatusReply: length, round, slot, node bytes, syncs, payload bytes (u64 each), log hash, state
  // hash.
  Bytes status() const {
    Writer w;
    w.u64(ledger.length()).u64(executor.protocol().round().value).u64(last_slot.value);
    w.u64(transport.node_bytes_sent()).u64(store->syncs()).u64(payload_bytes);
    w.bytes(ledger.log_hash().bytes).bytes(app.state().bytes);
    return Bytes::from(w.take());
  }

  std::string recover() {
    std::string problem;
    const auto scanned = store->scan(kLedgerTable, [&](ByteView key_bytes, ByteView value) {
      for (std::size_t i = 0; i < 8; ++i) {
        last_slot.value = last_slot.value << 8 | std::to_integer<std::uint64_t>(key_bytes[i]);
      }
      Reader in(value);
      (void)in.digest();
      const std::uint32_t count = in.u32();
      for (std::uint32_t i = 0; i < count; ++i) {
        const Digest block = in.digest();
        const BodyPlace place{in.u64(), in.u32()};
        const auto body = store->read_body(place);
        if (!in.ok() || !body) {
          problem =
              "the log of '" + options.home + "' is damaged; restore the folder from a backup";
          return;
        }
        append(block, body->view());
      }
    });
    if (!scanned) return "the index of '" + options.home + "' is damaged; restore it from a backup";
    if (!problem.empty()) return problem;
    const auto replayed = store->replay([&](const Restored& r) { executor.run(r); });
    if (!replayed) return "the records of '" + options.home + "' are damaged; restore them";
    return {};
  }

  NodeOptions options;
  App& app;
  Genesis genesis;
  crypto::SigningKey key;
  NodeId self;
  ChainContext chain;
  std::unique_ptr<DiskStore> store;
  std::unique_ptr<crypto::BatchVerifier> verifier;
  Loop loop;
  Executor<Dag, Impl> executor;
  Transport transport;
  std::unique_ptr<WriterThread> writer;

  std::deque<InputOf<Dag>> inputs;
  std::vector<Verify> jobs;
  std::map<TimerId, std::uint64_t> timers;
  bool pumping = false;
  std::deque<Bytes> pool;
  std::size_t pool_bytes = 0;
  Ledger ledger;
  Round last_slot{0};
  std::uint64_t payload_bytes = 0;
  std::uint64_t malformed = 0;
  std::map<std::uint64_t, ConnectionId> client_links;
  std::map<ConnectionId, Writer> acks;
  std::uint64_t own_client = 0;
  std::uint64_t own_sequence = 0;
  std::map<std::uint64_t, std::promise<Receipt>> promises;
  std::string stopped_because;
};

Node::Node() = default;
Node::~Node() = default;

Result<std::unique_ptr<Node>, std::string> Node::open(NodeOptions options, App& app) {
  auto genesis = genesis_of(options.home);
  if (!genesis) return genesis.error();
  auto key = crypto::load_key(options.home + "/node.key");
  if (!key) return key.error();
  std::size_t id = 0;
  while (id < genesis->nodes.size() && genesis->nodes[id].key != key->public_key()) ++id;
  if (id == genesis->nodes.size()) {
    return "the key of '" + options.home +
           "' is no member of the genesis file; check which belongs";
  }
  auto store = DiskStore::open(options.home + "/data");
  if (!store) return store.error();
  std::unique_ptr<Node> node(new Node());
  node->impl_ =
      std::make_unique<Impl>(std::move(options), app, std::move(*genesis), std::move(*key),
                             NodeId{static_cast<std::uint16_t>(id)}, std::move(*store));
  Impl& impl = *node->impl_;
  // A client id of its own for every start, so that sequences count from 0 without gaps.
  impl.own_client = mix64(hash(impl.key.public_key()).prefix() ^ Loop::now_us());
  if (std::string problem = impl.recover(); !problem.empty()) return problem;
  return node;
}

std::string Node::run() {
  Impl& impl = *impl_;
  if (std::string problem = impl.transport.start(); !problem.empty()) return problem;
  impl.writer = std::make_unique<WriterThread>(
      *impl.store,
      [&impl](std::uint64_t barrier) {
        impl.loop.post([&impl, barrier] {
          impl.executor.persisted(barrier);
          impl.pump();
        });
      },
      [&impl] {
        // A half-durable voter is Byzantine: stop before anything else is signed.
        impl.loop.post([&impl] {
          impl.stopped_because =
              "the disk under '" + impl.options.home +
              "' refused a write; free space or replace it, then restart the node";
          impl.loop.stop();
        });
      });
  impl.inputs.push_back(Start{0});
  impl.loop.post([&impl] { impl.pump(); });
  impl.loop.run();
  impl.writer.reset();
  return impl.stopped_because;
}

void Node::stop() {
  impl_->loop.stop();
}

std::future<Receipt> Node::submit(ByteView transaction) {
  auto promise = std::make_shared<std::promise<Receipt>>();
  auto future = promise->get_future();
  Impl& impl = *impl_;
  impl.loop.post([&impl, promise, data = Bytes::copy_of(transaction)] {
    if (impl.pool_bytes + data.size() > impl.options.pool_bytes ||
        data.size() > impl.options.transaction_bytes) {
      promise->set_exception(std::make_exception_ptr(
          std::runtime_error("overloaded or over the size limit: submit less, or later")));
      return;
    }
    const std::uint64_t sequence = impl.own_sequence++;
    const Bytes encoded = encode_transaction(impl.own_client, sequence, data.view());
    impl.promises.emplace(sequence, std::move(*promise));
    impl.pool_bytes += encoded.size();
    impl.pool.push_back(encoded);
    impl.pump();
  });
  return future;
}

Result<Unit, std::string> read_log(const std::string& home, std::uint64_t from,
                                   const std::function<void(const Transaction&)>& visit) {
  auto store = DiskStore::open(home + "/data");
  if (!store) return store.error();
  Ledger ledger;
  bool damaged = false;
  const auto scanned = (*store)->scan(kLedgerTable, [&](ByteView, ByteView value) {
    Reader in(value);
    (void)in.digest();
    const std::uint32_t count = in.u32();
    for (std::uint32_t i = 0; i < count && !damaged; ++i) {
      const Digest block = in.digest();
      const BodyPlace place{in.u64(), in.u32()};
      const auto body = (*store)->read_body(place);
      damaged = !in.ok() || !body;
      if (damaged) return;
      ledger.append(block, body->view(), [&](const Transaction& t) {
        if (t.position >= from) visit(t);
      });
    }
  });
  if (!scanned || damaged) return "the log of '" + home + "' is damaged; restore it from a backup";
  return Unit{};
}

}  // namespace thresher::net
