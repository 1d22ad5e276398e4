#include "thresher/net/coin_stream.hpp"

#include <cstdio>
#include <filesystem>
#include <mutex>
#include <utility>

#include "channels/kept_seed.hpp"
#include "channels/member_links.hpp"
#include "channels/protocol_host.hpp"
#include "files/disk_problem.hpp"
#include "thresher/crypto/bivariate_sharing.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/net/disk_store.hpp"
#include "thresher/protocols/coin/committee_beacon.hpp"
#include "thresher/protocols/coin/setup_free_beacon.hpp"

namespace thresher::net {
namespace {

using crypto::BivariateSharing;

/// Tosses in which nodes differ are not more than one in so many, if the options do not say.
constexpr std::uint64_t kOneIn = std::uint64_t{1} << 20;

struct SetupFreeCodec {
  Committee committee;

  Frame frame_of(const SetupFree::Message& m) const {
    WireParts parts = encode(m, committee);
    return {kProtocol, std::move(parts.control), std::move(parts.payload)};
  }
  std::optional<SetupFree::Message> read(const Frame& frame) const {
    return decode_setup_free({frame.control, frame.payload}, committee);
  }
  static std::uint32_t stored(std::uint32_t table) { return table; }
  static std::uint32_t restored(std::uint32_t table) { return table; }
};

struct CommitteeCodec {
  std::shared_ptr<const coin::CommitteeLists> lists;

  Frame frame_of(const SetupFreeCommittees::Message& m) const {
    WireParts parts = thresher::encode(m, *lists);
    return {kProtocol, std::move(parts.control), std::move(parts.payload)};
  }
  std::optional<SetupFreeCommittees::Message> read(const Frame& frame) const {
    return decode_committee_coin({frame.control, frame.payload}, *lists);
  }
  static std::uint32_t stored(std::uint32_t table) { return table; }
  static std::uint32_t restored(std::uint32_t table) { return table; }
};

struct VrfCodec {
  static Frame frame_of(const coin::VrfMessage& m) {
    Writer w;
    coin::encode_vrf(m, w);
    return {kProtocol, Bytes::from(w.take()), {}};
  }
  static std::optional<coin::VrfMessage> read(const Frame& frame) {
    Reader in(frame.control.view());
    if (!frame.payload.empty()) return std::nullopt;
    return coin::decode_vrf(in);
  }
  static std::uint32_t stored(std::uint32_t table) { return table; }
  static std::uint32_t restored(std::uint32_t table) { return table; }
};

}  // namespace

struct CoinStream::Impl {
  using Ready = Result<Unit, Error>;

  CoinStreamOptions options;
  Deliver deliver;
  NodeId self;
  std::unique_ptr<DiskStore> store;
  MemberLinks links;
  // The one of the three that runs.
  std::unique_ptr<ProtocolHost<coin::SetupFreeBeacon, SetupFreeCodec>> setup_free;
  std::unique_ptr<ProtocolHost<coin::BasicBeacon<SetupFreeCommittees>, CommitteeCodec>> committees;
  std::unique_ptr<ProtocolHost<coin::BasicBeacon<coin::VrfCoin>, VrfCodec>> vrf;
  std::uint64_t malformed = 0;
  mutable std::mutex mutex;  // of the next one
  std::optional<Error> failed;

  ~Impl() { links.end(); }
  void log(const std::string& line) const {
    if (options.log) return options.log(line);
    (void)std::fprintf(stderr, "coin: %s\n", line.c_str());
  }
  void fail(const Error& why) {
    const std::lock_guard lock(mutex);
    failed = disk_failed(options.folder, why, "repair it and begin again");
  }

