// Makes the folders of a new network: keys, genesis.
#pragma once

#include <cstdint>
#include <string>

#include "thresher/core/result.hpp"
#include "thresher/net/genesis.hpp"

namespace thresher::cli {

/// Writes DIR/genesis.json and DIR/node<i>/node.key for n nodes on free or consecutive loopback
/// ports. `base_port` 0 picks free ones. Refuses a folder that already holds a genesis.
Result<net::Genesis, std::string> make_testnet(const std::string& dir, std::uint64_t n,
                                               const std::string& protocol,
                                               std::uint64_t base_port);

}  // namespace thresher::cli
