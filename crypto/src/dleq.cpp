#include "thresher/crypto/dleq.hpp"

#include <vector>

#include "sha512.hpp"

namespace thresher::crypto {
namespace {

using Buffer = std::vector<std::byte>;

void append(Buffer& out, ByteView bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

void append_number(Buffer& out, std::size_t value) {
  out.push_back(static_cast<std::byte>(value >> 8));
  out.push_back(static_cast<std::byte>(value));
}

/// Two bytes of length, then the bytes.
void append_framed(Buffer& out, ByteView bytes) {
  append_number(out, bytes.size());
  append(out, bytes);
}

Buffer tag_of(std::string_view prefix, ByteView context) {
  Buffer out;
  append(out, as_view(prefix));
  append(out, context);
  return out;
}

/// RFC 9380, 5.3.1 with SHA-512 and 64 bytes of output (one block), reduced modulo the order.
RistrettoScalar hash_to_scalar(ByteView message, ByteView context,
                               std::string_view prefix = "HashToScalar-") {
  Buffer tag = tag_of(prefix, context);
  tag.push_back(static_cast<std::byte>(tag.size()));
  constexpr std::array<std::byte, 128> kPad{};
  constexpr std::array kLength{std::byte{0}, std::byte{64}, std::byte{0}};
  constexpr std::array kFirst{std::byte{1}};
  Sha512 seed = sha512({kPad, message, kLength, tag});
  Sha512 uniform = sha512({seed, kFirst, tag});
  RistrettoScalar out;
  crypto_core_ristretto255_scalar_reduce(raw_bytes(out.data()), raw_bytes(uniform.data()));
  // For a nonce both are as secret as the key: with it, a response gives the key away.
  sodium_memzero(uniform.data(), uniform.size());
  sodium_memzero(seed.data(), seed.size());
  return out;
}

/// The weight d of RFC 9497, 2.2.1: the hash of the whole statement.
RistrettoScalar weight_of(ByteView context, const DleqStatement& statement) {
  Buffer head;
  append_framed(head, statement.public_key);
  append_framed(head, tag_of("Seed-", context));
  const Sha512 seed = sha512({head});
  Buffer transcript;
  append_framed(transcript, seed);
  append_number(transcript, 0);
  append_framed(transcript, statement.element);
  append_framed(transcript, statement.evaluated);
  append(transcript, as_view("Composite"));
  return hash_to_scalar(transcript, context);
}

RistrettoScalar challenge_of(ByteView context, std::span<const RistrettoPoint, 5> points) {
  Buffer transcript;
  for (const RistrettoPoint& point : points) append_framed(transcript, point);
  append(transcript, as_view("Challenge"));
  return hash_to_scalar(transcript, context);
}

/// Never shared between two contexts, keys or elements: a nonce used twice gives the secret away.
RistrettoScalar nonce_of(ByteView context, const RistrettoScalar& secret,
                         const DleqStatement& statement) {
  Buffer transcript;
  transcript.reserve(128);  // no growth, so no copy of the secret is left behind
  append_framed(transcript, secret);
  append_framed(transcript, statement.public_key);
  append_framed(transcript, statement.element);
  const RistrettoScalar out = hash_to_scalar(transcript, context, "DleqNonce-");
  sodium_memzero(transcript.data(), transcript.size());
  return out;
}

}  // namespace

std::optional<DleqEvaluation> prove_dleq(ByteView context, const RistrettoScalar& secret,
                                         const RistrettoPoint& element) {
  if (context.size() > kMaxDleqContext) return std::nullopt;
  const auto key = ristretto_base(secret);
  const auto evaluated = ristretto_multiply(secret, element);
  if (!key || !evaluated) return std::nullopt;
  DleqEvaluation out{{*key, element, *evaluated}, {}};
  const RistrettoScalar weight = weight_of(context, out.statement);
  const auto m = ristretto_multiply(weight, element);
  const auto z = ristretto_multiply(weight, *evaluated);
  RistrettoScalar nonce = nonce_of(context, secret, out.statement);
  const auto t2 = ristretto_base(nonce);
  const auto t3 = m ? ristretto_multiply(nonce, *m) : std::nullopt;
  if (!z || !t2 || !t3) return std::nullopt;
  out.proof.challenge = challenge_of(context, std::array{*key, *m, *z, *t2, *t3});
  RistrettoScalar product;
  crypto_core_ristretto255_scalar_mul(
      raw_bytes(product.data()), raw_bytes(out.proof.challenge.data()), raw_bytes(secret.data()));
  crypto_core_ristretto255_scalar_sub(raw_bytes(out.proof.response.data()), raw_bytes(nonce.data()),
                                      raw_bytes(product.data()));
  sodium_memzero(nonce.data(), nonce.size());
  sodium_memzero(product.data(), product.size());
  return out;
}

bool verify_dleq(ByteView context, const DleqStatement& statement, const DleqProof& proof) {
  if (context.size() > kMaxDleqContext) return false;
  if (!ristretto_valid(statement.public_key)) return false;
  const RistrettoScalar weight = weight_of(context, statement);
  const auto m = ristretto_multiply(weight, statement.element);
  const auto z = ristretto_multiply(weight, statement.evaluated);
  if (!m || !z) return false;
  const auto sg = ristretto_base(proof.response);
  const auto sm = ristretto_multiply(proof.response, *m);
  const auto cb = ristretto_multiply(proof.challenge, statement.public_key);
  const auto cz = ristretto_multiply(proof.challenge, *z);
  if (!sg || !sm || !cb || !cz) return false;
  const auto t2 = ristretto_add(*sg, *cb);
  const auto t3 = ristretto_add(*sm, *cz);
  if (!t2 || !t3) return false;
  return proof.challenge ==
         challenge_of(context, std::array{statement.public_key, *m, *z, *t2, *t3});
}

}  // namespace thresher::crypto
