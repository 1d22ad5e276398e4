// Reliable broadcast with signatures: two delays, or linear in messages.
//
//   SignedBroadcast node({.committee = *Committee::of(4), .self = NodeId{0}});
//   Executor<SignedBroadcast, Backend> executor(std::move(node), backend);
//   executor.run(Requested<broadcast::Submit>{{payload}});
//
// The origin proposes, a node signs a vote for the first proposal of an instance that it sees, and
// a quorum of votes for one digest is a certificate: a node with it and the payload delivers.
// SignedBroadcast sends votes to all (two delays, n^2 votes); CertifiedBroadcast sends them to the
// origin, which sends the certificate to all (three delays, 3n messages).
// Guarantees, with up to f Byzantine nodes of n >= 3f+1 at any timing: those of broadcast.hpp. Two
// certificates share a correct voter, so there is one digest; what a certificate says, its holders
// give to all that lack it. A vote is on disk, with its payload, before it leaves, and a
// certificate before what it certifies is delivered. A node hears from its peers what they
// delivered by one summary of all instances, so that acknowledgements do not grow with the number
// of instances. Bounds: a peer has one vote and one certificate in an instance, right or wrong.
// Does not order, and accuses nobody. Rules: docs/protocols/signed.md. Source: Abraham, Nayak, Ren,
// Xiang, "Good-case latency of Byzantine broadcast" (PODC 2021), section 3 (2-round BRB); Reiter,
// "Secure agreement protocols" (CCS 1994) for the linear one.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "thresher/core/bounded.hpp"
#include "thresher/core/protocol.hpp"
#include "thresher/core/signature_list.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/protocols/broadcast/shelf.hpp"

namespace thresher {

namespace signed_broadcast {

using broadcast::Delivery;
using broadcast::Footprint;
using broadcast::Instance;
using broadcast::Progress;
using broadcast::Submit;

/// From the origin.
struct Propose {
  Instance instance;
  Bytes payload;
};
struct Vote {
  Instance instance;
  Digest digest{};
  Signature signature{};
};
/// A quorum signed the digest.
struct Certificate {
  Instance instance;
  Digest digest{};
  std::shared_ptr<const SignatureList> list;
};
/// Asks for what makes an instance deliver: the certificate, or the payload, or both.
struct Want {
  Instance instance;
  bool certificate = true;
  bool payload = false;
};
struct Give {
  Instance instance;
  Bytes payload;
};
/// What the sender delivered, of some origins. `asks`: it wants the receiver's.
struct Have {
  std::vector<Progress> origins;
  bool asks = false;
};

/// Summaries that a peer gets in 4 Delta because it asked for them, however often it asks.
inline constexpr std::size_t kSummaries = 4;

/// What is signed. Pre: `digest` is that of the payload.
Digest vote_digest(const ChainContext& chain, const Instance& i, const Digest& digest);

}  // namespace signed_broadcast

class SignedBroadcast {
 public:
  static constexpr std::string_view kName = "signed-broadcast";
  static constexpr std::uint32_t kNodesPerFault = 3;
  static constexpr std::uint32_t kMostNodes = Committee::kMaxSize;

  using Message =
      std::variant<signed_broadcast::Propose, signed_broadcast::Vote, signed_broadcast::Certificate,
                   signed_broadcast::Want, signed_broadcast::Give, signed_broadcast::Have>;
  using Output = broadcast::Delivery;
  using Request = broadcast::Submit;
  using Fx = Effects<Message, Output>;

  struct Config {
    Committee committee = *Committee::make(4, 1);
    NodeId self{};
    std::uint64_t window = 64;             ///< instances of one origin on the way
    std::size_t payload_bytes = 1u << 20;  ///< largest payload
    std::size_t origin_bytes = 16u << 20;  ///< of one origin on the way; at least two payloads
    std::uint64_t history = broadcast::kHistory;  ///< delivered ones kept for nodes that lag
    bool owner_forgets = false;                   ///< nothing but forget_below makes room
    ChainContext chain{};                         ///< what votes are for
    bool votes_to_origin = false;                 ///< the linear variant
    Threshold certify = kQuorum;                  ///< tests break it
  };

  explicit SignedBroadcast(Config config);

  void on(const Restored&, Fx&);
  void on(const Start&, Fx&);
  void on(const Received<Message>&, Fx&);
  void on(const Requested<Request>&, Fx&);
  void on(const Expired&, Fx&);
  void on(const Verified&, Fx&);
  void on(const Endorsed&, Fx&);

  /// As in broadcast.hpp.
  void forget_below(std::uint64_t number, Fx& fx);
  void expect(const broadcast::Instance& i, Fx& fx);
  const Bytes* delivered(const broadcast::Instance& i) const;
  bool submitted(std::uint64_t number) const { return next_ > number; }
  std::size_t open() const { return shelf_.undelivered(); }
  broadcast::Footprint footprint() const;
  static broadcast::Footprint most_held(const Config& config);
  std::uint64_t refused() const { return refused_; }
  std::uint64_t skipped() const { return shelf_.skipped(); }
  /// Instances that it looked at to see whether all is done.
  std::uint64_t looked_at() const { return shelf_.looked_at(); }

