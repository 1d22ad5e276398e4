// Damage by the disk to a log that was whole when it was written: found while the node runs, and
// mended from the logs of peers, of which one at least is correct.
#include <memory>
#include <string>
#include <utility>

#include "node/log_care.hpp"

namespace thresher::net {

void LogCare::begin() {
  // Where the host's own store keeps its log, and in which form, only the host knows.
  if (node_.options.make_store || node_.store->written() == 0) return;
  scrubber_ = std::make_unique<Scrubber>(
      node_.options.data + "/wal", node_.reader,
      Scrubber::Hooks{
          [this] { return node_.store->written(); }, [this] { return node_.store->released(); },
          [this](LogEntry entry) {
            node_.loop.post([this, e = std::move(entry)]() mutable { note_rot(std::move(e)); });
          },
          [this](const Error& why) { node_.loop.post([this, why] { node_.halt(why); }); }});
}

// A payload of the log, which nobody asked for now, is not what it was.
void LogCare::note_rot(LogEntry entry) {
  if (entry.slot <= node_.reader.begin().slot)
    return scrubber_->go_on();  // it was pruned meanwhile
  if (node_.committee().size() == 1) {
    return node_.halt(node_.words.unreadable(
        Errc::kCorrupt, "a payload of slot " + std::to_string(entry.slot.value)));
  }
  rot_.found(std::move(entry));
}

void LogCare::say_rot(const LogEntry& first, std::size_t entries) {
  const std::string more =
      entries > 1 ? " and of " + std::to_string(entries - 1) + " later ones" : std::string();
  node_.say(Level::kWarning, "the log of '" + node_.options.home +
                                 "' is damaged (a payload of slot " +
                                 std::to_string(first.slot.value) + more +
                                 "): it is fetched from peers and written again; check the disk");
}

RotMender::Hooks LogCare::rot_hooks() {
  return {fetching_hooks(),
          [this](Round slot) { return node_.reader.hash_at(slot); },
          [this](const LogEntry& first, std::size_t entries) { say_rot(first, entries); },
          [this](const LogEntry& entry, const Commit& commit, bool awaited) {
            write_back(entry, commit, [this, awaited] {
              if (awaited) scrubber_->go_on();
            });
            give_bodies(commit);
          },
          [this] { scrubber_->go_on(); },
          [this](RotMender::Fault fault, Round slot) {
            node_.halt(fault == RotMender::Fault::kDiffers
                           ? node_.words.differs_from_peers(slot)
                           : node_.words.unreadable(Errc::kCorrupt, "the entries of the log"));
          }};
}

}  // namespace thresher::net
