#include "device_verifier.hpp"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../scalar.hpp"
#include "emulated_device.hpp"
#include "module.hpp"
#include "tables32.hpp"

namespace thresher::crypto::device {
namespace {

/// Longer messages are hashed on the processor: one thread with a megabyte would keep its warp.
constexpr std::size_t kLongestMessage = 2048;

using Reason = std::array<char, 256>;

struct KeyHash {
  std::size_t operator()(const PublicKey& key) const {
    std::size_t out;
    std::memcpy(&out, key.data(), sizeof out);
    return out;
  }
};

class DeviceVerifier final : public BatchVerifier {
 public:
  DeviceVerifier(std::string_view name, const ThresherDeviceApi& api, void* device)
      : name_(name), api_(api), device_(device) {
    api_.limits(device_, &limits_);
    randombytes_buf(secret_.key, sizeof secret_.key);
    slots_.resize(limits_.slots);
  }
  DeviceVerifier(const DeviceVerifier&) = delete;
  DeviceVerifier& operator=(const DeviceVerifier&) = delete;
  // A lost device is left as it is: giving memory back could wait for it for ever.
  ~DeviceVerifier() override {
    if (problem_.empty()) api_.close(device_);
  }

  std::string_view name() const override { return name_; }
  std::string accelerator() const override { return api_.name(device_); }
  std::string problem() const override { return problem_; }

  void register_keys(std::span<const PublicKey> keys) override {
    ++call_;
    const auto table = std::make_unique<KeyTable>();
    u32 named = 0;
    for (const PublicKey& key : keys) {
      if (named == limits_.keys || !problem_.empty()) return;
      if (const auto found = known_.find(key); found != known_.end()) {
        named += found->second.named < call_ ? 1 : 0;
        found->second.named = call_;
        continue;
      }
      if (!make_key_table(key, *table)) continue;
      const u32 place = free_place();
      Reason why{};
      if (api_.put_keys(device_, table.get(), place, 1, why.data(), why.size()) != 0) {
        problem_ = why.data();
        return;
      }
      known_.emplace(key, Known{place, call_});
      ++named;
    }
  }
  bool registered(const PublicKey& key) const override { return known_.contains(key); }

  void verify(std::span<const SignatureJob> jobs, std::span<Verdict> verdicts) noexcept override {
    std::fill(verdicts.begin(), verdicts.end(), Verdict::kUnavailable);
    Open fresh{jobs.size() >= limits_.combine_at ? kThresherCombine : kThresherFresh};
    Open known{kThresherKnown};
    for (std::size_t i = 0; i < jobs.size() && problem_.empty(); ++i) {
      const auto found = known_.find(jobs[i].key);
      if (found == known_.end()) {
        // A cheater gains nothing by spoiling combinations: after a few they end.
        if (fresh.work == kThresherCombine && unsettled_.size() > limits_.signatures / 4) {
          submit(fresh);
          fresh.work = kThresherFresh;
        }
        add(fresh, i, jobs[i], kFresh, verdicts);
      } else {
        add(known, i, jobs[i], found->second.place, verdicts);
      }
    }
    submit(fresh);
    submit(known);
    drain(verdicts);
    Open alone{kThresherFresh};
    const std::vector<std::size_t> again = std::exchange(unsettled_, {});
    for (const std::size_t i : again) {
      if (problem_.empty()) add(alone, i, jobs[i], kFresh, verdicts);
    }
    submit(alone);
    drain(verdicts);
    for (Slot& slot : slots_) slot = {};
  }

 private:
  struct Slot {
    bool pending = false;
    bool taken = false;
    std::vector<std::size_t> index;  ///< of each record, in the caller's batch
  };
  /// A registered key's table, and the last call that named it.
  struct Known {
    u32 place;
    std::uint64_t named;
  };
  /// The slot that is being filled with signatures of one kind.
  struct Open {
    int work;
    bool there = false;
    u32 slot = 0;
    u32 bytes = 0;
  };

  /// Where the next table goes. Pre: the call under way named fewer keys than there is room for.
  u32 free_place() {
    if (known_.size() < limits_.keys) return static_cast<u32>(known_.size());
    const auto oldest = std::min_element(
        known_.begin(), known_.end(),
        [](const auto& a, const auto& b) { return a.second.named < b.second.named; });
    const u32 place = oldest->second.place;
    known_.erase(oldest);
    return place;
  }

