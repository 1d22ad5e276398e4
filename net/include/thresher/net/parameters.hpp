// Parameters of the protocols that nodes run, as a genesis file fixes them for all of a ledger.
//
//   auto fits = check_parameter("sparse-bullshark", "D", "50");
//   genesis.parameters["D"] = "50";
//
// Guarantees: what check_parameter() lets through, make_engine() takes. Values are texts; a
// number has one spelling. Knows nothing of the simulator's further parameters, which real nodes do
// not have.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "thresher/core/error.hpp"

namespace thresher::net {

/// By name. A missing one has its default.
using Parameters = std::map<std::string, std::string>;

/// What a parameter that all of them have names as its protocol.
inline constexpr std::string_view kEveryProtocol = "every protocol";

struct ParameterOf {
  std::string_view protocol;
  std::string_view name;
  std::string_view standard;  ///< the default
  std::uint32_t least = 0;    ///< of numbers
  std::uint32_t most = 0;
  std::vector<std::string_view> choices{};  ///< of texts; empty: a number
  /// What a new ledger says. Empty: nothing. Not the default where older ledgers rely on that.
  std::string_view fresh{};
};
/// All of them, by protocol.
const std::vector<ParameterOf>& node_parameters();

/// What the genesis of a new ledger of `protocol` says where nobody chose.
Parameters fresh_parameters(std::string_view protocol);

/// Whether nodes can run `protocol` so. kMissing: it has no such parameter; kMalformed: that is not
/// a value of it. `where`: the parameter's name.
Result<Unit, Error> check_parameter(const std::string& protocol, const std::string& name,
                                    const std::string& value);

/// The given value or the default. Pre: the protocol has it, and check_parameter().
std::string parameter_text(const Parameters& given, std::string_view protocol,
                           std::string_view name);
std::uint32_t parameter_number(const Parameters& given, std::string_view protocol,
                               std::string_view name);

}  // namespace thresher::net
