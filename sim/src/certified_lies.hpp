// What a liar of the certified DAG can have certified: it proposes headers of its own making,
// gathers the votes, and shows the certificate to whom it likes.
//
//   CertifiedLies lies(committee, rules, gc_depth, joint, signer, tries, order);
//   lies.note(message);                                   // of anybody, as it is sent
//   lies.heard(vote);                                     // by a liar
//   for (auto& made : lies.forge(id, "", mood, salt)) ... // a header, or the certificate of one
//
// A header that it makes withholds the vote for the anchor, denies the own vertices that gave one
// (docs/protocols/anchored.md), and gives an anchor just enough parents. Signs one header a round:
// a second one would find no votes. While it plots, it proposes only once the others wait for it
// alone, shows its anchors to few, votes for every anchor that it can and denies that ever after.
//
// With samples (the field `sample`): f liars withhold their votes, and the one that leads looks for
// a sample of D vertices that did not vote, so that its anchor misses the committed one (that page,
// "What `sparse-bullshark` promises"). Where samples are the author's word it names whom it likes;
// where everybody computes them from the set in the header, it tries sets one by one: grinding.
//
// Guarantees: a function of what was noted and heard. Keeps the vertices of the latest rounds.
// Withholds no vote on headers of others, however bad they are.
#pragma once

#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "certified_order.hpp"
#include "thresher/protocols/certified/joint_signature.hpp"
#include "thresher/protocols/certified/message.hpp"
#include "thresher/sim/signing.hpp"
#include "thresher/sim/subject.hpp"

namespace thresher::sim {

class CertifiedLies {
 public:
  CertifiedLies(const Committee& committee, const certified::Rules& rules, std::uint64_t gc_depth,
                std::shared_ptr<const certified::JointSignature> joint, Signer signer,
                std::uint64_t tries, std::shared_ptr<const CertifiedOrder> order)
      : committee_(committee),
        rules_(rules),
        gc_depth_(gc_depth),
        joint_(std::move(joint)),
        signer_(std::move(signer)),
        tries_(tries),
        order_(std::move(order)) {}

  void note(const certified::VertexPtr& vertex);
  void heard(const certified::Vote& vote);
  std::vector<Forged<certified::Message>> forge(NodeId id, std::string_view field,
                                                std::uint64_t mood, std::uint64_t salt);
  /// Those of the asked-for vertices that are certified, whoever may have them.
  std::optional<certified::Message> hand_out(const certified::Want& want) const;
  /// What came of it.
  struct Grinding {
    std::uint64_t anchors = 0;  ///< of liars, certified, over an anchor that had its votes
    std::uint64_t missed = 0;   ///< of those: without a path to it
    std::uint64_t tries = 0;    ///< sets that were tried for them
  };
  const Grinding& grinding() const { return grinding_; }
  /// `id` signs whatever is proposed.
  std::optional<certified::Message> vote(NodeId id, const certified::Propose& proposed) const;

 private:
  struct Pending {
    certified::ProposalPtr proposal;
    std::map<NodeId, Signature> votes;
  };
  using OfRound = std::map<NodeId, certified::VertexPtr>;

  // certified_samples.cpp
  std::optional<certified::Header> craft_sampled(NodeId id, Round round, bool lies, Prng& rng);
  bool take_sample(certified::Header& h, const OfRound& before, const NodeSet& shunned, bool lies,
                   Prng& rng);
  bool leads(NodeId id, Round round) const;
  NodeSet voters_for(Round anchor) const;
  bool committed(Round anchor) const;
  void judge(const certified::Vertex& vertex);

  std::optional<certified::Certify> certify(NodeId id);
  std::optional<certified::Header> craft(NodeId id, Round round, std::string_view field,
                                         std::uint64_t mood, Prng& rng);
  NodeSet parents_of(const certified::Header& header, bool votes, bool hides, Prng& rng) const;
  Round self_of(NodeId id, Round round, std::uint64_t forgets, Prng& rng) const;
  Round before_votes(NodeId id, Round round) const;
  bool votes_for(const certified::Header& h, Round anchor) const;
  std::uint64_t top(NodeId besides) const;
  std::uint64_t awaited(NodeId liar) const;

  Committee committee_;
  certified::Rules rules_;
  std::uint64_t gc_depth_;
  std::shared_ptr<const certified::JointSignature> joint_;
  Signer signer_;
  std::uint64_t tries_;
  std::shared_ptr<const CertifiedOrder> order_;
  Grinding grinding_;
  std::map<std::uint64_t, OfRound> by_round_;
  std::map<NodeId, Pending> pending_;  // the header that a liar waits for votes on
};

}  // namespace thresher::sim
