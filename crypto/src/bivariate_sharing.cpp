#include "thresher/crypto/bivariate_sharing.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "scalar.hpp"
#include "sha512.hpp"
#include "shamir.hpp"
#include "thresher/core/node_ids.hpp"
#include "thresher/crypto/ristretto_sum.hpp"

namespace thresher::crypto {
namespace {

using shamir::Scalar;

constexpr std::size_t kItem = 32;

/// The `at`-th number or point of many. Pre: it is there.
Scalar item(ByteView bytes, std::size_t at) {
  Scalar out;
  const ByteView one = bytes.subspan(at * kItem, kItem);
  std::copy(one.begin(), one.end(), out.begin());
  return out;
}

std::vector<Scalar> items(ByteView bytes) {
  std::vector<Scalar> out;
  for (std::size_t i = 0; i < bytes.size() / kItem; ++i) out.push_back(item(bytes, i));
  return out;
}

Bytes bytes_of(std::span<const Scalar> items) {
  Writer w;
  w.reserve(items.size() * sizeof(Scalar));  // no growth, so no copies are left behind
  for (const Scalar& one : items) w.bytes(one);
  return Bytes::from(w.take());
}

/// scalar * G == point, where zero belongs to the identity: a liar may deal zeros, and a node that
/// refused them would refuse what correct nodes send of its rows.
bool opens(const Scalar& scalar, const std::optional<RistrettoPoint>& point) {
  if (!point || !ed25519::below_order(scalar)) return false;
  if (scalar == Scalar{}) return *point == RistrettoPoint{};
  return ristretto_base(scalar) == point;
}

/// Where the coefficient of x^j y^l is, of which that of x^l y^j is the same.
std::size_t place(std::size_t j, std::size_t l) {
  const auto [low, high] = std::minmax(j, l);
  return high * (high + 1) / 2 + low;
}

/// The polynomial's value at `at` as a sum of committed coefficients.
std::optional<RistrettoPoint> committed(const RistrettoTable& coefficients, const Scalar& at) {
  return coefficients.sum(shamir::powers(at, coefficients.size()));
}

/// The value of the polynomial with these values at as many places as it has coefficients.
Scalar joined(std::span<const Scalar> weights, std::span<const Scalar> values) {
  Scalar sum{};
  for (std::size_t i = 0; i < values.size(); ++i)
    sum = shamir::add(sum, shamir::multiply(weights[i], values[i]));
  return sum;
}

/// The nodes, and the value of each.
std::pair<std::vector<NodeId>, std::vector<Scalar>> apart(std::span<const Contribution> values) {
  std::pair<std::vector<NodeId>, std::vector<Scalar>> out;
  for (const Contribution& value : values) {
    out.first.push_back(value.from);
    out.second.push_back(item(value.bytes.view(), 0));
  }
  return out;
}

// A row is a polynomial of degree f, written as its values at the places of nodes 0 to f.
class Committed final : public Sharing {
 public:
  /// `mine`: commitments to the coefficients of F(self, y). `edge`: to those of F(x, 0).
  Committed(Digest session, RistrettoTable mine, RistrettoTable edge)
      : session_(session),
        mine_(std::move(mine)),
        edge_(std::move(edge)),
        enough_(edge_.size()),
        first_(node_ids(enough_).begin(), node_ids(enough_).end()),
        weights_(shamir::Weights::of(first_).value()) {}

  bool check_row(ByteView row) const override {
    if (row.size() != kItem * enough_) return false;
    for (const NodeId node : first_) {
      if (!opens(item(row, node.value), committed(mine_, shamir::place_of(node)))) return false;
    }
    return true;
  }
  Bytes point(ByteView row, NodeId to) const override { return value(row, shamir::place_of(to)); }
  bool check_point(NodeId from, ByteView point) const override {
    return point.size() == kItem && opens(item(point, 0), committed(mine_, shamir::place_of(from)));
  }
  std::optional<Bytes> row_of(std::span<const Contribution> points) const override {
    if (points.size() < enough_) return std::nullopt;
    const auto [nodes, values] = apart(points.first(enough_));
    const auto weights = shamir::Weights::of(nodes);
    if (!weights) return std::nullopt;
    std::vector<Scalar> out;
    for (const NodeId node : first_)
      out.push_back(joined(weights->at(shamir::place_of(node)), values));
    return bytes_of(out);
  }
  Bytes share(ByteView row) const override { return value(row, Scalar{}); }
  bool check_share(NodeId from, ByteView share) const override {
    return share.size() == kItem && opens(item(share, 0), committed(edge_, shamir::place_of(from)));
  }
  std::optional<Digest> secret(std::span<const Contribution> shares) const override {
    if (shares.size() < enough_) return std::nullopt;
    const auto [nodes, values] = apart(shares.first(enough_));
    const auto weights = shamir::lagrange_weights(nodes, Scalar{});
    if (!weights) return std::nullopt;
    Writer w;
    w.bytes(as_view("thresher/shared-secret/1"))
        .bytes(session_.bytes)
        .bytes(joined(*weights, values));
    return hash(w.view());
  }

