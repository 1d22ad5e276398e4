// A start from the newest snapshot that a quorum certified, or that the node wrote at its stop.
#include <string>
#include <utility>

#include "life/log_tree.hpp"
#include "node/snapshotting.hpp"

namespace thresher::net {

// What this node alone wrote: OwnState, and behind it at a stop the recent transactions.
std::optional<StartPoint> Snapshotting::start_point_of(ByteView own) const {
  Reader in(own);
  StartPoint out{Ledger(AgreedTime(node_.engine->clock_witnesses())), {}};
  if (!out.ledger.restore(in.bytes(in.u64()))) return std::nullopt;
  if (node_.checkpoint_every > 0 && !out.tree.restore(in, out.ledger.length())) return std::nullopt;
  RecentTransactions recent;
  if (in.remaining() > 0 && read_recent(in, recent)) out.tree.recall_recent(std::move(recent));
  return out;
}

std::optional<StartPoint> Snapshotting::start_point_of(const LoadedSnapshot& snapshot) const {
  if (!snapshot.ledger) return start_point_of(snapshot.own->view());
  const auto shared = decode_portable_ledger(snapshot.ledger->view());
  if (!shared || shared->checkpoint != snapshot.manifest.checkpoint) return std::nullopt;
  return start_point(*shared, AgreedTime(node_.engine->clock_witnesses()));
}

// Puts one into ledger, tree and application. kWrong: the application took it, and has another
// state afterwards than when it was taken.
Snapshotting::Took Snapshotting::restore_from(StartPoint from, ByteView state,
                                              const Digest& digest) {
  const Ledger& restored = from.ledger;
  if (restored.slot() < node_.reader.begin().slot) return Took::kNo;  // the log goes not so far
  // A snapshot that goes beyond the log would hide from readers of the log what is missing.
  if (restored.slot().value > 0 && node_.reader.hash_at(restored.slot()) != restored.log_hash()) {
    node_.say(Level::kWarning, "a snapshot in '" + node_.options.data + "' is of slot " +
                                   std::to_string(restored.slot().value) +
                                   ", which the log does not have so: it is left aside");
    return Took::kNo;
  }
  bool taken = false, same = true;
  const bool ran = node_.calls.run("restore()", [&] {
    taken = node_.app.restore(state);
    same = !taken || node_.app.state() == digest;
  });
  if (!same) return Took::kWrong;
  if (ran && !taken) {
    refused_ = true;
    node_.say(Level::kWarning, "restore() of the application refused its state of slot " +
                                   std::to_string(restored.slot().value));
  }
  if (!ran || !taken) return Took::kNo;
  node_.ledger = std::move(from.ledger);
  checkpointing_.tree() = std::move(from.tree);
  length_at_stop_ = node_.ledger.length();
  hooks_.restored(node_.ledger.length());
  return Took::kYes;
}

// One that was taken while the node ran, if a quorum certified it: what came before this node found
// out that its application differs is not restored. kNo: it is passed over, and the log says why.
Snapshotting::Took Snapshotting::restore_running(const SnapshotFolder& folder, Round slot) {
  const auto certificate = load_certificate(*node_.store, slot, node_.committee().size());
  if (!certificate) {
    checkpointing_.checkpoints().need(slot);
    return Took::kNo;
  }
  const auto pass_over = [&](const std::string& why) {
    node_.say(Level::kWarning, "the snapshot '" + folder.path_of(slot) + "'" + why +
                                   ": an older one is used, or the log from its beginning");
    return Took::kNo;
  };
  const auto loaded = folder.load(slot);
  if (!loaded || loaded->manifest.checkpoint != certificate->checkpoint)
    return pass_over(loaded ? " is not of what was certified" : " is damaged");
  auto from = start_point_of(*loaded);
  if (!from) return pass_over(" contradicts itself");
  const Took got =
      restore_from(std::move(*from), loaded->state.view(), certificate->checkpoint.state);
  if (got == Took::kYes) retention_.whole(slot);
  // Since it was looked at.
  if (got == Took::kWrong && !folder.load(slot)) return pass_over(" is damaged");
  return got;
}

void Snapshotting::say_wrong(const std::string& snapshot) const {
  node_.say(Level::kWarning, "the snapshot '" + snapshot +
                                 "' does not give the state that it is of: an older one is tried");
}

// A pruned log begins where the snapshots that were certified go on, whatever was told at a stop.
Error Snapshotting::wrongly(const std::string& snapshot, const std::string& state,
                            const std::string& remedy) const {
  const std::uint64_t begins = node_.reader.begin().length;
  return node_.words.restored_wrongly(
      snapshot, state, begins > 0 ? node_.options.data + "/snapshots" : remedy, begins);
}

// The newest first, whether it was taken at a stop or while the node ran.
Result<Unit, Error> Snapshotting::restore() {
  if (node_.options.store == StoreKind::kMemory) return Unit{};
  const SnapshotFolder folder(node_.options.data);
  const auto at_stop = load_snapshot(node_.options.data);
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
    const Took got =
        from ? restore_from(std::move(*from), at_stop->app, at_stop->state) : Took::kNo;
    const std::string file = node_.options.data + "/snapshot";
    if (got == Took::kYes) ended = Unit{};
    if (got == Took::kWrong) {
      say_wrong(file);
      ended = wrongly(file, "the state that the application had at the stop", file);
    }
    return got == Took::kYes;
  };
  for (const Round slot : folder.slots()) {
    if (!stop_tried && stop_slot >= slot.value && try_stop()) return ended;
    const Took got = restore_running(folder, slot);
    if (got == Took::kYes) return Unit{};
    if (got == Took::kWrong) {
      say_wrong(folder.path_of(slot));
      ended = wrongly(folder.path_of(slot), "the state that was certified",
                      node_.options.data + "/snapshots");
    }
    if (!node_.calls.problem().empty()) return node_.words.app_threw(node_.calls.problem());
  }
  if (!stop_tried) (void)try_stop();
  return ended;
}

}  // namespace thresher::net
