// The two-delay path as the parameter `fast` of a ledger asks for it.
//
//   if (const auto p = fast_of(genesis.parameters, genesis.protocol)) use(*p);
//
// Guarantees: a genesis whose committee does not allow its `fast` is refused when it is read.
// Source: docs/protocols/two-delay.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "thresher/core/committee.hpp"
#include "thresher/net/parameters.hpp"

namespace thresher::net {

/// p of the path; empty: off, or the protocol has none. Pre: check_parameter().
std::optional<std::uint32_t> fast_of(const Parameters& given, std::string_view protocol);

/// Whether a committee can run with parameters that are well by themselves. kRejected: it cannot;
/// `where` is "fast". Pre: as fast_of().
Result<Unit, Error> check_fast(const Parameters& given, std::string_view protocol,
                               const Committee& committee);

}  // namespace thresher::net
