#include "thresher/net/node.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

#include "memory_store.hpp"
#include "node_impl.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/crypto/key_file.hpp"
#include "thresher/net/coin.hpp"
#include "thresher/net/disk_store.hpp"

namespace thresher::net {
namespace {

Bytes encode_transaction(std::uint64_t client, std::uint64_t sequence, ByteView data) {
  Writer w;
  w.u64(client).u64(sequence).u32(static_cast<std::uint32_t>(data.size())).bytes(data);
  return Bytes::from(w.take());
}

Result<std::unique_ptr<NodeStore>, std::string> open_store(const NodeOptions& o) {
  if (o.store == StoreKind::kMemory) return std::unique_ptr<NodeStore>(new MemoryStore());
  auto disk = DiskStore::open(o.data);
  if (!disk) return disk.error();
  return std::unique_ptr<NodeStore>(std::move(*disk));
}

}  // namespace

NodeOptions with_paths(NodeOptions o) {
  if (o.genesis.empty()) o.genesis = o.home + "/../genesis.json";
  if (o.key.empty()) o.key = o.home + "/node.key";
  if (o.data.empty()) o.data = o.home + "/data";
  if (o.coin.empty()) o.coin = o.home + "/coin.key";
  return o;
}

Node::Node() = default;
Node::~Node() = default;

Result<std::unique_ptr<Node>, std::string> Node::open(NodeOptions options, App& app) {
  options = with_paths(std::move(options));
  auto genesis = load_genesis(options.genesis);
  if (!genesis) return genesis.error();
  auto key = crypto::load_key(options.key);
  if (!key) return key.error();
  std::size_t id = 0;
  while (id < genesis->nodes.size() && genesis->nodes[id].key != key->public_key()) ++id;
  if (id == genesis->nodes.size()) {
    return "the key '" + options.key + "' is no member of the genesis file '" + options.genesis +
           "'; check which belongs";
  }
  const NodeId self{static_cast<std::uint16_t>(id)};
  auto coin = open_coin(*genesis, options.coin, self);
  if (!coin) return coin.error();
  auto store = open_store(options);
  if (!store) return store.error();
  std::unique_ptr<Node> node(new Node());
  node->impl_ = std::make_unique<Impl>(std::move(options), app, std::move(*genesis),
                                       std::move(*key), self, std::move(*coin), std::move(*store));
  Impl& impl = *node->impl_;
  // A client id of its own for every start, so that sequences count from 0 without gaps.
  impl.own_client = mix64(hash(impl.key.public_key()).prefix() ^ Loop::now_us());
  if (std::string problem = impl.recover(); !problem.empty()) return problem;
  if (std::string problem = impl.claim_store(); !problem.empty()) return problem;
  return node;
}

// Opens the sockets and starts the writer.
std::string Node::Impl::begin() {
  if (std::string problem = transport.start(); !problem.empty()) return problem;
  if (!options.metrics_listen.empty()) {
    metrics = std::make_unique<Metrics>();
    std::string problem = metrics->listen(options.metrics_listen);
    if (!problem.empty()) return problem;
  }
  writer = std::make_unique<WriterThread>(
      *store, [this](const dag::Block& b) { return engine->record_of(b); },
      [this](std::uint64_t barrier) {
        loop.post([this, barrier] {
          durable_barrier = barrier;
          engine->persisted(barrier);
          pump();
        });
      },
      [this](const std::string& why) {
        // A half-durable voter is Byzantine: stop before anything else is signed.
        loop.post([this, why] {
          halt("the disk under '" + options.home +
               "' refused a write; free space or replace it, then restart the node (" + why + ")");
        });
      });
  loop.post([this] {
    begin_start();
    watch_lag();
  });
  return {};
}

void Node::Impl::finish() {
  transport.close();
  const bool signs = !starting && engine->pledge().beyond({});
  note_peers();
  writer.reset();
  if (signs && stopped_because.empty()) sign_once.note(engine->pledge());
  metrics.reset();
  if (stopped_because.empty()) save_snapshot();
}

std::string Node::run() {
  Impl& impl = *impl_;
  if (impl.options.context != nullptr) return "this node is on the host's io_context: call start()";
  if (std::string problem = impl.begin(); !problem.empty()) return problem;
  impl.loop.run();
  impl.finish();
  return impl.stopped_because;
}

std::string Node::start(std::function<void(const std::string&)> stopped) {
  Impl& impl = *impl_;
  if (impl.options.context == nullptr)
    return "give the host's io_context in the options, or call run()";
  impl.on_stopped = std::move(stopped);
  return impl.begin();
}

void Node::stop() {
  if (impl_->options.context == nullptr) return impl_->loop.stop();
  impl_->loop.post([impl = impl_.get()] { impl->halt({}); });
}

std::future<Receipt> Node::submit(ByteView transaction, Prove prove) {
  auto promise = std::make_shared<std::promise<Receipt>>();
  auto future = promise->get_future();
  Impl& impl = *impl_;
  impl.loop.post([&impl, promise, prove, data = Bytes::copy_of(transaction)] {
    const bool large = data.size() > impl.options.transaction_bytes;
    if (large || impl.pool_bytes + data.size() > impl.options.pool_bytes) {
      promise->set_exception(std::make_exception_ptr(
          std::runtime_error(large ? "the transaction is larger than the " +
                                         std::to_string(impl.options.transaction_bytes) +
                                         " bytes of transaction_bytes: split it, or raise the limit"
                                   : "the node is overloaded: submit less, or later")));
      return;
    }
    const std::uint64_t sequence = impl.own_sequence++;
    const Bytes encoded = encode_transaction(impl.own_client, sequence, data.view());
    impl.promises.emplace(sequence, Impl::Promised{std::move(*promise), prove});
    impl.pool_bytes += encoded.size();
    impl.pool.push_back(encoded);
    impl.pump();
  });
  return future;
}

Result<Unit, std::string> read_log(NodeOptions options, std::uint64_t from,
                                   const std::function<void(const Transaction&)>& visit) {
  options = with_paths(std::move(options));
  const auto genesis = load_genesis(options.genesis);
  if (!genesis) return genesis.error();
  auto store = DiskStore::open(options.data);
  if (!store) return store.error();
  const LogReader reader(**store, genesis->context(),
                         static_cast<std::uint32_t>(genesis->nodes.size()));
  bool damaged = false;
  const auto read = reader.each(Round{0}, [&](const LogEntry& entry) {
    if (entry.first + entry.count <= from) return true;
    std::uint64_t position = entry.first;
    for (const LoggedBlock& b : entry.blocks) {
      const auto payload = reader.payload(b);
      damaged = !payload;
      if (damaged) return false;
      position = each_ordered(b, payload->view(), position, [&](const Transaction& t) {
        if (t.position >= from) visit(t);
      });
    }
    return true;
  });
  if (!read || damaged)
    return "the log of '" + options.home + "' is damaged; restore it from a backup";
  return Unit{};
}

}  // namespace thresher::net
