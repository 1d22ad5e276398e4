#include "emulated_device.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "combine.hpp"

namespace thresher::crypto::device {
namespace {

/// Small, so that ordinary tests fill several slots and go round the ring, in two lanes.
constexpr ThresherDeviceLimits kLimits{6, 48, 8192, 1024, 60, 1000};
constexpr u32 kGroup = 24;

struct Slot {
  std::vector<Record> records{kLimits.signatures};
  std::vector<u64> messages = std::vector<u64>(kLimits.message_bytes / 8);
  std::vector<u32> results;
  std::vector<Scratch> scratch{kLimits.signatures};
  std::vector<Extended> buckets, windows;
};

struct Emulated {
  const BaseTable* base;
  std::vector<KeyTable> keys;
  Slot slot[kLimits.slots];
};

Emulated& of(void* device) {
  return *static_cast<Emulated*>(device);
}

int probe(char*, std::size_t) {
  return 0;
}
int open(const BaseTable* base, void** device, char*, std::size_t) {
  auto* made = new Emulated;
  made->base = base;
  *device = made;
  return 0;
}
void close(void* device) {
  delete static_cast<Emulated*>(device);
}
const char* name(void*) {
  return "";
}
void limits(void*, ThresherDeviceLimits* out) {
  *out = kLimits;
}
int put_keys(void* device, const KeyTable* tables, u32 first, u32 count, char*, std::size_t) {
  auto& keys = of(device).keys;
  if (keys.size() < first + count) keys.resize(first + count);
  std::copy_n(tables, count, keys.begin() + first);
  return 0;
}
Record* records(void* device, u32 slot) {
  return of(device).slot[slot].records.data();
}
u8* messages(void* device, u32 slot) {
  return reinterpret_cast<u8*>(of(device).slot[slot].messages.data());
}
/// Gives what group_outcome() will read.
Combination combine(Slot& mine, const Batch& batch, const ThresherDeviceSecret& secret,
                    std::vector<u32>& settled) {
  Combination all{batch, kGroup, (batch.count + kGroup - 1) / kGroup, {}, {}, {}, {}, {}};
  std::memcpy(all.secret, secret.key, sizeof all.secret);
  std::memcpy(all.number, &secret.number, sizeof all.number);
  mine.windows.resize(all.groups * kWindows);
  mine.buckets.resize(mine.windows.size() * kBuckets);
  settled.assign(all.groups, 0);
  all.buckets = mine.buckets.data();
  all.windows = mine.windows.data();
  all.settled = settled.data();
  for (u32 i = 0; i < batch.count; ++i) scale_stage(all, i);
  for (u32 i = 0; i < all.groups * kWindows; ++i) bucket_stage(all, i);
  for (u32 i = 0; i < all.groups; ++i) settle_stage(all, i);
  return all;
}

int submit(void* device, u32 slot, u32 count, u32, int work, const ThresherDeviceSecret* secret,
           char*, std::size_t) {
  Emulated& mine = of(device);
  const Batch batch{records(device, slot), messages(device, slot),        count, mine.base,
                    mine.keys.data(),      mine.slot[slot].scratch.data()};
  const u32 points = work == kThresherKnown ? count : 2 * count;
  std::vector<u32> settled;
  Combination all{};
  for (u32 i = 0; i < count; ++i) hash_stage(batch, i);
  for (u32 i = 0; i < points; ++i) decode_stage(batch, i);
  if (work == kThresherFresh) {
    for (u32 i = 0; i < count; ++i) table_stage(batch, i);
  }
  if (work == kThresherCombine) all = combine(mine.slot[slot], batch, *secret, settled);
  const u32 words = (count + 31) / 32;
  std::vector<u32>& results = mine.slot[slot].results;
  results.assign(3 * words, 0);
  for (u32 i = 0; i < count; ++i) {
    const StageResult outcome = work == kThresherCombine ? group_outcome(all, i)
                                : work == kThresherKnown ? known_stage(batch, i)
                                                         : sum_stage(batch, i);
    if (outcome == StageResult::kBad) continue;
    results[(static_cast<u32>(outcome) - 1) * words + i / 32] |= 1u << (i % 32);
  }
  return 0;
}
int poll(void*, u32, char*, std::size_t) {
  return kThresherDone;
}
const u32* results(void* device, u32 slot) {
  return of(device).slot[slot].results.data();
}

}  // namespace

const ThresherDeviceApi& emulated_device() {
  static constexpr ThresherDeviceApi kApi{probe,   open,     close,  name, limits, put_keys,
                                          records, messages, submit, poll, results};
  return kApi;
}

}  // namespace thresher::crypto::device
