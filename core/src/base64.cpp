#include "thresher/core/base64.hpp"

#include <cstdint>

namespace thresher {
namespace {
constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
}  // namespace

// Six bits a letter, from the highest; the last letter's spare bits are zero.
std::string to_base64(ByteView bytes) {
  std::string out;
  std::uint32_t held = 0;
  int bits = 0;
  for (const std::byte b : bytes) {
    held = held << 8 | std::to_integer<std::uint32_t>(b);
    for (bits += 8; bits >= 6; bits -= 6) out += kLetters[held >> (bits - 6) & 63];
  }
  if (bits > 0) out += kLetters[held << (6 - bits) & 63];
  return out;
}

std::optional<std::vector<std::byte>> from_base64(std::string_view text) {
  std::vector<std::byte> out;
  std::uint32_t held = 0;
  int bits = 0;
  for (const char c : text) {
    const auto letter = kLetters.find(c);
    if (letter == std::string_view::npos) return std::nullopt;
    held = held << 6 | static_cast<std::uint32_t>(letter);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out.push_back(static_cast<std::byte>(held >> bits & 0xff));
  }
  const bool spare = bits < 6 && (held & ((1u << bits) - 1)) == 0;
  if (!spare) return std::nullopt;
  return out;
}

}  // namespace thresher
