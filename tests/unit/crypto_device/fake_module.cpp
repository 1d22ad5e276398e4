// A module with the ABI of libthresher_cuda.so whose "card" is the emulator, and which fails in the
// way that the environment names: THRESHER_FAKE_DEVICE = works, old_abi, no_device, lost (the
// second slot), silent, refuses_work, refuses_keys.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "emulated_device.hpp"

namespace {

using thresher::crypto::device::BaseTable;
using thresher::crypto::device::emulated_device;
using thresher::crypto::device::KeyTable;

bool told(const char* what) {
  const char* mode = std::getenv("THRESHER_FAKE_DEVICE");
  return mode != nullptr && std::strcmp(mode, what) == 0;
}

// Two lanes of the verifier call from two threads.
std::atomic<int> submitted = 0;

int fail(const char* text, char* why, std::size_t room) {
  (void)std::snprintf(why, room, "%s", text);
  return 1;
}

int probe(char* why, std::size_t room) {
  return told("no_device") ? fail("no device", why, room) : 0;
}
int open(const BaseTable* base, void** device, char* why, std::size_t room) {
  submitted = 0;
  if (probe(why, room) != 0) return 1;
  return emulated_device().open(base, device, why, room);
}
const char* name(void*) {
  return "Fake Card";
}
void limits(void* device, ThresherDeviceLimits* out) {
  emulated_device().limits(device, out);
  out->silence_ms = 20;
  out->keys = 3;
}
int put_keys(void* device, const KeyTable* tables, std::uint32_t first, std::uint32_t count,
             char* why, std::size_t room) {
  if (told("refuses_keys")) return fail("out of memory", why, room);
  return emulated_device().put_keys(device, tables, first, count, why, room);
}
int submit(void* device, std::uint32_t slot, std::uint32_t count, std::uint32_t bytes, int work,
           const ThresherDeviceSecret* secret, char* why, std::size_t room) {
  ++submitted;
  if (told("refuses_work")) return fail("launch failed", why, room);
  return emulated_device().submit(device, slot, count, bytes, work, secret, why, room);
}
int poll(void*, std::uint32_t, char* why, std::size_t room) {
  if (told("silent")) return kThresherPending;
  static std::atomic<int> polls = 0;
  if (submitted > 1 && told("lost") && ++polls > 1) {
    (void)fail("the card fell off the bus", why, room);
    return kThresherLost;
  }
  return kThresherDone;
}

}  // namespace

extern "C" {

std::uint32_t thresher_device_abi();
std::uint32_t thresher_device_abi() {
  return thresher::crypto::device::kDeviceAbi + (told("old_abi") ? 7 : 0);
}

const ThresherDeviceApi* thresher_device_api();
const ThresherDeviceApi* thresher_device_api() {
  static ThresherDeviceApi api = [] {
    ThresherDeviceApi out = emulated_device();
    out.probe = probe;
    out.open = open;
    out.name = name;
    out.limits = limits;
    out.put_keys = put_keys;
    out.submit = submit;
    out.poll = poll;
    return out;
  }();
  return &api;
}

}  // extern "C"
