#include "thresher/protocols/order/raft.hpp"

#include <algorithm>
#include <utility>

#include "thresher/core/assert.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/core/transcript.hpp"

namespace thresher {

using namespace raft;  // NOLINT(google-build-using-namespace): the protocol's own vocabulary

namespace {

enum Timer : std::uint32_t { kElection = 1, kHeartbeat = 2 };
constexpr std::uint16_t kNobody = 0xffff;

Bytes numbers(std::uint64_t a, std::optional<std::uint64_t> b = {}) {
  Writer w;
  w.u64(a);
  if (b) w.u64(*b);
  return Bytes::from(w.take());
}

}  // namespace

Bytes raft::entry_key(std::uint64_t index) {
  return numbers(index);
}

Raft::Raft(Config config)
    : config_(config), followers_(config.committee.size()), votes_(config.committee) {}

std::uint64_t Raft::term_at(std::uint64_t index) const {
  if (index <= base_) return index == base_ ? base_term_ : 0;
  return index <= last() ? log_[index - base_ - 1].term : 0;
}

// R2. Whether a log that ends there is at least as good as this one (section 5.4.1).
bool Raft::newer(std::uint64_t last_index, std::uint64_t last_term) const {
  const std::uint64_t mine = term_at(last());
  return last_term > mine || (last_term == mine && last_index >= last());
}

void Raft::on(const Restored& record, Fx& fx) {
  Reader key(record.key.view());
  Reader value(record.value.view());
  if (started_) {
    if (record.table == kEntries) {
      const std::uint64_t index = key.u64();
      adopt(index, value.u64(), record.body, fx);
    }
  } else if (record.table == kBallot) {
    term_ = value.u64();
    const std::uint16_t voted = value.u16();
    voted_ = voted == kNobody ? std::nullopt : std::optional(NodeId{voted});
  } else if (record.table == kBase) {
    base_ = value.u64();
    base_term_ = value.u64();
  } else if (record.table == kEntries) {
    restored_[key.u64()] = {value.u64(), record.body};
  }
}

void Raft::on(const Start& start, Fx& fx) {
  started_ = true;
  // Hosts may derive seeds from ids: one inside the other, they do not cancel out. (Side by side
  // they did for a host whose seeds were the ids: all nodes had one election timeout, for ever.)
  seed_ = mix64(mix64(start.seed) + config_.self.value);
  delivered_ = commit_ = frontier_ = base_;
  for (auto it = restored_.upper_bound(base_);
       it != restored_.end() && it->first == last() + 1 && it->second.term != 0; ++it) {
    if (!it->second.value.empty()) known_[hash(it->second.value.view())] = it->first;
    log_.push_back(std::move(it->second));
  }
  restored_.clear();
  arm_election_timeout(fx);
}

void Raft::on(const Received<Message>& event, Fx& fx) {
  if (event.from == config_.self || !config_.committee.contains(event.from)) return;
  std::visit([&](const auto& m) { receive(event.from, m, fx); }, event.message);
}

// R1
void Raft::on(const Requested<Request>& event, Fx& fx) {
  const Bytes& value = event.request.value;
  if (value.empty() || value.size() > config_.value_bytes || pending_.size() >= config_.history) {
    ++refused_;
    return;
  }
  pending_.push_back(value);
  if (role_ == Role::kLeader) {
    order(value, fx);
    send_entries(fx, false);
  } else if (leader_) {
    fx.send(*leader_, Forward{value});
  }
}

void Raft::on(const Expired& timer, Fx& fx) {
  if (timer.id.local == kHeartbeat) {
    if (role_ != Role::kLeader) return;
    for (Follower& f : followers_) {
      if (!std::exchange(f.heard, false)) f.next = f.match + 1;  // what was on the way is lost
    }
    for (const Bytes& value : pending_) order(value, fx);
    send_entries(fx, true);
    fx.push(ArmTimer{{kHeartbeat, {}}, config_.heartbeat});
    return;
  }
  if (role_ != Role::kLeader && !std::exchange(heard_, false)) ask_votes(true, fx);
  pass_on(fx);
  arm_election_timeout(fx);
}

// R2
void Raft::arm_election_timeout(Fx& fx) {
  Prng rng(seed_, ++rounds_);
  const std::uint64_t least = config_.election_timeout.value;
  fx.push(ArmTimer{{kElection, {}}, Delay{least + rng.below(least)}});
}

// R1: a leader may have lost what was sent to it.
void Raft::pass_on(Fx& fx) {
  if (role_ == Role::kLeader || !leader_) return;
  for (const Bytes& value : pending_) fx.send(*leader_, Forward{value});
}

void Raft::save_ballot(Fx& fx) const {
  Writer w;
  w.u64(term_).u16(voted_ ? voted_->value : kNobody);
  fx.push(Persist{kBallot, numbers(0), Bytes::from(w.take())});
}

void Raft::follow(std::uint64_t term, Fx& fx) {
  if (term > term_) {
    term_ = term;
    voted_.reset();
    leader_.reset();
    save_ballot(fx);
  }
  role_ = Role::kFollower;
}

// R2
void Raft::ask_votes(bool pre_vote, Fx& fx) {
  pre_vote_ = pre_vote;
  leader_.reset();
  if (!pre_vote) {
    ++term_;
    voted_ = config_.self;
    role_ = Role::kCandidate;
    save_ballot(fx);
  }
  votes_ = Tally(config_.committee);
  fx.broadcast(RequestVote{term_ + (pre_vote ? 1 : 0), last(), term_at(last()), pre_vote});
  count_vote(config_.self, fx);
}

// R2
void Raft::receive(NodeId from, const RequestVote& m, Fx& fx) {
  const bool better = newer(m.last_index, m.last_term);
  if (m.pre_vote) {
    // A node that hears a leader refuses: an election would only disturb that leader.
    const bool yes = m.term > term_ && better && !heard_ && role_ != Role::kLeader;
    // Refused, it hears of the term: else a node with the better log and a lower term, and one with
    // the higher term, would refuse each other for ever.
    fx.send(from, RequestVoteReply{yes ? m.term : term_, yes, true});
    return;
  }
  if (m.term > term_) follow(m.term, fx);
  const bool yes = m.term == term_ && better && (!voted_ || *voted_ == from);
  if (yes && !voted_) {
    voted_ = from;
    heard_ = true;
    save_ballot(fx);
  }
  fx.send(from, RequestVoteReply{term_, yes, false});
}

void Raft::receive(NodeId from, const RequestVoteReply& m, Fx& fx) {
  const bool promised = m.pre_vote && m.granted;  // for a term that nobody is in yet
  if (!promised && m.term > term_) return follow(m.term, fx);
  const bool asked = pre_vote_ ? m.pre_vote && m.term == term_ + 1 && !leader_
                               : !m.pre_vote && m.term == term_ && role_ == Role::kCandidate;
  if (asked && m.granted) count_vote(from, fx);
}

// R2
void Raft::count_vote(NodeId from, Fx& fx) {
  if (!votes_.add(from) || votes_.count() != config_.committee.at_least(kQuorum)) return;
  if (pre_vote_) {
    ask_votes(false, fx);
  } else {
    lead(fx);
  }
}

void Raft::lead(Fx& fx) {
  role_ = Role::kLeader;
  leader_ = config_.self;
  for (Follower& f : followers_) f = {0, last() + 1, true};
  log_.push_back({term_, {}});
  store(last(), fx);
  for (const Bytes& value : pending_) order(value, fx);
  if (config_.committee.size() == 1) commit_to(last(), fx);
  send_entries(fx, true);
  fx.push(ArmTimer{{kHeartbeat, {}}, config_.heartbeat});
}

void Raft::store(std::uint64_t index, Fx& fx) const {
  const Entry& e = log_[index - base_ - 1];
  fx.push(Persist{kEntries, entry_key(index), numbers(e.term), e.value});
}

// R3: entries that another leader's log does not have. They are marked, not erased: a store may
// erase late, and an old entry must never come back behind a new one.
void Raft::cut(std::uint64_t from, Fx& fx) {
  THRESHER_ASSERT(from > base_, "what is delivered and forgotten stays as it is");
  for (std::uint64_t k = from; k <= last(); ++k) {
    const Bytes& value = log_[k - base_ - 1].value;
    if (!value.empty()) known_.erase(hash(value.view()));
    fx.push(Persist{kEntries, entry_key(k), numbers(0), {}});
  }
  log_.resize(from - base_ - 1);
}

// R5: what is appended here is not ordered again.
void Raft::append(const Entry& e, Fx& fx) {
  if (!e.value.empty()) known_.try_emplace(hash(e.value.view()), last() + 1);
  log_.push_back(e);
  store(last(), fx);
}

// R3, R5: a value that the log holds is not ordered again.
void Raft::order(const Bytes& value, Fx& fx) {
  if (last() - delivered_ >= config_.history) return;  // it is asked for again later
  if (!known_.try_emplace(hash(value.view()), last() + 1).second) return;
  log_.push_back({term_, value});
  store(last(), fx);
  if (config_.committee.size() == 1) commit_to(last(), fx);
}

// R3
AppendEntries Raft::entries_after(std::uint64_t index) const {
  AppendEntries m{term_, index, term_at(index), commit_, {}};
  std::size_t bytes = 0;
  for (std::uint64_t k = index + 1; k <= last(); ++k) {
    const Entry& e = log_[k - base_ - 1];
    bytes += e.value.size();
    if (!m.entries.empty() && (bytes > config_.append_bytes || m.entries.size() >= config_.window))
      break;
    m.entries.push_back(e);
  }
  return m;
}

// R3. To every follower what it lacks; one message for all when they lack the same.
void Raft::send_entries(Fx& fx, bool beat) {
  const auto ready = [&](const Follower& f) {
    return f.next > base_ && f.next <= last() && f.next - f.match <= config_.window;
  };
  bool alike = true;
  std::optional<std::uint64_t> next;
  for (std::uint32_t i = 0; i < followers_.size(); ++i) {
    if (i == config_.self.value) continue;
    if (!next) next = followers_[i].next;
    alike &= followers_[i].next == *next && (beat || ready(followers_[i])) && *next > base_;
  }
  if (!next) return;
  if (alike) {
    AppendEntries m = entries_after(*next - 1);
    for (Follower& f : followers_) f.next = *next + m.entries.size();
    fx.broadcast(std::move(m));
    return;
  }
  for (std::uint32_t i = 0; i < followers_.size(); ++i) {
    Follower& f = followers_[i];
    if (i == config_.self.value || (!beat && !ready(f))) continue;
    // To who is behind everything kept, a heartbeat: it hears of the leader and asks its host.
    AppendEntries m = f.next > base_ ? entries_after(f.next - 1)
                                     : AppendEntries{term_, last(), term_at(last()), commit_, {}};
    if (f.next > base_) f.next += m.entries.size();
    fx.send(NodeId{static_cast<std::uint16_t>(i)}, std::move(m));
  }
}

// R3
void Raft::receive(NodeId from, const AppendEntries& m, Fx& fx) {
  if (m.term < term_ || (m.term == term_ && role_ == Role::kLeader)) {
    fx.send(from, AppendEntriesReply{term_, 0, false});
    return;
  }
  follow(m.term, fx);
  const bool changed = leader_ != from;
  leader_ = from;
  heard_ = true;
  frontier_ = std::max(frontier_, m.commit);
  if (changed) pass_on(fx);
  // What was committed here agrees with every leader, so a match is looked for above it.
  const bool fits = m.previous_index <= commit_ ||
                    (m.previous_index <= last() && term_at(m.previous_index) == m.previous_term);
  if (!fits) {
    // Past everything of a term that the leader does not have there.
    std::uint64_t hint = std::min(m.previous_index - 1, last());
    const std::uint64_t wrong = term_at(m.previous_index);
    while (hint > commit_ && wrong != 0 && term_at(hint) == wrong) --hint;
    fx.send(from, AppendEntriesReply{term_, std::max(commit_, hint), false});
    return;
  }
  std::uint64_t index = m.previous_index;
  for (const Entry& e : m.entries) {
    if (++index <= commit_) continue;
    if (e.term == 0 || e.term > m.term || e.value.size() > config_.value_bytes) {
      ++refused_;
      return;
    }
    if (index <= last()) {
      if (term_at(index) == e.term) continue;
      THRESHER_ASSERT(index > commit_, "a committed entry is never replaced (leader completeness)");
      cut(index, fx);
    }
    append(e, fx);
  }
  const std::uint64_t agreed = std::max(index, std::min(commit_, last()));
  fx.send(from, AppendEntriesReply{term_, agreed, true});
  commit_to(std::min(m.commit, index), fx);
}

// R3, R4
void Raft::receive(NodeId from, const AppendEntriesReply& m, Fx& fx) {
  if (m.term > term_) return follow(m.term, fx);
  if (role_ != Role::kLeader || m.term < term_ || m.index > last()) return;
  Follower& f = followers_[from.value];
  f.heard = true;
  if (!m.fits) {
    f.next = std::max(f.match, m.index) + 1;
    if (f.next > base_) {
      AppendEntries again = entries_after(f.next - 1);
      f.next += again.entries.size();
      fx.send(from, std::move(again));
    }
    return;
  }
  f.match = std::max(f.match, m.index);
  f.next = std::max(f.next, f.match + 1);
  if (m.index > commit_ && term_at(m.index) == term_) {
    const auto have = std::count_if(followers_.begin(), followers_.end(),
                                    [&](const Follower& o) { return o.match >= m.index; });
    // The leader has it too: its own record is ahead of every effect of this step.
    if (static_cast<std::uint32_t>(have) + 1 >= config_.committee.at_least(kQuorum)) {
      commit_to(m.index, fx);
    }
  }
  if (f.next <= last()) send_entries(fx, false);
}

// R1
void Raft::receive(NodeId, const Forward& m, Fx& fx) {
  if (role_ != Role::kLeader) return;  // the sender will hear of the new one
  if (m.value.empty() || m.value.size() > config_.value_bytes) {
    ++refused_;
    return;
  }
  order(m.value, fx);
  send_entries(fx, false);
}

void Raft::commit_to(std::uint64_t index, Fx& fx) {
  commit_ = std::max(commit_, index);
  frontier_ = std::max(frontier_, commit_);
  deliver(fx);
}

// R5
void Raft::deliver(Fx& fx) {
  THRESHER_ASSERT(commit_ <= last(), "only entries of the log are committed");
  while (delivered_ < commit_) {
    const Entry& e = log_[++delivered_ - base_ - 1];
    if (e.value.empty()) continue;
    fx.deliver({delivered_, e.term, e.value});
    if (!pending_.empty()) {
      const auto mine = std::find(pending_.begin(), pending_.end(), e.value);
      if (mine != pending_.end()) pending_.erase(mine);
    }
  }
  forget(fx);
}

// R5. In steps of half the history, so that its record is rare.
void Raft::forget(Fx& fx) {
  if (delivered_ - base_ < config_.history + config_.history / 2) return;
  const std::uint64_t keep_after = delivered_ - config_.history;
  base_term_ = term_at(keep_after);
  while (base_ < keep_after) {
    const Bytes& value = log_.front().value;
    if (!value.empty()) known_.erase(hash(value.view()));
    log_.pop_front();
    ++base_;
    fx.push(Persist{kEntries, entry_key(base_), {}, {}, true});
  }
  fx.push(Persist{kBase, numbers(0), numbers(base_, base_term_)});
}

Footprint Raft::most_held() const {
  const std::uint64_t terms = std::max(term_, term_at(last())) - term_at(delivered_);
  return {config_.history + config_.history / 2 + config_.history + terms, config_.history};
}

// R6: entries left on the disk would follow the adopted one after a restart, though they never did
// in any log: the node would then vote by the last term of a leader that lost.
void Raft::drop_log(Fx& fx) {
  cut(base_ + 1, fx);
  known_.clear();
}

// R6
void Raft::adopt(std::uint64_t index, std::uint64_t term, const Bytes& value, Fx& fx) {
  if (index <= commit_) return;
  if (index > last() || term_at(index) != term) {
    const bool next = index == commit_ + 1;  // what is committed below it stays, with its values
    if (next) {
      cut(index, fx);
    } else {
      drop_log(fx);
      base_ = delivered_ = commit_ = index - 1;
      base_term_ = 0;
    }
    append({term, value}, fx);
    if (!next) fx.push(Persist{kBase, numbers(0), numbers(base_, base_term_)});
    role_ = Role::kFollower;
  }
  commit_to(index, fx);
}

}  // namespace thresher
