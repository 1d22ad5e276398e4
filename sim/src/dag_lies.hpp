// What a liar of the uncertified DAG can say instead: it knows every block that was sent, and signs
// one that names others.
//
//   DagLies lies(committee, liars, rules, signer);
//   lies.note(block);                                      // of anybody, as it is sent
//   lies.change(header, payload, Mutation("claim", salt)); // claims another leader block, or none
//   lies.forge(id, rules.dense, action, mood, salt);         // blocks that nobody's rules made
//
// A forger votes for and claims any leader block or none, jumps over own
// blocks that would give it away, gives leader blocks just enough parents, so that what it dislikes
// stays hidden, puts twins of liars in the place of parents, signs variants, and speaks late. An
// action with an `amount` hides evidence: leader blocks come in time for some, votes and claims
// when some of the others have spoken so many rounds after the leader's, and for the same few.
//
// Guarantees: a function of what was noted and the mutation. Names blocks that exist; only a claim
// may, for want of another, name one that nobody has. Bounded: the latest rounds are remembered.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "mutation.hpp"
#include "thresher/protocols/dag/block.hpp"
#include "thresher/protocols/dag/message.hpp"
#include "thresher/protocols/dag/rules.hpp"
#include "thresher/protocols/dag/turns.hpp"
#include "thresher/sim/signing.hpp"

namespace thresher::sim {

class DagLies {
 public:
  DagLies(const Committee& committee, NodeSet liars, const dag::Rules& rules, Signer signer)
      : committee_(committee),
        rule_(rules.leaders),
        kills_(rules.two_delays),
        liars_(std::move(liars)),
        signer_(std::move(signer)) {}

  static constexpr const char* kClaims = "claim";  ///< a leader block that liars voted for so
  static constexpr const char* kNames = "name";    ///< a liar's block

  void note(const dag::BlockPtr& block);
  /// What a correct node that sends a block vouches for with it that a liar showed to some alone,
  /// so that it may have to prove it to others; empty: nothing.
  std::string_view vouched_by(const dag::Header& header) const;
  /// Changes one field of a block that is about to be signed; false: there is nothing to change.
  bool change(dag::Header& header, dag::Payload& payload, Mutation by) const;

  /// Blocks of one round that `id` may sign now, each with its audience; `dense` parents make a
  /// leader block. With a field named only that one lies. They count as sent.
  std::vector<Forged<dag::Message>> forge(NodeId id, std::uint32_t dense, const FaultAction& action,
                                          std::uint64_t mood, std::uint64_t salt);
  /// What fills memory, on hearing a message (stuffing/dag.hpp).
  std::vector<dag::Message> stuff(NodeId id, const dag::Message& heard, std::uint64_t salt);
  /// Those of the asked-for blocks that exist, whoever may have them.
  std::optional<dag::Message> hand_out(const dag::Message& asked) const;

 private:
  using Name = std::optional<Digest>;
  struct Taste;
  struct Draft;

  std::vector<Round> rounds_to_speak_in(Draft& draft, NodeId id) const;
  void hide(const dag::Block& block);
  bool spoken(std::uint64_t round, std::uint64_t quarters) const;
  void speak(Draft& draft, NodeId id, Round round, std::vector<Forged<dag::Message>>& made);
  bool craft(Draft& draft) const;
  void point_back(Draft& draft) const;
  bool add_parents(Draft& draft) const;
  void double_a_parent(Draft& draft) const;
  Name supported(Draft& draft, std::uint64_t round, std::uint64_t odds) const;
  std::vector<dag::BlockPtr> blocks_of(std::uint64_t round, NodeId author) const;
  std::uint64_t top(NodeId besides) const;

  NodeId turn(Round round) const { return dag::turn_of(round, committee_, rule_); }
  std::vector<dag::BlockPtr> leaders(std::uint64_t round) const;
  void say_whose(dag::Header& header) const;
  bool name_another(std::uint64_t round, Name& name, std::uint64_t salt) const;
  bool change_claim(dag::Header& header, std::uint64_t salt) const;
  bool change_refs(dag::Header& header, std::uint64_t salt) const;
  bool change_self(dag::Header& header, std::uint64_t salt) const;

  Committee committee_;
  dag::Leaders rule_;  // liars know whose turn it is, and not who is passed over
  bool kills_;         // blocks may KILL: a lie in claims is one in that too
  std::map<Digest, dag::BlockPtr> known_;  // the same blocks
  std::uint64_t forged_ = 0;               // so that no two are alike
  std::set<Digest> shown_to_some_;         // liars' blocks, and the leader blocks they vote for
  std::map<Digest, dag::BlockPtr> twins_;  // that liars fill memory with
  NodeSet liars_;
  Signer signer_;
  std::map<std::uint64_t, std::vector<dag::BlockPtr>> by_round_;
};

}  // namespace thresher::sim
