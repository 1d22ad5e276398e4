#include "thresher/net/key_generation.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <thread>
#include <utility>

#include "channels/kept_seed.hpp"
#include "channels/member_links.hpp"
#include "channels/protocol_host.hpp"
#include "files/disk_problem.hpp"
#include "files/without_node.hpp"
#include "thresher/core/hex.hpp"
#include "thresher/crypto/beacon_proof.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/net/coin.hpp"
#include "thresher/net/disk_store.hpp"
#include "thresher/protocols/agreement/bca_agreement.hpp"
#include "thresher/protocols/coin/dkg.hpp"
#include "thresher/protocols/coin/dkg_wire.hpp"
#include "thresher/protocols/coin/ideal_coin.hpp"

namespace thresher::net {
namespace {

using Protocol = Dkg<Avid, CoreSet<BcaAgreement>>;
using Seed = crypto::Secret<crypto::DealtKey::Seed>;

struct Codec {
  Committee committee;

  static Frame frame_of(const Protocol::Message& m) {
    WireParts parts = dkg::encode_message(m);
    return {kProtocol, std::move(parts.control), std::move(parts.payload)};
  }
  std::optional<Protocol::Message> read(const Frame& frame) const {
    return dkg::decode_message<Protocol::Message>({frame.control, frame.payload}, committee);
  }
  // The votes' records stand behind the broadcast's: a store hands back tables below kHostTables.
  static constexpr std::uint32_t kVotes = 8;
  static std::uint32_t stored(std::uint32_t table) {
    return agreement::keeps(table) ? table - agreement::kRounds + kVotes : table;
  }
  static std::uint32_t restored(std::uint32_t table) {
    return table >= kVotes ? table - kVotes + agreement::kRounds : table;
  }
};

constexpr const char* kNewKey = "makes a new key";

/// What a run is for, in words.
std::string purpose_of(const KeyGenerationOptions& o) {
  if (!o.reshares) return kNewKey;
  const auto group = crypto::group_key(o.reshares->keys);
  return "keeps the key " + (group ? to_hex(*group) : std::string("of another coin"));
}

/// Another seed would deal other shares than this node said it dealt, and so would the same one for
/// another purpose.
SeedUse seed_use(const KeyGenerationOptions& o) {
  const std::string again =
      "if no other node has a key yet, remove '" + o.folder + "' and begin again";
  return {.purpose = purpose_of(o),
          .without_purpose = kNewKey,
          .other_purpose = "Run thresher dkg with the options of before",
          .if_none = again,
          .lost = "Put the file of this folder back; " + again};
}

}  // namespace

struct KeyGeneration::Impl {
  KeyGenerationOptions options;
  NodeId self;
  std::unique_ptr<DiskStore> store;
  std::shared_ptr<const crypto::DkgScheme> scheme;
  MemberLinks links;
  std::unique_ptr<ProtocolHost<Protocol, Codec>> host;
  std::uint64_t malformed = 0;
  mutable std::mutex mutex;  // of the next two
  std::condition_variable changed;
  std::optional<crypto::GeneratedKey> made;
  std::optional<Error> failed;

  ~Impl() { links.end(); }
  void log(const std::string& line) const {
    if (options.log) return options.log(line);
    (void)std::fprintf(stderr, "dkg: %s\n", line.c_str());
  }
  void fail(const Error& why) {
    {
      const std::lock_guard lock(mutex);
      failed = disk_failed(options.folder, why, "repair it and begin again");
    }
    changed.notify_all();
  }
  void deliver(crypto::GeneratedKey key) {
    {
      const std::lock_guard lock(mutex);
      made = std::move(key);
    }
    changed.notify_all();
  }

