// The reliable broadcast of Das, Xiang and Ren: one hash instead of a proof for each fragment, and
// error correction instead of checking them.
//
//   DasXiangRen node({.committee = *Committee::of(4), .self = NodeId{0}});
//   Executor<DasXiangRen, Backend> executor(std::move(node), backend);
//   executor.run(Requested<DasXiangRen::Request>{{payload}});  // broadcasts the next payload
//
// The origin sends the payload m to all; each node sends every other that one's fragment of it. A
// node that lacks m, because the origin sent it only to some, decodes it from fragments of which up
// to f are wrong. Cost: n |m| from the origin, and n |m| * n/(n-2f) for the fragments, twice.
// Guarantees: broadcast.hpp's, for n > 3f and n <= 255, under no assumption but the hash. Does not
// order; hides nothing. Rules and arguments: docs/protocols/das-xiang-ren.md.
// Source: Das, Xiang and Ren, "Asynchronous data dissemination and its applications" (CCS 2021),
// algorithm 4; online error correction is Ben-Or, Canetti and Goldreich's (STOC 1993).
#pragma once

#include "thresher/protocols/broadcast/coded.hpp"

namespace thresher {

namespace das_xiang_ren {

using namespace coded;  // NOLINT(google-build-using-namespace): one vocabulary for both

/// From the origin.
struct Propose {
  Instance instance;
  Bytes payload;
};
/// The receiver's fragment of a payload with this hash; empty for a receiver that has the payload.
struct Echo {
  Instance instance;
  Digest hash{};
  Bytes fragment;
};
/// The sender's fragment of a payload with this hash; empty as above.
struct Ready {
  Instance instance;
  Digest hash{};
  Bytes fragment;
};

using Message = std::variant<Propose, Echo, Ready, Ask, Floor>;

/// What some say that this node's fragment is.
struct FragmentClaim {
  Bytes fragment;
  Tally by;
};

/// What peers said of a hash.
struct Count {
  explicit Count(const Committee& c) : ready(c), echoed(c.size()) {}

  std::vector<FragmentClaim> claims{};
  Tally ready;
  NodeSet echoed;                       ///< so they have the payload
  std::map<NodeId, Bytes> fragments{};  ///< of those that said ready
  std::ptrdiff_t tried = 0;             ///< how many there were when decoding failed
};

struct State : coded::State {
  using coded::State::State;

  std::map<Digest, Count> counts;
  Bytes mine;  ///< the fragment that was called ready; empty where the payload is held
};

/// Two quorums share a correct node, so all correct nodes are ready for one hash.
inline constexpr Thresholds kThresholds{.ready = kQuorum};

}  // namespace das_xiang_ren

class DasXiangRen
    : public coded::Instances<DasXiangRen, das_xiang_ren::State, das_xiang_ren::Message> {
 public:
  static constexpr std::string_view kName = "das-xiang-ren";

  explicit DasXiangRen(Config config) : Instances(config, das_xiang_ren::kThresholds) {}

 private:
  friend Instances;
  using State = das_xiang_ren::State;
  using Instances::receive;

  void start(const das_xiang_ren::Instance& i, State& s, const Bytes& payload, Fx& fx);
  void receive(NodeId from, const das_xiang_ren::Propose& m, Fx& fx);
  void receive(NodeId from, const das_xiang_ren::Echo& m, Fx& fx);
  void receive(NodeId from, const das_xiang_ren::Ready& m, Fx& fx);
  void say(NodeId to, const das_xiang_ren::Instance& i, const State& s, das_xiang_ren::Counter c,
           Fx& fx) const;
  void say_bare(NodeId to, const das_xiang_ren::Instance& i, const Digest& hash,
                das_xiang_ren::Counter c, Fx& fx) const;
  void say_input(NodeId to, const das_xiang_ren::Instance& i, State& s, Fx& fx) const;
  void restore(const das_xiang_ren::Instance& i, State& s, das_xiang_ren::Counter c,
               const Restored& record);
  void resume(const das_xiang_ren::Instance& i, State& s, Fx& fx);
  std::size_t values(const State& s) const { return s.counts.size(); }
  bool all_hold(const State& s) const;
  std::size_t held_on_word(const State& s, NodeId from) const;

  das_xiang_ren::Count& count(State& s, const Digest& hash) const;
  static void forget_unsaid(State& s, const Digest& hash);
  bool claim(const das_xiang_ren::Instance& i, State& s, das_xiang_ren::Count& c, NodeId by,
             const Bytes& fragment);
  void input(const das_xiang_ren::Instance& i, State& s, const Bytes& payload, Fx& fx);
  bool fits(const Bytes& fragment) const;
  bool disproved(const das_xiang_ren::Count& c, const Bytes& fragment) const;
  bool understood(const State& s, const Digest& hash, const Bytes& fragment) const;
  std::optional<Bytes> vouched(const State& s, const Digest& hash,
                               const das_xiang_ren::Count& c) const;
  void ready(const das_xiang_ren::Instance& i, State& s, const Digest& hash, const Bytes& fragment,
             Fx& fx);
  bool recover(const das_xiang_ren::Instance& i, State& s, const Digest& hash,
               das_xiang_ren::Count& c);
  void drop_fragments(const das_xiang_ren::Instance& i, State& s, das_xiang_ren::Count& c);
  void drop_claims(const das_xiang_ren::Instance& i, State& s, das_xiang_ren::Count& c);
  void advance(const das_xiang_ren::Instance& i, State& s, Fx& fx);
};

static_assert(broadcast::Broadcast<DasXiangRen>);

}  // namespace thresher
