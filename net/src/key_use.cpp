#include "key_use.hpp"

#include <algorithm>
#include <array>
#include <fstream>

#include "thresher/net/synced_file.hpp"

namespace thresher::net {

std::string key_use_path(const std::string& key_path) {
  return key_path + ".used";
}

bool key_was_used(const std::string& key_path, const PublicKey& key) {
  std::ifstream in(key_use_path(key_path), std::ios::binary);
  std::array<char, std::tuple_size_v<PublicKey>> noted{};
  if (!in.read(noted.data(), noted.size())) return false;
  return std::equal(key.begin(), key.end(), noted.begin(),
                    [](std::byte a, char b) { return a == static_cast<std::byte>(b); });
}

bool note_key_use(const std::string& key_path, const PublicKey& key) {
  return write_synced(key_use_path(key_path), key);
}

}  // namespace thresher::net
