// What a pruner says of the space: what was in front of the new beginning may lie in a part of the
// disk that something else still needs.
#include "life/pruner.hpp"

#include <gtest/gtest.h>

#include <future>

#include "logged_tree.hpp"

namespace thresher::net {
namespace {

/// Another store, which gives back so many bytes at each release.
class Giving final : public NodeStore {
 public:
  Giving(MemoryStore& store, std::uint64_t bytes) : store_(store), bytes_(bytes) {}
  Result<Unit> write(std::span<const Persist> batch, Sync sync) override {
    return store_.write(batch, sync);
  }
  Result<Unit> replay(const std::function<void(const Restored&)>& visit) const override {
    return store_.replay(visit);
  }
  Result<Unit> scan(std::uint32_t table, ByteView from,
                    const std::function<bool(ByteView, ByteView)>& visit) const override {
    return store_.scan(table, from, visit);
  }
  std::optional<BodyPlace> locate(std::uint32_t table, ByteView key) const override {
    return store_.locate(table, key);
  }
  Result<Bytes> read_body(const BodyPlace& place) const override { return store_.read_body(place); }
  bool mend_body(const BodyPlace& place, ByteView body) override {
    return store_.mend_body(place, body);
  }
  std::vector<BodyPlace> places_of(std::span<const Persist> batch) const override {
    return store_.places_of(batch);
  }
  std::uint64_t syncs() const override { return 0; }
  Result<Unit, Error> release(const NamedBody& /*named*/, std::uint32_t /*leading*/) override {
    given_ += bytes_;
    return Unit{};
  }
  std::uint64_t released() const override { return given_; }

 private:
  MemoryStore& store_;
  std::uint64_t bytes_;
  std::uint64_t given_ = 500;  // before
};

TEST(Pruner, SaysHowMuchWasGivenBack) {
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{4096}}) {
    LoggedTree log;
    Prng rng(3);
    while (log.ledger.length() < 2 * LogTree::kChunk) log.commit(40, 3, rng);
    Giving store(log.store, bytes);
    std::promise<Result<std::uint64_t, Error>> freed;
    Pruner pruner(store, kForm,
                  {[&](const std::vector<Persist>& records, const std::function<void()>& done) {
                     EXPECT_TRUE(store.write(records, Sync::kYes));
                     done();
                   },
                   [](const LogBegin&, const std::function<void()>& done) { done(); },
                   [&](const LogBegin&, const Result<std::uint64_t, Error>& result) {
                     freed.set_value(result);
                   }});
    pruner.take(log.checkpoints.back().signed_checkpoint.checkpoint);
    const auto result = freed.get_future().get();
    ASSERT_TRUE(result);
    EXPECT_EQ(*result, bytes);
  }
}

}  // namespace
}  // namespace thresher::net
