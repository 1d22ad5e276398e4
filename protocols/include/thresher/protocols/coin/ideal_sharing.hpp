// Secret sharing for simulations: everything is a hash of a seed that everybody knows.
//
//   auto scheme = std::make_shared<IdealSharing>(*Committee::of(4), NodeId{2}, seed);
//
// Guarantees: what passes is what the real scheme lets pass, and values look random. Hides nothing.
// Never in a deployment.
#pragma once

#include <utility>

#include "thresher/core/committee.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/crypto/sharing_scheme.hpp"

namespace thresher::coin {

class IdealSharing final : public crypto::SharingScheme {
 public:
  IdealSharing(const Committee& committee, NodeId self, std::uint64_t seed)
      : enough_(committee.at_least(kValidity)), self_(self), seed_(seed) {}

  std::optional<Bytes> commitment(std::uint64_t instance) const override {
    return Name{seed_, instance, self_}.of(Kind::kCommitment, 0, 0);
  }
  Bytes row(std::uint64_t instance, NodeId to) const override {
    return Name{seed_, instance, self_}.of(Kind::kRow, to.value, 0);
  }
  std::shared_ptr<const crypto::Sharing> open(std::uint64_t instance, NodeId dealer,
                                              ByteView commitment) const override {
    const Name name{seed_, instance, dealer};
    if (name.of(Kind::kCommitment, 0, 0) != Bytes::copy_of(commitment)) return nullptr;
    return std::make_shared<One>(name, self_, enough_);
  }
  std::uint32_t enough() const override { return enough_; }
  std::size_t commitment_bytes() const override { return kItem; }
  std::size_t row_bytes() const override { return kItem; }
  std::size_t point_bytes() const override { return kItem; }

 private:
  static constexpr std::size_t kItem = sizeof(Digest);
  enum class Kind : std::uint8_t { kCommitment, kRow, kPoint, kShare, kSecret };

  /// Which secret it is.
  struct Name {
    std::uint64_t seed = 0;
    std::uint64_t instance = 0;
    NodeId dealer;

    Digest digest(Kind kind, std::uint16_t a, std::uint16_t b) const {
      Writer w;
      w.bytes(as_view("thresher/ideal-sharing/1")).u64(seed).u64(instance).u16(dealer.value);
      w.u8(static_cast<std::uint8_t>(kind)).u16(a).u16(b);
      return hash(w.view());
    }
    Bytes of(Kind kind, std::uint16_t a, std::uint16_t b) const {
      return Bytes::copy_of(digest(kind, a, b).bytes);
    }
  };

  class One final : public crypto::Sharing {
   public:
    One(Name name, NodeId self, std::uint32_t enough) : name_(name), self_(self), enough_(enough) {}

    bool check_row(ByteView row) const override {
      return name_.of(Kind::kRow, self_.value, 0) == Bytes::copy_of(row);
    }
    Bytes point(ByteView, NodeId to) const override {
      return name_.of(Kind::kPoint, self_.value, to.value);
    }
    bool check_point(NodeId from, ByteView point) const override {
      return name_.of(Kind::kPoint, from.value, self_.value) == Bytes::copy_of(point);
    }
    std::optional<Bytes> row_of(std::span<const crypto::Contribution> points) const override {
      if (points.size() < enough_) return std::nullopt;
      return name_.of(Kind::kRow, self_.value, 0);
    }
    Bytes share(ByteView) const override { return name_.of(Kind::kShare, self_.value, 0); }
    bool check_share(NodeId from, ByteView share) const override {
      return name_.of(Kind::kShare, from.value, 0) == Bytes::copy_of(share);
    }
    std::optional<Digest> secret(std::span<const crypto::Contribution> shares) const override {
      if (shares.size() < enough_) return std::nullopt;
      return name_.digest(Kind::kSecret, 0, 0);
    }

   private:
    Name name_;
    NodeId self_;
    std::uint32_t enough_;
  };

  std::uint32_t enough_;
  NodeId self_;
  std::uint64_t seed_;
};

}  // namespace thresher::coin
