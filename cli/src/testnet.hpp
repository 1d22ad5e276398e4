// Makes the folders of a new network: keys, configuration files and the genesis.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "thresher/core/error.hpp"
#include "thresher/net/genesis.hpp"
#include "thresher/net/node.hpp"

namespace thresher::cli {

struct TestnetOptions {
  std::string dir;
  std::uint64_t nodes = 4;
  std::string protocol = "thresher";
  std::uint64_t base_port = 0;     ///< of the first node; 0: free ports on loopback
  std::vector<std::string> hosts;  ///< ADDRESS or ADDRESS:PORT a node; empty: all on loopback
  net::NodeOptions node;           ///< what node.toml says besides
  /// By node, then by the node that frames go to: added to every frame. Empty: what `node` says.
  std::vector<std::vector<std::uint64_t>> link_delays_us{};
  std::vector<std::string> set;  ///< NAME=VALUE: parameters of the protocol
  bool dealer = false;           ///< deals the coin too, so whoever runs this could know it
  /// Once it is true, the network is given up, if it is not whole yet. May be null.
  const std::atomic<bool>* stop = nullptr;
};

/// Writes DIR/genesis.json and DIR/node<i>/{node.key,node.toml}; with a dealer a coin.key each when
/// the protocol tosses coins. DIR is empty or not there yet; all comes or, with an error, nothing.
Result<net::Genesis, Error> make_testnet(const TestnetOptions& options);

/// What nodes can run, for the help of an option.
std::string protocol_help();
/// What --set takes: the parameters of protocols that have some.
std::string parameter_help();

/// Whether so many nodes run this protocol with these parameters. Pre: `nodes` is from 1 to
/// Committee::kMaxSize.
Result<Unit, Error> check_protocol(const std::string& protocol, const std::vector<std::string>& set,
                                   std::uint32_t nodes);

/// NAME=VALUE each, checked against what nodes that run `protocol` take.
Result<net::Parameters, Error> read_parameters(const std::string& protocol,
                                               const std::vector<std::string>& set);

/// Lines of a hosts file; empty lines and those that start with # are left out.
Result<std::vector<std::string>, Error> read_hosts(const std::string& path);

}  // namespace thresher::cli
