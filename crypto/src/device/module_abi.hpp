// The C ABI between the library and an accelerator module (libthresher_cuda.so), which is loaded at
// run time so that library and binary start where there is no driver.
//
//   extern "C" std::uint32_t thresher_device_abi();                  // compared before all else
//   extern "C" const ThresherDeviceApi* thresher_device_api();
//
// A device has `slots` buffers of its own (page-locked memory). The caller fills one, submits it
// and polls it; other slots may be filled and submitted meanwhile, by other threads too. Results
// are three bitmaps of `count` bits: valid signatures, keys that do not decode, signatures of a
// combination that failed. Guarantees asked of a module: only open(), put_keys() and close() wait
// for the device; no exception crosses. Any change of a struct here or in stages.hpp raises
// kDeviceAbi.
#pragma once

#include <cstddef>
#include <cstdint>

namespace thresher::crypto::device {
struct Record;
struct KeyTable;
struct BaseTable;
}  // namespace thresher::crypto::device

extern "C" {

struct ThresherDeviceLimits {
  std::uint32_t slots;          ///< three for each thread that packs
  std::uint32_t signatures;     ///< in one slot
  std::uint32_t message_bytes;  ///< in one slot
  std::uint32_t keys;           ///< with a table
  std::uint32_t combine_at;     ///< from so many fresh keys on, combinations are faster
  std::uint32_t silence_ms;     ///< a slot that takes longer will never end
};

/// What submit() shall do with a slot.
enum ThresherDeviceWork { kThresherFresh = 0, kThresherKnown = 1, kThresherCombine = 2 };

/// 32 secret bytes and a number that is never used twice with them: no signer may foresee them.
struct ThresherDeviceSecret {
  std::uint32_t key[8];
  std::uint64_t number;
};

/// What poll() says.
enum ThresherDeviceState { kThresherPending = 0, kThresherDone = 1, kThresherLost = 2 };

/// Functions that can fail return 0 for success, else they write why they failed as text.
struct ThresherDeviceApi {
  /// Is there a device? Allocates nothing on it.
  int (*probe)(char* why, std::size_t room);
  int (*open)(const thresher::crypto::device::BaseTable* base, void** device, char* why,
              std::size_t room);
  void (*close)(void* device);
  const char* (*name)(void* device);
  void (*limits)(void* device, ThresherDeviceLimits* out);
  /// Pre: first + count <= limits.keys; no slot is pending.
  int (*put_keys)(void* device, const thresher::crypto::device::KeyTable* tables,
                  std::uint32_t first, std::uint32_t count, char* why, std::size_t room);
  thresher::crypto::device::Record* (*records)(void* device, std::uint32_t slot);
  std::uint8_t* (*messages)(void* device, std::uint32_t slot);
  /// All keys of a slot have a table, or none. `secret` is read by combinations only.
  int (*submit)(void* device, std::uint32_t slot, std::uint32_t count, std::uint32_t message_bytes,
                int work, const ThresherDeviceSecret* secret, char* why, std::size_t room);
  int (*poll)(void* device, std::uint32_t slot, char* why, std::size_t room);
  /// Three bitmaps of (count + 31) / 32 words each. Pre: poll() said done.
  const std::uint32_t* (*results)(void* device, std::uint32_t slot);
};

using ThresherDeviceAbiFunction = std::uint32_t (*)();
using ThresherDeviceApiFunction = const ThresherDeviceApi* (*)();

}  // extern "C"

namespace thresher::crypto::device {
inline constexpr std::uint32_t kDeviceAbi = 1;
inline constexpr const char* kAbiSymbol = "thresher_device_abi";
inline constexpr const char* kApiSymbol = "thresher_device_api";
}  // namespace thresher::crypto::device
