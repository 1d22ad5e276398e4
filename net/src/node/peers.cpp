#include <algorithm>

#include "node/impl.hpp"
#include "thresher/core/node_ids.hpp"

namespace thresher::net {

// Why this node is not ready to serve, in the order in which an operator would ask; empty: it is.
std::string Node::Impl::waits_for() const {
  const std::uint32_t needed = committee().at_least(kQuorum);
  const std::size_t links = transport.node_links();
  if (links + 1 < needed) {
    return "has links to " + std::to_string(links) + " other nodes and needs " +
           std::to_string(needed - 1);
  }
  if (joining)
    return joining->sync.snapshot() == nullptr
               ? joining->sync.words()
               : "fetches the part of the log that its protocol needs to go on from slot " +
                     std::to_string(joining->sync.certificate().checkpoint.slot.value);
  if (options.observe) return "observes: it follows the log and signs nothing";
  if (const auto first = out_of_reach.beyond(ledger.slot())) {
    return "needs slot " + std::to_string(ledger.slot().value + 1) +
           " of the log, which its peers have pruned: theirs begin behind slot " +
           std::to_string(first->value);
  }
  if (starting && !log_whole()) {
    return "fetches what its log lacks up to slot " + std::to_string(missing.until().value) +
           ", before it signs anything";
  }
  if (starting && !bodiless.empty())
    return "fetches what its protocol's records lack, before it signs anything";
  if (starting) return "asks its peers what they know of its own last messages before it signs";
  if (standing.suspects()) return "compares its log with those of peers, which differ";
  const EngineSample now = engine->sample();
  const std::string behind = "the others are at round " + std::to_string(now.frontier.value) +
                             ", this node decides slot " + std::to_string(now.next_slot.value);
  if (sync.active()) return "fetches the log from peers: " + behind;
  if (log_lacks())
    return "lacks commits of its log up to slot " + std::to_string(missing.until().value);
  if (!start_level.reached())
    return "comes to the end that the log had when it started: it has slot " +
           std::to_string(ledger.slot().value) + ", and peers had slot " +
           std::to_string(start_level.at().value);
  if (now.frontier.value > now.next_slot.value + options.sync_rounds) {
    return "is behind: " + behind;
  }
  return stands_still();
}

// Links stay up to members whose processes hang, so that only what comes of them tells.
std::string Node::Impl::stands_still() const {
  const std::uint64_t now = Loop::now_us();
  const auto us = order_watch.stands(now);
  if (!us) return {};
  std::string silent;
  for (const NodeId id : order_watch.silent(now)) {
    if (id != self) silent += (silent.empty() ? "" : ", ") + std::to_string(id.value);
  }
  return "has ordered nothing for " + std::to_string(*us / 1'000'000) + " s while " +
         std::to_string(submissions.awaited()) + " transactions wait" +
         (silent.empty() ? "" : "; nothing comes from node " + silent);
}

std::vector<PeerStatus> Node::Impl::peers() const {
  const std::uint64_t now = Loop::now_us();
  const Round frontier = engine->sample().frontier;
  std::vector<PeerStatus> out;
  for (const NodeId id : node_ids(genesis.nodes.size())) {
    if (id == self) continue;
    const PeerLink link = transport.peer(id);
    PeerStatus p;
    p.id = id;
    p.up = link.up;
    p.address = link.address;
    p.problem = link.up ? std::string() : link.last_problem;
    p.round = engine->spoke_of(id).value;
    p.lag = frontier.value > p.round ? frontier.value - p.round : 0;
    p.links = link.links;
    p.bytes_sent = link.bytes_sent;
    p.bytes_received = link.bytes_received;
    p.log_bytes = log_service.served(id);
    p.malformed = conduct.count(id, Deed::kMalformed);
    p.refused = conduct.count(id, Deed::kRefused);
    p.bad_signatures = conduct.count(id, Deed::kBadSignature);
    p.false_answers = conduct.count(id, Deed::kFalseAnswer);
    p.suspicion = static_cast<std::uint32_t>(conduct.suspicion(id, now));
    out.push_back(std::move(p));
  }
  return out;
}

void Node::Impl::refused(NodeId from, std::uint64_t messages) {
  conduct.note(from, Deed::kRefused, messages);
}

void Node::Impl::false_answer(NodeId from, const std::string& how) {
  conduct.note(from, Deed::kFalseAnswer);
  conduct.remark(from, how);
}

}  // namespace thresher::net
