#include "thresher/net/node.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <span>
#include <thread>
#include <utility>

#include "files/disk_problem.hpp"
#include "files/odd_file.hpp"
#include "host/guarded.hpp"
#include "ledger/log_sync.hpp"
#include "links/thread_name.hpp"
#include "node/impl.hpp"
#include "store/open_store.hpp"
#include "store/wal_scan.hpp"
#include "thresher/crypto/key_file.hpp"
#include "thresher/net/coin.hpp"
#include "thresher/net/config.hpp"

namespace thresher::net {
namespace {

/// With fewer descriptors than this not even the store and the links of a small network open, and
/// what fails first says something else.
constexpr rlim_t kLeastDescriptors = 64;
/// Ticks of watch() after which the figures of the peers are taken.
constexpr std::uint64_t kPeersEach = 25;

Result<Unit, Error> check_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= kLeastDescriptors) return Unit{};
  return Error{ErrorCode::kUnsupported,
               "this process may open " + std::to_string(limit.rlim_cur) +
                   " files, a node needs at least " + std::to_string(kLeastDescriptors),
               {},
               "raise the limit of open files to 1024 or more (ulimit -n, LimitNOFILE=)"};
}

Error runs_once(const std::string& home) {
  return {ErrorCode::kBusy, "this node was started before, and may run still", home,
          "call run() or start() once; a node that has stopped is opened again"};
}

// Snapshots and evidence are files beside the store, whoever keeps that.
Result<Unit, Error> make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error) return Unit{};
  return Error{code_of_errno(error.value()),
               "cannot make the folder '" + path + "': " + error.message(), path};
}

}  // namespace

Result<Unit, Error> check_data(const NodeOptions& options) {
  if (options.make_store || options.store == StoreKind::kMemory) return Unit{};
  const std::string data = with_paths(options).data;
  if (std::string why = odd_folder(data); !why.empty())
    return Error{ErrorCode::kMalformed, std::move(why), data};
  for (const std::string name : {"/wal", "/snapshot", "/index/CURRENT"}) {
    if (std::string why = odd_file(data + name); !why.empty())
      return Error{ErrorCode::kMalformed, std::move(why), data + name};
  }
  return Unit{};
}

// None where none is asked for, and where the disk takes none: the node does without it.
std::unique_ptr<journal::JournalWriter> begin_journal(const NodeOptions& o, const Genesis& genesis,
                                                      NodeId self) {
  if (o.journal_bytes == 0) return nullptr;
  const journal::JournalWriter::Tell tell = [o](const std::string& line) {
    say(o, Level::kWarning, line);
  };
  auto made = journal::JournalWriter::create(
      o.home + "/journal",
      {THRESHER_VERSION, genesis.protocol, genesis.context().chain, self, EngineTuning::of(o)},
      o.journal_bytes, guarded(tell, "log", {}));
  if (made) return std::move(*made);
  guarded(tell, "log", {})("runs without a journal: " + made.error().text());
  return nullptr;
}

Result<Unit, Error> check_log(const NodeOptions& options) {
  if (options.make_store || options.store == StoreKind::kMemory) return Unit{};
  const std::string path = with_paths(options).data + "/wal";
  std::error_code unknown;
  if (std::filesystem::exists(path, unknown)) return WalScan().open(path);
  if (std::filesystem::exists(path + ".base", unknown)) return first_file_gone(path);
  return Unit{};
}

NodeOptions with_paths(NodeOptions o) {
  if (o.genesis.empty()) o.genesis = o.home + "/../genesis.json";
  if (o.key.empty()) o.key = o.home + "/node.key";
  if (o.data.empty()) o.data = o.home + "/data";
  if (o.coin.empty()) o.coin = o.home + "/coin.key";
  return o;
}

Node::Node() = default;
Node::~Node() = default;

std::shared_ptr<Node::Impl> Node::impl() const {
  const std::lock_guard lock(mutex_);
  return impl_;
}

Result<std::unique_ptr<Node>, Error> Node::open(NodeOptions options, App& app) {
  auto impl = make(std::move(options), app);
  if (!impl) return impl.error();
  std::unique_ptr<Node> node(new Node());
  node->impl_ = std::move(*impl);
  return node;
}

