#include "thresher/net/graph_agreement.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "channels/graph_engine.hpp"
#include "channels/member_links.hpp"
#include "channels/outbox.hpp"
#include "files/disk_problem.hpp"
#include "links/standstill.hpp"
#include "thresher/core/node_ids.hpp"
#include "thresher/net/disk_store.hpp"
#include "thresher/protocols/digraph/condition.hpp"

namespace thresher::net {
namespace {

using digraph::AsyncAuth;
using digraph::Mask;
using digraph::SyncAuth;
using std::chrono::microseconds;
using std::chrono::system_clock;

constexpr std::int64_t kMostValue = std::int64_t{1} << 62;
constexpr std::size_t kMostName = 64;
/// How often it is looked whether the loop stands still, and how long it may, as parts of Delta. A
/// round of 2 Delta bears a message that takes Delta, clocks that differ by half of it, and two
/// members that stand still.
constexpr std::uint64_t kTicks = 16;
constexpr std::uint64_t kStill = 4;
/// Frames of a neighbour that are kept until this member begins, for each node of the graph: twice
/// two inputs of each origin (SyncAuth).
constexpr std::size_t kEarly = 4;
/// The clock runs over with the end of a wait that is much longer.
constexpr std::chrono::milliseconds kMostPatience = std::chrono::hours(24 * 365);

bool exact(const GraphAgreementOptions& o) {
  return o.halvings == 0;
}

std::uint64_t rounds_of(const GraphAgreementOptions& o) {
  return 2 * std::max<std::uint64_t>(o.graph.size() - 1, 1);
}

bool good_name(const std::string& name) {
  return !name.empty() && name.size() <= kMostName &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

std::string ms(std::uint64_t us) {
  return std::to_string(us / 1000) + " ms";
}

Error rejected(std::string what, std::string where, std::string remedy = {}) {
  return {ErrorCode::kRejected, std::move(what), std::move(where), std::move(remedy)};
}

Result<Unit, Error> check_value(const GraphAgreementOptions& o) {
  const bool small = -kMostValue < o.value && o.value < kMostValue;
  if (small && (o.value >= 0 || !exact(o))) return Unit{};
  return rejected("the value " + std::to_string(o.value) +
                      " is out of range: " + (exact(o) ? "0 to" : "above -2^62 and below") +
                      (exact(o) ? " 2^62 - 1" : " 2^62"),
                  "value");
}

}  // namespace

ChainContext context_of(const GraphAgreementOptions& o) {
  Transcript t("thresher/graph-agreement/1", o.genesis.context());
  t.u32(o.graph.size()).u32(o.faults).u32(o.halvings);
  for (const NodeId i : node_ids(o.graph.size())) t.u64(o.graph.out(i));
  t.u64(o.name.size()).bytes(as_view(o.name));
  if (exact(o)) {
    const auto starts = std::chrono::duration_cast<microseconds>(o.starts.time_since_epoch());
    t.u64(o.delta_us).u64(static_cast<std::uint64_t>(starts.count()));
  }
  return {t.digest(), 0};
}

Result<Unit, Error> check_options(const GraphAgreementOptions& o) {
  const std::string f = std::to_string(o.faults);
  const std::uint32_t n = o.graph.size();
  if (o.genesis.nodes.size() != n) {
    return rejected("the graph has " + std::to_string(n) + " nodes and the genesis file " +
                        std::to_string(o.genesis.nodes.size()),
                    "graph", "node i of the graph is member i");
  }
  if (o.faults >= n || digraph::fault_sets(n, o.faults) > digraph::kMostFaultSets)
    return rejected(f + " faults of " + std::to_string(n) + " nodes are too many", "faults");
  if (exact(o) ? digraph::synchronous_breach(o.graph, o.faults).has_value()
               : digraph::asynchronous_breach(o.graph, o.faults).has_value()) {
    return rejected(std::string("the nodes cannot reach ") + (exact(o) ? "exact" : "approximate") +
                        " agreement in this graph with " + f + " faults",
                    "graph", "thresher digraph check says which nodes prevent it");
  }
  if (!good_name(o.name))
    return rejected("the name '" + o.name + "' is not of a to z, 0 to 9 and -, at most " +
                        std::to_string(kMostName) + " of them",
                    "name");
  if (o.halvings > AsyncAuth::kMostRounds)
    return rejected(
        std::to_string(o.halvings) + " halvings are over " + std::to_string(AsyncAuth::kMostRounds),
        "halvings");
  if (exact(o) && (o.delta_us < 1'000 || o.delta_us > 60'000'000))
    return rejected("Delta is " + std::to_string(o.delta_us) + " us", "delta_us",
                    "choose 1 ms to 1 min");
  return check_value(o);
}

struct GraphAgreement::Impl {
  GraphAgreementOptions options;
  NodeId self;
  ChainContext chain;
  std::vector<bool> linked;  // by id: an edge to or from it
  std::unique_ptr<DiskStore> store;
  std::unique_ptr<crypto::BatchVerifier> verifier;
  MemberLinks links;
  std::unique_ptr<Outbox> outbox;
  std::unique_ptr<GraphEngine> engine;
  // For exact agreement.
  std::unique_ptr<Standstill> still;
  bool started = false;
  std::uint64_t began_us = 0;  // when round 1 was due, by Loop::now_us(); it may wrap around
  std::uint64_t fired_us = 0;  // when the last timer did
  std::uint64_t round = 0;     // that was looked at last
  std::vector<std::pair<NodeId, Frame>> early;
  std::vector<std::size_t> early_of;  // how many of each neighbour
  std::uint64_t refused = 0;          // before they came to the protocol
  Mask malformed = 0;                 // neighbours that sent something else than messages

  std::mutex mutex;  // of the next two
  std::condition_variable changed;
  std::optional<GraphDecision> decided;
  std::optional<Error> failed;

  ~Impl() {
    links.end();
    still.reset();
  }
  void log(const std::string& line) const {
    if (options.log) return options.log(line);
    (void)std::fprintf(stderr, "digraph: %s\n", line.c_str());
  }
  void fail(Error why) {
    {
      const std::lock_guard lock(mutex);
      if (!failed && !decided) failed = std::move(why);
    }
    changed.notify_all();
  }
  void decide(std::int64_t value) {
    {
      const std::lock_guard lock(mutex);
      if (!failed) decided = GraphDecision{value};
    }
    changed.notify_all();
  }

  Result<Unit, Error> begin() {
    const std::uint32_t n = options.graph.size();
    chain = context_of(options);
    early_of.resize(n);
    for (const NodeId i : node_ids(n))
      linked.push_back(options.graph.has(i, self) || options.graph.has(self, i));
    if (exact(options) && options.starts <= system_clock::now())
      return Error{ErrorCode::kRejected,
                   "the time at which all start is over",
                   {},
                   "give one to come, the same at every member"};
    if (auto opened = open_store(); !opened) return opened;
    verifier = crypto::make_verifier(crypto::best_verifier());
    open_links();
    outbox = std::make_unique<Outbox>(
        n, [this](NodeId to, const Frame& frame) { return links.send(to, frame); });
    engine = make_engine();
    if (exact(options)) {
      still = std::make_unique<Standstill>(links.loop(), options.delta_us / kTicks);
      await_start();
    } else if (const auto begun = engine->start(); !begun) {
      return because("'" + options.folder + "'", options.folder, begun.error());
    }
    return links.start();
  }
  // A member with a record there took part, and may have forgotten what it said.
  Result<Unit, Error> open_store() {
    if (options.folder.empty()) return Unit{};
    const std::string folder = options.folder + "/" + options.name;
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) {
      return Error{code_of_errno(error.value()),
                   "cannot create '" + folder + "': " + error.message(), folder};
    }
    auto opened = DiskStore::open(folder, [this](const auto& w) { log(w); });
    if (!opened) return opened.error();
    store = std::move(*opened);
    bool began = false;
    const auto read = store->replay([&](const Restored&) { began = true; });
    if (!read) return read_error("'" + folder + "'", read.error(), folder);
    if (!began) return Unit{};
    return Error{ErrorCode::kExists,
                 "this member took part in '" + options.name +
                     "' before, and might now say something else than it did then; it counts as "
                     "faulty there. Choose another name for the next agreement ('" +
                     folder + "' remembers this one)",
                 folder};
  }
  void open_links() {
    TransportOptions t =
        links_of(self, options.key, chain.chain, options.genesis.nodes,
                 "the peer takes part in another agreement; compare the genesis files, the graph "
                 "and the name of the agreement");
    t.linked = linked;
    t.max_frame_bytes =
        static_cast<std::uint32_t>(digraph::largest_message(options.graph.size())) + 1024;
    links.open(
        std::move(t), [this](NodeId from, const Frame& frame) { receive(from, frame); },
        [this](const std::string& what) { log(what); },
        [this](NodeId of, bool up) { outbox->link(of, up); });
  }
  template <class Output>
  HostLinks<Output> host_links(std::function<void(Output)> deliver) {
    HostLinks<Output> out;
    out.committee = *Committee::make(options.graph.size(), 0);
    out.self = self;
    out.delta_us = options.delta_us;
    out.loop = &links.loop();
    out.store = store.get();
    out.verifier = verifier.get();
    out.key = options.key;
    for (const PeerAddress& node : options.genesis.nodes) out.keys.push_back(node.key);
    out.send = [this](NodeId to, const Frame& frame) { outbox->send(to, frame); };
    out.deliver = std::move(deliver);
    out.fires = [this] { fired_us = Loop::now_us(); };
    out.stepped = [this] {
      look_at_clock();
      outbox->flush();
    };
    out.fail = [this](const Error& why) { fail(disk_failed(options.folder, why, {})); };
    return out;
  }
  std::unique_ptr<GraphEngine> make_engine() {
    const std::uint32_t n = options.graph.size();
    if (!exact(options)) {
      return std::make_unique<HostedGraph<AsyncAuth>>(
          AsyncAuth({.graph = options.graph,
                     .faults = options.faults,
                     .self = self,
                     .input = options.value,
                     .rounds = options.halvings,
                     .chain = chain}),
          n, host_links<digraph::Estimate>([this](const auto& e) { decide(e.value); }));
    }
    return std::make_unique<HostedGraph<SyncAuth>>(
        SyncAuth({.graph = options.graph,
                  .faults = options.faults,
                  .self = self,
                  .input = static_cast<digraph::Value>(options.value),
                  .chain = chain}),
        n, host_links<digraph::Decision>([this](const auto& d) { take(d); }));
  }

  void receive(NodeId from, const Frame& frame) {
    if (!accepts(from, frame)) ++refused;
  }
  bool accepts(NodeId from, const Frame& frame) {
    if (!options.graph.has(from, self)) return false;
    if (!exact(options) || started) {
      if (engine->receive(from, frame)) return true;
      malformed |= digraph::bit(from.value);
      return false;
    }
    // The others' clocks may be ahead of this one.
    if (early_of[from.value] >= kEarly * options.graph.size()) return false;
    ++early_of[from.value];
    early.emplace_back(from, frame);
    return true;
  }
  // The clock may be set meanwhile, so it is asked again.
  void await_start() {
    const auto left = options.starts - system_clock::now();
    if (left > microseconds(0)) {
      const auto us = std::chrono::duration_cast<microseconds>(left).count() + 1;
      (void)links.loop().call_after(static_cast<std::uint64_t>(us), [this] { await_start(); });
      return;
    }
    const auto over =
        static_cast<std::uint64_t>(std::chrono::duration_cast<microseconds>(-left).count());
    began_us = Loop::now_us() - over;
    started = true;
    round = 1;
    still->late(over);
    still->begin();
    if (const auto begun = engine->start(); !begun) return fail(begun.error());
    for (const auto& [from, frame] : std::exchange(early, {})) receive(from, frame);
  }
  std::uint64_t round_us() const { return 2 * options.delta_us; }
  // Timers follow each other, so whoever is late once stays it. What the protocol then takes to
  // decide makes nobody miss anything.
  void look_at_clock() {
    if (!started || engine == nullptr || engine->round() == round) return;
    round = engine->round();
    still->due(began_us + (round - 1) * round_us(), fired_us);
  }
  void take(const digraph::Decision& d) {
    look_at_clock();
    const std::uint64_t stood = still->longest_us();
    const std::uint64_t borne = options.delta_us / kStill;
    if (stood > borne) {
      return fail(
          rejected("this member stood still for " + ms(stood) + ", and " + ms(borne) +
                       " (Delta / 4) are borne, so it may have missed what the others heard",
                   options.name,
                   "nothing is decided here. Agree again under another name, with a larger delta"));
    }
    if (!d.plausible) {
      return fail(rejected(
          "what this member heard fits no " + std::to_string(options.faults) +
              " faulty members or fewer: more are, or messages took longer than " +
              ms(options.delta_us) + " (" + std::to_string(engine->late()) + " came too late)",
          options.name,
          "nothing is decided here. Agree again under another name, with a larger delta"));
    }
    decide(static_cast<std::int64_t>(d.value));
  }
};

GraphAgreement::GraphAgreement() : impl_(std::make_unique<Impl>()) {}
GraphAgreement::~GraphAgreement() = default;

Result<std::unique_ptr<GraphAgreement>, Error> GraphAgreement::begin(
    GraphAgreementOptions options) {
  if (const auto good = check_options(options); !good) return good.error();
  const auto self = place_of(options.key.public_key(), options.genesis.nodes);
  if (!self)
    return Error{ErrorCode::kMismatch,
                 "the key belongs to no member of the genesis file",
                 {},
                 "check which belongs"};
  std::unique_ptr<GraphAgreement> out(new GraphAgreement);
  out->impl_->self = *self;
  out->impl_->options = std::move(options);
  if (const auto begun = out->impl_->begin(); !begun) return begun.error();
  return out;
}

Result<GraphDecision, Error> GraphAgreement::wait(std::chrono::milliseconds patience) {
  patience = std::clamp(patience, std::chrono::milliseconds(0), kMostPatience);
  std::unique_lock lock(impl_->mutex);
  const auto done = [this] { return impl_->decided || impl_->failed; };
  impl_->changed.wait_for(lock, patience, done);
  if (impl_->decided) return *impl_->decided;
  if (impl_->failed) return *impl_->failed;
  lock.unlock();
  const GraphAgreementStatus now = status();
  return Error{ErrorCode::kMissing,
               "there is no decision after " +
                   ms(static_cast<std::uint64_t>(patience.count()) * 1000) + ", in round " +
                   std::to_string(now.round) + ", with links to " + std::to_string(now.links) +
                   " of " + std::to_string(now.neighbours) + " neighbours",
               {},
               "only members that mean the same graph, faults, name, start and delta connect"};
}

GraphAgreementStatus GraphAgreement::status() const {
  return impl_->links.on_loop([impl = impl_.get()] {
    GraphAgreementStatus out;
    out.neighbours =
        static_cast<std::uint32_t>(std::count(impl->linked.begin(), impl->linked.end(), true));
    out.links = static_cast<std::uint32_t>(impl->links.transport().node_links());
    out.round = impl->engine->round();
    out.refused = impl->refused + impl->engine->refused();
    out.late = impl->engine->late();
    out.caught = impl->malformed | impl->engine->two_faced();
    out.bytes_sent = impl->links.transport().node_bytes_sent();
    out.stood_still_us = impl->still ? impl->still->longest_us() : 0;
    return out;
  });
}

NodeId GraphAgreement::self() const {
  return impl_->self;
}

system_clock::time_point GraphAgreement::ends(const GraphAgreementOptions& o) {
  return o.starts + microseconds(rounds_of(o) * 2 * o.delta_us);
}

}  // namespace thresher::net
