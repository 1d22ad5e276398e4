// The lane engine over any vector field F: decompression, multi-scalar multiplication, verdicts.
// Included once by each file that is compiled for an instruction set; everything has internal
// linkage, so that no code for newer processors leaks into others.
//
// Cost a signature, in field multiplications: two decompressions 548, table of A 64, 64 windows of
// four doublings and one and a half additions 2,530, the check 24: about 3,170; with a known key
// 274 + 64 x 7 + 32 x 7 + 12 x 7 + 24 = 1,050. Source of the formulas: edwards.hpp.
#pragma once

#include <memory>

#include "job.hpp"

namespace thresher::crypto::lanes {
namespace {

/// Scalar helpers on one lane's limbs, radix 2^51.
struct Limbs {
  std::uint64_t limb[5];
};

constexpr std::uint64_t kMask51 = (std::uint64_t{1} << 51) - 1;

inline std::uint64_t word_of(const unsigned char* bytes) {
  std::uint64_t w = 0;
  for (int i = 0; i < 8; ++i) w |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
  return w;
}

inline Limbs from_bytes(const unsigned char* b) {
  const std::uint64_t w0 = word_of(b), w1 = word_of(b + 8), w2 = word_of(b + 16),
                      w3 = word_of(b + 24);
  return {{w0 & kMask51, (w0 >> 51 | w1 << 13) & kMask51, (w1 >> 38 | w2 << 26) & kMask51,
           (w2 >> 25 | w3 << 39) & kMask51, (w3 >> 12) & kMask51}};
}

/// The canonical form. Pre: limbs below 2^63.
inline Limbs frozen(Limbs x) {
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 4; ++i) {
      x.limb[i + 1] += x.limb[i] >> 51;
      x.limb[i] &= kMask51;
    }
    x.limb[0] += 19 * (x.limb[4] >> 51);
    x.limb[4] &= kMask51;
  }
  std::uint64_t carry = (x.limb[0] + 19) >> 51;
  for (int i = 1; i < 5; ++i) carry = (x.limb[i] + carry) >> 51;
  x.limb[0] += 19 * carry;
  for (int i = 0; i < 4; ++i) {
    x.limb[i + 1] += x.limb[i] >> 51;
    x.limb[i] &= kMask51;
  }
  x.limb[4] &= kMask51;
  return x;
}

inline bool zero(const Limbs& x) {
  const Limbs f = frozen(x);
  return (f.limb[0] | f.limb[1] | f.limb[2] | f.limb[3] | f.limb[4]) == 0;
}

template <class F>
struct Lanes {
  static constexpr int kLanes = F::kLanes;
  using Bits = std::uint32_t;  // one bit a lane
  static constexpr Bits kAll = (Bits{1} << kLanes) - 1;

  struct Point {
    F x, y, z, t;
  };
  struct Cached {
    F plus, minus, z2, t2d;
  };
  struct Affine {
    F plus, minus, t2d;
  };
  struct Factors {
    F e, f, g, h;
  };

  static F constant(const Limbs& x) {
    Limbs all[kMaxLanes];
    for (int i = 0; i < kLanes; ++i) all[i] = x;
    return F::load(all[0].limb, sizeof(Limbs) / 8);
  }
  static F number(std::uint64_t x) { return constant({{x, 0, 0, 0, 0}}); }

  static Bits zeros(const F& x) {
    Limbs all[kMaxLanes];
    x.store(all[0].limb, sizeof(Limbs) / 8);
    Bits bits = 0;
    for (int i = 0; i < kLanes; ++i) bits |= static_cast<Bits>(zero(all[i])) << i;
    return bits;
  }
  static Bits odds(const F& x) {
    Limbs all[kMaxLanes];
    x.store(all[0].limb, sizeof(Limbs) / 8);
    Bits bits = 0;
    for (int i = 0; i < kLanes; ++i) bits |= static_cast<Bits>(frozen(all[i]).limb[0] & 1) << i;
    return bits;
  }

