// The seed that all secrets of a folder follow from: made at its first start, and the same ever
// after. Private to net/.
//
//   const SeedUse use{.purpose = "tosses vrf-coin", .lost = "Put the file back"};
//   if (const auto seed = kept_seed(folder, use, began); !seed) return seed.error();
//
// Guarantees: a seed is on disk when this returns, in the form of a key file, which others cannot
// read, and beside it what shows that it is still the same. A folder that has begun gets no other
// one: its node would say things that do not fit what it said before.
#pragma once

#include <string>

#include "thresher/core/error.hpp"
#include "thresher/crypto/secret.hpp"
#include "thresher/crypto/signing_key.hpp"

namespace thresher::net {

struct SeedUse {
  std::string purpose;                    ///< "makes a new key": a folder has one
  std::string without_purpose = purpose;  ///< that of a mark that names none
  std::string other_purpose{};            ///< what to do where the folder has another
  std::string if_none{};                  ///< and beside that
  std::string lost{};                     ///< what to do where the seed is gone or another one
  bool may_lack_mark = false;             ///< folders of before have none, and get it now
};

/// `began`: the folder has records. kMissing: the seed is gone, kMismatch: it is another one, or
/// that of another purpose; also those of crypto::load_key().
Result<crypto::Secret<crypto::SigningKey::Seed>, Error> kept_seed(const std::string& folder,
                                                                  const SeedUse& use, bool began);

}  // namespace thresher::net
