// A value or the reason why there is none. Peers' faults and I/O errors are values, never
// exceptions.
//
//   Result<Block> block = decode(view);
//   if (!block) return refuse(peer, block.error());
//
// Guarantees: exactly one of value and error. Reading the absent one aborts in every build.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <variant>

namespace thresher {

/// Why a peer's message or a disk operation was refused.
enum class Errc : std::uint8_t {
  kMalformed,
  kUnknownSender,
  kTooLarge,
  kQuotaExceeded,
  kIo,
  kCorrupt,
};

/// The error's name in metrics and logs.
constexpr std::string_view to_string(Errc error) {
  switch (error) {
    case Errc::kMalformed:
      return "malformed";
    case Errc::kUnknownSender:
      return "unknown_sender";
    case Errc::kTooLarge:
      return "too_large";
    case Errc::kQuotaExceeded:
      return "quota_exceeded";
    case Errc::kIo:
      return "io";
    case Errc::kCorrupt:
      return "corrupt";
  }
  return "unknown";
}

/// Success without a value.
using Unit = std::monostate;

/// A `T`, or an `E` that says why not.
template <class T, class E = Errc>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : state_(std::in_place_index<0>, std::move(value)) {
  }  // NOLINT(google-explicit-constructor): mirrors std::expected
  Result(E error)
      : state_(std::in_place_index<1>, std::move(error)) {
  }  // NOLINT(google-explicit-constructor): mirrors std::expected

  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() & { return checked<0>(); }
  const T& operator*() const& { return const_cast<Result*>(this)->template checked<0>(); }
  /// For a result that nobody keeps: its value is taken out, not copied.
  T operator*() && { return std::move(checked<0>()); }
  T* operator->() { return &**this; }
  const T* operator->() const { return &**this; }
  const E& error() const { return const_cast<Result*>(this)->template checked<1>(); }

 private:
  template <std::size_t I>
  auto& checked() {
    if (state_.index() != I) std::abort();
    return std::get<I>(state_);
  }
  std::variant<T, E> state_;
};

}  // namespace thresher
