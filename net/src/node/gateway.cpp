// What the HTTP gateway asks of the node, answered on the node's thread.
#include "http/gateway.hpp"

#include <utility>

#include "ledger/read_on.hpp"
#include "links/patience.hpp"
#include "node/clientele.hpp"
#include "thresher/net/log_proof.hpp"

namespace thresher::net {
namespace {

/// Data of transactions in one page, but for those of the last one. Unit: bytes.
constexpr std::size_t kPageBytes = 1u << 20;
/// Unit: microseconds.
constexpr std::uint64_t kSlack = 1'000'000;

}  // namespace

Result<Unit, Error> Clientele::open_gateway() {
  if (node_.options.gateway_address.empty()) return Unit{};
  const auto at = loopback_address(node_.options.gateway_address);
  if (!at) {
    return Error{ErrorCode::kMalformed,
                 "gateway.address '" + node_.options.gateway_address +
                     "' is no address of this machine alone",
                 node_.options.gateway_address, "write it as 127.0.0.1:8080"};
  }
  GatewayHooks hooks;
  hooks.submit = [this](const Bytes& data, SubmitOptions how, OnCommitStatus done) {
    submit(data, std::move(how), std::move(done));
  };
  hooks.query = [this](const Bytes& question, std::uint64_t length, std::uint64_t patience_us,
                       std::function<void(Answer)> done) {
    // A little later than the gateway itself, which knows what to say.
    const std::uint64_t deadline = end_of(patience_us) + kSlack;
    node_.loop.post([this, question, length, deadline, done = std::move(done)] {
      query({kGatewayLink, 0, length, question, deadline, done});
    });
  };
  hooks.status = [this](const std::function<void(NodeStatus)>& done) {
    node_.loop.post([this, done] { done(hooks_.status()); });
  };
  hooks.log = [this](std::uint64_t from, std::size_t most, std::function<void(LogPage)> done) {
    node_.loop.post([this, from, most, done = std::move(done)] {
      pages_.ask({from, most, done});
      serving_pages_.go_on();
    });
  };
  hooks.prove = [this](std::uint64_t position, std::function<void(ProofAnswer)> done) {
    node_.loop.post([this, position, done = std::move(done)] { ask_proof(position, done); });
  };
  auto made = std::make_unique<Gateway>(
      std::move(hooks), GatewayLimits{.transaction_bytes = node_.options.transaction_bytes});
  made->length(node_.ledger.length());
  if (auto listens = made->listen(*at); !listens) return listens;
  gateway_ = std::move(made);
  return Unit{};
}

void Clientele::ask_proof(std::uint64_t position, std::function<void(ProofAnswer)> done) {
  if (!proofs_.ask(kGatewayLink, position))
    return done({{}, "too many proofs are asked for: ask again later", 0, true});
  gateway_proofs_.emplace(position, std::move(done));
  proving_.at_once();
}

void Clientele::tell_proof(std::uint64_t position, const Result<LogProof, Error>& proof) {
  const auto asked = gateway_proofs_.extract(position);
  if (!asked) return;
  if (proof) return asked.mapped()({write_log_proof(*proof), {}, 0, false});
  const std::uint64_t begins = node_.reader.begin().length;
  asked.mapped()({{}, proof.error().text(), position < begins ? begins : 0, false});
}

LogPage Clientele::read_page(std::uint64_t from, std::size_t most) {
  LogPage out{node_.ledger.length(), {}, {}};
  if (from >= out.length) return out;
  if (from < node_.reader.begin().length) {
    out.begins = node_.reader.begin().length;
    out.problem = pruned_words(from, out.begins);
    return out;
  }
  const auto start = node_.reader.before(from, node_.ledger.slot());
  if (!start) {
    out.problem = "the log cannot be read back at position " + std::to_string(from);
    return out;
  }
  // Where blocks are full of duplicates, a page of a few transactions is hundreds of MiB to read.
  const std::uint64_t until = Loop::now_us() + ThreadShare::kBurst;
  std::size_t bytes = 0;
  const ReadOn end = read_on(
      node_.reader, node_.ledger.slot(), {*start, from},
      [&](const Transaction& t, const Validity&) {
        out.transactions.push_back(
            {t.position, t.slot, t.client, t.sequence, Bytes::copy_of(t.data)});
        bytes += t.data.size();
        return bytes < kPageBytes && out.transactions.size() < most;
      },
      [&] { return !out.transactions.empty() && Loop::now_us() >= until; });
  if (end.unreadable) {
    out.problem = "slot " + std::to_string(end.unreadable->value) + " cannot be read back";
  }
  return out;
}

}  // namespace thresher::net
