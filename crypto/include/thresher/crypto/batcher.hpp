// Collects the `Verify` effects of all instances into batches, and picks who verifies them.
//
//   Batcher batcher({}, *Batcher::backends("avx512", "rlc", "cuda"), now_us, wake);
//   if (!batcher.add({instance, ticket, peer, Purpose::kQuorum, key, digest, signature})) ...
//   for (const VerifyAnswer& a : batcher.run()) ...       // when due(), and after every wake()
//
// Guarantees: every request that add() took is answered exactly once, by run(), with the verdict
// of ZIP-215 and never with kUnavailable: what an accelerator cannot answer, the processor does. A
// batch closes on size or on a deadline. Senders are served in turns, those whose signatures were
// bad lately after the others and with an eighth of the room, so that a cheater delays only itself;
// each may have so many requests waiting and no more. Quorum certificates stay on the processor;
// other work goes to the accelerator while more of it waits than the processor clears in one wave
// of the accelerator, by the rates measured so far.
//
// add(), due() and figures() may be called from any thread, run() from one at a time. Reads no
// clock but the one it is given. Does not verify what was signed: the digest is the caller's.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "thresher/core/ids.hpp"
#include "thresher/crypto/verifier.hpp"

namespace thresher::crypto {

/// What waits for the verdict. Only quorum certificates are on the way of a commit.
enum class Purpose : std::uint8_t { kQuorum, kAdmission, kCatchUp, kAudit };

struct VerifyRequest {
  std::uint32_t instance = 0;  ///< who asks; comes back in the answer
  Ticket ticket;
  std::uint32_t sender = 0;  ///< the peer that sent it, who need not be the signer
  Purpose purpose = Purpose::kQuorum;
  PublicKey key{};
  Digest digest{};  ///< the signed message
  Signature signature{};
};

struct VerifyAnswer {
  std::uint32_t instance = 0;
  Ticket ticket;
  std::uint32_t sender = 0;
  SignatureStatus verdict = SignatureStatus::kUnavailable;
  bool good() const { return verdict == SignatureStatus::kValid; }
};

struct BatcherOptions {
  std::size_t close_at = 64;        ///< signatures that close a batch
  std::uint64_t deadline_us = 0;    ///< from the oldest request; 0: at the next run()
  std::size_t slice = 1024;         ///< most that one run() verifies on the processor
  std::size_t sender_quota = 4096;  ///< waiting signatures of one sender
  std::size_t most_senders = 4096;  ///< with something waiting, or lately bad
  std::size_t wide_batch =
      131072;  ///< most that the accelerator gets at once: there combinations begin
  std::uint32_t free_cores = 1;               ///< that could verify, for the comparison of rates
  std::uint64_t wave_us = 800;                ///< of the accelerator, until one was measured
  std::uint64_t wide_timeout_us = 2'000'000;  ///< after it the processor does its work
  std::uint64_t retry_us = 1'000'000;  ///< a lost accelerator is left alone so long, then longer
};

/// Counters since the start, and three gauges.
struct BatcherFigures {
  std::uint64_t answered = 0;
  std::uint64_t bad = 0;
  std::uint64_t batches = 0;
  std::uint64_t closed_by_size = 0;
  std::uint64_t closed_by_deadline = 0;
  std::uint64_t individually = 0;  ///< verified one by one on the processor
  std::uint64_t combined = 0;      ///< by random linear combinations
  std::uint64_t wide = 0;          ///< by the accelerator
  std::uint64_t retried = 0;       ///< by the processor after the accelerator gave no answer
  std::uint64_t wide_losses = 0;
  std::uint64_t refused = 0;   ///< over a quota
  std::uint64_t largest = 0;   ///< batch
  std::uint64_t waiting = 0;   ///< gauge
  std::uint64_t suspects = 0;  ///< gauge: senders whose signatures were bad lately
  std::uint64_t wave_us = 0;   ///< gauge: what a wave of the accelerator takes
};

class Batcher {
 public:
  struct Backends {
    std::unique_ptr<BatchVerifier> individual;  ///< never null, never unavailable
    std::unique_ptr<BatchVerifier> combined;    ///< null: none
    std::unique_ptr<BatchVerifier> wide;        ///< null: no accelerator
  };
  using Clock = std::function<std::uint64_t()>;
  using Wake = std::function<void()>;

