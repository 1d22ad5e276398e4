#include "thresher/net/node.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "key_use.hpp"
#include "memory_store.hpp"
#include "node_impl.hpp"
#include "thresher/crypto/key_file.hpp"
#include "thresher/net/coin.hpp"
#include "thresher/net/disk_store.hpp"

namespace thresher::net {
namespace {

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
  impl.own_client = client_id_of(impl.key.public_key());
  // A range of sequences of its own for every start.
  impl.own_sequence = hash(crypto::SigningKey::generate().public_key()).prefix() >> 1;
  if (std::string problem = impl.recover(); !problem.empty()) return problem;
  if (std::string problem = impl.claim_store(); !problem.empty()) return problem;
  return node;
}

// The store says whose it is before the key is used for the first time. Then a used key beside a
// store without that record means lost data, and not a crash before the first record of the
// protocol.
std::string Node::Impl::claim_store() {
  if (options.store == StoreKind::kMemory) return {};
  const Bytes owner = Bytes::copy_of(key.public_key());
  std::optional<bool> own;
  const auto scanned = store->scan(kOwnerTable, {}, [&](ByteView, ByteView value) {
    own = std::equal(value.begin(), value.end(), owner.view().begin(), owner.view().end());
    return false;
  });
  const bool lost = !own && !has_records && key_was_used(options.key, key.public_key());
  if (own == false) {
    return "the data in '" + options.data + "' belong to another key than '" + options.key +
           "'; give this node the folder that was made with its key";
  }
  if (lost) {
    return "blocks were signed with the key '" + options.key + "', but the data in '" +
           options.data +
           "' are gone. One key must never sign twice: put the data back, "
           "or start this node with a new key in the next epoch";
  }
  if (own) return {};
  const Persist record{kOwnerTable, Bytes::copy_of(as_view("owner")), owner, {}};
  if (scanned && store->write(std::span(&record, 1), true)) return {};
  return "cannot write to the store '" + options.data + "': " + store->problem() +
         "; free space or allow it";
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
  // Known to this node alone: a private sampler draws from it.
  const Signature secret = key.sign(Transcript("thresher/start/1", chain).digest().bytes);
  (void)engine->push(Start{hash(secret).prefix()});
  loop.post([this] {
    pump();
    watch_lag();
    watch_submissions();
    take_own();
  });
  return {};
}

void Node::Impl::finish() {
  transport.close();
  fail_own(stopped_because.empty() ? "the node has stopped"
                                   : "the node has stopped: " + stopped_because);
  writer.reset();
  metrics.reset();
  if (stopped_because.empty()) save_snapshot();
}

std::string Node::run() {
  Impl& impl = *impl_;
  if (impl.options.context != nullptr) return "this node is on the host's io_context: call start()";
  if (std::string problem = impl.begin(); !problem.empty()) {
    impl.fail_own(problem);
    return problem;
  }
  impl.loop.run();
  impl.finish();
  return impl.stopped_because;
}

std::string Node::start(std::function<void(const std::string&)> stopped) {
  Impl& impl = *impl_;
  if (impl.options.context == nullptr)
    return "give the host's io_context in the options, or call run()";
  impl.on_stopped = std::move(stopped);
  std::string problem = impl.begin();
  if (!problem.empty()) impl.fail_own(problem);
  return problem;
}

void Node::stop() {
  if (impl_->options.context == nullptr) return impl_->loop.stop();
  impl_->loop.post([impl = impl_.get()] { impl->halt({}); });
}

std::future<Receipt> Node::submit(ByteView transaction, Prove prove) {
  auto [receipt, first] = impl_->inbox.add(transaction, prove);
  if (first) impl_->loop.post([impl = impl_.get()] { impl->take_own(); });
  return std::move(receipt);
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
      position =
          each_ordered(b, payload->view(), position, [&](const Transaction& t, const Validity&) {
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
