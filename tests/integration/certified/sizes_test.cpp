// Committees of all small sizes, those of the certified family and mahi-mahi: f nodes stop and come
// back, f members sign everything twice, one is far away.
#include "../../family_sizes.hpp"
#include "member.hpp"
#include "thresher/protocols/dag/block.hpp"

namespace thresher::net {
namespace {

class Sizes : public testing::TestWithParam<FamilySize> {
 protected:
  static const std::string& protocol() { return std::get<0>(GetParam()); }
  static std::uint32_t n() { return std::get<1>(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(All, Sizes, family_sizes(), size_name);

TEST_P(Sizes, OrderAlikeThroughFStopsAndReturns) {
  Network net(n(), protocol());
  const std::uint32_t f = net.genesis().f;
  for (std::size_t i = 0; i < n(); ++i) ASSERT_EQ(net.start(i), "");
  std::uint64_t sent = 0;
  for (; sent < 2 * n(); ++sent) net.submit(sent % n(), "all " + std::to_string(sent));
  for (std::size_t i = 0; i < f; ++i) net.stop(i);
  for (std::uint64_t k = 0; k < 6; ++k, ++sent) net.submit(f + k % (n() - f), "without");
  for (std::size_t i = 0; i < f; ++i) ASSERT_EQ(net.start(i), "");
  for (std::size_t i = 0; i < n(); ++i, ++sent) net.submit(i, "again");
  net.expect_same_state(sent);
}

/// What the honest nodes say of others, line by line.
class Lines {
 public:
  void add(const std::string& line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(line);
  }
  std::size_t with(const std::string& what) const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(std::count_if(
        lines_.begin(), lines_.end(), [&](const auto& l) { return l.find(what) != l.npos; }));
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

/// Sends one of two headers, or blocks, of round 1.
class TwoFaced {
 public:
  TwoFaced(const Network& net, std::uint16_t id) : member_(net, id) {
    for (const char* text : {"one of two", "the other"}) {
      const certified::Payload payload = transaction(id, text);
      certified::Header h;
      h.author = NodeId{id};
      h.round = Round{1};
      h.payload_root = payload.root;
      h.payload_bytes = static_cast<std::uint32_t>(payload.bytes.size());
      dag::Header b;
      b.author = h.author;
      b.round = h.round;
      b.payload_root = h.payload_root;
      b.payload_bytes = h.payload_bytes;
      const Signature signature =
          key_of(net, id).sign(dag::digest_of(b, net.genesis().context()).bytes);
      const auto block = dag::make_block(b, payload, signature, net.genesis().context());
      faces_.push_back({{payload}, {member_.sealed(h)}, encode(dag::Message{dag::Push{block}})});
    }
  }
  bool linked(std::size_t count) { return member_.linked(count); }
  void show(std::uint64_t to, std::size_t face, bool certified) {
    if (!certified) return member_.send(to, faces_[face].push);
    member_.send(to, faces_[face].batch);
    member_.send(to, faces_[face].propose);
  }

 private:
  struct Face {
    certified::Batch batch;
    certified::Propose propose;
    Frame push;
  };
  Member member_;
  std::vector<Face> faces_;
};

TEST_P(Sizes, FMembersThatSignTwiceAreNamedAndChangeNothing) {
  Lines lines;  // nodes still speak while they stop
  Network net(n(), protocol());
  const std::uint32_t honest = n() - net.genesis().f;
  NodeOptions options;
  options.log = [&](Level, const std::string& line) { lines.add(line); };
  for (std::size_t i = 0; i < honest; ++i) ASSERT_EQ(net.start(i, options), "");
  std::vector<std::unique_ptr<TwoFaced>> liars;
  for (std::uint32_t i = honest; i < n(); ++i) {
    liars.push_back(std::make_unique<TwoFaced>(net, static_cast<std::uint16_t>(i)));
  }
  for (auto& liar : liars) ASSERT_TRUE(liar->linked(n() - 1));
  for (const std::size_t flip : {0u, 1u}) {  // each half sees one of them first, then the other
    for (auto& liar : liars) {
      for (std::uint32_t to = 0; to < honest; ++to)
        liar->show(to, (to + flip) % 2, protocol() != "mahi-mahi");
    }
  }
  for (std::uint32_t i = honest; i < n(); ++i) {
    const std::string named = "node " + std::to_string(i) + " signed two blocks";
    EXPECT_TRUE(Network::eventually([&] { return lines.with(named) == honest; })) << named;
  }
  for (std::uint64_t k = 0; k < 2 * honest; ++k) net.submit(k % honest, std::to_string(k));
  // A block of a liar may be ordered, one header of a pair is certified at most: it never is here.
  const auto alike = [&] {
    for (std::size_t i = 1; i < honest; ++i) {
      if (net.app(i).count() != net.app(0).count() || net.app(i).state() != net.app(0).state())
        return false;
    }
    return net.app(0).count() >= 2 * honest;
  };
  EXPECT_TRUE(Network::eventually(alike));
  const std::uint64_t most = protocol() == "mahi-mahi" ? 2 * (n() - honest) : 0;
  EXPECT_LE(net.app(0).count(), 2 * honest + most);
  EXPECT_EQ(lines.with("signed two blocks"), honest * (n() - honest));
}

// What it submits itself is ordered too, but by the published sparse rule: a vertex refers to the
// round before alone there, so an author whose vertices come late waits for a round that is late as
// well.
TEST_P(Sizes, ASlowNodeHoldsUpNobodyForEverAndIsHeard) {
  Network net(n(), protocol());
  NodeOptions slow;
  slow.link_delay_us = 60'000;  // three times Delta
  for (std::size_t i = 0; i + 1 < n(); ++i) ASSERT_EQ(net.start(i), "");
  ASSERT_EQ(net.start(n() - 1, slow), "");
  for (std::uint64_t k = 0; k + 1 < n(); ++k) net.submit(k, "near");
  const std::size_t heard = protocol() == "sparse-bullshark" ? n() - 1 : n();
  std::vector<std::future<Receipt>> receipts;
  for (std::size_t k = 0; k < 2 * n(); ++k)
    receipts.push_back(net.submit_later(k % heard, as_view("both")));
  for (auto& r : receipts) {
    ASSERT_EQ(r.wait_for(std::chrono::seconds(20)), std::future_status::ready);
    (void)r.get();
  }
  net.expect_same_state(3 * n() - 1);
}

}  // namespace
}  // namespace thresher::net
