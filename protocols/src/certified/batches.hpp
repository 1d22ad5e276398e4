// Payloads that peers send ahead of the headers that name them, and the headers that lack theirs.
// Rules R1, R8 and R10.
//
//   Batches batches(committee, limits);
//   batches.keep(author, payload);                  // no vertex carries it yet
//   const auto payload = batches.of(header);        // empty: it is not here
//   batches.lacks(author, !payload);                // its last header waits for it
//   if (const auto who = batches.whom_to_ask(author)) ask(*who);   // once in a tick, while it does
//   batches.voted(author, payload);                 // for a header that names it
//   batches.carried(author, payload.root);          // by a vertex
//
// Guarantees: of each peer so many payloads are kept, and so many bytes; the oldest go, so one that
// was never proposed does not block those that are. What the last header voted for names is kept
// besides: peers may ask for it. A payload is searched for as long as a vertex that only a header
// names, first at its author, then at everybody in turn.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "thresher/protocols/certified/message.hpp"

namespace thresher::certified {

class Batches {
 public:
  enum class Kept : std::uint8_t { kNew, kKnown, kTooLarge };

  Batches(const Committee& committee, const Limits& limits);

  Kept keep(NodeId author, const Payload& payload);
  void voted(NodeId author, Payload payload) { authors_[author.value].voted = std::move(payload); }
  void carried(NodeId author, const Digest& root);
  std::size_t size(NodeId author) const { return authors_[author.value].kept.size(); }

  /// What the header names; empty: it is not here.
  std::optional<Payload> of(const Header& h) const;
  /// Of whichever author.
  std::optional<Payload> find(const Digest& root) const;

  void lacks(NodeId author, bool lacks);
  bool lacks(NodeId author) const { return authors_[author.value].lacks; }
  /// How many last headers wait for their payload.
  std::uint32_t lacking() const { return lacking_; }
  /// Empty: those asked before have time to answer, or the search was given up. Pre: lacks(author).
  std::optional<NodeId> whom_to_ask(NodeId author);

 private:
  struct Author {
    std::vector<Payload> kept;  // oldest first, none in a vertex
    Payload voted;
    bool lacks = false;
    std::uint32_t ticks = 0;  // since then
  };
  std::uint32_t most_;
  std::uint64_t most_bytes_;
  std::vector<Author> authors_;
  std::uint32_t lacking_ = 0;
};

}  // namespace thresher::certified
