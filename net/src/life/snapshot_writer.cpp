#include "life/snapshot_writer.hpp"

#include <cerrno>
#include <chrono>

#include "files/disk_problem.hpp"

namespace thresher::net {
namespace {

/// Rests of the thread for each unit of time that the disk took.
constexpr int kRest = 3;

}  // namespace

SnapshotWriter::SnapshotWriter(SnapshotFolder folder, Options options, Hooks hooks)
    : folder_(std::move(folder)),
      options_(std::move(options)),
      hooks_(std::move(hooks)),
      thread_([this] { work(); }) {}

SnapshotWriter::~SnapshotWriter() {
  stop();
  thread_.join();
}

void SnapshotWriter::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
}

void SnapshotWriter::wait_for_host() {
  std::unique_lock lock(mutex_);
  left_host_.wait(lock, [&] { return !in_host_; });
}

// False: the node stops.
bool SnapshotWriter::enter_host() {
  const std::lock_guard lock(mutex_);
  in_host_ = !stop_;
  return in_host_;
}

void SnapshotWriter::leave_host() {
  {
    const std::lock_guard lock(mutex_);
    in_host_ = false;
  }
  left_host_.notify_all();
}

void SnapshotWriter::take(Job job) {
  {
    const std::lock_guard lock(mutex_);
    waiting_ = std::move(job);
  }
  wake_.notify_one();
}

bool SnapshotWriter::busy() const {
  const std::lock_guard lock(mutex_);
  return writes_ || waiting_;
}

void SnapshotWriter::work() {
  while (true) {
    std::optional<Job> job;
    {
      std::unique_lock lock(mutex_);
      writes_ = false;
      wake_.wait(lock, [&] { return stop_ || waiting_; });
      if (stop_) return;
      job = std::exchange(waiting_, std::nullopt);
      writes_ = true;
    }
    std::uint64_t bytes = 0;
    const std::string why = write(*job, bytes);
    // On a disk that has become full the log needs the space.
    if (!why.empty()) folder_.remove_unfinished();
    {
      const std::lock_guard lock(mutex_);
      if (stop_) return;
    }
    // Without the lock: a hook may take one of its own, under which others call take() or busy().
    if (why.empty()) {
      hooks_.done(job->checkpoint, bytes);
    } else {
      hooks_.failed(job->checkpoint, why);
    }
  }
}

// True when the writer ends.
bool SnapshotWriter::rests(std::chrono::steady_clock::duration how_long) {
  std::unique_lock lock(mutex_);
  return wake_.wait_for(lock, how_long, [&] { return stop_; });
}

std::string SnapshotWriter::write(const Job& job, std::uint64_t& bytes) {
  using Clock = std::chrono::steady_clock;
  const auto file = folder_.begin(job.checkpoint.slot);
  if (!file) return disk_problem(errno);
  std::string why;
  const auto in_shares = [&](ByteView part, auto append) {
    while (!part.empty()) {
      const ByteView chunk = part.first(std::min(part.size(), Manifest::kChunk));
      part = part.subspan(chunk.size());
      const auto began = Clock::now();
      if (!append(chunk)) {
        why = disk_problem(errno);
        return false;
      }
      if (rests((Clock::now() - began) * kRest)) {
        why = "the node stops";
        return false;
      }
    }
    return true;
  };
  if (!enter_host()) return "the node stops";
  bool whole = false;
  std::string thrown;
  try {
    whole = job.state->write([&](ByteView part) {
      return in_shares(part, [&](ByteView chunk) { return file->append(chunk); });
    });
  } catch (const std::exception& e) {
    thrown = e.what();
  } catch (...) {
    thrown = "an exception that is no std::exception";
  }
  leave_host();
  if (!thrown.empty()) return "the application threw in Frozen::write(): " + thrown;
  if (!whole) return why.empty() ? "the application gave up writing it" : why;
  if (job.ledger && !net::write(*job.ledger, [&](ByteView part) {
        return in_shares(part, [&](ByteView chunk) { return file->append_ledger(chunk); });
      }))
    return why;
  if (!file->finish(job.checkpoint, job.ledger ? ByteView() : encode(job.own).view()))
    return disk_problem(errno);
  bytes = file->bytes();
  if (options_.verify && !folder_.load(job.checkpoint.slot)) {
    return "what was written cannot be read back as it was";
  }
  return folder_.keep(options_.kept, options_.certified, options_.held)
             ? std::string()
             : "an older one cannot be removed: " + disk_problem(errno);
}

}  // namespace thresher::net
