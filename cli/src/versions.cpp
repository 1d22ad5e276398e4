#include "versions.hpp"

#include <openssl/crypto.h>
#include <rocksdb/version.h>
#include <sodium.h>

#include "thresher/net/disk_store.hpp"
#include "thresher/net/transport.hpp"

namespace thresher::cli {

std::string versions() {
  return "thresher " THRESHER_VERSION "\nwire format " + std::to_string(net::kWireVersion) +
         ", store format " + std::to_string(net::kStoreVersion) + "\nlibsodium " +
         sodium_version_string() + "\n" + OpenSSL_version(OPENSSL_VERSION) + "\nRocksDB " +
         rocksdb::GetRocksVersionAsString();
}

}  // namespace thresher::cli
