// Key files: Ed25519 in PKCS#8 PEM (RFC 8410), readable by the owner alone.
//
//   auto key = crypto::load_key("node0/node.key");
//   if (!key) std::cerr << key.error().text();
//
// Guarantees: never overwrites; refuses encrypted keys and files that others own or can read.
#pragma once

#include <string>

#include "thresher/core/error.hpp"
#include "thresher/crypto/signing_key.hpp"

namespace thresher::crypto {

/// Writes a new file with mode 0600, whole or not at all, whenever the machine stops, and durable
/// with its name. PATH.unfinished is overwritten meanwhile.
Result<Unit, Error> save_key(const SigningKey& key, const std::string& path);
/// Reads a key, with or without its public half, which has to fit the secret one.
Result<SigningKey, Error> load_key(const std::string& path);

}  // namespace thresher::crypto
