#include "thresher/net/node.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <thread>
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

/// With fewer descriptors than this not even the store and the links of a small network open, and
/// what fails first says something else.
constexpr rlim_t kLeastDescriptors = 64;

std::string too_few_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= kLeastDescriptors) return {};
  return "this process may open " + std::to_string(limit.rlim_cur) +
         " files, a node needs at least " + std::to_string(kLeastDescriptors) +
         "; raise the limit of open files to 1024 or more (ulimit -n, LimitNOFILE=)";
}

Result<std::unique_ptr<NodeStore>, std::string> open_store(const NodeOptions& o) {
  if (o.store == StoreKind::kMemory) return std::unique_ptr<NodeStore>(new MemoryStore());
  auto disk =
      DiskStore::open(o.data, [&](const std::string& line) { say(o, Level::kWarning, line); });
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
  if (std::string problem = too_few_descriptors(); !problem.empty()) return problem;
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
  // Its pages answer while the store is opened and the log is read, which may take long. A port
  // that is taken is told by run(), like that of the peers; nothing is read before it is free.
  std::unique_ptr<Metrics> metrics;
  std::string metrics_problem;
  if (!options.metrics_listen.empty()) {
    metrics = std::make_unique<Metrics>(genesis->nodes.size(), self);
    metrics->starting("opens its store");
    metrics_problem = metrics->listen(options.metrics_listen);
  }
  auto store = open_store(options);
  if (!store) return store.error();
  std::unique_ptr<Node> node(new Node());
  node->impl_ = std::make_shared<Impl>(std::move(options), app, std::move(*genesis),
                                       std::move(*key), self, std::move(*coin), std::move(*store));
  Impl& impl = *node->impl_;
  impl.metrics = std::move(metrics);
  impl.metrics_problem = std::move(metrics_problem);
  if (!impl.metrics_problem.empty()) return node;
  // A client id of its own for every start, so that sequences count from 0 without gaps.
  impl.own_client = mix64(hash(impl.key.public_key()).prefix() ^ Loop::now_us());
  if (std::string problem = impl.recover(); !problem.empty()) return problem;
  if (std::string problem = impl.claim_store(); !problem.empty()) return problem;
  return node;
}

// Opens the sockets and starts the writer.
std::string Node::Impl::begin() {
  if (!metrics_problem.empty()) return metrics_problem;
  if (std::string problem = transport.start(); !problem.empty()) return problem;
  writer = std::make_unique<WriterThread>(
      *store, [this](const dag::Block& b) { return engine->record_of(b); },
      [this](std::uint64_t barrier) {
        loop.post([this, barrier] {
          durable_barrier = barrier;
          engine->persisted(barrier);
          pump();
        });
      },
      [this](const std::string& why, WriterThread::Failure failure) {
        // A half-durable voter is Byzantine: stop before anything else is signed.
        loop.post([this, why, failure] {
          if (failure == WriterThread::Failure::kDisk) {
            return halt("the disk under '" + options.home +
                        "' refused a write; free space or replace it, then restart the node (" +
                        why + ")");
          }
          halt(
              "the log of '" + options.home + "' was not written on: " + why +
              "; this is a defect of the program: keep the folder, report it, and start the node " +
              "again, which reads its log anew");
        });
      },
      ledger.end());
  loop.post([this] {
    begin_start();
    watch_lag();
  });
  return {};
}

void Node::Impl::finish() {
  conduct.close(Loop::now_us());
  transport.close();
  const bool signs = !starting && engine->pledge().beyond({});
  note_peers();
  writer.reset();
  if (signs && stopped_because.empty()) sign_once.note(engine->pledge());
  metrics.reset();
  if (stopped_because.empty()) save_snapshot();
}

// What the node's own thread does. An exception is the caller's of run().
void Node::Impl::live() {
  try {
    loop.run();
    finish();
  } catch (...) {
    thrown = std::current_exception();
  }
  run_end.done();
}

std::string Node::run() {
  const std::shared_ptr<Impl> impl = impl_;
  if (impl->options.context != nullptr)
    return "this node is on the host's io_context: call start()";
  if (std::string problem = impl->begin(); !problem.empty()) return problem;
  std::thread own([impl] { impl->live(); });
  if (!impl->run_end.wait(impl->calls)) {
    own.detach();
    return std::string(kHostBlocks);
  }
  own.join();
  if (impl->thrown) std::rethrow_exception(impl->thrown);
  return impl->stopped_because;
}

std::string Node::start(std::function<void(const std::string&)> stopped) {
  Impl& impl = *impl_;
  if (impl.options.context == nullptr)
    return "give the host's io_context in the options, or call run()";
  impl.on_stopped = std::move(stopped);
  return impl.begin();
}

void Node::stop() {
  impl_->run_end.ask();
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

}  // namespace thresher::net
