#include "combining.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "../edwards.hpp"
#include "../scalar.hpp"
#include "tables.hpp"
#include "wide_sum.hpp"

namespace thresher::crypto::lanes {
namespace {

using ed25519::Extended;

/// Below this many, the doublings are not shared by enough terms to win.
constexpr std::size_t kLeast = 32;
/// Signatures of one combination: above it nothing is gained, and a bad one costs more.
constexpr std::size_t kMost = 4096;
/// From so many terms on, buckets beat windows.
constexpr std::size_t kBucketTerms = 256;
/// Terms of one kind that share the doublings of one Straus sum, a lane: tables of more would leave
/// the second-level cache.
constexpr std::size_t kStrausRounds = 16;
/// With one bad signature in kManyBad combining is slower than checking one by one, as is done with
/// the next kWaryBatches batches then.
constexpr std::size_t kManyBad = 600;
constexpr int kWaryBatches = 16;

Extended point_of(const PointLimbs& p) {
  Extended out;
  ed25519::Fe* parts[4] = {&out.x, &out.y, &out.z, &out.t};
  for (std::size_t k = 0; k < 4; ++k) {
    for (std::size_t i = 0; i < 5; ++i) parts[k]->limb[i] = p.limb[5 * k + i];
  }
  return out;
}
Extended plus(const Extended& a, const Extended& b) {
  return ed25519::to_extended(ed25519::add(a, ed25519::to_cached(b)));
}
Extended without(const Extended& a, const Extended& b) {
  return ed25519::to_extended(ed25519::sub(a, ed25519::to_cached(b)));
}
Extended nothing() {
  return {ed25519::kZero, ed25519::kOne, ed25519::kOne, ed25519::kZero};
}

/// Keys of a batch, numbered as they come.
class KeyNumbers {
 public:
  explicit KeyNumbers(std::size_t most) {
    while (slots_.size() < 2 * most) slots_.resize(std::max<std::size_t>(16, 2 * slots_.size()), 0);
    randombytes_buf(seed_.data(), seed_.size());
  }
  std::uint32_t number(const PublicKey& key) {
    std::uint64_t hash = 0;
    crypto_shorthash(reinterpret_cast<unsigned char*>(&hash),
                     reinterpret_cast<const unsigned char*>(key.data()), key.size(), seed_.data());
    std::size_t at = hash & (slots_.size() - 1);
    while (slots_[at] != 0 && keys_[slots_[at] - 1] != key) at = (at + 1) & (slots_.size() - 1);
    if (slots_[at] == 0) {
      keys_.push_back(key);
      slots_[at] = static_cast<std::uint32_t>(keys_.size());
    }
    return slots_[at] - 1;
  }
  const std::vector<PublicKey>& keys() const { return keys_; }

 private:
  std::vector<std::uint32_t> slots_;  // number + 1; 0: empty
  std::vector<PublicKey> keys_;
  std::array<unsigned char, crypto_shorthash_KEYBYTES> seed_;
};

/// One batch: points, challenges and coefficients are computed once, however often it is halved.
class Combination {
 public:
  Combination(const Engine& engine, SumMethod method, const Individual& individual,
              std::span<const SignatureJob> jobs, std::span<SignatureStatus> verdicts)
      : engine_(engine),
        method_(method),
        individual_(individual),
        jobs_(jobs),
        verdicts_(verdicts),
        numbers_(jobs.size()) {}

  void settle(std::span<const Coefficient> coefficients) {
    decode(coefficients);
    // Finding one bad signature takes halves of as many terms as the whole; more than one or two
    // are faster found one by one.
    budget_ = entries_.size();
    if (entries_.size() < kLeast) return one_by_one(0, entries_.size());
    settle(0, entries_.size(), sum(0, entries_.size()));
  }

 private:
  struct Entry {
    std::size_t job;
    std::uint32_t key;
    Scalar s, k;
    Coefficient z;
    Niels r;  // minus R
    std::int8_t digits[kHalfDigits];
  };

