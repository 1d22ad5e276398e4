// What the application is asked, and what it answers: transactions, checks, queries, results.
#include <utility>

#include "node/impl.hpp"
#include "thresher/core/hex.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/net/wire.hpp"

namespace thresher::net {
namespace {

ApplyResult bounded(ApplyResult result) {
  if (result.bytes.size() <= kMostResult) return result;
  const std::string why = "the result has " + std::to_string(result.bytes.size()) +
                          " bytes; at most " + std::to_string(kMostResult) + " are told";
  return {true, Bytes::copy_of(as_view(why))};
}

}  // namespace

// `author`: of its block. `payload`: payload_hash() of its data where it is known. Empty when the
// application threw, now or before. Every node gives its application the same transactions, and
// each restart gives this one again: so what is told is enough to find it.
std::optional<ApplyResult> Node::Impl::apply(const Transaction& t, NodeId author,
                                             const Digest* payload) {
  const auto which = [&] {
    return "apply() of the transaction at position " + std::to_string(t.position) + " (client " +
           to_hex(t.client.bytes) + ", sequence " + std::to_string(t.sequence) + ", " +
           std::to_string(t.data.size()) + " bytes)";
  };
  if (!calls.problem().empty()) return std::nullopt;
  ApplyResult result;
  const bool ran = calls.run(which, [&] {
    try {
      if (t.client == kEvidenceClient) {
        result = apply_evidence(t, author);
      } else {
        result.bytes = app.apply(t);
      }
    } catch (const TransactionFailed& e) {
      result = {true, Bytes::copy_of(as_view(e.what()))};
    }
  });
  if (!ran) return std::nullopt;
  result = bounded(std::move(result));
  add_to_tree(t, result, payload);
  results.add(t.position, result);
  return result;
}

// A check that throws refuses: else whoever finds such a transaction could stop every node.
std::optional<std::string> Node::Impl::check(const ClientId& client, ByteView data) {
  if (client == kEvidenceClient) return std::nullopt;
  std::optional<std::string> reason;
  const auto threw = calls.attempt([&] { reason = app.check(client, data); });
  if (threw) {
    reason = "check() threw: " + *threw;
    const std::string what = "the application threw in check(): " + *threw;
    if (complaints.fresh(what, Loop::now_us())) {
      say(Level::kWarning, what + "; the transaction was refused");
    }
  }
  if (reason && reason->size() > wire::kReasonBytes) reason->resize(wire::kReasonBytes);
  return reason;
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
