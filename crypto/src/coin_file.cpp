#include "thresher/crypto/coin_file.hpp"

#include <fcntl.h>
#include <sodium.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "secret_file.hpp"
#include "sha512.hpp"

namespace thresher::crypto {
namespace {

constexpr std::string_view kHead = "thresher-coin-share 1\n";
constexpr std::size_t kDigits = 2 * sizeof(RistrettoScalar);
/// The head, the number in hexadecimal, a line end.
using Content = std::array<char, kHead.size() + kDigits + 1>;

// Closes when it goes.
struct File {
  int fd;
  explicit File(int descriptor) : fd(descriptor) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (fd >= 0) ::close(fd);
  }
};

}  // namespace

Result<Unit, Error> save_coin_share(const RistrettoScalar& secret, const std::string& path) {
  const File file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file.fd < 0) {
    return system_error(
        "cannot create coin share file", path,
        "shares are never overwritten: move the old file away or choose another folder");
  }
  Secret<Content> content;
  std::copy(kHead.begin(), kHead.end(), content->begin());
  // The closing zero that it writes is replaced by the line end.
  sodium_bin2hex(content->data() + kHead.size(), kDigits + 1, raw_bytes(secret.data()),
                 secret.size());
  content->back() = '\n';
  const auto size = static_cast<ssize_t>(content->size());
  if (::write(file.fd, content->data(), content->size()) != size || ::fsync(file.fd) != 0) {
    return half_written("cannot write coin share file", path);
  }
  return Unit{};
}

Result<Secret<RistrettoScalar>, Error> load_coin_share(const std::string& path) {
  // A pipe must not hold anybody up until it is seen to be one.
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.fd < 0) {
    return system_error(
        "cannot open coin share file", path,
        "this protocol tosses coins, and each node has a share, which thresher dkg makes or the "
        "dealer of the network (thresher testnet init --dealer) wrote: copy this node's there");
  }
  if (auto why = secret_file_problem(file.fd, "coin share file", path, "a share")) return *why;
  Secret<Content> content;
  Secret<RistrettoScalar> out;
  const char* const digits = content->data() + kHead.size();
  std::size_t decoded = 0;
  const auto size = static_cast<ssize_t>(content->size());
  char beyond = 0;
  const bool read =
      ::read(file.fd, content->data(), content->size()) == size && ::read(file.fd, &beyond, 1) == 0;
  const bool good = read && std::string_view(content->data(), kHead.size()) == kHead &&
                    content->back() == '\n' &&
                    sodium_hex2bin(raw_bytes(out->data()), out->size(), digits, kDigits, nullptr,
                                   &decoded, nullptr) == 0 &&
                    decoded == out->size() && ristretto_scalar_valid(*out);
  if (!good) {
    return Error{ErrorCode::kMalformed, "coin share file '" + path + "' is malformed or truncated",
                 path, "restore it from a backup, or deal a new coin in the next epoch"};
  }
  return out;
}

void wipe(RistrettoScalar& secret) {
  sodium_memzero(secret.data(), secret.size());
}

}  // namespace thresher::crypto
