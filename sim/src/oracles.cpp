#include "thresher/sim/oracles.hpp"

#include <algorithm>

namespace thresher::sim {
namespace {

std::string name(NodeId id) {
  return "node " + std::to_string(id.value);
}

}  // namespace

Judge::Judge(const Experiment& e, const FaultPlan& plan, bool ordered, Ticks quiet_from,
             Ticks bound)
    : on_(e.oracles),
      plan_(plan),
      ordered_(ordered),
      quiet_from_(quiet_from),
      bound_(bound),
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
}

bool Judge::settled(PayloadId id, Ticks now) {
  auto& sent = nodes_[id.author.value].submitted;
  if (id.number == 0 || id.number > sent.size() || sent[id.number - 1] == kDone) return false;
  latencies_.push_back(now - sent[id.number - 1]);
  sent[id.number - 1] = kDone;
  if (!plan_.faulty().contains(id.author)) --outstanding_;
  return true;
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
  if (node.length > 0 && facts.key <= node.latest) {
    const auto old = std::lower_bound(reference_.begin(), reference_.end(), facts.key,
                                      [](const Entry& e, std::uint64_t k) { return e.key < k; });
    const bool same = old != reference_.end() && old->key == facts.key;
    if (!node.restarted && on_.integrity)
      violated("integrity", name(id) + " delivered " + std::to_string(facts.key) + " twice");
    const bool in_part = !facts.lead.is_zero() && same && old->lead == facts.lead;
    if (same && old->digest != facts.digest && !in_part && on_.agreement)
      violated("agreement", name(id) + " delivered " + std::to_string(facts.key) +
                                " again after its restart, and another one");
    return Novelty::kRepeated;
  }
  node.latest = facts.key;
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

Judge::Novelty Judge::output_free(NodeId id, Node& node, const OutputFacts& facts) {
  const auto [agreed, first] = agreed_.emplace(facts.key, facts.digest);
  if (agreed->second != facts.digest && on_.agreement)
    violated("agreement",
             name(id) + " decided another " + std::to_string(facts.key) + " than others");
  if (!node.keys.insert(facts.key).second) {
    if (!node.restarted && on_.integrity)
      violated("integrity", name(id) + " decided " + std::to_string(facts.key) + " twice");
    return Novelty::kRepeated;
  }
  ++node.length;
  return first ? Novelty::kFirst : Novelty::kKnown;
}

void Judge::item(const Digest& digest) {
  if (!items_.insert(digest).second && on_.integrity)
    violated("integrity", "a block was delivered twice");
}

void Judge::payload(NodeId at, ByteView payload, std::optional<NodeId> author) {
  if (!on_.validity || (author && !plan_.correct(*author)) || payload.empty()) return;
  // Without an author it may be what a liar made up in another's name: nobody signs requests.
  if (!author && !plan_.all_honest()) return;
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
  nodes_[id.value].restarted = true;
  nodes_[id.value].decided = now;
}

void Judge::check_liveness(const std::vector<NodeId>& up, Ticks now) {
  if (outstanding_ == 0) return;
  for (const NodeId id : up) stalled(id, nodes_[id.value].decided, now);
}

}  // namespace thresher::sim
