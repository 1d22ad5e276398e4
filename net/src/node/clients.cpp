#include <algorithm>
#include <map>
#include <utility>

#include "host/guarded.hpp"
#include "links/patience.hpp"
#include "node/impl.hpp"
#include "thresher/core/node_ids.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/net/wire.hpp"

namespace thresher::net {
namespace {
/// Read in a second of all clients together that is not taken, by its cost in the pool. Unit:
/// bytes.
constexpr std::uint64_t kNotTaken = 16u << 20;
/// Unit: microseconds.
constexpr std::uint64_t kLongestRest = 10'000'000;
/// Between two looks for what can be ordered no more. Unit: microseconds.
constexpr std::uint64_t kExpiryCheck = 1'000'000;

}  // namespace

void Node::Impl::link(ConnectionId id, bool up) {
  if (id < kFirstClient && up) meet(NodeId{static_cast<std::uint16_t>(id)});
  if (id < kFirstClient) return;
  if (up) return welcome(id);
  visitors.leave(id);
  older_clients.leave(id);
  replies.leave(id);
  queries.leave(id);
  proofs.leave(id);
  subscribers.leave(id);
}

void Node::Impl::welcome(ConnectionId id) {
  const auto who = transport.key_of(id);
  if (!who) return;
  const ClientId client = client_id_of(*who);
  visitors.arrive(id, client, Loop::now_us());
  if (transport.version_of(id) < kClientVersion) return older_clients.arrive(id);
  const wire::Welcome hello{ledger.slot(), client, kLongestLife, options.transaction_bytes};
  (void)transport.send(id, {kWelcome, wire::encode(hello), {}});
}

// A client that comes when all places are taken never waits for one: see visitors.hpp.
std::optional<ConnectionId> Node::Impl::gives_way() {
  const std::string what = "all " + std::to_string(visitors.size()) +
                           " places for clients are taken: those who ask for least give way to new "
                           "ones; if they are yours, let them share connections";
  if (complaints.fresh(what, Loop::now_us())) say(Level::kWarning, what);
  return visitors.least_useful();
}

// All else is what nodes say, or no kind of frame.
void Node::Impl::client_frame(ConnectionId from, const Frame& f) {
  visitors.served(from, Loop::now_us());
  if (f.kind == kStatus && wire::decode<wire::Empty>(f.control.view())) {
    (void)transport.send(from, {kStatusReply, wire::encode(status_now()), {}});
  } else if (f.kind == kSubmit) {
    take(from, f);
    pump();
  } else if (f.kind == kSubscribe) {
    subscribe(from, f);
  } else if (f.kind == kProve) {
    ask_proof(from, f);
  } else if (f.kind == kQuery) {
    query(from, f);
  } else {
    ++malformed;
  }
}

void Node::Impl::take(ConnectionId from, const Frame& f) {
  const auto scope = on(Duty::kTake);
  const ClientId* client = visitors.client(from);
  if (client == nullptr) return;
  const bool older = older_clients.speaks(from);
  const auto in = wire::decode<wire::Submit>(f.control.view());
  const std::optional<Bytes> entries =
      older ? OlderClients::entries_of(f.payload.view()) : std::optional(f.payload);
  RunHead head{*client, {ledger.slot(), Round{ledger.slot().value + kLongestLife}}};
  if (in && in->results && !older) replies.wants_results(from);
  if (in && in->valid) head.valid = {in->valid->first, in->valid->second};
  const bool well_formed = in && entries && head.valid.since <= head.valid.until &&
                           head.valid.until.value - head.valid.since.value <= kLongestLife &&
                           each_entry(entries->view(), [](std::uint64_t, ByteView) {});
  if (!well_formed) {
    ++malformed;
    refuse(from, Refusal::kMalformed, {});
    return rest(from, f.control.size() + f.payload.size());
  }
  if (older && !older_clients.expect(from, f.payload.view())) {
    std::vector<std::uint64_t> sequences;
    each_entry(entries->view(), [&](std::uint64_t s, ByteView) { sequences.push_back(s); });
    refuse(from, Refusal::kOverloaded, sequences);
    return rest(from, f.payload.size() + sequences.size() * Pool::kEntryCost);
  }
  const Submissions::Answers answers = submissions.submit(head, *entries, ledger, from);
  if (metrics) stages.waits(Loop::now_us());
  if (tracer) trace_taken(*client, entries->view());
  for (const Placed& p : answers.placed) replies.placed(from, p);
  acknowledge();
  for (const auto& [why, sequences] : answers.refused) refuse(from, why, sequences);
  for (const auto& [why, sequences] : answers.rejected) {
    refuse(from, Refusal::kRejected, sequences, why);
  }
  refuse_later(answers.gave_way, Refusal::kOverloaded);
  rest(from, answers.not_taken);
}

// Sequences of one frame follow one another but for what was answered before.
void Node::Impl::trace_taken(const ClientId& client, ByteView entries) {
  std::optional<std::uint64_t> first;
  std::uint64_t last = 0;
  each_entry(entries, [&](std::uint64_t sequence, ByteView) {
    if (!first) first = sequence;
    last = sequence;
  });
  if (first) tracer->taken(client, *first, last);
}

// A client whose transactions are refused, or that submits the same again, is read less: reading it
// would take time from clients that stay below their shares, and from the order.
void Node::Impl::rest(ConnectionId from, std::size_t bytes) {
  if (bytes == 0) return;
  const std::uint64_t clients = std::max<std::uint64_t>(1, submissions.pool().clients());
  transport.rest(from, std::min(kLongestRest, bytes * clients * 1'000'000 / kNotTaken));
}

void Node::Impl::submit_own(Bytes data, SubmitOptions how, OnCommitStatus done) {
  const Tell tell = [log = options.log](const std::string& line) {
    NodeOptions to;
    to.log = log;
    net::say(to, Level::kWarning, line);
  };
  OwnSubmission ask{std::move(data), how.prove, 0, std::move(how.cancel),
                    guarded(std::move(done), "submit()", tell)};
  if (how.patience_us != 0) ask.deadline_us = end_of(how.patience_us);
  if (own_client.add(std::move(ask))) loop.post([this] { take_own(); });
}

// What the process around this node submitted; its sequences are this node's own.
void Node::Impl::take_own() {
  if (!writer) return;  // begin() asks again
  own_client.take(ledger.slot());
  watching_own.at_once();
  pump();
}

OwnClient::Hooks Node::Impl::own_hooks() {
  return {
      [this](const RunHead& head, const Bytes& entries) {
        return submissions.submit(head, entries, ledger, kOwnLink);
      },
      [this](const std::vector<Submission>& others) { refuse_later(others, Refusal::kOverloaded); },
      [this] {
        if (metrics) stages.waits(Loop::now_us());
      },
      [this](std::function<void()> work) { loop.post(std::move(work)); }};
}

// Nobody would answer what the process around the node has asked, or asks from now on.
void Node::Impl::close_own(const std::string& why) {
  own_client.close(why);
  own_questions.close(why);
}

void Node::Impl::refuse(ConnectionId to, Refusal why, const std::vector<std::uint64_t>& sequences,
                        const std::string& text) {
  Writer payload;
  for (const std::uint64_t sequence : sequences) payload.u64(sequence);
  const wire::Refused control{why, options.transaction_bytes, ledger.slot(), text};
  const Frame frame = older_clients.speaks(to)
                          ? older_clients.refusal_of(to, why, sequences, options.transaction_bytes)
                          : Frame{kRefused, wire::encode(control), Bytes::from(payload.take())};
  if (!transport.send(to, frame)) transport.drop(to, "the client does not read its answers");
}

// Those that waited for an answer, all of a link in one frame.
void Node::Impl::refuse_later(const std::vector<Submission>& waiting, Refusal why) {
  std::map<ConnectionId, std::vector<std::uint64_t>> of_links;
  for (const Submission& s : waiting) of_links[s.from].push_back(s.sequence);
  for (const auto& [from, sequences] : of_links) {
    if (visitors.client(from) != nullptr) refuse(from, why, sequences);
    if (from != kOwnLink) continue;
    for (const std::uint64_t sequence : sequences) own_client.refused(sequence, why);
  }
}

void Node::Impl::watch_submissions() {
  std::vector<Submission> expired;
  submissions.expire(ledger, [&](const Submission& s) { expired.push_back(s); });
  refuse_later(expired, Refusal::kExpired);
  std::vector<std::uint64_t> heard(genesis.nodes.size());
  for (const NodeId i : node_ids(heard.size())) heard[i.value] = transport.peer(i).bytes_received;
  order_watch.look(submissions.awaited(), ledger.slot(), heard, Loop::now_us());
  loop.call_after(kExpiryCheck, [this] { watch_submissions(); });
}

void Node::Impl::subscribe(ConnectionId from, const Frame& f) {
  const auto in = wire::decode<wire::Subscribe>(f.control.view());
  if (!in) {
    ++malformed;
    return;
  }
  if (in->position < reader.begin().length) {
    subscribers.leave(from);
    return tell_pruned(from);
  }
  subscribers.begin(from, in->position);
  feeding_subscribers.go_on();
}

void Node::Impl::tell_pruned(ConnectionId to) {
  if (older_clients.speaks(to)) return transport.drop(to, "what it asks for was pruned");
  const std::uint64_t begins = reader.begin().length;
  (void)transport.send(to, {kLog, wire::encode(wire::Log{begins, 0, begins}), {}});
}

Subscribers::Hooks Node::Impl::subscriber_hooks() {
  return {[this] { return reader.begin().length; },
          [this](const LogPlace& from, const VisitTransaction& visit,
                 const std::function<bool()>& enough) {
            return read_on(reader, ledger.slot(), from, visit, enough);
          },
          [this](ConnectionId id) { return transport.queued_bytes(id); },
          [this](ConnectionId id, std::uint64_t end, std::uint32_t count,
                 std::vector<std::byte> log) { return send_log(id, end, count, std::move(log)); },
          [this](ConnectionId id) { tell_pruned(id); },
          [this](ConnectionId id, Round slot) { cannot_serve(id, slot); },
          [this](std::uint64_t position) -> std::optional<Round> {
            const auto after = reader.before(position, ledger.slot());
            return after ? std::optional(*after) : std::nullopt;
          },
          &Loop::now_us};
}

bool Node::Impl::send_log(ConnectionId to, std::uint64_t end, std::uint32_t count,
                          std::vector<std::byte> log) {
  const wire::Log control{end - count, count};
  const Frame frame{
      kLog, wire::encode(control),
      older_clients.speaks(to) ? OlderClients::log_of(log) : Bytes::from(std::move(log))};
  if (!transport.send(to, frame)) return false;
  visitors.served(to, Loop::now_us());
  return true;
}

// Told to the operator of the node; the client asks another node. The application's state is not
// touched by it, and a start that reads the log from its beginning fetches it from peers.
void Node::Impl::cannot_serve(ConnectionId to, Round slot) {
  const std::string what = "slot " + std::to_string(slot.value) + " of the log of '" +
                           options.home + "' cannot be read back";
  if (complaints.fresh(what, Loop::now_us())) {
    say(Level::kWarning, what +
                             " for a client: check the disk; to have it fetched from peers, "
                             "remove 'snapshot' in '" +
                             options.data + "' and restart the node");
  }
  transport.drop(to, what);
}

void Node::Impl::acknowledge() {
  const auto scope = on(Duty::kAnswer);
  if (checkpoints.difference()) return;
  replies.tell(ledger.slot());
  if (replies.owes_results()) telling.at_once();
}

Replies::Hooks Node::Impl::reply_hooks() {
  return {
      [this](ConnectionId to, const Frame& f) {
        const bool taken = transport.send(to, f);
        if (taken) visitors.served(to, Loop::now_us());
        return taken;
      },
      [this](ConnectionId link) { transport.drop(link, "the client does not read its answers"); },
      [this](ConnectionId link) { return transport.queued_bytes(link); }, &Loop::now_us};
}

// Without a result the application has not got it: a client that asked for results gets no answer
// from this node, which is about to stop.
void Node::Impl::answer(const Submission& s, const Transaction& t, const Commit& commit,
                        const OrderedBlockPtr& block, const std::optional<ApplyResult>& result) {
  if (visitors.client(s.from) != nullptr) replies.placed(s.from, {s.sequence, t.position});
  if (s.from != kOwnLink || !result) return;
  auto ask = own_client.ordered(s.sequence);
  if (!ask) return;
  Receipt receipt{t.position, commit.slot.value, commit.id, block->id, {}, *result};
  if (ask->prove == Prove::kYes) receipt.proof = engine->prove(commit.slot, *block);
  ask->done({CommitStatus::Kind::kCommitted, std::move(receipt), {}, ask->until, {}});
}

NodeStatus Node::Impl::status_now() {
  const EngineSample now = engine->sample();
  const crypto::BatcherFigures verified = verdicts.figures();
  NodeStatus out{ledger.length(),
                 now.round.value,
                 ledger.slot().value,
                 transport.node_bytes_sent(),
                 store->syncs(),
                 payload_bytes,
                 ledger.log_hash(),
                 {},
                 static_cast<std::uint32_t>(transport.node_links()),
                 verified.answered,
                 verified.batches,
                 now.stats.certificate_calls};
  if (!app_calls.look_at_state(ledger.slot())) halt(words.app_threw(calls.problem()));
  out.state = app_calls.state();
  out.waits_for = waits_for();
  out.peers = peers();
  out.begins = reader.begin().length;
  return out;
}

}  // namespace thresher::net
