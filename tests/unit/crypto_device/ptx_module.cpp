// A module with the ABI of libthresher_cuda.so that runs the kernels' PTX, made C++ by
// ptx_to_cpp.py: the same code that a card would run but for ptxas, thread after thread.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "combine.hpp"
#include "emulated_device.hpp"
#include "ptx_thread.hpp"

namespace {

using namespace thresher::crypto::device;

constexpr ThresherDeviceLimits kLimits{3, 600, 1u << 17, 4, 1200, 1000};
constexpr u32 kGroup = 256;
constexpr u32 kThreads = 128;  // as in cuda_module.cu

struct Slot {
  std::vector<Record> records{kLimits.signatures};
  std::vector<u64> messages = std::vector<u64>(kLimits.message_bytes / 8);
  std::vector<u32> results = std::vector<u32>(kLimits.signatures / 32 * 3 + 3);
};

struct Machine {
  const BaseTable* base;
  std::vector<KeyTable> keys;
  std::vector<Scratch> scratch{kLimits.signatures};
  std::vector<Extended> buckets, windows;
  Slot slot[kLimits.slots];
};

Machine& of(void* device) {
  return *static_cast<Machine*>(device);
}

using Kernel = void (*)(PtxThread*, const unsigned char* const*);
using Parameters = const unsigned char* const*;

/// One warp; its votes are collected in a first run and given back in a second.
void run_warp(Kernel kernel, u32 block, u32 first, bool votes, Parameters parameters) {
  u32 collected[kPtxBallots] = {}, ignored[kPtxBallots] = {};
  for (int run = votes ? 0 : 1; run < 2; ++run) {
    for (u32 lane = 0; lane < 32; ++lane) {
      PtxThread thread{first + lane, block, kThreads, lane, {}, 0, run == 0 ? collected : ignored};
      if (run == 1) std::memcpy(thread.votes, collected, sizeof collected);
      kernel(&thread, parameters);
    }
  }
}

void launch(Kernel kernel, u32 threads, bool votes, Parameters parameters) {
  for (u32 block = 0; block * kThreads < threads; ++block) {
    for (u32 first = 0; first < kThreads && block * kThreads + first < threads; first += 32) {
      run_warp(kernel, block, first, votes, parameters);
    }
  }
}

int open(const BaseTable* base, void** device, char*, std::size_t) {
  auto* made = new Machine;
  made->base = base;
  *device = made;
  return 0;
}
void close(void* device) {
  delete static_cast<Machine*>(device);
}
const char* name(void*) {
  return "PTX, interpreted";
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
/// The same combination by the stages themselves. A group that fails by mistake would only cost
/// time, so no verdict shows it.
std::vector<u32> settled_by_stages(const Combination& by_ptx) {
  Combination all = by_ptx;
  std::vector<Scratch> scratch(all.batch.count);
  std::vector<Extended> windows(all.groups * kWindows), buckets(windows.size() * kBuckets);
  std::vector<u32> settled(all.groups);
  all.batch.scratch = scratch.data();
  all.windows = windows.data();
  all.buckets = buckets.data();
  all.settled = settled.data();
  for (u32 i = 0; i < all.batch.count; ++i) hash_stage(all.batch, i);
  for (u32 i = 0; i < 2 * all.batch.count; ++i) decode_stage(all.batch, i);
  for (u32 i = 0; i < all.batch.count; ++i) scale_stage(all, i);
  for (u32 i = 0; i < all.groups * kWindows; ++i) bucket_stage(all, i);
  for (u32 i = 0; i < all.groups; ++i) settle_stage(all, i);
  return settled;
}

/// False when PTX and stages differ.
bool combine(Machine& machine, const Batch& batch, const ThresherDeviceSecret& secret,
             u32* results) {
  Combination all{batch, kGroup, (batch.count + kGroup - 1) / kGroup, {}, {}, {}, {}, {}};
  std::memcpy(all.secret, secret.key, sizeof all.secret);
  std::memcpy(all.number, &secret.number, sizeof all.number);
  machine.windows.resize(all.groups * kWindows);
  machine.buckets.resize(machine.windows.size() * kBuckets);
  std::vector<u32> settled(all.groups);
  all.buckets = machine.buckets.data();
  all.windows = machine.windows.data();
  all.settled = settled.data();
  const auto* bytes = reinterpret_cast<const unsigned char*>(&all);
  const unsigned char* last[] = {bytes, reinterpret_cast<const unsigned char*>(&results)};
  launch(scale_kernel, batch.count, false, &bytes);
  launch(bucket_kernel, all.groups * kWindows, false, &bytes);
  launch(settle_kernel, all.groups, false, &bytes);
  launch(group_kernel, batch.count, true, last);
  return settled == settled_by_stages(all);
}

int submit(void* device, u32 number, u32 count, u32, int work, const ThresherDeviceSecret* secret,
           char* why, std::size_t room) {
  Machine& machine = of(device);
  Slot& slot = machine.slot[number];
  const Batch batch{records(device, number), messages(device, number), count, machine.base,
                    machine.keys.data(),     machine.scratch.data()};
  u32* const results = slot.results.data();
  const u32 points = work == kThresherKnown ? count : 2 * count;
  const auto* batch_bytes = reinterpret_cast<const unsigned char*>(&batch);
  const unsigned char* decoding[] = {batch_bytes, reinterpret_cast<const unsigned char*>(&points)};
  const unsigned char* summing[] = {batch_bytes, reinterpret_cast<const unsigned char*>(&results)};
  launch(hash_kernel, count, false, &batch_bytes);
  launch(decode_kernel, points, false, decoding);
  if (work == kThresherCombine) {
    if (!combine(machine, batch, *secret, results)) {
      (void)std::snprintf(why, room, "the PTX of a combination differs from its stages");
      return 1;
    }
  } else if (work == kThresherKnown) {
    launch(known_kernel, count, true, summing);
  } else {
    launch(table_kernel, count, false, &batch_bytes);
    launch(sum_kernel, count, true, summing);
  }
  return 0;
}
const u32* results(void* device, u32 slot) {
  return of(device).slot[slot].results.data();
}

}  // namespace

extern "C" {

std::uint32_t thresher_device_abi();
std::uint32_t thresher_device_abi() {
  return kDeviceAbi;
}

const ThresherDeviceApi* thresher_device_api();
const ThresherDeviceApi* thresher_device_api() {
  static const ThresherDeviceApi kApi = [] {
    ThresherDeviceApi out = emulated_device();  // probe() and poll() need nothing else
    out.open = open;
    out.close = close;
    out.name = name;
    out.limits = limits;
    out.put_keys = put_keys;
    out.records = records;
    out.messages = messages;
    out.submit = submit;
    out.results = results;
    return out;
  }();
  return &kApi;
}

}  // extern "C"
