#include "device_verifier.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "emulated_device.hpp"
#include "key_places.hpp"
#include "lane.hpp"
#include "module.hpp"
#include "tables32.hpp"

namespace thresher::crypto::device {
namespace {

using Reason = std::array<char, 256>;

class DeviceVerifier final : public BatchVerifier {
 public:
  DeviceVerifier(std::string_view name, const ThresherDeviceApi& api, void* device)
      : name_(name),
        api_(api),
        device_(device),
        limits_(limits_of(api, device)),
        places_(limits_.keys) {
    if (limits_.slots < kLaneSlots) {
      problem_ = "the device has " + std::to_string(limits_.slots) + " slots; at least " +
                 std::to_string(kLaneSlots) + " are needed";
    }
    for (u32 lane = 0; lane < limits_.slots / kLaneSlots; ++lane) {
      lanes_.emplace_back(api_, device_, limits_, lane * kLaneSlots);
    }
  }
  DeviceVerifier(const DeviceVerifier&) = delete;
  DeviceVerifier& operator=(const DeviceVerifier&) = delete;
  // A lost device is left as it is: giving memory back could wait for it for ever.
  ~DeviceVerifier() override {
    if (problem_.empty()) api_.close(device_);
  }

  std::string_view name() const override { return name_; }
  std::string accelerator() const override { return api_.name(device_); }
  std::optional<Error> problem() const override {
    if (problem_.empty()) return std::nullopt;
    return Error{ErrorCode::kIo, problem_, std::string(name_)};
  }

  void register_keys(std::span<const PublicKey> keys) override {
    places_.begin();
    const auto table = std::make_unique<KeyTable>();
    for (const PublicKey& key : keys) {
      if (places_.full() || !problem_.empty()) return;
      if (places_.name(key) || !make_key_table(key, *table)) continue;
      Reason why{};
      if (api_.put_keys(device_, table.get(), places_.take(key), 1, why.data(), why.size()) != 0) {
        problem_ = why.data();
      }
    }
  }
  bool registered(const PublicKey& key) const override { return places_.of(key).has_value(); }

  void verify(std::span<const SignatureJob> jobs,
              std::span<SignatureStatus> verdicts) noexcept override {
    std::fill(verdicts.begin(), verdicts.end(), SignatureStatus::kUnavailable);
    if (!problem_.empty()) return;
    const bool combine = jobs.size() >= limits_.combine_at;
    // Kernels over less than an eighth of a slot leave most of a card idle.
    const std::size_t least = std::max<std::size_t>(1, limits_.signatures / 8);
    const std::size_t shares = std::clamp<std::size_t>(jobs.size() / least, 1, lanes_.size());
    const auto work = [&](std::size_t share) {
      const std::size_t from = jobs.size() * share / shares;
      const std::size_t count = jobs.size() * (share + 1) / shares - from;
      lanes_[share].verify(jobs.subspan(from, count), verdicts.subspan(from, count), places_,
                           combine);
    };
    {
      std::vector<std::jthread> helpers;  // joined at the end of this block
      std::size_t started = 1;
      try {
        for (; started < shares; ++started) helpers.emplace_back(work, started);
      } catch (const std::system_error&) {
        // No more threads: their shares are this one's too.
      }
      work(0);
      for (; started < shares; ++started) work(started);
    }
    for (const Lane& lane : lanes_) {
      if (problem_.empty()) problem_ = lane.problem();
    }
  }

 private:
  static ThresherDeviceLimits limits_of(const ThresherDeviceApi& api, void* device) {
    ThresherDeviceLimits out{};
    api.limits(device, &out);
    return out;
  }

  std::string_view name_;
  const ThresherDeviceApi& api_;
  void* device_;
  ThresherDeviceLimits limits_;
  KeyPlaces places_;
  std::deque<Lane> lanes_;
  std::string problem_;
};

}  // namespace

std::unique_ptr<BatchVerifier> make_emulator() {
  void* device = nullptr;
  (void)emulated_device().open(&base_table(), &device, nullptr, 0);
  return std::make_unique<DeviceVerifier>("emulator", emulated_device(), device);
}

std::unique_ptr<BatchVerifier> make_cuda(std::string& why) {
  const Module module = load_cuda_module();
  why = module.problem;
  if (module.api == nullptr) return nullptr;
  Reason reason{};
  void* device = nullptr;
  if (module.api->open(&base_table(), &device, reason.data(), reason.size()) != 0) {
    why = reason.data();
    return nullptr;
  }
  return std::make_unique<DeviceVerifier>("cuda", *module.api, device);
}

std::string cuda_problem() {
  const Module module = load_cuda_module();
  if (module.api == nullptr) return module.problem;
  Reason reason{};
  if (module.api->probe(reason.data(), reason.size()) != 0) return reason.data();
  return {};
}

}  // namespace thresher::crypto::device
