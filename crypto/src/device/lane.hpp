// One packer of a device's verifier: it fills slots that are its own, submits them and reads the
// verdicts back, while other lanes do the same from other threads. Private to crypto/device/.
//
//   Lane lane(api, device, limits, 0);           // slots 0, 1 and 2
//   lane.verify(jobs, verdicts, places, combine);
//   if (!lane.problem().empty()) ...             // some verdicts are still kUnavailable
//
// Why lanes: one thread packs some 20 million signatures a second, an H200 verifies up to 89
// (docs/performance/verify.md).
//
// Guarantees: verify() returns when no slot of the lane is at work, or when the device has failed
// or kept silent for the time its module names. Verdicts that it cannot give stay as they are.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "key_places.hpp"
#include "module_abi.hpp"
#include "thresher/crypto/verifier.hpp"

namespace thresher::crypto::device {

/// The fewest that work: a slot being filled with fresh keys, one with registered ones, and one at
/// work.
inline constexpr u32 kLaneSlots = 3;

class Lane {
 public:
  /// `device` and `api` outlive the lane. Slots first .. first + kLaneSlots - 1 are no other
  /// lane's.
  Lane(const ThresherDeviceApi& api, void* device, const ThresherDeviceLimits& limits, u32 first);

  /// Pre: equal sizes, below 2^32; no other call of the lane is under way. `combine`: fresh keys go
  /// through random linear combinations.
  void verify(std::span<const SignatureJob> jobs, std::span<SignatureStatus> verdicts,
              const KeyPlaces& places, bool combine);
  /// Why verdicts are missing; never goes away.
  const std::string& problem() const { return problem_; }

 private:
  struct Slot {
    bool pending = false;
    bool taken = false;
    std::vector<u32> index;  ///< of each record, in the batch
  };
  /// The slot that is being filled with signatures of one kind.
  struct Open {
    int work;
    bool there = false;
    u32 slot = 0;   ///< in slots_
    u32 bytes = 0;  ///< of messages
    Record* records = nullptr;
    u8* messages = nullptr;
  };

  void add(Open& open, u32 i, const SignatureJob& job, u32 key_index,
           std::span<SignatureStatus> verdicts);
  bool take(Open& open, std::span<SignatureStatus> verdicts);
  void submit(Open& open);
  void drain(std::span<SignatureStatus> verdicts);
  void finish(u32 number, std::span<SignatureStatus> verdicts);
  bool wait(u32 number);
  void again_alone(std::span<const SignatureJob> jobs, std::span<SignatureStatus> verdicts);

  const ThresherDeviceApi& api_;
  void* device_;
  ThresherDeviceLimits limits_;
  u32 first_;
  std::array<Slot, kLaneSlots> slots_;
  u32 next_ = 0;
  ThresherDeviceSecret secret_{};
  std::vector<u32> unsettled_;  ///< in the batch; their combinations failed
  std::string problem_;
};

}  // namespace thresher::crypto::device
