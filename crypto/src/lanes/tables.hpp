// Tables and recoding for the lane engines, made with the portable arithmetic. Private to crypto/.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "job.hpp"
#include "thresher/core/ids.hpp"

namespace thresher::crypto::lanes {

const BaseTable& base_table(Form form);
const CombTable& comb_table(Form form);
/// Empty when the key is not a point.
std::unique_ptr<KeyTable> key_table(std::span<const std::byte, 32> key, Form form);

/// Signed digits base 16 in -8..7. Pre: scalar < 2^255.
void recode16(std::span<const std::byte, 32> scalar, std::int8_t* digits);
/// Signed digits base 256 in -128..127. Pre: scalar < 2^254.
void recode256(std::span<const std::byte, 32> scalar, std::int16_t* digits);

}  // namespace thresher::crypto::lanes
