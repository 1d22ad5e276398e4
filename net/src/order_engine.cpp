#include "order_engine.hpp"

#include "dag_engine.hpp"
#include "pbft_engine.hpp"
#include "raft_engine.hpp"
#include "thresher/net/genesis.hpp"

namespace thresher::net {

const std::vector<std::string>& node_protocols() {
  static const std::vector<std::string> names{"mysticeti", "pbft", "raft", "thresher"};
  return names;
}

std::unique_ptr<OrderEngine> make_engine(const EngineSettings& s, EngineHost& host) {
  if (s.protocol == "thresher") return make_dag_engine(s, dag::Rules::thresher(), host);
  if (s.protocol == "mysticeti") return make_dag_engine(s, dag::Rules::mysticeti(), host);
  if (s.protocol == "pbft") return make_pbft_engine(s, host);
  if (s.protocol == "raft") return make_raft_engine(s, host);
  return nullptr;
}

}  // namespace thresher::net