 private:
  Bytes value(ByteView row, const Scalar& at) const {
    const Scalar out = joined(weights_.at(at), items(row));
    return bytes_of({&out, 1});
  }

  Digest session_;
  RistrettoTable mine_;
  RistrettoTable edge_;
  std::size_t enough_;
  std::vector<NodeId> first_;  // at whose places a row is written
  shamir::Weights weights_;    // of these: each peer may ask for a value of a row many times
};

/// What the hashes of a secret are bound to.
Digest session_of(const ChainContext& chain, std::uint64_t instance, NodeId dealer) {
  Transcript t("thresher/bivariate-sharing/1", chain);
  t.u64(instance).u16(dealer.value);
  return t.digest();
}

/// The dealer's coefficients, by place(); the owner wipes them. Whatever holds secrets has its room
/// from the start: growth would leave copies behind that nobody wipes.
std::vector<Scalar> polynomial(const BivariateSharing::Setup& s, std::uint64_t instance,
                               std::size_t enough) {
  constexpr std::string_view kDomain = "thresher/bivariate-secret/1";
  const Digest session = session_of(s.chain, instance, s.self);
  const std::size_t count = enough * (enough + 1) / 2;
  std::vector<Scalar> out;
  out.reserve(count);
  for (std::uint32_t k = 0; k < count; ++k) {
    Writer w;
    w.u32(k);
    Sha512 wide = sha512({as_view(kDomain), *s.seed, session.bytes, w.view()});
    out.push_back(shamir::scalar_of(wide));
  }
  return out;
}

void wipe(std::vector<Scalar>& secrets) {
  sodium_memzero(secrets.data(), secrets.size() * sizeof(Scalar));
}

}  // namespace

std::optional<Bytes> BivariateSharing::commitment(std::uint64_t instance) const {
  std::vector<Scalar> f = polynomial(setup_, instance, enough());
  std::vector<RistrettoPoint> out;
  out.reserve(f.size());
  for (const Scalar& coefficient : f)
    out.push_back(ristretto_base(coefficient).value_or(RistrettoPoint{}));
  wipe(f);
  return bytes_of(out);
}

Bytes BivariateSharing::row(std::uint64_t instance, NodeId to) const {
  std::vector<Scalar> f = polynomial(setup_, instance, enough());
  std::vector<Scalar> of_x(enough());
  std::vector<Scalar> coefficients;
  coefficients.reserve(enough());
  for (std::size_t l = 0; l < enough(); ++l) {
    for (std::size_t j = 0; j < enough(); ++j) of_x[j] = f[place(j, l)];
    coefficients.push_back(shamir::evaluate(of_x, shamir::place_of(to)));
  }
  std::vector<Scalar> out;
  out.reserve(enough());
  for (const NodeId k : node_ids(enough()))
    out.push_back(shamir::evaluate(coefficients, shamir::place_of(k)));
  wipe(f);
  wipe(of_x);
  wipe(coefficients);
  Bytes row = bytes_of(out);
  wipe(out);
  return row;
}

std::shared_ptr<const Sharing> BivariateSharing::open(std::uint64_t instance, NodeId dealer,
                                                      ByteView commitment) const {
  if (commitment.size() != commitment_bytes()) return nullptr;
  const std::vector<RistrettoPoint> all = items(commitment);
  if (!std::all_of(all.begin(), all.end(), ristretto_valid)) return nullptr;
  std::vector<RistrettoPoint> mine;
  std::vector<RistrettoPoint> edge;
  const auto powers = shamir::powers(shamir::place_of(setup_.self), enough());
  for (std::size_t l = 0; l < enough(); ++l) {
    std::vector<RistrettoPoint> of_x;
    for (std::size_t j = 0; j < enough(); ++j) of_x.push_back(all[place(j, l)]);
    mine.push_back(ristretto_sum(powers, of_x).value());
    edge.push_back(all[place(0, l)]);
  }
  return std::make_shared<Committed>(session_of(setup_.chain, instance, dealer),
                                     RistrettoTable::of(mine).value(),
                                     RistrettoTable::of(edge).value());
}

}  // namespace thresher::crypto
