// What a node says of itself, and of its peers.
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
  if (joining.runs()) return joining.words();
  if (options.observe) return "observes: it follows the log and signs nothing";
  if (const auto first = joining.beyond()) {
    return "needs slot " + std::to_string(ledger.slot().value + 1) +
           " of the log, which its peers have pruned: theirs begin behind slot " +
           std::to_string(first->value);
  }
  if (start.under_way() && !log_care.whole()) {
    return "fetches what its log lacks up to slot " + std::to_string(log_care.until().value) +
           ", before it signs anything";
  }
  if (start.under_way() && !log_care.has_all())
    return "fetches what its protocol's records lack, before it signs anything";
  if (start.under_way())
    return "asks its peers what they know of its own last messages before it signs";
  if (standing.suspects()) return "compares its log with those of peers, which differ";
  const EngineSample now = engine->sample();
  const std::string behind = "the others are at round " + std::to_string(now.frontier.value) +
                             ", this node decides slot " + std::to_string(now.next_slot.value);
  if (log_care.fetches()) return "fetches the log from peers: " + behind;
  if (log_care.lacks())
    return "lacks commits of its log up to slot " + std::to_string(log_care.until().value);
  if (!start.level().reached())
    return "comes to the end that the log had when it started: it has slot " +
           std::to_string(ledger.slot().value) + ", and peers had slot " +
           std::to_string(start.level().at().value);
  if (now.frontier.value > now.next_slot.value + options.sync_rounds) {
    return "is behind: " + behind;
  }
  return clients.stands_still();
}

NodeStatus Node::Impl::status_now() {
  const EngineSample now = engine->sample();
  const crypto::BatcherFigures verified = verdicts.figures();
  NodeStatus out{ledger.length(),
                 now.round.value,
                 ledger.slot().value,
                 transport.node_bytes_sent(),
                 store->syncs(),
                 payload_bytes,
                 ledger.log_hash(),
                 {},
                 static_cast<std::uint32_t>(transport.node_links()),
                 verified.answered,
                 verified.batches,
                 now.stats.certificate_calls};
  if (!app_calls.look_at_state(ledger.slot())) halt(words.app_threw(calls.problem()));
  out.state = app_calls.state();
  out.waits_for = waits_for();
  out.peers = peers();
  out.begins = reader.begin().length;
  return out;
}

// What the metrics show.
Sample Node::Impl::sample() const {
  const EngineSample now = engine->sample();
  const EngineStats& s = now.stats;
  Sample out;
  out.log_length = ledger.length();
  out.round = now.round.value;
  out.slot = ledger.slot().value;
  out.frontier = now.frontier.value;
  out.behind =
      now.frontier.value > now.next_slot.value ? now.frontier.value - now.next_slot.value : 0;
  out.payload_bytes = payload_bytes;
  out.node_bytes_sent = transport.node_bytes_sent();
  out.frames_dropped = transport.dropped();
  out.syncs = store->syncs();
  out.pool_bytes = clients.submissions().pool().bytes();
  out.links_up = transport.node_links();
  out.malformed = clients.malformed() + conduct.sum(Deed::kMalformed);
  out.blocks_accepted = s.blocks_accepted;
  out.direct_commits = s.direct_commits;
  out.indirect_commits = s.indirect_commits;
  out.skips = s.skips;
  out.timeouts = s.timeouts;
  out.refused = s.refused;
  out.equivocations = s.equivocations;
  out.synced_commits = log_care.fetched();
  const crypto::BatcherFigures v = verdicts.figures();
  out.signatures = v.answered;
  out.bad_signatures = v.bad;
  out.verify_batches = v.batches;
  out.certificate_calls = s.certificate_calls;
  out.verified_wide = v.wide;
  out.verify_retries = v.retried;
  out.verify_waiting = v.waiting;
  out.verify_suspects = v.suspects;
  out.log_begins = reader.begin().length;
  if (const auto& newest = checkpointing.checkpoints().newest_certificate())
    out.certified_slot = newest->checkpoint.slot.value;
  out.snapshot_slot = snapshots.newest().value_or(Round{0}).value;
  out.snapshots_differ = snapshots.differs() ? 1 : 0;
  out.state_parts = joining.parts();
  out.state_parts_here = joining.parts_here();
  out.waits_for = waits_for();
  return out;
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
    p.lag = engine->hears(id) && frontier.value > p.round ? frontier.value - p.round : 0;
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

}  // namespace thresher::net
