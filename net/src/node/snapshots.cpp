// Snapshots of a running node, and a start from the newest one that a quorum certified.
#include "ledger/snapshot.hpp"
#include "node/impl.hpp"

namespace thresher::net {

bool Node::Impl::shares_state() const {
  return options.store != StoreKind::kMemory && checkpoint_every > 0 &&
         options.snapshot_checkpoints > 0;
}

// The grids of the snapshots that lie here. The log says which commit came before each.
void Node::Impl::recall_grids() {
  std::vector<Round> slots = SnapshotFolder(options.data).slots();
  std::ranges::reverse(slots);
  for (const Round slot : slots) {
    (void)reader.each(slot, [&](const LogEntry& entry) {
      if (entry.slot == slot && schedule.pace().due_of_fastest(entry.before, slot))
        holds.took(slot, schedule.pace().grid_of(entry.before, slot));
      return false;
    });
  }
}

void Node::Impl::start_snapshots() {
  if (!shares_state()) return;
  recall_grids();
  const SnapshotWriter::Options keeping{
      std::max<std::size_t>(SnapshotWriter::kKept, options.keep_snapshots), options.prunes(),
      [this](Round slot) { return load_certificate(*store, slot, committee().size()).has_value(); },
      [this](Round slot) { return holds.keeps(slot); }};
  snapshots = std::make_unique<SnapshotWriter>(
      SnapshotFolder(options.data), keeping,
      SnapshotWriter::Hooks{
          [this](const Checkpoint& of, std::uint64_t bytes) {
            loop.post([this, of, bytes] {
              retention.whole(of.slot);
              schedule.written(of.slot, ledger.slot());
              say(Level::kInfo, "took a snapshot of slot " + std::to_string(of.slot.value) + " (" +
                                    std::to_string(of.length) + " transactions, " +
                                    std::to_string(bytes) + " bytes)");
              const std::string why = why_not_given(bytes);
              if (!why.empty() && complaints.fresh("its state is too large", Loop::now_us()))
                say(Level::kWarning, why);
            });
          },
          [this](const Checkpoint& of, const std::string& why) {
            loop.post([this, of, why] {
              say(Level::kWarning, "no snapshot of slot " + std::to_string(of.slot.value) +
                                       " could be taken in '" + options.data + "': " + why +
                                       "; the next start reads the log from an earlier one");
            });
          }});
}

OwnState Node::Impl::own_state() const {
  return {ledger.freeze(), checkpointing.tree().peaks(), checkpointing.tree().open_results(),
          checkpointing.tree().open_leaf()};
}

bool Node::Impl::catches_up() const {
  return lags || sync.active();
}

// One that is still being written goes on, and this one is left out, unless the log comes to rest
// here. `before`: the slot of the commit before it.
void Node::Impl::take_snapshot(const Checkpoint& checkpoint, Round before) {
  if (!snapshots || checkpointing.differs()) return;
  const std::uint64_t now = Loop::now_us();
  spare.drop();
  const auto take = schedule.after(
      before, checkpoint.slot,
      {now, snapshots->busy(), catches_up(), [this] { return engine->sample().frontier; }});
  if (take == SnapshotSchedule::Take::kNothing) return;
  SnapshotWriter::Job job;
  if (!calls.run("freeze()", [&] { job.state = app.freeze(); }))
    return halt(words.app_threw(calls.problem()));
  if (!job.state) return;
  job.checkpoint = checkpoint;
  job.own = own_state();
  job.ledger = portable_ledger(checkpoint);
  job.grid = schedule.pace().grid_of(before, checkpoint.slot);
  if (take == SnapshotSchedule::Take::kSpare) return spare.keep(std::move(job));
  schedule.taken(now);
  write_snapshot(std::move(job));
}

// The log rests, and the last snapshot that was due was left out.
void Node::Impl::write_spare(std::uint64_t now) {
  spare.log_at(ledger.slot(), now);
  if (!spare.due(now) || !snapshots || snapshots->busy() || joining.runs() ||
      checkpointing.differs())
    return;
  write_snapshot(spare.take());
}

// Taken before, written when the log up to here is durable: a snapshot of more than the log has
// would hide what is missing. This thread takes views; who writes makes bytes of them.
void Node::Impl::write_snapshot(SnapshotWriter::Job taken) {
  checkpointing.checkpoints().need(taken.checkpoint.slot);
  holds.took(taken.checkpoint.slot, taken.grid);
  const auto job = std::make_shared<SnapshotWriter::Job>(std::move(taken));
  writer->durably({}, [this, job] {
    loop.post([this, job] {
      if (job->ledger && !add_window(*job->ledger)) job->ledger.reset();
      if (snapshots) snapshots->take(std::move(*job));
    });
  });
}

// Empty: a start did not find all that it takes, and it has not been made since; or the commit came
// while the protocol did not run, and so noted nothing.
std::optional<PortableLedger> Node::Impl::portable_ledger(const Checkpoint& checkpoint) const {
  const Remembered& memory = ledger.memory();
  const std::size_t needed = std::max(memory.size(), checkpointing.tree().open_results().size());
  const auto& recent = checkpointing.tree().recent();
  if (recent.size() < needed || (engine->notes_progress() && last_progress.empty()))
    return std::nullopt;
  PortableLedger out;
  out.checkpoint = checkpoint;
  Writer time;
  ledger.time().save(time);
  out.time = Bytes::from(time.take());
  out.since = memory.since();
  out.slots.assign(memory.slots().begin(), memory.slots().end());
  out.peaks = checkpointing.tree().peaks();
  out.open_results = checkpointing.tree().open_results();
  out.recent = recent.last(needed);
  for (const Persist& r : last_progress) out.progress.push_back({r.table, r.key, r.value, {}});
  return out;
}

// From which commit on the protocol of a newcomer has to know the log. False: it is not here. Pre:
// the log is durable up to the checkpoint.
bool Node::Impl::add_window(PortableLedger& of) const {
  const std::uint64_t slot = of.checkpoint.slot.value;
  const Round first{slot - std::min(slot, engine->window())};
  if (first < reader.begin().slot) return false;
  std::optional<Round> before;
  const auto read = reader.each(first, [&](const LogEntry& entry) {
    before = entry.before;
    return false;
  });
  const auto hash = read && before ? reader.hash_at(*before) : std::nullopt;
  if (!hash) return false;
  of.window_before = *before;
  of.window_hash = *hash;
  return true;
}

// What this node alone wrote: OwnState, and behind it at a stop the recent transactions.
std::optional<StartPoint> Node::Impl::start_point_of(ByteView own) const {
  Reader in(own);
  StartPoint out{Ledger(AgreedTime(engine->clock_witnesses())), {}};
  if (!out.ledger.restore(in.bytes(in.u64()))) return std::nullopt;
  if (checkpoint_every > 0 && !out.tree.restore(in, out.ledger.length())) return std::nullopt;
  RecentTransactions recent;
  if (in.remaining() > 0 && read_recent(in, recent)) out.tree.recall_recent(std::move(recent));
  return out;
}

std::optional<StartPoint> Node::Impl::start_point_of(const LoadedSnapshot& snapshot) const {
  if (!snapshot.ledger) return start_point_of(snapshot.own->view());
  const auto shared = decode_portable_ledger(snapshot.ledger->view());
  if (!shared || shared->checkpoint != snapshot.manifest.checkpoint) return std::nullopt;
  return start_point(*shared, AgreedTime(engine->clock_witnesses()));
}

// Puts one into ledger, tree and application. kWrong: the application took it, and has another
// state afterwards than when it was taken.
Node::Impl::FromSnapshot Node::Impl::restore_from(StartPoint from, ByteView state,
                                                  const Digest& digest) {
  const Ledger& restored = from.ledger;
  if (restored.slot() < reader.begin().slot) return FromSnapshot::kNo;  // the log goes not so far
  // A snapshot that goes beyond the log would hide from readers of the log what is missing.
  if (restored.slot().value > 0 && reader.hash_at(restored.slot()) != restored.log_hash()) {
    say(Level::kWarning, "a snapshot in '" + options.data + "' is of slot " +
                             std::to_string(restored.slot().value) +
                             ", which the log does not have so: it is left aside");
    return FromSnapshot::kNo;
  }
  bool taken = false, same = true;
  const bool ran = calls.run("restore()", [&] {
    taken = app.restore(state);
    same = !taken || app.state() == digest;
  });
  if (!same) return FromSnapshot::kWrong;
  if (!ran || !taken) return FromSnapshot::kNo;
  ledger = std::move(from.ledger);
  checkpointing.tree() = std::move(from.tree);
  snapshot_length = ledger.length();
  clients.restored(ledger.length());
  return FromSnapshot::kYes;
}

// One that was taken while the node ran, if a quorum certified it: what came before this node found
// out that its application differs is not restored. kNo: it is passed over, and the log says why.
Node::Impl::FromSnapshot Node::Impl::restore_running(const SnapshotFolder& folder, Round slot) {
  const auto certificate = load_certificate(*store, slot, committee().size());
  if (!certificate) {
    checkpointing.checkpoints().need(slot);
    return FromSnapshot::kNo;
  }
  const auto pass_over = [&](const std::string& why) {
    say(Level::kWarning, "the snapshot '" + folder.path_of(slot) + "'" + why +
                             ": an older one is used, or the log from its beginning");
    return FromSnapshot::kNo;
  };
  const auto loaded = folder.load(slot);
  if (!loaded || loaded->manifest.checkpoint != certificate->checkpoint)
    return pass_over(loaded ? " is not of what was certified" : " is damaged");
  auto from = start_point_of(*loaded);
  if (!from) return pass_over(" contradicts itself");
  const FromSnapshot got =
      restore_from(std::move(*from), loaded->state.view(), certificate->checkpoint.state);
  if (got == FromSnapshot::kYes) retention.whole(slot);
  // Since it was looked at.
  if (got == FromSnapshot::kWrong && !folder.load(slot)) return pass_over(" is damaged");
  return got;
}

// The newest first, whether it was taken at a stop or while the node ran.
Result<Unit, Error> Node::Impl::restore_snapshot() {
  if (options.store == StoreKind::kMemory) return Unit{};
  const SnapshotFolder folder(options.data);
  const auto at_stop = load_snapshot(options.data);
  const auto stop_slot = [&]() -> std::uint64_t {
    if (!at_stop) return 0;
    Reader in(at_stop->own);
    (void)in.u64();
    return in.u64();  // the ledger begins with it
  }();
  bool stop_tried = !at_stop;
  Result<Unit, Error> ended = Unit{};
  // True when there is nothing more to try.
  const auto try_stop = [&] {
    stop_tried = true;
    auto from = start_point_of(at_stop->own);
    const FromSnapshot got =
        from ? restore_from(std::move(*from), at_stop->app, at_stop->state) : FromSnapshot::kNo;
    const std::string file = options.data + "/snapshot";
    if (got == FromSnapshot::kYes) ended = Unit{};
    if (got == FromSnapshot::kWrong)
      ended = words.restored_wrongly(file, "the state that the application had at the stop", file);
    return got != FromSnapshot::kNo;
  };
  for (const Round slot : folder.slots()) {
    if (!stop_tried && stop_slot >= slot.value && try_stop()) return ended;
    const FromSnapshot got = restore_running(folder, slot);
    if (got == FromSnapshot::kYes) return Unit{};
    if (got == FromSnapshot::kWrong)
      ended = words.restored_wrongly(folder.path_of(slot), "the state that was certified",
                                     options.data + "/snapshots");
    if (!calls.problem().empty()) return words.app_threw(calls.problem());
  }
  if (!stop_tried) (void)try_stop();
  return ended;
}

}  // namespace thresher::net
