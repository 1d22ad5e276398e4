// What the program of `./dev demo` knows of the protocols that order a node's transactions: those
// of the uncertified DAG that toss no coin.
#include "engines/ordering_protocols.hpp"

namespace thresher::net {
namespace {

constexpr OrderingProtocol kOfDemo[] = {
    {"mysticeti", &make_mysticeti, &dag_id_of},
    {"thresher", &make_thresher, &dag_id_of},
};

}  // namespace

std::span<const OrderingProtocol> ordering_protocols() {
  return kOfDemo;
}

const std::vector<std::string>& node_protocols() {
  static const std::vector<std::string> names{"mysticeti", "thresher"};
  return names;
}

}  // namespace thresher::net
