// What a member can put on the wire against the certified family: three honest nodes over real
// sockets, the fourth says what the test wants.
#include <array>

#include "member.hpp"

namespace thresher::net {
namespace {

using certified::Batch;
using certified::Certificate;
using certified::Certify;
using certified::Header;
using certified::ProposalPtr;
using certified::Propose;

/// One GET of a node's /metrics.
std::string metrics_of(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string out;
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    const std::string request = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
    (void)::send(fd, request.data(), request.size(), MSG_NOSIGNAL);
    std::array<char, 4096> part{};
    for (ssize_t got = 0; (got = ::recv(fd, part.data(), part.size(), 0)) > 0;) {
      out.append(part.data(), static_cast<std::size_t>(got));
    }
  }
  ::close(fd);
  return out;
}

class CertifiedWire : public testing::Test {
 protected:
  void begin(const std::string& protocol) {
    net_ = std::make_unique<Network>(4, protocol);
    for (std::size_t i = 0; i < 3; ++i) {
      ports_.push_back(free_ports(1).at(0));
      NodeOptions o;
      o.metrics_listen = "127.0.0.1:" + std::to_string(ports_.back());
      o.log = [this](Level, const std::string& line) {
        const std::lock_guard lock(mutex_);
        lines_ += line + "\n";
      };
      ASSERT_EQ(net_->start(i, o), "");
    }
    liar_ = std::make_unique<Member>(*net_, 3);
    ASSERT_TRUE(liar_->linked(3));
  }
  void TearDown() override {
    liar_.reset();
    net_.reset();
  }

  std::uint64_t figure(std::size_t node, const std::string& name) const {
    const std::string text = metrics_of(ports_[node]);
    const auto at = text.find("\nthresher_" + name + " ");
    return at == text.npos ? 0 : std::stoull(text.substr(text.find(' ', at)));
  }
  bool counts(std::size_t node, const std::string& name, std::uint64_t least) const {
    return Network::eventually([&] { return figure(node, name) >= least; });
  }
  std::size_t lines_with(const std::string& what) {
    const std::lock_guard lock(mutex_);
    std::size_t count = 0;
    for (auto at = lines_.find(what); at != lines_.npos; at = lines_.find(what, at + 1)) ++count;
    return count;
  }
  // Nobody stopped and all go on, with one order.
  void expect_health(std::uint64_t before) {
    for (std::uint64_t k = 0; k < 6; ++k) net_->submit(k % 3, "after " + std::to_string(k));
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_FALSE(net_->ended(i));
      EXPECT_TRUE(net_->reaches(i, before + 6)) << "node " << i;
      EXPECT_EQ(net_->app(i).count(), before + 6);
      EXPECT_EQ(net_->app(i).state(), net_->app(0).state());
    }
    for (const char* honest : {"node 0 signed", "node 1 signed", "node 2 signed"}) {
      EXPECT_EQ(lines_with(honest), 0u);
    }
  }
  // A header of round 1 with one transaction.
  ProposalPtr loaded(const std::string& text) {
    batches_.push_back({transaction(99, text)});
    Header h;
    h.author = NodeId{3};
    h.round = Round{1};
    h.payload_root = batches_.back().payload.root;
    h.payload_bytes = static_cast<std::uint32_t>(batches_.back().payload.bytes.size());
    return liar_->sealed(std::move(h));
  }
  Certificate certificate(const std::map<std::uint16_t, Signature>& signatures) const {
    Certificate c{NodeSet(4), {}};
    for (const auto& [signer, signature] : signatures) {
      c.signers.insert(NodeId{signer});
      c.signatures.push_back(signature);
    }
    return c;
  }

  std::unique_ptr<Network> net_;
  std::unique_ptr<Member> liar_;
  std::vector<std::uint16_t> ports_;
  std::vector<Batch> batches_;
  std::mutex mutex_;
  std::string lines_;
};

// Two headers for one round: each node votes for one of them, so one at most is certified; a node
// that sees both accuses their author alone, and a certificate of borrowed votes is refused.
TEST_F(CertifiedWire, TwoHeadersAreRefusedByCertification) {
  begin("anchored-bullshark");
  const ProposalPtr a = loaded("one of two");
  const ProposalPtr b = loaded("the other");
  const auto give = [&](std::uint64_t to, std::size_t batch, const ProposalPtr& p) {
    liar_->send(to, batches_[batch]);
    liar_->send(to, Propose{p});
  };
  give(0, 0, a);
  give(1, 1, b);
  give(2, 0, a);
  ASSERT_TRUE(Network::eventually(
      [&] { return liar_->votes(a->digest).size() == 2 && liar_->votes(b->digest).size() == 1; }));
  for (const std::uint64_t to : {0, 1, 2}) {
    give(to, 0, a);
    give(to, 1, b);
  }
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(counts(i, "equivocations_total", 1)) << i;
  EXPECT_EQ(lines_with("node 3 signed two blocks"), 3u);
  EXPECT_EQ(liar_->votes(a->digest).size(), 2u);
  EXPECT_EQ(liar_->votes(b->digest).size(), 1u);
  auto votes = liar_->votes(a->digest);
  votes[3] = a->signature;
  const Certificate good = certificate(votes);
  auto borrowed = votes;
  borrowed[3] = b->signature;
  const std::uint64_t refused = figure(1, "refused_blocks_total");
  for (const std::uint64_t to : {0, 1, 2}) {
    liar_->send(to, Certify{Round{1}, b->digest, certificate(borrowed)});
  }
  EXPECT_TRUE(counts(1, "refused_blocks_total", refused + 1));
  liar_->send_all(Certify{Round{1}, a->digest, good});
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(net_->reaches(i, 1)) << i;
  expect_health(1);
}

