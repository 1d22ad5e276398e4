// The chains that one origin's payloads may form, and which nodes support which position of them.
//
//   Chain chain(committee, context, origin);
//   const Head one = chain.add(chain.base(), hash(payload.view()), {});
//   chain.fill(one, payload);
//   const auto reached = chain.support(NodeId{2}, one, Chain::Said::kEcho, quorum, fast);
//
// A head (k, h) names a whole prefix: h = H(origin, k, H(m_k), h of k-1). To support a head is to
// support every position below it, so one statement stands for many instances. A position's
// supporters are those of its own head and of all heads that extend it.
// Guarantees: an origin that shows two payloads for one position makes two branches; a supporter is
// counted once at a position of a branch, however often it speaks. A statement about a head is
// walked down only to where its sender was counted before: constant work a position and sender. To
// find the head at some position below another takes about log2 of the distance (Link::jump).
// Holds at most what its owner adds; prune() and rebase() take away. No payload is checked here.
// Source: docs/protocols/chained-echo.md; arXiv 2605.10372 for the setting.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "thresher/core/assert.hpp"
#include "thresher/core/committee.hpp"
#include "thresher/core/hash.hpp"
#include "thresher/core/transcript.hpp"

namespace thresher::chained_echo {

/// `count` payloads, of which the last and all before it follow from `hash`.
struct Head {
  std::uint64_t count = 0;
  Digest hash{};
  friend auto operator<=>(const Head&, const Head&) = default;
};

/// The head of no payload at all.
Head genesis(const ChainContext& context, NodeId origin);
/// The head after one payload more, whose digest is `payload`.
Head successor(const ChainContext& context, NodeId origin, const Head& before,
               const Digest& payload);

struct Link {
  Digest parent{};
  Head jump{};  ///< a head further down the same chain; it may lie below the base
  Digest payload_digest{};
  std::optional<Bytes> payload{};
  NodeSet echo;                     ///< who echoes this position, or one above it
  NodeSet ready;                    ///< likewise
  NodeSet delivered;                ///< who said that it delivered this position, or one above it
  std::optional<NodeId> told_by{};  ///< the peer that told of it; empty: the origin showed it
};

class Chain {
 public:
  Chain(const Committee& committee, const ChainContext& context, NodeId origin);

  /// Everything at or below is delivered, or skipped, and no longer kept.
  const Head& base() const { return base_; }
  Link* find(const Head& head);
  const Link* find(const Head& head) const;
  bool known(const Head& head) const { return head == base_ || find(head) != nullptr; }
  /// The head below. Pre: find(head) is not null.
  Head below(const Head& head) const {
    const Link* link = find(head);
    THRESHER_ASSERT(link != nullptr, "only a known head has one below");
    return {head.count - 1, link->parent};
  }
  /// The head of `count` payloads that `head` is or extends. Empty when the way down is not known.
  std::optional<Head> at(const Head& head, std::uint64_t count) const;
  /// Whether `head` is `ancestor` or extends it. False when the way down is not known.
  bool extends(const Head& head, const Head& ancestor) const;

  /// Adds a position on top of `before`; one that is there stays as it is. Pre: known(before).
  Head add(const Head& before, const Digest& payload, std::optional<NodeId> told_by);
  /// Keeps the payload of a position. False when there is one. Pre: find(head) is not null.
  bool fill(const Head& head, const Bytes& payload);

  enum class Said : std::uint8_t { kEcho, kReady, kDelivered };
  /// The highest positions, of those that a statement newly supports, with enough supporters.
  struct Reached {
    std::optional<Head> low{};   ///< at the lower threshold
    std::optional<Head> high{};  ///< at the higher one
  };
  /// `who` supports `head` and all below. Pre: low <= high.
  Reached support(NodeId who, const Head& head, Said what, std::uint32_t low, std::uint32_t high);

  /// Forgets a payload and keeps its digest.
  void drop(const Head& head);
  /// The positions after `from` up to `to`, lowest first; empty when `to` does not extend `from`.
  std::vector<Head> path(const Head& from, const Head& to) const;
  /// Takes away what does not extend `delivered`, nor leads to it.
  void prune(const Head& delivered);
  /// Forgets what is at or below `base` and all that does not extend it.
  void rebase(const Head& base);
  /// Positions that `peer` told of.
  std::size_t told_by(NodeId peer) const;
  std::size_t size() const { return links_.size(); }
  std::size_t bytes() const { return bytes_; }
  /// Positions that were looked for so far.
  std::uint64_t looked_at() const { return looked_at_; }
  /// Calls `visit(head, link)`, lowest first.
  template <class F>
  void for_each(F visit) const {
    for (const auto& [head, link] : links_) visit(head, link);
  }

 private:
  using Links = std::map<Head, Link>;
  Links::iterator erase(Links::iterator at);
  Head jump_from(const Head& before) const;

  Committee committee_;
  ChainContext context_;
  NodeId origin_;
  Head base_;
  Links links_;
  std::map<NodeId, std::size_t> told_;
  std::size_t bytes_ = 0;
  mutable std::uint64_t looked_at_ = 0;
};

}  // namespace thresher::chained_echo
