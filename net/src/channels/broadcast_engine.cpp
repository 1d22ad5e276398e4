#include "channels/broadcast_engine.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "channels/protocol_host.hpp"
#include "store/store_archive.hpp"
#include "thresher/core/names.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/protocols/broadcast/by_name.hpp"

namespace thresher::net {
namespace {

constexpr std::size_t kMostPayload = 64u << 20;

template <broadcast::Broadcast B>
struct Codec {
  using Message = typename B::Message;
  Committee committee;

  static Frame frame_of(const Message& m) {
    WireParts parts = thresher::encode(m);
    return {kProtocol, std::move(parts.control), std::move(parts.payload)};
  }
  std::optional<Message> read(const Frame& frame) const {
    return broadcast::decode(std::type_identity<Message>{}, {frame.control, frame.payload},
                             committee);
  }
  static std::uint32_t stored(std::uint32_t table) { return table; }
  static std::uint32_t restored(std::uint32_t table) { return table; }
};

template <broadcast::Broadcast B>
class EngineOf final : public BroadcastEngine {
 public:
  EngineOf(typename B::Config config, const broadcast::ChannelOptions& options, BroadcastHost host)
      : missed_(host.missed),
        archive_(archive_of(host.store)),
        host_(B(with_archive(config)), Codec<B>{config.committee},
              links(config, options, std::move(host))) {}

  Result<Unit, Error> restore() override {
    return host_.restore([this] { return !archive_ || archive_->mend(); });
  }
  void receive(NodeId from, const Frame& frame) override {
    if (!host_.receive(from, frame)) ++malformed_;
  }
  bool send(Bytes payload) override {
    host_.drain();
    const std::uint64_t before = host_.protocol().refused();
    host_.request({std::move(payload)});
    const bool taken = host_.protocol().refused() == before;
    host_.drain();
    return taken;
  }
  std::uint64_t refused() const override { return malformed_ + host_.protocol().refused(); }
  std::uint64_t skipped() const override { return host_.protocol().skipped(); }
  std::size_t open() const override { return host_.protocol().open(); }

 private:
  static constexpr bool kArchives = requires(typename B::Config c) { c.archive; };

  // Where records lie on disk, those that the protocol erases can be read again.
  static std::optional<StoreArchive> archive_of(NodeStore* store) {
    if constexpr (kArchives) {
      if (store != nullptr) return std::optional<StoreArchive>(std::in_place, *store, B::kArchived);
    }
    return std::nullopt;
  }
  typename B::Config with_archive(typename B::Config config) {
    if constexpr (kArchives) {
      if (archive_) config.archive = &*archive_;
    }
    return config;
  }
  HostLinks<broadcast::Delivery> links(const typename B::Config& config,
                                       const broadcast::ChannelOptions& options,
                                       BroadcastHost host) {
    HostLinks<broadcast::Delivery> out{.committee = config.committee,
                                       .self = config.self,
                                       .delta_us = options.delta_us,
                                       .loop = host.loop,
                                       .store = host.store,
                                       .verifier = host.verifier,
                                       .key = options.key,
                                       .send = std::move(host.send),
                                       .deliver = std::move(host.deliver),
                                       .fail = std::move(host.fail)};
    for (const PeerAddress& member : options.members) out.keys.push_back(member.key);
    if (archive_) out.note = [this](std::vector<Persist>& records) { archive_->note(records); };
    out.stepped = [this] { tell_missed(); };
    return out;
  }
  void tell_missed() {
    const std::uint64_t before = std::exchange(told_, skipped());
    if (told_ != before) missed_(told_ - before);
  }

  std::function<void(std::uint64_t)> missed_;
  std::optional<StoreArchive> archive_;
  std::uint64_t malformed_ = 0;
  std::uint64_t told_ = 0;  // payloads that were skipped
  ProtocolHost<B, Codec<B>> host_;
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

// Members that share a key or an address would speak, or be spoken to, in each other's place.
std::string members_problem(const std::vector<PeerAddress>& members) {
  std::map<PublicKey, std::size_t> keys;
  std::map<std::pair<std::string, std::uint16_t>, std::size_t> addresses;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const PeerAddress& m = members[i];
    const auto [key, new_key] = keys.emplace(m.key, i);
    if (!new_key)
      return "members " + std::to_string(key->second) + " and " + std::to_string(i) +
             " have the same key; give every member a key of its own";
    const auto [address, new_address] = addresses.emplace(std::pair(m.host, m.port), i);
    if (!new_address)
      return "members " + std::to_string(address->second) + " and " + std::to_string(i) +
             " have the same address, " + m.host + ":" + std::to_string(m.port) +
             "; give every member one of its own";
  }
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
                std::to_string(n) + "; without that limit: " + name_list(broadcast::names(n));
    } else if (o.f > (n - 1) / B::kNodesPerFault) {
      problem = name + " bears f = " + std::to_string(o.f) + " liars only with at least " +
                std::to_string(B::kNodesPerFault * o.f + 1) + " members; there are " +
                std::to_string(n);
    }
  });
  if (!known) return unknown_name("broadcast", o.protocol, broadcast::names());
  if (problem.empty()) problem = members_problem(o.members);
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
