// What a node writes for a restart, and how it reads that again: keys and values of the tables that
// dag.hpp names.
//
//   const Records records(config);
//   records.put(kOwn, *block, fx);
//   records.put_evidence(slot, leader, headers, fx);
//   records.erase_evidence(slot, leader, fx);
//   if (const auto block = records.read_block(restored)) ...
//
// Guarantees: what was put is read as it was; what is malformed is not read. Nothing is written
// where the host keeps no records. An own block and a proof of equivocation are durable before
// anything that is sent after them; the rest may be written a little later. Decides nothing: which
// records are of use, and when they go, their writers know.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "restored_records.hpp"
#include "thresher/protocols/dag/dag.hpp"

namespace thresher::dag {

class Records {
 public:
  using Fx = Dag::Fx;

  explicit Records(const Config& config)
      : kept_(config.records), chain_(config.chain), committee_(config.committee) {}

  void put(Table table, const Block& block, Fx& fx) const;
  void erase(Table table, const Block& block, Fx& fx) const;
  /// `after`: who leads when the commit is made.
  void put_delivered(const Committed& commit, const Schedule& after, Fx& fx) const;
  void erase_delivered(Round slot, Fx& fx) const;
  void put_evidence(Round slot, const Digest& leader, std::span<const BlockPtr> headers,
                    Fx& fx) const;
  void erase_evidence(Round slot, const Digest& leader, Fx& fx) const;
  /// `proof`: as encode() made it.
  void put_equivocation(NodeId culprit, const Bytes& proof, Fx& fx) const;
  static Bytes encode(const Equivocation& proof);

  std::optional<RestoredBlock> read_block(const Restored& record) const;
  struct Evidence {
    Round slot;
    Digest leader;
    std::vector<BlockPtr> headers;  ///< up to the first that is malformed
  };
  std::optional<Evidence> read_evidence(const Restored& record) const;
  /// Of a member.
  std::optional<dag::Equivocation> read_equivocation(const Restored& record) const;

 private:
  bool kept_;
  ChainContext chain_;
  Committee committee_;
};

}  // namespace thresher::dag
