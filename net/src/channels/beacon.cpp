#include "thresher/net/beacon.hpp"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <utility>

#include "channels/member_links.hpp"
#include "channels/protocol_host.hpp"
#include "channels/recent_values.hpp"
#include "channels/round_record.hpp"
#include "files/disk_problem.hpp"
#include "http/http_pages.hpp"
#include "http/loopback_address.hpp"
#include "thresher/core/hex.hpp"
#include "thresher/crypto/coin_file.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/protocols/coin/beacon.hpp"
#include "thresher/text/json.hpp"

namespace thresher::net {
namespace {

/// From here on a network would come to the end of the numbers: half of them are left.
constexpr std::uint64_t kLastFirst = std::uint64_t{1} << 63;
/// Values that /recent has.
constexpr std::size_t kRecent = 64;

struct Codec {
  static Frame frame_of(const coin::Share& share) {
    Writer w;
    coin::encode_share(share, w);
    return {kProtocol, Bytes::from(w.take()), {}};
  }
  static std::optional<coin::Share> read(const Frame& frame) {
    Reader in(frame.control.view());
    auto share = coin::decode_share(in);
    if (!in.done() || !frame.payload.empty()) return std::nullopt;
    return share;
  }
  static std::uint32_t stored(std::uint32_t table) { return table; }
  static std::uint32_t restored(std::uint32_t table) { return table; }
};

}  // namespace

struct Beacon::Impl {
  BeaconOptions options;
  Deliver deliver;
  NodeId self;
  crypto::CoinKeys keys;
  crypto::RistrettoPoint group{};
  MemberLinks links;
  std::unique_ptr<ProtocolHost<coin::Beacon, Codec>> host;
  std::unique_ptr<HttpPages> pages;
  RoundRecord record;
  std::uint64_t old_below = 0;      // earlier starts of this node published the rounds below
  std::vector<BeaconValue> made{};  // wait for the record
  mutable std::mutex mutex;         // of the next two
  RecentValues recent{kRecent};
  std::optional<Error> disk_failure;

  ~Impl() {
    pages.reset();
    links.end();
  }
  void log(const std::string& line) const {
    if (options.log) return options.log(line);
    (void)std::fprintf(stderr, "beacon: %s\n", line.c_str());
  }
  void take(const coin::Tossed& tossed) {
    if (tossed.instance < old_below) return;
    made.push_back(
        {tossed.instance, tossed.value, *crypto::make_beacon_proof(keys, tossed.shares)});
  }
  // On disk first: a round that is published again after a crash would pass for a new one.
  void publish() {
    BeaconRounds now = record.rounds();
    now.tossed = std::max(now.tossed, host->protocol().round() + 1);
    for (const BeaconValue& value : made) now.published = std::max(now.published, value.round + 1);
    if (now != record.rounds()) {
      const auto written = record.write(now);
      const std::lock_guard lock(mutex);
      if (!written && !disk_failure) disk_failure = written.error();
    }
    for (const BeaconValue& value : std::exchange(made, {})) show(value);
  }
  void show(const BeaconValue& value) {
    {
      const std::lock_guard lock(mutex);
      if (disk_failure) return;
      recent.add(value);
    }
    if (deliver) deliver(value);
  }

