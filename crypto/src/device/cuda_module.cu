// The CUDA module: kernels around the stages of stages.hpp, page-locked slots each with a stream of
// its own, and events that the caller polls. Built as libthresher_cuda.so and loaded at run time.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <thread>

#include "combine.hpp"
#include "module_abi.hpp"

namespace thresher::crypto::device {
namespace {

constexpr int kThreads = 128;
/// Twelve slots, three for each of four packing threads, are there where the processor has sixteen
/// cores or more; a slot takes 210 MB of the card and 24 MB of page-locked memory.
constexpr ThresherDeviceLimits kLimits{12, 65536, 16u << 20, 1024, 131072, 10000};
/// Larger groups fold fewer buckets, smaller ones give a slot more threads. 64 and 32 were slower.
constexpr u32 kGroup = 128;
constexpr std::size_t kMostWindows = kLimits.signatures / kGroup * kWindows;

__global__ void __launch_bounds__(kThreads, 4) hash_kernel(Batch batch) {
  const u32 i = blockIdx.x * kThreads + threadIdx.x;
  if (i < batch.count) hash_stage(batch, i);
}

__global__ void __launch_bounds__(kThreads, 4) decode_kernel(Batch batch, u32 points) {
  const u32 i = blockIdx.x * kThreads + threadIdx.x;
  if (i < points) decode_stage(batch, i);
}

__global__ void __launch_bounds__(kThreads, 4) table_kernel(Batch batch) {
  const u32 i = blockIdx.x * kThreads + threadIdx.x;
  if (i < batch.count) table_stage(batch, i);
}

/// A warp's 32 outcomes become one word of each bitmap.
__device__ void store(StageResult outcome, u32 i, u32 count, u32* results) {
  const u32 valid = __ballot_sync(0xffffffffu, outcome == StageResult::kValid);
  const u32 bad_key = __ballot_sync(0xffffffffu, outcome == StageResult::kBadKey);
  const u32 unsettled = __ballot_sync(0xffffffffu, outcome == StageResult::kUnsettled);
  if (i % 32 != 0 || i >= count) return;
  const u32 words = (count + 31) / 32;
  results[i / 32] = valid;
  results[words + i / 32] = bad_key;
  results[2 * words + i / 32] = unsettled;
}

// Threads behind the last signature repeat it, so that their warp stays whole; their bits are
// cleared.
__global__ void __launch_bounds__(kThreads, 4) sum_kernel(Batch batch, u32* results) {
  const u32 i = blockIdx.x * kThreads + threadIdx.x;
  const StageResult outcome = sum_stage(batch, min(i, batch.count - 1));
  store(i < batch.count ? outcome : StageResult::kBad, i, batch.count, results);
}

__global__ void __launch_bounds__(kThreads, 4) known_kernel(Batch batch, u32* results) {
  const u32 i = blockIdx.x * kThreads + threadIdx.x;
  const StageResult outcome = known_stage(batch, min(i, batch.count - 1));
  store(i < batch.count ? outcome : StageResult::kBad, i, batch.count, results);
}

__global__ void __launch_bounds__(kThreads, 4) scale_kernel(Combination all) {
  const u32 i = blockIdx.x * kThreads + threadIdx.x;
  if (i < all.batch.count) scale_stage(all, i);
}

// Three blocks: an addition to a bucket keeps more alive than 128 registers.
__global__ void __launch_bounds__(kThreads, 3) bucket_kernel(Combination all) {
  const u32 i = blockIdx.x * kThreads + threadIdx.x;
  if (i < all.groups * kWindows) bucket_stage(all, i);
}

__global__ void __launch_bounds__(kThreads, 4) settle_kernel(Combination all) {
  const u32 i = blockIdx.x * kThreads + threadIdx.x;
  if (i < all.groups) settle_stage(all, i);
}

__global__ void __launch_bounds__(kThreads, 4) group_kernel(Combination all, u32* results) {
  const u32 i = blockIdx.x * kThreads + threadIdx.x;
  const StageResult outcome = group_outcome(all, min(i, all.batch.count - 1));
  store(i < all.batch.count ? outcome : StageResult::kBad, i, all.batch.count, results);
}

struct Slot {
  cudaStream_t stream = nullptr;
  cudaEvent_t done = nullptr;
  // Page-locked.
  Record* records = nullptr;
  u8* messages = nullptr;
  u32* results = nullptr;
  // On the device.
  Record* device_records = nullptr;
  u8* device_messages = nullptr;
  u32* device_results = nullptr;
  Scratch* scratch = nullptr;
  Extended* buckets = nullptr;
  Extended* windows = nullptr;
  u32* settled = nullptr;
};

struct Card {
  int number = 0;
  cudaDeviceProp properties{};
  u32 slots = 3 * std::clamp(std::thread::hardware_concurrency() / 4, 2u, 4u);
  BaseTable* base = nullptr;
  KeyTable* keys = nullptr;
  Slot slot[kLimits.slots];
};

Card& of(void* device) {
  return *static_cast<Card*>(device);
}

/// Remembers the first error of several calls.
class Calls {
 public:
  Calls(char* why, std::size_t room) : why_(why), room_(room) {}
  bool good() const { return !failed_; }
  Calls& operator()(cudaError_t error, const char* what) {
    if (error == cudaSuccess || failed_) return *this;
    failed_ = true;
    (void)std::snprintf(why_, room_, "the GPU was lost or refused to %s: %s (%s)", what,
                        cudaGetErrorString(error), cudaGetErrorName(error));
    return *this;
  }

