#include <openssl/evp.h>
#include <time.h>

#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <sstream>

#include "../crypto/backends.hpp"
#include "../json.hpp"
#include "../text.hpp"
#include "thresher/core/names.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/crypto/signing_key.hpp"

namespace thresher::cli {
namespace {

struct Args {
  std::string backend = "all";
  std::string batch = "1,8,64,1024,16384";
  std::string keys = "fresh";
  double bad_fraction = 0;
  double seconds = 1;
  bool json = false;
};

struct Work {
  std::vector<std::vector<std::byte>> messages;
  std::vector<crypto::SignatureJob> jobs;
  std::vector<PublicKey> committee;  // empty: every signature has a key of its own
};

/// Processor time of this thread; a card works while the thread sleeps, so it is timed by the
/// wall.
double seconds_of(clockid_t clock) {
  timespec t{};
  (void)::clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

// 32-byte messages, as digests are.
Work make_work(std::size_t count, std::size_t committee, double bad_fraction) {
  Work work;
  std::vector<crypto::SigningKey> keys;
  const std::size_t distinct = committee == 0 ? count : std::min(committee, count);
  for (std::size_t i = 0; i < distinct; ++i) keys.push_back(crypto::SigningKey::generate());
  Prng random(1);
  for (std::size_t i = 0; i < count; ++i) {
    auto& message = work.messages.emplace_back(32);
    for (std::byte& b : message) b = static_cast<std::byte>(random.below(256));
    const crypto::SigningKey& key = keys[i % distinct];
    work.jobs.push_back({key.public_key(), message, key.sign(message)});
    const double draw = static_cast<double>(random.below(1'000'000)) / 1e6;
    if (draw < bad_fraction) work.jobs.back().signature[40] ^= std::byte{1};
  }
  for (std::size_t i = 0; i < work.jobs.size(); ++i) work.jobs[i].message = work.messages[i];
  if (committee != 0) {
    for (const auto& key : keys) work.committee.push_back(key.public_key());
  }
  return work;
}

/// Verifications per second: the median of five stretches.
double rate(double seconds, std::size_t batch, const std::function<void()>& verify,
            clockid_t clock = CLOCK_THREAD_CPUTIME_ID) {
  verify();
  std::vector<double> rates;
  for (int stretch = 0; stretch < 5; ++stretch) {
    const double start = seconds_of(clock);
    double used = 0;
    std::uint64_t done = 0;
    do {
      verify();
      done += batch;
      used = seconds_of(clock) - start;
    } while (used < seconds / 5);
    rates.push_back(static_cast<double>(done) / used);
  }
  std::sort(rates.begin(), rates.end());
  return rates[2];
}

double openssl_rate(const Work& work, double seconds) {
  std::size_t at = 0;
  return rate(seconds, 1, [&] {
    const crypto::SignatureJob& job = work.jobs[at++ % work.jobs.size()];
    const auto* key_bytes = reinterpret_cast<const unsigned char*>(job.key.data());
    EVP_PKEY* key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, key_bytes, 32);
    EVP_MD_CTX* context = EVP_MD_CTX_new();
    EVP_DigestVerifyInit(context, nullptr, nullptr, nullptr, key);
    (void)EVP_DigestVerify(context, reinterpret_cast<const unsigned char*>(job.signature.data()),
                           64, reinterpret_cast<const unsigned char*>(job.message.data()),
                           job.message.size());
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
  });
}

std::string cpu_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "unknown";
}

struct Row {
  std::string backend;
  std::uint64_t batch;
  double per_s;
  double x_libsodium;
};

/// The emulator is slow and no faster on many: a part of a large batch has the same rate.
constexpr std::size_t kEmulated = 256;

/// Empty when the backend stopped answering: its figures would mean nothing.
std::optional<double> backend_rate(crypto::BatchVerifier& backend, const Work& work,
                                   double seconds) {
  const std::size_t most = backend.name() == "emulator" ? kEmulated : work.jobs.size();
  const std::span jobs(work.jobs.data(), std::min(most, work.jobs.size()));
  std::vector<crypto::SignatureStatus> verdicts(jobs.size());
  backend.register_keys(work.committee);
  const bool card = !backend.accelerator().empty();
  const double out = rate(
      seconds, jobs.size(), [&] { backend.verify(jobs, verdicts); },
      card ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID);
  return backend.problem() ? std::nullopt : std::optional(out);
}

std::vector<Row> measure(Backends& backends, const std::vector<std::uint64_t>& batches,
                         std::size_t committee, const Args& a) {
  std::vector<Row> rows;
  const auto yardstick = crypto::make_verifier("sodium");
  for (const std::uint64_t batch : batches) {
    const Work work = make_work(batch, committee, a.bad_fraction);
    std::vector<crypto::SignatureStatus> verdicts(batch);
    const std::span first(work.jobs.data(), std::min<std::size_t>(batch, 64));
    const double sodium = rate(a.seconds, first.size(), [&] {
      yardstick->verify(first, std::span(verdicts).first(first.size()));
    });
    rows.push_back({"libsodium", batch, sodium, 1.0});
    const double openssl = openssl_rate(work, a.seconds);
    rows.push_back({"openssl", batch, openssl, openssl / sodium});
    for (auto& backend : backends.here) {
      const auto per_s = backend_rate(*backend, work, a.seconds);
      if (per_s) rows.push_back({std::string(backend->name()), batch, *per_s, *per_s / sodium});
    }
  }
  for (const auto& backend : backends.here) {
    if (const auto problem = backend->problem())
      backends.missing.push_back({problem->where, problem->text()});
  }
  return rows;
}

std::string parse(const Args& a, std::vector<std::uint64_t>& batches, std::size_t& committee) {
  std::stringstream list(a.batch);
  for (std::string item; std::getline(list, item, ',');) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), value);
    if (error != std::errc{} || end != item.data() + item.size() || value == 0 ||
        value > (1u << 20)) {
      return "--batch '" + a.batch + "' is no list of numbers from 1 to 1048576, like 1,64,1024";
    }
    batches.push_back(value);
  }
  if (batches.empty()) return "--batch is empty; write 1,64,1024";
  if (a.bad_fraction < 0 || a.bad_fraction > 1) return "--bad-fraction must be 0 to 1";
  if (a.seconds <= 0 || a.seconds > 600) return "--seconds must be above 0 and at most 600";
  if (a.keys == "fresh") return {};
  const std::string prefix = "committee:";
  const char* end = a.keys.data() + a.keys.size();
  if (a.keys.rfind(prefix, 0) != 0 ||
      std::from_chars(a.keys.data() + prefix.size(), end, committee).ptr != end || committee == 0 ||
      committee > 1024) {
    return "--keys '" + a.keys + "' is neither fresh nor committee:N with N from 1 to 1024";
  }
  return {};
}

