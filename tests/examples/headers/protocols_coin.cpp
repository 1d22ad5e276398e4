// The examples of the headers of protocols/coin, compiled (held_test.py says how they are found).
#include "protocols.hpp"
#include "thresher/protocols/agreement/bca_agreement.hpp"
#include "thresher/protocols/agreement/core_set.hpp"
#include "thresher/protocols/broadcast/avid.hpp"
#include "thresher/protocols/broadcast/bracha.hpp"
#include "thresher/protocols/coin/avss.hpp"
#include "thresher/protocols/coin/beacon.hpp"
#include "thresher/protocols/coin/committee_beacon.hpp"
#include "thresher/protocols/coin/committee_coin.hpp"
#include "thresher/protocols/coin/committee_lists.hpp"
#include "thresher/protocols/coin/committee_wire.hpp"
#include "thresher/protocols/coin/dkg.hpp"
#include "thresher/protocols/coin/dkg_message.hpp"
#include "thresher/protocols/coin/dkg_wire.hpp"
#include "thresher/protocols/coin/ideal_coin.hpp"
#include "thresher/protocols/coin/ideal_encryption.hpp"
#include "thresher/protocols/coin/ideal_lottery.hpp"
#include "thresher/protocols/coin/ideal_sharing.hpp"
#include "thresher/protocols/coin/leader_coin.hpp"
#include "thresher/protocols/coin/local_coin.hpp"
#include "thresher/protocols/coin/setup_free_beacon.hpp"
#include "thresher/protocols/coin/setup_free_coin.hpp"
#include "thresher/protocols/coin/setup_free_wire.hpp"
#include "thresher/protocols/coin/threshold_coin.hpp"
#include "thresher/protocols/coin/vrf_coin.hpp"
#include "thresher/protocols/dag/message.hpp"

namespace thresher {
namespace {

using Scheme = std::shared_ptr<const crypto::CoinScheme>;
using Secrets = std::shared_ptr<const crypto::SharingScheme>;
using Lists = std::shared_ptr<const coin::CommitteeLists>;

void avss_example(ExecutorOf<Avss<Avid>>& executor, const Committee& c, NodeId id,
                  const Secrets& scheme, std::uint64_t instance) {
  // <thresher/protocols/coin/avss.hpp>
  Avss<Avid> node({.committee = c, .self = id, .scheme = scheme});
  executor.run(Requested<avss::Request>{avss::Deal{instance}});
  executor.run(Requested<avss::Request>{avss::Open{instance}});
  // </>
}

void committee_coin_example(ExecutorOf<CommitteeCoin<SetupFree>>& executor, const Committee& c,
                            NodeId id, const Lists& lists,
                            const CommitteeCoin<SetupFree>::Config& strong) {
  const auto& strong_coin = strong.make;
  // <thresher/protocols/coin/committee_coin.hpp>
  CommitteeCoin<SetupFree> coin({.committee = c, .self = id, .lists = lists, .make = strong_coin});
  executor.run(Requested<coin::Toss>{{0}});
  // </>
}

void committee_wire_example(const SetupFreeCommittees::Message& message,
                            const coin::CommitteeLists& lists) {
  // <thresher/protocols/coin/committee_wire.hpp>
  WireParts parts = encode(message, lists);
  auto again = decode_committee_coin(parts, lists);
  // </>
}

using Bootstrap = std::shared_ptr<const crypto::CoinScheme>;
void dkg_example(ExecutorOf<Dkg<Avid, CoreSet<BcaAgreement>>>& executor, const Committee& c,
                 NodeId id, const std::shared_ptr<const crypto::DkgScheme>& scheme,
                 const Bootstrap& bootstrap) {
  // <thresher/protocols/coin/dkg.hpp>
  using Generation = Dkg<Avid, CoreSet<BcaAgreement>>;
  Generation node({.committee = c, .self = id, .scheme = scheme, .coin = bootstrap});
  executor.run(Start{});
  // </>
}

void dkg_wire_example(const Bytes& sealed, const Committee& committee) {
  using Generation = Dkg<Avid, CoreSet<BcaAgreement>>;
  using Message = Generation::Message;
  // <thresher/protocols/coin/dkg_wire.hpp>
  WireParts parts = dkg::encode_message(Message(dkg::Point{sealed}));
  auto again = dkg::decode_message<Message>(parts, committee);
  // </>
}

void dkg_message_example(const NodeSet& held) {
  using namespace dkg;
  // <thresher/protocols/coin/dkg_message.hpp>
  Message m = Acks{.dealers = held, .asks = true};
  // </>
}

void setup_free_example(ExecutorOf<SetupFreeCoin<Avid, Bracha>>& executor, const Committee& c,
                        NodeId id, const Secrets& scheme) {
  // <thresher/protocols/coin/setup_free_coin.hpp>
  SetupFreeCoin<Avid, Bracha> coin({.committee = c, .self = id, .scheme = scheme});
  executor.run(Requested<coin::Toss>{{0}});
  // </>
}

void setup_free_wire_example(const SetupFree::Message& message, const Committee& committee) {
  // <thresher/protocols/coin/setup_free_wire.hpp>
  WireParts parts = encode(message, committee);
  std::optional<SetupFree::Message> again = decode_setup_free(parts, committee);
  // </>
}

}  // namespace
}  // namespace thresher

