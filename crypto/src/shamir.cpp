#include "shamir.hpp"

#include "sha512.hpp"

namespace thresher::crypto::shamir {

Scalar add(const Scalar& a, const Scalar& b) {
  Scalar out;
  crypto_core_ristretto255_scalar_add(raw_bytes(out.data()), raw_bytes(a.data()),
                                      raw_bytes(b.data()));
  return out;
}

Scalar subtract(const Scalar& a, const Scalar& b) {
  Scalar out;
  crypto_core_ristretto255_scalar_sub(raw_bytes(out.data()), raw_bytes(a.data()),
                                      raw_bytes(b.data()));
  return out;
}

Scalar multiply(const Scalar& a, const Scalar& b) {
  Scalar out;
  crypto_core_ristretto255_scalar_mul(raw_bytes(out.data()), raw_bytes(a.data()),
                                      raw_bytes(b.data()));
  return out;
}

Scalar number(std::uint32_t value) {
  Scalar out{};
  for (std::size_t i = 0; i < sizeof value; ++i) out[i] = static_cast<std::byte>(value >> (8 * i));
  return out;
}

Scalar place_of(NodeId node) {
  return number(node.value + std::uint32_t{1});
}

Scalar scalar_of(std::array<std::byte, 64>& uniform) {
  Scalar out;
  crypto_core_ristretto255_scalar_reduce(raw_bytes(out.data()), raw_bytes(uniform.data()));
  sodium_memzero(uniform.data(), uniform.size());
  return out;
}

Scalar evaluate(std::span<const Scalar> coefficients, const Scalar& at) {
  Scalar value{};
  for (std::size_t k = coefficients.size(); k-- > 0;)
    value = add(multiply(value, at), coefficients[k]);
  return value;
}

std::vector<Scalar> powers(const Scalar& at, std::size_t count) {
  std::vector<Scalar> out;
  out.reserve(count);
  for (Scalar power = number(1); out.size() < count; power = multiply(power, at))
    out.push_back(power);
  return out;
}

// One inversion for all (Montgomery's trick): each weight is a quotient of products.
std::optional<Weights> Weights::of(std::span<const NodeId> nodes) {
  Weights out;
  for (const NodeId node : nodes) out.places_.push_back(place_of(node));
  std::vector<Scalar> below, before;
  Scalar product = number(1);
  for (const Scalar& mine : out.places_) {
    Scalar down = number(1);
    for (const Scalar& other : out.places_) {
      if (&other != &mine) down = multiply(down, subtract(mine, other));
    }
    below.push_back(down);
    before.push_back(product);
    product = multiply(product, down);
  }
  Scalar inverse;
  if (crypto_core_ristretto255_scalar_invert(raw_bytes(inverse.data()),
                                             raw_bytes(product.data())) != 0) {
    return std::nullopt;
  }
  out.inverse_.resize(nodes.size());
  for (std::size_t i = nodes.size(); i-- > 0;) {
    out.inverse_[i] = multiply(inverse, before[i]);
    inverse = multiply(inverse, below[i]);
  }
  return out;
}

// Above the line stand the distances of all others: the product of those before and of those after.
std::vector<Scalar> Weights::at(const Scalar& place) const {
  std::vector<Scalar> out = inverse_;
  Scalar before = number(1);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    out[i] = multiply(out[i], before);
    before = multiply(before, subtract(place, places_[i]));
  }
  Scalar after = number(1);
  for (std::size_t i = places_.size(); i-- > 0;) {
    out[i] = multiply(out[i], after);
    after = multiply(after, subtract(place, places_[i]));
  }
  return out;
}

std::optional<std::vector<Scalar>> lagrange_weights(std::span<const NodeId> nodes,
                                                    const Scalar& at) {
  const auto weights = Weights::of(nodes);
  return weights ? std::optional(weights->at(at)) : std::nullopt;
}

}  // namespace thresher::crypto::shamir
