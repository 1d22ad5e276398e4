// The parts that duties of a certified node work with, for tests of one duty at a time.
//
//   Parts parts(Rules::bullshark());
//   parts.accept(1, 1);
//   Pacemaker pacemaker(parts.config, parts.store, parts.rounds, parts.ordered, offenders);
#pragma once

#include <utility>
#include <variant>
#include <vector>

#include "batches.hpp"
#include "log_vertices.hpp"
#include "ordered.hpp"
#include "own.hpp"
#include "parts.hpp"
#include "peer_headers.hpp"
#include "records.hpp"
#include "rounds.hpp"
#include "thresher/protocols/attic.hpp"
#include "thresher/protocols/certified/store.hpp"
#include "tickets.hpp"
#include "undelivered.hpp"

namespace thresher::certified {

struct Parts {
  using Fx = Bullshark::Fx;

  explicit Parts(Rules rules, std::uint16_t self = 0, Limits limits = {})
      : config(made(rules, self, limits)),
        store(config.committee),
        attic(10),
        ordered(config.committee, config.rules),
        own(config.committee),
        rounds(config, store, own),
        headers(config.committee, config.limits.proposals_per_peer),
        batches(config.committee, config.limits),
        records(config) {}

  /// Held, with a certificate's worth of signatures.
  VertexPtr hold(std::uint64_t author, std::uint64_t round,
                 std::vector<std::uint64_t> parents = {}) {
    Vertex v = *vertex(author, round, 3);
    v.header.parents = NodeSet(4);
    for (const std::uint64_t p : parents) v.header.parents.insert(node(p));
    auto out = std::make_shared<const Vertex>(std::move(v));
    store.insert(out);
    return out;
  }
  VertexPtr accept(std::uint64_t author, std::uint64_t round,
                   std::vector<std::uint64_t> parents = {}) {
    VertexPtr out = hold(author, round, std::move(parents));
    store.accept(out->ref());
    return out;
  }
  /// Three vertices of the round, which completes it.
  void complete(std::uint64_t round) {
    for (std::uint64_t author = 1; author < 4; ++author) accept(author, round);
  }

  /// The effects of one kind since the last call that took all away.
  template <class E>
  std::vector<E> all() {
    std::vector<E> out;
    for (const auto& effect : fx.list()) {
      if (const E* one = std::get_if<E>(&effect)) out.push_back(*one);
    }
    return out;
  }
  /// The messages of one kind that were sent to one peer, and to all.
  template <class M>
  std::vector<M> sent() {
    std::vector<M> out;
    for (const auto& one : all<Send<Message>>()) {
      if (const M* m = std::get_if<M>(&one.message)) out.push_back(*m);
    }
    return out;
  }
  template <class M>
  std::vector<M> broadcast() {
    std::vector<M> out;
    for (const auto& one : all<Broadcast<Message>>()) {
      if (const M* m = std::get_if<M>(&one.message)) out.push_back(*m);
    }
    return out;
  }

  Config config;
  Stats stats;
  Tickets tickets;
  Store store;
  Attic<VertexPtr> attic;
  Ordered ordered;
  Undelivered undelivered;
  Own own;
  Rounds rounds;
  PeerHeaders headers;
  Batches batches;
  Records records;
  LogVertices from_log;
  Fx fx;

 private:
  static Config made(const Rules& rules, std::uint16_t self, const Limits& limits) {
    Config out;
    out.self = NodeId{self};
    out.rules = rules;
    out.limits = limits;
    return out;
  }
};

}  // namespace thresher::certified
