// The examples of the headers of protocols/broadcast, compiled (held_test.py says how they are
// found).
#include "protocols.hpp"
#include "thresher/protocols/broadcast/archive.hpp"
#include "thresher/protocols/broadcast/avid.hpp"
#include "thresher/protocols/broadcast/avid_wire.hpp"
#include "thresher/protocols/broadcast/bracha.hpp"
#include "thresher/protocols/broadcast/bracha_wire.hpp"
#include "thresher/protocols/broadcast/broadcast.hpp"
#include "thresher/protocols/broadcast/by_name.hpp"
#include "thresher/protocols/broadcast/chain.hpp"
#include "thresher/protocols/broadcast/chained_echo.hpp"
#include "thresher/protocols/broadcast/chained_wire.hpp"
#include "thresher/protocols/broadcast/coded.hpp"
#include "thresher/protocols/broadcast/das_xiang_ren.hpp"
#include "thresher/protocols/broadcast/das_xiang_ren_wire.hpp"
#include "thresher/protocols/broadcast/imbs_raynal.hpp"
#include "thresher/protocols/broadcast/memory_archive.hpp"
#include "thresher/protocols/broadcast/progress.hpp"
#include "thresher/protocols/broadcast/remains.hpp"
#include "thresher/protocols/broadcast/shelf.hpp"
#include "thresher/protocols/broadcast/signed_broadcast.hpp"
#include "thresher/protocols/broadcast/signed_wire.hpp"

namespace thresher {
namespace {

void use(const Bytes& value);

void archive_example(const broadcast::Archive& on_disk, const broadcast::Archive* archive,
                     const Bytes& key) {
  // <thresher/protocols/broadcast/archive.hpp>
  ChainedEcho node({.archive = &on_disk});
  if (const auto value = archive->value(key)) use(*value);
  // </>
}

void memory_archive_example(const Persist& record) {
  // <thresher/protocols/broadcast/memory_archive.hpp>
  MemoryArchive archive;
  archive.add(record);  // each that becomes durable
  ChainedEcho node({.archive = &archive});
  // </>
}

void avid_example(Host<Avid>& backend, const Bytes& payload) {
  using Backend = Host<Avid>;
  // <thresher/protocols/broadcast/avid.hpp>
  Avid node({.committee = *Committee::of(4), .self = NodeId{0}});
  Executor<Avid, Backend> executor(std::move(node), backend);
  executor.run(Requested<Avid::Request>{{payload}});
  // </>
}

void avid_wire_example(const Avid::Message& ready, const Committee& committee) {
  // <thresher/protocols/broadcast/avid_wire.hpp>
  WireParts parts = encode(Avid::Message(ready));
  auto message = decode_avid(parts, committee);
  // </>
}

void bracha_example(Host<Bracha>& backend, const Bytes& payload) {
  using Backend = Host<Bracha>;
  // <thresher/protocols/broadcast/bracha.hpp>
  Bracha node({.committee = *Committee::of(4), .self = NodeId{0}});
  Executor<Bracha, Backend> executor(std::move(node), backend);
  executor.run(Requested<Bracha::Request>{{payload}});
  // </>
}

void bracha_wire_example(const Bracha::Message& init, const Committee& committee) {
  // <thresher/protocols/broadcast/bracha_wire.hpp>
  WireParts parts = encode(Bracha::Message(init));
  auto message = decode_bracha(parts, committee);
  // </>
}

namespace concept_example {
// <thresher/protocols/broadcast/broadcast.hpp>
template <broadcast::Broadcast B>
class KeyGeneration {
  B dealings_;
};
static_assert(broadcast::Broadcast<Bracha>);
// </>
}  // namespace concept_example

void by_name_example(const WireParts& parts, const Committee& committee) {
  // <thresher/protocols/broadcast/by_name.hpp>
  const bool known = broadcast::with("chained-echo", [&](auto type) {
    using B = typename decltype(type)::type;
    auto m = broadcast::decode(std::type_identity<typename B::Message>{}, parts, committee);
  });
  std::string all = name_list(broadcast::names());
  // </>
}

void chained_example(ExecutorOf<ChainedEcho>& executor, const Bytes& payload) {
  // <thresher/protocols/broadcast/chained_echo.hpp>
  ChainedEcho node({.committee = *Committee::of(4), .self = NodeId{0}, .speakers = 1});
  executor.run(Requested<broadcast::Submit>{{payload}});
  // </>
}

void chained_wire_example(const ChainedEcho::Message& status, const Committee& committee) {
  // <thresher/protocols/broadcast/chained_wire.hpp>
  WireParts parts = encode(ChainedEcho::Message(status));
  auto message = decode_chained(parts, committee);
  // </>
}

void coded_example(const Committee& committee, const Bytes& payload,
                   const std::vector<Bytes>& received) {
  // <thresher/protocols/broadcast/coded.hpp>
  coded::Fragments fragments(committee);
  std::vector<Bytes> mine = fragments.cut(payload.view());
  std::optional<Bytes> back = fragments.join(received);
  // </>
}

void das_example(Host<DasXiangRen>& backend, const Bytes& payload) {
  using Backend = Host<DasXiangRen>;
  // <thresher/protocols/broadcast/das_xiang_ren.hpp>
  DasXiangRen node({.committee = *Committee::of(4), .self = NodeId{0}});
  Executor<DasXiangRen, Backend> executor(std::move(node), backend);
  executor.run(Requested<DasXiangRen::Request>{{payload}});
  // </>
}

void das_wire_example(const DasXiangRen::Message& ready, const Committee& committee) {
  // <thresher/protocols/broadcast/das_xiang_ren_wire.hpp>
  WireParts parts = encode(DasXiangRen::Message(ready));
  auto message = decode_das_xiang_ren(parts, committee);
  // </>
}

void imbs_example() {
  // <thresher/protocols/broadcast/imbs_raynal.hpp>
  ImbsRaynal node({.committee = *Committee::make(6, 1), .self = NodeId{0}});
  static_assert(broadcast::Broadcast<ImbsRaynal>);
  // </>
}

void signed_example(Host<SignedBroadcast>& backend, const Bytes& payload) {
  using Backend = Host<SignedBroadcast>;
  // <thresher/protocols/broadcast/signed_broadcast.hpp>
  SignedBroadcast node({.committee = *Committee::of(4), .self = NodeId{0}});
  Executor<SignedBroadcast, Backend> executor(std::move(node), backend);
  executor.run(Requested<broadcast::Submit>{{payload}});
  // </>
}

void signed_wire_example(const SignedBroadcast::Message& vote, const Committee& committee) {
  // <thresher/protocols/broadcast/signed_wire.hpp>
  WireParts parts = encode(SignedBroadcast::Message(vote));
  auto message = decode_signed(parts, committee);
  // </>
}

}  // namespace
}  // namespace thresher