  static F sqr_times(F x, int n) {
    for (int i = 0; i < n; ++i) x = F::sqr(x);
    return x;
  }
  /// x^((p-5)/8).
  static F pow_p58(const F& x) {
    const F x2 = F::sqr(x);
    const F x9 = F::mul(x, sqr_times(x2, 2));
    const F x11 = F::mul(x9, x2);
    const F ones5 = F::mul(F::sqr(x11), x9);
    const F ones10 = F::mul(sqr_times(ones5, 5), ones5);
    const F ones20 = F::mul(sqr_times(ones10, 10), ones10);
    const F ones40 = F::mul(sqr_times(ones20, 20), ones20);
    const F ones50 = F::mul(sqr_times(ones40, 10), ones10);
    const F ones100 = F::mul(sqr_times(ones50, 50), ones50);
    const F ones200 = F::mul(sqr_times(ones100, 100), ones100);
    const F ones250 = F::mul(sqr_times(ones200, 50), ones50);
    return F::mul(sqr_times(ones250, 2), x);
  }

  struct Constants {
    F zero, one, d, d2, root;
  };
  // -121665/121666, twice that, and a square root of -1; RFC 8032, 5.1.
  static Constants constants() {
    return {number(0), number(1),
            constant({{0x34dca135978a3, 0x1a8283b156ebd, 0x5e7a26001c029, 0x739c663a03cbb,
                       0x52036cee2b6ff}}),
            constant({{0x69b9426b2f159, 0x35050762add7a, 0x3cf44c0038052, 0x6738cc7407977,
                       0x2406d9dc56dff}}),
            constant({{0x61b274a0ea0b0, 0x0d5a5fc8f189d, 0x7ef5e9cbd0c60, 0x78595a6804c9e,
                       0x2b8324804fc1d}})};
  }

  /// Sets the bits of the lanes that decode. Accepts y >= p and a set sign bit on x = 0.
  static Point decode(const unsigned char* const* bytes, const Constants& c, Bits& good) {
    Limbs y_limbs[kMaxLanes];
    Bits signs = 0;
    for (int i = 0; i < kLanes; ++i) {
      y_limbs[i] = from_bytes(bytes[i]);
      signs |= static_cast<Bits>(bytes[i][31] >> 7) << i;
    }
    const F y = F::load(y_limbs[0].limb, sizeof(Limbs) / 8);
    const F yy = F::sqr(y);
    const F u = F::sub(yy, c.one);
    const F v = F::add(F::mul(yy, c.d), c.one);
    const F v3 = F::mul(F::sqr(v), v);
    const F uv7 = F::mul(F::mul(F::sqr(v3), v), u);
    F x = F::mul(F::mul(pow_p58(uv7), v3), u);
    const F check = F::mul(F::sqr(x), v);
    const Bits direct = zeros(F::sub(check, u));
    good = direct | zeros(F::add(check, u));
    x = F::select(direct, x, F::mul(x, c.root));
    x = F::select(odds(x) ^ signs, F::sub(c.zero, x), x);
    return {x, y, c.one, F::mul(x, y)};
  }

  static Point extended(const Factors& c) {
    return {F::mul(c.e, c.f), F::mul(c.g, c.h), F::mul(c.f, c.g), F::mul(c.e, c.h)};
  }
  /// Without T, for a doubling that follows.
  static void projective(const Factors& c, Point& out) {
    out.x = F::mul(c.e, c.f);
    out.y = F::mul(c.g, c.h);
    out.z = F::mul(c.f, c.g);
  }
  static Factors dbl(const Point& p) {
    const F xx = F::sqr(p.x), yy = F::sqr(p.y), zz = F::sqr(p.z);
    const F h = F::add(xx, yy);
    const F g = F::sub(xx, yy);
    return {F::sub(h, F::sqr(F::add(p.x, p.y))), F::add(F::add(zz, zz), g), g, h};
  }
  static Factors add(const Point& p, const Cached& q) {
    const F a = F::mul(F::sub(p.y, p.x), q.minus), b = F::mul(F::add(p.y, p.x), q.plus);
    const F c = F::mul(p.t, q.t2d), d = F::mul(p.z, q.z2);
    return {F::sub(b, a), F::sub(d, c), F::add(d, c), F::add(b, a)};
  }
  static Factors add(const Point& p, const Affine& q) {
    const F a = F::mul(F::sub(p.y, p.x), q.minus), b = F::mul(F::add(p.y, p.x), q.plus);
    const F c = F::mul(p.t, q.t2d), d = F::add(p.z, p.z);
    return {F::sub(b, a), F::sub(d, c), F::add(d, c), F::add(b, a)};
  }
  static Cached cached(const Point& p, const Constants& c) {
    return {F::add(p.y, p.x), F::sub(p.y, p.x), F::add(p.z, p.z), F::mul(p.t, c.d2)};
  }
  static Point negated(const Point& p, const Constants& c) {
    return {F::sub(c.zero, p.x), p.y, p.z, F::sub(c.zero, p.t)};
  }
  static Point identity(const Constants& c) { return {c.zero, c.one, c.one, c.zero}; }

