#include "node/base.hpp"

#include <algorithm>
#include <utility>

#include "engines/ordering_protocols.hpp"
#include "host/host_log.hpp"

namespace thresher::net {
namespace {

// Large frames of protocols whose blocks have a root are hashed beside the loop.
TransportCallbacks prepared_by(const OrderEngine& engine, TransportCallbacks links) {
  if (engine.hashes_payloads()) links.prepare = &prepare_payload;
  return links;
}

}  // namespace

NodeBase::NodeBase(NodeParts parts, EngineHost& host, TransportCallbacks links)
    : options(std::move(parts.options)),
      app(parts.app),
      genesis(std::move(parts.genesis)),
      key(parts.key),
      self(parts.self),
      chain(genesis.context()),
      words(options, committee().at_least(kValidity)),
      store(std::move(parts.store)),
      log_form(log_form_of(genesis)),
      reader(*store, log_form),
      loop(options.context == nullptr ? Loop() : Loop(*options.context)),
      engine(make_recorded(
          [&](EngineHost& to) {
            return make_engine(
                {genesis.protocol, committee(), self, chain, EngineTuning::of(options),
                 std::move(parts.shared), genesis.parameters},
                to);
          },
          host, std::move(parts.journal))),
      transport(loop, transport_options(), prepared_by(*engine, std::move(links))),
      checkpoint_every(checkpoint_slots(genesis)),
      hashed(checkpoint_every > 0),
      conduct(genesis.nodes.size(),
              [this](Level level, const std::string& line) { say(level, line); }) {
  // What a block of this protocol takes bounds the rest.
  options.block_bytes = std::min<std::uint64_t>(options.block_bytes, engine->payload_limit());
  options.transaction_bytes = std::min<std::uint64_t>(
      options.transaction_bytes, options.block_bytes - 2 * kRunHead - kEntryHead);
}

Committee NodeBase::committee() const {
  return *Committee::make(static_cast<std::uint32_t>(genesis.nodes.size()), genesis.f);
}

void NodeBase::say(Level level, const std::string& line) {
  calls.pass([&] { net::say(options, level, line); });
}

void NodeBase::false_answer(NodeId from, const std::string& how) {
  conduct.note(from, Deed::kFalseAnswer);
  conduct.remark(from, how);
}

TransportOptions NodeBase::transport_options() const {
  TransportOptions t;
  t.self = self;
  t.key = key;
  t.chain = chain.chain;
  t.nodes = genesis.nodes;
  t.gc_rounds = engine->window();
  t.threads = static_cast<std::uint32_t>(options.threads);
  t.link_delays_us = options.link_delays_us;
  if (t.link_delays_us.empty()) t.link_delays_us.assign(t.nodes.size(), options.link_delay_us);
  return t;
}

}  // namespace thresher::net
