// Apart from the engines: a client reads a genesis file, and runs none.
#include "thresher/net/genesis.hpp"

namespace thresher::net {

const std::vector<std::string>& node_protocols() {
  static const std::vector<std::string> names{"anchored-bullshark",
                                              "bullshark",
                                              "bullshark-async",
                                              "honeybadger",
                                              "hotstuff2",
                                              "mahi-mahi",
                                              "mysticeti",
                                              "pbft",
                                              "raft",
                                              "simplex",
                                              "sparse-bullshark",
                                              "thresher"};
  return names;
}

}  // namespace thresher::net
