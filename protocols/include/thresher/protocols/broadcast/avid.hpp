// AVID as a reliable broadcast: fragments under a Merkle root instead of n copies of the payload.
//
//   Avid node({.committee = *Committee::of(4), .self = NodeId{0}});
//   Executor<Avid, Backend> executor(std::move(node), backend);
//   executor.run(Requested<Avid::Request>{{payload}});        // broadcasts the next payload
//
// The origin sends each node one fragment and the proof that it is a leaf of the root; nodes echo
// theirs to all. Every link carries O(|m|/n) of a payload m: n |m| * n/(n-2f) in all, and 32 log n
// bytes of proof a message. Guarantees: broadcast.hpp's, for n > 3f and n <= 255. Every correct
// node finds out a root whose leaves are not a codeword before it says ready, so two codewords
// under one root fork nobody. Does not order; does not hide the payload from holders of few
// fragments (the first n-2f are the payload). Rules and arguments: docs/protocols/avid.md. Source:
// Cachin and Tessaro, "Asynchronous verifiable information dispersal" (SRDS 2005), the reliable
// broadcast of section 4; the proofs as Merkle paths are HoneyBadger's (CCS 2016).
#pragma once

#include <set>

#include "thresher/protocols/broadcast/coded.hpp"

namespace thresher {

namespace avid {

using namespace coded;  // NOLINT(google-build-using-namespace): one vocabulary for both

/// One leaf of a root: what a node holds of a payload.
struct Piece {
  Digest root{};
  Bytes fragment;
  std::vector<Digest> proof;
};
/// From the origin: the receiver's piece.
struct Disperse {
  Instance instance;
  Piece piece;
};
/// The sender's own piece.
struct Echo {
  Instance instance;
  Piece piece;
};
/// `holds`: the sender has the payload, and will not ask for fragments any more.
struct Ready {
  Instance instance;
  Digest root{};
  bool holds = false;
};

using Message = std::variant<Disperse, Echo, Ready, Ask, Floor>;

/// What somebody said of a root.
struct Count {
  explicit Count(const Committee& c) : echo(c), ready(c), holders(c.size()) {}

  Tally echo;
  Tally ready;
  NodeSet holders;
  std::map<NodeId, Bytes> fragments{};  ///< proved; at most the n-2f that are needed
};

struct State : coded::State {
  using coded::State::State;

  std::map<Digest, Count> counts;
  std::set<Digest> no_codeword;  ///< roots that were found out
  Piece mine;                    ///< echoed; without the fragment where the payload is held
  std::vector<Digest> leaves;    ///< of an own payload, once somebody asked for a piece again
  bool told_holding = false;
};

/// Echoes wait for n-f, so that of any n-f the n-2f correct ones give the payload to everybody.
inline constexpr Thresholds kThresholds{.ready = kAvailability};

}  // namespace avid

class Avid : public coded::Instances<Avid, avid::State, avid::Message> {
 public:
  static constexpr std::string_view kName = "avid";

  explicit Avid(Config config) : Instances(config, avid::kThresholds) {}

  /// The pieces of one root over `fragments`, by node: what an origin sends.
  static std::vector<avid::Piece> pieces_of(std::span<const Bytes> fragments);
  /// Whether `piece` is leaf `index` of its root in a tree of `leaves`.
  static bool proved(const avid::Piece& piece, NodeId index, std::uint32_t leaves);

 private:
  friend Instances;
  using State = avid::State;
  using Instances::receive;

  void start(const avid::Instance& i, State& s, const Bytes& payload, Fx& fx);
  void receive(NodeId from, const avid::Disperse& m, Fx& fx);
  void receive(NodeId from, const avid::Echo& m, Fx& fx);
  void receive(NodeId from, const avid::Ready& m, Fx& fx);
  void say(NodeId to, const avid::Instance& i, const State& s, avid::Counter c, Fx& fx) const;
  void say_bare(NodeId to, const avid::Instance& i, const Digest& root, avid::Counter c,
                Fx& fx) const;
  void say_input(NodeId to, const avid::Instance& i, State& s, Fx& fx);
  void restore(const avid::Instance& i, State& s, avid::Counter c, const Restored& record);
  void resume(const avid::Instance& i, State& s, Fx& fx);
  std::size_t values(const State& s) const { return s.counts.size(); }
  bool all_hold(const State& s) const;
  std::size_t held_on_word(const State& s, NodeId from) const;

  static std::vector<Digest> leaves_of(std::span<const Bytes> fragments);
  bool fits(const avid::Piece& piece, NodeId index) const;
  avid::Count& count(State& s, const Digest& root) const;
  static void forget_unsaid(State& s, const Digest& root);
  void echo(const avid::Instance& i, State& s, const avid::Piece& piece, Fx& fx);
  void ready(const avid::Instance& i, State& s, const Digest& root, Fx& fx);
  bool recover(const avid::Instance& i, State& s, const Digest& root, avid::Count& c);
  bool step_at(const avid::Instance& i, State& s, const Digest& root, avid::Count& c, Fx& fx);
  void advance(const avid::Instance& i, State& s, Fx& fx);
  void drop_fragments(const avid::Instance& i, State& s, const Digest& root, avid::Count& c);
};

static_assert(broadcast::Broadcast<Avid>);

}  // namespace thresher
