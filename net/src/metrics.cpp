#include "metrics.hpp"

#include <CivetServer.h>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <vector>

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
    {"thresher_frontier_round", "A round that a correct node has reached.", &Sample::frontier},
    {"thresher_pool_bytes", "Transactions that wait for a block.", &Sample::pool_bytes},
    {"thresher_signatures_waiting", "Signatures that wait for a verdict.", &Sample::verify_waiting},
    {"thresher_suspects", "Peers that sent bad signatures lately.", &Sample::verify_suspects},
    {"thresher_links_up", "Connections to other nodes that are up.", &Sample::links_up},
};

class Page final : public CivetHandler {
 public:
  explicit Page(std::function<std::pair<int, std::string>()> content)
      : content_(std::move(content)) {}
  bool handleGet(CivetServer*, mg_connection* connection) override {
    const auto [status, text] = content_();
    mg_printf(connection,
              "HTTP/1.1 %d %s\r\nContent-Type: text/plain; version=0.0.4\r\n"
              "Content-Length: %zu\r\nConnection: close\r\n\r\n",
              status, status == 200 ? "OK" : "Service Unavailable", text.size());
    mg_write(connection, text.data(), text.size());
    return true;
  }

 private:
  std::function<std::pair<int, std::string>()> content_;
};

}  // namespace

struct Metrics::Impl {
  prometheus::Registry registry;
  std::vector<prometheus::Counter*> counters;
  std::vector<prometheus::Gauge*> gauges;
  std::atomic<Clock::rep> updated{Clock::now().time_since_epoch().count()};
  std::atomic<bool> ready{false};
  Page metrics{[this] {
    return std::pair(200, prometheus::TextSerializer().Serialize(registry.Collect()));
  }};
  Page health{[this] { return alive() ? ok() : bad("the node's thread does not run"); }};
  Page readiness{[this] {
    return alive() && ready ? ok() : bad("behind the others, or without enough links");
  }};
  std::unique_ptr<CivetServer> server;  // last: its threads use what stands above

  bool alive() const {
    const Clock::duration age(Clock::now().time_since_epoch().count() - updated.load());
    return age < kAlive;
  }
  static std::pair<int, std::string> ok() { return {200, "ok\n"}; }
  static std::pair<int, std::string> bad(const char* why) { return {503, std::string(why) + "\n"}; }
};

Metrics::Metrics() : impl_(std::make_unique<Impl>()) {
  for (const Figure& f : kCounters) {
    auto& family = prometheus::BuildCounter().Name(f.name).Help(f.help).Register(impl_->registry);
    impl_->counters.push_back(&family.Add({}));
  }
  for (const Figure& f : kGauges) {
    auto& family = prometheus::BuildGauge().Name(f.name).Help(f.help).Register(impl_->registry);
    impl_->gauges.push_back(&family.Add({}));
  }
}
Metrics::~Metrics() = default;

std::string Metrics::listen(const std::string& address) {
  // The server takes lists and suffixes: one plain address only, or another could hide behind it.
  const std::size_t colon = address.rfind(':');
  const std::string host = address.substr(0, colon);
  const bool loopback =
      host.rfind("127.", 0) == 0 && host.find_first_not_of("0123456789.") == host.npos;
  const bool port = colon != address.npos && colon + 1 < address.size() &&
                    address.find_first_not_of("0123456789", colon + 1) == address.npos;
  if (!loopback || !port) {
    return "metrics address '" + address + "' is not on loopback; write it as 127.0.0.1:9464";
  }
  try {
    impl_->server = std::make_unique<CivetServer>(
        std::vector<std::string>{"listening_ports", address, "num_threads", "2"});
  } catch (const CivetException&) {
    return "cannot listen on " + address +
           " for metrics: the port is in use or not allowed; stop what uses it or change "
           "metrics.listen";
  }
  impl_->server->addHandler("/metrics", impl_->metrics);
  impl_->server->addHandler("/healthz", impl_->health);
  impl_->server->addHandler("/readyz", impl_->readiness);
  return {};
}

void Metrics::update(const Sample& sample) {
  for (std::size_t i = 0; i < impl_->counters.size(); ++i) {
    const auto now = static_cast<double>(sample.*kCounters[i].value);
    impl_->counters[i]->Increment(now - impl_->counters[i]->Value());
  }
  for (std::size_t i = 0; i < impl_->gauges.size(); ++i) {
    impl_->gauges[i]->Set(static_cast<double>(sample.*kGauges[i].value));
  }
  impl_->ready = sample.ready;
  impl_->updated = Clock::now().time_since_epoch().count();
}

}  // namespace thresher::net
