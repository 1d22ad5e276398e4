// Four lanes: radix 2^51 in double-precision numbers, on the fused multiply-add of AVX2 machines.
//
// AVX2 multiplies no more than 32 bits as integers: a product in the field takes 100 of those, and
// as many additions. A fused multiply-add rounds once, which gives both halves of a product of
// 51-bit numbers: the upper one by adding a number so large that everything below 2^51 is rounded
// away, the lower one by taking that away again. That is 25 times two instructions. Source: the
// technique is Emmart, Zheng and Weems, "Faster modular exponentiation using double precision
// floating point arithmetic on the GPU" (ARITH 2018); signed limbs make most carries unnecessary.
#if defined(__AVX2__) && defined(__FMA__)

#include <immintrin.h>

#include <array>
#include <cstddef>

#include "engine.hpp"

namespace thresher::crypto::lanes {
namespace {

constexpr double k2to51 = 2251799813685248.0;
constexpr double k2to52 = 2 * k2to51;
constexpr double k2to103 = k2to51 * k2to52;
/// A product of less than 2^102 either way, added to it, is rounded to a multiple of 2^51.
constexpr double kSplit = 1.5 * k2to103;
constexpr double kWhole = 1.5 * k2to52;
/// The same two numbers as bits: halves are summed as integers, and these are taken off at the end.
constexpr std::uint64_t kSplitBits = 0x4668000000000000;
constexpr std::uint64_t kWholeBits = 0x4338000000000000;
/// 2^52 as bits: or-ed to a number below it makes that number a double.
constexpr std::uint64_t kNumberBits = 0x4330000000000000;
constexpr std::uint64_t kHalfLimb = std::uint64_t{1} << 50;
/// Makes every column positive for the carries, which shift without sign.
constexpr std::uint64_t kCarryBias = 1u << 9;

/// What the ten columns of a product begin with: minus the constants of all their halves; the five
/// lower ones also get the bias, and half a limb so that shifting rounds to the nearest.
constexpr std::array<std::uint64_t, 10> starts(bool square) {
  std::array<std::uint64_t, 10> out{};
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = square ? i : 0; j < 5; ++j) {
      out[i + j] -= kWholeBits;
      out[i + j + 1] -= kSplitBits;
    }
  }
  for (std::size_t k = 0; k < 5; ++k) out[k] += (kCarryBias << 51) + kHalfLimb;
  return out;
}
constexpr auto kStarts = starts(false);
constexpr auto kSquareStarts = starts(true);

/// Limbs are whole numbers. Tight: at most 2^50 + 2^13 either way. Loose: three times that.
struct F4 {
  static constexpr int kLanes = 4;
  using Index = __m256i;
  __m256d v[5];

