// The examples of the headers of protocols/order and of those beside its folders, compiled
// (held_test.py says how they are found).
#include "protocols.hpp"
#include "thresher/protocols/attic.hpp"
#include "thresher/protocols/dag/block.hpp"
#include "thresher/protocols/order/batch_seals.hpp"
#include "thresher/protocols/order/honey_badger.hpp"
#include "thresher/protocols/order/honey_badger_wire.hpp"
#include "thresher/protocols/order/hotstuff2.hpp"
#include "thresher/protocols/order/leader_chain.hpp"
#include "thresher/protocols/order/leader_chain_wire.hpp"
#include "thresher/protocols/order/marks.hpp"
#include "thresher/protocols/order/pbft.hpp"
#include "thresher/protocols/order/pbft_wire.hpp"
#include "thresher/protocols/order/raft.hpp"
#include "thresher/protocols/order/raft_wire.hpp"
#include "thresher/protocols/order/requests.hpp"
#include "thresher/protocols/order/served.hpp"
#include "thresher/protocols/order/simplex.hpp"
#include "thresher/protocols/order/slot_log.hpp"
#include "thresher/protocols/promises.hpp"
#include "thresher/protocols/wire.hpp"

namespace thresher {
namespace {

using dag::BlockPtr;
void erase(const BlockPtr& b);
void give(const BlockPtr& b);
void propose(const Bytes& value);

void attic_example(std::uint64_t margin, const BlockPtr& block, Round floor, Round round,
                   NodeId author, const Digest& digest) {
  // <thresher/protocols/attic.hpp>
  Attic<BlockPtr> attic(margin);
  attic.keep(block);
  attic.raise(floor, [&](const BlockPtr& b) { erase(b); });
  if (const auto b = attic.find(round, author, digest)) give(b);
  // </>
}

void honey_badger_example(const std::shared_ptr<const crypto::CoinScheme>& scheme,
                          const Bytes& payload, EffectsOf<HoneyBadger>& fx) {
  // <thresher/protocols/order/honey_badger.hpp>
  HoneyBadger node({.committee = *Committee::of(4), .self = NodeId{0}, .coin = scheme});
  step(node, InputOf<HoneyBadger>{Requested<honey_badger::Submit>{{payload}}}, fx);
  // </>
}

void honey_badger_wire_example(const HoneyBadger::Message& message, const Committee& committee) {
  // <thresher/protocols/order/honey_badger_wire.hpp>
  WireParts parts = encode(message);
  std::optional<HoneyBadger::Message> again = decode_honey_badger(parts, committee);
  // </>
}

void hotstuff2_example() {
  // <thresher/protocols/order/hotstuff2.hpp>
  HotStuff2 node({.committee = *Committee::of(4), .self = NodeId{0}});
  // </>
}

void leader_chain_example(const Bytes& payload, EffectsOf<Simplex>& fx) {
  // <thresher/protocols/order/leader_chain.hpp>
  Simplex node({.committee = *Committee::of(4), .self = NodeId{0}});
  step(node, InputOf<Simplex>{Requested<Simplex::Request>{{payload}}}, fx);
  // </>
}

void leader_chain_wire_example(const LeaderChain::Message& vote, const Committee& committee) {
  // <thresher/protocols/order/leader_chain_wire.hpp>
  WireParts parts = encode(LeaderChain::Message(vote));
  auto message = decode_leader_chain(parts, committee);
  // </>
}

std::uint64_t marks_example(std::uint32_t n, const Committee& committee, NodeId from,
                            std::uint64_t slots) {
  // <thresher/protocols/order/marks.hpp>
  Marks delivered(n, 0, committee.at_least(kQuorum));
  if (delivered.raise(from, slots)) return delivered.mark();
  // </>
  return 0;
}

void pbft_example(const Bytes& payload, EffectsOf<Pbft>& fx) {
  // <thresher/protocols/order/pbft.hpp>
  Pbft node({.committee = *Committee::of(4), .self = NodeId{0}});
  step(node, InputOf<Pbft>{Requested<Pbft::Request>{{payload}}}, fx);
  // </>
}

void pbft_wire_example(const Pbft::Message& vote, const Committee& committee) {
  // <thresher/protocols/order/pbft_wire.hpp>
  WireParts parts = encode(Pbft::Message(vote));
  auto message = decode_pbft(parts, committee);
  // </>
}

void raft_example(const Bytes& payload, EffectsOf<Raft>& fx) {
  // <thresher/protocols/order/raft.hpp>
  Raft node({.committee = *Committee::make(5, 0), .self = NodeId{0}});
  step(node, InputOf<Raft>{Requested<Raft::Request>{{payload}}}, fx);
  // </>
}

void raft_wire_example(const Raft::Message& append) {
  // <thresher/protocols/order/raft_wire.hpp>
  WireParts parts = encode(Raft::Message(append));
  auto message = decode_raft(parts);
  // </>
}

void simplex_example() {
  // <thresher/protocols/order/simplex.hpp>
  Simplex node({.committee = *Committee::of(4), .self = NodeId{0}});
  // </>
}

void promises_example() {
  // <thresher/protocols/promises.hpp>
  const std::uint64_t delta = promises::pbft(*Committee::of(4), 8, 8, 1);
  // </>
}

void wire_example(const Pbft::Message& message, const Committee& committee) {
  // <thresher/protocols/wire.hpp>
  WireParts parts = encode(message);
  std::optional<Pbft::Message> again = decode_pbft(parts, committee);
  // </>
}

}  // namespace
}  // namespace thresher

