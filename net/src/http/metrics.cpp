#include "http/metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <utility>

#include "files/disk_problem.hpp"
#include "http/http_pages.hpp"
#include "http/loopback_address.hpp"

namespace thresher::net {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kAlive{10};

/// A figure: its name, its help, and where it stands in a sample.
struct Figure {
  const char* name;
  const char* help;
  std::uint64_t Sample::*value;
};

constexpr Figure kCounters[] = {
    {"thresher_committed_transactions_total", "Transactions in the log.", &Sample::log_length},
    {"thresher_committed_bytes_total", "Payload committed since the start.",
     &Sample::payload_bytes},
    {"thresher_sent_bytes_total", "Bytes sent to other nodes.", &Sample::node_bytes_sent},
    {"thresher_dropped_frames_total", "Frames dropped: no link, or its queue was full.",
     &Sample::frames_dropped},
    {"thresher_disk_syncs_total", "Synced writes.", &Sample::syncs},
    {"thresher_malformed_frames_total", "Frames that could not be decoded.", &Sample::malformed},
    {"thresher_accepted_blocks_total", "Blocks accepted.", &Sample::blocks_accepted},
    {"thresher_direct_commits_total", "Slots committed directly.", &Sample::direct_commits},
    {"thresher_indirect_commits_total", "Slots committed by an anchor.", &Sample::indirect_commits},
    {"thresher_skipped_slots_total", "Slots skipped.", &Sample::skips},
    {"thresher_round_timeouts_total", "Rounds left by the timer.", &Sample::timeouts},
    {"thresher_refused_blocks_total", "Blocks refused: malformed, over a quota, far away.",
     &Sample::refused},
    {"thresher_equivocations_total", "Second blocks of one author in one round.",
     &Sample::equivocations},
    {"thresher_synced_commits_total", "Commits fetched from the log of peers.",
     &Sample::synced_commits},
    {"thresher_signatures_total", "Signatures verified.", &Sample::signatures},
    {"thresher_bad_signatures_total", "Signatures that were bad.", &Sample::bad_signatures},
    {"thresher_verify_batches_total", "Batches in which they were verified.",
     &Sample::verify_batches},
    {"thresher_certificate_calls_total", "Inputs that asked for verdicts on certificates.",
     &Sample::certificate_calls},
    {"thresher_accelerator_signatures_total", "Signatures verified by the accelerator.",
     &Sample::verified_wide},
    {"thresher_verify_retries_total", "Verified again, the accelerator gave no answer.",
     &Sample::verify_retries},
};
constexpr Figure kGauges[] = {
    {"thresher_round", "Round of the node's last block.", &Sample::round},
    {"thresher_committed_slot", "Last slot in the log.", &Sample::slot},
    {"thresher_frontier_round",
     "A round that a correct node has reached; of protocols with slots, a slot.",
     &Sample::frontier},
    {"thresher_behind_slots", "Slots that others have reached and this node has not decided.",
     &Sample::behind},
    {"thresher_pool_bytes", "Transactions that wait for a block.", &Sample::pool_bytes},
    {"thresher_signatures_waiting", "Signatures that wait for a verdict.", &Sample::verify_waiting},
    {"thresher_suspects", "Peers that sent bad signatures lately.", &Sample::verify_suspects},
    {"thresher_links_up", "Connections to other nodes that are up.", &Sample::links_up},
    {"thresher_log_begins", "First position of the log that is kept.", &Sample::log_begins},
    {"thresher_certified_slot", "Slot of the newest certificate.", &Sample::certified_slot},
    {"thresher_snapshot_slot", "Slot of the newest snapshot.", &Sample::snapshot_slot},
    {"thresher_snapshots_differ",
     "1: f+1 peers wrote other bytes for the same state, and nobody can take it over.",
     &Sample::snapshots_differ},
    {"thresher_state_parts", "Parts of the snapshot that is taken from peers.",
     &Sample::state_parts},
    {"thresher_state_parts_here", "Those of them that are here.", &Sample::state_parts_here},
};

/// A histogram, by the label `stage`.
struct StageFigure {
  const char* name;
  const char* help;
};
constexpr StageFigure kStages{"thresher_commit_stage_seconds",
                              "Where the time of own transactions goes: pool, order, apply."};
constexpr const char* kStageNames[] = {"pool", "order", "apply"};

// From a fast machine to a network around the world.
prometheus::Histogram::BucketBoundaries bounds() {
  return {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};
}

/// The same of each other node, by the label `peer`.
struct PeerFigure {
  const char* name;
  const char* help;
  std::uint64_t (*value)(const PeerStatus&);
};

constexpr PeerFigure kPeerCounters[] = {
    {"thresher_peer_links_total", "Links that came up.",
     [](const PeerStatus& p) { return p.links; }},
    {"thresher_peer_sent_bytes_total", "Bytes sent to it.",
     [](const PeerStatus& p) { return p.bytes_sent; }},
    {"thresher_peer_received_bytes_total", "Bytes received from it.",
     [](const PeerStatus& p) { return p.bytes_received; }},
    {"thresher_peer_log_bytes_total", "Bytes of the log that it fetched here.",
     [](const PeerStatus& p) { return p.log_bytes; }},
    {"thresher_peer_malformed_frames_total", "Frames of it that could not be decoded.",
     [](const PeerStatus& p) { return p.malformed; }},
    {"thresher_peer_refused_total", "Messages of it that were refused.",
     [](const PeerStatus& p) { return p.refused; }},
    {"thresher_peer_bad_signatures_total", "Bad signatures in what it sent.",
     [](const PeerStatus& p) { return p.bad_signatures; }},
    {"thresher_peer_false_answers_total", "False answers of it about the log.",
     [](const PeerStatus& p) { return p.false_answers; }},
};
constexpr PeerFigure kPeerGauges[] = {
    {"thresher_peer_up", "1 while the link to it is up.",
     [](const PeerStatus& p) { return std::uint64_t{p.up ? 1u : 0u}; }},
    {"thresher_peer_round", "Highest round in what it sent of its own.",
     [](const PeerStatus& p) { return p.round; }},
    {"thresher_peer_lag_rounds", "Rounds that it is behind the others.",
     [](const PeerStatus& p) { return p.lag; }},
    {"thresher_peer_suspicion", "0: none; 1: reason for a warning lately; 2: proved faulty.",
     [](const PeerStatus& p) { return std::uint64_t{p.suspicion}; }},
};

}  // namespace

