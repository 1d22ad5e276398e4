// Eight lanes: radix 2^51 on the 52-bit multipliers of AVX-512 IFMA.
#if defined(__AVX512IFMA__) && defined(__AVX512F__) && defined(__AVX512DQ__)

#include <immintrin.h>

#include "engine.hpp"

namespace thresher::crypto::lanes {
namespace {

/// Limbs below 2^51 + 2^14 between operations ("reduced"): products need them below 2^52.
struct F8 {
  static constexpr int kLanes = 8;
  using Index = __m512i;
  __m512i v[5];

  static F8 load(const std::uint64_t* limbs, int stride) {
    F8 out;
    for (int k = 0; k < 5; ++k) {
      alignas(64) std::uint64_t lane[8];
      for (int i = 0; i < 8; ++i) lane[i] = limbs[i * stride + k];
      out.v[k] = _mm512_load_si512(lane);
    }
    return out;
  }
  void store(std::uint64_t* limbs, int stride) const {
    for (int k = 0; k < 5; ++k) {
      alignas(64) std::uint64_t lane[8];
      _mm512_store_si512(lane, v[k]);
      for (int i = 0; i < 8; ++i) limbs[i * stride + k] = lane[i];
    }
  }
  /// Eight rows of eight limbs become eight vectors of eight lanes.
  static void transpose(__m512i* r) {
    __m512i t[8];
    for (int i = 0; i < 8; i += 2) {
      t[i] = _mm512_unpacklo_epi64(r[i], r[i + 1]);
      t[i + 1] = _mm512_unpackhi_epi64(r[i], r[i + 1]);
    }
    __m512i u[8];
    for (int i = 0; i < 2; ++i) {
      u[i] = _mm512_shuffle_i64x2(t[i], t[i + 2], 0x88);
      u[i + 2] = _mm512_shuffle_i64x2(t[i], t[i + 2], 0xdd);
      u[i + 4] = _mm512_shuffle_i64x2(t[i + 4], t[i + 6], 0x88);
      u[i + 6] = _mm512_shuffle_i64x2(t[i + 4], t[i + 6], 0xdd);
    }
    for (int i = 0; i < 4; ++i) {
      r[i] = _mm512_shuffle_i64x2(u[i], u[i + 4], 0x88);
      r[i + 4] = _mm512_shuffle_i64x2(u[i], u[i + 4], 0xdd);
    }
  }
  /// Each lane `count` numbers side by side, read eight limbs at a time. Loads and
  /// shuffles: gathers are several times slower.
  static void load_parts(F8* out, int count, const std::uint64_t* const* at) {
    __m512i all[24];
    for (int first = 0; first < 5 * count; first += 8) {
      for (int i = 0; i < 8; ++i) all[first + i] = _mm512_load_si512(at[i] + first);
      transpose(all + first);
    }
    for (int n = 0; n < count; ++n) {
      for (int k = 0; k < 5; ++k) out[n].v[k] = all[5 * n + k];
    }
  }
  /// The mirror; limbs up to the next multiple of eight are overwritten.
  static void store_parts(const F8* parts, int count, std::uint64_t* const* at) {
    __m512i all[24];
    for (int k = 0; k < 24; ++k) all[k] = k < 5 * count ? parts[k / 5].v[k % 5] : parts[0].v[0];
    for (int first = 0; first < 5 * count; first += 8) {
      transpose(all + first);
      for (int i = 0; i < 8; ++i) _mm512_store_si512(at[i] + first, all[first + i]);
    }
  }
  /// The same number in every lane.
  static F8 spread(const std::uint64_t* limbs) {
    F8 out;
    for (int k = 0; k < 5; ++k) out.v[k] = _mm512_set1_epi64(static_cast<long long>(limbs[k]));
    return out;
  }
  /// Sums are carried at once: a loose one is tight.
  static F8 tight(const F8& x) { return x; }
  struct Scope {};

  // One parallel pass: every limb hands its overflow on, the last one times 19 to the first.
  static F8 carried(const __m512i* r) {
    const __m512i mask = _mm512_set1_epi64(static_cast<long long>(kMask51));
    __m512i over[5];
    for (int k = 0; k < 5; ++k) over[k] = _mm512_srli_epi64(r[k], 51);
    F8 out;
    for (int k = 1; k < 5; ++k) {
      out.v[k] = _mm512_add_epi64(_mm512_and_si512(r[k], mask), over[k - 1]);
    }
    out.v[0] = _mm512_add_epi64(_mm512_and_si512(r[0], mask), times19(over[4]));
    return out;
  }
  static __m512i times19(__m512i x) {
    const __m512i three = _mm512_add_epi64(_mm512_slli_epi64(x, 1), x);
    return _mm512_add_epi64(_mm512_slli_epi64(x, 4), three);
  }

