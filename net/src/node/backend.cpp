#include <algorithm>
#include <cstdio>
#include <utility>

#include "engines/ordering_protocols.hpp"
#include "files/advice.hpp"
#include "links/outflow.hpp"
#include "node/impl.hpp"
#include "thresher/core/hex.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/net/payload_root.hpp"

namespace thresher::net {
namespace {
/// Blocks with payload that wait for a link at most, before the next is made.
constexpr std::size_t kBlocksOnTheWay = 2;

std::vector<PublicKey> keys_of(const Genesis& genesis) {
  std::vector<PublicKey> keys;
  for (const PeerAddress& node : genesis.nodes) keys.push_back(node.key);
  return keys;
}
}  // namespace

Node::Impl::Impl(NodeParts parts)
    : NodeBase(std::move(parts), *this,
               {[this](ConnectionId c, const Frame& f) { frame(c, f); },
                [this](ConnectionId c, bool up) { link(c, up); },
                [this](const std::string& why) { say(Level::kWarning, why); },
                [this](const LinkChange& c) { conduct.link(c, Loop::now_us()); },
                [this] { return clients.gives_way(); }}),
      verdicts(keys_of(genesis), self,
               {{.deadline_us = options.verify_deadline_us}, options.accelerator}, verdict_hooks()),
      log_service(genesis.nodes.size(),
                  {[this](const wire::WantLog& want) { return reader.part(want, ledger.slot()); },
                   [this](NodeId to, const Frame& f) { return transport.send(to.value, f); },
                   &Loop::now_us}),
      clients(*this, clientele_hooks()),
      feeder(clients.submissions().pool(),
             {options.block_bytes, engine->clock_witnesses() > 0, engine->extends()},
             feeder_hooks()),
      checkpointing(*this, checkpointing_hooks()),
      snapshots(*this, checkpointing, snapshotting_hooks()),
      standing(*this, standing_hooks()),
      log_care(*this, checkpointing, log_care_hooks()),
      joining(*this, joining_hooks()),
      start(*this, start_hooks()) {
  if (!options.accelerator.empty() && crypto::make_verifier(options.accelerator) == nullptr) {
    say(Level::kWarning, "there is no " + options.accelerator +
                             " on this machine: the processor verifies all signatures; install "
                             "its driver, or remove verify.accelerator from the configuration");
  }
}

// The writer's thread uses what would be destroyed before it.
Node::Impl::~Impl() {
  writer.reset();
}

Clientele::Hooks Node::Impl::clientele_hooks() {
  return {[this] { return status_now(); }, [this] { return start.level().reached(); },
          [this]() -> const std::optional<Certificate>& {
            return checkpointing.checkpoints().newest_certificate();
          },
          [this] { return checkpointing.differs(); }};
}

Checkpointing::Hooks Node::Impl::checkpointing_hooks() {
  return {[this](const Checkpoint& of, Round before) { snapshots.reached(of, before); },
          [this](NodeId from, Round slot) { snapshots.asked_log(from, slot); },
          [this](std::uint64_t position) { return clients.result_at(position); }};
}

Snapshotting::Hooks Node::Impl::snapshotting_hooks() {
  return {[this] { return log_care.catches_up(); },
          [this] { return !quiet() && !log_care.lacks(); }, [this] { return joining.runs(); },
          [this](const LogBegin& begin) {
            clients.log_begins();
            log_care.begins(begin.slot);
          },
          [this](std::uint64_t length) { clients.restored(length); }};
}

Standing::Hooks Node::Impl::standing_hooks() {
  return {[this] {
    if (metrics) metrics->update(sample());
  }};
}

LogCare::Hooks Node::Impl::log_care_hooks() {
  return {[this] { return start.under_way(); },
          [this] { return standing.suspects(); },
          [this] { return joining.runs(); },
          [this](const Transaction& t, NodeId author, const Digest* payload) {
            (void)apply(t, author, payload);
          },
          [this](Commit out) { commit(std::move(out)); },
          [this](Commit out) { deliver(std::move(out)); },
          [this] { clients.tell(); },
          [this] { clients.log_grew(); },
          [this](NodeId who, Round begins) { joining.pruned_there(who, begins); }};
}

Joining::Hooks Node::Impl::joining_hooks() {
  return {[this] { return !standing.suspects() && !checkpointing.differs(); },
          [this] { log_care.stop_fetching(); }, [this] { return snapshots.prunes(); },
          [this](NodeId from, const wire::LogHash& hash, std::uint64_t now) {
            standing.hear(from, hash, now);
          }};
}

SafeStart::Hooks Node::Impl::start_hooks() {
  return {[this](NodeId peer) { standing.ask(peer); },
          [this] { standing.compare(Loop::now_us()); },
          [this] { return standing.suspects(); },
          [this] { return log_care.has_all(); },
          [this] { checkpointing.checkpoints().may_sign(); },
          [this] { clients.answer_queries(); }};
}

void Node::Impl::link(ConnectionId id, bool up) {
  if (id >= kFirstClient) return up ? clients.arrives(id) : clients.leaves(id);
  if (!up) return;
  const NodeId peer{static_cast<std::uint16_t>(id)};
  checkpointing.checkpoints().meet(peer);
  start.meet(peer);
}

// Reads back the payload of a block that memory holds without it; false when the disk fails.
bool Node::Impl::fill_in(OrderedBlockPtr& block) const {
  if (block->payload.size() == block->payload_bytes) return true;
  auto body = payload_of(engine->record_of(*block), block->payload_root);
  if (!body) return false;
  block = with_payload(*block, std::move(*body));
  return true;
}

std::optional<Bytes> Node::Impl::payload_of(const RecordName& record, const Digest& root) const {
  const auto place = store->locate(record.table, record.key.view());
  if (!place) return std::nullopt;
  auto body = store->read_body(*place);
  if (!body || payload_root(body->view()) != root) return std::nullopt;
  return std::move(*body);
}

void Node::Impl::send(NodeId to, const Frame& f) {
  const auto scope = on(Duty::kSend);
  (void)transport.send(to.value, f);
}

void Node::Impl::broadcast(const Frame& f) {
  const auto scope = on(Duty::kSend);
  for (std::size_t i = 0; i < genesis.nodes.size(); ++i) {
    if (i != self.value) (void)transport.send(i, f);
  }
  if (tracer) tracer->sent();
}

void Node::Impl::deliver(Commit out) {
  if (checkpointing.differs()) return;    // nothing more is acknowledged
  if (out.slot <= ledger.slot()) return;  // after a restart or a sync: the log has it already
  if (!log_care.goes_on(out)) return;
  for (OrderedBlockPtr& b : out.blocks) {
    if (!fill_in(b)) return log_care.lacks_payload(out, *b);
  }
  const std::uint64_t begin = Loop::now_us();
  if (metrics) note_stages(out);
  if (tracer) tracer->ordered(out);
  commit(std::move(out));
  clients.tell();
  if (tracer) tracer->answered();
  if (metrics) metrics->observe(Stage::kApply, Loop::now_us() - begin);
  clients.log_grew();
}

void Node::Impl::note_stages(const Commit& commit) {
  const std::uint64_t now = Loop::now_us();
  for (const OrderedBlockPtr& b : commit.blocks) {
    if (b->payload.empty()) continue;
    if (const auto us = stages.ordered(b->payload_root, now)) metrics->observe(Stage::kOrder, *us);
  }
}

// Puts one commit into the log and the application. Pre: it follows what is there.
void Node::Impl::commit(Commit out) {
  const auto scope = on(Duty::kApply);
  LogEntry entry = ledger.append(out, hashed, [&](const Transaction& t, const NewTransaction& of) {
    // A stop does not wait for the application to take a whole commit: the log has it, and
    // gives it again at the next start.
    app_lags = app_lags || run_end.asked();
    const std::optional<ApplyResult> result =
        app_lags ? std::nullopt : apply(t, of.block->author, of.payload);
    app_lags = !result;
    payload_bytes += t.data.size();
    if (tracer) tracer->placed(of.block->id, t.position);
    clients.ordered(t, of, out, result);
  });
  std::vector<Persist> progress = engine->take_progress(out.slot);
  snapshots.noted(progress);
  for (Persist& r : checkpointing.take_records()) progress.push_back(std::move(r));
  writer->ledger(entry, std::move(progress));
  checkpointing.committed(entry);
  // The order stands, and so do the acknowledgements; the application has to be mended and gets the
  // log again at the next start.
  if (!calls.problem().empty()) halt(words.app_threw_in_log(calls.problem()));
}

void Node::Impl::arm(TimerId id, Delay d) {
  timers.set(id, d.value * options.delta_us / 1000);
}

void Node::Impl::cancel(TimerId id) {
  timers.cancel(id);
}

void Node::Impl::persist(std::vector<Persist> records, std::uint64_t barrier) {
  start.handed(barrier);
  if (tracer) tracer->persisting(records, barrier);
  writer->persist(std::move(records), barrier);
}

void Node::Impl::endorse(const Endorse& e) {
  const auto scope = on(Duty::kSign);
  if (tracer) tracer->composed(e.digest, Round{e.ticket.local});
  (void)engine->push(Endorsed{e.ticket, key.sign(e.digest.bytes)});
  if (tracer) tracer->signed_now(e.digest);
}

void Node::Impl::broken(const std::string& what) {
  halt(words.broken_invariant(genesis.protocol, genesis.f, what));
}

void Node::Impl::halt(std::optional<Error> why) {
  if (!stopped_because) stopped_because = std::move(why);
  if (options.context == nullptr) return loop.stop();
  if (!on_stopped) return;
  // Not from inside an input: what runs now still uses all of this.
  loop.post([this, stopped = std::exchange(on_stopped, {})] {
    finish();
    loop.stop();
    stopped(ending());
  });
}

Result<Unit, Error> Node::Impl::ending() const {
  return stopped_because ? Result<Unit, Error>(*stopped_because) : Unit{};
}

// Runs inputs until nothing is left to do now, or a delivery has shown that nothing may be stepped.
void Node::Impl::pump() {
  if (quiet() || std::exchange(pumping, true)) return;
  const auto scope = on(Duty::kProtocol);
  do {
    (void)engine->run();
    collect_verdicts();
    feed();
  } while (!quiet() && (engine->run() || verdicts.are_due()));
  // A batch that is still open is closed by the loop when nothing else comes.
  if (const auto due = verdicts.due_us()) verdict_alarm.set_at(*due);
  pumping = false;
}

crypto::Purpose Node::Impl::purpose() const {
  return log_care.lags() ? crypto::Purpose::kCatchUp : crypto::Purpose::kQuorum;
}

void Node::Impl::verify(const Verify& v, std::optional<NodeId> from) {
  if (tracer) tracer->asked(v);
  verdicts.ask(v, from, purpose());
}

void Node::Impl::verify(const VerifyAll& v, std::optional<NodeId> from) {
  verdicts.ask(v, from, purpose());
}

Verdicts::Hooks Node::Impl::verdict_hooks() {
  return {[this](const crypto::VerifyAnswer& answer) {
            if (!answer.good() && answer.sender != self.value) {
              conduct.note(NodeId{static_cast<std::uint16_t>(answer.sender)}, Deed::kBadSignature);
            }
            if (tracer) tracer->verified(answer.ticket);
          },
          [this](const Ticket& ticket, bool good) {
            (void)engine->push(Verified{ticket, good});
          },
          [this] { loop.post([this] { pump(); }); }};
}

void Node::Impl::collect_verdicts() {
  const auto scope = on(Duty::kVerify);
  verdicts.collect();
}

bool Node::Impl::links_keep_up() const {
  std::vector<std::size_t> queued(committee().size());
  for (std::size_t i = 0; i < queued.size(); ++i) queued[i] = transport.queued_bytes(i);
  return quorum_keeps_up(queued, kBlocksOnTheWay * options.block_bytes, engine->quorum());
}

// The pool is looked at again when a frame comes, or when links may have room again.
void Node::Impl::feed() {
  if (!feeder.has_something()) return;
  const auto scope = on(Duty::kTake);
  if (!feeder.feed()) feed_again.set_in(Feeder::kRetry);
}

Feeder::Hooks Node::Impl::feeder_hooks() {
  return {[this] { return engine->pending_submits(); }, [this] { return links_keep_up(); },
          [this](ByteView payload) { return root_of(payload); },
          [this](const Bytes& payload, const Digest& root, const std::optional<Digest>& replaced) {
            engine->submit(payload, root, replaced);
            if (tracer) tracer->packed();
            if (metrics)
              metrics->observe(Stage::kPool, stages.packed(root, replaced, Loop::now_us()));
          },
          &clock_now_us};
}

void Node::Impl::frame(ConnectionId from, const Frame& f) {
  if (from >= kFirstClient) return clients.frame(from, f);
  const NodeId peer{static_cast<std::uint16_t>(from)};
  if (f.kind >= kWantLog && f.kind <= kLogHash) return peer_frame(peer, f);
  if ((f.kind >= kWantSnapshots && f.kind <= kPart) || f.kind == kTookSnapshot) {
    const bool answers = f.kind == kSnapshots || f.kind == kPart;
    if (answers ? joining.frame(peer, f) : snapshots.frame(peer, f)) return;
    return conduct.note(peer, Deed::kMalformed);
  }
  if (f.kind >= kCheckpoint && f.kind <= kTreePart) {
    if (!checkpointing.frame(peer, f)) conduct.note(peer, Deed::kMalformed);
    return;
  }
  if (start.frame(peer, f) || quiet()) return;
  // Before the message: the next block may be the answer to it.
  if (engine->extends() && holds_transactions(f.payload.view())) {
    feeder.others_order();
    feed();
  }
  const auto scope = on(Duty::kProtocol);
  if (tracer) tracer->frame_came();
  hashed.expect(f);
  const bool fine = engine->receive(peer, f);
  hashed.expect({});
  if (!fine) return conduct.note(peer, Deed::kMalformed);
  pump();
}

// The log, for nodes that were away.
void Node::Impl::peer_frame(NodeId from, const Frame& f) {
  const std::uint64_t now = Loop::now_us();
  if (joining.window_frame(from, f, now)) return;
  if (f.kind == kWantLog) {
    const auto want = wire::decode<wire::WantLog>(f.control.view());
    if (!want) return conduct.note(from, Deed::kMalformed);
    snapshots.asked_log(from, want->after);
    log_service.want(from, *want);
    return serving_log.go_on();
  }
  if (f.kind == kWantLogHash && checkpointing.ask_small(from, f)) return;
  if (f.kind != kLogPart && f.kind != kLogHash) return conduct.note(from, Deed::kMalformed);
  log_care.hear(from, f, now);
  if (f.kind == kLogHash) {
    if (const auto answer = wire::decode<wire::LogHash>(f.control.view())) {
      standing.hear(from, *answer, now);
      standing.judge();
    }
  }
  pump();
}

}  // namespace thresher::net
