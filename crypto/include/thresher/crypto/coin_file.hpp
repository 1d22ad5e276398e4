// Files for the share of a common coin that one node alone may know.
//
//   auto saved = crypto::save_coin_share(deal.secrets[2], "node2/coin.key");
//   auto secret = crypto::load_coin_share("node2/coin.key");
//
// Guarantees: never overwrites a file; a new one is there whole or not at all, whenever the machine
// stops. It has mode 0600 from its first byte on, and one that group or others can read is refused.
// Does not know whose share it is: compare ristretto_base() of it with the public keys.
#pragma once

#include <string>

#include "thresher/core/error.hpp"
#include "thresher/crypto/dleq_group.hpp"
#include "thresher/crypto/secret.hpp"

namespace thresher::crypto {

/// Writes a new file, durable with its name. PATH.unfinished is overwritten meanwhile.
Result<Unit, Error> save_coin_share(const RistrettoScalar& secret, const std::string& path);
/// The mirror.
Result<Secret<RistrettoScalar>, Error> load_coin_share(const std::string& path);
/// Whether the file is no more than the beginning of a share's, of this one where it is given: so a
/// kill left it before they were made whole.
bool is_part_of_coin_share(const std::string& path, const RistrettoScalar* share = nullptr);
/// Overwrites it with zeros, which no optimizer leaves out.
void wipe(RistrettoScalar& secret);

}  // namespace thresher::crypto
