// The protocols that may order a node's transactions: one line each.
//
//   {"mine", &make_mine, &plain_id_of},      // with make_mine() in mine_engine.hpp
//
// Guarantees: node_protocols(), make_engine() and readers of a log go by this table alone. A
// client knows the names and links none of the engines. The program of `./dev demo` has a shorter
// one of its own (demo/protocols.cpp). Private to net/.
#pragma once

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <span>
#include <string_view>

#include "engines/certified_engine.hpp"
#include "engines/dag_block.hpp"
#include "engines/dag_engine.hpp"
#include "engines/honey_badger_engine.hpp"
#include "engines/leader_chain_engine.hpp"
#include "engines/order_engine.hpp"
#include "engines/pbft_engine.hpp"
#include "engines/raft_engine.hpp"
#include "ledger/commit.hpp"
#include "thresher/net/genesis.hpp"

namespace thresher::net {

struct OrderingProtocol {
  std::string_view name;
  std::unique_ptr<OrderEngine> (*make)(const EngineSettings&, EngineHost&);
  IdOf id_of;  ///< of the blocks in its log
};

inline constexpr OrderingProtocol kOrderingProtocols[] = {
    {"anchored-bullshark", &make_anchored_bullshark, &plain_id_of},
    {"bullshark", &make_bullshark, &plain_id_of},
    {"bullshark-async", &make_bullshark_async, &plain_id_of},
    {"honeybadger", &make_honey_badger, &plain_id_of},
    {"hotstuff2", &make_hotstuff2, &plain_id_of},
    {"mahi-mahi", &make_mahi_mahi, &dag_id_of},
    {"mysticeti", &make_mysticeti, &dag_id_of},
    {"pbft", &make_pbft, &plain_id_of},
    {"raft", &make_raft, &plain_id_of},
    {"simplex", &make_simplex, &plain_id_of},
    {"sparse-bullshark", &make_sparse_bullshark, &plain_id_of},
    {"thresher", &make_thresher, &dag_id_of},
};

/// In their order, which is that of the alphabet.
constexpr auto ordering_protocol_names() {
  std::array<std::string_view, std::size(kOrderingProtocols)> out{};
  std::transform(std::begin(kOrderingProtocols), std::end(kOrderingProtocols), out.begin(),
                 [](const OrderingProtocol& p) { return p.name; });
  return out;
}

/// Those that this program can run.
std::span<const OrderingProtocol> ordering_protocols();

/// Pre: the genesis names one of them.
LogForm log_form_of(const Genesis& genesis);

}  // namespace thresher::net
