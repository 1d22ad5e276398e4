// Memory for keys: left out of core dumps, kept out of swap, wiped.
//
//   Secret<Seed> seed;                            // zeros
//   randombytes_buf(seed->data(), seed->size());
//   Secret<Seed> same = seed;                     // shares it
//
// Guarantees: the value lies in pages that hold secrets alone, which the kernel leaves out of core
// dumps (MADV_DONTDUMP) and locks in memory as far as RLIMIT_MEMLOCK allows; it is wiped when the
// last handle goes. Handles may be copied and dropped on any thread.
// Does not guard what is copied out of it, registers and stack of the function that computes with
// it, or a reader of /proc/PID/mem.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

namespace thresher::crypto {

/// Largest value that a slot holds. Unit: bytes.
inline constexpr std::size_t kSecretSlot = 128;

/// A slot of zeros, aligned like memory from malloc; never null: without memory the process ends.
void* take_secret_slot();
/// Wipes it. Pre: from take_secret_slot(), and not given back yet.
void give_secret_slot(void* slot) noexcept;

/// OpenSSL keeps private keys in such memory too from now on. Call before it gets the first; more
/// calls do nothing.
void guard_openssl_keys();

template <class T>
class Secret {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  static_assert(sizeof(T) <= kSecretSlot);

 public:
  Secret() : value_(new (take_secret_slot()) T{}, &give_secret_slot) {}
  /// Where a value is given that the caller guards, or wipes.
  Secret(const T& value) : Secret() { *value_ = value; }  // NOLINT(google-explicit-constructor)

  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return value_.get(); }
  const T* operator->() const { return value_.get(); }

 private:
  std::shared_ptr<T> value_;
};

}  // namespace thresher::crypto
