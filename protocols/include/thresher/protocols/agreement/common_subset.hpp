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
// Epochs may overlap, at most Config::window of them counted from the first that the owner has not
// forgotten; they are output when they are done, in any order. A node that submits nothing still
// outputs. What was output is kept, for those that lag, until the owner forgets it. A restarted
// node goes on where it was and outputs again what it has not forgotten. Does not order what it
// outputs beyond the origins' numbers, and hides no payload.
// Source: Miller, Xia, Croman, Shi, Song, "The Honey Badger of BFT protocols" (CCS 2016), figure 4;
// Ben-Or, Kelmer, Rabin (PODC 1994). Rules: docs/protocols/common-subset.md.
#pragma once

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "thresher/core/node_ids.hpp"
#include "thresher/protocols/agreement/payload_votes.hpp"

namespace thresher {

namespace subset {

/// Enters this node's payload into an epoch. Refused, which refused() counts, when it is too large,
/// when the epoch is out of reach, or when this node entered one into that or a later epoch.
struct Submit {
  std::uint64_t epoch = 0;
  Bytes payload;
};
struct Entry {
  NodeId origin;
  Bytes payload;
};
/// The subset of an epoch, by origin.
struct Output {
  std::uint64_t epoch = 0;
  std::vector<Entry> entries;
};
/// Correct nodes may differ about payloads of faulty origins.
using Valid = payload_votes::Valid;

}  // namespace subset

template <broadcast::OwnedBroadcast B, agreement::BinaryAgreement A>
class CommonSubset
    : public PayloadVotes<CommonSubset<B, A>, B, A,
                          std::variant<typename B::Message, typename A::Message>, subset::Output> {
  using Base = PayloadVotes<CommonSubset<B, A>, B, A,
                            std::variant<typename B::Message, typename A::Message>, subset::Output>;
  friend Base;
  static constexpr bool kOneIsEnough = false;  // each origin is asked about

 public:
  static constexpr std::string_view kName = "common-subset";
  static constexpr std::uint32_t kNodesPerFault = std::max(B::kNodesPerFault, A::kNodesPerFault);
  static constexpr std::uint32_t kMostNodes = B::kMostNodes;

  using Message = std::variant<typename B::Message, typename A::Message>;
  using Output = subset::Output;
  using Request = subset::Submit;
  using Config = payload_votes::Config;
  using Fx = Effects<Message, Output>;

  explicit CommonSubset(Config config) : Base(std::move(config)) {}

  using Base::on;
  void on(const Received<Message>& e, Fx& fx) {
    std::visit([&](const auto& m) { this->receive(e.from, m, fx); }, e.message);
  }
  void on(const Requested<Request>& e, Fx& fx) {
    this->submit(e.request.epoch, e.request.payload, fx);
  }

  /// Whether a payload of that epoch came from somebody, or a decision about one.
  bool begun(std::uint64_t epoch) const { return epochs_.contains(epoch); }
  /// Whether the epoch was output here and is not forgotten.
  bool done(std::uint64_t epoch) const {
    const auto it = epochs_.find(epoch);
    return it != epochs_.end() && it->second.output;
  }

 private:
  struct Epoch {
    explicit Epoch(std::uint32_t n) : proposed(n), decided(n), in(n) {}
    NodeSet proposed;  // origins of whose payloads this node has said yes or no
    NodeSet decided;
    NodeSet in;  // origins whose payloads are in the subset
    bool output = false;
  };

  std::uint32_t size() const { return this->config().committee.size(); }
  Epoch& epoch_of(std::uint64_t epoch) { return epochs_.try_emplace(epoch, size()).first->second; }

  // S2: yes to what came and is valid.
  void heard(std::uint64_t epoch, NodeId origin, bool valid, Fx& fx) {
    Epoch& e = epoch_of(epoch);
    if (valid) vote(epoch, e, origin, true, fx);
    finish(epoch, e, fx);
  }
  // S3: no to the rest, once n-f are in.
  void voted(std::uint64_t epoch, NodeId origin, bool in, Fx& fx) {
    Epoch& e = epoch_of(epoch);
    if (!e.decided.insert(origin)) return;
    if (in) e.in.insert(origin);
    if (e.in.size() >= this->config().committee.at_least(kAvailability)) {
      for (const NodeId o : node_ids(size())) vote(epoch, e, o, false, fx);
    }
    finish(epoch, e, fx);
  }
  void vote(std::uint64_t epoch, Epoch& e, NodeId origin, bool value, Fx& fx) {
    if (e.proposed.insert(origin)) this->propose(epoch, origin, value, fx);
  }
  void forgotten(std::uint64_t epoch, Fx&) {
    epochs_.erase(epochs_.begin(), epochs_.lower_bound(epoch));
  }
  // S4
  void finish(std::uint64_t epoch, Epoch& e, Fx& fx) {
    if (e.output || e.decided.size() < size()) return;
    subset::Output out{epoch, {}};
    bool all = true;
    e.in.for_each([&](NodeId origin) {
      const Bytes* payload = this->payload(epoch, origin);
      all = all && payload != nullptr;
      if (payload != nullptr) out.entries.push_back({origin, *payload});
    });
    if (!all) return;
    e.output = true;
    fx.deliver(std::move(out));
  }

  std::map<std::uint64_t, Epoch> epochs_;
};

}  // namespace thresher