  // Signatures that can be judged without the equation are, and leave the batch.
  void decode(std::span<const Coefficient> coefficients) {
    std::vector<Scalar> k(jobs_.size());
    ed25519::challenges(jobs_, k);
    entries_.reserve(jobs_.size());
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      verdicts_[i] = SignatureStatus::kBadSignature;
      const Scalar s = scalar_of(jobs_[i]);
      if (!ed25519::below_order(s)) continue;
      Entry& e = entries_.emplace_back();
      e.job = i;
      e.s = s;
      e.k = k[i];
      e.z = coefficients[i];
      e.z.digits(e.digits);
    }
    std::vector<bool> good(entries_.size());
    decode_all(
        entries_.size(), [&](std::size_t i) { return jobs_[entries_[i].job].signature.data(); },
        [&](std::size_t i, const Niels& p, bool ok) {
          entries_[i].r = p;
          good[i] = ok;
        });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (!good[i]) continue;
      entries_[i].key = numbers_.number(jobs_[entries_[i].job].key);
      if (kept != i) entries_[kept] = entries_[i];
      ++kept;
    }
    entries_.resize(kept);
    drop_bad_keys();
  }
  void drop_bad_keys() {
    const auto& keys = numbers_.keys();
    keys_.resize(keys.size());
    std::vector<bool> good(keys.size());
    decode_all(
        keys.size(), [&](std::size_t i) { return keys[i].data(); },
        [&](std::size_t i, const Niels& p, bool ok) {
          keys_[i] = p;
          good[i] = ok;
        });
    std::erase_if(entries_, [&](const Entry& e) {
      if (!good[e.key]) verdicts_[e.job] = SignatureStatus::kBadKey;
      return !good[e.key];
    });
  }
  template <class Encoding, class Take>
  void decode_all(std::size_t count, Encoding encoding, Take take) const {
    const auto lanes = static_cast<std::size_t>(engine_.lanes);
    for (std::size_t at = 0; at < count; at += lanes) {
      const std::size_t some = std::min(lanes, count - at);
      const unsigned char* bytes[kMaxLanes];
      for (std::size_t i = 0; i < some; ++i) {
        bytes[i] = reinterpret_cast<const unsigned char*>(encoding(at + i));
      }
      Niels points[kMaxLanes];
      const std::uint32_t good = engine_.decode(bytes, static_cast<int>(some), points);
      for (std::size_t i = 0; i < some; ++i) take(at + i, points[i], (good >> i & 1) != 0);
    }
  }

  // The left half is summed, the right one is what is left of the whole.
  void settle(std::size_t begin, std::size_t end, const Extended& total) {
    if (ed25519::times_eight_is_identity(total)) {
      for (std::size_t i = begin; i < end; ++i)
        verdicts_[entries_[i].job] = SignatureStatus::kValid;
      return;
    }
    const std::size_t half = (end - begin) / 2;
    if (half < kLeast || half > budget_) return one_by_one(begin, end);
    budget_ -= half;
    const Extended left = sum(begin, begin + half);
    settle(begin, begin + half, left);
    settle(begin + half, end, without(total, left));
  }

  void one_by_one(std::size_t begin, std::size_t end) {
    std::vector<SignatureJob> jobs;
    std::vector<Scalar> k;
    for (std::size_t i = begin; i < end; ++i) {
      jobs.push_back(jobs_[entries_[i].job]);
      k.push_back(entries_[i].k);
    }
    std::vector<SignatureStatus> verdicts(jobs.size());
    individual_.verify_challenged(jobs, k, verdicts);
    for (std::size_t i = begin; i < end; ++i) verdicts_[entries_[i].job] = verdicts[i - begin];
  }

  // z (s B - R - k A) over a range: terms of one key are one term, and so are those of B.
  Extended sum(std::size_t begin, std::size_t end) const {
    std::vector<std::uint32_t> place(keys_.size(), UINT32_MAX);
    std::vector<std::uint32_t> used;
    std::vector<WideSum> scalars;
    std::vector<Term> halves;
    WideSum base;
    scalars.reserve(std::min(keys_.size(), end - begin));
    halves.reserve(end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      const Entry& e = entries_[i];
      if (place[e.key] == UINT32_MAX) {
        place[e.key] = static_cast<std::uint32_t>(used.size());
        used.push_back(e.key);
        scalars.emplace_back();
      }
      scalars[place[e.key]].add(e.z, e.k);
      base.add(e.z, e.s);
      halves.push_back({&e.r, e.digits});
    }
    std::vector<Term> wholes;
    std::vector<std::array<std::int8_t, kWholeDigits>> digits(used.size() + 1);
    wholes.reserve(digits.size());
    for (std::size_t i = 0; i < used.size(); ++i) {
      bytes_of(scalars[i].reduced(), digits[i]);
      wholes.push_back({&keys_[used[i]], digits[i].data()});
    }
    bytes_of(base.reduced(), digits.back());
    wholes.push_back({&base_table(engine_.form).entry[1], digits.back().data()});
    const bool buckets = method_ == SumMethod::kAuto ? halves.size() + wholes.size() >= kBucketTerms
                                                     : method_ == SumMethod::kPippenger;
    return buckets ? with_buckets(wholes, halves) : with_windows(wholes, halves);
  }
  // Reduced scalars are below 2^253, so that the last byte is its own digit.
  static void bytes_of(const Scalar& x, std::array<std::int8_t, kWholeDigits>& out) {
    std::int16_t digits[kBaseDigits];
    recode256(x, digits);
    for (std::size_t i = 0; i < kWholeDigits; ++i) out[i] = static_cast<std::int8_t>(digits[i]);
  }