  Ready begin() {
    options.genesis.coin.reset();
    const auto n = static_cast<std::uint32_t>(options.genesis.nodes.size());
    const auto committee = Committee::make(n, options.genesis.f);
    if (!committee || n <= SetupFree::kNodesPerFault * options.genesis.f)
      return rejected(std::to_string(n) +
                      " nodes do not tolerate f=" + std::to_string(options.genesis.f));
    if (!options.folder.empty()) {
      std::error_code error;
      std::filesystem::create_directories(options.folder, error);
      auto opened =
          DiskStore::open_checked(options.folder + "/data", [this](const auto& w) { log(w); });
      if (!opened) return opened.error();
      store = std::move(*opened);
    }
    open_links();
    Ready ready = host(*committee);
    return ready ? links.start() : ready;
  }
  static Error rejected(std::string why) { return {ErrorCode::kRejected, std::move(why)}; }
  Ready restored(const Ready& read) const {
    return read ? read : because("'" + options.folder + "'", options.folder, read.error());
  }
  /// With another seed than before a node would give rows that do not fit what it committed to.
  Result<crypto::Secret<BivariateSharing::Seed>, Error> seed() const {
    if (options.folder.empty()) return crypto::Secret(crypto::SigningKey::generate().seed());
    bool began = false;
    const std::string data = options.folder + "/data";
    const auto read = store->replay([&](const Restored&) { began = true; });
    if (!read) return read_error("'" + data + "'", read.error(), data);
    return kept_seed(
        options.folder,
        {.purpose = "tosses " + options.coin,
         .other_purpose = "Give each coin a folder of its own",
         .lost = "Put the file of this folder back; without it this node stays away, as "
                 "one of the f that may, until all begin with empty folders",
         .may_lack_mark = true},
        began);
  }
  Ready host(const Committee& committee) {
    if (options.coin == "vrf-coin") return host_vrf(committee);
    if (options.coin == "setup-free-coin") return host_setup_free(committee);
    if (options.coin == "committee-coin") return host_committees(committee);
    return Error{ErrorCode::kMissing, "there is no coin '" + options.coin + "' to toss here",
                 options.coin, "there are setup-free-coin, committee-coin and vrf-coin"};
  }
  Ready host_setup_free(const Committee& committee) {
    if (committee.size() > Avid::kMostNodes)
      return rejected(std::to_string(committee.size()) +
                      " nodes are too many: fragments of commitments are numbered to " +
                      std::to_string(Avid::kMostNodes));
    if (options.sides == 0) return rejected("a coin has one side at least");
    const std::uint32_t rounds = rounds_among(committee.size());
    if (std::string problem = problem_of(rounds); !problem.empty())
      return rejected(std::move(problem));
    auto kept = seed();
    if (!kept) return kept.error();
    auto scheme = std::make_shared<BivariateSharing>(
        BivariateSharing::Setup{.chain = options.genesis.context(),
                                .committee = committee,
                                .self = self,
                                .seed = std::move(*kept)});
    setup_free = std::make_unique<ProtocolHost<coin::SetupFreeBeacon, SetupFreeCodec>>(
        coin::SetupFreeBeacon({.coin = {.committee = committee,
                                        .self = self,
                                        .scheme = std::move(scheme),
                                        .rounds = rounds,
                                        .sides = options.sides},
                               .pause = pause()}),
        SetupFreeCodec{committee}, host_links(committee, setup_free::side_in));
    return restored(setup_free->restore([] { return true; }));
  }
  std::uint32_t rounds_among(std::uint32_t nodes) const {
    return options.rounds != 0 ? options.rounds
                               : setup_free::rounds_for(nodes, options.sides, kOneIn);
  }
  static std::string problem_of(std::uint32_t rounds) {
    if (rounds <= setup_free::kMostRounds) return {};
    return std::to_string(rounds) + " rounds of weights are too many: at most " +
           std::to_string(setup_free::kMostRounds);
  }
  Ready host_committees(const Committee& committee) {
    const auto lists = std::make_shared<const coin::CommitteeLists>(
        coin::CommitteeLists::Setup{.n = committee.size(), .k = 3});
    if (!lists->bears(committee.faults()))
      return Error{ErrorCode::kRejected,
                   "committees of " + std::to_string(lists->size()) + " among " +
                       std::to_string(committee.size()) +
                       " nodes do not bear f=" + std::to_string(committee.faults()),
                   {},
                   "toss setup-free-coin"};
    const std::uint32_t rounds = rounds_among(lists->size());
    if (std::string problem = problem_of(rounds); !problem.empty())
      return rejected(std::move(problem));
    auto kept = seed();
    if (!kept) return kept.error();
    const auto make = [context = options.genesis.context(), rounds, seed = *kept](
                          std::uint32_t j, const Committee& among, NodeId place) {
      // Committees toss instances of the same numbers, and their secrets are others.
      Transcript t("thresher/committee-secrets/1", context);
      t.u32(j);
      return SetupFree({.committee = among,
                        .self = place,
                        .scheme = std::make_shared<BivariateSharing>(
                            BivariateSharing::Setup{.chain = {t.digest(), context.epoch},
                                                    .committee = among,
                                                    .self = place,
                                                    .seed = seed}),
                        .rounds = rounds});
    };
    committees =
        std::make_unique<ProtocolHost<coin::BasicBeacon<SetupFreeCommittees>, CommitteeCodec>>(
            coin::BasicBeacon<SetupFreeCommittees>(
                {.coin = {.committee = committee, .self = self, .lists = lists, .make = make},
                 .pause = pause()}),
            CommitteeCodec{lists}, host_links(committee, bit_in));
    return restored(committees->restore([] { return true; }));
  }
  static std::uint64_t bit_in(const Digest& value) { return coin::coin_bit(value) ? 1u : 0u; }
  Ready host_vrf(const Committee& committee) {
    if (options.vrf_keys.size() != committee.size() || !options.vrf_seed)
      return rejected("vrf-coin needs a key for each of the " + std::to_string(committee.size()) +
                      " nodes and this node's seed; " + std::to_string(options.vrf_keys.size()) +
                      " keys are given");
    if (crypto::vrf_public_key(**options.vrf_seed) != options.vrf_keys[self.value])
      return Error{ErrorCode::kMismatch,
                   "the seed is not that of node " + std::to_string(self.value) + "'s key",
                   "node " + std::to_string(self.value)};
    // Both draw nonces from one half of the seed's hash: a signature of what the lottery hashes
    // would give the key away.
    if (options.vrf_keys[self.value] == options.key.public_key())
      return Error{ErrorCode::kRejected,
                   "the key of the coin is also the one that this node signs with",
                   "node " + std::to_string(self.value), "make another one for the coin"};
    vrf = std::make_unique<ProtocolHost<coin::BasicBeacon<coin::VrfCoin>, VrfCodec>>(
        coin::BasicBeacon<coin::VrfCoin>(
            {.coin = {.committee = committee,
                      .self = self,
                      .scheme = std::make_shared<crypto::VrfLottery>(
                          options.genesis.context(), options.vrf_keys, options.vrf_seed)},
             .pause = pause()}),
        VrfCodec{}, host_links(committee, bit_in));
    return restored(vrf->restore([] { return true; }));
  }
  Delay pause() const {
    return Delay{options.pause_us * 1000 / std::max<std::uint64_t>(options.delta_us, 1)};
  }
  // A member with another coin, or with other numbers, never connects.
  void open_links() {
    Transcript t("thresher/coin-links/1", options.genesis.context());
    t.bytes(hash(as_view(options.coin)).bytes).u32(options.rounds).u64(options.sides);
    for (const PublicKey& key : options.vrf_keys) t.bytes(key);
    links.open(
        links_of(self, options.key, t.digest(), options.genesis.nodes,
                 "the peer tosses another coin, or runs something else; compare the genesis files "
                 "and the coin, rounds, sides and keys that each member's options name"),
        [this](NodeId from, const Frame& frame) {
          const bool good = vrf          ? vrf->receive(from, frame)
                            : committees ? committees->receive(from, frame)
                                         : setup_free->receive(from, frame);
          if (!good) ++malformed;
        },
        [this](const std::string& what) { log(what); });
  }
  template <class Side>
  HostLinks<coin::Tossed> host_links(const Committee& committee, Side side) {
    return {.committee = committee,
            .self = self,
            .delta_us = options.delta_us,
            .loop = &links.loop(),
            .store = store.get(),
            .send = [this](NodeId to, const Frame& frame) { (void)links.send(to, frame); },
            .deliver =
                [this, side](const coin::Tossed& t) {
                  if (deliver) deliver({t.instance, side(t.value)});
                },
            .fail = [this](const Error& why) { fail(why); }};
  }
};

CoinStream::CoinStream() : impl_(std::make_unique<Impl>()) {}
CoinStream::~CoinStream() = default;

Result<std::unique_ptr<CoinStream>, Error> CoinStream::begin(CoinStreamOptions options,
                                                             Deliver deliver) {
  const auto self = place_of(options.key.public_key(), options.genesis.nodes);
  if (!self)
    return Error{ErrorCode::kMismatch,
                 "the key belongs to no member of the genesis file",
                 {},
                 "check which belongs"};
  std::unique_ptr<CoinStream> out(new CoinStream);
  out->impl_->self = *self;
  out->impl_->options = std::move(options);
  out->impl_->deliver = std::move(deliver);
  if (const auto begun = out->impl_->begin(); !begun) return begun.error();
  return out;
}

CoinStreamStatus CoinStream::status() const {
  return impl_->links.on_loop([impl = impl_.get()] {
    const std::uint64_t refused = impl->vrf ? impl->vrf->protocol().coin().stats().refused
                                  : impl->committees
                                      ? impl->committees->protocol().coin().refused()
                                      : impl->setup_free->protocol().coin().refused();
    return CoinStreamStatus{.links = impl->links.transport().node_links(),
                            .bytes_sent = impl->links.transport().node_bytes_sent(),
                            .refused = impl->malformed + refused};
  });
}

std::optional<Error> CoinStream::problem() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->failed;
}

}  // namespace thresher::net
