#include "node/clientele.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "host/guarded.hpp"
#include "host/host_log.hpp"
#include "links/patience.hpp"
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
/// Without a commit, while transactions wait. Unit: microseconds.
constexpr std::uint64_t kStandstill = 10'000'000;

// A range of sequences of its own for every start.
std::uint64_t fresh_sequence() {
  return hash(crypto::SigningKey::generate().public_key()).prefix() >> 1;
}

}  // namespace

Clientele::Clientele(NodeBase& node, Hooks hooks)
    : node_(node),
      hooks_(std::move(hooks)),
      submissions_({node.options.transaction_bytes, node.options.pool_bytes, node.options.observe},
                   [this](const ClientId& client, ByteView data) { return check(client, data); }),
      order_watch_(std::max(kStandstill, 20 * node.options.delta_us)),
      replies_(results_, older_clients_, reply_hooks()),
      telling_(node.loop, [this] { return replies_.tell_results(node_.ledger.slot()); }),
      queries_(query_hooks()),
      answering_(node.loop, [this] { return queries_.step(results_.end(), hooks_.level()); }),
      subscribers_(subscriber_hooks()),
      feeding_subscribers_(node.loop, [this] { return subscribers_.feed(node_.ledger.slot()); }),
      proofs_(node.genesis, *node.store, node.reader, proof_hooks()),
      proving_(node.loop, [this] { return proofs_.step(); }),
      pages_([this](std::uint64_t from, std::size_t most) { return read_page(from, most); },
             &Loop::now_us),
      serving_pages_(node.loop, [this] { return pages_.serve(); }),
      own_client_(client_id_of(node.key.public_key()), fresh_sequence(),
                  node.options.transaction_bytes, own_hooks()),
      watching_own_(node.loop, [this] { return own_client_.end_late(Loop::now_us()); }) {}

void Clientele::arrives(ConnectionId id) {
  const auto who = node_.transport.key_of(id);
  if (!who) return;
  const ClientId client = client_id_of(*who);
  visitors_.arrive(id, client, Loop::now_us());
  if (node_.transport.version_of(id) < kClientVersion) return older_clients_.arrive(id);
  const wire::Welcome hello{node_.ledger.slot(), client, kLongestLife,
                            node_.options.transaction_bytes};
  (void)node_.transport.send(id, {kWelcome, wire::encode(hello), {}});
}

void Clientele::leaves(ConnectionId id) {
  visitors_.leave(id);
  older_clients_.leave(id);
  replies_.leave(id);
  queries_.leave(id);
  proofs_.leave(id);
  subscribers_.leave(id);
}

// A client that comes when all places are taken never waits for one: see visitors.hpp.
std::optional<ConnectionId> Clientele::gives_way() {
  const std::string what = "all " + std::to_string(visitors_.size()) +
                           " places for clients are taken: those who ask for least give way to new "
                           "ones; if they are yours, let them share connections";
  if (node_.complaints.fresh(what, Loop::now_us())) node_.say(Level::kWarning, what);
  return visitors_.least_useful();
}

// All else is what nodes say, or no kind of frame.
void Clientele::frame(ConnectionId from, const Frame& f) {
  visitors_.served(from, Loop::now_us());
  if (f.kind == kStatus && wire::decode<wire::Empty>(f.control.view())) {
    (void)node_.transport.send(from, {kStatusReply, wire::encode(hooks_.status()), {}});
  } else if (f.kind == kSubmit) {
    take(from, f);
    node_.pump();
  } else if (f.kind == kSubscribe) {
    subscribe(from, f);
  } else if (f.kind == kProve) {
    ask_proof(from, f);
  } else if (f.kind == kQuery) {
    query(from, f);
  } else {
    ++malformed_;
  }
}

