#include "thresher/crypto/secret.hpp"

#include <openssl/crypto.h>
#include <sodium.h>
#include <sys/mman.h>

#include <cstdlib>
#include <mutex>
#include <vector>

namespace thresher::crypto {
namespace {

constexpr std::size_t kRegion = 16 * 1024;
/// Enough for the keys of a node and for those that each TLS handshake makes. Unit: bytes.
constexpr std::size_t kOpenSslHeap = 256 * 1024;
constexpr std::size_t kOpenSslSlot = 32;

class Slots {
 public:
  void* take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) grow();
    void* const out = free_.back();
    free_.pop_back();
    return out;
  }
  void give(void* slot) {
    sodium_memzero(slot, kSecretSlot);
    const std::lock_guard lock(mutex_);
    free_.push_back(slot);  // grow() reserved its place
  }

 private:
  void grow() {
    void* const region =
        ::mmap(nullptr, kRegion, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (region == MAP_FAILED) std::abort();
    (void)::madvise(region, kRegion, MADV_DONTDUMP);
    (void)::mlock(region, kRegion);  // over RLIMIT_MEMLOCK: it may be swapped, as the docs say
    slots_ += kRegion / kSecretSlot;
    free_.reserve(slots_);
    for (std::size_t at = 0; at < kRegion; at += kSecretSlot) {
      free_.push_back(static_cast<std::byte*>(region) + at);
    }
  }
  std::mutex mutex_;
  std::size_t slots_ = 0;
  std::vector<void*> free_;
};

// Never destroyed: keys of static objects go after it would.
Slots& slots() {
  static auto* const all = new Slots();
  return *all;
}

}  // namespace

void* take_secret_slot() {
  return slots().take();
}

void give_secret_slot(void* slot) noexcept {
  slots().give(slot);
}

void guard_openssl_keys() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (CRYPTO_secure_malloc_initialized() == 0) {
      (void)CRYPTO_secure_malloc_init(kOpenSslHeap, kOpenSslSlot);
    }
  });
}

}  // namespace thresher::crypto
