#include "thresher/crypto/ristretto_sum.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "ristretto.hpp"
#include "scalar.hpp"
#include "straus.hpp"

namespace thresher::crypto {
namespace {
constexpr int kWidth = 5;
}  // namespace

struct RistrettoTable::Impl {
  std::vector<ed25519::Multiples<kWidth>> points;
};

RistrettoTable::RistrettoTable(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RistrettoTable::RistrettoTable(RistrettoTable&&) noexcept = default;
RistrettoTable& RistrettoTable::operator=(RistrettoTable&&) noexcept = default;
RistrettoTable::~RistrettoTable() = default;

std::optional<RistrettoTable> RistrettoTable::of(std::span<const RistrettoPoint> points) {
  auto impl = std::make_unique<Impl>();
  impl->points.reserve(points.size());
  for (const RistrettoPoint& bytes : points) {
    const auto p = ed25519::ristretto_decode(bytes);
    if (!p) return std::nullopt;
    impl->points.emplace_back(*p);
  }
  return RistrettoTable(std::move(impl));
}

std::size_t RistrettoTable::size() const {
  return impl_->points.size();
}

std::optional<RistrettoPoint> RistrettoTable::sum(std::span<const RistrettoScalar> scalars) const {
  if (scalars.size() != size()) return std::nullopt;
  if (!std::all_of(scalars.begin(), scalars.end(), ed25519::below_order)) return std::nullopt;
  std::vector<ed25519::Term> terms;
  terms.reserve(size());
  for (std::size_t i = 0; i < size(); ++i)
    terms.push_back({ed25519::wnaf(scalars[i], kWidth), impl_->points[i].entries});
  return ed25519::ristretto_encode(ed25519::straus_sum(terms));
}

std::optional<RistrettoPoint> ristretto_sum(std::span<const RistrettoScalar> scalars,
                                            std::span<const RistrettoPoint> points) {
  const auto table = RistrettoTable::of(points);
  return table ? table->sum(scalars) : std::nullopt;
}

}  // namespace thresher::crypto
