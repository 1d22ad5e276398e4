// Damage by the disk to a log that was whole when it was written: found while the node runs, and
// mended from the logs of peers, of which one at least is correct.
#include <algorithm>
#include <utility>

#include "node/impl.hpp"

namespace thresher::net {

void Node::Impl::start_scrubbing() {
  // Where the host's own store keeps its log, and in which form, only the host knows.
  if (options.make_store || store->written() == 0) return;
  scrubber = std::make_unique<Scrubber>(
      options.data + "/wal", reader,
      Scrubber::Hooks{[this] { return store->written(); }, [this] { return store->released(); },
                      [this](LogEntry entry) {
                        loop.post(
                            [this, e = std::move(entry)]() mutable { note_rot(std::move(e)); });
                      },
                      [this](const Error& why) { loop.post([this, why] { halt(why); }); }});
}

// A payload of the log, which nobody asked for now, is not what it was.
void Node::Impl::note_rot(LogEntry entry) {
  if (committee().size() == 1) {
    return halt(
        unreadable(Errc::kCorrupt, "a payload of slot " + std::to_string(entry.slot.value)));
  }
  scrubbed = entry.slot;
  const bool known = std::any_of(rotten.begin(), rotten.end(),
                                 [&](const LogEntry& other) { return other.slot == entry.slot; });
  if (known) return;
  say_rot(entry, 1);
  rotten.push_back(std::move(entry));
}

void Node::Impl::say_rot(const LogEntry& first, std::size_t entries) {
  const std::string more =
      entries > 1 ? " and of " + std::to_string(entries - 1) + " later ones" : std::string();
  say(Level::kWarning, "the log of '" + options.home + "' is damaged (a payload of slot " +
                           std::to_string(first.slot.value) + more +
                           "): it is fetched from peers and written again; check the disk");
}

// Peers have it, unless the end of the log is fetched just now. Meanwhile a node that runs goes on:
// the order does not need what is in the log.
void Node::Impl::mend_rot(std::uint64_t now) {
  if (rotten.empty() || hole || unread || sync.active() || standing.suspects())
    return rot_sync.stop();
  if (rot_sync.active()) return rot_sync.tick(now);
  const auto before = reader.hash_at(rotten.front().before);
  if (!before) return halt(unreadable(Errc::kCorrupt, "the entries of the log"));
  rot_sync.begin(rotten.front().before, *before, now);
}

void Node::Impl::end_rot(const Commit& commit) {
  rot_sync.stop();
  if (rotten.empty()) return;
  const LogEntry entry = std::move(rotten.front());
  rotten.pop_front();
  const auto before = reader.hash_at(entry.before);
  if (commit.slot != entry.slot || !before || chained(*before, commit) != entry.log_hash) {
    return halt(differs_from_peers(entry.slot));
  }
  const bool awaited = scrubbed == entry.slot;
  if (awaited) scrubbed.reset();
  write_back(entry, commit, [this, awaited] {
    if (awaited) scrubber->go_on();
  });
  give_bodies(commit);
}

}  // namespace thresher::net
