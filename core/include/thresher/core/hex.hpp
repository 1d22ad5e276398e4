// Bytes as hexadecimal digits and back, for files, tables and messages to people.
//
//   std::string digits = to_hex(digest.bytes);    // 64 lower-case ones
//   auto bytes = from_hex("00ff");                // {0x00, 0xff}; nullopt: not digits
//
// Guarantees: from_hex(to_hex(b)) == b. Not constant-time: never for secrets.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "thresher/core/bytes.hpp"

namespace thresher {

/// Two lower-case digits a byte.
std::string to_hex(ByteView bytes);

/// Digits of either case, in pairs.
std::optional<std::vector<std::byte>> from_hex(std::string_view text);

}  // namespace thresher
