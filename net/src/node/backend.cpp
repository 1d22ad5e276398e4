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
/// Without a commit, while transactions wait. Unit: microseconds.
constexpr std::uint64_t kStandstill = 10'000'000;

// A range of sequences of its own for every start.
std::uint64_t fresh_sequence() {
  return hash(crypto::SigningKey::generate().public_key()).prefix() >> 1;
}

std::vector<PublicKey> keys_of(const Genesis& genesis) {
  std::vector<PublicKey> keys;
  for (const PeerAddress& node : genesis.nodes) keys.push_back(node.key);
  return keys;
}
}  // namespace

Node::Impl::Impl(NodeOptions o, App& a, Genesis g, const crypto::SigningKey& k, NodeId id,
                 SharedKey shared, std::unique_ptr<NodeStore> s,
                 std::unique_ptr<journal::JournalWriter> journal)
    : options(std::move(o)),
      app(a),
      genesis(std::move(g)),
      key(k),
      self(id),
      chain(genesis.context()),
      words(options, committee().at_least(kValidity)),
      store(std::move(s)),
      log_form(log_form_of(genesis)),
      reader(*store, log_form),
      loop(options.context == nullptr ? Loop() : Loop(*options.context)),
      verdicts(keys_of(genesis), self,
               {{.deadline_us = options.verify_deadline_us}, options.accelerator}, verdict_hooks()),
      engine(make_recorded(
          [&](EngineHost& host) {
            return make_engine({genesis.protocol, committee(), self, chain,
                                EngineTuning::of(options), std::move(shared), genesis.parameters},
                               host);
          },
          *this, std::move(journal))),
      transport(
          loop, transport_options(),
          {[this](ConnectionId c, const Frame& f) { frame(c, f); },
           [this](ConnectionId c, bool up) { link(c, up); },
           [this](const std::string& why) { say(Level::kWarning, why); },
           [this](const LinkChange& c) { conduct.link(c, Loop::now_us()); },
           [this] { return gives_way(); }, engine->hashes_payloads() ? &prepare_payload : nullptr}),
      sync(committee(), self, log_form,
           {[this](NodeId to, const Frame& f) { (void)transport.send(to.value, f); },
            [this](Commit c) { adopt(std::move(c)); },
            [this] { return writer->backlog() < options.pool_bytes; },
            [this](NodeId who, const std::string& how) { false_answer(who, how); },
            [this](NodeId who, Round begins) { pruned_there(who, begins); }}),
      rot(committee(), self, log_form, rot_hooks()),
      standing(committee(), self,
               {[this](NodeId to, const Frame& f) { (void)transport.send(to.value, f); },
                [this](Round slot) { return reader.hash_at(slot); }}),
      order_watch(std::max(kStandstill, 20 * options.delta_us)),
      log_service(genesis.nodes.size(),
                  {[this](const wire::WantLog& want) { return reader.part(want, ledger.slot()); },
                   [this](NodeId to, const Frame& f) { return transport.send(to.value, f); },
                   &Loop::now_us}),
      conduct(genesis.nodes.size(),
              [this](Level level, const std::string& line) { say(level, line); }),
      submissions(limits(),
                  [this](const ClientId& client, ByteView data) { return check(client, data); }),
      feeder(submissions.pool(),
             {options.block_bytes, engine->clock_witnesses() > 0, engine->extends()},
             feeder_hooks()),
      checkpoint_every(checkpoint_slots(genesis)),
      hashed(checkpoint_every > 0),
      checkpoints(genesis, self, key, *store, checkpoint_hooks()),
      own_tree(*store, reader, committee().size()),
      trees(*store, reader, committee().size(),
            {[this](NodeId to, const TreePart& part) {
               (void)transport.send(to.value, {kTreePart, encode(part), {}});
             },
             &Loop::now_us}),
      small_questions(
          {[this](NodeId from, const Frame& question) { return answer_small(from, question); },
           [this](NodeId from) { conduct.note(from, Deed::kMalformed); }, &Loop::now_us}),
      proofs(
          genesis, *store, reader,
          {[this] { return checkpoints.newest_certificate(); }, [this] { return ledger.length(); },
           [this](const ProofQueue::Question& of, const ProofService::Proof& proof) {
             tell_proof(of, proof);
           },
           &Loop::now_us}),
      schedule(checkpoint_every * options.snapshot_checkpoints),
      holds(genesis.nodes.size(), options.hold_bytes),
      retention(*store, holds,
                {options.keep_snapshots > 0 ? options.keep_snapshots : SnapshotWriter::kKept,
                 options.keep_positions, engine->window(), committee().size()}),
      out_of_reach(committee()),
      snapshot_giver(SnapshotFolder(options.data), chain, genesis.nodes.size(), shares_state(),
                     holds, giver_hooks()),
      replies(results, older_clients, reply_hooks()),
      queries(query_hooks()),
      pages([this](std::uint64_t from, std::size_t most) { return read_page(from, most); },
            &Loop::now_us),
      subscribers(subscriber_hooks()),
      own_client(client_id_of(key.public_key()), fresh_sequence(), options.transaction_bytes,
                 own_hooks()),
      sign_once(options.key, key.public_key(), chain.chain, genesis.protocol),
      own_start(committee(), key, chain.chain) {
  if (!options.accelerator.empty() && crypto::make_verifier(options.accelerator) == nullptr) {
    say(Level::kWarning, "there is no " + options.accelerator +
                             " on this machine: the processor verifies all signatures; install "
                             "its driver, or remove verify.accelerator from the configuration");
  }
}

