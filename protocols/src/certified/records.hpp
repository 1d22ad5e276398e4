// What a node writes for a restart, and how it reads that again: keys and values of the tables that
// bullshark.hpp names.
//
//   const Records records(config);
//   records.put_vertex(*vertex, slot, fx);
//   records.erase_vertex(*vertex, fx);
//   if (const auto logged = records.read_vertex(restored)) ...
//
// Guarantees: what was put is read as it was; what is malformed is not read. Nothing is written
// where the host keeps no records. The own header and votes are durable before anything that is
// sent after them; the rest may be written a little later. Decides nothing: which records are of
// use, and when they go, their writers know.
#pragma once

#include <optional>

#include "restored_records.hpp"
#include "thresher/protocols/certified/bullshark.hpp"

namespace thresher::certified {

class Records {
 public:
  using Fx = Bullshark::Fx;

  explicit Records(const Config& config);

  void put_own(const Proposal& proposal, const Payload& payload, Fx& fx) const;
  /// Without the payload: once the vertex is held it is on the disk as a whole, and before that its
  /// author repeats both.
  void put_vote(const Proposal& proposal, const Signature& vote, Fx& fx) const;
  /// `of_log`: see Logged.
  void put_vertex(const Vertex& vertex, Round of_log, Fx& fx) const;
  void erase_vertex(const Vertex& vertex, Fx& fx) const;
  /// `after`: who leads when the commit is made.
  void put_delivered(const Committed& commit, const Leaders& after, Fx& fx) const;
  void erase_delivered(Round slot, Fx& fx) const;

  struct OwnHeader {
    ProposalPtr proposal;
    Payload payload;
  };
  std::optional<OwnHeader> read_own(const Restored& record) const;
  struct Voted {
    ProposalPtr proposal;
    Signature vote;
  };
  std::optional<Voted> read_vote(const Restored& record) const;
  std::optional<Logged> read_vertex(const Restored& record) const;

 private:
  bool kept_;
  ChainContext chain_;
  Shape shape_;
};

}  // namespace thresher::certified
