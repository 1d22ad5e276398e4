#include "backend.hpp"

#include <sodium.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "../scalar.hpp"
#include "tables.hpp"

namespace thresher::crypto::lanes {
namespace {

/// Keys with a table of 18 KiB each.
constexpr std::size_t kMostRegistered = 1024;

using Scalar = std::array<std::byte, 32>;

Scalar scalar_of(const SignatureJob& job) {
  Scalar s;
  std::memcpy(s.data(), job.signature.data() + 32, 32);
  return s;
}

Verdict verdict_of(Answer answer) {
  switch (answer) {
    case Answer::kValid:
      return Verdict::kValid;
    case Answer::kBadKey:
      return Verdict::kBadKey;
    case Answer::kBad:
      break;
  }
  return Verdict::kBadSignature;
}

class Individual final : public BatchVerifier {
 public:
  Individual(std::string_view name, const Engine& engine)
      : name_(name), engine_(engine), base_(base_table()) {}

  std::string_view name() const override { return name_; }

  void register_keys(std::span<const PublicKey> keys) override {
    (void)comb_table();
    for (const PublicKey& key : keys) {
      if (known_.size() >= kMostRegistered) return;
      if (known_.contains(key)) continue;
      if (auto table = key_table(key)) known_.emplace(key, std::move(table));
    }
  }

  void verify(std::span<const SignatureJob> jobs, std::span<Verdict> verdicts) noexcept override {
    std::vector<Scalar> k(jobs.size());
    ed25519::challenges(jobs, k);
    Group fresh;
    Group known;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const Scalar s = scalar_of(jobs[i]);
      if (!ed25519::below_order(s)) {
        verdicts[i] = Verdict::kBadSignature;
        continue;
      }
      const auto table = known_.find(jobs[i].key);
      Group& group = table == known_.end() ? fresh : known;
      group.add(i, jobs[i], s, k[i], table == known_.end() ? nullptr : table->second.get());
      if (group.count == engine_.lanes) run(group, verdicts);
    }
    run(fresh, verdicts);
    run(known, verdicts);
  }

 private:
  struct Group {
    Job jobs[kMaxLanes];
    const KeyTable* tables[kMaxLanes];
    std::size_t index[kMaxLanes];
    int count = 0;

    void add(std::size_t i, const SignatureJob& from, const Scalar& s, const Scalar& k,
             const KeyTable* table) {
      Job& job = jobs[count];
      std::memcpy(job.r, from.signature.data(), 32);
      std::memcpy(job.key, from.key.data(), 32);
      recode16(k, job.k);
      recode256(s, job.s);
      tables[count] = table;
      index[count++] = i;
    }
  };

  void run(Group& group, std::span<Verdict> verdicts) const {
    if (group.count == 0) return;
    Answer answers[kMaxLanes];
    if (group.tables[0] != nullptr) {
      engine_.verify_known(group.jobs, group.tables, group.count, comb_table(), answers);
    } else {
      engine_.verify(group.jobs, group.count, base_, answers);
    }
    for (int i = 0; i < group.count; ++i) verdicts[group.index[i]] = verdict_of(answers[i]);
    group.count = 0;
  }

  std::string_view name_;
  const Engine& engine_;
  const BaseTable& base_;
  std::map<PublicKey, std::unique_ptr<KeyTable>> known_;
};

// Source: CRYPTO design; Bernstein, Duif, Lange, Schwabe, Yang, "High-speed high-security
// signatures" (2011), section 5.
class Combining final : public BatchVerifier {
 public:
  explicit Combining(const Engine& engine)
      : engine_(engine), base_(base_table()), individual_("rlc", engine) {
    randombytes_buf(key_.data(), key_.size());
  }

  std::string_view name() const override { return "rlc"; }
  void register_keys(std::span<const PublicKey> keys) override { individual_.register_keys(keys); }