// What a block of this protocol takes bounds the rest.
Submissions::Limits Node::Impl::limits() {
  options.block_bytes = std::min<std::uint64_t>(options.block_bytes, engine->payload_limit());
  options.transaction_bytes = std::min<std::uint64_t>(
      options.transaction_bytes, options.block_bytes - 2 * kRunHead - kEntryHead);
  return {options.transaction_bytes, options.pool_bytes, options.observe};
}

// What the metrics show.
Sample Node::Impl::sample() const {
  const EngineSample now = engine->sample();
  const EngineStats& s = now.stats;
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
  out.malformed = malformed + conduct.sum(Deed::kMalformed);
  out.blocks_accepted = s.blocks_accepted;
  out.direct_commits = s.direct_commits;
  out.indirect_commits = s.indirect_commits;
  out.skips = s.skips;
  out.timeouts = s.timeouts;
  out.refused = s.refused;
  out.equivocations = s.equivocations;
  out.synced_commits = sync.fetched();
  const crypto::BatcherFigures v = verdicts.figures();
  out.signatures = v.answered;
  out.bad_signatures = v.bad;
  out.verify_batches = v.batches;
  out.certificate_calls = s.certificate_calls;
  out.verified_wide = v.wide;
  out.verify_retries = v.retried;
  out.verify_waiting = v.waiting;
  out.verify_suspects = v.suspects;
  out.log_begins = reader.begin().length;
  if (const auto& newest = checkpoints.newest_certificate())
    out.certified_slot = newest->checkpoint.slot.value;
  out.snapshot_slot = retention.newest_whole().value_or(Round{0}).value;
  out.state_parts = joining ? joining->sync.parts() : 0;
  out.state_parts_here = joining ? joining->sync.parts_here() : 0;
  out.waits_for = waits_for();
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
  t.gc_rounds = engine->window();
  t.threads = static_cast<std::uint32_t>(options.threads);
  t.link_delays_us = options.link_delays_us;
  if (t.link_delays_us.empty()) t.link_delays_us.assign(t.nodes.size(), options.link_delay_us);
  return t;
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
  if (checkpoints.difference()) return;   // nothing more is acknowledged
  if (out.slot <= ledger.slot()) return;  // after a restart or a sync: the log has it already
  if (log_lacks()) return missing.hold(std::move(out));
  if (!ledger.follows(out)) return note_gap(std::move(out));
  for (OrderedBlockPtr& b : out.blocks) {
    if (!fill_in(b)) return fetch_unreadable(out, *b);
  }
  const std::uint64_t begin = Loop::now_us();
  if (metrics) note_stages(out);
  if (tracer) tracer->ordered(out);
  commit(std::move(out));
  acknowledge();
  if (tracer) tracer->answered();
  if (metrics) metrics->observe(Stage::kApply, Loop::now_us() - begin);
  answering.at_once();
  if (gateway) gateway->length(ledger.length());
  feeding_subscribers.go_on();
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
  const OrderedBlock* of = nullptr;
  std::optional<HashCursor> hashes;  // of that block
  LogEntry entry = ledger.append(
      out, [&](const Transaction& t, const OrderedBlockPtr& block, const Fingerprint& print) {
        if (std::exchange(of, block.get()) != block.get())
          hashes.emplace(block->payload.view(), hashed.take(block->payload_root));
        // A stop does not wait for the application to take a whole commit: the log has it, and
        // gives it again at the next start.
        app_lags = app_lags || run_end.asked();
        const std::optional<ApplyResult> result =
            app_lags ? std::nullopt : apply(t, block->author, hashes->of(t.data));
        app_lags = !result;
        payload_bytes += t.data.size();
        if (tracer) tracer->placed(block->id, t.position);
        if (const auto awaited = submissions.ordered(t.client, print)) {
          answer(*awaited, t, out, block, result);
        }
      });
  std::vector<Persist> progress = engine->take_progress(out.slot);
  if (snapshots) last_progress = progress;
  for (Persist& r : tree_records()) progress.push_back(std::move(r));
  writer->ledger(entry, std::move(progress));
  checkpoint_after(entry);
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
  durable_pledge.handed(barrier);
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

// A log that throws loses its line; the node goes on.
void Node::Impl::say(Level level, const std::string& line) {
  calls.pass([&] { net::say(options, level, line); });
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

// Runs inputs until nothing is left to do now.
void Node::Impl::pump() {
  if (quiet() || std::exchange(pumping, true)) return;
  const auto scope = on(Duty::kProtocol);
  do {
    (void)engine->run();
    collect_verdicts();
    feed();
  } while (engine->run() || verdicts.are_due());
  // A batch that is still open is closed by the loop when nothing else comes.
  if (const auto due = verdicts.due_us()) verdict_alarm.set_at(*due);
  pumping = false;
}

crypto::Purpose Node::Impl::purpose() const {
  return lags ? crypto::Purpose::kCatchUp : crypto::Purpose::kQuorum;
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
  if (from >= kFirstClient) return client_frame(from, f);
  const NodeId peer{static_cast<std::uint16_t>(from)};
  if (f.kind >= kWantLog && f.kind <= kLogHash) return peer_frame(peer, f);
  if (f.kind >= kWantSnapshots && f.kind <= kPart) {
    if (!snapshot_frame(peer, f)) conduct.note(peer, Deed::kMalformed);
    return;
  }
  if (f.kind >= kCheckpoint && f.kind <= kTreePart) {
    if (!life_frame(peer, f)) conduct.note(peer, Deed::kMalformed);
    return;
  }
  if (f.kind == kWantKnown) return tell_known(peer);
  if (f.kind == kKnown) return hear_known(peer, f);
  if (f.kind == kOtherProcess) return hear_other_process(peer, f);
  if (f.kind == kStarted) return note_start(peer, f);
  if (starting) return starting->held.hold(peer, f);
  if (quiet()) return;
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
  if (window_frame(from, f, now)) return;
  if (f.kind == kWantLog) {
    const auto want = wire::decode<wire::WantLog>(f.control.view());
    if (!want) return conduct.note(from, Deed::kMalformed);
    note_log_question(from, want->after);
    log_service.want(from, *want);
    return serving_log.go_on();
  }
  if (f.kind == kWantLogHash && ask_small(from, f)) return;
  if (f.kind != kLogPart && f.kind != kLogHash) return conduct.note(from, Deed::kMalformed);
  if (!standing.suspects()) hear_log(from, f, now);
  if (f.kind == kLogHash) {
    if (const auto answer = wire::decode<wire::LogHash>(f.control.view())) {
      standing.hash(from, *answer, now);
      check_log();
    }
  }
  pump();
}

// What was asked for last: a part of the log that the disk has changed, or its end.
void Node::Impl::hear_log(NodeId from, const Frame& f, std::uint64_t now) {
  const bool part = f.kind == kLogPart;
  if (rot.fetches()) return part ? rot.part(from, f, now) : rot.hash(from, f, now);
  return part ? sync.part(from, f, now) : sync.hash(from, f, now);
}

}  // namespace thresher::net
