// Damage by the disk to a log that was whole when it was written: found while the node runs, and
// mended from the logs of peers, of which one at least is correct.
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
  if (entry.slot <= reader.begin().slot) return scrubber->go_on();  // it was pruned meanwhile
  if (committee().size() == 1) {
    return halt(
        words.unreadable(Errc::kCorrupt, "a payload of slot " + std::to_string(entry.slot.value)));
  }
  rot.found(std::move(entry));
}

void Node::Impl::say_rot(const LogEntry& first, std::size_t entries) {
  const std::string more =
      entries > 1 ? " and of " + std::to_string(entries - 1) + " later ones" : std::string();
  say(Level::kWarning, "the log of '" + options.home + "' is damaged (a payload of slot " +
                           std::to_string(first.slot.value) + more +
                           "): it is fetched from peers and written again; check the disk");
}

RotMender::Hooks Node::Impl::rot_hooks() {
  return {{[this](NodeId to, const Frame& f) { (void)transport.send(to.value, f); },
           [this] { return writer->backlog() < options.pool_bytes; },
           [this](NodeId who, const std::string& how) { false_answer(who, how); }},
          [this](Round slot) { return reader.hash_at(slot); },
          [this](const LogEntry& first, std::size_t entries) { say_rot(first, entries); },
          [this](const LogEntry& entry, const Commit& commit, bool awaited) {
            write_back(entry, commit, [this, awaited] {
              if (awaited) scrubber->go_on();
            });
            give_bodies(commit);
          },
          [this] { scrubber->go_on(); },
          [this](RotMender::Fault fault, Round slot) {
            halt(fault == RotMender::Fault::kDiffers
                     ? words.differs_from_peers(slot)
                     : words.unreadable(Errc::kCorrupt, "the entries of the log"));
          }};
}

}  // namespace thresher::net