  Result<Unit, Error> begin() {
    options.genesis.coin.reset();
    const auto n = static_cast<std::uint32_t>(options.genesis.nodes.size());
    const auto committee = Committee::make(n, options.genesis.f);
    const auto rejected = [&](const std::string& why) {
      return Error{ErrorCode::kRejected, std::to_string(n) + " nodes " + why};
    };
    if (!committee) return rejected("do not tolerate f=" + std::to_string(options.genesis.f));
    if (n > Avid::kMostNodes)
      return rejected("are too many: fragments of dealings are numbered to " +
                      std::to_string(Avid::kMostNodes));
    // The store is locked, so it comes first: another process may be making the seed now.
    if (!options.folder.empty()) {
      std::error_code error;
      std::filesystem::create_directories(options.folder, error);
      auto opened = DiskStore::open(options.folder + "/data", [this](const auto& w) { log(w); });
      if (!opened)
        return Error{opened.error().code,
                     without_node_advice(opened.error().text()) +
                         ". If no node has begun to use the coin, remove '" + options.folder +
                         "' and coin.key at every node and run thresher dkg anew; else " +
                         "this node stays without a share, as one of the f that may",
                     opened.error().where};
      store = std::move(*opened);
    }
    auto made_scheme = make_scheme(*committee);
    if (!made_scheme) return made_scheme.error();
    scheme = std::move(*made_scheme);
    open_links();
    host = std::make_unique<ProtocolHost<Protocol, Codec>>(
        Protocol(
            {.committee = *committee,
             .self = self,
             .scheme = scheme,
             .coin = std::make_shared<coin::IdealCoin>(committee->at_least(kValidity), self,
                                                       options.genesis.context().chain.prefix()),
             .has_key = options.has_key}),
        Codec{*committee}, host_links(*committee));
    if (const auto restored = host->restore([] { return true; }); !restored)
      return because("'" + options.folder + "'", options.folder, restored.error());
    return links.start();
  }
  Result<std::shared_ptr<const crypto::DkgScheme>, Error> make_scheme(const Committee& committee) {
    crypto::DkgSetup setup{.chain = options.genesis.context(), .committee = committee};
    setup.threshold = options.threshold != 0 ? options.threshold : committee.at_least(kCoinShares);
    setup.reshares = options.reshares;
    std::vector<PublicKey> identities;
    for (const PeerAddress& node : options.genesis.nodes) identities.push_back(node.key);
    auto keys = crypto::dkg_keys_of(identities);
    if (!keys)
      return Error{ErrorCode::kMalformed,
                   "a node's key in the genesis file is no point of the curve",
                   {},
                   "check the file"};
    setup.keys = std::move(*keys);
    if (const auto good = setup.check(); !good) return good.error();
    Seed seed;
    if (!options.folder.empty()) {
      bool began = false;
      const auto read = store->replay([&](const Restored&) { began = true; });
      const std::string data = options.folder + "/data";
      if (!read) return read_error("'" + data + "'", read.error(), data);
      auto kept = kept_seed(options.folder, seed_use(options), began);
      if (!kept) return kept.error();
      seed = std::move(*kept);
    } else {
      *seed = crypto::SigningKey::generate().seed();
    }
    return std::shared_ptr<const crypto::DkgScheme>(std::make_shared<crypto::DealtKey>(
        std::move(setup), self, crypto::dkg_secret_of(options.key), std::move(seed),
        options.old_share));
  }
  // For a key that is kept: nodes that were members before and whose dealings did not come.
  std::string missing_shares() const {
    if (!options.reshares) return {};
    std::uint32_t came = 0;
    std::string without;
    for (std::uint32_t i = 0; i < options.genesis.nodes.size(); ++i) {
      const NodeId node{static_cast<std::uint16_t>(i)};
      if (!scheme->deals(node)) continue;
      const bool dealt = host->protocol().ledger().has_dealing(node);
      if (dealt) ++came;
      if (!dealt) without += (without.empty() ? "" : ", ") + std::to_string(i);
    }
    const std::uint32_t needed = scheme->enough_dealings();
    if (came >= needed) return {};
    return "; old shares of " + std::to_string(needed) + " nodes are needed to keep the key and " +
           std::to_string(came) + " came, none of the nodes " + without +
           ": give --old-share at more of these, where the share of the old coin is there";
  }
  // A member of another run never connects.
  void open_links() {
    Transcript t("thresher/key-generation/1", options.genesis.context());
    t.u32(options.threshold).u8(options.reshares ? 1 : 0);
    if (options.reshares) {
      t.u32(options.reshares->keys.threshold);
      for (const crypto::RistrettoPoint& share : options.reshares->keys.nodes) t.bytes(share);
    }
    links.open(
        links_of(
            self, options.key, t.digest(), options.genesis.nodes,
            "the peer's run is another one: this node " + purpose_of(options) +
                ", the peer runs thresher dkg with another --keep or without one, has another "
                "genesis, or runs something else; compare the genesis files, and give the same "
                "--keep at every node"),
        [this](NodeId from, const Frame& frame) {
          if (!host->receive(from, frame)) ++malformed;
        },
        [this](const std::string& what) { log(what); });
  }
  HostLinks<crypto::GeneratedKey> host_links(const Committee& committee) {
    return {.committee = committee,
            .self = self,
            .delta_us = options.delta_us,
            .loop = &links.loop(),
            .store = store.get(),
            .key = options.key,
            .send = [this](NodeId to, const Frame& frame) { (void)links.send(to, frame); },
            .deliver = [this](crypto::GeneratedKey key) { deliver(std::move(key)); },
            .accuse =
                [this](const Accuse& a) {
                  log("node " + std::to_string(a.who.value) +
                      " is proved to have dealt shares that do not fit");
                },
            .fail = [this](const Error& why) { fail(why); }};
  }
};

KeyGeneration::KeyGeneration() : impl_(std::make_unique<Impl>()) {}
KeyGeneration::~KeyGeneration() = default;

Result<std::unique_ptr<KeyGeneration>, Error> KeyGeneration::begin(KeyGenerationOptions options) {
  const auto self = place_of(options.key.public_key(), options.genesis.nodes);
  if (!self)
    return Error{ErrorCode::kMismatch,
                 "the key belongs to no member of the genesis file",
                 {},
                 "check which belongs"};
  std::unique_ptr<KeyGeneration> out(new KeyGeneration);
  out->impl_->self = *self;
  out->impl_->options = std::move(options);
  if (const auto begun = out->impl_->begin(); !begun) return begun.error();
  return out;
}

Result<crypto::GeneratedKey, Error> KeyGeneration::wait(std::chrono::milliseconds patience) {
  std::unique_lock lock(impl_->mutex);
  impl_->changed.wait_for(lock, patience, [this] { return impl_->made || impl_->failed; });
  if (impl_->made) return *impl_->made;
  if (impl_->failed) return *impl_->failed;
  lock.unlock();
  const auto n = impl_->options.genesis.nodes.size();
  return Error{ErrorCode::kMissing,
               "there is no key after " + std::to_string(patience.count() / 1000) +
                   " s, with links to " + std::to_string(status().links) + " of " +
                   std::to_string(n - 1) + " other nodes",
               {},
               "start thresher dkg at all of them at about the same time, " +
                   std::to_string(n - impl_->options.genesis.f) + " at least" +
                   impl_->links.on_loop([impl = impl_.get()] { return impl->missing_shares(); })};
}

void KeyGeneration::kept() {
  impl_->links.on_loop([impl = impl_.get()] {
    impl->host->request({});
    return Unit{};
  });
}

bool KeyGeneration::linger(std::chrono::milliseconds longest) {
  const auto end = std::chrono::steady_clock::now() + longest;
  const auto others = static_cast<std::uint32_t>(impl_->options.genesis.nodes.size() - 1);
  while (status().others_done < others) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

KeyGenerationStatus KeyGeneration::status() const {
  return impl_->links.on_loop([impl = impl_.get()] {
    return KeyGenerationStatus{.links = impl->links.transport().node_links(),
                               .others_done = impl->host->protocol().ledger().others_done(),
                               .bytes_sent = impl->links.transport().node_bytes_sent(),
                               .refused = impl->malformed + impl->host->protocol().refused()};
  });
}

NodeId KeyGeneration::self() const {
  return impl_->self;
}

}  // namespace thresher::net
