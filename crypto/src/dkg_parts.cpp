#include "dkg_parts.hpp"

#include <algorithm>

#include "sha512.hpp"
#include "thresher/crypto/ristretto_sum.hpp"

namespace thresher::crypto::dkg {
namespace {

constexpr std::size_t kItem = 32;

std::uint32_t ceiling(std::uint32_t a, std::uint32_t b) {
  return (a + b - 1) / b;
}

}  // namespace

DkgShape::DkgShape(const DkgSetup& s)
    : n(s.committee.size()),
      coefficients(s.committee.at_least(kValidity)),
      threshold(s.threshold),
      dealers(n),
      keeps(s.reshares.has_value()) {
  if (keeps) {
    const auto& before = s.reshares->before;
    dealers = static_cast<std::uint32_t>(std::count_if(
        before.begin(), before.end(), [](const auto& old) { return old.has_value(); }));
  }
  const std::uint32_t f = s.committee.faults();
  enough = dealers > f ? dealers - f : 0;
  rows = std::max<std::uint32_t>(enough > f ? enough - f : 0, 1);
  secrets = keeps ? 1 + ceiling(threshold - 1, rows) : ceiling(threshold, rows);
}

std::size_t DkgShape::bytes() const {
  const std::size_t items = DealingView::kHead + std::size_t{secrets} * (coefficients + n);
  return items * kItem;
}

std::uint32_t DkgShape::index(std::uint32_t secret, std::uint32_t row) const {
  if (!keeps) return secret * rows + row;
  return secret == 0 ? 0 : 1 + (secret - 1) * rows + row;
}

std::uint32_t DkgShape::rows_of(std::uint32_t secret) const {
  if (keeps && secret == 0) return 1;
  return std::min(rows, threshold - index(secret, 0));
}

Digest session_of(const DkgSetup& s) {
  Transcript t("thresher/dkg/1", s.chain);
  t.u32(s.committee.size()).u32(s.committee.faults()).u32(s.threshold);
  for (const RistrettoPoint& key : s.keys) t.bytes(key);
  t.u8(s.reshares ? 1 : 0);
  if (s.reshares) {
    t.u32(s.reshares->keys.threshold).u64(s.reshares->keys.nodes.size());
    for (const RistrettoPoint& key : s.reshares->keys.nodes) t.bytes(key);
    for (const auto& old : s.reshares->before) t.u8(old ? 1 : 0).u16(old ? old->value : 0);
  }
  return t.digest();
}

std::optional<SharedPoint> shared_point(const Scalar& secret, const RistrettoPoint& key) {
  auto point = ristretto_multiply(secret, key);
  if (!point) return std::nullopt;
  SharedPoint out(*point);
  sodium_memzero(point->data(), point->size());
  return out;
}

Scalar pad_of(const PadName& name, const RistrettoPoint& shared) {
  constexpr std::string_view kDomain = "thresher/dkg-pad/1";
  Writer w;
  w.u8(static_cast<std::uint8_t>(name.kind))
      .u16(name.from.value)
      .u16(name.to.value)
      .u32(name.index);
  Sha512 wide = sha512({as_view(kDomain), name.session.bytes, w.view(), shared});
  return shamir::scalar_of(wide);
}

std::vector<RistrettoPoint> DealingView::commitments(std::uint32_t secret) const {
  std::vector<RistrettoPoint> out;
  for (std::uint32_t k = 0; k < shape_->coefficients; ++k) out.push_back(commitment(secret, k));
  return out;
}

RistrettoPoint DealingView::item(std::size_t at) const {
  RistrettoPoint out;
  const ByteView bytes = bytes_.subspan(at * kItem, kItem);
  std::copy(bytes.begin(), bytes.end(), out.begin());
  return out;
}

bool fits(const Scalar& share, NodeId node, std::span<const RistrettoPoint> commitments) {
  const auto made = ristretto_base(share);
  return made && made == ristretto_sum(shamir::powers(shamir::place_of(node), commitments.size()),
                                       commitments);
}

// Row a of a batch is the sum over dealers of place^a times what each dealt: any `rows` columns of
// this Vandermonde matrix are independent, so that many correct dealers make all rows uniform.
std::vector<Scalar> weights_at(const DkgShape& shape, std::span<const NodeId> dealers,
                               std::span<const Scalar> old_weights, const Scalar& at) {
  const std::vector<Scalar> up = shamir::powers(at, shape.threshold);
  std::vector<Scalar> out;
  out.reserve(dealers.size() * shape.secrets);
  for (std::size_t d = 0; d < dealers.size(); ++d) {
    const std::vector<Scalar> across = shamir::powers(shamir::place_of(dealers[d]), shape.rows);
    for (std::uint32_t b = 0; b < shape.secrets; ++b) {
      if (shape.keeps && b == 0) {
        out.push_back(old_weights[d]);
        continue;
      }
      Scalar sum{};
      for (std::uint32_t a = 0; a < shape.rows_of(b); ++a)
        sum = shamir::add(sum, shamir::multiply(up[shape.index(b, a)], across[a]));
      out.push_back(sum);
    }
  }
  return out;
}

}  // namespace thresher::crypto::dkg