struct Metrics::Impl {
  prometheus::Registry registry;
  std::vector<prometheus::Counter*> counters;
  std::vector<prometheus::Gauge*> gauges;
  std::vector<prometheus::Histogram*> stages;                    // by Stage
  std::vector<std::vector<prometheus::Counter*>> peer_counters;  // by figure, then by node
  std::vector<std::vector<prometheus::Gauge*>> peer_gauges;      // null for the node itself
  std::atomic<bool> runs{false};
  std::atomic<Clock::rep> updated{0};
  std::mutex mutex;
  std::string waits_for;
  std::unique_ptr<HttpPages> server;  // last: its thread uses what stands above

  bool alive() const {
    const Clock::duration age(Clock::now().time_since_epoch().count() - updated.load());
    return !runs || age < kAlive;
  }
  void wait_for(const std::string& what) {
    const std::lock_guard lock(mutex);
    waits_for = what;
  }
  HttpPages::Answer health() const {
    return alive() ? HttpPages::Answer{200, "ok\n"}
                   : HttpPages::Answer{503, "the node's thread does not run\n"};
  }
  HttpPages::Answer readiness() {
    if (!alive()) return health();
    const std::lock_guard lock(mutex);
    return waits_for.empty() ? HttpPages::Answer{200, "ok\n"}
                             : HttpPages::Answer{503, waits_for + "\n"};
  }
};