 private:
  char* why_;
  std::size_t room_;
  bool failed_ = false;
};

int probe(char* why, std::size_t room) {
  int driver = 0, runtime = 0, count = 0;
  (void)cudaDriverGetVersion(&driver);
  (void)cudaRuntimeGetVersion(&runtime);
  const cudaError_t error = cudaGetDeviceCount(&count);
  (void)cudaGetLastError();
  if (driver == 0 || error == cudaErrorNoDevice || (error == cudaSuccess && count == 0)) {
    (void)std::snprintf(why, room, "no device");
    return 1;
  }
  if (error == cudaErrorInsufficientDriver) {
    (void)std::snprintf(why, room,
                        "the NVIDIA driver is for CUDA %d.%d, the module was built with %d.%d: "
                        "install a newer driver or build with an older toolkit",
                        driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
    return 1;
  }
  if (error != cudaSuccess) {
    (void)std::snprintf(why, room, "the NVIDIA driver does not work: %s (%s)",
                        cudaGetErrorString(error), cudaGetErrorName(error));
    return 1;
  }
  return 0;
}

void close(void* device) {
  Card* card = &of(device);
  for (Slot& slot : card->slot) {
    (void)cudaFreeHost(slot.records);
    (void)cudaFreeHost(slot.messages);
    (void)cudaFreeHost(slot.results);
    (void)cudaFree(slot.device_records);
    (void)cudaFree(slot.device_messages);
    (void)cudaFree(slot.device_results);
    (void)cudaFree(slot.scratch);
    (void)cudaFree(slot.buckets);
    (void)cudaFree(slot.windows);
    (void)cudaFree(slot.settled);
    if (slot.done != nullptr) (void)cudaEventDestroy(slot.done);
    if (slot.stream != nullptr) (void)cudaStreamDestroy(slot.stream);
  }
  (void)cudaFree(card->base);
  (void)cudaFree(card->keys);
  delete card;
}

void make_slot(Slot& slot, Calls& call) {
  constexpr std::size_t kRecords = sizeof(Record) * kLimits.signatures;
  constexpr std::size_t kResults = kLimits.signatures / 32 * 3 * sizeof(u32);
  call(cudaStreamCreateWithFlags(&slot.stream, cudaStreamNonBlocking), "make a stream");
  call(cudaEventCreateWithFlags(&slot.done, cudaEventDisableTiming), "make an event");
  call(cudaMallocHost(&slot.records, kRecords), "lock host memory");
  call(cudaMallocHost(&slot.messages, kLimits.message_bytes), "lock host memory");
  call(cudaMallocHost(&slot.results, kResults), "lock host memory");
  call(cudaMalloc(&slot.device_records, kRecords), "give memory");
  call(cudaMalloc(&slot.device_messages, kLimits.message_bytes), "give memory");
  call(cudaMalloc(&slot.device_results, kResults), "give memory");
  call(cudaMalloc(&slot.scratch, sizeof(Scratch) * kLimits.signatures), "give memory");
  call(cudaMalloc(&slot.buckets, sizeof(Extended) * kMostWindows * kBuckets), "give memory");
  call(cudaMalloc(&slot.windows, sizeof(Extended) * kMostWindows), "give memory");
  call(cudaMalloc(&slot.settled, sizeof(u32) * kLimits.signatures / kGroup), "give memory");
}

int open(const BaseTable* base, void** device, char* why, std::size_t room) {
  if (probe(why, room) != 0) return 1;
  Card* card = new Card;
  Calls call(why, room);
  call(cudaGetDevice(&card->number), "be chosen");
  call(cudaGetDeviceProperties(&card->properties, card->number), "say what it is");
  cudaFuncAttributes attributes{};
  if (call.good() && cudaFuncGetAttributes(&attributes, sum_kernel) != cudaSuccess) {
    (void)cudaGetLastError();
    (void)std::snprintf(why, room,
                        "the module has no code for %s (compute capability %d.%d): build it with "
                        "-DTHRESHER_CUDA_ARCHITECTURES=%d%d",
                        card->properties.name, card->properties.major, card->properties.minor,
                        card->properties.major, card->properties.minor);
    delete card;
    return 1;
  }
  for (u32 i = 0; i < card->slots; ++i) make_slot(card->slot[i], call);
  call(cudaMalloc(&card->base, sizeof(BaseTable)), "give memory");
  call(cudaMalloc(&card->keys, sizeof(KeyTable) * kLimits.keys), "give memory");
  if (call.good()) {
    call(cudaMemcpy(card->base, base, sizeof(BaseTable), cudaMemcpyHostToDevice), "take a table");
    call(cudaStreamSynchronize(nullptr), "take a table");
  }
  if (!call.good()) {
    close(card);
    return 1;
  }
  *device = card;
  return 0;
}

const char* name(void* device) {
  return of(device).properties.name;
}

void limits(void* device, ThresherDeviceLimits* out) {
  *out = kLimits;
  out->slots = of(device).slots;
}

// A copy from pageable memory returns when the bytes are staged, and the slots' streams do not wait
// for the default stream: without the second call a kernel could read half a table.
int put_keys(void* device, const KeyTable* tables, u32 first, u32 count, char* why,
             std::size_t room) {
  Calls call(why, room);
  call(
      cudaMemcpy(of(device).keys + first, tables, sizeof(KeyTable) * count, cudaMemcpyHostToDevice),
      "take tables of keys");
  call(cudaStreamSynchronize(nullptr), "take tables of keys");
  return call.good() ? 0 : 1;
}

Record* records(void* device, u32 slot) {
  return of(device).slot[slot].records;
}
u8* messages(void* device, u32 slot) {
  return of(device).slot[slot].messages;
}

unsigned blocks_for(u32 threads) {
  return (threads + kThreads - 1) / kThreads;
}

void start_combination(Slot& slot, const Batch& batch, const ThresherDeviceSecret& secret) {
  Combination all{};
  all.batch = batch;
  all.group = kGroup;
  all.groups = (batch.count + kGroup - 1) / kGroup;
  std::memcpy(all.secret, secret.key, sizeof all.secret);
  std::memcpy(all.number, &secret.number, sizeof all.number);
  all.buckets = slot.buckets;
  all.windows = slot.windows;
  all.settled = slot.settled;
  scale_kernel<<<blocks_for(batch.count), kThreads, 0, slot.stream>>>(all);
  bucket_kernel<<<blocks_for(all.groups * kWindows), kThreads, 0, slot.stream>>>(all);
  settle_kernel<<<blocks_for(all.groups), kThreads, 0, slot.stream>>>(all);
  group_kernel<<<blocks_for(batch.count), kThreads, 0, slot.stream>>>(all, slot.device_results);
}

void start(Slot& slot, const Batch& batch, int work, const ThresherDeviceSecret& secret) {
  const unsigned blocks = blocks_for(batch.count);
  const u32 points = work == kThresherKnown ? batch.count : 2 * batch.count;
  hash_kernel<<<blocks, kThreads, 0, slot.stream>>>(batch);
  decode_kernel<<<blocks_for(points), kThreads, 0, slot.stream>>>(batch, points);
  if (work == kThresherCombine) {
    start_combination(slot, batch, secret);
  } else if (work == kThresherKnown) {
    known_kernel<<<blocks, kThreads, 0, slot.stream>>>(batch, slot.device_results);
  } else {
    table_kernel<<<blocks, kThreads, 0, slot.stream>>>(batch);
    sum_kernel<<<blocks, kThreads, 0, slot.stream>>>(batch, slot.device_results);
  }
}

int submit(void* device, u32 number, u32 count, u32 message_bytes, int work,
           const ThresherDeviceSecret* secret, char* why, std::size_t room) {
  Card& card = of(device);
  Slot& slot = card.slot[number];
  const Batch batch{slot.device_records, slot.device_messages, count, card.base,
                    card.keys,           slot.scratch};
  Calls call(why, room);
  call(cudaMemcpyAsync(slot.device_records, slot.records, sizeof(Record) * count,
                       cudaMemcpyHostToDevice, slot.stream),
       "take signatures");
  if (message_bytes > 0) {
    call(cudaMemcpyAsync(slot.device_messages, slot.messages, message_bytes, cudaMemcpyHostToDevice,
                         slot.stream),
         "take messages");
  }
  if (!call.good()) return 1;
  start(slot, batch, work, *secret);
  call(cudaGetLastError(), "start a kernel");
  call(cudaMemcpyAsync(slot.results, slot.device_results, (count + 31) / 32 * 3 * sizeof(u32),
                       cudaMemcpyDeviceToHost, slot.stream),
       "give verdicts");
  call(cudaEventRecord(slot.done, slot.stream), "record an event");
  return call.good() ? 0 : 1;
}

int poll(void* device, u32 slot, char* why, std::size_t room) {
  const cudaError_t state = cudaEventQuery(of(device).slot[slot].done);
  if (state == cudaErrorNotReady) return kThresherPending;
  Calls call(why, room);
  call(state, "finish a batch");
  return call.good() ? kThresherDone : kThresherLost;
}

const u32* results(void* device, u32 slot) {
  return of(device).slot[slot].results;
}

}  // namespace
}  // namespace thresher::crypto::device

extern "C" {

__attribute__((visibility("default"))) std::uint32_t thresher_device_abi() {
  return thresher::crypto::device::kDeviceAbi;
}

__attribute__((visibility("default"))) const ThresherDeviceApi* thresher_device_api() {
  namespace device = thresher::crypto::device;
  static constexpr ThresherDeviceApi kApi{device::probe,   device::open,     device::close,
                                          device::name,    device::limits,   device::put_keys,
                                          device::records, device::messages, device::submit,
                                          device::poll,    device::results};
  return &kApi;
}

}  // extern "C"
