#include "node/verdicts.hpp"

#include <utility>

#include "thresher/crypto/verifier.hpp"
#include "thresher/net/transport.hpp"

namespace thresher::net {

Verdicts::Verdicts(const std::vector<PublicKey>& keys, NodeId self, const Options& options,
                   Hooks hooks)
    : keys_(keys),
      self_(self),
      hooks_(std::move(hooks)),
      batcher_(options.batches,
               *crypto::Batcher::backends(crypto::best_verifier(), "rlc", options.accelerator),
               &Loop::now_us, hooks_.wake) {
  batcher_.register_keys(keys_);
}

crypto::VerifyRequest Verdicts::request_of(const Ticket& ticket, const Digest& digest,
                                           std::optional<NodeId> from,
                                           crypto::Purpose purpose) const {
  crypto::VerifyRequest request;
  request.ticket = ticket;
  request.sender = from.value_or(self_).value;
  request.purpose = purpose;
  request.digest = digest;
  return request;
}

void Verdicts::add(crypto::VerifyRequest request, NodeId signer, const Signature& signature) {
  request.key = keys_[signer.value];
  request.signature = signature;
  while (!batcher_.add(request)) collect();  // over its quota: what waits goes first
}

void Verdicts::ask(const Verify& v, std::optional<NodeId> from, crypto::Purpose purpose) {
  add(request_of(v.ticket, v.digest, from, purpose), v.signer, v.signature);
}

void Verdicts::ask(const VerifyAll& v, std::optional<NodeId> from, crypto::Purpose purpose) {
  const auto request =
      lists_.open(request_of(v.ticket, v.digest, from, purpose), v.list->signatures.size());
  v.list->for_each([&](NodeId signer, const Signature& s) { add(request, signer, s); });
}

bool Verdicts::are_due() const {
  const auto due = batcher_.due();
  return due && *due <= Loop::now_us();
}

void Verdicts::collect() {
  for (const crypto::VerifyAnswer& answer : batcher_.run()) {
    hooks_.answered(answer);
    if (const auto whole = lists_.settle(answer)) hooks_.judged(whole->ticket, whole->good());
  }
}

}  // namespace thresher::net
