#include "tables32.hpp"

#include <cstring>
#include <memory>
#include <vector>

namespace thresher::crypto::device {
namespace {

struct Pending {
  Extended point;
  Niels* place;
};

// All Z at once: one inversion and three multiplications a point (Montgomery's trick).
void to_affine(const std::vector<Pending>& points) {
  std::vector<Fe> products{fe_small(1)};
  products.reserve(points.size() + 1);
  for (const Pending& p : points) products.push_back(fe_mul(products.back(), p.point.z));
  Fe inverse = fe_invert(products.back());
  for (std::size_t i = points.size(); i-- > 0;) {
    const Extended& p = points[i].point;
    const Fe z = fe_mul(inverse, products[i]);
    inverse = fe_mul(inverse, p.z);
    const Fe x = fe_mul(p.x, z), y = fe_mul(p.y, z);
    *points[i].place = {fe_add(y, x), fe_sub(y, x), fe_mul(fe_mul(x, y), fe_d2())};
  }
}

/// Row i holds multiples 0..columns-1 of 2^(shift i) p.
void fill(Extended p, int rows, int columns, int shift, Niels* entries) {
  std::vector<Pending> points;
  points.reserve(static_cast<std::size_t>(rows * columns));
  for (int row = 0; row < rows; ++row) {
    const Cached step = to_cached(p);
    Extended current = identity();
    for (int m = 0; m < columns; ++m) {
      points.push_back({current, entries++});
      current = to_extended(add_entry(current, step, false));
    }
    p = doubled(p, shift);
  }
  to_affine(points);
}

}  // namespace

const BaseTable& base_table() {
  static const auto kTable = [] {
    auto table = std::make_unique<BaseTable>();
    Fe encoding;  // y = 4/5, x even; RFC 8032, 5.1
    for (u32& word : encoding.w) word = 0x66666666u;
    encoding.w[0] = 0x66666658u;
    Extended base;
    (void)decode(encoding, base);
    fill(base, kBaseDigits, kBaseMultiples, 8, &table->entry[0][0]);
    return table;
  }();
  return *kTable;
}

bool make_key_table(std::span<const std::byte, 32> key, KeyTable& out) {
  Fe encoding;
  std::memcpy(encoding.w, key.data(), sizeof encoding.w);
  Extended a;
  if (!decode(encoding, a)) return false;
  fill(negated(a), kKeyDigits, kKeyMultiples, 4, &out.entry[0][0]);
  return true;
}

}  // namespace thresher::crypto::device