  /// Round to nearest, whatever the thread had before: all bounds rest on it.
  class Scope {
   public:
    Scope() : before_(_mm_getcsr()) { _mm_setcsr(before_ & ~0xe000u); }
    ~Scope() { _mm_setcsr(before_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    unsigned before_;
  };

  static __m256i bits(std::uint64_t x) { return _mm256_set1_epi64x(static_cast<long long>(x)); }
  static __m256d number(double x) { return _mm256_set1_pd(x); }

  /// From limbs of 51 bits, without sign.
  static F4 load(const std::uint64_t* limbs, int stride) {
    F4 out;
    for (int k = 0; k < 5; ++k) {
      alignas(32) double lane[4];
      for (int i = 0; i < 4; ++i) lane[i] = static_cast<double>(limbs[i * stride + k]);
      out.v[k] = _mm256_load_pd(lane);
    }
    return tight(out);
  }
  /// To limbs without sign, below 2^53, where doubles are exact: the number plus 2p. Pre: the sum
  /// of two tight ones.
  void store(std::uint64_t* limbs, int stride) const {
    for (int k = 0; k < 5; ++k) {
      alignas(32) double lane[4];
      _mm256_store_pd(lane, v[k]);
      constexpr double kLow = 2 * (k2to51 - 19), kHigh = 2 * (k2to51 - 1);
      for (int i = 0; i < 4; ++i) {
        limbs[i * stride + k] = static_cast<std::uint64_t>(lane[i] + (k == 0 ? kLow : kHigh));
      }
    }
  }
  /// Four rows of four limbs become four vectors of four lanes.
  static void transpose(__m256d* r) {
    const __m256d a = _mm256_unpacklo_pd(r[0], r[1]), b = _mm256_unpackhi_pd(r[0], r[1]);
    const __m256d c = _mm256_unpacklo_pd(r[2], r[3]), d = _mm256_unpackhi_pd(r[2], r[3]);
    r[0] = _mm256_permute2f128_pd(a, c, 0x20);
    r[1] = _mm256_permute2f128_pd(b, d, 0x20);
    r[2] = _mm256_permute2f128_pd(a, c, 0x31);
    r[3] = _mm256_permute2f128_pd(b, d, 0x31);
  }
  /// Each lane `count` numbers side by side, in this engine's form, read four limbs at a time.
  static void load_parts(F4* out, int count, const std::uint64_t* const* at) {
    __m256d all[20];
    for (int first = 0; first < 5 * count; first += 4) {
      for (int i = 0; i < 4; ++i) {
        all[first + i] =
            _mm256_castsi256_pd(_mm256_load_si256(reinterpret_cast<const __m256i*>(at[i] + first)));
      }
      transpose(all + first);
    }
    for (int n = 0; n < count; ++n) {
      for (int k = 0; k < 5; ++k) out[n].v[k] = all[5 * n + k];
    }
  }
  /// The mirror; limbs up to the next multiple of four are overwritten.
  static void store_parts(const F4* parts, int count, std::uint64_t* const* at) {
    __m256d all[20];
    for (int k = 0; k < 20; ++k) all[k] = k < 5 * count ? parts[k / 5].v[k % 5] : parts[0].v[0];
    for (int first = 0; first < 5 * count; first += 4) {
      transpose(all + first);
      for (int i = 0; i < 4; ++i) {
        _mm256_store_si256(reinterpret_cast<__m256i*>(at[i] + first),
                           _mm256_castpd_si256(all[first + i]));
      }
    }
  }
  /// The same number in every lane.
  static F4 spread(const std::uint64_t* limbs) {
    F4 out;
    for (int k = 0; k < 5; ++k) out.v[k] = _mm256_castsi256_pd(bits(limbs[k]));
    return out;
  }

  static F4 add(const F4& a, const F4& b) {
    F4 out;
    for (int k = 0; k < 5; ++k) out.v[k] = _mm256_add_pd(a.v[k], b.v[k]);
    return out;
  }
  static F4 sub(const F4& a, const F4& b) {
    F4 out;
    for (int k = 0; k < 5; ++k) out.v[k] = _mm256_sub_pd(a.v[k], b.v[k]);
    return out;
  }
  /// Pre: limbs of at most 2^53.
  static F4 tight(const F4& x) {
    F4 out;
    __m256d over[5];
    for (int k = 0; k < 5; ++k) {
      over[k] = _mm256_sub_pd(_mm256_add_pd(x.v[k], number(kSplit)), number(kSplit));
    }
    for (int k = 0; k < 5; ++k) {
      const __m256d scale = number(k == 0 ? 19 / k2to51 : 1 / k2to51);
      out.v[k] = _mm256_fmadd_pd(over[k == 0 ? 4 : k - 1], scale, _mm256_sub_pd(x.v[k], over[k]));
    }
    return out;
  }

  static __m256i times19(__m256i x) {
    const __m256i three = _mm256_add_epi64(_mm256_slli_epi64(x, 1), x);
    return _mm256_add_epi64(_mm256_slli_epi64(x, 4), three);
  }
  /// Both halves of a product, into their columns.
  static void multiply_add(__m256d a, __m256d b, __m256i* column) {
    const __m256d upper = _mm256_fmadd_pd(a, b, number(kSplit));
    const __m256d lower = _mm256_fmadd_pd(a, b, _mm256_sub_pd(number(kSplit + kWhole), upper));
    column[0] = _mm256_add_epi64(column[0], _mm256_castpd_si256(lower));
    column[1] = _mm256_add_epi64(column[1], _mm256_castpd_si256(upper));
  }
  // Columns are below 2^55 either way, sums of them and 19 others below 2^60: one pass is enough.
  static F4 folded(const __m256i* column) {
    __m256i low[5];
    __m256i over[5];
#pragma GCC unroll 5
    for (int k = 0; k < 5; ++k) {
      const __m256i sum = _mm256_add_epi64(column[k], times19(column[k + 5]));
      low[k] = _mm256_or_si256(_mm256_and_si256(sum, bits(kMask51)), bits(kNumberBits));
      over[k] = _mm256_srli_epi64(sum, 51);
    }
    constexpr double kOff = k2to52 + static_cast<double>(kHalfLimb);
    F4 out;
    out.v[0] = _mm256_sub_pd(_mm256_castsi256_pd(_mm256_add_epi64(low[0], times19(over[4]))),
                             number(kOff + 19.0 * static_cast<double>(kCarryBias)));
#pragma GCC unroll 4
    for (int k = 1; k < 5; ++k) {
      out.v[k] = _mm256_sub_pd(_mm256_castsi256_pd(_mm256_add_epi64(low[k], over[k - 1])),
                               number(kOff + static_cast<double>(kCarryBias)));
    }
    return out;
  }

  // Not inlined: a point's addition has eight of them, and all together would not fit the first
  // level of the instruction cache.
  [[gnu::noinline]] static F4 mul(const F4& a, const F4& b) {
    __m256i column[10];
    for (std::size_t k = 0; k < 10; ++k) column[k] = bits(kStarts[k]);
#pragma GCC unroll 5
    for (int i = 0; i < 5; ++i) {
#pragma GCC unroll 5
      for (int j = 0; j < 5; ++j) multiply_add(a.v[i], b.v[j], column + i + j);
    }
    return folded(column);
  }
  [[gnu::noinline]] static F4 sqr(const F4& a) {
    __m256i column[10];
    for (std::size_t k = 0; k < 10; ++k) column[k] = bits(kSquareStarts[k]);
#pragma GCC unroll 5
    for (int i = 0; i < 5; ++i) {
      const __m256d twice = _mm256_add_pd(a.v[i], a.v[i]);
      multiply_add(a.v[i], a.v[i], column + 2 * i);
#pragma GCC unroll 5
      for (int j = i + 1; j < 5; ++j) multiply_add(twice, a.v[j], column + i + j);
    }
    return folded(column);
  }

  static F4 blend(__m256i mask, const F4& yes, const F4& no) {
    F4 out;
    for (int k = 0; k < 5; ++k) {
      out.v[k] = _mm256_blendv_pd(no.v[k], yes.v[k], _mm256_castsi256_pd(mask));
    }
    return out;
  }
  static F4 select(std::uint32_t lanes, const F4& yes, const F4& no) {
    const __m256i weights = _mm256_set_epi64x(8, 4, 2, 1);
    const __m256i set = _mm256_and_si256(bits(lanes), weights);
    return blend(_mm256_cmpeq_epi64(set, weights), yes, no);
  }
  static Index magnitudes(const std::int8_t* digits) {
    const auto size = [&](int i) { return digits[i] < 0 ? -digits[i] : digits[i]; };
    return _mm256_set_epi64x(size(3), size(2), size(1), size(0));
  }
  static __m256i equal(Index index, int value) {
    return _mm256_cmpeq_epi64(index, _mm256_set1_epi64x(value));
  }
};

using All = Lanes<F4>;
constexpr Engine kEngine{
    4,           3,           2, Form::kSigned, All::verify, All::verify_known, All::decode_negated,
    All::straus, All::buckets};

}  // namespace

const Engine* avx2_engine() {
  static const bool kHere = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return kHere ? &kEngine : nullptr;
}

}  // namespace thresher::crypto::lanes

#else

#include "job.hpp"

namespace thresher::crypto::lanes {
const Engine* avx2_engine() {
  return nullptr;
}
}  // namespace thresher::crypto::lanes

#endif
