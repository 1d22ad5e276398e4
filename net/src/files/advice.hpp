// Advice to an operator whose node must not sign with its key. Private to net/.
//
//   return "the data are an old copy. " + std::string(kKeyMayNotSign);
#pragma once

#include <string_view>

namespace thresher::net {

/// Where nothing can be put back.
inline constexpr std::string_view kObserve =
    "`thresher node run --observe` follows the log with this folder and signs nothing; a new key "
    "is "
    "a member of a new network only, because the genesis file names the keys";
/// Where newer data may be somewhere.
inline constexpr std::string_view kKeyMayNotSign =
    "One key must never sign twice: put the newest data back, with the file beside the key that "
    "is called as the key and '.signed-' with eight digits. Without them this key must not sign "
    "here any more: `thresher node run --observe` follows "
    "the log with this folder and signs nothing; a new key is a member of a new network only, "
    "because the genesis file names the keys";

}  // namespace thresher::net
