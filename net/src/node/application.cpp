// What the application is asked, and what it answers: transactions, checks, queries, results.
#include <utility>

#include "node/impl.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/net/wire.hpp"

namespace thresher::net {

// `author`: of its block. `payload`: payload_hash() of its data where it is known. Empty when the
// application threw, now or before.
std::optional<ApplyResult> Node::Impl::apply(const Transaction& t, NodeId author,
                                             const Digest* payload) {
  auto result = t.client == kEvidenceClient
                    ? app_calls.apply(t, [&] { return apply_evidence(t, author); })
                    : app_calls.apply(t);
  if (!result) return std::nullopt;
  add_to_tree(t, *result, payload);
  results.add(t.position, *result);
  return result;
}

std::optional<std::string> Node::Impl::check(const ClientId& client, ByteView data) {
  if (client == kEvidenceClient) return std::nullopt;
  AppCalls::Refusal refusal = app_calls.check(client, data);
  if (refusal.threw) {
    const std::string what = "the application threw in check(): " + *refusal.threw;
    if (complaints.fresh(what, Loop::now_us())) {
      say(Level::kWarning, what + "; the transaction was refused");
    }
  }
  auto& reason = refusal.against;
  if (reason && reason->size() > wire::kReasonBytes) reason->resize(wire::kReasonBytes);
  return std::move(reason);
}

void Node::Impl::query(ConnectionId from, const Frame& f) {
  const auto in = wire::decode<wire::Query>(f.control.view());
  if (!in) {
    ++malformed;
    return;
  }
  ask({from, in->id, in->length, f.payload, {}});
}

void Node::Impl::ask(const Queries::Query& query) {
  if (queries.ask(query)) answering.at_once();
}

void Node::Impl::reply(const Queries::Query& query, bool failed, ByteView answer) {
  if (query.done) return query.done({failed, Bytes::copy_of(answer), results.end()});
  visitors.served(query.from, Loop::now_us());
  const wire::QueryReply control{query.id, results.end(), failed};
  const Frame frame{kQueryReply, wire::encode(control), Bytes::copy_of(answer)};
  if (!transport.send(query.from, frame)) {
    transport.drop(query.from, "the client does not read its answers");
  }
}

QueryService::Hooks Node::Impl::query_hooks() {
  return {[this](ByteView question, Bytes& answer) {
            return calls.attempt([&] { answer = app.query(question); });
          },
          [this](const Queries::Query& query, bool failed, ByteView answer) {
            reply(query, failed, answer);
          },
          &Loop::now_us};
}

}  // namespace thresher::net
