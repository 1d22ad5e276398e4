#include "lane.hpp"

#include <sodium.h>

#include <array>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "../scalar.hpp"
#include "stages.hpp"

namespace thresher::crypto::device {
namespace {

/// Longer messages are hashed on the processor: one thread with a megabyte would keep its warp.
constexpr std::size_t kLongestMessage = 2048;
/// Messages lie anywhere in memory: they are prefetched this many jobs ahead, and the jobs
/// themselves, which name them, twice as early.
constexpr std::size_t kAhead = 12;

void prefetch(std::span<const SignatureJob> jobs, std::size_t i) {
  if (i + 2 * kAhead >= jobs.size()) return;
  const auto* const later = reinterpret_cast<const char*>(&jobs[i + 2 * kAhead]);
  __builtin_prefetch(later);
  __builtin_prefetch(later + sizeof(SignatureJob) - 1);
  __builtin_prefetch(jobs[i + kAhead].message.data());
}

/// Word by word: messages are short, and the compiler's own copy of an unknown size takes longer to
/// begin than to end.
void copy_message(u8* to, ByteView message) {
  std::size_t at = 0;
  for (; at + 8 <= message.size(); at += 8) std::memcpy(to + at, message.data() + at, 8);
  for (; at < message.size(); ++at) to[at] = static_cast<u8>(message[at]);
}

using Reason = std::array<char, 256>;

}  // namespace

Lane::Lane(const ThresherDeviceApi& api, void* device, const ThresherDeviceLimits& limits,
           u32 first)
    : api_(api), device_(device), limits_(limits), first_(first) {
  randombytes_buf(secret_.key, sizeof secret_.key);
}

void Lane::verify(std::span<const SignatureJob> jobs, std::span<SignatureStatus> verdicts,
                  const KeyPlaces& places, bool combine) {
  Open fresh{combine ? kThresherCombine : kThresherFresh};
  Open known{kThresherKnown};
  for (u32 i = 0; i < jobs.size() && problem_.empty(); ++i) {
    prefetch(jobs, i);
    if (const auto place = places.of(jobs[i].key)) {
      add(known, i, jobs[i], *place, verdicts);
      continue;
    }
    // A cheater gains nothing by spoiling combinations: after a few they end.
    if (fresh.work == kThresherCombine && unsettled_.size() > limits_.signatures / 4) {
      submit(fresh);
      fresh.work = kThresherFresh;
    }
    add(fresh, i, jobs[i], kFresh, verdicts);
  }
  submit(fresh);
  submit(known);
  drain(verdicts);
  again_alone(jobs, verdicts);
  for (Slot& slot : slots_) {
    slot.pending = slot.taken = false;
    slot.index.clear();
  }
}

/// What a failed combination left open.
void Lane::again_alone(std::span<const SignatureJob> jobs, std::span<SignatureStatus> verdicts) {
  Open alone{kThresherFresh};
  for (const u32 i : std::exchange(unsettled_, {})) {
    if (problem_.empty()) add(alone, i, jobs[i], kFresh, verdicts);
  }
  submit(alone);
  drain(verdicts);
}

void Lane::add(Open& open, u32 i, const SignatureJob& job, u32 key_index,
               std::span<SignatureStatus> verdicts) {
  const bool hash_here = job.message.size() > kLongestMessage;
  const std::size_t size = hash_here ? 32 : job.message.size();
  const auto room = static_cast<u32>((size + 7) / 8 * 8);
  if (open.there && (slots_[open.slot].index.size() == limits_.signatures ||
                     open.bytes + room > limits_.message_bytes)) {
    submit(open);
  }
  if (!open.there && (!problem_.empty() || !take(open, verdicts))) return;
  Slot& slot = slots_[open.slot];
  Record& record = open.records[slot.index.size()];
  std::memcpy(record.r, job.signature.data(), 32);
  std::memcpy(record.s, job.signature.data() + 32, 32);
  std::memcpy(record.key, job.key.data(), 32);
  record.key_index = key_index;
  record.offset = open.bytes;
  record.size = hash_here ? kHashed : static_cast<u32>(size);
  u8* const at = open.messages + open.bytes;
  if (hash_here) {
    const auto k = ed25519::challenge(job);
    std::memcpy(at, k.data(), k.size());
  } else {
    copy_message(at, job.message);
  }
  open.bytes += room;
  slot.index.push_back(i);
}

/// A free slot, waiting for the oldest when there is none. One is free or at work: of three, at
/// most two are being filled.
bool Lane::take(Open& open, std::span<SignatureStatus> verdicts) {
  for (;;) {
    next_ = (next_ + 1) % kLaneSlots;
    if (slots_[next_].taken && !slots_[next_].pending) continue;  // being filled
    if (slots_[next_].pending) finish(next_, verdicts);
    if (!problem_.empty()) return false;
    slots_[next_].taken = true;
    open = {open.work,
            true,
            next_,
            0,
            api_.records(device_, first_ + next_),
            api_.messages(device_, first_ + next_)};
    return true;
  }
}

void Lane::submit(Open& open) {
  if (!open.there || !problem_.empty()) return;
  Slot& slot = slots_[open.slot];
  Reason why{};
  ++secret_.number;
  if (api_.submit(device_, first_ + open.slot, static_cast<u32>(slot.index.size()), open.bytes,
                  open.work, &secret_, why.data(), why.size()) != 0) {
    problem_ = why.data();
  }
  slot.pending = true;
  open.there = false;
}

void Lane::drain(std::span<SignatureStatus> verdicts) {
  for (u32 slot = 0; slot < slots_.size() && problem_.empty(); ++slot) finish(slot, verdicts);
}

void Lane::finish(u32 number, std::span<SignatureStatus> verdicts) {
  Slot& slot = slots_[number];
  if (!slot.pending || !wait(number)) return;
  const std::size_t words = (slot.index.size() + 31) / 32;
  const u32* bits = api_.results(device_, first_ + number);
  for (std::size_t i = 0; i < slot.index.size(); ++i) {
    const auto is = [&](std::size_t map) {
      return (bits[map * words + i / 32] >> (i % 32) & 1) != 0;
    };
    if (is(2)) {
      unsettled_.push_back(slot.index[i]);
      continue;
    }
    verdicts[slot.index[i]] = is(0)   ? SignatureStatus::kValid
                              : is(1) ? SignatureStatus::kBadKey
                                      : SignatureStatus::kBadSignature;
  }
  slot.pending = slot.taken = false;
  slot.index.clear();
}

// Polls closely while a small batch can be about to end, then sleeps between looks.
bool Lane::wait(u32 number) {
  const auto start = std::chrono::steady_clock::now();
  for (;;) {
    Reason why{};
    const int state = api_.poll(device_, first_ + number, why.data(), why.size());
    if (state == kThresherDone) return true;
    if (state != kThresherPending) {
      problem_ = why.data();
      return false;
    }
    const auto waited = std::chrono::steady_clock::now() - start;
    if (waited > std::chrono::milliseconds(limits_.silence_ms)) {
      problem_ = "the device has not answered for " + std::to_string(limits_.silence_ms) +
                 " ms; it is left alone until the program is started again";
      return false;
    }
    if (waited < std::chrono::microseconds(200)) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }
}

}  // namespace thresher::crypto::device
