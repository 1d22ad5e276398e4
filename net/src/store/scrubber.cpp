#include "store/scrubber.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace thresher::net {
namespace {
/// What is read at a time, and how long nothing is read then: 64 MiB a second. Measured, a MiB
/// takes 0.2 ms of a processor.
constexpr std::uint64_t kPiece = 1u << 20;
constexpr std::chrono::milliseconds kPause{16};
/// From the end of a pass to the next one.
constexpr std::chrono::hours kNextPass{24};
/// A block that is not in the log yet is written again when it is ordered: a record in no entry
/// gets so long.
constexpr std::chrono::seconds kSecondLook{10};
constexpr Round kNowhere{0};  // no commit has this slot

bool overlap(const BodyPlace& body, const Extent& part) {
  return body.offset < part.end && part.begin < body.offset + body.size;
}
}  // namespace

Scrubber::Scrubber(std::string path, const LogReader& reader, Hooks hooks)
    : path_(std::move(path)),
      reader_(reader),
      hooks_(std::move(hooks)),
      thread_([this] { work(); }) {}

Scrubber::~Scrubber() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Scrubber::go_on() {
  {
    const std::lock_guard lock(mutex_);
    waits_ = false;
  }
  wake_.notify_one();
}

// False when the node stops.
bool Scrubber::rests(std::chrono::steady_clock::duration how_long) {
  std::unique_lock lock(mutex_);
  return !wake_.wait_for(lock, how_long, [&] { return stop_; });
}

void Scrubber::work() {
  while (pass() && rests(kNextPass)) {
  }
}

// Files that are pruned while the log is opened are not missing either.
bool Scrubber::opens(WalScan& scan) {
  while (true) {
    const std::uint64_t before = hooks_.released();
    const auto opened = scan.open(path_);
    if (opened) return true;
    if (hooks_.released() == before) return hooks_.failed(opened.error()), false;
  }
}

// The log once; false: it ends here.
bool Scrubber::pass() {
  const std::uint64_t until = hooks_.written();
  WalScan scan;
  if (!opens(scan)) return false;
  while (rests(kPause)) {
    switch (look(scan, until)) {
      case Look::kGoesOn:
        break;
      case Look::kDone:
        return true;
      case Look::kEnds:
        return false;
      case Look::kGone:
        if (!opens(scan)) return false;
    }
  }
  return false;
}

// A part that was pruned while it was read is neither damaged nor missing.
Scrubber::Look Scrubber::look(WalScan& scan, std::uint64_t until) {
  const WalScan::Checked found = scan.check(until, kPiece);
  const bool good = !found.problem && found.damaged.empty();
  if (!good && found.at < hooks_.released()) return Look::kGone;
  if (found.problem) return hooks_.failed(*found.problem), Look::kEnds;
  if (found.damaged.empty()) {
    told_.reset();
  } else if (!mends(scan, found)) {
    return Look::kEnds;
  }
  return found.done ? Look::kDone : Look::kGoesOn;
}

// Hands on what peers can give again, and waits until that is done; then the frame is looked at
// anew.
bool Scrubber::mends(const WalScan& scan, const WalScan::Checked& found) {
  auto entry = damaged_entry(scan, found.damaged);
  const bool again = entry && told_ == entry->slot;
  if (!entry && told_ != kNowhere) {
    told_ = kNowhere;
    return rests(kSecondLook);
  }
  if (!entry || again) {
    Error why = scan.damaged(found.at);
    if (again) why.what += ". What was written there again did not stay";
    return hooks_.failed(why), false;
  }
  told_ = entry->slot;
  {
    const std::lock_guard lock(mutex_);
    waits_ = true;
  }
  hooks_.damaged(std::move(*entry));
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [&] { return stop_ || !waits_; });
  return !stop_;
}

// The first entry of the log with a payload there that is not what its author signed.
std::optional<LogEntry> Scrubber::damaged_entry(const WalScan& scan,
                                                const std::vector<Extent>& parts) const {
  std::optional<LogEntry> out;
  const auto bad = [&](const LoggedBlock& b) {
    const bool there = std::any_of(parts.begin(), parts.end(),
                                   [&](const Extent& part) { return overlap(b.place, part); });
    return there && !checked_payload(b, scan.read_body(b.place, scan.size()));
  };
  (void)reader_.each(Round{0}, [&](const LogEntry& entry) {
    if (std::any_of(entry.blocks.begin(), entry.blocks.end(), bad)) out = entry;
    return !out;
  });
  return out;
}

}  // namespace thresher::net
