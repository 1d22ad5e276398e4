#include <algorithm>
#include <cstdio>
#include <utility>

#include "key_use.hpp"
#include "node_impl.hpp"
#include "thresher/crypto/sha256.hpp"
#include "thresher/net/codec.hpp"

namespace thresher::net {
namespace {
/// Parts of the log are served to one peer at no more than this. Unit: bytes per microsecond.
constexpr std::uint64_t kServeRate = 250;
/// Parts of the log that one question brings at most.
constexpr std::uint32_t kMostParts = 16;
/// A shorter payload that still waits for its block gets what came since. Unit: bytes.
constexpr std::size_t kExtend = 16 * 1024;

crypto::BatcherOptions batcher_options(const NodeOptions& o) {
  crypto::BatcherOptions out;
  out.deadline_us = o.verify_deadline_us;
  return out;
}
}  // namespace

Node::Impl::Impl(NodeOptions o, App& a, Genesis g, const crypto::SigningKey& k, NodeId id,
                 std::shared_ptr<const crypto::CoinScheme> coin, std::unique_ptr<NodeStore> s)
    : options(std::move(o)),
      app(a),
      genesis(std::move(g)),
      key(k),
      self(id),
      chain(genesis.context()),
      store(std::move(s)),
      reader(*store, chain, static_cast<std::uint32_t>(genesis.nodes.size())),
      loop(options.context == nullptr ? Loop() : Loop(*options.context)),
      batcher(batcher_options(options),
              *crypto::Batcher::backends(crypto::best_verifier(), "rlc", options.accelerator),
              &Loop::now_us, [this] { loop.post([this] { pump(); }); }),
      engine(make_engine({genesis.protocol, committee(), self, chain, options, std::move(coin),
                          genesis.parameters},
                         *this)),
      transport(loop, transport_options(),
                {[this](ConnectionId c, const Frame& f) { frame(c, f); },
                 [this](ConnectionId c, bool up) { link(c, up); },
                 [this](const std::string& why) { say(Level::kWarning, why); },
                 [this] { return gives_way(); }}),
      sync(committee(), self, chain,
           {[this](NodeId to, const Frame& f) { (void)transport.send(to.value, f); },
            [this](dag::Committed c) { adopt(std::move(c)); },
            [this] { return writer->backlog() < options.pool_bytes; }}),
      submissions(limits()),
      served(genesis.nodes.size()) {
  std::vector<PublicKey> keys;
  for (const PeerAddress& node : genesis.nodes) keys.push_back(node.key);
  batcher.register_keys(keys);
  if (!options.accelerator.empty() && crypto::make_verifier(options.accelerator) == nullptr) {
    say(Level::kWarning, "there is no " + options.accelerator +
                             " on this machine: the processor verifies all signatures; install "
                             "its driver, or remove verify.accelerator from the configuration");
  }
}

// What a block of this protocol takes bounds the rest.
Submissions::Limits Node::Impl::limits() {
  options.block_bytes = std::min<std::uint64_t>(options.block_bytes, engine->payload_limit());
  options.transaction_bytes = std::min<std::uint64_t>(options.transaction_bytes,
                                                      options.block_bytes - kRunHead - kEntryHead);
  return {options.transaction_bytes, options.pool_bytes};
}

// What the metrics show.
Sample Node::Impl::sample() const {
  const EngineSample now = engine->sample();
  const dag::Stats& s = now.stats;
  Sample out;
  out.log_length = ledger.length();
  out.round = now.round.value;
  out.slot = ledger.slot().value;
  out.frontier = now.frontier.value;
  out.payload_bytes = payload_bytes;
  out.node_bytes_sent = transport.node_bytes_sent();
  out.frames_dropped = transport.dropped();
  out.syncs = store->syncs();
  out.pool_bytes = submissions.pool().bytes();
  out.links_up = transport.node_links();
  out.malformed = malformed;
  out.blocks_accepted = s.blocks_accepted;
  out.direct_commits = s.direct_commits;
  out.indirect_commits = s.indirect_commits;
  out.skips = s.skips;
  out.timeouts = s.timeouts;
  out.refused = s.refused;
  out.equivocations = s.equivocations;
  out.synced_commits = sync.fetched();
  const crypto::BatcherFigures v = batcher.figures();
  out.signatures = v.answered;
  out.bad_signatures = v.bad;
  out.verify_batches = v.batches;
  out.certificate_calls = now.certificate_calls;
  out.verified_wide = v.wide;
  out.verify_retries = v.retried;
  out.verify_waiting = v.waiting;
  out.verify_suspects = v.suspects;
  const bool linked = out.links_up + 1 >= committee().at_least(kQuorum);
  out.ready = linked && !sync.active() && out.frontier <= now.next_slot.value + options.sync_rounds;
  return out;
}

Committee Node::Impl::committee() const {
  return *Committee::make(static_cast<std::uint32_t>(genesis.nodes.size()), genesis.f);
}

TransportOptions Node::Impl::transport_options() const {
  TransportOptions t;
  t.self = self;
  t.key = key;
  t.chain = chain.chain;
  t.nodes = genesis.nodes;
  t.link_delay_us = options.link_delay_us;
  return t;
}

// Reads back the payload of a block that memory holds without it.
bool Node::Impl::fill_in(dag::BlockPtr& block) const {
  if (block->payload.bytes.size() == block->header.payload_bytes) return true;
  const RecordName record = engine->record_of(*block);
  const auto place = store->locate(record.table, record.key.view());
  if (!place) return false;
  const auto body = reader.payload({block, *place, {}});
  if (!body) return false;
  auto whole = std::make_shared<dag::Block>(*block);
  whole->payload.bytes = *body;
  block = std::move(whole);
  return true;
}

void Node::Impl::broadcast(const Frame& f) {
  for (std::size_t i = 0; i < genesis.nodes.size(); ++i) {
    if (i != self.value) (void)transport.send(i, f);
  }
}

void Node::Impl::deliver(dag::Committed out) {
  if (out.slot <= ledger.slot()) return;  // after a restart or a sync: the log has it already
  for (dag::BlockPtr& b : out.blocks) {
    if (!fill_in(b)) {
      return halt("a block of the committed log cannot be read back from '" + options.home +
                  "'; check the disk and restore the folder from a backup");
    }
  }
  commit(std::move(out));
  acknowledge();
  feed_subscribers();
}

// Puts one commit into the log and the application.
void Node::Impl::commit(dag::Committed out) {
  LogEntry entry = ledger.append(
      out, [&](const Transaction& t, const dag::BlockPtr& block, const Fingerprint& print) {
        app.apply(t);
        payload_bytes += t.data.size();
        if (const auto awaited = submissions.ordered(t.client, print)) answer(*awaited, t, out, block);
      });
  writer->ledger(std::move(entry));
}

void Node::Impl::arm(TimerId id, Delay d) {
  cancel(id);
  timers[id] = loop.call_after(d.value * options.delta_us / 1000, [this, id] {
    timers.erase(id);
    (void)engine->push(Expired{id});
    pump();
  });
}

void Node::Impl::cancel(TimerId id) {
  if (const auto it = timers.find(id); it != timers.end()) {
    loop.cancel(it->second);
    timers.erase(it);
  }
}

void Node::Impl::persist(std::vector<Persist> records, std::uint64_t barrier) {
  writer->persist(std::move(records), barrier);
}

// Before the first signature the use of the key is noted, so that lost data do not look like a new
// node.
void Node::Impl::endorse(const Endorse& e) {
  if (!key_noted && options.store != StoreKind::kMemory) {
    if (!note_key_use(options.key, key.public_key())) {
      return halt("cannot write '" + key_use_path(options.key) +
                  "'; free space or allow it, then restart the node");
    }
    key_noted = true;
  }
  (void)engine->push(Endorsed{e.ticket, key.sign(e.digest.bytes)});
}

void Node::Impl::accuse(const Accuse& a) {
  if (a.who == self) {
    return halt("blocks signed with the key of '" + options.home +
                "' are about that this disk does not have: another process runs with this key, or "
                "the folder is an old copy. One key must never sign twice: stop the other process, "
                "or start this node with a new key in the next epoch");
  }
  say(Level::kWarning, "node " + std::to_string(a.who.value) +
                           " signed two blocks for one round (evidence: " +
                           std::to_string(a.evidence.size()) + " bytes)");
}

void Node::Impl::say(Level level, const std::string& line) const {
  if (options.log) return options.log(level, line);
  if (level < Level::kWarning) return;
  std::fprintf(stderr, "%s: %s\n", level == Level::kError ? "error" : "warning", line.c_str());
}

void Node::Impl::halt(const std::string& why) {
  if (stopped_because.empty()) stopped_because = why;
  if (options.context == nullptr) return loop.stop();
  if (!on_stopped) return;
  // Not from inside an input: what runs now still uses all of this.
  loop.post([this, stopped = std::exchange(on_stopped, {})] {
    finish();
    loop.stop();
    stopped(stopped_because);
  });
}

// Runs inputs until nothing is left to do now.
void Node::Impl::pump() {
  if (std::exchange(pumping, true)) return;
  do {
    (void)engine->run();
    collect_verdicts();
    feed();
  } while (engine->run() || verdicts_due());
  arm_verdicts();
  pumping = false;
}

crypto::VerifyRequest Node::Impl::request_of(const Ticket& ticket, const Digest& digest,
                                             std::optional<NodeId> from) const {
  crypto::VerifyRequest request;
  request.ticket = ticket;
  request.sender = from.value_or(self).value;
  request.purpose = lags ? crypto::Purpose::kCatchUp : crypto::Purpose::kQuorum;
  request.digest = digest;
  return request;
}

void Node::Impl::add_request(crypto::VerifyRequest request, NodeId signer,
                             const Signature& signature) {
  request.key = genesis.nodes[signer.value].key;
  request.signature = signature;
  while (!batcher.add(request)) collect_verdicts();  // over its quota: what waits goes first
}

void Node::Impl::verify(const Verify& v, std::optional<NodeId> from) {
  add_request(request_of(v.ticket, v.digest, from), v.signer, v.signature);
}

void Node::Impl::verify(const VerifyAll& v, std::optional<NodeId> from) {
  const auto request = lists.open(request_of(v.ticket, v.digest, from), v.list->signatures.size());
  v.list->for_each([&](NodeId signer, const Signature& s) { add_request(request, signer, s); });
}

bool Node::Impl::verdicts_due() const {
  const auto due = batcher.due();
  return due && *due <= Loop::now_us();
}

void Node::Impl::collect_verdicts() {
  for (const crypto::VerifyAnswer& answer : batcher.run()) {
    if (const auto whole = lists.settle(answer))
      (void)engine->push(Verified{whole->ticket, whole->good()});
  }
}

// A batch that is still open is closed by the loop when nothing else comes.
void Node::Impl::arm_verdicts() {
  const auto due = batcher.due();
  if (!due || verdict_timer != 0) return;
  const std::uint64_t now = Loop::now_us();
  verdict_timer = loop.call_after(*due > now ? *due - now : 0, [this] {
    verdict_timer = 0;
    pump();
  });
}

// Hands waiting transactions to the DAG as one payload when it has none.
void Node::Impl::feed() {
  if (submissions.pool().empty()) return;
  const std::size_t pending = engine->pending_submits();
  const bool extend = pending == 1 && engine->extends() && !fed.bytes.empty();
  if (pending > 0 && !extend) return;
  std::vector<std::byte> packed;
  if (extend) packed.assign(fed.bytes.view().begin(), fed.bytes.view().end());
  const std::size_t before = packed.size();
  submissions.pool().take(options.block_bytes - before, packed);
  if (packed.size() == before) return;
  const Bytes bytes = Bytes::from(std::move(packed));
  const Digest root = crypto::sha256(bytes.view());
  engine->submit({bytes, root}, extend ? std::optional(fed.root) : std::nullopt);
  fed = bytes.size() < kExtend ? dag::Payload{bytes, root} : dag::Payload{};
}

void Node::Impl::frame(ConnectionId from, const Frame& f) {
  if (from >= kFirstClient) return client_frame(from, f);
  const NodeId peer{static_cast<std::uint16_t>(from)};
  if (f.kind >= kWantLog && f.kind <= kLogHash) return peer_frame(peer, f);
  if (!engine->receive(peer, f)) {
    ++malformed;
    return;
  }
  pump();
}

// Parts of the log to a peer, one at a time and at a bounded rate. A new question takes the place
// of the one before.
void Node::Impl::serve_log(NodeId to, const wire::WantLog& want) {
  Served& s = served[to.value];
  s.want = want;
  s.parts = std::clamp(want.parts, 1u, kMostParts);
  if (!s.waits) serve_part(to);
}

void Node::Impl::serve_part(NodeId to) {
  Served& s = served[to.value];
  const std::uint64_t now = Loop::now_us();
  if (now >= s.next_us) {
    const LogAnswer answer = reader.part(s.want, ledger.slot());
    s.next_us = now + answer.frame.payload.size() / kServeRate;
    s.want = answer.rest;
    s.parts = transport.send(to.value, answer.frame) && answer.more ? s.parts - 1 : 0;
    if (s.parts == 0) return;
  }
  s.waits = true;
  loop.call_after(s.next_us > now ? s.next_us - now : 0, [this, to] {
    served[to.value].waits = false;
    serve_part(to);
  });
}

// The log, for nodes that were away.
void Node::Impl::peer_frame(NodeId from, const Frame& f) {
  const std::uint64_t now = Loop::now_us();
  switch (f.kind) {
    case kWantLog:
      if (const auto want = wire::decode<wire::WantLog>(f.control.view())) {
        serve_log(from, *want);
      } else {
        ++malformed;
      }
      return;
    case kWantLogHash:
      if (const auto answer = reader.hash_after(f)) {
        (void)transport.send(from.value, *answer);
      } else {
        ++malformed;
      }
      return;
    case kLogPart:
      sync.part(from, f, now);
      break;
    case kLogHash:
      sync.hash(from, f, now);
      break;
    default:
      ++malformed;
      return;
  }
  pump();
}

}  // namespace thresher::net