namespace thresher::coin {
namespace {

void visit(NodeId member);

void beacon_example(Host<Beacon>& backend, const Committee& c, NodeId id, const Scheme& scheme) {
  using Backend = Host<Beacon>;
  // <thresher/protocols/coin/beacon.hpp>
  Beacon beacon({.coin = {.committee = c, .self = id, .scheme = scheme}, .pause = Delay{0}});
  Executor<Beacon, Backend> executor(std::move(beacon), backend);
  executor.run(Start{});
  // </>
}

void committee_beacon_example(const Committee& c, NodeId id, const Lists& lists) {
  // <thresher/protocols/coin/committee_beacon.hpp>
  BasicBeacon<SetupFreeCommittees> beacon(
      {.coin = {.committee = c, .self = id, .lists = lists, .make = {}}});
  // </>
}

void committee_lists_example() {
  // <thresher/protocols/coin/committee_lists.hpp>
  const CommitteeLists lists({.n = 64, .k = 3});
  for (NodeId member : lists.members(7)) visit(member);
  const auto places = lists.listens(NodeId{2}, 7);
  // </>
}

void ideals_example(const Committee& committee, std::uint64_t seed) {
  {
    // <thresher/protocols/coin/ideal_coin.hpp>
    auto scheme = std::make_shared<IdealCoin>(committee.at_least(kValidity), NodeId{2}, seed);
    // </>
  }
  {
    // <thresher/protocols/coin/ideal_encryption.hpp>
    IdealEncryption scheme(committee.at_least(kValidity), NodeId{2}, seed);
    // </>
  }
  {
    // <thresher/protocols/coin/ideal_lottery.hpp>
    auto scheme = std::make_shared<IdealLottery>(NodeId{2}, seed);
    // </>
  }
  {
    // <thresher/protocols/coin/ideal_sharing.hpp>
    auto scheme = std::make_shared<IdealSharing>(*Committee::of(4), NodeId{2}, seed);
    // </>
  }
}

void leader_example(ThresholdCoin& coin, std::uint64_t slot, const Committee& committee,
                    std::map<std::uint64_t, NodeId>& leaders,
                    Effects<dag::Message, dag::Committed>& fx) {
  constexpr std::uint32_t kCoinHop = 0;
  // <thresher/protocols/coin/leader_coin.hpp>
  for (const Tossed& t : feed(coin, Requested<Toss>{{slot}}, kCoinHop, fx))
    leaders[t.instance] = leader_named(t.value, committee);
  // </>
}

void local_example(NodeId self, const Digest& entropy, std::uint64_t seed, LocalCoin::Fx& fx) {
  // <thresher/protocols/coin/local_coin.hpp>
  LocalCoin coin(self, entropy);
  coin.on(Start{seed}, fx);
  coin.on(Requested<Toss>{{7}}, fx);
  // </>
}

void setup_free_beacon_example(const Committee& c, NodeId id, const Secrets& scheme) {
  // <thresher/protocols/coin/setup_free_beacon.hpp>
  SetupFreeBeacon beacon({.coin = {.committee = c, .self = id, .scheme = scheme}});
  // </>
}

void threshold_example(Host<ThresholdCoin>& backend, const Scheme& scheme) {
  using Backend = Host<ThresholdCoin>;
  // <thresher/protocols/coin/threshold_coin.hpp>
  ThresholdCoin coin({.committee = *Committee::of(4), .self = NodeId{0}, .scheme = scheme});
  Executor<ThresholdCoin, Backend> executor(std::move(coin), backend);
  executor.run(Requested<Toss>{{7}});
  // </>
}

void vrf_example(Host<VrfCoin>& backend, const std::shared_ptr<const crypto::VrfScheme>& scheme) {
  using Backend = Host<VrfCoin>;
  // <thresher/protocols/coin/vrf_coin.hpp>
  VrfCoin coin({.committee = *Committee::of(4), .self = NodeId{0}, .scheme = scheme});
  Executor<VrfCoin, Backend> executor(std::move(coin), backend);
  executor.run(Requested<Toss>{{7}});
  // </>
}

}  // namespace
}  // namespace thresher::coin