void Clientele::take(ConnectionId from, const Frame& f) {
  const auto scope = node_.on(Duty::kTake);
  const ClientId* client = visitors_.client(from);
  if (client == nullptr) return;
  const bool older = older_clients_.speaks(from);
  const auto in = wire::decode<wire::Submit>(f.control.view());
  const std::optional<Bytes> entries =
      older ? OlderClients::entries_of(f.payload.view()) : std::optional(f.payload);
  RunHead head{*client, {node_.ledger.slot(), Round{node_.ledger.slot().value + kLongestLife}}};
  if (in && in->results && !older) replies_.wants_results(from);
  if (in && in->valid) head.valid = {in->valid->first, in->valid->second};
  const bool well_formed = in && entries && head.valid.since <= head.valid.until &&
                           head.valid.until.value - head.valid.since.value <= kLongestLife &&
                           each_entry(entries->view(), [](std::uint64_t, ByteView) {});
  if (!well_formed) {
    ++malformed_;
    refuse(from, Refusal::kMalformed, {});
    return rest(from, f.control.size() + f.payload.size());
  }
  if (older && !older_clients_.expect(from, f.payload.view())) {
    std::vector<std::uint64_t> sequences;
    each_entry(entries->view(), [&](std::uint64_t s, ByteView) { sequences.push_back(s); });
    refuse(from, Refusal::kOverloaded, sequences);
    return rest(from, f.payload.size() + sequences.size() * Pool::kEntryCost);
  }
  const Submissions::Answers answers = submissions_.submit(head, *entries, node_.ledger, from);
  if (node_.metrics) node_.stages.waits(Loop::now_us());
  if (node_.tracer) trace_taken(*client, entries->view());
  for (const Placed& p : answers.placed) replies_.placed(from, p);
  tell();
  for (const auto& [why, sequences] : answers.refused) refuse(from, why, sequences);
  for (const auto& [why, sequences] : answers.rejected) {
    refuse(from, Refusal::kRejected, sequences, why);
  }
  refuse_later(answers.gave_way, Refusal::kOverloaded);
  rest(from, answers.not_taken);
}

// Sequences of one frame follow one another but for what was answered before.
void Clientele::trace_taken(const ClientId& client, ByteView entries) {
  std::optional<std::uint64_t> first;
  std::uint64_t last = 0;
  each_entry(entries, [&](std::uint64_t sequence, ByteView) {
    if (!first) first = sequence;
    last = sequence;
  });
  if (first) node_.tracer->taken(client, *first, last);
}

// A client whose transactions are refused, or that submits the same again, is read less: reading it
// would take time from clients that stay below their shares, and from the order.
void Clientele::rest(ConnectionId from, std::size_t bytes) {
  if (bytes == 0) return;
  const std::uint64_t clients = std::max<std::uint64_t>(1, submissions_.pool().clients());
  node_.transport.rest(from, std::min(kLongestRest, bytes * clients * 1'000'000 / kNotTaken));
}

void Clientele::submit(Bytes data, SubmitOptions how, OnCommitStatus done) {
  const Tell tell = [log = node_.options.log](const std::string& line) {
    NodeOptions to;
    to.log = log;
    net::say(to, Level::kWarning, line);
  };
  OwnSubmission ask{std::move(data), how.prove, 0, std::move(how.cancel),
                    guarded(std::move(done), "submit()", tell)};
  if (how.patience_us != 0) ask.deadline_us = end_of(how.patience_us);
  if (own_client_.add(std::move(ask))) node_.loop.post([this] { take_own(); });
}

// Its sequences are this node's own.
void Clientele::take_own() {
  if (!node_.writer) return;  // begin() asks again
  own_client_.take(node_.ledger.slot());
  watching_own_.at_once();
  node_.pump();
}

OwnClient::Hooks Clientele::own_hooks() {
  return {
      [this](const RunHead& head, const Bytes& entries) {
        return submissions_.submit(head, entries, node_.ledger, kOwnLink);
      },
      [this](const std::vector<Submission>& others) { refuse_later(others, Refusal::kOverloaded); },
      [this] {
        if (node_.metrics) node_.stages.waits(Loop::now_us());
      },
      [this](std::function<void()> work) { node_.loop.post(std::move(work)); }};
}

void Clientele::close_own(const std::string& why) {
  own_client_.close(why);
  own_questions_.close(why);
}

void Clientele::refuse(ConnectionId to, Refusal why, const std::vector<std::uint64_t>& sequences,
                       const std::string& text) {
  Writer payload;
  for (const std::uint64_t sequence : sequences) payload.u64(sequence);
  const wire::Refused control{why, node_.options.transaction_bytes, node_.ledger.slot(), text};
  const Frame frame =
      older_clients_.speaks(to)
          ? older_clients_.refusal_of(to, why, sequences, node_.options.transaction_bytes)
          : Frame{kRefused, wire::encode(control), Bytes::from(payload.take())};
  if (!node_.transport.send(to, frame))
    node_.transport.drop(to, "the client does not read its answers");
}