int run(const Args& a) {
  std::vector<std::uint64_t> batches;
  std::size_t committee = 0;
  if (const std::string problem = parse(a, batches, committee); !problem.empty()) {
    return fail(kUsage, problem);
  }
  auto backends = backends_of(a.backend);
  if (!backends) return fail(kUsage, backends.error());
  if (const std::string why = none_here(*backends, a.backend); !why.empty())
    return fail(kResourceMissing, why);
  const auto rows = measure(*backends, batches, committee, a);
  if (!a.json) {
    std::printf("%-10s %8s %14s %12s %12s\n", "backend", "batch", "verifies/s", "us each",
                "x libsodium");
    for (const Row& r : rows) {
      std::printf("%-10s %8llu %14.0f %12.2f %12.2f\n", r.backend.c_str(),
                  static_cast<unsigned long long>(r.batch), r.per_s, 1e6 / r.per_s, r.x_libsodium);
    }
    for (const Missing& m : backends->missing) {
      std::printf("%s: %s\n", m.name.c_str(), m.why.c_str());
    }
    return kDone;
  }
  std::vector<Json> out_rows;
  for (const Row& r : rows) {
    Json row;
    row.set("backend", r.backend).set("batch", r.batch).set("keys", a.keys);
    row.set("verifies_per_s", r.per_s).set("us_per_signature", 1e6 / r.per_s);
    row.set("x_libsodium", r.x_libsodium);
    out_rows.push_back(std::move(row));
  }
  Json missing;
  for (const Missing& m : backends->missing) missing.set(m.name, m.why);
  std::string gpu;
  for (const auto& backend : backends->here) gpu += backend->accelerator();
  Json out;
  out.set("cpu", cpu_name());
  gpu.empty() ? out.set_null("gpu") : out.set("gpu", gpu);
  out.set("rows", out_rows).set("unavailable", missing);
  out.print();
  return kDone;
}

}  // namespace

Verb make_bench_verify() {
  auto a = std::make_shared<Args>();
  return {{"bench", "verify"},
          "Measure signature verification on one core, beside libsodium and OpenSSL. Example: "
          "thresher bench verify --batch 64,1024 --keys committee:100",
          {{"--backend", backend_help(), &a->backend},
           {"--batch", "sizes, separated by commas", &a->batch},
           {"--keys", "fresh, or committee:N registered keys", &a->keys},
           {"--bad-fraction", "share of damaged signatures", &a->bad_fraction},
           {"--seconds", "for each row", &a->seconds},
           {"--json", "one object on one line", &a->json}},
          [a] { return run(*a); }};
}

}  // namespace thresher::cli