Result<std::shared_ptr<Node::Impl>, Error> Node::make(NodeOptions options, App& app) {
  if (const auto enough = check_descriptors(); !enough) return enough.error();
  if (const auto good = check_ranges(options); !good) return good.error();
  options = with_paths(std::move(options));
  auto genesis = load_genesis(options.genesis);
  if (!genesis) return genesis.error();
  auto key = crypto::load_key(options.key);
  if (!key) return key.error();
  std::size_t id = 0;
  while (id < genesis->nodes.size() && genesis->nodes[id].key != key->public_key()) ++id;
  if (id == genesis->nodes.size()) {
    return Error{ErrorCode::kMismatch,
                 "the key '" + options.key + "' is not a member of the genesis file '" +
                     options.genesis + "'",
                 options.key, "check which belongs"};
  }
  if (const auto fit = check_delays(options, genesis->nodes.size()); !fit) return fit.error();
  const NodeId self{static_cast<std::uint16_t>(id)};
  auto coin = open_coin(*genesis, options.coin, self);
  if (!coin) return coin.error();
  auto encryption = open_encryption(*genesis, options.coin, self);
  if (!encryption) return encryption.error();
  // Its pages answer while the store is opened and the log is read, which may take long. A port
  // that is taken is told by run(), like that of the peers; nothing is read before it is free.
  std::unique_ptr<Metrics> metrics;
  std::optional<Error> metrics_problem;
  if (!options.metrics_listen.empty()) {
    metrics = std::make_unique<Metrics>(genesis->nodes.size(), self);
    metrics->starting("opens its store");
    if (const auto listens = metrics->listen(options.metrics_listen); !listens)
      metrics_problem = listens.error();
  }
  if (const auto good = check_data(options); !good) return good.error();
  if (options.make_store) {
    if (const auto folder = make_folder(options.data); !folder) return folder.error();
  }
  auto store = open_store(options);
  if (!store) return store.error();
  auto journal = begin_journal(options, *genesis, self);
  auto made = std::make_shared<Impl>(NodeParts{
      std::move(options), app, std::move(*genesis), *key, self,
      SharedKey{std::move(*coin), std::move(*encryption)}, std::move(*store), std::move(journal)});
  Impl& impl = *made;
  impl.metrics = std::move(metrics);
  impl.metrics_problem = std::move(metrics_problem);
  if (impl.metrics_problem) return made;
  impl.ledger = Ledger(AgreedTime(impl.engine->clock_witnesses()));
  if (const auto recovered = impl.recover(); !recovered) return recovered.error();
  if (impl.options.store != StoreKind::kMemory)
    SnapshotFolder(impl.options.data).remove_unfinished(impl.ledger.slot());
  if (const auto claimed = impl.start.claim_store(impl.has_records); !claimed)
    return claimed.error();
  return made;
}

// Opens the sockets and starts the writer.
Result<Unit, Error> Node::Impl::begin() {
  begun = true;
  if (metrics_problem) return *metrics_problem;
  if (auto traces = open_trace(); !traces) return traces;
  if (auto listening = transport.start(); !listening) return listening;
  writer = std::make_unique<WriterThread>(
      *store, [this](const OrderedBlock& b) { return engine->record_of(b); },
      [this](std::uint64_t barrier, std::uint64_t began) {
        const std::uint64_t ended = tracer ? Loop::now_us() : 0;
        if (tracer) tracer->wrote();
        loop.post([this, barrier, began, ended] { durable(barrier, began, ended); });
      },
      [this](const Error& why, WriterThread::Failure failure) {
        // A half-durable voter is Byzantine: stop before anything else is signed.
        loop.post([this, why, failure] { halt(words.not_written(why, failure)); });
      },
      ledger.end());
  checkpointing.begin();
  snapshots.begin();
  log_care.begin();
  if (auto opened = clients.open_gateway(); !opened) return opened;
  loop.post([this] {
    start.begin();
    watch();
    clients.watch();
    clients.take_own();
  });
  return Unit{};
}

// Everything that is due now and then, from begin() on.
void Node::Impl::watch() {
  const std::uint64_t now = Loop::now_us();
  start.watch(now);
  standing.watch(now);
  checkpointing.watch(now);
  snapshots.watch(now);
  joining.watch(now);
  log_care.watch(now);
  start.look_level();
  conduct.tick(now, log_care.catches_up());
  if (tracer) tracer->tick();
  if (metrics) {
    Sample taken = sample();
    if (ticks++ % kPeersEach == 0) taken.peers = peers();
    metrics->update(taken);
  }
  loop.call_after(LogSync::kTick, [this] { watch(); });
}

// On the node's thread: the writer wrote all up to a barrier.
void Node::Impl::durable(std::uint64_t barrier, std::uint64_t began_us, std::uint64_t ended_us) {
  if (tracer) tracer->durable(barrier, began_us, ended_us);
  start.durable(barrier);
  {
    const auto scope = on(Duty::kProtocol);
    engine->persisted(barrier);
  }
  pump();
}

Result<Unit, Error> Node::Impl::open_trace() {
  if (options.commit_trace.empty()) return Unit{};
  tracer = std::make_unique<CommitTracer>();
  return tracer->open(options.commit_trace);
}