  void add(Open& open, std::size_t i, const SignatureJob& job, u32 key_index,
           std::span<Verdict> verdicts) {
    const bool hash_here = job.message.size() > kLongestMessage;
    const std::size_t size = hash_here ? 32 : job.message.size();
    const auto room = static_cast<u32>((size + 7) / 8 * 8);
    if (open.there && (slots_[open.slot].index.size() == limits_.signatures ||
                       open.bytes + room > limits_.message_bytes)) {
      submit(open);
    }
    if (!open.there && (!problem_.empty() || !take(open, verdicts))) return;
    Slot& slot = slots_[open.slot];
    Record& record = api_.records(device_, open.slot)[slot.index.size()];
    std::memcpy(record.r, job.signature.data(), 32);
    std::memcpy(record.s, job.signature.data() + 32, 32);
    std::memcpy(record.key, job.key.data(), 32);
    record.key_index = key_index;
    record.offset = open.bytes;
    record.size = hash_here ? kHashed : static_cast<u32>(size);
    std::uint8_t* at = api_.messages(device_, open.slot) + open.bytes;
    if (hash_here) {
      const auto k = ed25519::challenge(job);
      std::memcpy(at, k.data(), k.size());
    } else if (size > 0) {
      std::memcpy(at, job.message.data(), size);
    }
    open.bytes += room;
    slot.index.push_back(i);
  }

  /// A free slot, waiting for the oldest when there is none.
  bool take(Open& open, std::span<Verdict> verdicts) {
    for (u32 tried = 0; tried < limits_.slots; ++tried) {
      next_ = (next_ + 1) % limits_.slots;
      if (slots_[next_].taken && !slots_[next_].pending) continue;  // being filled
      if (slots_[next_].pending) finish(next_, verdicts);
      if (!problem_.empty()) return false;
      slots_[next_].taken = true;
      open = {open.work, true, next_, 0};
      return true;
    }
    problem_ = "the device has " + std::to_string(limits_.slots) + " slots; at least 3 are needed";
    return false;
  }

  void submit(Open& open) {
    if (!open.there || !problem_.empty()) return;
    Slot& slot = slots_[open.slot];
    Reason why{};
    ++secret_.number;
    if (api_.submit(device_, open.slot, static_cast<u32>(slot.index.size()), open.bytes, open.work,
                    &secret_, why.data(), why.size()) != 0) {
      problem_ = why.data();
    }
    slot.pending = true;
    open.there = false;
  }

  void drain(std::span<Verdict> verdicts) {
    for (u32 slot = 0; slot < limits_.slots && problem_.empty(); ++slot) finish(slot, verdicts);
  }

  void finish(u32 number, std::span<Verdict> verdicts) {
    Slot& slot = slots_[number];
    if (!slot.pending || !wait(number)) return;
    const std::size_t words = (slot.index.size() + 31) / 32;
    const u32* bits = api_.results(device_, number);
    for (std::size_t i = 0; i < slot.index.size(); ++i) {
      const auto is = [&](std::size_t map) {
        return (bits[map * words + i / 32] >> (i % 32) & 1) != 0;
      };
      if (is(2)) {
        unsettled_.push_back(slot.index[i]);
        continue;
      }
      verdicts[slot.index[i]] = is(0)   ? Verdict::kValid
                                : is(1) ? Verdict::kBadKey
                                        : Verdict::kBadSignature;
    }
    slot = {};
  }

  // Polls closely while a small batch can be about to end, then sleeps between looks.
  bool wait(u32 slot) {
    const auto start = std::chrono::steady_clock::now();
    for (;;) {
      Reason why{};
      const int state = api_.poll(device_, slot, why.data(), why.size());
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

  std::string_view name_;
  const ThresherDeviceApi& api_;
  void* device_;
  ThresherDeviceLimits limits_{};
  std::unordered_map<PublicKey, Known, KeyHash> known_;
  std::uint64_t call_ = 0;  ///< of register_keys()
  std::vector<Slot> slots_;
  u32 next_ = 0;
  ThresherDeviceSecret secret_{};
  std::vector<std::size_t> unsettled_;  ///< in the caller's batch; their combinations failed
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
