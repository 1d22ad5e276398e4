#include "node/log_care.hpp"

#include <utility>

#include "thresher/net/codec.hpp"

namespace thresher::net {

LogCare::LogCare(NodeBase& node, Checkpointing& checkpointing, Hooks hooks)
    : node_(node),
      checkpointing_(checkpointing),
      hooks_(std::move(hooks)),
      sync_(node.committee(), node.self, node.log_form, sync_hooks()),
      rot_(node.committee(), node.self, node.log_form, rot_hooks()) {}

LogSync::Hooks LogCare::sync_hooks() {
  RotMender::Fetching fetching = fetching_hooks();
  return {std::move(fetching.send), [this](Commit c) { adopt(std::move(c)); },
          std::move(fetching.ready), std::move(fetching.blame),
          [this](NodeId who, Round begins) { hooks_.pruned_there(who, begins); }};
}

// How peers are reached, whatever is fetched from them.
RotMender::Fetching LogCare::fetching_hooks() {
  return {[this](NodeId to, const Frame& f) { (void)node_.transport.send(to.value, f); },
          [this] { return node_.writer->backlog() < node_.options.pool_bytes; },
          [this](NodeId who, const std::string& how) { node_.false_answer(who, how); }};
}

// What was asked for last: a part of the log that the disk has changed, or its end.
void LogCare::hear(NodeId from, const Frame& f, std::uint64_t now) {
  if (hooks_.in_doubt()) return;
  const bool part = f.kind == kLogPart;
  if (rot_.fetches()) return part ? rot_.part(from, f, now) : rot_.hash(from, f, now);
  return part ? sync_.part(from, f, now) : sync_.hash(from, f, now);
}

void LogCare::stop_fetching() {
  sync_.stop();
  rot_.stop();
}

// Nothing of the log is fetched, in doubt, or about to be replaced, so peers can be asked for what
// is damaged.
bool LogCare::settled() const {
  return !missing_.has_hole() && !missing_.unread() && !fetches() && !hooks_.in_doubt() &&
         !hooks_.joins();
}

void LogCare::watch(std::uint64_t now) {
  const EngineSample at = node_.engine->sample();
  lags_ = at.frontier.value > at.next_slot.value + node_.options.sync_rounds;
  if (!hooks_.in_doubt() && !hooks_.joins()) fetch(at, now);
  rot_.tick(now, settled());
}

// The end of the log, or what it lacks. Fetching begins when the others are so far ahead that
// pulling blocks would take long or, beyond what they keep, never end.
void LogCare::fetch(const EngineSample& at, std::uint64_t now) {
  if (hooks_.starts()) {
    mend_log(now);
    mend_bodies();
  } else if (fetches()) {
    sync_.reached(node_.ledger.slot(), node_.ledger.log_hash());
    sync_.tick(now);
    node_.pump();
  } else if (node_.engine->adopts() && (lags() || lacks())) {
    node_.say(Level::kInfo, "fetching the log from peers: they are at round " +
                                std::to_string(at.frontier.value) + ", this node decides slot " +
                                std::to_string(at.next_slot.value));
    remind();
    sync_.begin(node_.ledger.slot(), node_.ledger.log_hash(), now);
  }
}

bool LogCare::goes_on(Commit& delivered) {
  if (lacks()) {
    missing_.hold(std::move(delivered));
    return false;
  }
  if (node_.ledger.follows(delivered)) return true;
  note_gap(std::move(delivered));
  return false;
}

// Takes what the protocol delivered behind the hole that is now filled.
void LogCare::deliver_held() {
  for (Commit& commit : missing_.take_held()) hooks_.deliver(std::move(commit));
}

// A commit that correct peers made: to the disk, the log, the application, and the DAG.
void LogCare::adopt(Commit commit_of_peers) {
  if (hooks_.starts()) return mend_with(std::move(commit_of_peers));
  // The order went on by itself meanwhile: commits that follow its end come again.
  if (!node_.ledger.follows(commit_of_peers)) return;
  if (lacks()) write_back(commit_of_peers);
  node_.engine->adopt(commit_of_peers, Stored::kNo);
  hooks_.commit(std::move(commit_of_peers));
  if (!lacks()) deliver_held();
  hooks_.tell();
  hooks_.grew();
}

// An engine that writes its progress lazily may know less after a crash than the log of this node.
void LogCare::remind() {
  const Round known{node_.engine->sample().next_slot.value - 1};
  if (known >= node_.ledger.slot()) return;
  (void)node_.reader.each(known, [&](const LogEntry& entry) {
    const auto commit = node_.reader.whole(entry);
    if (!commit) return false;
    node_.engine->adopt(*commit, Stored::kYes);
    node_.writer->persist(node_.engine->take_progress(entry.slot), 0);
    return true;
  });
}

}  // namespace thresher::net
