// SHA-512 of several pieces in a row, for the proofs whose papers hash concatenations.
//
//   Sha512 h = sha512({suite, key, message});
//
// Guarantees: the same as hashing one buffer that holds all pieces, and leaves nothing of them
// behind: some are secret. Does not frame them: callers write lengths where the pieces could shift
// against each other. Private to crypto/.
#pragma once

#include <sodium.h>

#include <array>
#include <cstring>
#include <initializer_list>

#include "thresher/crypto/sha512.hpp"

namespace thresher::crypto {

inline unsigned char* raw_bytes(std::byte* p) {
  return reinterpret_cast<unsigned char*>(p);
}
inline const unsigned char* raw_bytes(const std::byte* p) {
  return reinterpret_cast<const unsigned char*>(p);
}

/// Overwrites an array with zeros when it goes out of scope, whichever way, as no optimizer does.
template <class Array>
class WipedAtEnd {
 public:
  explicit WipedAtEnd(Array& secret) : secret_(secret) {}
  ~WipedAtEnd() { sodium_memzero(secret_.data(), sizeof(Array)); }
  WipedAtEnd(const WipedAtEnd&) = delete;
  WipedAtEnd& operator=(const WipedAtEnd&) = delete;

 private:
  Array& secret_;
};

inline Sha512 sha512(std::initializer_list<ByteView> pieces) {
  crypto_hash_sha512_state state;
  crypto_hash_sha512_init(&state);
  for (const ByteView piece : pieces) {
    crypto_hash_sha512_update(&state, raw_bytes(piece.data()), piece.size());
  }
  Sha512 out;
  crypto_hash_sha512_final(&state, raw_bytes(out.data()));
  sodium_memzero(&state, sizeof state);
  return out;
}

}  // namespace thresher::crypto
