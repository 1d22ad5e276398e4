// A node's shared parts, for tests that drive one of its duties alone.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "bookkeeping.hpp"
#include "committer.hpp"
#include "parts.hpp"
#include "whereabouts.hpp"

namespace thresher::dag {

/// Node 0 of four, with leaders in turn: node r leads round r, counted from 0.
inline Config four(Rules rules = Rules::thresher()) {
  Config out;
  out.committee = *Committee::of(4);
  out.rules = rules;
  out.rules.leaders = Leaders::kInTurn;
  return out;
}

inline Header header(std::uint64_t author, std::uint64_t round, const BlockPtr& before = {}) {
  Header out;
  out.author = node(author);
  out.round = Round{round};
  out.self = before ? before->edge() : Edge{out.author, Round{0}, {}};
  return out;
}
/// With a payload of so many bytes; `name` tells payloads of one size apart.
inline BlockPtr minted(Header h, std::size_t bytes = 0, std::uint8_t name = 7) {
  Payload content = bytes > 0 ? payload(bytes, name) : Payload{};
  h.payload_bytes = static_cast<std::uint32_t>(bytes);
  h.payload_root = content.root;
  return make_block(std::move(h), std::move(content), {}, {});
}

struct Alone {
  explicit Alone(Config c = four()) : parts(std::move(c)) {}

  BlockPtr hold(BlockPtr block) {
    const Header& h = block->header;
    const auto vote = h.vote ? std::optional(voted(h, parts.config.committee)) : std::nullopt;
    parts.store.insert(block, vote);
    return block;
  }
  BlockPtr hold(Header header, std::size_t bytes = 0, std::uint8_t name = 7) {
    return hold(minted(std::move(header), bytes, name));
  }
  BlockPtr accept(BlockPtr block) {
    parts.store.accept(entry(block), std::nullopt);
    return block;
  }
  BlockPtr accepted(Header header, std::size_t bytes = 0, std::uint8_t name = 7) {
    return accept(hold(std::move(header), bytes, name));
  }
  Entry& entry(const BlockPtr& block) { return *parts.store.find(block->edge()); }

  Parts parts;
  Whereabouts where{parts.config, parts.store, parts.culprits, parts.slots};
};

/// What of one kind was sent, in order.
template <class E>
std::vector<E> all(Dag::Fx& fx) {
  std::vector<E> out;
  for (auto& effect : fx.list()) {
    if (const auto* one = std::get_if<E>(&effect)) out.push_back(*one);
  }
  return out;
}
/// The messages of one kind, by receiver.
template <class M>
std::vector<std::pair<NodeId, M>> sent(Dag::Fx& fx) {
  std::vector<std::pair<NodeId, M>> out;
  for (const auto& one : all<Send<Message>>(fx)) {
    if (const auto* message = std::get_if<M>(&one.message)) out.emplace_back(one.to, *message);
  }
  return out;
}

}  // namespace thresher::dag
