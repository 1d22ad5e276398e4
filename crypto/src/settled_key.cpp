#include "settled_key.hpp"

#include <algorithm>
#include <utility>

#include "sha512.hpp"
#include "thresher/core/node_ids.hpp"
#include "thresher/crypto/ristretto_sum.hpp"

namespace thresher::crypto::dkg {
namespace {

class Settled final : public SettledKey {
 public:
  Settled(const DkgSetup& setup, NodeId self, Secret<RistrettoScalar> key,
          std::vector<Secret<RistrettoScalar>> shares)
      : setup_(setup),
        shape_(setup),
        self_(self),
        key_(std::move(key)),
        shares_(std::move(shares)) {}

  /// False when the dealings are not enough, or no key comes of them.
  bool add_up(std::span<const ChosenDealing> chosen) {
    Transcript t("thresher/dkg-settled/1", setup_.chain);
    t.bytes(session_of(setup_).bytes);
    std::vector<NodeId> old;
    for (const ChosenDealing& c : chosen) {
      if (std::find(dealers_.begin(), dealers_.end(), c.dealer) != dealers_.end()) return false;
      dealers_.push_back(c.dealer);
      t.u16(c.dealer.value).bytes(hash(c.dealing.view()).bytes);
      if (shape_.keeps) old.push_back(*setup_.reshares->before[c.dealer.value]);
    }
    session_ = t.digest();
    if (dealers_.size() < shape_.enough) return false;
    if (shape_.keeps) {
      // More than the old threshold does no harm: their polynomial has the same value at 0.
      auto weights = shamir::lagrange_weights(old, shamir::number(0));
      if (!weights) return false;
      old_weights_ = std::move(*weights);
    }
    return publish(chosen);
  }

  const CoinKeys& keys() const override { return keys_; }
  const RistrettoPoint& group() const override { return group_; }

  Bytes point_for(NodeId to) const override {
    const auto weights = weights_of(shamir::place_of(to));
    Scalar value{};
    const WipedAtEnd of_value(value);
    for (std::size_t k = 0; k < shares_.size(); ++k)
      value = shamir::add(value, shamir::multiply(weights[k], *shares_[k]));
    Scalar hidden_by = pad(self_, to, setup_.keys[to.value]);
    const WipedAtEnd of_pad(hidden_by);
    return Bytes::copy_of(shamir::add(value, hidden_by));
  }
  bool check_point(NodeId from, ByteView point) const override {
    if (!setup_.committee.contains(from)) return false;
    auto value = opened(from, point);
    if (!value) return false;
    const WipedAtEnd of_value(*value);
    return fits(*value, from, mine_);
  }
  std::optional<GeneratedKey> finish(std::span<const Contribution> points) const override {
    std::vector<NodeId> nodes;
    std::vector<Scalar> values;
    values.reserve(shape_.coefficients);  // no growth, so no copies are left behind
    for (const Contribution& p : points) {
      if (nodes.size() == shape_.coefficients) break;
      if (std::find(nodes.begin(), nodes.end(), p.from) != nodes.end()) continue;
      auto value = opened(p.from, p.bytes.view());
      if (!value) continue;
      const WipedAtEnd of_value(*value);
      nodes.push_back(p.from);
      values.push_back(*value);
    }
    std::optional<GeneratedKey> out;
    if (nodes.size() == shape_.coefficients) out = joined(nodes, values);
    sodium_memzero(values.data(), values.size() * sizeof(Scalar));
    return out;
  }