namespace {

template <class Metric, class Builder, class Figures>
std::vector<std::vector<Metric*>> by_peer(prometheus::Registry& registry, Builder (*build)(),
                                          const Figures& figures, std::size_t nodes, NodeId self) {
  std::vector<std::vector<Metric*>> out;
  for (const PeerFigure& f : figures) {
    auto& family = build().Name(f.name).Help(f.help).Register(registry);
    auto& of_figure = out.emplace_back(nodes, nullptr);
    for (std::size_t i = 0; i < nodes; ++i) {
      if (i != self.value) of_figure[i] = &family.Add({{"peer", std::to_string(i)}});
    }
  }
  return out;
}

}  // namespace

Metrics::Metrics(std::size_t nodes, NodeId self) : impl_(std::make_unique<Impl>()) {
  for (const Figure& f : kCounters) {
    auto& family = prometheus::BuildCounter().Name(f.name).Help(f.help).Register(impl_->registry);
    impl_->counters.push_back(&family.Add({}));
  }
  for (const Figure& f : kGauges) {
    auto& family = prometheus::BuildGauge().Name(f.name).Help(f.help).Register(impl_->registry);
    impl_->gauges.push_back(&family.Add({}));
  }
  auto& stages =
      prometheus::BuildHistogram().Name(kStages.name).Help(kStages.help).Register(impl_->registry);
  for (const char* stage : kStageNames) {
    impl_->stages.push_back(&stages.Add({{"stage", stage}}, bounds()));
  }
  impl_->peer_counters = by_peer<prometheus::Counter>(impl_->registry, &prometheus::BuildCounter,
                                                      kPeerCounters, nodes, self);
  impl_->peer_gauges = by_peer<prometheus::Gauge>(impl_->registry, &prometheus::BuildGauge,
                                                  kPeerGauges, nodes, self);
}
Metrics::~Metrics() = default;

Result<Unit, Error> Metrics::listen(const std::string& address) {
  const auto place = loopback_address(address);
  if (!place) {
    return Error{ErrorCode::kMalformed, "metrics address '" + address + "' is not on loopback",
                 address, "write it as 127.0.0.1:9464"};
  }
  Impl* const impl = impl_.get();
  impl->server = std::make_unique<HttpPages>(std::map<std::string, HttpPages::Page>{
      {"/metrics",
       [impl] {
         const prometheus::TextSerializer text;
         return HttpPages::Answer{200, text.Serialize(impl->registry.Collect()),
                                  "text/plain; version=0.0.4"};
       }},
      {"/healthz", [impl] { return impl->health(); }},
      {"/readyz", [impl] { return impl->readiness(); }}});
  const auto listens = impl->server->listen(place->host, place->port);
  if (listens) return listens;
  Error why = because("cannot listen on " + address + " for metrics", address, listens.error());
  if (listens.error().remedy.empty())
    why.remedy = "stop what uses the port or change metrics.listen";
  return why;
}

void Metrics::starting(const std::string& what) {
  impl_->wait_for(what + "; it has no links before that");
}

void Metrics::observe(Stage stage, std::uint64_t us) {
  impl_->stages[static_cast<std::size_t>(stage)]->Observe(static_cast<double>(us) / 1e6);
}

void Metrics::update(const Sample& sample) {
  for (std::size_t i = 0; i < impl_->counters.size(); ++i) {
    const auto now = static_cast<double>(sample.*kCounters[i].value);
    impl_->counters[i]->Increment(now - impl_->counters[i]->Value());
  }
  for (std::size_t i = 0; i < impl_->gauges.size(); ++i) {
    impl_->gauges[i]->Set(static_cast<double>(sample.*kGauges[i].value));
  }
  for (const PeerStatus& peer : sample.peers) {
    for (std::size_t f = 0; f < impl_->peer_counters.size(); ++f) {
      prometheus::Counter& counter = *impl_->peer_counters[f][peer.id.value];
      counter.Increment(static_cast<double>(kPeerCounters[f].value(peer)) - counter.Value());
    }
    for (std::size_t f = 0; f < impl_->peer_gauges.size(); ++f) {
      impl_->peer_gauges[f][peer.id.value]->Set(static_cast<double>(kPeerGauges[f].value(peer)));
    }
  }
  impl_->wait_for(sample.waits_for);
  impl_->updated = Clock::now().time_since_epoch().count();
  impl_->runs = true;
}

}  // namespace thresher::net