  Result<Unit, Error> begin() {
    const auto& genesis = options.genesis;
    const auto committee =
        Committee::make(static_cast<std::uint32_t>(genesis.nodes.size()), genesis.f);
    if (!committee)
      return Error{ErrorCode::kRejected, "the genesis file's nodes do not tolerate its f"};
    if (!genesis.coin || !crypto::coin_keys_agree(*genesis.coin))
      return Error{ErrorCode::kMissing,
                   "the genesis file holds no coin keys that belong together",
                   {},
                   "make them with thresher dkg at every node"};
    keys = *genesis.coin;
    group = crypto::group_key(keys).value();
    const auto share = crypto::load_coin_share(options.coin);
    if (!share) return share.error();
    if (crypto::ristretto_base(**share) != keys.nodes[self.value])
      return Error{ErrorCode::kMismatch,
                   "the coin share '" + options.coin + "' is not that of node " +
                       std::to_string(self.value) + " of this genesis file",
                   options.coin};
    if (auto opened = record.open(round_record_path(options.coin, group), group); !opened)
      return opened;
    if (auto learnt = learn_first(); !learnt) return learnt;
    old_below = record.rounds().published;
    open_links();
    const coin::BeaconConfig config{
        .coin = {.committee = *committee,
                 .self = self,
                 .scheme = std::make_shared<crypto::ThresholdCoin>(crypto::beacon_context(group),
                                                                   keys, self, *share,
                                                                   crypto::ValuesOf::kGroupKey)},
        .pause = Delay{options.pause_us * 1000 / std::max<std::uint64_t>(options.delta_us, 1)},
        .first = options.first,
        .tossed = record.rounds().tossed};
    host = std::make_unique<ProtocolHost<coin::Beacon, Codec>>(coin::Beacon(config), Codec{},
                                                               host_links(*committee));
    (void)host->restore([] { return true; });
    if (auto served = serve(); !served) return served;
    return links.start();
  }
  // A new member of a committee that keeps its key does not know which values were told already.
  Result<Unit, Error> learn_first() {
    if (record.rounds().published != kOthersKnow) return Unit{};
    if (options.first == 0)
      return Error{ErrorCode::kMissing,
                   "the key is older than this committee, and this node has no record of its "
                   "values: say with --first with which round the beacon goes on, as thresher dkg "
                   "printed at the members that stayed; 1 where no beacon ran before"};
    return record.write({.published = options.first, .tossed = options.first});
  }
  // Links of their own: nodes of a ledger with the same keys do not connect to these.
  void open_links() {
    Transcript t("thresher/beacon-links/1", options.genesis.context());
    links.open(
        links_of(self, options.key, t.digest(), options.genesis.nodes,
                 "the peer runs something else than the beacon of this genesis: its ledger's node, "
                 "or a beacon with another genesis; compare the genesis files and what runs there"),
        [this](NodeId from, const Frame& frame) { (void)host->receive(from, frame); },
        [this](const std::string& what) { log(what); });
  }
  HostLinks<coin::Tossed> host_links(const Committee& committee) {
    return {.committee = committee,
            .self = self,
            .delta_us = options.delta_us,
            .loop = &links.loop(),
            .send = [this](NodeId to, const Frame& frame) { (void)links.send(to, frame); },
            .deliver = [this](const coin::Tossed& tossed) { take(tossed); },
            .stepped = [this] { publish(); },
            .fail = [](const Error&) {}};
  }
  Result<Unit, Error> serve() {
    if (options.listen.empty()) return Unit{};
    const auto where = loopback_address(options.listen);
    if (!where)
      return Error{ErrorCode::kMalformed,
                   "cannot listen on '" + options.listen +
                       "': give an address of this machine alone, like 127.0.0.1:9465",
                   options.listen};
    pages = std::make_unique<HttpPages>(std::map<std::string, HttpPages::Page>{
        {"/latest", [this] { return page(1, "application/json"); }},
        {"/recent", [this] { return page(kRecent, "application/x-ndjson"); }},
        {"/group", [this] {
           return HttpPages::Answer{200, to_hex(group) + "\n"};
         }}});
    auto listens = pages->listen(where->host, where->port);
    if (listens) return listens;
    return because("cannot listen on '" + options.listen + "'", options.listen, listens.error());
  }
  /// The highest rounds, the highest last, one a line.
  HttpPages::Answer page(std::size_t most, const char* type) {
    const std::lock_guard lock(mutex);
    if (recent.empty()) return {503, "no value yet: fewer than n-f nodes are connected\n"};
    return {200, recent.lines(most), type};
  }
};

Beacon::Beacon() : impl_(std::make_unique<Impl>()) {}
Beacon::~Beacon() = default;

Result<std::unique_ptr<Beacon>, Error> Beacon::begin(BeaconOptions options, Deliver deliver) {
  const auto self = place_of(options.key.public_key(), options.genesis.nodes);
  if (!self)
    return Error{ErrorCode::kMismatch,
                 "the key belongs to no member of the genesis file",
                 {},
                 "check which belongs"};
  if (options.first > kLastFirst)
    return Error{ErrorCode::kRejected,
                 "--first " + std::to_string(options.first) +
                     " leaves too few rounds behind it: give " + std::to_string(kLastFirst) +
                     " (2^63) at most, a little above the last round that was published"};
  std::unique_ptr<Beacon> out(new Beacon);
  out->impl_->self = *self;
  out->impl_->options = std::move(options);
  out->impl_->deliver = std::move(deliver);
  if (const auto begun = out->impl_->begin(); !begun) return begun.error();
  return out;
}

const crypto::RistrettoPoint& Beacon::group() const {
  return impl_->group;
}

std::optional<Error> Beacon::problem() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->disk_failure;
}

std::string json_of(const BeaconValue& v) {
  text::Value out;
  out.set("round", v.round)
      .set("value", to_hex(v.value.bytes))
      .set("proof", to_hex(v.proof.view()));
  return text::write(out);
}

}  // namespace thresher::net
