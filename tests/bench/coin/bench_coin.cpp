// What a node works for one toss of the threshold coin: its share, the others' shares in one batch,
// the value; and for one batch of threshold encryption: to encrypt 64 KiB, to see that a ciphertext
// is valid, its share, the others' shares, the text. Arguments: n, and the threshold as the
// committee's f+1 or n-f.
//
//   build/release/bin/bench_coin --benchmark_format=json
#include <benchmark/benchmark.h>

#include "thresher/core/committee.hpp"
#include "thresher/crypto/threshold_coin.hpp"
#include "thresher/crypto/threshold_encryption.hpp"

namespace thresher {
namespace {

class Setup {
 public:
  explicit Setup(const benchmark::State& state) {
    const Committee committee = *Committee::of(static_cast<std::uint32_t>(state.range(0)));
    const std::uint32_t threshold = static_cast<std::uint32_t>(state.range(1));
    const auto deal = crypto::deal_coin(committee.size(), threshold, {});
    for (std::uint16_t i = 0; i < threshold; ++i) {
      const crypto::ThresholdCoin coin({}, deal->keys, NodeId{i}, deal->secrets[i]);
      claims.push_back({NodeId{i}, *coin.share(kInstance)});
    }
    node = std::make_unique<crypto::ThresholdCoin>(ChainContext{}, deal->keys, NodeId{0},
                                                   deal->secrets[0]);
  }
  static constexpr std::uint64_t kInstance = 7;
  std::unique_ptr<crypto::ThresholdCoin> node;
  std::vector<crypto::CoinClaim> claims;
};

void create_share(benchmark::State& state) {
  const Setup setup(state);
  std::uint64_t instance = 0;
  for (auto _ : state) benchmark::DoNotOptimize(setup.node->share(++instance));
}
void verify_shares(benchmark::State& state) {
  const Setup setup(state);
  std::vector<std::uint8_t> verdicts(setup.claims.size());
  for (auto _ : state) setup.node->verify(Setup::kInstance, setup.claims, verdicts);
  for (const std::uint8_t good : verdicts) {
    if (good == 0) state.SkipWithError("a good share was refused");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(verdicts.size()));
}
void combine_shares(benchmark::State& state) {
  const Setup setup(state);
  for (auto _ : state) {
    const auto value = setup.node->combine(Setup::kInstance, setup.claims);
    if (!value) state.SkipWithError("no value");
    benchmark::DoNotOptimize(value);
  }
}

class Sealed {
 public:
  explicit Sealed(const benchmark::State& state) {
    const auto n = static_cast<std::uint32_t>(state.range(0));
    const auto threshold = static_cast<std::uint32_t>(state.range(1));
    const auto deal = crypto::deal_coin(n, threshold, {});
    node = std::make_unique<crypto::ThresholdEncryption>(ChainContext{}, deal->keys, NodeId{0},
                                                         deal->secrets[0]);
    ciphertext = *node->encrypt(label(), text);
    for (std::uint16_t i = 0; i < threshold; ++i) {
      const crypto::ThresholdEncryption other({}, deal->keys, NodeId{i}, deal->secrets[i]);
      claims.push_back({NodeId{i}, *other.share(label(), ciphertext.view())});
    }
  }
  static ByteView label() { return as_view("batch 7"); }

  std::vector<std::byte> text = std::vector<std::byte>(64 << 10);
  std::unique_ptr<crypto::ThresholdEncryption> node;
  Bytes ciphertext;
  std::vector<crypto::DecryptionClaim> claims;
};

void encrypt(benchmark::State& state) {
  const Sealed setup(state);
  for (auto _ : state) benchmark::DoNotOptimize(setup.node->encrypt(Sealed::label(), setup.text));
}
void see_that_it_is_valid(benchmark::State& state) {
  const Sealed setup(state);
  for (auto _ : state) {
    if (!setup.node->valid(Sealed::label(), setup.ciphertext.view()))
      state.SkipWithError("a good ciphertext was refused");
  }
}
void create_decryption_share(benchmark::State& state) {
  const Sealed setup(state);
  for (auto _ : state)
    benchmark::DoNotOptimize(setup.node->share(Sealed::label(), setup.ciphertext.view()));
}
void verify_decryption_shares(benchmark::State& state) {
  const Sealed setup(state);
  std::vector<std::uint8_t> verdicts(setup.claims.size());
  for (auto _ : state)
    setup.node->verify(Sealed::label(), setup.ciphertext.view(), setup.claims, verdicts);
  for (const std::uint8_t good : verdicts) {
    if (good == 0) state.SkipWithError("a good share was refused");
  }
}
void open_ciphertext(benchmark::State& state) {
  const Sealed setup(state);
  for (auto _ : state) {
    const auto text = setup.node->combine(Sealed::label(), setup.ciphertext.view(), setup.claims);
    if (!text) state.SkipWithError("no text");
    benchmark::DoNotOptimize(text);
  }
}
#define THRESHER_SIZES \
  Args({4, 2})->Args({4, 3})->Args({100, 34})->Args({100, 67})->Unit(benchmark::kMicrosecond)
BENCHMARK(create_share)->Args({100, 34})->Unit(benchmark::kMicrosecond);
BENCHMARK(verify_shares)->THRESHER_SIZES;
BENCHMARK(combine_shares)->THRESHER_SIZES;
BENCHMARK(encrypt)->Args({4, 3})->Unit(benchmark::kMicrosecond);
BENCHMARK(see_that_it_is_valid)->Args({4, 3})->Unit(benchmark::kMicrosecond);
BENCHMARK(create_decryption_share)->Args({4, 3})->Unit(benchmark::kMicrosecond);
BENCHMARK(verify_decryption_shares)->THRESHER_SIZES;
BENCHMARK(open_ciphertext)->THRESHER_SIZES;

}  // namespace
}  // namespace thresher

BENCHMARK_MAIN();
