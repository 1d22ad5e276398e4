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

Secret<Content> content_of(const RistrettoScalar& secret) {
  Secret<Content> out;
  std::copy(kHead.begin(), kHead.end(), out->begin());
  // The closing zero that it writes is replaced by the line end.
  sodium_bin2hex(out->data() + kHead.size(), kDigits + 1, raw_bytes(secret.data()), secret.size());
  out->back() = '\n';
  return out;
}
std::string_view text_of(const Content& content) {
  return {content.data(), content.size()};
}

}  // namespace

Result<Unit, Error> save_coin_share(const RistrettoScalar& secret, const std::string& path) {
  const Secret<Content> content = content_of(secret);
  return make_secret_file(
      "coin share file", path, text_of(*content),
      "shares are never overwritten: move the old file away or choose another folder");
}

bool is_part_of_coin_share(const std::string& path, const RistrettoScalar* share) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info {};
  if (file.fd < 0 || ::fstat(file.fd, &info) != 0 || !S_ISREG(info.st_mode)) return false;
  Secret<Content> read;
  const ssize_t n = ::read(file.fd, read->data(), read->size());
  if (n < 0 || n >= static_cast<ssize_t>(read->size())) return false;
  const std::string_view part = text_of(*read).substr(0, static_cast<std::size_t>(n));
  if (share != nullptr) return text_of(*content_of(*share)).starts_with(part);
  const std::size_t head = std::min(part.size(), kHead.size());
  const std::string_view digits = part.substr(head);
  return part.substr(0, head) == kHead.substr(0, head) && digits.size() <= kDigits &&
         digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Result<Secret<RistrettoScalar>, Error> load_coin_share(const std::string& path) {
  // A pipe must not hold anybody up until it is seen to be one.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
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
