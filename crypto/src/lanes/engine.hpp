// The lane engine over any vector field F: decompression, multi-scalar multiplication, verdicts.
// Included once by each file that is compiled for an instruction set; everything has internal
// linkage, so that no code for newer processors leaks into others.
//
// Cost a signature, in field multiplications: two decompressions 548, table of A 64, 64 windows of
// four doublings and one and a half additions 2,530, the check 24: about 3,170; with a known key
// 274 + 64 x 7 + 32 x 7 + 12 x 7 + 24 = 1,050. Source of the formulas: edwards.hpp.
//
// Sums may be "loose" (three times a product's bound) or "tight" (a product's): F::add and F::sub
// give loose ones, F::mul takes one loose and one tight factor, F::sqr a tight one, and table
// entries and the coordinates of points are tight.
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
  static F tight_sum(const F& a, const F& b) { return F::tight(F::add(a, b)); }
  static F tight_difference(const F& a, const F& b) { return F::tight(F::sub(a, b)); }
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
    const F h = tight_sum(xx, yy);
    const F g = F::sub(xx, yy);
    return {F::sub(h, F::sqr(tight_sum(p.x, p.y))), tight_sum(F::add(zz, zz), g), g, h};
  }
  static Factors sum(const F& a, const F& b, const F& c, const F& d) {
    return {F::sub(b, a), tight_difference(d, c), F::add(d, c), tight_sum(b, a)};
  }
  static Factors add(const Point& p, const Cached& q) {
    return sum(F::mul(F::sub(p.y, p.x), q.minus), F::mul(F::add(p.y, p.x), q.plus),
               F::mul(p.t, q.t2d), F::mul(p.z, q.z2));
  }
  static Factors add(const Point& p, const Affine& q) {
    return sum(F::mul(F::sub(p.y, p.x), q.minus), F::mul(F::add(p.y, p.x), q.plus),
               F::mul(p.t, q.t2d), F::add(p.z, p.z));
  }
  static Cached cached(const Point& p, const Constants& c) {
    return {tight_sum(p.y, p.x), tight_difference(p.y, p.x), F::add(p.z, p.z), F::mul(p.t, c.d2)};
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
    F parts[3];
    F::load_parts(parts, 3, at);
    return {F::select(signs, parts[1], parts[0]), F::select(signs, parts[0], parts[1]),
            F::select(signs, F::sub(c.zero, parts[2]), parts[2])};
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
    [[maybe_unused]] const typename F::Scope scope;
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
    [[maybe_unused]] const typename F::Scope scope;
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

  /// Minus each point, ready to be added.
  static Bits decode_negated(const unsigned char* const* encodings, int count, Niels* out) {
    [[maybe_unused]] const typename F::Scope scope;
    const Constants c = constants();
    const unsigned char* bytes[kMaxLanes];
    Niels spare;
    std::uint64_t* rows[kMaxLanes];
    for (int i = 0; i < kLanes; ++i) {
      bytes[i] = encodings[i < count ? i : 0];
      rows[i] = i < count ? out[i].limb : spare.limb;
    }
    Bits good = 0;
    const Cached p = cached(negated(decode(bytes, c, good), c), c);
    const F parts[3] = {p.plus, p.minus, p.t2d};
    F::store_parts(parts, 3, rows);
    return good & ((Bits{1} << count) - 1);
  }

  /// Multiples 0..8 of each lane's point, lane by lane: a digit then touches one entry a lane and
  /// not the whole table.
  struct Rows {
    struct alignas(64) Entry {
      std::uint64_t limb[24];  // y+x, y-x, 2dt, 2z
    };
    Entry entry[kLanes][9];

    void store(int m, const Cached& p) {
      std::uint64_t* rows[kMaxLanes];
      for (int i = 0; i < kLanes; ++i) rows[i] = entry[i][m].limb;
      const F parts[4] = {p.plus, p.minus, p.t2d, p.z2};
      F::store_parts(parts, 4, rows);
    }
    Cached pick(const std::int8_t* digits, const Constants& c) const {
      const std::uint64_t* at[kMaxLanes];
      Bits signs = 0;
      for (int i = 0; i < kLanes; ++i) {
        const int digit = digits[i];
        at[i] = entry[i][digit < 0 ? -digit : digit].limb;
        signs |= static_cast<Bits>(digit < 0) << i;
      }
      F parts[4];
      F::load_parts(parts, 4, at);
      return {F::select(signs, parts[1], parts[0]), F::select(signs, parts[0], parts[1]), parts[3],
              F::select(signs, F::sub(c.zero, parts[2]), parts[2])};
    }
  };

  /// The terms of one kind for Straus: each lane has every kLanes-th.
  struct Side {
    const Term* terms;
    int count;
    int digits;    // base 16; those above are zero
    Rows* tables;  // one for each round

    int rounds() const { return (count + kLanes - 1) / kLanes; }
    bool live(int round, int lane) const { return round * kLanes + lane < count; }
    const Term& term(int round, int lane) const {
      return terms[live(round, lane) ? round * kLanes + lane : 0];
    }
    void prepare(const Constants& c) const {
      for (int t = 0; t < rounds(); ++t) {
        const std::uint64_t* at[kMaxLanes];
        for (int i = 0; i < kLanes; ++i) at[i] = term(t, i).point->limb;
        F parts[3];
        F::load_parts(parts, 3, at);
        const Cached first{parts[0], parts[1], F::add(c.one, c.one), parts[2]};
        tables[t].store(0, {c.one, c.one, first.z2, c.zero});
        tables[t].store(1, first);
        // Twice the coordinates with Z = 2 are the same point.
        Point p{tight_difference(first.plus, first.minus), tight_sum(first.plus, first.minus),
                first.z2, c.zero};
        p = extended(dbl(p));
        tables[t].store(2, cached(p, c));
        for (int m = 3; m <= 8; ++m) {
          p = extended(Lanes::add(p, first));
          tables[t].store(m, cached(p, c));
        }
      }
    }
    // A byte -128..127 is 16 high + low, with digits of -8..8.
    static std::int8_t half_byte(int byte, bool high) {
      const int upper = (byte + 8) >> 4;
      return static_cast<std::int8_t>(high ? upper : byte - 16 * upper);
    }
    void add_digit(int digit, const Constants& c, Point& acc) const {
      if (digit >= digits) return;
      for (int t = 0; t < rounds(); ++t) {
        std::int8_t picked[kMaxLanes];
        for (int i = 0; i < kLanes; ++i) {
          picked[i] =
              live(t, i) ? half_byte(term(t, i).digits[digit / 2], digit % 2 != 0) : std::int8_t{0};
        }
        acc = extended(Lanes::add(acc, tables[t].pick(picked, c)));
      }
    }
  };

  /// Lane by lane, in limbs.
  static void give(const Point& p, PointLimbs* out) {
    const F* coordinates[4] = {&p.x, &p.y, &p.z, &p.t};
    for (int k = 0; k < 4; ++k) {
      Limbs all[kMaxLanes];
      coordinates[k]->store(all[0].limb, sizeof(Limbs) / 8);
      for (int i = 0; i < kLanes; ++i) {
        const Limbs f = frozen(all[i]);
        for (int limb = 0; limb < 5; ++limb) out[i].limb[5 * k + limb] = f.limb[limb];
      }
    }
  }

  static void straus(const Terms& terms, PointLimbs* sums) {
    [[maybe_unused]] const typename F::Scope scope;
    const Constants c = constants();
    // On the heap: hundreds of KiB of static thread storage would count against the stack of every
    // thread of the process, and threads of libraries with small stacks could not start.
    static thread_local std::unique_ptr<Rows[]> rows;
    static thread_local int rows_there = 0;
    Side half{terms.halves, terms.half_count, 2 * kHalfDigits, nullptr};
    Side whole{terms.wholes, terms.whole_count, 2 * kWholeDigits, nullptr};
    const int needed = half.rounds() + whole.rounds();
    if (rows_there < needed) {
      rows.reset(new Rows[static_cast<std::size_t>(needed)]);
      rows_there = needed;
    }
    half.tables = rows.get();
    whole.tables = rows.get() + half.rounds();
    half.prepare(c);
    whole.prepare(c);
    Point acc = identity(c);
    for (int digit = 2 * kWholeDigits - 1; digit >= 0; --digit) {
      if (digit != 2 * kWholeDigits - 1) {
        for (int k = 0; k < 3; ++k) projective(dbl(acc), acc);
        acc = extended(dbl(acc));
      }
      whole.add_digit(digit, c, acc);
      half.add_digit(digit, c, acc);
    }
    give(acc, sums);
  }

  // Pippenger with as many windows side by side as there are lanes: a point is added to one bucket
  // of each window at once, so that no two lanes ever want the same bucket, and folding the buckets
  // costs one lane's work for each window.
  struct Buckets {
    static constexpr int kMost = 128;
    struct alignas(64) Row {
      std::uint64_t limb[24];  // X, Y, Z, T
    };
    std::unique_ptr<Row[]> rows{new Row[static_cast<std::size_t>(kMost + 1) * kLanes]};

    std::uint64_t* at(int bucket, int lane) const {
      return rows[static_cast<std::size_t>(bucket * kLanes + lane)].limb;
    }
    static Point load(const std::uint64_t* const* from) {
      F parts[4];
      F::load_parts(parts, 4, from);
      return {parts[0], parts[1], parts[2], parts[3]};
    }
    static void store(const Point& p, std::uint64_t* const* to) {
      const F parts[4] = {p.x, p.y, p.z, p.t};
      F::store_parts(parts, 4, to);
    }
    void clear(const Constants& c) const {
      const Point zero = identity(c);
      for (int m = 0; m <= kMost; ++m) {
        std::uint64_t* to[kMaxLanes];
        for (int i = 0; i < kLanes; ++i) to[i] = at(m, i);
        store(zero, to);
      }
    }
    /// Bucket 0 takes what counts nothing: cheaper than a branch.
    void add(const Term& term, int first_digit, const Constants& c) const {
      std::uint64_t* row[kMaxLanes];
      Bits signs = 0;
      for (int i = 0; i < kLanes; ++i) {
        const int digit = term.digits[first_digit + i];
        row[i] = at(digit < 0 ? -digit : digit, i);
        signs |= static_cast<Bits>(digit < 0) << i;
      }
      const std::uint64_t* p = term.point->limb;
      const F up = F::spread(p), down = F::spread(p + 5), t2d = F::spread(p + 10);
      const Affine entry{F::select(signs, down, up), F::select(signs, up, down),
                         F::select(signs, F::sub(c.zero, t2d), t2d)};
      store(extended(Lanes::add(load(row), entry)), row);
    }
    /// The sum of m times bucket m, by running sums.
    Point folded(const Constants& c) const {
      Point running = identity(c);
      Point total = running;
      for (int m = kMost; m >= 1; --m) {
        const std::uint64_t* from[kMaxLanes];
        for (int i = 0; i < kLanes; ++i) from[i] = at(m, i);
        running = extended(Lanes::add(running, cached(load(from), c)));
        total = extended(Lanes::add(total, cached(running, c)));
      }
      return total;
    }
  };

  static void buckets(const Terms& terms, PointLimbs* sums) {
    [[maybe_unused]] const typename F::Scope scope;
    static_assert(kHalfDigits % kLanes == 0);
    const Constants c = constants();
    static thread_local const Buckets all;
    for (int first = 0; first < kWholeDigits; first += kLanes) {
      all.clear(c);
      for (int i = 0; i < terms.whole_count; ++i) all.add(terms.wholes[i], first, c);
      for (int i = 0; first < kHalfDigits && i < terms.half_count; ++i) {
        all.add(terms.halves[i], first, c);
      }
      give(all.folded(c), sums + first);
    }
  }
};

}  // namespace
}  // namespace thresher::crypto::lanes
