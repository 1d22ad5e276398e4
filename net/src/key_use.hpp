// Remembers, beside the key and apart from the data, that blocks were signed with it. Private to
// net/.
//
//   if (key_was_used(path, key)) ...   // the data are empty: they were lost
//   if (!note_key_use(path, key)) ...  // before the first signature
//
// Guarantees: a note is durable when note_key_use returns true, and names its key, so that a new
// key in the same place starts afresh. Does not say what was signed: without the data nobody knows.
#pragma once

#include <string>

#include "thresher/core/hash.hpp"

namespace thresher::net {

/// Where the note for the key file `key_path` stands.
std::string key_use_path(const std::string& key_path);
bool key_was_used(const std::string& key_path, const PublicKey& key);
bool note_key_use(const std::string& key_path, const PublicKey& key);

}  // namespace thresher::net
