// Verifiable secret sharing: every way to a row and to the secret gives the same, and nothing else
// passes, zeros and the identity included.
#include "thresher/crypto/bivariate_sharing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "thresher/crypto/dleq_group.hpp"

namespace thresher::crypto {
namespace {

BivariateSharing scheme_of(std::uint32_t n, std::uint16_t self, std::uint8_t chain = 0) {
  BivariateSharing::Seed seed{};
  seed[0] = static_cast<std::byte>(self + 1);
  ChainContext context{};
  context.chain.bytes[0] = static_cast<std::byte>(chain);
  return BivariateSharing(
      {.chain = context, .committee = *Committee::of(n), .self = NodeId{self}, .seed = seed});
}

/// Dealer 1's secret of instance 7, as every node sees it.
struct Dealt {
  explicit Dealt(std::uint32_t n) : dealer(scheme_of(n, 1)), commitment(*dealer.commitment(7)) {
    for (std::uint16_t i = 0; i < n; ++i) {
      nodes.push_back(scheme_of(n, i));
      seen.push_back(nodes.back().open(7, NodeId{1}, commitment.view()));
      rows.push_back(dealer.row(7, NodeId{i}));
    }
  }
  BivariateSharing dealer;
  Bytes commitment;
  std::vector<BivariateSharing> nodes;
  std::vector<std::shared_ptr<const Sharing>> seen;
  std::vector<Bytes> rows;
};

TEST(BivariateSharing, PointsMakeRowsAndSharesTheSecret) {
  for (const std::uint32_t n : {1u, 4u, 7u, 10u}) {
    const Dealt d(n);
    const std::uint32_t enough = d.dealer.enough();
    EXPECT_EQ(d.commitment.size(), d.dealer.commitment_bytes());
    std::set<Digest> secrets;
    for (std::uint16_t i = 0; i < n; ++i) {
      ASSERT_NE(d.seen[i], nullptr);
      EXPECT_TRUE(d.seen[i]->check_row(d.rows[i].view()));
      EXPECT_EQ(d.rows[i].size(), d.dealer.row_bytes());
      std::vector<Contribution> points;
      for (std::uint16_t k = 0; k < n; ++k) {
        const NodeId from{static_cast<std::uint16_t>((k + i) % n)};
        points.push_back({from, d.seen[from.value]->point(d.rows[from.value].view(), NodeId{i})});
        EXPECT_TRUE(d.seen[i]->check_point(from, points.back().bytes.view()));
      }
      EXPECT_EQ(*d.seen[i]->row_of(points), d.rows[i]);
      points.resize(enough - 1);
      EXPECT_FALSE(d.seen[i]->row_of(points));
    }
    for (std::uint16_t first = 0; first + enough <= n; ++first) {
      std::vector<Contribution> shares;
      for (std::uint16_t k = first; k < first + enough; ++k) {
        shares.push_back({NodeId{k}, d.seen[k]->share(d.rows[k].view())});
        EXPECT_TRUE(d.seen[0]->check_share(NodeId{k}, shares.back().bytes.view()));
      }
      secrets.insert(d.seen[0]->secret(shares).value());
      shares.pop_back();
      EXPECT_FALSE(d.seen[0]->secret(shares));
    }
    EXPECT_EQ(secrets.size(), 1u);
  }
}

TEST(BivariateSharing, ANodeNamedTwiceIsNotTwo) {
  const Dealt d(4);
  const Bytes point = d.seen[2]->point(d.rows[2].view(), NodeId{0});
  const std::vector<Contribution> twice{{NodeId{2}, point}, {NodeId{2}, point}};
  EXPECT_FALSE(d.seen[0]->row_of(twice));
  EXPECT_FALSE(d.seen[0]->secret(twice));
}

// Everything that is not what the dealer committed to: each bit of it, and what is another's.
TEST(BivariateSharing, NothingElsePasses) {
  const Dealt d(4);
  const Bytes point = d.seen[2]->point(d.rows[2].view(), NodeId{0});
  const Bytes share = d.seen[2]->share(d.rows[2].view());
  for (std::size_t bit = 0; bit < 8 * d.rows[0].size(); ++bit) {
    const auto flipped = [bit](const Bytes& good) {
      std::vector<std::byte> out(good.view().begin(), good.view().end());
      out[bit / 8] ^= std::byte{1} << (bit % 8);
      return out;
    };
    EXPECT_FALSE(d.seen[0]->check_row(flipped(d.rows[0]))) << bit;
    if (bit >= 8 * point.size()) continue;
    EXPECT_FALSE(d.seen[0]->check_point(NodeId{2}, flipped(point))) << bit;
    EXPECT_FALSE(d.seen[0]->check_share(NodeId{2}, flipped(share))) << bit;
  }
  EXPECT_FALSE(d.seen[0]->check_row(d.rows[1].view()));
  EXPECT_FALSE(d.seen[0]->check_row(d.rows[0].view().first(32)));
  EXPECT_FALSE(d.seen[0]->check_point(NodeId{3}, point.view()));
  EXPECT_FALSE(d.seen[1]->check_point(NodeId{2}, point.view()));
  EXPECT_FALSE(d.seen[0]->check_share(NodeId{3}, share.view()));
  EXPECT_FALSE(d.seen[0]->check_point(NodeId{2}, {}));
}

TEST(BivariateSharing, CommitmentsAreOfValidPointsAlone) {
  const Dealt d(4);
  const auto opens = [&](std::vector<std::byte> bytes) {
    return d.nodes[0].open(7, NodeId{1}, bytes) != nullptr;
  };
  const std::vector<std::byte> good(d.commitment.view().begin(), d.commitment.view().end());
  EXPECT_TRUE(opens(good));
  for (std::size_t at = 0; at < good.size(); at += 32) {
    std::vector<std::byte> identity = good;
    std::fill_n(identity.begin() + static_cast<std::ptrdiff_t>(at), 32, std::byte{0});
    EXPECT_FALSE(opens(identity));
    std::vector<std::byte> not_canonical = good;
    std::fill_n(not_canonical.begin() + static_cast<std::ptrdiff_t>(at), 32, std::byte{0xff});
    EXPECT_FALSE(opens(not_canonical));
  }
  std::vector<std::byte> longer = good;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(opens(longer));
  EXPECT_FALSE(opens({}));
}

// In another instance, or of another dealer or chain, the same numbers would be another secret, and
// are never dealt.
TEST(BivariateSharing, SecretsAreOfTheirInstanceAndChain) {
  const BivariateSharing a = scheme_of(4, 1);
  EXPECT_NE(*a.commitment(7), *a.commitment(8));
  EXPECT_NE(*a.commitment(7), *scheme_of(4, 2).commitment(7));
  EXPECT_NE(*a.commitment(7), *scheme_of(4, 1, 9).commitment(7));
  EXPECT_EQ(*a.commitment(7), *scheme_of(4, 1).commitment(7));
  const Dealt d(4);
  const auto other = d.nodes[0].open(8, NodeId{1}, d.commitment.view());
  std::vector<Contribution> shares;
  for (std::uint16_t k = 0; k < 2; ++k)
    shares.push_back({NodeId{k}, d.seen[k]->share(d.rows[k].view())});
  EXPECT_NE(other->secret(shares), d.seen[0]->secret(shares));
}

// A liar may deal a polynomial whose values are zero where it likes. Those are right, so who
// refuses them would refuse what correct nodes say. Here F(x, y) = (x - 1)(y - 1) for n = 4.
TEST(BivariateSharing, ZerosThatADealerCommittedToPass) {
  const auto number = [](std::int64_t value) {
    // value mod L, L = 2^252 + 27742317777372353535851937790883648493.
    RistrettoScalar order{};
    const std::array<std::uint8_t, 32> l{0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58,
                                         0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
                                         0,    0,    0,    0,    0,    0,    0,    0,
                                         0,    0,    0,    0,    0,    0,    0,    0x10};
    for (std::size_t i = 0; i < 32; ++i) order[i] = static_cast<std::byte>(l[i]);
    RistrettoScalar out{};
    if (value >= 0) {
      out[0] = static_cast<std::byte>(value);
    } else {
      out = order;
      out[0] = static_cast<std::byte>(l[0] + value);
    }
    return out;
  };
  Writer w;  // coefficients 1, x: -1 (and y), xy: 1
  for (const std::int64_t c : {1, -1, 1}) w.bytes(*ristretto_base(number(c)));
  const auto seen = scheme_of(4, 0).open(7, NodeId{1}, w.view());
  ASSERT_NE(seen, nullptr);
  const std::vector<std::byte> zeros(64);
  EXPECT_TRUE(seen->check_row(zeros));  // F(1, y) = 0
  EXPECT_TRUE(seen->check_point(NodeId{2}, ByteView(zeros).first(32)));
  EXPECT_TRUE(seen->check_share(NodeId{0}, ByteView(zeros).first(32)));
  EXPECT_FALSE(seen->check_share(NodeId{1}, ByteView(zeros).first(32)));
  Writer two;
  two.bytes(number(-1));
  EXPECT_TRUE(seen->check_share(NodeId{1}, two.view()));  // (2 - 1)(0 - 1)
}

}  // namespace
}  // namespace thresher::crypto