  static F8 add(const F8& a, const F8& b) {
    __m512i r[5];
    for (int k = 0; k < 5; ++k) r[k] = _mm512_add_epi64(a.v[k], b.v[k]);
    return carried(r);
  }
  /// a - b + 2p, limb by limb.
  static F8 sub(const F8& a, const F8& b) {
    constexpr long long kTop = (1LL << 52) - 2;
    const __m512i low = _mm512_set1_epi64(kTop - 36);
    const __m512i high = _mm512_set1_epi64(kTop);
    __m512i r[5];
    for (int k = 0; k < 5; ++k) {
      r[k] = _mm512_sub_epi64(_mm512_add_epi64(a.v[k], k == 0 ? low : high), b.v[k]);
    }
    return carried(r);
  }

  // Low halves of weight 2^(51 k) in lo[k]; high halves weigh 2^(51 k + 1), hence twice.
  static F8 folded(const __m512i* lo, const __m512i* hi) {
    __m512i t[10];
    t[0] = lo[0];
    for (int k = 1; k < 9; ++k) t[k] = _mm512_add_epi64(lo[k], _mm512_slli_epi64(hi[k], 1));
    t[9] = _mm512_slli_epi64(hi[9], 1);
    __m512i r[5];
    for (int k = 0; k < 5; ++k) r[k] = _mm512_add_epi64(t[k], times19(t[k + 5]));
    return carried(r);
  }

  static F8 mul(const F8& a, const F8& b) {
    __m512i lo[10];
    __m512i hi[10];
    const __m512i zero = _mm512_setzero_si512();
    for (int k = 0; k < 10; ++k) lo[k] = hi[k] = zero;
#pragma GCC unroll 5
    for (int i = 0; i < 5; ++i) {
#pragma GCC unroll 5
      for (int j = 0; j < 5; ++j) {
        lo[i + j] = _mm512_madd52lo_epu64(lo[i + j], a.v[i], b.v[j]);
        hi[i + j + 1] = _mm512_madd52hi_epu64(hi[i + j + 1], a.v[i], b.v[j]);
      }
    }
    return folded(lo, hi);
  }

  static F8 sqr(const F8& a) {
    __m512i lo[10];
    __m512i hi[10];
    const __m512i zero = _mm512_setzero_si512();
    for (int k = 0; k < 10; ++k) lo[k] = hi[k] = zero;
#pragma GCC unroll 5
    for (int i = 0; i < 5; ++i) {
#pragma GCC unroll 5
      for (int j = 0; j < i; ++j) {
        lo[i + j] = _mm512_madd52lo_epu64(lo[i + j], a.v[i], a.v[j]);
        hi[i + j + 1] = _mm512_madd52hi_epu64(hi[i + j + 1], a.v[i], a.v[j]);
      }
    }
    for (int k = 1; k < 9; ++k) {
      lo[k] = _mm512_slli_epi64(lo[k], 1);
      hi[k] = _mm512_slli_epi64(hi[k], 1);
    }
#pragma GCC unroll 5
    for (int i = 0; i < 5; ++i) {
      lo[2 * i] = _mm512_madd52lo_epu64(lo[2 * i], a.v[i], a.v[i]);
      hi[2 * i + 1] = _mm512_madd52hi_epu64(hi[2 * i + 1], a.v[i], a.v[i]);
    }
    return folded(lo, hi);
  }

  static F8 blend(__mmask8 mask, const F8& yes, const F8& no) {
    F8 out;
    for (int k = 0; k < 5; ++k) out.v[k] = _mm512_mask_mov_epi64(no.v[k], mask, yes.v[k]);
    return out;
  }
  static F8 select(std::uint32_t bits, const F8& yes, const F8& no) {
    return blend(static_cast<__mmask8>(bits), yes, no);
  }
  static Index magnitudes(const std::int8_t* digits) {
    return _mm512_abs_epi64(
        _mm512_cvtepi8_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(digits))));
  }
  static __mmask8 equal(Index index, int value) {
    return _mm512_cmpeq_epi64_mask(index, _mm512_set1_epi64(value));
  }
};

using All = Lanes<F8>;
constexpr Engine kEngine{8,
                         2,
                         2,
                         Form::kUnsigned,
                         All::verify,
                         All::verify_known,
                         All::decode_negated,
                         All::straus,
                         All::buckets};

}  // namespace

const Engine* avx512_engine() {
  static const bool kHere = __builtin_cpu_supports("avx512f") &&
                            __builtin_cpu_supports("avx512dq") &&
                            __builtin_cpu_supports("avx512ifma");
  return kHere ? &kEngine : nullptr;
}

}  // namespace thresher::crypto::lanes

#else

#include "job.hpp"

namespace thresher::crypto::lanes {
const Engine* avx512_engine() {
  return nullptr;
}
}  // namespace thresher::crypto::lanes

#endif