TEST_F(CertifiedWire, BadCertificatesAreRefusedAndCounted) {
  begin("bullshark");
  const ProposalPtr p = loaded("certified in the end");
  for (const std::uint64_t to : {0, 1, 2}) {
    liar_->send(to, batches_[0]);
    liar_->send(to, Propose{p});
  }
  ASSERT_TRUE(Network::eventually([&] { return liar_->votes(p->digest).size() == 3; }));
  auto votes = liar_->votes(p->digest);
  votes[3] = p->signature;
  const auto certify = [&](const Certificate& c) { return Certify{Round{1}, p->digest, c}; };

  std::vector<Frame> malformed;
  const Frame honest = Member::frame_of(certify(certificate(votes)), 4);
  malformed.push_back(Member::frame_of(certify(certificate(votes)), 12));  // a wider bitmap
  std::vector<std::byte> bytes(honest.control.view().begin(), honest.control.view().end());
  bytes.insert(bytes.end(), bytes.end() - 64, bytes.end());  // a signature twice
  malformed.push_back({kProtocol, Bytes::from(bytes), {}});
  bytes.resize(honest.control.size() - 1);
  malformed.push_back({kProtocol, Bytes::from(bytes), {}});

  std::vector<Certificate> bad;
  bad.push_back(certificate({{0, votes[0]}, {3, votes[3]}}));                 // too few
  bad.push_back(certificate({{0, votes[3]}, {1, votes[3]}, {3, votes[3]}}));  // one, three times
  bad.push_back(certificate({{0, votes[0]}, {1, votes[1]}, {2, votes[2]}}));  // not its author
  for (const std::uint16_t who : std::array<std::uint16_t, 3>{0, 1, 3}) {  // one of three is bent
    std::map<std::uint16_t, Signature> bent{{0, votes[0]}, {1, votes[1]}, {3, votes[3]}};
    bent[who][40] ^= std::byte{1};
    bad.push_back(certificate(bent));
  }
  ChainContext later = liar_->chain();
  ++later.epoch;
  const Digest elsewhere = certified::digest_of(p->header, later);
  std::map<std::uint16_t, Signature> of_epoch;
  for (const std::uint16_t i : std::array<std::uint16_t, 3>{0, 1, 3}) {
    of_epoch[i] = key_of(*net_, i).sign(elsewhere.bytes);
  }
  bad.push_back(certificate(of_epoch));
  for (const std::uint64_t to : {0, 1, 2}) {
    for (const Frame& f : malformed) liar_->send(to, f);
    for (const Certificate& c : bad) liar_->send(to, certify(c));
  }
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(counts(i, "malformed_frames_total", malformed.size())) << i;
    EXPECT_TRUE(counts(i, "refused_blocks_total", bad.size())) << i;
    EXPECT_EQ(figure(i, "equivocations_total"), 0u);
    EXPECT_EQ(net_->app(i).count(), 0u);
  }
  liar_->send_all(certify(certificate({{0, votes[0]}, {1, votes[1]}, {3, votes[3]}})));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(net_->reaches(i, 1)) << i;
  expect_health(1);
  EXPECT_EQ(lines_with("signed two blocks"), 0u);
}

TEST_F(CertifiedWire, FarHeadersAndParentsThatDoNotExistGetNoVote) {
  begin("anchored-bullshark");
  for (std::uint64_t k = 0; k < 6; ++k) net_->submit(k % 3, "early " + std::to_string(k));
  std::vector<ProposalPtr> bad;
  for (std::uint64_t k = 0; k < 40; ++k) {
    Header far;
    far.author = NodeId{3};
    far.round = Round{100'000 + k};
    bad.push_back(liar_->sealed(far));
  }
  ASSERT_TRUE(Network::eventually([&] { return liar_->seen() >= 4; }));
  const std::uint64_t round = liar_->seen();
  for (std::uint64_t r = 3; r <= round; ++r) {
    Header h;  // on a vertex of its own that nobody ever certified
    h.author = NodeId{3};
    h.round = Round{r};
    h.self = Round{r - 1};
    h.parents = NodeSet(4);
    for (const std::uint16_t p : std::array<std::uint16_t, 4>{0, 1, 2, 3})
      h.parents.insert(NodeId{p});
    bad.push_back(liar_->sealed(h));
  }
  for (const ProposalPtr& p : bad) liar_->send_all(Propose{p});
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(counts(i, "refused_blocks_total", 40)) << i;
  expect_health(6);
  for (const ProposalPtr& p : bad) EXPECT_TRUE(liar_->votes(p->digest).empty());
  EXPECT_EQ(lines_with("signed two blocks"), 0u);
}

// Shares that prove nothing, of waves near and far, before and after they are tossed: each that is
// verified is counted, and none of those that nobody ever had a use for.
TEST_F(CertifiedWire, FalseCoinSharesChangeNothing) {
  begin("bullshark-async");
  const auto flood = [&](std::uint64_t first) {
    for (std::uint64_t wave = first; wave < first + 100; ++wave) {
      coin::Share share{wave, {}, false};
      share.share.bytes.fill(static_cast<std::byte>(wave));
      liar_->send_all(share);
    }
  };
  flood(1);
  for (std::uint64_t k = 0; k < 12; ++k) net_->submit(k % 3, "early " + std::to_string(k));
  flood(~std::uint64_t{0} - 200);
  expect_health(12);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(counts(i, "refused_blocks_total", 1)) << i;
    EXPECT_LE(figure(i, "refused_blocks_total"), 100u) << "shares out of reach count " << i;
  }
}

}  // namespace
}  // namespace thresher::net
