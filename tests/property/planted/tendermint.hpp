// Tendermint as its paper has it, with bugs to plant: what check_protocol has to find by default.
//
//   Tendermint right(committee, NodeId{0});
//   Tendermint wrong(committee, NodeId{0}, Bug::kForgetsLock);
//
// Buchman, Kwon and Milosevic, "The latest gossip on BFT consensus" (arXiv 1807.04938), Algorithm
// 1; comments name its lines. The paper's gossip is made of four things here: a node repeats what
// it said in this round and the last one, and the votes of others that it heard, a proposal of a
// valid value carries the prevotes that made it valid, and a node that decided a height answers
// those that still ask for it with the precommits. Votes are signed by a stand-in: a tag that only
// its voter makes, since liars change no more than the subject lets them.
//
// Guarantees (without a bug): one value a height at all correct nodes, and a decision at every
// height once messages arrive within Delta. What a node voted and locked is durable before it says
// so.
#pragma once

#include <compare>
#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "thresher/core/committee.hpp"
#include "thresher/core/hash.hpp"
#include "thresher/core/protocol.hpp"

namespace thresher::planted {

/// What a node does wrong.
enum class Bug : std::uint8_t {
  kNone,
  kFewPrevotes,     ///< locks and precommits on a quorum of prevotes less one
  kFewPrecommits,   ///< decides on a quorum of precommits less one
  kForgetsLock,     ///< a new round has no lock
  kUnlocksOnNil,    ///< whoever precommits nil gives its lock up
  kOldProof,        ///< prevotes against its lock by a proof that is older than the lock
  kNoProof,         ///< believes a validRound without the prevotes of that round
  kAcrossRounds,    ///< precommits of all rounds count together
  kCountsTwice,     ///< a vote that comes twice counts twice
  kSecondPrevote,   ///< prevotes again for a second proposal of the round
  kLockInMemory,    ///< the lock does not outlive a crash
  kVotesInMemory,   ///< the votes of a round do not outlive a crash
  kBackInTime,      ///< a timer of an earlier round starts the round after that again
  kBelievesAnyone,  ///< takes a decision from a node that shows no precommits
  kOwnValue,        ///< proposes a value of its own though it has a valid one
  kNoValidRound,    ///< proposes its valid value as if it were new
  kNoEscalation,    ///< waits no longer in later rounds
  kNoSkip,          ///< stays in its round though f+1 nodes are in later ones
  kNoRepetition,    ///< says everything once
  kNoAnswers,       ///< leaves those that lag alone
};
inline constexpr std::size_t kBugs = static_cast<std::size_t>(Bug::kNoAnswers) + 1;
std::string_view to_string(Bug bug);

class Tendermint {
 public:
  enum class Kind : std::uint8_t {
    kProposal,
    kPrevote,
    kPrecommit,
    kStatus,
    kDecision,
    kPrevotes,  ///< of others, as the sender heard them
    kPrecommits,
  };
  static constexpr std::int32_t kNever = -1;  // of rounds

  /// A vote for `id` (zero: nil), as others can show it on.
  struct Vote {
    NodeId voter{};
    Digest id{};
    std::uint64_t tag = 0;
  };
  struct Message {
    Kind kind = Kind::kStatus;
    std::uint64_t height = 0;
    std::int32_t round = 0;
    std::int32_t valid_round = kNever;  ///< of a proposal
    Bytes payload{};                    ///< of proposals and decisions
    Digest id{};                        ///< of votes
    std::uint64_t tag = 0;
    std::vector<Vote>
        proof{};  ///< prevotes of the valid round, precommits of the decision, or votes
  };
  struct Output {
    std::uint64_t height = 0;
    Bytes payload;
  };
  struct Request {
    Bytes payload;
  };
  using Fx = EffectsOf<Tendermint>;

  Tendermint(const Committee& committee, NodeId self, Bug bug = Bug::kNone);

  void on(const Restored& record, Fx& fx);
  void on(const Start&, Fx& fx);
  void on(const Requested<Request>& asked, Fx& fx);
  void on(const Received<Message>& heard, Fx& fx);
  void on(const Expired& timer, Fx& fx);

  std::uint64_t height() const { return height_; }
  /// In Delta: how long the next decision may take once messages arrive in time.
  std::uint64_t patience() const;
  /// The stand-in for `voter`'s signature.
  static std::uint64_t tag_of(NodeId voter, const Message& vote);

 private:
  enum class Step : std::uint8_t { kPropose, kPrevote, kPrecommit };
  // Votes of one kind in one round: of each node the first.
  using Votes = std::vector<Vote>;
  struct Round {
    std::optional<Message> proposal{};
    Votes prevotes{};
    Votes precommits{};
    bool waits_for_prevotes = false;
    bool waits_for_precommits = false;
    std::vector<Message> said{};  // by this node
  };
  // A value with the round of its prevotes.
  struct Marked {
    std::int32_t round = kNever;
    Bytes payload{};
    std::vector<Vote> proof{};
  };
  struct Decided {
    std::int32_t round = 0;
    Bytes payload{};
    std::vector<Vote> proof{};
  };

  bool has(Bug bug) const { return bug_ == bug; }
  static Digest id_of(const Bytes& payload);
  NodeId proposer(std::uint64_t height, std::int32_t round) const;
  Delay timeout(std::int32_t round) const;
  std::uint32_t quorum(Kind kind) const;

  void start_round(std::int32_t round, Fx& fx);
  void propose(Fx& fx);
  void vote(Kind kind, const Digest& id, Fx& fx);
  void repeat(Fx& fx);
  std::vector<Message> repeated() const;
  std::vector<Message> heard() const;
  void wait(Step step, Delay after, Fx& fx) const;

  bool take(NodeId from, const Message& m);
  bool take_proposal(NodeId from, const Message& m);
  bool take_vote(NodeId from, const Message& m);
  bool take_votes(const Message& m);
  void take_decision(NodeId from, const Message& m, Fx& fx);
  void answer(NodeId to, std::uint64_t height, Fx& fx) const;
  static std::uint32_t count(const Votes& votes, const Digest& id);
  std::vector<Vote> proof_of(const Votes& votes, const Digest& id) const;
  bool proves(const Message& m, Kind kind, std::int32_t round) const;
  Votes precommits_for(std::int32_t round) const;

  // The rules of Algorithm 1. True: it did something, so others may be ready now.
  void progress(Fx& fx);
  bool prevote(Fx& fx);
  bool may_prevote(const Message& proposal) const;
  bool lock(Fx& fx);
  bool precommit_nil(Fx& fx);
  bool await_votes(Fx& fx);
  bool decide(Fx& fx);
  bool skip(Fx& fx);
  void decided(Decided decision, Fx& fx);

  void save(Fx& fx) const;
  void restore(ByteView state);

  Committee committee_;
  NodeId self_;
  Bug bug_;
  std::uint64_t height_ = 1;
  std::int32_t round_ = 0;
  Step step_ = Step::kPropose;
  Marked locked_;
  Marked valid_;
  std::map<std::int32_t, Round> rounds_;        // of this height
  std::vector<std::int32_t> seen_;              // by node: its latest round in this height
  std::vector<Received<Message>> early_;        // of the next height
  std::map<std::uint64_t, Decided> decisions_;  // by height
  std::deque<Bytes> requests_;
};

}  // namespace thresher::planted
