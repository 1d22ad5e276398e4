#include "node/snapshotting.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "life/log_tree.hpp"

namespace thresher::net {

Snapshotting::Snapshotting(NodeBase& node, Checkpointing& checkpointing, Hooks hooks)
    : node_(node),
      checkpointing_(checkpointing),
      hooks_(std::move(hooks)),
      schedule_(node.checkpoint_every * node.options.snapshot_checkpoints),
      holds_(node.genesis.nodes.size(), node.options.hold_bytes),
      retention_(
          *node.store, holds_,
          {node.options.keep_snapshots > 0 ? node.options.keep_snapshots : SnapshotWriter::kKept,
           node.options.keep_positions, node.engine->window(), node.committee().size()}),
      giver_(SnapshotFolder(node.options.data), node.chain, node.genesis.nodes.size(),
             shares_state(), holds_, giver_hooks()),
      comparison_(node.committee()),
      giving_parts_(node.loop, [this] { return giver_.step(); }) {}

bool Snapshotting::shares_state() const {
  return node_.options.store != StoreKind::kMemory && node_.checkpoint_every > 0 &&
         node_.options.snapshot_checkpoints > 0;
}

// The grids of the snapshots that lie here. The log says which commit came before each.
void Snapshotting::recall_grids() {
  std::vector<Round> slots = SnapshotFolder(node_.options.data).slots();
  std::ranges::reverse(slots);
  for (const Round slot : slots) {
    (void)node_.reader.each(slot, [&](const LogEntry& entry) {
      if (entry.slot == slot && schedule_.pace().due_of_fastest(entry.before, slot))
        holds_.took(slot, schedule_.pace().grid_of(entry.before, slot));
      return false;
    });
  }
}

void Snapshotting::begin() {
  if (shares_state()) begin_taking();
  begin_pruning();
}

void Snapshotting::begin_taking() {
  recall_grids();
  const SnapshotWriter::Options keeping{
      std::max<std::size_t>(SnapshotWriter::kKept, node_.options.keep_snapshots),
      node_.options.prunes(),
      [this](Round slot) {
        return load_certificate(*node_.store, slot, node_.committee().size()).has_value();
      },
      [this](Round slot) { return holds_.keeps(slot); }};
  writer_ =
      std::make_unique<SnapshotWriter>(SnapshotFolder(node_.options.data), keeping, writer_hooks());
}

SnapshotWriter::Hooks Snapshotting::writer_hooks() {
  return {[this](const Checkpoint& of, std::uint64_t bytes) {
            node_.loop.post([this, of, bytes] {
              retention_.whole(of.slot);
              schedule_.written(of.slot, node_.ledger.slot());
              say_written(of.slot);
              node_.say(Level::kInfo, "took a snapshot of slot " + std::to_string(of.slot.value) +
                                          " (" + std::to_string(of.length) + " transactions, " +
                                          std::to_string(bytes) + " bytes)");
              const std::string why = why_not_given(bytes);
              if (!why.empty() && node_.complaints.fresh("its state is too large", Loop::now_us()))
                node_.say(Level::kWarning, why);
            });
          },
          [this](const Checkpoint& of, const std::string& why) {
            node_.loop.post([this, of, why] {
              node_.say(Level::kWarning, "no snapshot of slot " + std::to_string(of.slot.value) +
                                             " could be taken in '" + node_.options.data +
                                             "': " + why +
                                             "; the next start reads the log from an earlier one");
            });
          }};
}

void Snapshotting::end() {
  if (writer_) {
    writer_->stop();
    // The host may be at work there, and run() does not wait for that.
    node_.calls.pass([this] { writer_->wait_for_host(); });
    writer_.reset();
  }
  pruner_.reset();
}

void Snapshotting::watch(std::uint64_t now) {
  write_spare(now);
  if (now >= next_prune_us_) prune_when_due();
}

void Snapshotting::noted(const std::vector<Persist>& progress) {
  if (writer_) last_progress_ = progress;
}

void Snapshotting::reached(const Checkpoint& checkpoint, Round before) {
  if (schedule_.pace().due_of_fastest(before, checkpoint.slot)) take(checkpoint, before);
}

OwnState Snapshotting::own_state() const {
  return {node_.ledger.freeze(), checkpointing_.tree().peaks(),
          checkpointing_.tree().open_results(), checkpointing_.tree().open_leaf()};
}

// One that is still being written goes on, and this one is left out, unless the log comes to rest
// here. `before`: the slot of the commit before it.
void Snapshotting::take(const Checkpoint& checkpoint, Round before) {
  if (!writer_ || checkpointing_.differs()) return;
  const std::uint64_t now = Loop::now_us();
  spare_.drop();
  const auto take = schedule_.after(before, checkpoint.slot,
                                    {now, writer_->busy(), hooks_.catches_up(),
                                     [this] { return node_.engine->sample().frontier; }});
  if (take == SnapshotSchedule::Take::kNothing) return;
  SnapshotWriter::Job job;
  if (!node_.calls.run("freeze()", [&] { job.state = node_.app.freeze(); }))
    return node_.halt(node_.words.app_threw(node_.calls.problem()));
  if (!job.state) return;
  job.checkpoint = checkpoint;
  job.own = own_state();
  job.ledger = portable_ledger(checkpoint);
  job.grid = schedule_.pace().grid_of(before, checkpoint.slot);
  if (take == SnapshotSchedule::Take::kSpare) return spare_.keep(std::move(job));
  schedule_.taken(now);
  write_when_durable(std::move(job));
}

// The log rests, and the last snapshot that was due was left out.
void Snapshotting::write_spare(std::uint64_t now) {
  spare_.log_at(node_.ledger.slot(), now);
  if (!spare_.due(now) || !writer_ || writer_->busy() || hooks_.joins() || checkpointing_.differs())
    return;
  write_when_durable(spare_.take());
}

// Taken before, written when the log up to here is durable: a snapshot of more than the log has
// would hide what is missing. This thread takes views; who writes makes bytes of them.
void Snapshotting::write_when_durable(SnapshotWriter::Job taken) {
  checkpointing_.checkpoints().need(taken.checkpoint.slot);
  holds_.took(taken.checkpoint.slot, taken.grid);
  const auto job = std::make_shared<SnapshotWriter::Job>(std::move(taken));
  node_.writer->durably({}, [this, job] {
    node_.loop.post([this, job] {
      if (job->ledger && !add_window(*job->ledger)) job->ledger.reset();
      if (writer_) writer_->take(std::move(*job));
    });
  });
}

// Empty: a start did not find all that it takes, and it has not been made since; or the commit came
// while the protocol did not run, and so noted nothing.
std::optional<PortableLedger> Snapshotting::portable_ledger(const Checkpoint& checkpoint) const {
  const Remembered& memory = node_.ledger.memory();
  const std::size_t needed = std::max(memory.size(), checkpointing_.tree().open_results().size());
  const auto& recent = checkpointing_.tree().recent();
  if (recent.size() < needed || (node_.engine->notes_progress() && last_progress_.empty()))
    return std::nullopt;
  PortableLedger out;
  out.checkpoint = checkpoint;
  Writer time;
  node_.ledger.time().save(time);
  out.time = Bytes::from(time.take());
  out.since = memory.since();
  out.slots.assign(memory.slots().begin(), memory.slots().end());
  out.peaks = checkpointing_.tree().peaks();
  out.open_results = checkpointing_.tree().open_results();
  out.recent = recent.last(needed);
  for (const Persist& r : last_progress_) out.progress.push_back({r.table, r.key, r.value, {}});
  return out;
}

// From which commit on the protocol of a newcomer has to know the log. False: it is not here. Pre:
// the log is durable up to the checkpoint.
bool Snapshotting::add_window(PortableLedger& of) const {
  const std::uint64_t slot = of.checkpoint.slot.value;
  const Round first{slot - std::min(slot, node_.engine->window())};
  if (first < node_.reader.begin().slot) return false;
  std::optional<Round> before;
  const auto read = node_.reader.each(first, [&](const LogEntry& entry) {
    before = entry.before;
    return false;
  });
  const auto hash = read && before ? node_.reader.hash_at(*before) : std::nullopt;
  if (!hash) return false;
  of.window_before = *before;
  of.window_hash = *hash;
  return true;
}

// Only when everything that it covers is durable in the log: else a power cut would leave a gap.
void Snapshotting::save_at_stop() {
  if (node_.options.store == StoreKind::kMemory || node_.ledger.length() == length_at_stop_ ||
      node_.app_lags)
    return;
  std::optional<Bytes> state;
  Digest digest;
  const bool ran = node_.calls.run("snapshot()", [&] {
    state = node_.app.snapshot();
    if (state) digest = node_.app.state();
  });
  if (!ran) {
    return node_.say(Level::kWarning,
                     node_.calls.problem() + "; the next start reads the whole log");
  }
  if (!state) return;
  length_at_stop_ = node_.ledger.length();
  Writer own;
  write(own_state(), own);
  if (shares_state()) write_recent(checkpointing_.tree().recent(), own);
  const std::string problem =
      net::save_snapshot(node_.options.data, {Bytes::from(own.take()), *state, digest});
  if (!problem.empty()) node_.say(Level::kWarning, problem);
}

}  // namespace thresher::net