namespace thresher::honey_badger {
namespace {

void enter(std::uint64_t epoch, const Bytes& payload);
void order(const std::vector<subset::Entry>& entries);

void batch_seals_example(const Committee& c,
                         const std::shared_ptr<const crypto::EncryptionScheme>& scheme,
                         std::uint64_t epoch, const Bytes& batch, const subset::Output& output,
                         NodeId from, const Reveal& reveal, EffectsOf<HoneyBadger>& fx) {
  // <thresher/protocols/order/batch_seals.hpp>
  BatchSeals seals({.committee = c, .self = NodeId{0}, .scheme = scheme});
  enter(epoch, seals.seal(epoch, batch));
  seals.agreed(output);
  fx.broadcast(seals.mine(epoch));
  seals.hear(from, reveal, epoch);
  if (auto entries = seals.open(epoch)) order(*entries);
  // </>
}

}  // namespace
}  // namespace thresher::honey_badger

namespace thresher::order {
namespace {

void requests_example(std::uint32_t n, NodeId from, const Forward& forward, std::uint64_t now,
                      SlotLog& log, std::uint64_t turn, const Digest& digest) {
  const auto untaken = [](const Digest&) { return true; };
  // <thresher/protocols/order/requests.hpp>
  Requests waiting(n, {.entries = 32, .bytes = 1 << 20, .value_bytes = 65536});
  auto news = waiting.take(from, forward, now, [&](const Digest& d) { return log.repeats(d); });
  for (const Queued* r = waiting.next(turn, untaken); r != nullptr; r = nullptr) propose(r->value);
  waiting.remove(digest);
  // </>
}

void served_example(NodeId from, const Ask& m, const Bytes& value, std::uint64_t slot,
                    const Ordered& name, TimerId kServed, Delay kServing, EffectsOf<Pbft>& fx) {
  // <thresher/protocols/order/served.hpp>
  Served served;
  if (served.value(from, m.digest, value.size())) fx.send(from, Forward{value});
  if (served.number(from, Served::kNames, slot, sizeof(Ordered))) fx.send(from, name);
  if (served.began()) fx.push(ArmTimer{kServed, kServing});
  // </>
}

void slot_log_example(const Committee& committee, std::uint64_t slot, const Bytes& value,
                      EffectsOf<Pbft>& fx) {
  // <thresher/protocols/order/slot_log.hpp>
  SlotLog log(committee, {.history = 1024, .value_bytes = 65536, .answers = 16});
  log.decide(slot, value);
  while (auto d = log.deliver_next()) {
    fx.push(d->record);
    if (d->fresh) propose(d->value);
  }
  // </>
}

}  // namespace
}  // namespace thresher::order