void Node::Impl::finish() {
  conduct.close(Loop::now_us());
  clients.close_gateway();
  clients.close_queries();
  transport.close();
  clients.close_own(stopped_because ? "the node has stopped: " + stopped_because->text()
                    : joining.enters_anew()
                        ? "the node took its state from peers and begins anew from it"
                        : "the node has stopped");
  const bool signs = !start.under_way() && engine->pledge().beyond({});
  start.note_peers();
  snapshots.end();
  // The loop does not run any more, so that nothing else tells of the last write.
  if (const auto failed = writer->close(); failed && !stopped_because)
    stopped_because = words.not_written(failed->why, failed->failure);
  writer.reset();
  if (tracer) tracer->tick();
  tracer.reset();
  log_care.end();
  if (signs && !stopped_because) start.note_pledge();
  metrics.reset();
  // The disk is newer by now than the memory.
  if (!stopped_because && !joining.enters_anew()) snapshots.save_at_stop();
}

// What the node's own thread does. An exception is the caller's of run().
void Node::Impl::live() {
  try {
    loop.run();
    finish();
  } catch (...) {
    thrown = std::current_exception();
    clients.close_own("the node has stopped: an exception ended its thread");
  }
  run_end.done();
}

Result<Unit, Error> Node::run() {
  while (true) {
    auto ended = run_once();
    if (!impl()->joining.enters_anew() || !ended || stopping_) return ended;
    if (auto anew = start_anew(); !anew || stopping_) {
      if (!anew && anew.error().what == kStoppedAtStart) return Unit{};
      return anew;
    }
  }
}

// From what is on the disk now. The one before still answers, that it has stopped.
Result<Unit, Error> Node::start_anew() {
  const std::shared_ptr<Impl> before = impl();
  before->store.reset();
  auto made = make(before->options, before->app);
  if (!made) return made.error();
  const std::lock_guard lock(mutex_);
  impl_ = std::move(*made);
  return Unit{};
}

Result<Unit, Error> Node::run_once() {
  const std::shared_ptr<Impl> impl = this->impl();
  const std::string& home = impl->options.home;
  if (impl->options.context != nullptr) {
    return Error{ErrorCode::kUnsupported, "this node is on the host's io_context: call start()",
                 home};
  }
  if (impl->begun) return runs_once(home);
  if (auto begun = impl->begin(); !begun) {
    impl->clients.close_own(begun.error().text());
    return begun;
  }
  std::thread own([impl] {
    name_this_thread("loop");
    impl->live();
  });
  if (!impl->run_end.wait(impl->calls)) {
    own.detach();
    impl->clients.close_own(std::string(kHostBlocks));
    return Error{ErrorCode::kBusy, std::string(kHostBlocks), home};
  }
  own.join();
  if (impl->thrown) std::rethrow_exception(impl->thrown);
  return impl->ending();
}

Result<Unit, Error> Node::start(std::function<void(const Result<Unit, Error>&)> stopped) {
  Impl& impl = *impl_;
  if (impl.options.context == nullptr) {
    return Error{ErrorCode::kUnsupported,
                 "give the host's io_context in the options, or call run()", impl.options.home};
  }
  if (impl.begun) return runs_once(impl.options.home);
  impl.on_stopped = std::move(stopped);
  auto begun = impl.begin();
  if (!begun) impl.clients.close_own(begun.error().text());
  return begun;
}

void Node::stop() {
  stopping_ = true;  // before it is looked up: one that is made meanwhile does not begin
  const std::shared_ptr<Impl> impl = this->impl();
  impl->run_end.ask();
  // Nobody else would ever answer what was submitted.
  if (!impl->begun) impl->clients.close_own("the node has stopped before it ran");
  if (impl->options.context == nullptr) return impl->loop.stop();
  impl->loop.post([impl = impl.get()] { impl->halt({}); });
}

void Node::submit(ByteView transaction, OnCommitStatus done, SubmitOptions options) {
  impl()->clients.submit(Bytes::copy_of(transaction), std::move(options), std::move(done));
}

std::future<Answer> Node::query(ByteView question, std::uint64_t length) {
  auto promise = std::make_shared<std::promise<Answer>>();
  std::future<Answer> answer = promise->get_future();
  const std::shared_ptr<Impl> impl = this->impl();
  const auto id =
      impl->clients.own_questions().add([promise](const Answer& a) { promise->set_value(a); });
  if (!id) return answer;
  impl->loop.post([impl = impl.get(), id = *id, length, text = Bytes::copy_of(question)] {
    impl->clients.query({kOwnLink, 0, length, text, 0, [impl, id](const Answer& a) {
                           impl->clients.own_questions().answer(id, a);
                         }});
  });
  return answer;
}

std::future<Receipt> Node::submit(ByteView transaction, SubmitOptions options) {
  auto promise = std::make_shared<std::promise<Receipt>>();
  std::future<Receipt> receipt = promise->get_future();
  submit(
      transaction,
      [promise](const CommitStatus& out) {
        if (out.committed()) return promise->set_value(out.receipt);
        promise->set_exception(std::make_exception_ptr(NotCommitted(out)));
      },
      std::move(options));
  return receipt;
}

}  // namespace thresher::net
