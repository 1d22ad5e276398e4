// What the adapters of protocols with a SlotLog have in common: every decided value is one block of
// the log.
//
//   struct MineAdapter : SlotAdapterOf<Mine, encode, decode_mine> { ... };   // see engine_of.hpp
//
// Guarantees: a decision that is durable when the log is not is read back with its payload at the
// start. Private to net/.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "engines/order_engine.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/protocols/order/requests.hpp"
#include "thresher/protocols/order/slot_log.hpp"
#include "thresher/protocols/wire.hpp"

namespace thresher::net {

struct SlotAdapter {
  /// A view change or a block names several values and has to fit a frame. Unit: bytes.
  static constexpr std::size_t kValueBytes = 256u << 10;
  static constexpr bool kWithBodies = true;
  static constexpr bool kExtends = false;
  static constexpr bool kHashesPayloads = false;

  explicit SlotAdapter(EngineSettings s) : settings(std::move(s)) {}

  EngineSettings settings;
  std::set<Digest> waiting{};  // own values without a slot
  Round last{0};  // slot delivered last; after a restart the one below all that is kept
  bool any_restored = false;
  std::map<std::uint64_t, Bytes> restored{};  // by slot, until the start

  /// The log knows slots from 1: 0 stands for an empty log.
  static Round round_of(std::uint64_t slot) { return Round{slot + 1}; }
  /// `value` for the protocol, which will say it as a slot's.
  Bytes submitted(Bytes payload, const Digest& root) {
    waiting.insert(root);
    return payload;
  }
  void deliver_slot(std::uint64_t slot, const Bytes& value, EngineHost& node);

  // The log may end before the last decision that is durable.
  void restore(const Restored& record);
  void start(EngineHost& node) {
    for (const auto& [slot, value] : std::exchange(restored, {})) deliver_slot(slot, value, node);
  }
  static RecordName record_of(const OrderedBlock& block) {
    return {SlotLog::kTable, SlotLog::key_of(block.round.value - 1)};
  }
  Round noted() const { return last; }
  /// A value is not delivered again within the history.
  static std::uint64_t window() { return SlotLog::Limits{}.history; }
  static bool adopts() { return true; }
  template <class Input>
  static void adopt(const Commit& commit, std::deque<Input>& inputs,
                    std::vector<Persist>& records) {
    for (const OrderedBlockPtr& b : commit.blocks) {
      const RecordName name = record_of(*b);
      const Bytes mark = Bytes::copy_of(as_view(SlotLog::kDelivered));
      inputs.push_back(Restored{name.table, name.key, mark, b->payload});
      records.push_back({name.table, name.key, mark, b->payload, true});
    }
  }
  /// Own values that wait for their slot at a time; what comes meanwhile fills the next one.
  template <class Protocol>
  std::size_t pending_submits(const Protocol&) const {
    constexpr std::size_t kOutstanding = 4;
    return waiting.size() >= kOutstanding ? 1 : 0;
  }
  std::uint32_t quorum() const { return settings.committee.at_least(kQuorum); }
  static std::size_t payload_limit() { return kValueBytes; }
  /// For a protocol that counts views and slots.
  template <class Protocol>
  static EngineSample sample(const Protocol& p) {
    return sample_in(Round{p.view()}, p);
  }
  template <class Protocol>
  static EngineSample sample_in(Round round, const Protocol& p) {
    EngineSample out;
    out.round = round;
    out.next_slot = round_of(p.delivered());
    out.frontier = round_of(p.frontier());
    out.stats.refused = p.refused();
    out.stats.direct_commits = p.delivered();
    return out;
  }
  template <class Protocol>
  static std::uint64_t refused(const Protocol& p) {
    return p.refused();
  }
};

/// For a protocol whose requests and outputs are those of order/requests.hpp.
template <class P, WireParts (*Encode)(const typename P::Message&), auto Decode>
struct SlotAdapterOf : SlotAdapter {
  using Protocol = P;
  using SlotAdapter::SlotAdapter;

  std::optional<Frame> encode(const typename P::Message& m) const {
    WireParts parts = Encode(m);
    return Frame{kProtocol, std::move(parts.control), std::move(parts.payload)};
  }
  std::optional<typename P::Message> decode(const Frame& frame) const {
    if (frame.kind != kProtocol) return std::nullopt;
    return Decode({frame.control, frame.payload}, settings.committee);
  }
  order::Submit request(Bytes payload, const Digest& root) {
    return {submitted(std::move(payload), root)};
  }
  void deliver(const order::Delivery& d, EngineHost& node) { deliver_slot(d.slot, d.value, node); }
};

}  // namespace thresher::net
