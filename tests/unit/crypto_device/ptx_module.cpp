// A module with the ABI of libthresher_cuda.so that runs the kernels' PTX, made C++ by
// ptx_to_cpp.py: the same code that a card would run but for ptxas, thread after thread.
#include <cstring>
#include <vector>

#include "emulated_device.hpp"
#include "ptx_thread.hpp"
#include "stages.hpp"

namespace {

using namespace thresher::crypto::device;

constexpr ThresherDeviceLimits kLimits{3, 300, 1u << 16, 64, 1000};
constexpr u32 kThreads = 128;  // as in cuda_module.cu

struct Slot {
  std::vector<Record> records{kLimits.signatures};
  std::vector<u64> messages = std::vector<u64>(kLimits.message_bytes / 8);
  std::vector<u32> results = std::vector<u32>(kLimits.signatures / 32 * 2 + 2);
};

struct Machine {
  const BaseTable* base;
  std::vector<KeyTable> keys;
  std::vector<Scratch> scratch{kLimits.signatures};
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
  made->keys.reserve(kLimits.keys);
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
  of(device).keys.resize(first);
  of(device).keys.insert(of(device).keys.end(), tables, tables + count);
  return 0;
}
Record* records(void* device, u32 slot) {
  return of(device).slot[slot].records.data();
}
u8* messages(void* device, u32 slot) {
  return reinterpret_cast<u8*>(of(device).slot[slot].messages.data());
}
int submit(void* device, u32 number, u32 count, u32, int known, char*, std::size_t) {
  Machine& machine = of(device);
  Slot& slot = machine.slot[number];
  const Batch batch{records(device, number), messages(device, number), count, machine.base,
                    machine.keys.data(),     machine.scratch.data()};
  u32* const results = slot.results.data();
  const u32 points = known != 0 ? count : 2 * count;
  const auto* batch_bytes = reinterpret_cast<const unsigned char*>(&batch);
  const unsigned char* decoding[] = {batch_bytes, reinterpret_cast<const unsigned char*>(&points)};
  const unsigned char* summing[] = {batch_bytes, reinterpret_cast<const unsigned char*>(&results)};
  launch(hash_kernel, count, false, &batch_bytes);
  launch(decode_kernel, points, false, decoding);
  if (known != 0) {
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