  Extended with_buckets(std::span<const Term> wholes, std::span<const Term> halves) const {
    PointLimbs sums[kWholeDigits];
    engine_.buckets({wholes.data(), static_cast<int>(wholes.size()), halves.data(),
                     static_cast<int>(halves.size())},
                    sums);
    Extended total = point_of(sums[kWholeDigits - 1]);
    for (std::size_t i = kWholeDigits - 1; i-- > 0;) {
      ed25519::Projective p{total.x, total.y, total.z};
      for (int k = 0; k < 7; ++k) p = ed25519::to_projective(ed25519::dbl(p.x, p.y, p.z));
      total = plus(ed25519::to_extended(ed25519::dbl(p.x, p.y, p.z)), point_of(sums[i]));
    }
    return total;
  }
  Extended with_windows(std::span<const Term> wholes, std::span<const Term> halves) const {
    const std::size_t most = kStrausRounds * static_cast<std::size_t>(engine_.lanes);
    const auto part = [](std::span<const Term> all, std::size_t round, std::size_t rounds) {
      const std::size_t from = all.size() * round / rounds;
      return all.subspan(from, all.size() * (round + 1) / rounds - from);
    };
    const std::size_t rounds = (halves.size() + most - 1) / most;
    Extended total = nothing();
    for (std::size_t round = 0; round < rounds; ++round) {
      const auto w = part(wholes, round, rounds);
      const auto h = part(halves, round, rounds);
      PointLimbs sums[kMaxLanes];
      engine_.straus({w.data(), static_cast<int>(w.size()), h.data(), static_cast<int>(h.size())},
                     sums);
      for (int i = 0; i < engine_.lanes; ++i) total = plus(total, point_of(sums[i]));
    }
    return total;
  }

  const Engine& engine_;
  const SumMethod method_;
  const Individual& individual_;
  const std::span<const SignatureJob> jobs_;
  const std::span<SignatureStatus> verdicts_;
  KeyNumbers numbers_;
  std::vector<Entry> entries_;
  std::vector<Niels> keys_;  // minus the keys, by number
  std::size_t budget_ = 0;
};

// Source: docs/signatures.md, "Backends"; Bernstein, Duif, Lange, Schwabe, Yang, "High-speed
// high-security signatures" (2011), section 5.
class Combining final : public BatchVerifier {
 public:
  Combining(std::string_view name, const Engine& engine, SumMethod method)
      : engine_(engine), method_(method), individual_(name, engine) {
    randombytes_buf(key_.data(), key_.size());
  }

  std::string_view name() const override { return individual_.name(); }
  void register_keys(std::span<const PublicKey> keys) override { individual_.register_keys(keys); }
  bool registered(const PublicKey& key) const override { return individual_.registered(key); }

  void verify(std::span<const SignatureJob> jobs,
              std::span<SignatureStatus> verdicts) noexcept override {
    if (jobs.size() < kLeast) return individual_.verify(jobs, verdicts);
    if (wary_ > 0) {
      --wary_;
      return individual_.verify(jobs, verdicts);
    }
    const std::size_t parts = (jobs.size() + kMost - 1) / kMost;
    for (std::size_t part = 0; part < parts; ++part) {
      const std::size_t from = jobs.size() * part / parts;
      const std::size_t count = jobs.size() * (part + 1) / parts - from;
      std::vector<Coefficient> coefficients(count);
      draw(coefficients);
      Combination(engine_, method_, individual_, jobs.subspan(from, count),
                  verdicts.subspan(from, count))
          .settle(coefficients);
    }
    const auto good = std::count(verdicts.begin(), verdicts.end(), SignatureStatus::kValid);
    const std::size_t bad = jobs.size() - static_cast<std::size_t>(good);
    if (bad >= 2 && bad * kManyBad > jobs.size()) wary_ = kWaryBatches;
  }

 private:
  // 128 bits each that no signer can foresee, never used twice: a keyed stream cipher, a nonce a
  // batch.
  void draw(std::vector<Coefficient>& out) {
    std::array<unsigned char, crypto_stream_chacha20_NONCEBYTES> nonce{};
    const std::uint64_t number = ++batches_;
    std::memcpy(nonce.data(), &number, sizeof number);
    crypto_stream_chacha20(reinterpret_cast<unsigned char*>(out.data()),
                           out.size() * sizeof(Coefficient), nonce.data(), key_.data());
  }

  const Engine& engine_;
  const SumMethod method_;
  Individual individual_;
  std::array<unsigned char, crypto_stream_chacha20_KEYBYTES> key_{};
  std::uint64_t batches_ = 0;
  int wary_ = 0;  // batches to be checked one by one
};

}  // namespace

std::unique_ptr<BatchVerifier> make_combining(std::string_view name, const Engine& engine,
                                              SumMethod method) {
  return std::make_unique<Combining>(name, engine, method);
}

}  // namespace thresher::crypto::lanes
