#include "thresher/sim/oracles.hpp"

#include <algorithm>
#include <utility>

namespace thresher::sim {
namespace {

std::string name(NodeId id) {
  return "node " + std::to_string(id.value);
}

}  // namespace

Judge::Judge(const Experiment& e, const FaultPlan& plan, const Promises& promises)
    : on_(e.oracles),
      plan_(plan),
      ordered_(promises.ordered),
      quiet_from_(promises.quiet_from),
      bound_(promises.bound),
      nodes_(e.n) {}

void Judge::violated(std::string oracle, std::string why) {
  if (verdict_ == Verdict::kViolated) return;
  verdict_ = Verdict::kViolated;
  oracle_ = std::move(oracle);
  why_ = std::move(why);
}

void Judge::no_progress(std::string oracle, std::string why) {
  if (verdict_ != Verdict::kPass) return;
  verdict_ = Verdict::kNoProgress;
  oracle_ = std::move(oracle);
  why_ = std::move(why);
}

void Judge::submitted(PayloadId id, Ticks now) {
  auto& sent = nodes_[id.author.value].submitted;
  if ((id.number & PayloadId::kSecondFace) != 0) return;
  sent.resize(std::max<std::size_t>(sent.size(), id.number), kDone);
  sent[id.number - 1] = now;
  if (plan_.faulty().contains(id.author)) return;  // it may never be heard of
  if (outstanding_++ == 0) waiting_since_ = now;
  owed_ += now <= closed_ ? 1 : 0;
}

void Judge::close(Ticks now) {
  closed_ = now;
  owed_ = 0;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (plan_.faulty().contains(NodeId{static_cast<std::uint16_t>(i)})) continue;
    for (const Ticks since : nodes_[i].submitted) owed_ += since <= closed_ ? 1 : 0;
  }
}

void Judge::no_more_owed(Ticks since) {
  --outstanding_;
  owed_ -= since <= closed_ ? 1 : 0;
}

bool Judge::settled(PayloadId id, Ticks now) {
  auto& sent = nodes_[id.author.value].submitted;
  if (id.number == 0 || id.number > sent.size() || sent[id.number - 1] == kDone) return false;
  const Ticks since = std::exchange(sent[id.number - 1], kDone);
  latencies_.push_back(now - since);
  Ticks& served = nodes_[id.author.value].served;
  served = std::max(served, since + 1);
  if (plan_.faulty().contains(id.author)) return true;
  no_more_owed(since);
  excluded(id, since, now, on_.inclusion.value_or(0) + 1);  // within it is in time
  return true;
}

void Judge::excluded(PayloadId id, Ticks since, Ticks now, Ticks too_long) {
  const Ticks from = std::max(since, quiet_from_);
  if (!on_.inclusion || since > closed_ || now < from || now - from < too_long) return;
  no_progress("inclusion", "request " + std::to_string(id.number) + " of " + name(id.author) +
                               " waited from " + in_units(from) + " to " + in_units(now));
}

void Judge::check_inclusion(Ticks now) {
  if (!on_.inclusion) return;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    const NodeId author{static_cast<std::uint16_t>(i)};
    if (plan_.faulty().contains(author)) continue;
    const auto& sent = nodes_[i].submitted;
    for (std::size_t k = 0; k < sent.size(); ++k) {
      if (sent[k] != kDone) excluded({author, k + 1}, sent[k], now, *on_.inclusion);
    }
  }
}

void Judge::stalled(NodeId id, Ticks since, Ticks now) {
  const Ticks from = std::max({since, quiet_from_, waiting_since_});
  if (!on_.liveness_on || now < from || now - from <= bound_) return;
  no_progress("liveness", name(id) + " decided nothing from " + in_units(from) + " to " +
                              in_units(now) + ", longer than " + in_units(bound_) +
                              " after the network and the faults " + "left it alone");
}

Judge::Novelty Judge::output(NodeId id, const OutputFacts& facts, Ticks now) {
  Node& node = nodes_[id.value];
  if (outstanding_ > 0) stalled(id, node.decided, now);
  node.decided = now;
  return ordered_ ? output_ordered(id, node, facts) : output_free(id, node, facts);
}

Judge::Novelty Judge::output_ordered(NodeId id, Node& node, const OutputFacts& facts) {
  if (node.length > 0 && facts.key <= node.latest) return said_again(id, node, facts);
  if (node.again.value_or(node.length) != node.length && on_.prefix)
    violated("prefix", name(id) + " went on after its restart without what stood at place " +
                           std::to_string(*node.again));
  node.again.reset();
  node.latest = facts.key;
  // Without the order a key may stand at another place: it is the same output all the same.
  if (!on_.prefix) agree(id, facts);
  const std::uint64_t at = node.length++;
  if (at == reference_.size()) {
    reference_.push_back({facts.key, facts.digest, facts.lead});
    return Novelty::kFirst;
  }
  const Entry& other = reference_[at];
  if (other.key != facts.key) {
    if (on_.prefix)
      violated("prefix", name(id) + " delivered " + std::to_string(facts.key) + " at place " +
                             std::to_string(at) + ", where others delivered " +
                             std::to_string(other.key));
  } else if (other.digest != facts.digest && on_.agreement) {
    violated("agreement", name(id) + " delivered another " + std::to_string(facts.key) +
                              " at place " + std::to_string(at) + " than others");
  }
  return Novelty::kKnown;
}

