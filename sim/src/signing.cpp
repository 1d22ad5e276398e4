#include "thresher/sim/signing.hpp"

#include <chrono>
#include <map>
#include <stdexcept>

#include "thresher/core/transcript.hpp"
#include "thresher/crypto/batcher.hpp"
#include "thresher/crypto/list_checks.hpp"
#include "thresher/crypto/signing_key.hpp"

namespace thresher::sim {
namespace {

constexpr std::uint64_t kKeyStream = 0x7369676e;

crypto::SigningKey key_of(std::uint64_t seed, std::uint32_t node) {
  Writer w;
  w.u64(kKeyStream).u64(seed).u32(node);
  return crypto::SigningKey::from_seed(hash(w.view()).bytes);
}

// Decides only which backend is the faster one.
std::uint64_t now_us() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

crypto::Batcher::Backends backends() {
  auto found = crypto::Batcher::backends(crypto::best_verifier(), "rlc", "");
  if (!found) throw std::runtime_error("no verifier of signatures is on this machine");
  return std::move(*found);
}

}  // namespace

struct Signer::Keys {
  std::vector<crypto::SigningKey> secret;
};

Signer::Signer(const Experiment& e) {
  if (e.signatures != Signatures::kReal) return;
  auto keys = std::make_shared<Keys>();
  for (std::uint32_t i = 0; i < e.n; ++i) keys->secret.push_back(key_of(e.seed, i));
  keys_ = std::move(keys);
}

Signature Signer::sign_really(NodeId id, const Digest& digest) const {
  return keys_->secret.at(id.value).sign(digest.bytes);
}

bool MockLists::good(const Digest& digest, const std::shared_ptr<const SignatureList>& list) {
  const auto found = known_.find(list.get());
  if (found != known_.end()) {
    const Known& known = found->second;
    const bool same = !known.list.owner_before(list) && !list.owner_before(known.list);
    if (same && known.digest == digest) return known.good;
  }
  ++looked_through_;
  const bool good =
      list->all([&](NodeId id, const Signature& s) { return mock_signature(id, digest) == s; });
  if (list.use_count() == 0) return good;  // nobody owns it: nothing tells it from another
  if (known_.size() >= kMost) known_.clear();
  known_.insert_or_assign(list.get(), Known{list, digest, good});
  return good;
}

struct SignatureChecks::Impl {
  explicit Impl(const Signer& s) : signer(s), batcher({}, backends(), now_us) {
    std::vector<PublicKey> keys;
    for (const auto& key : signer.keys_->secret) keys.push_back(key.public_key());
    batcher.register_keys(keys);
  }
  void collect() {
    for (const crypto::VerifyAnswer& answer : batcher.run()) {
      const auto whole = lists.settle(answer);
      if (whole) verdicts[{whole->instance, whole->ticket}] = whole->good();
    }
  }
  // What is the same for each signature that a question is about.
  template <class Question>
  static crypto::VerifyRequest request_of(std::uint32_t face, const Question& question) {
    crypto::VerifyRequest request;
    request.instance = face;
    request.ticket = question.ticket;
    request.digest = question.digest;
    return request;
  }
  bool member(NodeId id) const { return id.value < signer.keys_->secret.size(); }
  // Pre: a member.
  void verify(crypto::VerifyRequest request, NodeId id, const Signature& signature) {
    request.sender = id.value;
    request.key = signer.keys_->secret[id.value].public_key();
    request.signature = signature;
    while (!batcher.add(request)) collect();
  }

  Signer signer;
  crypto::Batcher batcher;
  crypto::ListChecks lists;
  std::map<std::pair<std::uint32_t, Ticket>, bool> verdicts;  // by face
};

SignatureChecks::SignatureChecks(const Signer& signer) : impl_(std::make_unique<Impl>(signer)) {}
SignatureChecks::~SignatureChecks() = default;

void SignatureChecks::ask(std::uint32_t face, const Verify& question) {
  if (!impl_->member(question.signer)) {
    impl_->verdicts[{face, question.ticket}] = false;
    return;
  }
  impl_->verify(Impl::request_of(face, question), question.signer, question.signature);
}

void SignatureChecks::ask(std::uint32_t face, const VerifyAll& question) {
  const SignatureList& list = *question.list;
  if (!list.all([this](NodeId id, const Signature&) { return impl_->member(id); })) {
    impl_->verdicts[{face, question.ticket}] = false;
    return;
  }
  const auto request = impl_->lists.open(Impl::request_of(face, question), list.signatures.size());
  list.for_each([&](NodeId id, const Signature& s) { impl_->verify(request, id, s); });
}

bool SignatureChecks::verdict(std::uint32_t face, Ticket ticket) {
  const auto key = std::pair{face, ticket};
  for (;;) {
    const auto found = impl_->verdicts.find(key);
    if (found != impl_->verdicts.end()) {
      const bool ok = found->second;
      impl_->verdicts.erase(found);
      return ok;
    }
    if (impl_->batcher.figures().waiting == 0)
      throw std::logic_error("SignatureChecks::verdict: nobody asked for this one");
    impl_->collect();
  }
}

void SignatureChecks::forget(std::uint32_t face) {
  while (impl_->batcher.figures().waiting != 0) impl_->collect();
  auto& all = impl_->verdicts;
  all.erase(all.lower_bound({face, Ticket{}}), all.lower_bound({face + 1, Ticket{}}));
}

std::vector<Measure> SignatureChecks::measures() const {
  const crypto::BatcherFigures f = impl_->batcher.figures();
  return {{"signatures_verified", static_cast<double>(f.answered)},
          {"signatures_refused", static_cast<double>(f.bad)},
          {"signature_batches", static_cast<double>(f.batches)},
          {"largest_signature_batch", static_cast<double>(f.largest)}};
}

}  // namespace thresher::sim
