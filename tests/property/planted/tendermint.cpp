#include "tendermint.hpp"

#include <algorithm>

#include "thresher/core/prng.hpp"
#include "thresher/core/transcript.hpp"

namespace thresher::planted {
namespace {

constexpr std::uint64_t kDelta = 1000;  // of Delay
constexpr std::int32_t kLongest = 6;    // Delta that a step waits at most
constexpr Delay kRepeatEvery{2 * kDelta};
constexpr std::int32_t kWindow = 64;        // rounds ahead of which nothing is kept
constexpr std::size_t kMostEarly = 16;      // messages of the next height, a node of the committee
constexpr std::uint32_t kRepetition = ~0U;  // a timer's name
constexpr std::uint32_t kStateTable = 1;
constexpr std::uint32_t kDecisionTable = 2;
constexpr Digest kNil{};

// A timer is named by step, round and height; the height's lowest bits tell it from the last ones.
constexpr std::uint32_t kRoundBits = 10;
constexpr std::uint32_t kHeightBits = 20;

void put(Writer& out, const Bytes& bytes) {
  out.u32(static_cast<std::uint32_t>(bytes.size())).bytes(bytes.view());
}
Bytes get_bytes(Reader& in) {
  const std::uint32_t size = in.u32();
  return Bytes::copy_of(in.bytes(size));
}
void put(Writer& out, const std::vector<Tendermint::Vote>& votes) {
  out.u32(static_cast<std::uint32_t>(votes.size()));
  for (const auto& vote : votes) out.u16(vote.voter.value).bytes(vote.id.bytes).u64(vote.tag);
}
std::vector<Tendermint::Vote> get_votes(Reader& in) {
  std::vector<Tendermint::Vote> votes(in.u32());
  for (auto& vote : votes) {
    vote.voter = NodeId{in.u16()};
    vote.id = in.digest();
    vote.tag = in.u64();
  }
  return votes;
}
void put(Writer& out, std::int32_t round) {
  out.u32(static_cast<std::uint32_t>(round));
}
std::int32_t get_round(Reader& in) {
  return static_cast<std::int32_t>(in.u32());
}

}  // namespace

std::string_view to_string(Bug bug) {
  constexpr std::string_view kNames[] = {
      "none",
      "locks on a quorum of prevotes less one",
      "decides on a quorum of precommits less one",
      "a new round forgets the lock",
      "a nil precommit gives the lock up",
      "a proof older than the lock overrules it",
      "a validRound without proof is believed",
      "precommits count across rounds",
      "a vote counts as often as it comes",
      "prevotes for a second proposal of a round",
      "the lock does not outlive a crash",
      "the votes do not outlive a crash",
      "an old timer starts an old round again",
      "a decision is believed without precommits",
      "a proposer prefers a value of its own",
      "a valid value is proposed without its round",
      "timeouts do not grow",
      "f+1 nodes ahead are not followed",
      "nothing is said twice",
      "nodes that lag get no answers",
  };
  static_assert(std::size(kNames) == kBugs);
  return kNames[static_cast<std::size_t>(bug)];
}

Tendermint::Tendermint(const Committee& committee, NodeId self, Bug bug)
    : committee_(committee), self_(self), bug_(bug), seen_(committee.size(), kNever) {}

Digest Tendermint::id_of(const Bytes& payload) {
  return hash(payload.view());
}

NodeId Tendermint::proposer(std::uint64_t height, std::int32_t round) const {
  const std::uint64_t turn = height + static_cast<std::uint64_t>(round);
  return NodeId{static_cast<std::uint16_t>(turn % committee_.size())};
}

// It grows with the round, so that in some round it is longer than messages take.
Delay Tendermint::timeout(std::int32_t round) const {
  const std::int32_t units = has(Bug::kNoEscalation) ? 1 : std::min(1 + round, kLongest);
  return Delay{static_cast<std::uint64_t>(units) * kDelta};
}

// Every proposer gets a turn with the longest timeouts, and nodes have to find each other first.
std::uint64_t Tendermint::patience() const {
  constexpr std::uint64_t kSteps = 3;
  return (committee_.size() + std::uint64_t{2}) * kSteps * (kLongest + 1);
}

std::uint32_t Tendermint::quorum(Kind kind) const {
  const std::uint32_t enough = committee_.at_least(kQuorum);
  const bool less = (kind == Kind::kPrevote && has(Bug::kFewPrevotes)) ||
                    (kind == Kind::kPrecommit && has(Bug::kFewPrecommits));
  return less ? enough - 1 : enough;
}

std::uint64_t Tendermint::tag_of(NodeId voter, const Message& vote) {
  Reader id(vote.id.bytes);
  const std::uint64_t place =
      vote.height * (std::uint64_t{kWindow} << 32) + static_cast<std::uint64_t>(vote.round);
  const auto kind = static_cast<std::uint64_t>(vote.kind);
  return mix64(mix64(mix64(voter.value * std::uint64_t{8} + kind) ^ place) ^ id.u64());
}

// --- inputs -----------------------------------------------------------------------------------

void Tendermint::on(const Start&, Fx& fx) {
  fx.push(ArmTimer{TimerId{kRepetition}, kRepeatEvery});
  if (step_ == Step::kPropose) start_round(round_, fx);
  progress(fx);
}

void Tendermint::on(const Requested<Request>& asked, Fx&) {
  requests_.push_back(asked.request.payload);
}

void Tendermint::on(const Received<Message>& heard, Fx& fx) {
  const Message& m = heard.message;
  if (m.height < height_) {
    if (m.kind == Kind::kStatus) answer(heard.from, m.height, fx);
    return;
  }
  if (m.height > height_) {
    const auto own = std::count_if(early_.begin(), early_.end(),
                                   [&](const auto& e) { return e.from == heard.from; });
    if (m.height == height_ + 1 && static_cast<std::size_t>(own) < kMostEarly)
      early_.push_back(heard);
    return;
  }
  if (m.kind == Kind::kDecision) return take_decision(heard.from, m, fx);
  if (take(heard.from, m)) progress(fx);
}

// Lines 57 to 67.
void Tendermint::on(const Expired& timer, Fx& fx) {
  if (timer.id.local == kRepetition) {
    repeat(fx);
    return fx.push(ArmTimer{timer.id, kRepeatEvery});
  }
  const std::uint32_t name = timer.id.local;
  const auto step = static_cast<Step>(name & 3);
  const auto round = static_cast<std::int32_t>(name >> 2 & ((1U << kRoundBits) - 1));
  if (name >> (2 + kRoundBits) != (height_ & ((1U << kHeightBits) - 1))) return;
  if (round != round_) {
    if (!has(Bug::kBackInTime) || step != Step::kPrecommit) return;
    start_round(round + 1, fx);
    return progress(fx);
  }
  switch (step) {
    case Step::kPropose:  // line 57
      if (step_ == Step::kPropose) vote(Kind::kPrevote, kNil, fx);
      break;
    case Step::kPrevote:  // line 61
      if (step_ == Step::kPrevote) vote(Kind::kPrecommit, kNil, fx);
      break;
    case Step::kPrecommit:  // line 65
      start_round(round_ + 1, fx);
      break;
  }
  progress(fx);
}

// --- speaking ---------------------------------------------------------------------------------

// Lines 11 to 21.
void Tendermint::start_round(std::int32_t round, Fx& fx) {
  round_ = round;
  step_ = Step::kPropose;
  if (has(Bug::kForgetsLock)) locked_ = {};
  if (proposer(height_, round_) == self_) {
    propose(fx);
  } else {
    wait(Step::kPropose, timeout(round_), fx);
  }
}

void Tendermint::propose(Fx& fx) {
  Message m{.kind = Kind::kProposal, .height = height_, .round = round_};
  const bool keeps = valid_.round != kNever && !has(Bug::kOwnValue);
  if (keeps) {
    m.payload = valid_.payload;
    m.valid_round = has(Bug::kNoValidRound) ? kNever : valid_.round;
    m.proof = valid_.proof;
  } else if (!requests_.empty()) {
    m.payload = requests_.front();
  }
  take(self_, m);
  rounds_[round_].said.push_back(m);
  fx.broadcast(std::move(m));
}

// What is voted is durable first, with the lock that goes with it.
void Tendermint::vote(Kind kind, const Digest& id, Fx& fx) {
  Message m{.kind = kind, .height = height_, .round = round_, .id = id};
  m.tag = tag_of(self_, m);
  step_ = kind == Kind::kPrevote ? Step::kPrevote : Step::kPrecommit;
  if (kind == Kind::kPrecommit && id == kNil && has(Bug::kUnlocksOnNil)) locked_ = {};
  take(self_, m);
  rounds_[round_].said.push_back(m);
  save(fx);
  fx.broadcast(std::move(m));
}

// A node alone in the latest round may be the one that the others lack in the round before.
std::vector<Tendermint::Message> Tendermint::repeated() const {
  std::vector<Message> out;
  for (const std::int32_t round : {round_ - 1, round_}) {
    const auto it = rounds_.find(round);
    if (it == rounds_.end()) continue;
    out.insert(out.end(), it->second.said.begin(), it->second.said.end());
  }
  return out;
}

// A liar may vote to some alone: what one correct node counts all have to hear of, or they do not
// end their rounds together.
std::vector<Tendermint::Message> Tendermint::heard() const {
  std::vector<Message> out;
  for (const std::int32_t round : {round_ - 1, round_}) {
    const auto it = rounds_.find(round);
    if (it == rounds_.end()) continue;
    const Message m{.height = height_, .round = round};
    for (const Kind kind : {Kind::kPrevotes, Kind::kPrecommits}) {
      const Votes& votes = kind == Kind::kPrevotes ? it->second.prevotes : it->second.precommits;
      if (votes.empty()) continue;
      out.push_back(m);
      out.back().kind = kind;
      out.back().proof = votes;
    }
  }
  return out;
}

// What the paper leaves to gossip: everybody hears what was said in this round and the last one,
// and where a node is.
void Tendermint::repeat(Fx& fx) {
  if (!has(Bug::kNoRepetition)) {
    for (Message& m : repeated()) fx.broadcast(std::move(m));
    for (Message& m : heard()) fx.broadcast(std::move(m));
  }
  fx.broadcast({.kind = Kind::kStatus, .height = height_, .round = round_});
}

void Tendermint::wait(Step step, Delay after, Fx& fx) const {
  const auto round = static_cast<std::uint32_t>(round_) & ((1U << kRoundBits) - 1);
  const auto height = static_cast<std::uint32_t>(height_) & ((1U << kHeightBits) - 1);
  const std::uint32_t name =
      height << (2 + kRoundBits) | round << 2 | static_cast<std::uint32_t>(step);
  fx.push(ArmTimer{TimerId{name}, after});
}

// --- hearing ----------------------------------------------------------------------------------

// Of this height. False: it is of no use.
bool Tendermint::take(NodeId from, const Message& m) {
  if (m.round < 0 || m.round > round_ + kWindow) return false;
  seen_[from.value] = std::max(seen_[from.value], m.round);
  switch (m.kind) {
    case Kind::kProposal:
      return take_proposal(from, m);
    case Kind::kPrevote:
    case Kind::kPrecommit:
      return take_vote(from, m);
    case Kind::kStatus:
      return true;
    case Kind::kPrevotes:
    case Kind::kPrecommits:
      return take_votes(m);
    case Kind::kDecision:
      return false;
  }
  return false;
}

// The first one of the round's proposer. A validRound comes with its prevotes (line 28).
bool Tendermint::take_proposal(NodeId from, const Message& m) {
  if (from != proposer(height_, m.round)) return false;
  if (m.valid_round < kNever || m.valid_round >= m.round) return false;
  const bool proven =
      m.valid_round == kNever || has(Bug::kNoProof) || proves(m, Kind::kPrevote, m.valid_round);
  if (!proven) return false;
  Round& round = rounds_[m.round];
  const bool again =
      round.proposal && has(Bug::kSecondPrevote) && round.proposal->payload != m.payload;
  if (round.proposal && !again) return false;
  if (again && m.round == round_) step_ = Step::kPropose;
  round.proposal = m;
  return true;
}

bool Tendermint::take_vote(NodeId from, const Message& m) {
  if (m.tag != tag_of(from, m)) return false;
  Round& round = rounds_[m.round];
  Votes& votes = m.kind == Kind::kPrevote ? round.prevotes : round.precommits;
  const bool known =
      std::any_of(votes.begin(), votes.end(), [&](const Vote& v) { return v.voter == from; });
  if (known && !has(Bug::kCountsTwice)) return false;
  votes.push_back({from, m.id, m.tag});
  return true;
}

// Each stands for itself, whoever passed it on.
bool Tendermint::take_votes(const Message& m) {
  Message vote{.kind = m.kind == Kind::kPrevotes ? Kind::kPrevote : Kind::kPrecommit,
               .height = m.height,
               .round = m.round};
  Round& round = rounds_[m.round];
  Votes& votes = m.kind == Kind::kPrevotes ? round.prevotes : round.precommits;
  bool news = false;
  for (const Vote& v : m.proof) {
    vote.id = v.id;
    const bool known = std::any_of(votes.begin(), votes.end(),
                                   [&](const Vote& other) { return other.voter == v.voter; });
    if (known || !committee_.contains(v.voter) || v.tag != tag_of(v.voter, vote)) continue;
    votes.push_back(v);
    news = true;
  }
  return news;
}

void Tendermint::take_decision(NodeId from, const Message& m, Fx& fx) {
  if (!has(Bug::kBelievesAnyone) && !proves(m, Kind::kPrecommit, m.round)) return;
  decided({m.round, m.payload, m.proof}, fx);
  fx.send(from, {.kind = Kind::kStatus, .height = height_, .round = round_});
  progress(fx);
}

void Tendermint::answer(NodeId to, std::uint64_t height, Fx& fx) const {
  const auto it = decisions_.find(height);
  if (it == decisions_.end() || has(Bug::kNoAnswers)) return;
  const Decided& d = it->second;
  fx.send(to, {.kind = Kind::kDecision,
               .height = height,
               .round = d.round,
               .payload = d.payload,
               .proof = d.proof});
}

std::uint32_t Tendermint::count(const Votes& votes, const Digest& id) {
  return static_cast<std::uint32_t>(
      std::count_if(votes.begin(), votes.end(), [&](const Vote& v) { return v.id == id; }));
}

std::vector<Tendermint::Vote> Tendermint::proof_of(const Votes& votes, const Digest& id) const {
  std::vector<Vote> proof;
  std::copy_if(votes.begin(), votes.end(), std::back_inserter(proof),
               [&](const Vote& v) { return v.id == id; });
  return proof;
}

// A quorum of nodes voted in that round for what the message holds.
bool Tendermint::proves(const Message& m, Kind kind, std::int32_t round) const {
  const Message vote{.kind = kind, .height = m.height, .round = round, .id = id_of(m.payload)};
  Tally voters(committee_);
  for (const Vote& v : m.proof) {
    const bool good = committee_.contains(v.voter) && v.id == vote.id;
    if (good && v.tag == tag_of(v.voter, vote)) voters.add(v.voter);
  }
  // A node that counts wrongly gives wrong proofs, and believes them.
  const bool any_round = kind == Kind::kPrecommit && has(Bug::kAcrossRounds);
  if (has(Bug::kCountsTwice) || any_round) return m.proof.size() >= quorum(kind);
  return voters.count() >= quorum(kind);
}

Tendermint::Votes Tendermint::precommits_for(std::int32_t round) const {
  const auto own = rounds_.find(round);
  if (!has(Bug::kAcrossRounds)) return own == rounds_.end() ? Votes{} : own->second.precommits;
  Votes all;
  for (const auto& [number, r] : rounds_) {
    for (const Vote& v : r.precommits) {
      const bool known = std::any_of(all.begin(), all.end(), [&](const Vote& other) {
        return other.voter == v.voter && other.id == v.id;
      });
      if (!known) all.push_back(v);
    }
  }
  return all;
}

// --- rules ------------------------------------------------------------------------------------

void Tendermint::progress(Fx& fx) {
  while (decide(fx) || skip(fx) || prevote(fx) || lock(fx) || precommit_nil(fx) ||
         await_votes(fx)) {
  }
}

// Lines 22 to 33.
bool Tendermint::prevote(Fx& fx) {
  const auto& proposal = rounds_[round_].proposal;
  if (step_ != Step::kPropose || !proposal) return false;
  vote(Kind::kPrevote, may_prevote(*proposal) ? id_of(proposal->payload) : kNil, fx);
  return true;
}

// A lock gives way to prevotes of its own round or a later one alone.
bool Tendermint::may_prevote(const Message& proposal) const {
  if (locked_.round == kNever || locked_.payload == proposal.payload) return true;
  if (proposal.valid_round == kNever) return false;                     // line 23
  return locked_.round <= proposal.valid_round || has(Bug::kOldProof);  // line 29
}

// Lines 36 to 43.
bool Tendermint::lock(Fx& fx) {
  Round& round = rounds_[round_];
  if (step_ == Step::kPropose || !round.proposal || valid_.round == round_) return false;
  const Bytes payload = round.proposal->payload;
  const Digest id = id_of(payload);
  if (count(round.prevotes, id) < quorum(Kind::kPrevote)) return false;
  valid_ = {round_, payload, proof_of(round.prevotes, id)};
  if (step_ == Step::kPrevote) {
    locked_ = {round_, payload, {}};
    vote(Kind::kPrecommit, id, fx);
  }
  return true;
}

// Lines 44 to 46.
bool Tendermint::precommit_nil(Fx& fx) {
  if (step_ != Step::kPrevote || count(rounds_[round_].prevotes, kNil) < quorum(Kind::kPrevote))
    return false;
  vote(Kind::kPrecommit, kNil, fx);
  return true;
}

// Lines 34, 35, 47 and 48.
bool Tendermint::await_votes(Fx& fx) {
  Round& round = rounds_[round_];
  const std::uint32_t enough = committee_.at_least(kQuorum);
  if (step_ == Step::kPrevote && !round.waits_for_prevotes && round.prevotes.size() >= enough) {
    round.waits_for_prevotes = true;
    wait(Step::kPrevote, timeout(round_), fx);
    return true;
  }
  if (!round.waits_for_precommits && round.precommits.size() >= enough) {
    round.waits_for_precommits = true;
    wait(Step::kPrecommit, timeout(round_), fx);
    return true;
  }
  return false;
}

// Lines 49 to 54.
bool Tendermint::decide(Fx& fx) {
  for (const auto& [number, round] : rounds_) {
    if (!round.proposal) continue;
    const Digest id = id_of(round.proposal->payload);
    const Votes votes = precommits_for(number);
    if (count(votes, id) < quorum(Kind::kPrecommit)) continue;
    decided({number, round.proposal->payload, proof_of(votes, id)}, fx);
    return true;
  }
  return false;
}

// Lines 55 and 56. A node that is further stands for all rounds up to its own.
bool Tendermint::skip(Fx& fx) {
  if (has(Bug::kNoSkip)) return false;
  std::vector<std::int32_t> latest = seen_;
  std::sort(latest.rbegin(), latest.rend());
  const std::int32_t round = latest[committee_.at_least(kValidity) - 1];
  if (round <= round_) return false;
  start_round(round, fx);
  return true;
}

void Tendermint::decided(Decided decision, Fx& fx) {
  Writer key;
  key.u64(height_);
  Writer value;
  put(value, decision.round);
  put(value, decision.payload);
  put(value, decision.proof);
  fx.push(Persist{kDecisionTable, Bytes::from(key.take()), Bytes::from(value.take()), {}, false});
  fx.deliver({height_, decision.payload});
  std::erase(requests_, decision.payload);
  decisions_[height_++] = std::move(decision);
  locked_ = {};
  valid_ = {};
  rounds_.clear();
  seen_.assign(committee_.size(), kNever);
  start_round(0, fx);
  for (const auto& heard : std::exchange(early_, {})) {
    if (heard.message.kind != Kind::kDecision) take(heard.from, heard.message);
  }
}

// --- the disk ---------------------------------------------------------------------------------

void Tendermint::save(Fx& fx) const {
  if (has(Bug::kVotesInMemory)) return;
  Writer out;
  out.u64(height_).u8(static_cast<std::uint8_t>(step_));
  put(out, round_);
  for (const Marked* marked : {&locked_, &valid_}) {
    const bool lost = marked == &locked_ && has(Bug::kLockInMemory);
    put(out, lost ? kNever : marked->round);
    put(out, lost ? Bytes{} : marked->payload);
    put(out, marked->proof);
  }
  const std::vector<Message> said = repeated();
  out.u8(static_cast<std::uint8_t>(said.size()));
  for (const Message& m : said) {
    out.u8(static_cast<std::uint8_t>(m.kind));
    put(out, m.round);
    put(out, m.valid_round);
    put(out, m.payload);
    out.bytes(m.id.bytes).u64(m.tag);
    put(out, m.proof);
  }
  fx.push(
      Persist{kStateTable, Bytes::copy_of(as_view("state")), Bytes::from(out.take()), {}, false});
}

void Tendermint::restore(ByteView state) {
  Reader in(state);
  const std::uint64_t height = in.u64();
  if (height < height_) return;  // of a height that is decided
  height_ = height;
  step_ = static_cast<Step>(in.u8());
  round_ = get_round(in);
  for (Marked* marked : {&locked_, &valid_}) {
    marked->round = get_round(in);
    marked->payload = get_bytes(in);
    marked->proof = get_votes(in);
  }
  rounds_.clear();
  for (std::uint8_t left = in.u8(); left > 0; --left) {
    Message m{.kind = static_cast<Kind>(in.u8()), .height = height_};
    m.round = get_round(in);
    m.valid_round = get_round(in);
    m.payload = get_bytes(in);
    m.id = in.digest();
    m.tag = in.u64();
    m.proof = get_votes(in);
    take(self_, m);
    rounds_[m.round].said.push_back(m);
  }
}

// Records come in the order in which they were written.
void Tendermint::on(const Restored& record, Fx&) {
  if (record.table == kStateTable) return restore(record.value.view());
  Reader key(record.key.view());
  const std::uint64_t height = key.u64();
  Reader value(record.value.view());
  Decided d;
  d.round = get_round(value);
  d.payload = get_bytes(value);
  d.proof = get_votes(value);
  decisions_[height] = std::move(d);
  if (height < height_) return;
  height_ = height + 1;
  round_ = 0;
  step_ = Step::kPropose;
  locked_ = {};
  valid_ = {};
  rounds_.clear();
}

}  // namespace thresher::planted