  /// Backends by name; a name that is not on this machine is left out. Empty when `individual` is.
  static std::optional<Backends> backends(std::string_view individual, std::string_view combined,
                                          std::string_view wide);

  /// `now_us` never goes back. `wake` is called from another thread when the accelerator is done:
  /// it must make the owner call run(), and not call it itself.
  Batcher(BatcherOptions options, Backends backends, Clock now_us, Wake wake = {});
  /// Waits for the accelerator. What was not answered never is.
  ~Batcher();
  Batcher(const Batcher&) = delete;
  Batcher& operator=(const Batcher&) = delete;

  /// Once an epoch. Not while run() runs.
  void register_keys(std::span<const PublicKey> keys);
  /// False when its sender has too much waiting, or too many senders have: run() makes room.
  [[nodiscard]] bool add(const VerifyRequest& request);
  /// The time at which run() has something to do, in the past when it has now; empty when nothing
  /// waits, or only for the accelerator.
  std::optional<std::uint64_t> due() const;
  /// Verifies what is due, and hands out what the accelerator answered.
  std::vector<VerifyAnswer> run();
  BatcherFigures figures() const;

 private:
  struct Waiting {
    VerifyRequest request;
    std::uint64_t since_us;
  };
  struct Sender {
    std::deque<Waiting> quorum, bulk;
    std::uint32_t suspicion = 0;  ///< good signatures until it is trusted again
    std::size_t size() const { return quorum.size() + bulk.size(); }
  };
  /// What one run() verifies; requests of one sender stand together.
  struct Share {
    std::vector<VerifyRequest> mixed;                    // one by one
    std::vector<std::vector<VerifyRequest>> combinable;  // one sender each
    std::size_t size() const;
  };
  /// Nanoseconds a signature, smoothed; 0: not measured.
  struct Rate {
    std::uint64_t ns = 0;
    void measured(std::uint64_t us, std::size_t count);
  };
  /// What the accelerator works on. The worker reads `requests` and writes `verdicts`.
  struct Wave {
    std::vector<VerifyRequest> requests;
    std::vector<SignatureStatus> verdicts;
    std::uint64_t begun_us = 0;
    bool taken = false;  // by the worker
    bool done = false;
    bool overdue = false;  // the processor does it; the worker's verdicts are late
  };

  bool bulk_held() const;
  std::size_t ready() const;
  std::uint64_t closes() const;
  std::size_t threshold() const;
  void collect_wave(std::uint64_t now, std::vector<VerifyAnswer>& out);
  void give_up_wave(std::uint64_t now);
  void start_wave(std::uint64_t now);
  Share take_share(std::size_t most);
  void take_from(std::deque<Waiting> Sender::*queue, bool suspects, std::size_t room,
                 std::vector<VerifyRequest>& out);
  bool prefer_combined();
  void verify_share(const Share& share, std::vector<VerifyAnswer>& out);
  std::uint64_t check(BatchVerifier& backend, std::span<const VerifyRequest> requests,
                      std::vector<VerifyAnswer>& out) const;
  void judge(std::span<const VerifyAnswer> answers);
  void forget_idle();
  void work();

  const BatcherOptions options_;
  const Backends backends_;
  const Clock now_us_;
  const Wake wake_;

  mutable std::mutex mutex_;  // everything below; not held while a backend verifies
  std::condition_variable for_worker_;
  std::map<std::uint32_t, Sender> senders_;
  std::uint32_t turn_ = 0;  // the sender after which the next share begins
  std::size_t quorum_waiting_ = 0;
  std::size_t bulk_waiting_ = 0;
  std::vector<VerifyRequest> again_;  // the accelerator gave no answer
  std::shared_ptr<Wave> wave_;
  std::uint64_t wide_not_before_ = 0;
  std::uint64_t wide_pause_us_;
  Rate individual_rate_, combined_rate_;
  std::uint64_t combinable_batches_ = 0;
  BatcherFigures figures_;
  bool stopping_ = false;
  std::thread worker_;  // last; only with an accelerator
};

}  // namespace thresher::crypto