 private:
  struct State : broadcast::Kept {
    explicit State(const Committee& c) : spoke(c.size()), certifiers(c.size()) {}
    bool vouched(const Committee& c) const {
      return voted || certificate || spoke.size() >= c.at_least(kValidity);
    }

    std::optional<Digest> voted{};   // by this node
    std::optional<Signature> own{};  // its signature, once made
    bool signing = false;
    NodeSet spoke;  // whose vote was taken
    std::map<Digest, std::map<NodeId, Signature>> unverified;
    std::map<Digest, std::map<NodeId, Signature>> votes;
    NodeSet certifiers;  // whose certificate was looked at
    NodeSet certified;   // who was sent the certificate since the last tick
    std::shared_ptr<const SignatureList> certificate;
    Digest value{};           // certified; with `certificate`
    std::uint32_t asked = 0;  // ticks that it was open
  };
  /// What a verdict is about.
  struct Check {
    broadcast::Instance instance;
    Digest digest{};
    NodeId signer{};                              // of a vote
    Signature signature{};                        // of a vote
    std::shared_ptr<const SignatureList> list{};  // of a certificate
  };

  void receive(NodeId from, const signed_broadcast::Propose& m, Fx& fx);
  void receive(NodeId from, const signed_broadcast::Vote& m, Fx& fx);
  void receive(NodeId from, const signed_broadcast::Certificate& m, Fx& fx);
  void receive(NodeId from, const signed_broadcast::Want& m, Fx& fx);
  void receive(NodeId from, const signed_broadcast::Give& m, Fx& fx);
  void receive(NodeId from, const signed_broadcast::Have& m, Fx& fx);
  State* instance_of(const broadcast::Instance& i);
  void input(const broadcast::Instance& i, State& s, const Bytes& payload, Fx& fx);
  void sign(const broadcast::Instance& i, State& s, Fx& fx);
  void say_vote(const broadcast::Instance& i, const State& s, Fx& fx) const;
  void check_votes(const broadcast::Instance& i, State& s, const Digest& digest, Fx& fx);
  void try_certify(const broadcast::Instance& i, State& s, const Digest& digest, Fx& fx);
  void certified(const broadcast::Instance& i, State& s, const Digest& digest,
                 std::shared_ptr<const SignatureList> list, Fx& fx);
  enum class Payload { kStays, kGoes };  ///< whether there is room for what is delivered
  void finish(const broadcast::Instance& i, State& s, Fx& fx, Payload then = Payload::kStays);
  static void confirm(const broadcast::Instance& i, Fx& fx);
  void ask_some(const State& s, const NodeSet& of, const signed_broadcast::Want& want,
                Fx& fx) const;
  void ask(const broadcast::Instance& i, State& s, Fx& fx);
  void ask_payload(const broadcast::Instance& i, const State& s, Fx& fx) const;
  void catch_up(NodeId origin, Fx& fx);
  void open_delivered(const broadcast::Progress& p);
  bool may_forget(const broadcast::Instance& i, const State& s) const;
  bool settled() const;
  bool settled(const broadcast::Instance& i, const State& s) const;
  void trim(NodeId origin, Fx& fx);
  void raise_floor(NodeId origin, std::uint64_t number, Fx& fx);
  void tell_progress(bool ask, Fx& fx);
  void arm(Fx& fx);
  std::uint64_t ticket(Check check);

  Config config_;
  broadcast::Shelf<State> shelf_;
  broadcast::PeerProgress peers_;
  std::vector<broadcast::Progress> told_;  // by origin: what peers were told last
  std::map<std::uint64_t, Check> checks_;
  std::map<std::uint64_t, broadcast::Instance> signing_;
  std::uint64_t tickets_ = 0;
  std::uint64_t next_ = 0;  // number of the next own payload
  std::uint64_t refused_ = 0;
  std::vector<std::uint64_t> opened_;  // by origin: from the oldest open one to here all are open
  std::uint64_t beyond_ = 0;           // instances looked at beyond these, since the last tick
  PeerQuota<signed_broadcast::kSummaries> served_;  // summaries sent as answers, likewise
  bool asks_on_ = false;                            // somebody asked for more than that
  std::uint32_t quiet_ = 0;                         // ticks without news
  std::uint32_t since_all_ = 0;                     // ticks since all origins' progress was told
  bool behind_ = false;                             // somebody spoke of what is beyond the window
  bool armed_ = false;
};

/// The linear variant: votes go to the origin.
class CertifiedBroadcast : public SignedBroadcast {
 public:
  static constexpr std::string_view kName = "certified-broadcast";

  explicit CertifiedBroadcast(const Config& config) : SignedBroadcast(linear(config)) {}

 private:
  static Config linear(Config config) {
    config.votes_to_origin = true;
    return config;
  }
};

static_assert(broadcast::OwnedBroadcast<SignedBroadcast>);
static_assert(broadcast::OwnedBroadcast<CertifiedBroadcast>);

}  // namespace thresher