namespace thresher::chained_echo {
namespace {

void chain_example(const Committee& committee, const ChainContext& context, NodeId origin,
                   const Bytes& payload, std::uint32_t quorum, std::uint32_t fast) {
  // <thresher/protocols/broadcast/chain.hpp>
  Chain chain(committee, context, origin);
  const Head one = chain.add(chain.base(), hash(payload.view()), {});
  chain.fill(one, payload);
  const auto reached = chain.support(NodeId{2}, one, Chain::Said::kEcho, quorum, fast);
  // </>
}

}  // namespace
}  // namespace thresher::chained_echo

namespace thresher::broadcast {
namespace {

void again(const Said& said);
void erase(const Instance& over);

void progress_example(const Committee& committee, std::uint64_t window, NodeId from, NodeId o) {
  // <thresher/protocols/broadcast/progress.hpp>
  PeerProgress peers(committee, window);
  peers.take(from, {.origin = o, .floor = 3, .below = 9, .above = {11}});
  if (peers.has(from, {o, 11})) return;
  // </>
}

void remains_example(const Bracha::Config& config, const Instance& i, NodeId origin,
                     const Digest& digest) {
  // <thresher/protocols/broadcast/remains.hpp>
  Remains remains(config);
  if (remains.room(i.origin) > 0) remains.leave(i, {.value = digest, .counter = {true, true}});
  if (const Said* said = remains.find(i)) again(*said);
  remains.tick(origin, [&](const Instance& over) { erase(over); });
  // </>
}

void shelf_example(const Bracha::Config& config, NodeId origin, std::uint64_t number,
                   const Instance& i, const Digest& digest, const Bytes& payload) {
  // <thresher/protocols/broadcast/shelf.hpp>
  struct State : broadcast::Kept {
    explicit State(const Committee&);
    bool vouched(const Committee&) const;
    bool spoke_of(NodeId) const;
  };
  Shelf<State> shelf(config);
  State* s = shelf.open({origin, number});
  if (s != nullptr && shelf.has_room(i, payload.size())) shelf.keep(i, *s, digest, payload);
  // </>
}

}  // namespace
}  // namespace thresher::broadcast
