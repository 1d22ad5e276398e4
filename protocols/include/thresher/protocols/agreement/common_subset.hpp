// `common-subset`: of payloads that all nodes broadcast, n-f or more on which all agree.
// HoneyBadger's asynchronous common subset, in epochs, over any broadcast and any binary agreement
// of the shelves.
//
//   using Subset = CommonSubset<Avid, BcaAgreement>;
//   Subset node({.committee = c, .self = NodeId{0}, .coin = scheme, .valid = well_formed});
//   executor.run(Requested<subset::Submit>{{epoch, payload}});
//   // later, once for each epoch: Deliver<subset::Output>{epoch, {{origin, payload}, ...}}
//
// Guarantees, with up to f Byzantine nodes at any timing and when every correct node submits a
// payload in an epoch that all correct nodes find valid:
//   agreement    all correct nodes output the same list for the epoch;
//   size         it has the payloads of at least n-f origins, so of at least n-2f correct ones;
//   validity     each payload was valid to some correct node, and is what its origin broadcast;
//   termination  every correct node outputs it, with probability one.
// Epochs may overlap, at most Config::window of them at a time; they are output when they are done,
// in any order. A node that submits nothing still outputs. What is output is kept, for those who
// lag, until the owner forgets it. A restarted node goes on where it was and may output an epoch
// again. Does not order what it outputs beyond the origins' numbers, and hides no payload.
// Source: Miller, Xia, Croman, Shi, Song, "The Honey Badger of BFT protocols" (CCS 2016), figure 4;
// Ben-Or, Kelmer, Rabin (PODC 1994). Rules: docs/protocols/common-subset.md.
#pragma once

#include <functional>
#include <map>
#include <utility>
#include <variant>
#include <vector>

#include "thresher/core/compose.hpp"
#include "thresher/protocols/agreement/agreement.hpp"
#include "thresher/protocols/broadcast/broadcast.hpp"

namespace thresher {

namespace subset {

/// Enters this node's payload into an epoch; the first one of an epoch counts.
struct Submit {
  std::uint64_t epoch = 0;
  Bytes payload;
};
struct Entry {
  NodeId origin;
  Bytes payload;
  friend bool operator==(const Entry&, const Entry&) = default;
};
/// The subset of an epoch, by origin.
struct Output {
  std::uint64_t epoch = 0;
  std::vector<Entry> entries;
};
/// External validity: whether a payload of that origin may be in the epoch's subset. Judged once,
/// when the payload is delivered. Correct nodes may differ about payloads of faulty origins only.
using Valid = std::function<bool(std::uint64_t epoch, NodeId origin, ByteView payload)>;

}  // namespace subset
}  // namespace thresher
