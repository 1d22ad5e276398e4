// What clients read: the log from a position on, proofs of it, and the application by queries.
#include <utility>

#include "ledger/read_on.hpp"
#include "node/clientele.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/net/wire.hpp"

namespace thresher::net {
namespace {

/// A client with too many questions waiting is read less. Unit: microseconds.
constexpr std::uint64_t kTooMany = 10'000;
/// Clients of older wire versions cannot read a proof.
constexpr std::uint32_t kProofVersion = 6;

}  // namespace

void Clientele::subscribe(ConnectionId from, const Frame& f) {
  const auto in = wire::decode<wire::Subscribe>(f.control.view());
  if (!in) {
    ++malformed_;
    return;
  }
  if (in->position < node_.reader.begin().length) {
    subscribers_.leave(from);
    return tell_pruned(from);
  }
  subscribers_.begin(from, in->position);
  feeding_subscribers_.go_on();
}

void Clientele::tell_pruned(ConnectionId to) {
  if (older_clients_.speaks(to)) return node_.transport.drop(to, "what it asks for was pruned");
  const std::uint64_t begins = node_.reader.begin().length;
  (void)node_.transport.send(to, {kLog, wire::encode(wire::Log{begins, 0, begins}), {}});
}

Subscribers::Hooks Clientele::subscriber_hooks() {
  return {[this] { return node_.reader.begin().length; },
          [this](const LogPlace& from, const VisitTransaction& visit,
                 const std::function<bool()>& enough) {
            return read_on(node_.reader, node_.ledger.slot(), from, visit, enough);
          },
          [this](ConnectionId id) { return node_.transport.queued_bytes(id); },
          [this](ConnectionId id, std::uint64_t end, std::uint32_t count,
                 std::vector<std::byte> log) { return send_log(id, end, count, std::move(log)); },
          [this](ConnectionId id) { tell_pruned(id); },
          [this](ConnectionId id, Round slot) { cannot_serve(id, slot); },
          [this](std::uint64_t position) -> std::optional<Round> {
            const auto after = node_.reader.before(position, node_.ledger.slot());
            return after ? std::optional(*after) : std::nullopt;
          },
          &Loop::now_us};
}

bool Clientele::send_log(ConnectionId to, std::uint64_t end, std::uint32_t count,
                         std::vector<std::byte> log) {
  const wire::Log control{end - count, count};
  const Frame frame{
      kLog, wire::encode(control),
      older_clients_.speaks(to) ? OlderClients::log_of(log) : Bytes::from(std::move(log))};
  if (!node_.transport.send(to, frame)) return false;
  visitors_.served(to, Loop::now_us());
  return true;
}

// Told to the operator of the node; the client asks another node. The application's state is not
// touched by it, and a start that reads the log from its beginning fetches it from peers.
void Clientele::cannot_serve(ConnectionId to, Round slot) {
  const std::string what = "slot " + std::to_string(slot.value) + " of the log of '" +
                           node_.options.home + "' cannot be read back";
  if (node_.complaints.fresh(what, Loop::now_us())) {
    node_.say(Level::kWarning, what +
                                   " for a client: check the disk; to have it fetched from peers, "
                                   "remove 'snapshot' in '" +
                                   node_.options.data + "' and restart the node");
  }
  node_.transport.drop(to, what);
}

void Clientele::ask_proof(ConnectionId from, const Frame& f) {
  Reader in(f.control.view());
  const std::uint64_t position = in.u64();
  if (!in.done()) {
    ++malformed_;
    return;
  }
  if (node_.transport.version_of(from) < kProofVersion) {
    return tell_proof({from, position},
                      Error{ErrorCode::kUnsupported,
                            "proofs have another form since wire version " +
                                std::to_string(kProofVersion) + ": use a client of this release"});
  }
  if (proofs_.ask(from, position)) return proving_.at_once();
  tell_proof({from, position}, Error{ErrorCode::kBusy, "too many questions wait: ask again later"});
  node_.transport.rest(from, kTooMany);
}

void Clientele::tell_proof(const ProofQueue::Question& of, const Result<LogProof, Error>& proof) {
  if (of.from == kGatewayLink) return tell_proof(of.position, proof);
  Writer w;
  w.u64(of.position).u8(proof ? 1 : 0);
  if (proof) {
    w.bytes(encode(*proof).view());
  } else {
    w.bytes(as_view(proof.error().text()));
  }
  (void)node_.transport.send(of.from, {kProof, Bytes::from(w.take()), {}});
}

void Clientele::query(ConnectionId from, const Frame& f) {
  const auto in = wire::decode<wire::Query>(f.control.view());
  if (!in) {
    ++malformed_;
    return;
  }
  query({from, in->id, in->length, f.payload, Loop::now_us() + QueryService::kLinkPatience});
}

void Clientele::query(const Queries::Query& query) {
  if (queries_.ask(query)) answering_.at_once();
}

void Clientele::reply(const Queries::Query& query, bool failed, ByteView answer) {
  if (query.done) return query.done({failed, Bytes::copy_of(answer), results_.end()});
  visitors_.served(query.from, Loop::now_us());
  const wire::QueryReply control{query.id, results_.end(), failed};
  const Frame frame{kQueryReply, wire::encode(control), Bytes::copy_of(answer)};
  if (!node_.transport.send(query.from, frame)) {
    node_.transport.drop(query.from, "the client does not read its answers");
  }
}

ProofService::Hooks Clientele::proof_hooks() {
  return {[this] { return hooks_.newest_certificate(); }, [this] { return node_.ledger.length(); },
          [this](const ProofQueue::Question& of, const ProofService::Proof& proof) {
            tell_proof(of, proof);
          },
          &Loop::now_us};
}

QueryService::Hooks Clientele::query_hooks() {
  return {[this](ByteView question, Bytes& answer) {
            return node_.calls.attempt([&] { answer = node_.app.query(question); });
          },
          [this](const Queries::Query& query, bool failed, ByteView answer) {
            reply(query, failed, answer);
          },
          &Loop::now_us};
}

}  // namespace thresher::net
