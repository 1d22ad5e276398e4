// Four lanes: radix 2^25.5 on the 32-bit multipliers of AVX2.
#if defined(__AVX2__)

#include <immintrin.h>

#include <cstddef>

#include "engine.hpp"

namespace thresher::crypto::lanes {
namespace {

/// Limbs of 26 and 25 bits by turns; between operations below 2^26 + 2^14 ("reduced").
struct F4 {
  static constexpr int kLanes = 4;
  using Index = __m256i;
  __m256i v[10];

  static __m256i mask(int bits) { return _mm256_set1_epi64x((1ll << bits) - 1); }
  static constexpr int width(int k) { return k % 2 == 0 ? 26 : 25; }

  static F4 split(const __m256i* wide) {
    F4 out;
#pragma GCC unroll 5
    for (int k = 0; k < 5; ++k) {
      out.v[2 * k] = _mm256_and_si256(wide[k], mask(26));
      out.v[2 * k + 1] = _mm256_srli_epi64(wide[k], 26);
    }
    return out;
  }
  static F4 load(const std::uint64_t* limbs, int stride) {
    __m256i wide[5];
    for (int k = 0; k < 5; ++k) {
      alignas(32) std::uint64_t lane[4];
      for (int i = 0; i < 4; ++i) lane[i] = limbs[i * stride + k];
      wide[k] = _mm256_load_si256(reinterpret_cast<const __m256i*>(lane));
    }
    return split(wide);
  }
  void store(std::uint64_t* limbs, int stride) const {
    for (int k = 0; k < 5; ++k) {
      alignas(32) std::uint64_t lane[4];
      _mm256_store_si256(reinterpret_cast<__m256i*>(lane),
                         _mm256_add_epi64(v[2 * k], _mm256_slli_epi64(v[2 * k + 1], 26)));
      for (int i = 0; i < 4; ++i) limbs[i * stride + k] = lane[i];
    }
  }
  /// Four rows of four limbs become four vectors of four lanes.
  static void transpose(__m256i* r) {
    const __m256i a = _mm256_unpacklo_epi64(r[0], r[1]), b = _mm256_unpackhi_epi64(r[0], r[1]);
    const __m256i c = _mm256_unpacklo_epi64(r[2], r[3]), d = _mm256_unpackhi_epi64(r[2], r[3]);
    r[0] = _mm256_permute2x128_si256(a, c, 0x20);
    r[1] = _mm256_permute2x128_si256(b, d, 0x20);
    r[2] = _mm256_permute2x128_si256(a, c, 0x31);
    r[3] = _mm256_permute2x128_si256(b, d, 0x31);
  }
  /// Each lane its own Niels entry.
  static void load_rows(const std::uint64_t* const* at, F4& plus, F4& minus, F4& t2d) {
    __m256i all[16];
    for (int part = 0; part < 4; ++part) {
      for (int i = 0; i < 4; ++i) {
        all[4 * part + i] =
            _mm256_load_si256(reinterpret_cast<const __m256i*>(at[i] + std::ptrdiff_t{4} * part));
      }
      transpose(all + 4 * part);
    }
    plus = split(all);
    minus = split(all + 5);
    t2d = split(all + 10);
  }

  /// Each lane its own five limbs; eight may be read.
  static F4 load_row(const std::uint64_t* const* at) {
    __m256i all[8];
    for (int part = 0; part < 2; ++part) {
      for (int i = 0; i < 4; ++i) {
        all[4 * part + i] =
            _mm256_load_si256(reinterpret_cast<const __m256i*>(at[i] + std::ptrdiff_t{4} * part));
      }
      transpose(all + 4 * part);
    }
    return split(all);
  }

  static __m256i times19(__m256i x) {
    const __m256i three = _mm256_add_epi64(_mm256_slli_epi64(x, 1), x);
    return _mm256_add_epi64(_mm256_slli_epi64(x, 4), three);
  }
  template <int kBits>
  static __m256i low(__m256i x) {
    return _mm256_and_si256(x, mask(kBits));
  }
  /// For limbs below 2^31: one parallel pass.
  static F4 carried(const __m256i* r) {
    F4 out;
    __m256i even[5];
    __m256i odd[5];
#pragma GCC unroll 5
    for (int k = 0; k < 5; ++k) {
      even[k] = _mm256_srli_epi64(r[2 * k], 26);
      odd[k] = _mm256_srli_epi64(r[2 * k + 1], 25);
    }
#pragma GCC unroll 5
    for (int k = 0; k < 5; ++k) {
      const __m256i before = k == 0 ? times19(odd[4]) : odd[k - 1];
      out.v[2 * k] = _mm256_add_epi64(low<26>(r[2 * k]), before);
      out.v[2 * k + 1] = _mm256_add_epi64(low<25>(r[2 * k + 1]), even[k]);
    }
    return out;
  }
  /// Limb K hands its overflow to the next.
  template <int K>
  static void pass(__m256i* r) {
    constexpr int kWidth = K % 2 == 0 ? 26 : 25;
    const __m256i over = _mm256_srli_epi64(r[K], kWidth);
    r[K] = low<kWidth>(r[K]);
    r[(K + 1) % 10] = _mm256_add_epi64(r[(K + 1) % 10], K == 9 ? times19(over) : over);
  }
  /// For sums of products, below 2^61: two chains side by side, then a short tail.
  static F4 carried_long(__m256i* r) {
    pass<0>(r);
    pass<5>(r);
    pass<1>(r);
    pass<6>(r);
    pass<2>(r);
    pass<7>(r);
    pass<3>(r);
    pass<8>(r);
    pass<4>(r);
    pass<9>(r);
    pass<0>(r);
    pass<5>(r);
    F4 out;
#pragma GCC unroll 10
    for (int k = 0; k < 10; ++k) out.v[k] = r[k];
    return out;
  }

