// Bytes as Base64 (RFC 4648, section 4) without padding, where hexadecimal digits would be too
// long.
//
//   std::string text = to_base64(digest.bytes);   // 43 characters
//   auto bytes = from_base64(text);               // nullopt: not Base64, or padded
//
// Guarantees: from_base64(to_base64(b)) == b; one spelling for one content. Not for secrets.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "thresher/core/bytes.hpp"

namespace thresher {

std::string to_base64(ByteView bytes);
std::optional<std::vector<std::byte>> from_base64(std::string_view text);

}  // namespace thresher