  /// Multiples 1..8.
  static void multiples(const Point& p, const Constants& c, Cached* table) {
    table[0] = cached(p, c);
    Point current = extended(dbl(p));
    table[1] = cached(current, c);
    for (int i = 2; i < 8; ++i) {
      current = extended(add(current, table[0]));
      table[i] = cached(current, c);
    }
  }

  /// The multiple of each lane's digit, -8..8.
  static Cached pick(const Cached* table, const std::int8_t* digits, const Constants& c) {
    const typename F::Index index = F::magnitudes(digits);
    Cached out{c.one, c.one, F::add(c.one, c.one), c.zero};
    for (int m = 1; m <= 8; ++m) {
      const auto mask = F::equal(index, m);
      const Cached& e = table[m - 1];
      out.plus = F::blend(mask, e.plus, out.plus);
      out.minus = F::blend(mask, e.minus, out.minus);
      out.z2 = F::blend(mask, e.z2, out.z2);
      out.t2d = F::blend(mask, e.t2d, out.t2d);
    }
    Bits signs = 0;
    for (int i = 0; i < kLanes; ++i) signs |= static_cast<Bits>(digits[i] < 0) << i;
    const F plus = F::select(signs, out.minus, out.plus);
    out.minus = F::select(signs, out.plus, out.minus);
    out.plus = plus;
    out.t2d = F::select(signs, F::sub(c.zero, out.t2d), out.t2d);
    return out;
  }

  /// Each lane its own entry, negated where its digit is.
  static Affine pick(const Niels* const* entries, Bits signs, const Constants& c) {
    const std::uint64_t* at[kMaxLanes];
    for (int i = 0; i < kLanes; ++i) at[i] = entries[i]->limb;
    F plus, minus, t2d;
    F::load_rows(at, plus, minus, t2d);
    return {F::select(signs, minus, plus), F::select(signs, plus, minus),
            F::select(signs, F::sub(c.zero, t2d), t2d)};
  }

  template <class Entry>
  static Affine pick_digit(int position, const Job* const* jobs, Entry entry_of, bool base,
                           const Constants& c) {
    const Niels* entries[kMaxLanes];
    Bits signs = 0;
    for (int i = 0; i < kLanes; ++i) {
      const int digit = base ? jobs[i]->s[position] : jobs[i]->k[position];
      entries[i] = entry_of(i, digit < 0 ? -digit : digit);
      signs |= static_cast<Bits>(digit < 0) << i;
    }
    return pick(entries, signs, c);
  }

  /// Lanes whose 8 P is the identity.
  static Bits torsion(Point p) {
    for (int i = 0; i < 3; ++i) projective(dbl(p), p);
    return zeros(p.x) & zeros(F::sub(p.y, p.z));
  }

  static void fill(const Job* jobs, int count, const Job** out) {
    for (int i = 0; i < kLanes; ++i) out[i] = &jobs[i < count ? i : 0];
  }

  static void answer(int count, Bits keys, Bits points, Bits equal, Answer* answers) {
    for (int i = 0; i < count; ++i) {
      const bool key = (keys >> i & 1) != 0;
      const bool valid = key && (points >> i & 1) != 0 && (equal >> i & 1) != 0;
      const bool bad_r = (points >> i & 1) == 0;
      answers[i] = valid ? Answer::kValid : key || bad_r ? Answer::kBad : Answer::kBadKey;
    }
  }

