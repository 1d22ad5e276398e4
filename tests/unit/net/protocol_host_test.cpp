// How a protocol is started, and what becomes of it when its disk has failed.
#include "channels/protocol_host.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <set>

namespace thresher::net {
namespace {

using Payload = std::shared_ptr<const int>;

/// Writes something of each message.
struct Noting {
  using Message = Payload;
  using Output = int;
  using Request = int;
  using Fx = Effects<Message, Output>;
  void on(const Received<Message>&, Fx& fx) { fx.push(Persist{1, {}, {}, {}}); }
  void on(const Requested<Request>&, Fx&) {}
};

struct NotingCodec {
  std::weak_ptr<const int>* last;
  std::optional<Payload> read(const Frame&) const {
    auto out = std::make_shared<const int>(7);
    *last = out;
    return out;
  }
  static Frame frame_of(const Payload&) { return {}; }
  static std::uint32_t stored(std::uint32_t table) { return table; }
  static std::uint32_t restored(std::uint32_t table) { return table; }
};

/// Refuses every write.
class FailedStore final : public NodeStore {
 public:
  Result<Unit> write(std::span<const Persist>, Sync) override { return Errc::kIo; }
  Result<Unit> replay(const std::function<void(const Restored&)>&) const override { return Unit{}; }
  Result<Unit> scan(std::uint32_t, ByteView,
                    const std::function<bool(ByteView, ByteView)>&) const override {
    return Unit{};
  }
  std::optional<BodyPlace> locate(std::uint32_t, ByteView) const override { return {}; }
  Result<Bytes> read_body(const BodyPlace&) const override { return Errc::kIo; }
  std::vector<BodyPlace> places_of(std::span<const Persist>) const override { return {}; }
  bool mend_body(const BodyPlace&, ByteView) override { return false; }
  std::uint64_t syncs() const override { return 0; }
};

// Before: it kept all that its peers sent from then on.
TEST(ProtocolHost, KeepsNothingOfItsPeersOnceItsDiskHasFailed) {
  Loop loop;
  FailedStore store;
  int failures = 0;
  HostLinks<int> links;
  links.loop = &loop;
  links.store = &store;
  links.send = [](NodeId, const Frame&) {};
  links.deliver = [](int) {};
  links.fail = [&](const Error&) { ++failures; };
  std::weak_ptr<const int> last;
  ProtocolHost<Noting, NotingCodec> host(Noting{}, NotingCodec{&last}, std::move(links));
  ASSERT_TRUE(host.restore([] { return true; }));
  EXPECT_TRUE(host.receive(NodeId{1}, {}));
  EXPECT_FALSE(last.expired()) << "it waits to be handled";
  host.drain();
  EXPECT_EQ(failures, 1);
  EXPECT_TRUE(last.expired());
  EXPECT_TRUE(host.receive(NodeId{1}, {}));
  EXPECT_TRUE(last.expired());
  host.drain();
  EXPECT_EQ(failures, 1);
}

/// Remembers what it was started with.
struct Seeded {
  using Message = Payload;
  using Output = int;
  using Request = int;
  using Fx = Effects<Message, Output>;
  void on(const Start& event, Fx&) { seed = event.seed; }
  void on(const Received<Message>&, Fx&) {}
  void on(const Requested<Request>&, Fx&) {}
  std::uint64_t seed = 0;
};

// It was zero at every node and start, so that everybody could compute what nodes throw.
TEST(ProtocolHost, DrawsAnotherSeedAtEachStart) {
  Loop loop;
  std::weak_ptr<const int> last;
  std::set<std::uint64_t> seeds{0};
  // Two nodes, and each of them once more.
  for (std::uint16_t start = 0; start < 4; ++start) {
    HostLinks<int> links;
    links.self = NodeId{static_cast<std::uint16_t>(start % 2)};
    links.loop = &loop;
    ProtocolHost<Seeded, NotingCodec> host(Seeded{}, NotingCodec{&last}, std::move(links));
    ASSERT_TRUE(host.restore([] { return true; }));
    EXPECT_TRUE(seeds.insert(host.protocol().seed).second) << "start " << start;
  }
}

}  // namespace
}  // namespace thresher::net
