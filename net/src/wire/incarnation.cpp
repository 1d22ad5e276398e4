#include "thresher/net/incarnation.hpp"

#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "wire/signed_digest.hpp"

namespace thresher::net {
namespace {

Digest digest_of(const char* label, const Digest& chain, const Incarnation& i) {
  Transcript t(label, {chain, 0});
  t.u64(i.count).bytes(i.nonce);
  return t.digest();
}

constexpr const char* kHelloLabel = "thresher/incarnation/1";
constexpr const char* kStartedLabel = "thresher/started/1";

}  // namespace

std::array<std::byte, 16> random_nonce() {
  std::array<std::byte, 16> out{};
  if (::getentropy(out.data(), out.size()) != 0) {
    throw std::system_error(errno, std::generic_category(), "no random bytes from the system");
  }
  return out;
}

Incarnation signed_incarnation(const crypto::SigningKey& key, const Digest& chain,
                               Incarnation incarnation) {
  incarnation.signature = key.sign(digest_of(kHelloLabel, chain, incarnation).bytes);
  return incarnation;
}

bool signed_with(const PublicKey& key, const Digest& chain, const Incarnation& incarnation) {
  return signs_digest(key, digest_of(kHelloLabel, chain, incarnation), incarnation.signature);
}

Incarnation started_incarnation(const crypto::SigningKey& key, const Digest& chain,
                                Incarnation incarnation) {
  incarnation.signature = key.sign(digest_of(kStartedLabel, chain, incarnation).bytes);
  return incarnation;
}

bool started_with(const PublicKey& key, const Digest& chain, const Incarnation& incarnation) {
  return signs_digest(key, digest_of(kStartedLabel, chain, incarnation), incarnation.signature);
}

}  // namespace thresher::net