  static void verify(const Job* given, int count, const BaseTable& base, Answer* answers) {
    const Constants c = constants();
    const Job* jobs[kMaxLanes];
    fill(given, count, jobs);
    const unsigned char* r_bytes[kMaxLanes];
    const unsigned char* key_bytes[kMaxLanes];
    for (int i = 0; i < kLanes; ++i) {
      r_bytes[i] = jobs[i]->r;
      key_bytes[i] = jobs[i]->key;
    }
    Bits points = 0;
    Bits keys = 0;
    const Point r = decode(r_bytes, c, points);
    Cached table[8];
    multiples(negated(decode(key_bytes, c, keys), c), c, table);
    Point acc = identity(c);
    for (int i = kKeyDigits - 1; i >= 0; --i) {
      if (i != kKeyDigits - 1) {
        for (int k = 0; k < 3; ++k) projective(dbl(acc), acc);
        acc = extended(dbl(acc));
      }
      std::int8_t digits[kMaxLanes];
      for (int lane = 0; lane < kLanes; ++lane) digits[lane] = jobs[lane]->k[i];
      const Factors sum = add(acc, pick(table, digits, c));
      if (i % 2 != 0) {
        projective(sum, acc);
        continue;
      }
      acc = extended(sum);
      const auto entry = [&](int, int m) { return &base.entry[m]; };
      acc = extended(add(acc, pick_digit(i / 2, jobs, entry, true, c)));
    }
    acc = extended(add(acc, cached(negated(r, c), c)));
    answer(count, keys, points, torsion(acc), answers);
  }

  static void verify_known(const Job* given, const KeyTable* const* tables, int count,
                           const CombTable& base, Answer* answers) {
    const Constants c = constants();
    const Job* jobs[kMaxLanes];
    fill(given, count, jobs);
    const unsigned char* r_bytes[kMaxLanes];
    for (int i = 0; i < kLanes; ++i) r_bytes[i] = jobs[i]->r;
    Bits points = 0;
    Point acc = negated(decode(r_bytes, c, points), c);
    const Point minus_r = acc;
    acc = identity(c);
    for (int turn = kTurns - 1; turn >= 0; --turn) {
      if (turn != kTurns - 1) {
        for (int k = 0; k < 3; ++k) projective(dbl(acc), acc);
        acc = extended(dbl(acc));
      }
      for (int i = 0; i < kKeyDigits / kTurns; ++i) {
        const auto entry = [&](int lane, int m) {
          return &tables[lane < count ? lane : 0]->entry[i][m];
        };
        acc = extended(add(acc, pick_digit(kTurns * i + turn, jobs, entry, false, c)));
        if (turn % 2 != 0) continue;
        const auto base_entry = [&](int, int m) { return &base.entry[i][m]; };
        acc = extended(add(acc, pick_digit((kTurns * i + turn) / 2, jobs, base_entry, true, c)));
      }
    }
    acc = extended(add(acc, cached(minus_r, c)));
    answer(count, kAll, points, torsion(acc), answers);
  }

  // Straus: each lane sums every kLanes-th term; all terms of a lane share the doublings.
  /// Multiples 0..8 of each lane's point, lane by lane: a digit then touches one entry a lane and
  /// not the whole table.
  struct Rows {
    struct alignas(64) Entry {
      std::uint64_t limb[24];  // y+x, y-x, 2dt, 2z
    };
    Entry entry[kLanes][9];

    void store(int m, const Cached& p) {
      constexpr int kStride = sizeof(entry[0]) / 8;
      std::uint64_t* at = entry[0][m].limb;
      p.plus.store(at, kStride);
      p.minus.store(at + 5, kStride);
      p.t2d.store(at + 10, kStride);
      p.z2.store(at + 16, kStride);
    }
    Cached pick(const std::int8_t* digits, const Constants& c) const {
      const std::uint64_t* at[kMaxLanes];
      const std::uint64_t* z_at[kMaxLanes];
      Bits signs = 0;
      for (int i = 0; i < kLanes; ++i) {
        const int digit = digits[i];
        const Entry& e = entry[i][digit < 0 ? -digit : digit];
        at[i] = e.limb;
        z_at[i] = e.limb + 16;
        signs |= static_cast<Bits>(digit < 0) << i;
      }
      F plus, minus, t2d;
      F::load_rows(at, plus, minus, t2d);
      return {F::select(signs, minus, plus), F::select(signs, plus, minus), F::load_row(z_at),
              F::select(signs, F::sub(c.zero, t2d), t2d)};
    }
  };

