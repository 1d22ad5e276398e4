#include "tables.hpp"

#include <bit>
#include <vector>

#include "../edwards.hpp"

namespace thresher::crypto::lanes {
namespace {

using ed25519::Extended;
using ed25519::Fe;

void put(const Fe& x, Form form, std::uint64_t* out) {
  const Fe reduced = ed25519::fe_mul(x, ed25519::kOne);
  std::int64_t limb[5];
  for (std::size_t k = 0; k < 5; ++k) limb[k] = static_cast<std::int64_t>(reduced.limb[k]);
  if (form == Form::kSigned) {
    for (std::size_t k = 0; k < 5; ++k) {
      const std::int64_t carry = (limb[k] + (std::int64_t{1} << 50)) >> 51;
      limb[k] -= carry * (std::int64_t{1} << 51);
      limb[(k + 1) % 5] += k == 4 ? 19 * carry : carry;
    }
  }
  for (std::size_t k = 0; k < 5; ++k) {
    out[k] = form == Form::kSigned ? std::bit_cast<std::uint64_t>(static_cast<double>(limb[k]))
                                   : static_cast<std::uint64_t>(limb[k]);
  }
}

// All Z at once: one inversion and three multiplications a point (Montgomery's trick).
void to_affine(const std::vector<Extended>& points, Form form, const std::vector<Niels*>& out) {
  std::vector<Fe> products{ed25519::kOne};
  products.reserve(points.size() + 1);
  for (const Extended& p : points) products.push_back(ed25519::fe_mul(products.back(), p.z));
  Fe inverse = ed25519::fe_invert(products.back());
  for (std::size_t i = points.size(); i-- > 0;) {
    const Fe z = ed25519::fe_mul(inverse, products[i]);
    inverse = ed25519::fe_mul(inverse, points[i].z);
    const Fe x = ed25519::fe_mul(points[i].x, z);
    const Fe y = ed25519::fe_mul(points[i].y, z);
    put(ed25519::fe_add(y, x), form, out[i]->limb);
    put(ed25519::fe_sub(y, x), form, out[i]->limb + 5);
    put(ed25519::fe_mul(ed25519::fe_mul(x, y), ed25519::constants().d2), form, out[i]->limb + 10);
  }
}

// Multiples 0..count of p, appended.
void add_multiples(const Extended& p, int count, Niels* row, std::vector<Extended>& points,
                   std::vector<Niels*>& places) {
  const ed25519::Cached step = ed25519::to_cached(p);
  Extended current{ed25519::kZero, ed25519::kOne, ed25519::kOne, ed25519::kZero};
  for (int m = 0; m <= count; ++m) {
    points.push_back(current);
    places.push_back(&row[m]);
    current = ed25519::to_extended(ed25519::add(current, step));
  }
}

Extended doubled(Extended p, int times) {
  for (int i = 0; i < times; ++i) p = ed25519::to_extended(ed25519::dbl(p.x, p.y, p.z));
  return p;
}

std::unique_ptr<BaseTable> make_base_table(Form form) {
  auto table = std::make_unique<BaseTable>();
  std::vector<Extended> points;
  std::vector<Niels*> places;
  add_multiples(ed25519::base_point(), kBaseEntries, table->entry, points, places);
  to_affine(points, form, places);
  return table;
}

std::unique_ptr<CombTable> make_comb_table(Form form) {
  auto table = std::make_unique<CombTable>();
  std::vector<Extended> points;
  std::vector<Niels*> places;
  Extended p = ed25519::base_point();
  for (auto& row : table->entry) {
    add_multiples(p, kBaseEntries, row, points, places);
    p = doubled(p, 4 * kTurns);
  }
  to_affine(points, form, places);
  return table;
}

}  // namespace

const BaseTable& base_table(Form form) {
  static const auto kUnsigned = make_base_table(Form::kUnsigned);
  static const auto kSigned = make_base_table(Form::kSigned);
  return form == Form::kSigned ? *kSigned : *kUnsigned;
}

const CombTable& comb_table(Form form) {
  if (form == Form::kSigned) {
    static const auto kTable = make_comb_table(Form::kSigned);
    return *kTable;
  }
  static const auto kTable = make_comb_table(Form::kUnsigned);
  return *kTable;
}

std::unique_ptr<KeyTable> key_table(std::span<const std::byte, 32> key, Form form) {
  const auto a = ed25519::decode(key);
  if (!a) return nullptr;
  auto table = std::make_unique<KeyTable>();
  std::vector<Extended> points;
  std::vector<Niels*> places;
  Extended p{ed25519::fe_mul(ed25519::fe_sub(ed25519::kZero, a->x), ed25519::kOne), a->y, a->z,
             ed25519::fe_mul(ed25519::fe_sub(ed25519::kZero, a->t), ed25519::kOne)};
  for (auto& row : table->entry) {
    add_multiples(p, 8, row, points, places);
    p = doubled(p, 4 * kTurns);
  }
  to_affine(points, form, places);
  return table;
}

void recode16(std::span<const std::byte, 32> scalar, std::int8_t* digits) {
  int carry = 0;
  for (std::size_t i = 0; i < kKeyDigits; ++i) {
    const int byte = std::to_integer<int>(scalar[i / 2]);
    int digit = (i % 2 == 0 ? byte & 15 : byte >> 4) + carry;
    carry = digit >= 8 && i + 1 < kKeyDigits ? 1 : 0;
    digit -= 16 * carry;
    digits[i] = static_cast<std::int8_t>(digit);
  }
}

void recode256(std::span<const std::byte, 32> scalar, std::int16_t* digits) {
  int carry = 0;
  for (std::size_t i = 0; i < kBaseDigits; ++i) {
    int digit = std::to_integer<int>(scalar[i]) + carry;
    carry = digit >= 128 ? 1 : 0;
    digit -= 256 * carry;
    digits[i] = static_cast<std::int16_t>(digit);
  }
}

}  // namespace thresher::crypto::lanes
