#include "thresher/crypto/dleq.hpp"

#include <array>
#include <span>
#include <vector>

#include "ristretto.hpp"
#include "sha512.hpp"
#include "straus.hpp"

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

// A verifier's sums are of public values, so they may take variable time, and then take half of it.
using Multiples = ed25519::Multiples<5>;

/// Empty for bytes that are not an element, and for the identity.
std::optional<Multiples> multiples_of(const RistrettoPoint& bytes) {
  const auto point = ed25519::ristretto_decode(bytes);
  if (!point || bytes == RistrettoPoint{}) return std::nullopt;
  return Multiples(*point);
}

ed25519::Term term(const RistrettoScalar& scalar, const Multiples& point) {
  return {ed25519::wnaf(scalar, 5), point.entries};
}

ed25519::Term base_term(const RistrettoScalar& scalar) {
  static const ed25519::Multiples<8> kBase(ed25519::base_point());
  return {ed25519::wnaf(scalar, 8), kBase.entries};
}

/// Empty for the identity, which no honest proof has.
std::optional<RistrettoPoint> sum_of(std::span<const ed25519::Term> terms) {
  const RistrettoPoint sum = ed25519::ristretto_encode(ed25519::straus_sum(terms));
  return sum == RistrettoPoint{} ? std::nullopt : std::optional(sum);
}

RistrettoScalar product(const RistrettoScalar& a, const RistrettoScalar& b) {
  RistrettoScalar out;
  crypto_core_ristretto255_scalar_mul(raw_bytes(out.data()), raw_bytes(a.data()),
                                      raw_bytes(b.data()));
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
  const WipedAtEnd of_nonce(nonce);
  const auto t2 = ristretto_base(nonce);
  const auto t3 = m ? ristretto_multiply(nonce, *m) : std::nullopt;
  if (!z || !t2 || !t3) return std::nullopt;
  out.proof.challenge = challenge_of(context, std::array{*key, *m, *z, *t2, *t3});
  RistrettoScalar hidden = product(out.proof.challenge, secret);
  const WipedAtEnd of_hidden(hidden);
  crypto_core_ristretto255_scalar_sub(raw_bytes(out.proof.response.data()), raw_bytes(nonce.data()),
                                      raw_bytes(hidden.data()));
  return out;
}

bool verify_dleq(ByteView context, const DleqStatement& statement, const DleqProof& proof) {
  if (context.size() > kMaxDleqContext) return false;
  if (!ristretto_scalar_valid(proof.response) || !ristretto_scalar_valid(proof.challenge))
    return false;
  const auto key = multiples_of(statement.public_key);
  const auto element = multiples_of(statement.element);
  const auto evaluated = multiples_of(statement.evaluated);
  if (!key || !element || !evaluated) return false;
  const RistrettoScalar weight = weight_of(context, statement);
  const auto m = sum_of(std::array{term(weight, *element)});
  const auto z = sum_of(std::array{term(weight, *evaluated)});
  const auto t2 = sum_of(std::array{base_term(proof.response), term(proof.challenge, *key)});
  const auto t3 = sum_of(std::array{term(product(proof.response, weight), *element),
                                    term(product(proof.challenge, weight), *evaluated)});
  if (!m || !z || !t2 || !t3) return false;
  return proof.challenge ==
         challenge_of(context, std::array{statement.public_key, *m, *z, *t2, *t3});
}

}  // namespace thresher::crypto