Judge::Novelty Judge::said_again(NodeId id, Node& node, const OutputFacts& facts) {
  const std::string key = std::to_string(facts.key);
  // What it said since it is back it may not say again.
  if (!node.before || facts.key > *node.before) {
    if (on_.integrity) violated("integrity", name(id) + " delivered " + key + " twice");
    return Novelty::kRepeated;
  }
  const auto old = std::lower_bound(reference_.begin(), reference_.end(), facts.key,
                                    [](const Entry& e, std::uint64_t k) { return e.key < k; });
  const auto place = static_cast<std::uint64_t>(old - reference_.begin());
  const bool known = old != reference_.end() && old->key == facts.key;
  if (!known || node.again.value_or(place) != place) {
    if (on_.prefix)
      violated("prefix", name(id) + " delivered " + key + " again after its restart, where " +
                             (known ? "another one is next" : "nobody has that"));
    return Novelty::kRepeated;
  }
  node.again = place + 1;
  if (old->digest == facts.digest) return Novelty::kRepeated;
  if (!facts.lead.is_zero() && old->lead == facts.lead) return Novelty::kInPart;
  if (on_.agreement)
    violated("agreement",
             name(id) + " delivered " + key + " again after its restart, and another one");
  return Novelty::kRepeated;
}

void Judge::in_part(NodeId id, std::uint64_t key, const std::vector<Digest>& items) {
  const Node& node = nodes_[id.value];
  const std::vector<Digest>& all = reference_[node.again.value_or(1) - 1].items;
  const bool end =
      items.size() <= all.size() && std::equal(items.rbegin(), items.rend(), all.rbegin());
  if (!end && on_.agreement)
    violated("agreement", name(id) + " delivered " + std::to_string(key) +
                              " again after its restart, with what was not there");
}

bool Judge::agree(NodeId id, const OutputFacts& facts) {
  const auto [agreed, first] = agreed_.emplace(facts.key, facts.digest);
  if (agreed->second != facts.digest && on_.agreement)
    violated("agreement",
             name(id) + " decided another " + std::to_string(facts.key) + " than others");
  return first;
}

Judge::Novelty Judge::output_free(NodeId id, Node& node, const OutputFacts& facts) {
  const bool first = agree(id, facts);
  if (!node.keys.insert(facts.key).second) {
    if (node.old.erase(facts.key) == 0 && on_.integrity)
      violated("integrity", name(id) + " decided " + std::to_string(facts.key) + " twice");
    return Novelty::kRepeated;
  }
  ++node.length;
  return first ? Novelty::kFirst : Novelty::kKnown;
}

void Judge::item(const Digest& digest) {
  if (ordered_ && plan_.restarts()) reference_.back().items.push_back(digest);
  if (!items_.insert(digest).second && on_.integrity)
    violated("integrity", "a block was delivered twice");
}

void Judge::payload(NodeId at, ByteView payload, std::optional<NodeId> author) {
  ++judged_.shown;
  if (on_.once) {
    const auto id = read_payload(payload);
    judged_.once += id ? 1 : 0;
    if (id && !delivered_.emplace(id->author, id->number).second)
      violated("once", name(at) + " delivered request " +
                           std::to_string(id->number & ~PayloadId::kSecondFace) + " of " +
                           name(id->author) + " for the second time");
  }
  if (!on_.validity || (author && !plan_.correct(*author)) || payload.empty()) return;
  // Without an author it may be what a liar made up in another's name: nobody signs requests.
  if (!author && !plan_.all_honest()) return;
  ++judged_.validity;
  const auto id = read_payload(payload);
  if (!id || id->author.value >= nodes_.size())
    return violated("validity", name(at) + " delivered what nobody submitted");
  const NodeId claimed = author.value_or(id->author);
  if (!plan_.correct(claimed)) return;
  const bool known = id->number > 0 && id->number <= nodes_[claimed.value].submitted.size();
  if (claimed != id->author || !known)
    violated("validity", name(at) + " delivered payload " + std::to_string(id->number) + " of " +
                             name(claimed) + ", which submitted no such thing");
}

void Judge::accused(NodeId by, NodeId who) {
  if (!on_.accountability || !plan_.correct(by) || !plan_.correct(who)) return;
  violated("accountability", name(by) + " accused " + name(who) + ", and both are correct");
}

void Judge::restarted(NodeId id, Ticks now) {
  Node& node = nodes_[id.value];
  if (node.length > 0) node.before = node.latest;
  node.old = node.keys;
  if (!plan_.faulty().contains(id)) forget_requests(id);
  node.again.reset();
  node.decided = now;
}

// Requests that a correct node had not sent when it stopped were lost; nobody waits for them.
void Judge::forget_requests(NodeId id) {
  for (Ticks& since : nodes_[id.value].submitted) {
    if (since == kDone) continue;
    no_more_owed(since);
    since = kDone;
  }
}

void Judge::check_liveness(const std::vector<NodeId>& up, Ticks now) {
  if (outstanding_ == 0) return;
  for (const NodeId id : up) stalled(id, nodes_[id.value].decided, now);
}

}  // namespace thresher::sim
