#include "ledger/fingerprint.hpp"

#include <algorithm>

#include "thresher/core/transcript.hpp"
#include "wire/transactions.hpp"

namespace thresher::net {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;

// a * b mod 2^61 - 1, not fully reduced: below 2^62. Pre: both below 2^62, so the product fits.
std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  const Wide product = Wide{a} * b;
  return static_cast<std::uint64_t>(product & kPrime) + static_cast<std::uint64_t>(product >> 61);
}
std::uint64_t reduced(std::uint64_t v) {
  v = (v & kPrime) + (v >> 61);
  return v >= kPrime ? v - kPrime : v;
}

/// NH of both passes, fed two words at a time.
struct Sums {
  Wide first = 0;
  Wide second = 0;

  void add(std::uint64_t a, std::uint64_t b, const std::uint64_t* key) {
    first += Wide{a + key[0]} * (b + key[1]);
    second += Wide{a + key[2]} * (b + key[3]);
  }
};

// A polynomial that begins with 1, so that its degree counts; the sum goes in as three words.
struct Polynomial {
  std::uint64_t value = 1;

  void add(Wide sum, std::uint64_t point) {
    constexpr std::uint64_t kMask = (std::uint64_t{1} << 60) - 1;
    step(static_cast<std::uint64_t>(sum) & kMask, point);
    step(static_cast<std::uint64_t>(sum >> 60) & kMask, point);
    step(static_cast<std::uint64_t>(sum >> 120), point);
  }
  void step(std::uint64_t word, std::uint64_t point) {
    value = reduced(times(value, point) + word);
  }
};

}  // namespace

Fingerprinter::Fingerprinter(const Digest& secret) {
  std::uint64_t drawn = 0;
  const auto draw = [&] {
    Writer w;
    w.bytes(as_view("thresher/fingerprint/1")).bytes(secret.bytes).u64(drawn++);
    return hash(w.view()).prefix();
  };
  std::generate(key_.begin(), key_.end(), draw);
  std::generate(point_.begin(), point_.end(), [&] { return draw() % kPrime; });
}

Fingerprint Fingerprinter::of(const ClientId& client, std::uint64_t sequence, ByteView data) const {
  Sums sums;
  sums.add(load<std::uint64_t>(client.bytes.data()), load<std::uint64_t>(client.bytes.data() + 8),
           key_.data());
  sums.add(sequence, data.size(), key_.data() + 2);
  Polynomial low;
  Polynomial high;
  std::size_t word = 4;
  const std::byte* at = data.data();
  std::size_t left = data.size();
  while (true) {
    const std::size_t pairs = std::min(left / 16, (kChunkWords - word) / 2);
    for (std::size_t i = 0; i < pairs; ++i, at += 16, word += 2) {
      sums.add(load<std::uint64_t>(at), load<std::uint64_t>(at + 8), key_.data() + word);
    }
    left -= pairs * 16;
    if (word < kChunkWords && left > 0) {  // the rest of the data, with zeros behind it
      std::array<std::byte, 16> tail{};
      std::copy_n(at, left, tail.begin());
      sums.add(load<std::uint64_t>(tail.data()), load<std::uint64_t>(tail.data() + 8),
               key_.data() + word);
      left = 0;
    }
    low.add(sums.first, point_[0]);
    high.add(sums.second, point_[1]);
    if (left == 0) return {low.value, high.value};
    sums = {};
    word = 0;
  }
}

}  // namespace thresher::net
