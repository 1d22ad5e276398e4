// The input says how a batch of signatures is made: honest, with some bytes changed, of small
// order, or raw. All backends must give the verdicts of the portable one.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "samples.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/crypto/signing_key.hpp"
#include "thresher/crypto/verifier.hpp"

namespace {

using namespace thresher;
using namespace thresher::crypto;

/// The input as a stream of bytes that ends in zeros.
class Source {
 public:
  Source(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}
  std::uint8_t byte() {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }
  template <std::size_t N>
  void fill(std::array<std::byte, N>& out, std::size_t from, std::size_t count) {
    for (std::size_t i = from; i < from + count; ++i) out[i] = static_cast<std::byte>(byte());
  }
  std::size_t left() const { return left_; }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

/// y of points of order 1, 2, 4, 8 and of some that are none; signs come from the input.
constexpr std::array<std::array<std::uint8_t, 2>, 6> kSmall{
    {{1, 0}, {0xec, 0xff}, {0, 0}, {0xed, 0xff}, {0xee, 0xff}, {2, 0}}};

template <std::size_t N>
void put_small(std::uint8_t which, std::array<std::byte, N>& out) {
  const auto& [low, rest] = kSmall[which % kSmall.size()];
  out[0] = static_cast<std::byte>(low);
  for (std::size_t i = 1; i < 32; ++i) out[i] = static_cast<std::byte>(rest);
  if (rest != 0) out[31] = std::byte{0x7f};
  if (which >= 128) out[31] |= std::byte{0x80};
}

struct Made {
  std::vector<std::byte> message;
  SignatureJob job;
};

Made make(Source& source, const std::vector<SigningKey>& keys) {
  Made out;
  const std::uint8_t kind = source.byte();
  const SigningKey& key = keys[source.byte() % keys.size()];
  out.message.resize(source.byte() % 130);
  for (std::byte& b : out.message) b = static_cast<std::byte>(source.byte());
  out.job = {key.public_key(), {}, key.sign(out.message)};
  if (kind % 4 == 1) {
    for (int edits = 1 + kind / 64; edits > 0; --edits) {
      const std::uint8_t at = source.byte();
      const auto mask = static_cast<std::byte>(source.byte());
      if (at < 64) out.job.signature[at] ^= mask;
      if (at >= 64 && at < 96) out.job.key[at - 64u] ^= mask;
    }
  }
  if (kind % 4 == 2) {
    if (kind & 4) put_small(source.byte(), out.job.key);
    if (kind & 8) put_small(source.byte(), out.job.signature);
    if (kind & 16) source.fill(out.job.signature, 32, 32);
    if (kind & 32) std::memset(out.job.signature.data() + 32, 0, 32);
  }
  if (kind % 4 == 3) {
    source.fill(out.job.key, 0, 32);
    source.fill(out.job.signature, 0, 64);
  }
  return out;
}

}  // namespace

// No text: any bytes say how to make a batch.
std::vector<std::string> fuzz_samples() {
  Prng random(3);
  std::vector<std::string> out(16, std::string(400, ' '));
  for (std::string& sample : out) {
    for (char& c : sample) c = static_cast<char>(random.below(256));
  }
  return out;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto keys = [] {
    std::vector<SigningKey> out;
    for (std::uint8_t i = 0; i < 5; ++i) {
      out.push_back(SigningKey::from_seed({static_cast<std::byte>(i)}));
    }
    return out;
  }();
  static const auto backends = [] {
    std::vector<std::unique_ptr<BatchVerifier>> out;
    out.push_back(make_verifier("portable"));
    for (const std::string_view name : available_verifiers()) {
      if (name == "portable" || name == "sodium") continue;
      out.push_back(make_verifier(name));
      const std::vector<PublicKey> registered{keys[0].public_key(), keys[1].public_key()};
      out.back()->register_keys(registered);
    }
    return out;
  }();
  Source source(data, size);
  // Mostly short ones; long enough for combinations now and then.
  const std::uint8_t length = source.byte();
  const std::size_t count = length < 192 ? 1u + length % 12 : 33u + length % 64;
  std::vector<Made> made;
  for (std::size_t i = 0; i < count; ++i) made.push_back(make(source, keys));
  std::vector<SignatureJob> jobs;
  for (Made& m : made) {
    m.job.message = m.message;
    jobs.push_back(m.job);
  }
  std::vector<SignatureStatus> wanted(count, SignatureStatus::kUnavailable);
  backends[0]->verify(jobs, wanted);
  for (const auto& backend : backends) {
    std::vector<SignatureStatus> got(count, SignatureStatus::kUnavailable);
    backend->verify(jobs, got);
    for (std::size_t i = 0; i < count; ++i) {
      if (got[i] == wanted[i]) continue;
      std::fprintf(stderr, "%s says %d and portable %d about signature %zu of %zu\n",
                   std::string(backend->name()).c_str(), static_cast<int>(got[i]),
                   static_cast<int>(wanted[i]), i, count);
      std::abort();
    }
  }
  return 0;
}