 private:
  std::vector<Scalar> weights_of(const Scalar& at) const {
    return weights_at(shape_, dealers_, old_weights_, at);
  }
  // Pre: one value each of as many nodes as it takes.
  std::optional<GeneratedKey> joined(std::span<const NodeId> nodes,
                                     std::span<const Scalar> values) const {
    const auto weights = shamir::lagrange_weights(nodes, shamir::number(0));
    GeneratedKey out{keys_, group_, {}};
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      Scalar part = shamir::multiply((*weights)[k], values[k]);
      // Straight into guarded memory: the sum must not lie on the stack.
      crypto_core_ristretto255_scalar_add(raw_bytes(out.share->data()),
                                          raw_bytes(out.share->data()), raw_bytes(part.data()));
      sodium_memzero(part.data(), part.size());
    }
    if (ristretto_base(*out.share) != keys_.nodes[self_.value]) return std::nullopt;
    return out;
  }
  // The commitments to every dealt secret at 0 give all public keys; those to each power of this
  // node's own combination of polynomials are what points are checked by.
  bool publish(std::span<const ChosenDealing> chosen) {
    const auto table_of = [&](std::uint32_t power) {
      std::vector<RistrettoPoint> points;
      for (const ChosenDealing& c : chosen) {
        const DealingView dealing(shape_, c.dealing.view());
        for (std::uint32_t b = 0; b < shape_.secrets; ++b)
          points.push_back(dealing.commitment(b, power));
      }
      return RistrettoTable::of(points);
    };
    const auto own = weights_of(shamir::place_of(self_));
    for (std::uint32_t power = 0; power < shape_.coefficients; ++power) {
      const auto table = table_of(power);
      const auto sum = table ? table->sum(own) : std::nullopt;
      if (!sum) return false;
      mine_.push_back(*sum);
      if (power > 0) continue;
      keys_.threshold = shape_.threshold;
      for (const NodeId i : node_ids(shape_.n))
        keys_.nodes.push_back(*table->sum(weights_of(shamir::place_of(i))));
      group_ = *table->sum(weights_of(shamir::number(0)));
    }
    return ristretto_valid(group_) &&
           std::all_of(keys_.nodes.begin(), keys_.nodes.end(), ristretto_valid);
  }
  Scalar pad(NodeId from, NodeId to, const RistrettoPoint& other) const {
    const auto shared = shared_point(*key_, other);
    return pad_of({session_, Pad::kPoint, from, to, 0}, **shared);
  }
  std::optional<Scalar> opened(NodeId from, ByteView point) const {
    const auto sealed = scalars_of(point, 1);
    if (!sealed) return std::nullopt;
    Scalar hidden_by = pad(from, self_, setup_.keys[from.value]);
    const WipedAtEnd of_pad(hidden_by);
    return shamir::subtract(sealed->front(), hidden_by);
  }

  DkgSetup setup_;
  DkgShape shape_;
  NodeId self_;
  Secret<RistrettoScalar> key_;
  std::vector<Secret<RistrettoScalar>> shares_;  // of what was dealt, by dealer and secret
  std::vector<NodeId> dealers_;
  std::vector<Scalar> old_weights_;
  Digest session_;
  std::vector<RistrettoPoint> mine_;
  CoinKeys keys_;
  RistrettoPoint group_{};
};

}  // namespace

std::optional<std::vector<Scalar>> scalars_of(ByteView bytes, std::size_t count) {
  if (bytes.size() != count * sizeof(Scalar)) return std::nullopt;
  std::vector<Scalar> out(count);
  for (std::size_t k = 0; k < count; ++k) {
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(k * sizeof(Scalar)), sizeof(Scalar),
                out[k].begin());
    if (out[k] != Scalar{} && !ristretto_scalar_valid(out[k])) return std::nullopt;
  }
  return out;
}

std::optional<std::vector<Scalar>> interpolated(std::span<const Contribution> revealed,
                                                const DkgShape& shape, NodeId node) {
  std::vector<NodeId> nodes;
  std::vector<std::vector<Scalar>> values;
  for (const Contribution& r : revealed) {
    if (nodes.size() == shape.coefficients) break;
    if (std::find(nodes.begin(), nodes.end(), r.from) != nodes.end()) continue;
    auto scalars = scalars_of(r.bytes.view(), shape.secrets);
    if (!scalars) continue;
    nodes.push_back(r.from);
    values.push_back(std::move(*scalars));
  }
  if (nodes.size() < shape.coefficients) return std::nullopt;
  const auto weights = shamir::lagrange_weights(nodes, shamir::place_of(node));
  std::vector<Scalar> out(shape.secrets);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (std::uint32_t b = 0; b < shape.secrets; ++b)
      out[b] = shamir::add(out[b], shamir::multiply((*weights)[i], values[i][b]));
  }
  return out;
}

std::shared_ptr<const SettledKey> settled_key(const DkgSetup& setup, NodeId self,
                                              const Secret<RistrettoScalar>& key,
                                              std::span<const ChosenDealing> chosen,
                                              std::vector<Secret<RistrettoScalar>> shares) {
  auto out = std::make_shared<Settled>(setup, self, key, std::move(shares));
  return out->add_up(chosen) ? out : nullptr;
}

}  // namespace thresher::crypto::dkg
