#include "thresher/crypto/key_file.hpp"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "secret_file.hpp"

namespace thresher::crypto {
namespace {

struct Free {
  void operator()(EVP_PKEY* k) const { EVP_PKEY_free(k); }
  void operator()(std::FILE* f) const { (void)std::fclose(f); }
};
using Key = std::unique_ptr<EVP_PKEY, Free>;
using File = std::unique_ptr<std::FILE, Free>;

struct Der {
  unsigned char* bytes = nullptr;
  long size = 0;
  Der() = default;
  Der(const Der&) = delete;
  Der& operator=(const Der&) = delete;
  ~Der() {
    if (bytes != nullptr) OPENSSL_clear_free(bytes, static_cast<std::size_t>(size));
  }
};

/// The bytes of a "PRIVATE KEY" block; empty when there is none.
void read_der(std::FILE* file, Der& out) {
  char* name = nullptr;
  char* header = nullptr;
  if (PEM_read(file, &name, &header, &out.bytes, &out.size) == 1 &&
      std::strcmp(name, PEM_STRING_PKCS8INF) != 0) {
    OPENSSL_clear_free(std::exchange(out.bytes, nullptr), static_cast<std::size_t>(out.size));
    out.size = 0;
  }
  OPENSSL_free(name);
  OPENSSL_free(header);
}

/// Version 2 of the format, with the public half (RFC 8410, 7; RFC 5958), which OpenSSL 3.0 does
/// not read. DER: this key kind has one encoding.
struct KeyPair {
  SigningKey::Seed seed;
  PublicKey public_half;
};
std::optional<KeyPair> read_pair(const Der& der) {
  constexpr unsigned char kHead[] = {0x30, 0x51, 0x02, 0x01, 0x01, 0x30, 0x05, 0x06,
                                     0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20};
  constexpr unsigned char kMiddle[] = {0x81, 0x21, 0x00};
  constexpr std::size_t kPublic = sizeof kHead + 32 + sizeof kMiddle;
  if (der.size != static_cast<long>(kPublic + 32)) return std::nullopt;
  if (std::memcmp(der.bytes, kHead, sizeof kHead) != 0) return std::nullopt;
  if (std::memcmp(der.bytes + sizeof kHead + 32, kMiddle, sizeof kMiddle) != 0) return std::nullopt;
  KeyPair out;
  std::memcpy(out.seed.data(), der.bytes + sizeof kHead, 32);
  std::memcpy(out.public_half.data(), der.bytes + kPublic, 32);
  return out;
}

}  // namespace

Result<Unit, std::string> save_key(const SigningKey& key, const std::string& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) {
    return system_error("cannot create key file", path) +
           "; keys are never overwritten: move the old file away or choose another path";
  }
  const File file(::fdopen(fd, "w"));
  const Key pkey(EVP_PKEY_new_raw_private_key(
      EVP_PKEY_ED25519, nullptr, reinterpret_cast<const unsigned char*>(key.seed().data()),
      key.seed().size()));
  const bool ok = file && pkey &&
                  PEM_write_PKCS8PrivateKey(file.get(), pkey.get(), nullptr, nullptr, 0, nullptr,
                                            nullptr) == 1 &&
                  std::fflush(file.get()) == 0 && ::fsync(fd) == 0;
  if (!ok) return system_error("cannot write key file", path) + "; is the disk full?";
  return Unit{};
}

Result<SigningKey, std::string> load_key(const std::string& path) {
  const File file(std::fopen(path.c_str(), "re"));
  if (!file) {
    return system_error("cannot open key file", path) + "; make one with: thresher keys new " +
           path;
  }
  const std::string why = secret_file_problem(::fileno(file.get()), "key file", path, "a key");
  if (!why.empty()) return why;
  Der der;
  read_der(file.get(), der);
  if (const auto pair = read_pair(der)) {
    SigningKey key = SigningKey::from_seed(pair->seed);
    if (key.public_key() != pair->public_half) {
      return "key file '" + path +
             "' holds a public half that is not of its secret half: somebody changed one of them; "
             "restore it from a backup";
    }
    return key;
  }
  std::rewind(file.get());
  const Key pkey(PEM_read_PrivateKey(file.get(), nullptr, nullptr, nullptr));
  if (!pkey) {
    return "key file '" + path +
           "' is not a PKCS#8 PEM private key or is truncated; restore it from a backup";
  }
  SigningKey::Seed seed;
  std::size_t size = seed.size();
  if (EVP_PKEY_id(pkey.get()) != EVP_PKEY_ED25519 ||
      EVP_PKEY_get_raw_private_key(pkey.get(), reinterpret_cast<unsigned char*>(seed.data()),
                                   &size) != 1 ||
      size != seed.size()) {
    return "key file '" + path + "' holds another kind of key; a node needs an Ed25519 key";
  }
  return SigningKey::from_seed(seed);
}

}  // namespace thresher::crypto
