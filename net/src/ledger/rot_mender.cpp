#include "ledger/rot_mender.hpp"

#include <algorithm>
#include <utility>

namespace thresher::net {

RotMender::RotMender(const Committee& committee, NodeId self, const LogForm& log, Hooks hooks)
    : hooks_(std::move(hooks)),
      sync_(committee, self, log,
            {hooks_.fetching.send, [this](const Commit& c) { end(c); }, hooks_.fetching.ready,
             hooks_.fetching.blame}) {}

void RotMender::found(LogEntry entry) {
  awaited_ = entry.slot;
  const bool known = std::any_of(damaged_.begin(), damaged_.end(),
                                 [&](const LogEntry& other) { return other.slot == entry.slot; });
  if (known) return;
  hooks_.say(entry, 1);
  damaged_.push_back(std::move(entry));
}

void RotMender::add(std::deque<LogEntry> entries) {
  damaged_ = std::move(entries);
  if (!damaged_.empty()) hooks_.say(damaged_.front(), damaged_.size());
}

// Peers have it, unless the end of the log is fetched just now.
void RotMender::tick(std::uint64_t now, bool may) {
  if (damaged_.empty() || !may) return sync_.stop();
  if (sync_.active()) return sync_.tick(now);
  const Round before = damaged_.front().before;
  const auto hash = hooks_.hash_at(before);
  if (!hash) return hooks_.fail(Fault::kUnreadable, before);
  sync_.begin(before, *hash, now);
}

// A commit that peers vouch for: the one behind the place from which it was asked.
void RotMender::end(const Commit& commit) {
  sync_.stop();
  if (damaged_.empty()) return;
  const LogEntry entry = std::move(damaged_.front());
  damaged_.pop_front();
  const auto before = hooks_.hash_at(entry.before);
  if (commit.slot != entry.slot || !before || chained(*before, commit) != entry.log_hash)
    return hooks_.fail(Fault::kDiffers, entry.slot);
  const bool awaited = awaited_ == entry.slot;
  if (awaited) awaited_.reset();
  hooks_.mend(entry, commit, awaited);
}

void RotMender::begins(Round slot) {
  if (damaged_.empty()) return;
  if (damaged_.front().slot <= slot) sync_.stop();
  std::erase_if(damaged_, [&](const LogEntry& entry) { return entry.slot <= slot; });
  if (!awaited_ || *awaited_ > slot) return;
  awaited_.reset();
  hooks_.rests();
}

}  // namespace thresher::net
