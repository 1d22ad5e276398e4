// What the disk has changed of a log that was whole when it was written: found while the node runs,
// and written again from the logs of peers, of whom one at least is correct.
#include <utility>

#include "node_impl.hpp"

namespace thresher::net {

void Node::Impl::start_scrubbing() {
  if (store->written() == 0) return;
  scrubber = std::make_unique<Scrubber>(
      options.data + "/wal", reader,
      Scrubber::Hooks{[this] { return store->written(); }, [this] { return store->released(); },
                      [this](LogEntry entry) {
                        loop.post(
                            [this, e = std::move(entry)]() mutable { note_rot(std::move(e)); });
                      },
                      [this](const std::string& why) { loop.post([this, why] { halt(why); }); }});
}

// A payload of the log, which nobody asked for now, is not what it was.
void Node::Impl::note_rot(LogEntry entry) {
  const std::string place = "a payload of slot " + std::to_string(entry.slot.value);
  if (committee().size() == 1) return halt(unreadable(Errc::kCorrupt, place));
  say(Level::kWarning, "the log of '" + options.home + "' is damaged (" + place +
                           "): it is fetched from peers and written again; check the disk");
  rotten = std::move(entry);
}

// Peers have it, unless the end of the log is fetched just now. Meanwhile the node goes on: the
// order does not need what is in the log.
void Node::Impl::mend_rot(std::uint64_t now) {
  if (!rotten || hole || unread || sync.active() || standing.suspects()) return rot_sync.stop();
  if (rot_sync.active()) return rot_sync.tick(now);
  const auto before = reader.hash_at(rotten->before);
  if (!before) return halt(unreadable(Errc::kCorrupt, "the entries of the log"));
  rot_sync.begin(rotten->before, *before, now);
}

void Node::Impl::end_rot(const dag::Committed& commit) {
  rot_sync.stop();
  if (!rotten) return;
  const LogEntry entry = *std::exchange(rotten, std::nullopt);
  const auto before = reader.hash_at(entry.before);
  if (commit.slot != entry.slot || !before ||
      chained(*before, commit.slot, commit.leader, commit.blocks) != entry.log_hash) {
    return halt(differs_from_peers(entry.slot));
  }
  write_back(entry, commit, [this] { scrubber->go_on(); });
}

}  // namespace thresher::net