  void verify(std::span<const SignatureJob> jobs, std::span<Verdict> verdicts) noexcept override {
    const std::size_t group = std::size_t{kTermsPerLane} * static_cast<std::size_t>(engine_.lanes);
    for (std::size_t at = 0; at < jobs.size(); at += group) {
      const std::size_t count = std::min(group, jobs.size() - at);
      check(jobs.subspan(at, count), verdicts.subspan(at, count));
    }
  }

 private:
  /// Below this many the doublings are not shared by enough terms to win.
  static constexpr std::size_t kLeast = 32;

  // One combination; when it fails, halves, down to where individual checks are as cheap.
  void check(std::span<const SignatureJob> jobs, std::span<Verdict> verdicts) {
    if (jobs.size() < kLeast) return individual_.verify(jobs, verdicts);
    if (combined(jobs)) {
      std::fill(verdicts.begin(), verdicts.end(), Verdict::kValid);
      return;
    }
    const std::size_t half = jobs.size() / 2;
    check(jobs.first(half), verdicts.first(half));
    check(jobs.subspan(half), verdicts.subspan(half));
  }

  bool combined(std::span<const SignatureJob> jobs) {
    std::vector<Term> halves(jobs.size());
    std::vector<Scalar> k(jobs.size());
    ed25519::challenges(jobs, k);
    std::map<PublicKey, Scalar> by_key;  // the sum of z k: terms of one key are one term
    Scalar sum{};
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const Scalar s = scalar_of(jobs[i]);
      if (!ed25519::below_order(s)) return false;
      const Scalar z = coefficient();
      std::memcpy(halves[i].point, jobs[i].signature.data(), 32);
      recode16(z, halves[i].digits);
      sum = plus(sum, times(z, s));
      auto [it, fresh] = by_key.try_emplace(jobs[i].key, Scalar{});
      it->second = plus(it->second, times(z, k[i]));
    }
    std::vector<Term> wholes;
    wholes.reserve(by_key.size());
    for (const auto& [key, scalar] : by_key) {
      Term& term = wholes.emplace_back();
      std::memcpy(term.point, key.data(), 32);
      recode16(scalar, term.digits);
    }
    std::int16_t digits[kBaseDigits];
    recode256(sum, digits);
    return engine_.combine(halves.data(), static_cast<int>(halves.size()), wholes.data(),
                           static_cast<int>(wholes.size()), digits, base_);
  }

  // 128 bits that no signer can foresee, never used twice: a keyed stream cipher in counter mode.
  Scalar coefficient() {
    Scalar z{};
    std::array<unsigned char, crypto_stream_chacha20_NONCEBYTES> nonce{};
    const std::uint64_t number = ++counter_;
    std::memcpy(nonce.data(), &number, sizeof number);
    crypto_stream_chacha20(raw(z), 16, nonce.data(), key_.data());
    return z;
  }
  static unsigned char* raw(Scalar& s) { return reinterpret_cast<unsigned char*>(s.data()); }
  static const unsigned char* raw(const Scalar& s) {
    return reinterpret_cast<const unsigned char*>(s.data());
  }
  static Scalar times(const Scalar& a, const Scalar& b) {
    Scalar out;
    crypto_core_ed25519_scalar_mul(raw(out), raw(a), raw(b));
    return out;
  }
  static Scalar plus(const Scalar& a, const Scalar& b) {
    Scalar out;
    crypto_core_ed25519_scalar_add(raw(out), raw(a), raw(b));
    return out;
  }

  const Engine& engine_;
  const BaseTable& base_;
  Individual individual_;
  std::array<unsigned char, crypto_stream_chacha20_KEYBYTES> key_{};
  std::uint64_t counter_ = 0;
};

}  // namespace

std::unique_ptr<BatchVerifier> make_individual(std::string_view name, const Engine& engine) {
  return std::make_unique<Individual>(name, engine);
}
std::unique_ptr<BatchVerifier> make_combining(const Engine& engine) {
  return std::make_unique<Combining>(engine);
}

}  // namespace thresher::crypto::lanes