  struct Sum {
    const Term* terms;
    int count;
    int digits;    // those above are zero
    Rows* tables;  // one for each round

    int rounds() const { return (count + kLanes - 1) / kLanes; }
    bool live(int round, int lane) const { return round * kLanes + lane < count; }
    const Term& term(int round, int lane) const {
      return terms[live(round, lane) ? round * kLanes + lane : 0];
    }
    /// False when a point does not decode.
    bool prepare(const Constants& c) const {
      Bits good = kAll;
      for (int t = 0; t < rounds() && good == kAll; ++t) {
        const unsigned char* bytes[kMaxLanes];
        for (int i = 0; i < kLanes; ++i) bytes[i] = term(t, i).point;
        Cached table[8];
        multiples(negated(decode(bytes, c, good), c), c, table);
        tables[t].store(0, {c.one, c.one, F::add(c.one, c.one), c.zero});
        for (int m = 1; m <= 8; ++m) tables[t].store(m, table[m - 1]);
      }
      return good == kAll;
    }
    void add_digit(int digit, const Constants& c, Point& acc) const {
      if (digit >= digits) return;
      for (int t = 0; t < rounds(); ++t) {
        std::int8_t picked[kMaxLanes];
        for (int i = 0; i < kLanes; ++i) {
          picked[i] = live(t, i) ? term(t, i).digits[digit] : std::int8_t{0};
        }
        acc = extended(Lanes::add(acc, tables[t].pick(picked, c)));
      }
    }
  };

  static bool combine(const Term* halves, int half_count, const Term* wholes, int whole_count,
                      const std::int16_t* s, const BaseTable& base) {
    const Constants c = constants();
    // On the heap: hundreds of KiB of static thread storage would count against the stack of every
    // thread of the process, and threads of libraries with small stacks could not start.
    static thread_local const std::unique_ptr<Rows[]> rows(new Rows[2 * kTermsPerLane]);
    Rows* const tables = rows.get();
    const Sum half{halves, half_count, kHalfDigits, tables};
    const Sum whole{wholes, whole_count, kKeyDigits, tables + kTermsPerLane};
    if (!half.prepare(c) || !whole.prepare(c)) return false;
    Point acc = identity(c);
    for (int digit = kKeyDigits - 1; digit >= 0; --digit) {
      if (digit != kKeyDigits - 1) {
        for (int k = 0; k < 3; ++k) projective(dbl(acc), acc);
        acc = extended(dbl(acc));
      }
      whole.add_digit(digit, c, acc);
      half.add_digit(digit, c, acc);
      if (digit % 2 == 0) acc = extended(add(acc, base_term(s[digit / 2], base, c)));
    }
    return torsion(sum_of_lanes(acc, c)) == kAll;
  }

  /// The digit's multiple of B in lane 0, the identity elsewhere.
  static Affine base_term(int digit, const BaseTable& base, const Constants& c) {
    const Niels* entries[kMaxLanes];
    for (int i = 0; i < kLanes; ++i) entries[i] = &base.entry[0];
    entries[0] = &base.entry[digit < 0 ? -digit : digit];
    return pick(entries, digit < 0 ? 1 : 0, c);
  }
  /// Every lane gets the sum of all lanes.
  static Point sum_of_lanes(Point p, const Constants& c) {
    for (int step = 1; step < kLanes; step *= 2) {
      const Point other{p.x.rotated(step), p.y.rotated(step), p.z.rotated(step), p.t.rotated(step)};
      p = extended(add(p, cached(other, c)));
    }
    return p;
  }
};

}  // namespace
}  // namespace thresher::crypto::lanes
