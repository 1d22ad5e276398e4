#include "thresher/crypto/key_file.hpp"

#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <sodium.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>

#include "secret_file.hpp"
#include "thresher/crypto/secret.hpp"

namespace thresher::crypto {
namespace {

struct Free {
  void operator()(EVP_PKEY* k) const { EVP_PKEY_free(k); }
  void operator()(BIO* b) const { (void)BIO_free(b); }
};
using Key = std::unique_ptr<EVP_PKEY, Free>;

/// Bytes of a file or of what it encodes, guarded like a Secret, and of any size.
class Guarded {
 public:
  explicit Guarded(std::size_t size) : size_(size) {
    if (sodium_init() < 0) std::abort();
    bytes_ = static_cast<unsigned char*>(sodium_malloc(size));
    if (bytes_ == nullptr) std::abort();
  }
  ~Guarded() { sodium_free(bytes_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  unsigned char* data() { return bytes_; }
  const unsigned char* data() const { return bytes_; }
  std::size_t capacity() const { return size_; }
  std::size_t used = 0;
  std::string_view text() const { return {reinterpret_cast<const char*>(bytes_), used}; }

 private:
  std::size_t size_;
  unsigned char* bytes_ = nullptr;
};

/// What is read of a file; a key takes a hundredth of it.
constexpr std::size_t kMostBytes = 16 * 1024;

/// False when it cannot be read, or is too large.
bool read_all(int fd, Guarded& out) {
  while (out.used < out.capacity()) {
    const ssize_t n = ::read(fd, out.data() + out.used, out.capacity() - out.used);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n == 0;
    out.used += static_cast<std::size_t>(n);
  }
  return false;
}

/// The bytes of the first "PRIVATE KEY" block; none when there is no whole one. OpenSSL reads PEM
/// too, but leaves its copies of the text and of the bytes in memory that it does not wipe.
void decode_block(const Guarded& file, Guarded& out) {
  constexpr std::string_view kBegin = "-----BEGIN " PEM_STRING_PKCS8INF "-----";
  constexpr std::string_view kEnd = "-----END " PEM_STRING_PKCS8INF "-----";
  const std::size_t begin = file.text().find(kBegin);
  const std::size_t end = file.text().find(kEnd);
  if (begin == std::string_view::npos || end == std::string_view::npos) return;
  if (end < begin + kBegin.size()) return;
  const std::string_view body =
      file.text().substr(begin + kBegin.size(), end - begin - kBegin.size());
  if (sodium_base642bin(out.data(), out.capacity(), body.data(), body.size(), "\r\n\t ", &out.used,
                        nullptr, sodium_base64_VARIANT_ORIGINAL) != 0) {
    out.used = 0;
  }
}

/// DER: this kind of key has one encoding in each version of the format (RFC 8410, 7; RFC 5958).
constexpr std::array<unsigned char, 16> kHead{0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06,
                                              0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20};
/// Version 2 has the public half behind, which OpenSSL 3.0 does not read.
constexpr std::array<unsigned char, 16> kPairHead{0x30, 0x51, 0x02, 0x01, 0x01, 0x30, 0x05, 0x06,
                                                  0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20};
constexpr std::array<unsigned char, 3> kPairMiddle{0x81, 0x21, 0x00};
constexpr std::size_t kSeed = sizeof(SigningKey::Seed);

template <std::size_t N>
bool stands(const Guarded& der, std::size_t at, const std::array<unsigned char, N>& bytes) {
  return at + N <= der.used && std::equal(bytes.begin(), bytes.end(), der.data() + at);
}

SigningKey key_at(const Guarded& der, std::size_t at) {
  Secret<SigningKey::Seed> seed;
  std::memcpy(seed->data(), der.data() + at, kSeed);
  return SigningKey::from_seed(*seed);
}

constexpr const char* kFromBackup = "restore it from a backup";

/// Whatever else OpenSSL takes for a key. Its copies of the file are not guarded.
Result<SigningKey, Error> read_otherwise(const Guarded& file, const std::string& path) {
  const std::string named = "key file '" + path + "' ";
  const std::unique_ptr<BIO, Free> text(BIO_new_mem_buf(file.data(), static_cast<int>(file.used)));
  // Without a callback of ours OpenSSL asks for a passphrase on the terminal.
  const auto no_passphrase = [](char*, int, int, void*) { return -1; };
  const Key pkey(PEM_read_bio_PrivateKey(text.get(), nullptr, no_passphrase, nullptr));
  const bool encrypted =
      file.text().find("-----BEGIN ENCRYPTED PRIVATE KEY") != std::string_view::npos ||
      file.text().find("Proc-Type: 4,ENCRYPTED") != std::string_view::npos;
  if (!pkey && encrypted) {
    return Error{ErrorCode::kUnsupported,
                 named +
                     "is encrypted, and a node that starts by itself has nobody to ask for the "
                     "passphrase",
                 path, "decrypt it with: openssl pkey -in " + path + " -out NEW-FILE"};
  }
  if (!pkey) {
    return Error{ErrorCode::kMalformed, named + "is not a PKCS#8 PEM private key or is truncated",
                 path, kFromBackup};
  }
  Secret<SigningKey::Seed> seed;
  std::size_t size = seed->size();
  if (EVP_PKEY_id(pkey.get()) != EVP_PKEY_ED25519 ||
      EVP_PKEY_get_raw_private_key(pkey.get(), reinterpret_cast<unsigned char*>(seed->data()),
                                   &size) != 1 ||
      size != seed->size()) {
    return Error{ErrorCode::kUnsupported, named + "holds another kind of key", path,
                 "a node needs an Ed25519 key"};
  }
  return SigningKey::from_seed(*seed);
}

}  // namespace

// As OpenSSL writes it, which would leave copies of the seed in memory that it does not wipe.
Result<Unit, Error> save_key(const SigningKey& key, const std::string& path) {
  constexpr std::string_view kBegin = "-----BEGIN " PEM_STRING_PKCS8INF "-----\n";
  constexpr std::string_view kEnd = "\n-----END " PEM_STRING_PKCS8INF "-----\n";
  constexpr std::size_t kBytes = kHead.size() + kSeed;
  constexpr std::size_t kLine = kBytes / 3 * 4;
  static_assert(kBytes % 3 == 0 && kLine == 64, "one line of PEM");
  Secret<std::array<unsigned char, kBytes>> der;
  std::copy(kHead.begin(), kHead.end(), der->begin());
  std::memcpy(der->data() + kHead.size(), key.seed().data(), kSeed);
  Secret<std::array<char, kBegin.size() + kLine + kEnd.size()>> content;
  std::copy(kBegin.begin(), kBegin.end(), content->begin());
  // The closing zero that it writes is overwritten by what follows.
  sodium_bin2base64(content->data() + kBegin.size(), kLine + 1, der->data(), der->size(),
                    sodium_base64_VARIANT_ORIGINAL);
  std::copy(kEnd.begin(), kEnd.end(), content->begin() + kBegin.size() + kLine);
  return make_secret_file(
      "key file", path, {content->data(), content->size()},
      "keys are never overwritten: move the old file away or choose another path");
}

Result<SigningKey, Error> load_key(const std::string& path) {
  guard_openssl_keys();
  // A pipe must not hold anybody up until it is seen to be one.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    return system_error(
        "cannot open key file", path,
        "put it back, or, for a member that has none yet, make one with: thresher keys new " +
            path);
  }
  std::optional<Error> why = secret_file_problem(fd, "key file", path, "a key");
  Guarded file(kMostBytes);
  if (!why && !read_all(fd, file) && file.used < file.capacity()) {
    why = system_error("cannot read key file", path, "check the disk");
  }
  ::close(fd);
  if (why) return *why;
  Guarded der(kMostBytes);
  decode_block(file, der);
  if (der.used == kHead.size() + kSeed && stands(der, 0, kHead)) return key_at(der, kHead.size());
  const std::size_t middle = kPairHead.size() + kSeed;
  const std::size_t half = middle + kPairMiddle.size();
  if (der.used != half + sizeof(PublicKey) || !stands(der, 0, kPairHead) ||
      !stands(der, middle, kPairMiddle)) {
    return read_otherwise(file, path);
  }
  SigningKey key = key_at(der, kPairHead.size());
  PublicKey public_half;
  std::memcpy(public_half.data(), der.data() + half, public_half.size());
  if (key.public_key() == public_half) return key;
  return Error{ErrorCode::kCorrupt,
               "key file '" + path +
                   "' holds a public half that is not of its secret half: somebody changed one of "
                   "them",
               path, kFromBackup};
}

}  // namespace thresher::crypto
