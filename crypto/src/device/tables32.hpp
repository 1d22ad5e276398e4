// The tables that the device stages read, made on the host by the same arithmetic. Private to
// crypto/device/.
#pragma once

#include <optional>
#include <span>

#include "stages.hpp"

namespace thresher::crypto::device {

/// Made on first use.
const BaseTable& base_table();
/// Fills `out`; false when the key is not a point.
bool make_key_table(std::span<const std::byte, 32> key, KeyTable& out);

}  // namespace thresher::crypto::device
