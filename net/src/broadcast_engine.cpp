#include "broadcast_engine.hpp"

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "store_archive.hpp"
#include "thresher/core/executor.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/protocols/broadcast/by_name.hpp"

namespace thresher::net {
namespace {

constexpr std::size_t kMostPayload = 64u << 20;

template <broadcast::Broadcast B>
class EngineOf final : public BroadcastEngine {
 public:
  using Message = typename B::Message;
  using Input = InputOf<B>;

  EngineOf(typename B::Config config, const broadcast::ChannelOptions& options, BroadcastHost host)
      : committee_(config.committee),
        self_(config.self),
        key_(options.key),
        delta_us_(options.delta_us),
        host_(std::move(host)),
        executor_(B(with_archive(std::move(config))), *this) {
    for (const PeerAddress& member : options.members) keys_.push_back(member.key);
  }

  std::string restore() override {
    std::string problem;
    if (host_.store != nullptr) {
      const auto read = host_.store->replay([&](const Restored& record) {
        Restored whole = record;
        const auto place = host_.store->locate(record.table, record.key.view());
        auto body = place ? host_.store->read_body(*place) : Result<Bytes>(Bytes{});
        if (!body) problem = "a record's payload cannot be read back";
        if (body) whole.body = std::move(*body);
        inputs_.push_back(std::move(whole));
      });
      if (archive_ && !archive_->mend()) problem = "its archive cannot be written";
      if (!read) problem = "its records cannot be read: " + host_.store->problem();
    }
    if (!problem.empty()) return problem;
    inputs_.push_back(Start{});
    drain();
    return {};
  }
  void receive(NodeId from, const Frame& frame) override {
    auto message = broadcast::decode(std::type_identity<Message>{}, {frame.control, frame.payload},
                                     committee_);
    if (!message) {
      ++malformed_;
      return;
    }
    inputs_.push_back(Received<Message>{from, std::move(*message)});
    // What came with it in one read is handled with it, for one write of the disk.
    if (!std::exchange(scheduled_, true)) host_.loop->post([this] { drain(); });
  }
  bool send(Bytes payload) override {
    drain();
    const std::uint64_t before = executor_.protocol().refused();
    step_all({Requested<broadcast::Submit>{{std::move(payload)}}});
    const bool taken = executor_.protocol().refused() == before;
    drain();
    return taken;
  }
  std::uint64_t refused() const override { return malformed_ + executor_.protocol().refused(); }
  std::uint64_t skipped() const override { return executor_.protocol().skipped(); }
  std::size_t open() const override { return executor_.protocol().open(); }

  // What the executor asks for.
  void send(NodeId to, Message m) { host_.send(to, frame_of(m)); }
  void broadcast(const Message& m) {
    const Frame frame = frame_of(m);
    for (std::uint16_t k = 0; k < committee_.size(); ++k) {
      if (NodeId{k} != self_) host_.send(NodeId{k}, frame);
    }
  }
  void deliver(broadcast::Delivery d) { host_.deliver(std::move(d)); }
  void arm(TimerId id, Delay after) {
    cancel(id);
    timers_[id] = host_.loop->call_after(after.value * delta_us_ / 1000, [this, id] {
      timers_.erase(id);
      inputs_.push_back(Expired{id});
      drain();
    });
  }
  void cancel(TimerId id) {
    const auto at = timers_.find(id);
    if (at == timers_.end()) return;
    host_.loop->cancel(at->second);
    timers_.erase(at);
  }
  void persist(std::vector<Persist> records, std::uint64_t barrier) {
    if (archive_) archive_->note(records);
    if (host_.store != nullptr && !failed_ && !host_.store->write(records, barrier != 0)) {
      failed_ = true;
      host_.fail(host_.store->problem());
    }
    durable_ = std::max(durable_, barrier);
  }
  void verify(const Verify& v) {
    checks_.push_back({v.ticket, jobs_.size(), 1});
    add_job(v.signer, v.digest, v.signature);
  }
  void verify(const VerifyAll& v) {
    checks_.push_back({v.ticket, jobs_.size(), v.list->signatures.size()});
    v.list->for_each([&](NodeId signer, const Signature& s) { add_job(signer, v.digest, s); });
  }
  void endorse(const Endorse& e) {
    inputs_.push_back(Endorsed{e.ticket, key_.sign(e.digest.bytes)});
  }
  void reveal(const RevealCoin&) {}
  void accuse(const Accuse&) {}

 private:
  /// One verdict for jobs [first, first + count).
  struct Check {
    Ticket ticket;
    std::size_t first = 0;
    std::size_t count = 0;
  };