// Those that waited for an answer, all of a link in one frame.
void Clientele::refuse_later(const std::vector<Submission>& waiting, Refusal why) {
  std::map<ConnectionId, std::vector<std::uint64_t>> of_links;
  for (const Submission& s : waiting) of_links[s.from].push_back(s.sequence);
  for (const auto& [from, sequences] : of_links) {
    if (visitors_.client(from) != nullptr) refuse(from, why, sequences);
    if (from != kOwnLink) continue;
    for (const std::uint64_t sequence : sequences) own_client_.refused(sequence, why);
  }
}

void Clientele::watch() {
  std::vector<Submission> expired;
  submissions_.expire(node_.ledger, [&](const Submission& s) { expired.push_back(s); });
  refuse_later(expired, Refusal::kExpired);
  std::vector<std::uint64_t> heard(node_.genesis.nodes.size());
  for (const NodeId i : node_ids(heard.size()))
    heard[i.value] = node_.transport.peer(i).bytes_received;
  order_watch_.look(submissions_.awaited(), node_.ledger.slot(), heard, Loop::now_us());
  node_.loop.call_after(kExpiryCheck, [this] { watch(); });
}

std::optional<std::string> Clientele::check(const ClientId& client, ByteView data) {
  if (client == kEvidenceClient) return std::nullopt;
  AppCalls::Refusal refusal = node_.app_calls.check(client, data);
  if (refusal.threw) {
    const std::string what = "the application threw in check(): " + *refusal.threw;
    if (node_.complaints.fresh(what, Loop::now_us())) {
      node_.say(Level::kWarning, what + "; the transaction was refused");
    }
  }
  auto& reason = refusal.against;
  if (reason && reason->size() > wire::kReasonBytes) reason->resize(wire::kReasonBytes);
  return std::move(reason);
}

void Clientele::tell() {
  const auto scope = node_.on(Duty::kAnswer);
  if (hooks_.differs()) return;
  replies_.tell(node_.ledger.slot());
  if (replies_.owes_results()) telling_.at_once();
}

Replies::Hooks Clientele::reply_hooks() {
  return {[this](ConnectionId to, const Frame& f) {
            const bool taken = node_.transport.send(to, f);
            if (taken) visitors_.served(to, Loop::now_us());
            return taken;
          },
          [this](ConnectionId link) {
            node_.transport.drop(link, "the client does not read its answers");
          },
          [this](ConnectionId link) { return node_.transport.queued_bytes(link); }, &Loop::now_us};
}

// Without a result the application has not got it: a client that asked for results gets no answer
// from this node, which is about to stop.
void Clientele::ordered(const Transaction& t, const NewTransaction& of, const Commit& commit,
                        const std::optional<ApplyResult>& result) {
  submissions_.ordered(t.client, of.print, [&](const Submission& awaited) {
    if (visitors_.client(awaited.from) != nullptr)
      replies_.placed(awaited.from, {awaited.sequence, t.position});
    if (awaited.from == kOwnLink && result) own_ordered(awaited.sequence, t, of, commit, *result);
  });
}

void Clientele::own_ordered(std::uint64_t sequence, const Transaction& t, const NewTransaction& of,
                            const Commit& commit, const ApplyResult& result) {
  auto ask = own_client_.ordered(sequence);
  if (!ask) return;
  Receipt receipt{t.position, commit.slot.value, commit.id, of.block->id, {}, result};
  if (ask->prove == Prove::kYes) receipt.proof = node_.engine->prove(commit.slot, *of.block);
  ask->done({CommitStatus::Kind::kCommitted, std::move(receipt), {}, ask->until, {}});
}

void Clientele::log_grew() {
  answering_.at_once();
  if (gateway_) gateway_->length(node_.ledger.length());
  feeding_subscribers_.go_on();
}

// Links stay up to members whose processes hang, so that only what comes of them tells.
std::string Clientele::stands_still() const {
  const std::uint64_t now = Loop::now_us();
  const auto us = order_watch_.stands(now);
  if (!us) return {};
  std::string silent;
  for (const NodeId id : order_watch_.silent(now)) {
    if (id != node_.self) silent += (silent.empty() ? "" : ", ") + std::to_string(id.value);
  }
  return "has ordered nothing for " + std::to_string(*us / 1'000'000) + " s while " +
         std::to_string(submissions_.awaited()) + " transactions wait" +
         (silent.empty() ? "" : "; nothing comes from node " + silent);
}

}  // namespace thresher::net
