// Echo broadcast: what a node says is echoed by all, and output by each node that heard enough
// echoes. With a quorum of echoes no two correct nodes output different payloads of one origin and
// number; with fewer they do, once somebody tells two stories: the planted bug of this example.
// What a node echoed is durable first, so that it echoes nothing else after a crash.
#pragma once

#include <algorithm>
#include <map>
#include <utility>

#include "thresher/core/committee.hpp"
#include "thresher/core/hash.hpp"
#include "thresher/core/protocol.hpp"
#include "thresher/core/transcript.hpp"

template <thresher::Threshold kEnough>
struct Echo {
  struct Message {
    thresher::NodeId origin{};
    std::uint64_t number = 0;
    thresher::Bytes payload;
  };
  struct Output {
    thresher::NodeId origin{};
    std::uint64_t number = 0;
    thresher::Bytes payload;
  };
  struct Request {
    thresher::Bytes payload;
  };
  using Fx = thresher::EffectsOf<Echo>;
  static constexpr std::uint64_t kWindow = 8;  // numbers of one origin that are open at a time

  Echo(const thresher::Committee& members, thresher::NodeId id) : committee(members), self(id) {}

  void on(const thresher::Restored& record, Fx&) {
    thresher::Reader key(record.key.view());
    const thresher::NodeId origin{key.u16()};
    const std::uint64_t number = key.u64();
    echoed[{origin, number}] = thresher::Reader(record.value.view()).digest();
    if (origin == self) said = std::max(said, number);
  }
  void on(const thresher::Requested<Request>& r, Fx& fx) {
    echo({self, ++said, r.request.payload}, fx);
  }
  void on(const thresher::Received<Message>& m, Fx& fx) {
    const Message& said_by = m.message;
    if (!committee.contains(said_by.origin) || said_by.origin == self) {
      if (said_by.origin == self) count(m.from, said_by, fx);
      return;
    }
    if (m.from == said_by.origin) echo(said_by, fx);
    count(m.from, said_by, fx);
  }
  std::size_t open() const {
    std::size_t sum = 0;
    for (const auto& [origin, o] : origins) sum += o.slots.size();
    return sum;
  }

 private:
  struct Slot {
    bool done = false;
    thresher::NodeSet heard;  // each node counts once, for whatever it said first
    std::map<thresher::Digest, thresher::Tally> echoes;
  };
  struct Origin {
    std::uint64_t closed = 0;  // all numbers up to here are output
    std::map<std::uint64_t, Slot> slots;
  };

  // Once for each number of an origin, whatever it says later.
  void echo(const Message& m, Fx& fx) {
    const thresher::Digest digest = thresher::hash(m.payload.view());
    const auto before = echoed.find({m.origin, m.number});
    if (before != echoed.end() && before->second != digest) return;
    if (!count(self, m, fx)) return;
    echoed[{m.origin, m.number}] = digest;
    thresher::Writer key;
    key.u16(m.origin.value).u64(m.number);
    thresher::Writer value;
    value.bytes(digest.bytes);
    fx.push(thresher::Persist{
        1, thresher::Bytes::from(key.take()), thresher::Bytes::from(value.take()), {}, false});
    fx.broadcast(m);
  }

  // False when it was out of the window, or heard before.
  bool count(thresher::NodeId from, const Message& m, Fx& fx) {
    Origin& origin = origins[m.origin];
    if (m.number <= origin.closed || m.number > origin.closed + kWindow) return false;
    Slot& slot = origin.slots[m.number];
    if (!slot.heard.insert(from)) return false;
    auto& tally =
        slot.echoes.try_emplace(thresher::hash(m.payload.view()), committee).first->second;
    tally.add(from);
    if (!slot.done && tally.reached(kEnough, committee)) {
      slot.done = true;
      fx.deliver({m.origin, m.number, m.payload});
    }
    while (!origin.slots.empty() && origin.slots.begin()->first == origin.closed + 1 &&
           origin.slots.begin()->second.done) {
      origin.slots.erase(origin.slots.begin());
      ++origin.closed;
    }
    return true;
  }

  thresher::Committee committee;
  thresher::NodeId self;
  std::uint64_t said = 0;
  std::map<std::pair<thresher::NodeId, std::uint64_t>, thresher::Digest> echoed;
  std::map<thresher::NodeId, Origin> origins;
};