  // What the protocol erases can be read again where records lie on disk.
  typename B::Config with_archive(typename B::Config config) {
    if constexpr (requires { config.archive; }) {
      if (host_.store != nullptr) archive_.emplace(*host_.store, B::kArchived);
      if (archive_) config.archive = &*archive_;
    }
    return config;
  }
  static Frame frame_of(const Message& m) {
    WireParts parts = thresher::encode(m);
    return {kProtocol, std::move(parts.control), std::move(parts.payload)};
  }
  void add_job(NodeId signer, const Digest& digest, const Signature& signature) {
    digests_.push_back(Bytes::copy_of(digest.bytes));
    jobs_.push_back({keys_[signer.value], digests_.back().view(), signature});
  }
  void step_all(const std::vector<Input>& inputs) {
    if (failed_) return;
    executor_.run(inputs);
    if (!failed_) executor_.persisted(durable_);
  }
  void drain() {
    scheduled_ = false;
    const std::uint64_t before = skipped();
    while (!failed_ && (!inputs_.empty() || !checks_.empty())) {
      answer_checks();
      step_all(std::exchange(inputs_, {}));
    }
    if (skipped() != before) host_.missed(skipped() - before);
  }
  void answer_checks() {
    if (checks_.empty()) return;
    std::vector<crypto::Verdict> verdicts(jobs_.size());
    host_.verifier->verify(jobs_, verdicts);
    for (const Check& c : checks_) {
      bool ok = c.count > 0;
      for (std::size_t k = c.first; k < c.first + c.count; ++k)
        ok = ok && verdicts[k] == crypto::Verdict::kValid;
      inputs_.push_back(Verified{c.ticket, ok});
    }
    checks_.clear();
    jobs_.clear();
    digests_.clear();
  }

  Committee committee_;
  NodeId self_;
  crypto::SigningKey key_;
  std::uint64_t delta_us_;
  BroadcastHost host_;
  std::optional<StoreArchive> archive_;
  std::vector<PublicKey> keys_;
  std::vector<Input> inputs_;
  std::vector<Check> checks_;
  std::vector<crypto::SignatureJob> jobs_;
  std::vector<Bytes> digests_;  // that jobs_ point into
  std::map<TimerId, std::uint64_t> timers_;
  std::uint64_t durable_ = 0;
  std::uint64_t malformed_ = 0;
  bool scheduled_ = false;
  bool failed_ = false;
  Executor<B, EngineOf> executor_;
};

std::string size_problem(const broadcast::ChannelOptions& o) {
  if (o.payload_bytes == 0 || o.payload_bytes > kMostPayload)
    return "payload_bytes is " + std::to_string(o.payload_bytes) + "; it must be 1 to " +
           std::to_string(kMostPayload);
  if (o.origin_bytes / 2 < o.payload_bytes)
    return "origin_bytes is " + std::to_string(o.origin_bytes) +
           "; it must hold two payloads of payload_bytes, so at least " +
           std::to_string(2 * o.payload_bytes);
  if (o.window == 0 || o.window > 4096)
    return "window is " + std::to_string(o.window) + "; it must be 1 to 4096";
  if (o.delta_us == 0) return "delta_us is 0; give what a message takes at most, like 20000";
  return {};
}

// In ticks of the protocol's own timer; any number of them is right.
std::uint32_t patience_ticks(const broadcast::ChannelOptions& o) {
  const std::uint64_t tick_us = broadcast::kRepeat.value * o.delta_us / 1000;
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(o.patience_us / std::max<std::uint64_t>(tick_us, 1), 1u << 20));
}

}  // namespace

std::string broadcast_problem(const broadcast::ChannelOptions& o) {
  const auto n = static_cast<std::uint32_t>(o.members.size());
  if (n == 0 || n > Committee::kMaxSize)
    return "there are " + std::to_string(n) + " members; there must be 1 to " +
           std::to_string(Committee::kMaxSize);
  std::string problem;
  const bool known = broadcast::with(o.protocol, [&](auto type) {
    using B = typename decltype(type)::type;
    const std::string name(B::kName);
    if (n > B::kMostNodes) {
      problem = name + " has at most " + std::to_string(B::kMostNodes) + " members, not " +
                std::to_string(n) + "; bracha and chained-echo have no such limit";
    } else if (o.f > (n - 1) / B::kNodesPerFault) {
      problem = name + " bears f = " + std::to_string(o.f) + " liars only with at least " +
                std::to_string(B::kNodesPerFault * o.f + 1) + " members; there are " +
                std::to_string(n);
    }
  });
  if (!known) return "no broadcast is called '" + o.protocol + "'; there is: " + broadcast::names();
  return problem.empty() ? size_problem(o) : problem;
}

std::uint32_t broadcast_faults(const broadcast::ChannelOptions& o) {
  std::uint32_t f = o.f;
  broadcast::with(o.protocol, [&](auto type) {
    using B = typename decltype(type)::type;
    if (f == 0) f = static_cast<std::uint32_t>(o.members.size() - 1) / B::kNodesPerFault;
  });
  return f;
}

std::unique_ptr<BroadcastEngine> make_engine(const broadcast::ChannelOptions& o,
                                             const ChainContext& chain, const Committee& committee,
                                             NodeId self, BroadcastHost host) {
  std::unique_ptr<BroadcastEngine> out;
  broadcast::with(o.protocol, [&](auto type) {
    using B = typename decltype(type)::type;
    typename B::Config config;
    config.committee = committee;
    config.self = self;
    config.window = o.window;
    config.payload_bytes = o.payload_bytes;
    config.origin_bytes = o.origin_bytes;
    if constexpr (requires { config.chain; }) config.chain = chain;
    if constexpr (requires { config.speakers; }) config.speakers = o.speakers;
    if constexpr (requires { config.patience_ticks; }) config.patience_ticks = patience_ticks(o);
    out = std::make_unique<EngineOf<B>>(config, o, std::move(host));
  });
  return out;
}

}  // namespace thresher::net