  static F4 add(const F4& a, const F4& b) {
    __m256i r[10];
#pragma GCC unroll 10
    for (int k = 0; k < 10; ++k) r[k] = _mm256_add_epi64(a.v[k], b.v[k]);
    return carried(r);
  }
  /// a - b + 4p, limb by limb.
  static F4 sub(const F4& a, const F4& b) {
    __m256i r[10];
#pragma GCC unroll 10
    for (int k = 0; k < 10; ++k) {
      const long long p = (1ll << width(k)) - (k == 0 ? 19 : 1);
      r[k] = _mm256_sub_epi64(_mm256_add_epi64(a.v[k], _mm256_set1_epi64x(4 * p)), b.v[k]);
    }
    return carried(r);
  }

  // Limb i weighs 2^ceil(25.5 i): a product of two odd limbs counts twice, one past the end 19
  // times.
  static F4 mul(const F4& a, const F4& b) {
    __m256i b19[10];
#pragma GCC unroll 10
    for (int k = 0; k < 10; ++k) b19[k] = _mm256_mul_epu32(b.v[k], _mm256_set1_epi64x(19));
    // One limb of a at a time, ten sums in registers: the other order loads both factors each time.
    __m256i r[10];
#pragma GCC unroll 10
    for (int i = 0; i < 10; ++i) {
      const __m256i x = a.v[i];
      const __m256i x2 = i % 2 == 0 ? x : _mm256_slli_epi64(x, 1);
#pragma GCC unroll 10
      for (int j = 0; j < 10; ++j) {
        const int k = (i + j) % 10;
        const __m256i product = _mm256_mul_epu32(j % 2 == 1 ? x2 : x, i + j < 10 ? b.v[j] : b19[j]);
        r[k] = i == 0 ? product : _mm256_add_epi64(r[k], product);
      }
    }
    return carried_long(r);
  }
  static F4 sqr(const F4& a) {
    __m256i a19[10];
#pragma GCC unroll 10
    for (int k = 0; k < 10; ++k) a19[k] = _mm256_mul_epu32(a.v[k], _mm256_set1_epi64x(19));
    __m256i r[10];
#pragma GCC unroll 10
    for (int k = 0; k < 10; ++k) r[k] = _mm256_setzero_si256();
#pragma GCC unroll 10
    for (int i = 0; i < 10; ++i) {
      const __m256i x = a.v[i];
      const __m256i x2 = _mm256_slli_epi64(x, 1);
      const __m256i x4 = _mm256_slli_epi64(x, 2);
#pragma GCC unroll 10
      for (int j = i; j < 10; ++j) {
        const int k = (i + j) % 10;
        const bool both_odd = i % 2 == 1 && j % 2 == 1;
        const __m256i factor = i == j ? (both_odd ? x2 : x) : (both_odd ? x4 : x2);
        r[k] = _mm256_add_epi64(r[k], _mm256_mul_epu32(factor, i + j < 10 ? a.v[j] : a19[j]));
      }
    }
    return carried_long(r);
  }

  static F4 blend(__m256i mask_of, const F4& yes, const F4& no) {
    F4 out;
    for (int k = 0; k < 10; ++k) out.v[k] = _mm256_blendv_epi8(no.v[k], yes.v[k], mask_of);
    return out;
  }
  static F4 select(std::uint32_t bits, const F4& yes, const F4& no) {
    const __m256i weights = _mm256_set_epi64x(8, 4, 2, 1);
    const __m256i set = _mm256_and_si256(_mm256_set1_epi64x(bits), weights);
    return blend(_mm256_cmpeq_epi64(set, weights), yes, no);
  }
  static Index magnitudes(const std::int8_t* digits) {
    const auto size = [&](int i) { return digits[i] < 0 ? -digits[i] : digits[i]; };
    return _mm256_set_epi64x(size(3), size(2), size(1), size(0));
  }
  static __m256i equal(Index index, int value) {
    return _mm256_cmpeq_epi64(index, _mm256_set1_epi64x(value));
  }
  F4 rotated(int lanes) const {
    F4 out;
    for (int k = 0; k < 10; ++k) {
      out.v[k] =
          lanes == 1 ? _mm256_permute4x64_epi64(v[k], 0x39) : _mm256_permute4x64_epi64(v[k], 0x4e);
    }
    return out;
  }
};

constexpr Engine kEngine{4, Lanes<F4>::verify, Lanes<F4>::verify_known, Lanes<F4>::combine};

}  // namespace

const Engine* avx2_engine() {
  static const bool kHere = __builtin_cpu_supports("avx2");
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
