#include "thresher/crypto/batcher.hpp"

#include <algorithm>
#include <utility>

namespace thresher::crypto {
namespace {

/// Good signatures that a sender owes for each bad one.
constexpr std::uint32_t kSuspicion = 256;
constexpr std::uint32_t kMostSuspicion = 4096;
/// Suspects get this part of a share while others wait.
constexpr std::size_t kSuspectsPart = 8;
/// Below it a combination does not win.
constexpr std::size_t kLeastCombined = 64;
/// The slower one of the two is measured again every so often.
constexpr std::uint64_t kProbe = 64;
/// The processor, until it was measured: libsodium on a slow core.
constexpr std::uint64_t kUnmeasuredNs = 50'000;
constexpr std::uint64_t kMostPauseUs = 60'000'000;

bool on_commit_path(Purpose p) {
  return p == Purpose::kQuorum;
}

}  // namespace

std::size_t Batcher::Share::size() const {
  std::size_t out = mixed.size();
  for (const auto& group : combinable) out += group.size();
  return out;
}

void Batcher::Rate::measured(std::uint64_t us, std::size_t count) {
  if (count == 0) return;
  const std::uint64_t now = std::max<std::uint64_t>(1, us * 1000 / count);
  ns = ns == 0 ? now : (7 * ns + now) / 8;
}

std::optional<Batcher::Backends> Batcher::backends(std::string_view individual,
                                                   std::string_view combined,
                                                   std::string_view wide) {
  Backends out{make_verifier(individual), make_verifier(combined), make_verifier(wide)};
  if (!out.individual) return std::nullopt;
  return out;
}

Batcher::Batcher(BatcherOptions options, Backends backends, Clock now_us, Wake wake)
    : options_(options),
      backends_(std::move(backends)),
      now_us_(std::move(now_us)),
      wake_(std::move(wake)),
      wide_pause_us_(options.retry_us) {
  figures_.wave_us = options.wave_us;
  if (backends_.wide) worker_ = std::thread([this] { work(); });
}

Batcher::~Batcher() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  for_worker_.notify_one();
  if (worker_.joinable()) worker_.join();
}

void Batcher::register_keys(std::span<const PublicKey> keys) {
  backends_.individual->register_keys(keys);
  if (backends_.combined) backends_.combined->register_keys(keys);
  // The worker may be in the middle of a wave: it holds the accelerator, not the lock.
  if (backends_.wide) {
    std::unique_lock lock(mutex_);
    for_worker_.wait(lock, [this] { return !wave_ || wave_->done; });
    backends_.wide->register_keys(keys);
  }
}

bool Batcher::add(const VerifyRequest& request) {
  const std::uint64_t now = now_us_();
  const std::lock_guard lock(mutex_);
  if (!senders_.contains(request.sender) && senders_.size() >= options_.most_senders) forget_idle();
  if (!senders_.contains(request.sender) && senders_.size() >= options_.most_senders) {
    ++figures_.refused;
    return false;
  }
  Sender& sender = senders_[request.sender];
  if (sender.size() >= options_.sender_quota) {
    ++figures_.refused;
    return false;
  }
  const bool quorum = on_commit_path(request.purpose);
  (quorum ? sender.quorum : sender.bulk).push_back({request, now});
  ++(quorum ? quorum_waiting_ : bulk_waiting_);
  return true;
}

// Those with nothing waiting: the trusted ones, and one suspect when there are only suspects.
void Batcher::forget_idle() {
  const auto idle = [](const auto& entry) { return entry.second.size() == 0; };
  if (std::erase_if(senders_, [&](const auto& entry) {
        return idle(entry) && entry.second.suspicion == 0;
      }) > 0) {
    return;
  }
  const auto it = std::find_if(senders_.begin(), senders_.end(), idle);
  if (it != senders_.end()) senders_.erase(it);
}

// While the accelerator is busy and worth it, what waits for its next wave would only be slower
// here.
bool Batcher::bulk_held() const {
  return wave_ && !wave_->overdue && bulk_waiting_ > threshold();
}

// What a share could be made of.
std::size_t Batcher::ready() const {
  return quorum_waiting_ + (bulk_held() ? 0 : bulk_waiting_);
}

// When the batch closes. Pre: something is ready.
std::uint64_t Batcher::closes() const {
  if (ready() >= options_.close_at) return 0;
  const bool with_bulk = !bulk_held();
  std::uint64_t oldest = UINT64_MAX;
  for (const auto& [id, sender] : senders_) {
    if (!sender.quorum.empty()) oldest = std::min(oldest, sender.quorum.front().since_us);
    if (with_bulk && !sender.bulk.empty()) oldest = std::min(oldest, sender.bulk.front().since_us);
  }
  return oldest + options_.deadline_us;
}

std::optional<std::uint64_t> Batcher::due() const {
  const std::lock_guard lock(mutex_);
  if (!again_.empty() || (wave_ && wave_->done)) return 0;
  std::optional<std::uint64_t> out;
  if (wave_ && !wave_->overdue) out = wave_->begun_us + options_.wide_timeout_us;
  if (ready() > 0) out = std::min(out.value_or(UINT64_MAX), closes());
  return out;
}

// Work for the accelerator begins where the free cores would need longer than one wave.
std::size_t Batcher::threshold() const {
  std::uint64_t ns = individual_rate_.ns;
  if (combined_rate_.ns != 0) ns = ns == 0 ? combined_rate_.ns : std::min(ns, combined_rate_.ns);
  if (ns == 0) ns = kUnmeasuredNs;
  return static_cast<std::size_t>(figures_.wave_us * 1000 * options_.free_cores / ns);
}

std::vector<VerifyAnswer> Batcher::run() {
  std::vector<VerifyAnswer> out;
  const std::uint64_t now = now_us_();
  Share share;
  {
    const std::lock_guard lock(mutex_);
    collect_wave(now, out);
    const bool closing = ready() > 0 && closes() <= now;
    // A whole wave may come back at once: what waits beside it has half of the room.
    const std::size_t room =
        closing ? std::max<std::size_t>(1, options_.slice / 2) : options_.slice;
    const std::size_t back = std::min(again_.size(), room);
    if (closing) {
      ++(ready() >= options_.close_at ? figures_.closed_by_size : figures_.closed_by_deadline);
      start_wave(now);
      share = take_share(options_.slice - back);
    }
    const auto first = again_.end() - static_cast<std::ptrdiff_t>(back);
    share.mixed.insert(share.mixed.end(), first, again_.end());
    again_.erase(first, again_.end());
    figures_.retried += back;
    if (share.size() > 0) {
      ++figures_.batches;
      figures_.largest = std::max<std::uint64_t>(figures_.largest, share.size());
    }
  }
  verify_share(share, out);
  const std::lock_guard lock(mutex_);
  judge(out);
  return out;
}

// Answers of the accelerator; what it could not answer is for the processor.
void Batcher::collect_wave(std::uint64_t now, std::vector<VerifyAnswer>& out) {
  if (!wave_) return;
  if (!wave_->done) {
    if (!wave_->overdue && now >= wave_->begun_us + options_.wide_timeout_us) give_up_wave(now);
    return;
  }
  const std::shared_ptr<Wave> wave = std::exchange(wave_, nullptr);
  for_worker_.notify_all();
  if (wave->overdue) return;
  std::size_t unanswered = 0;
  for (std::size_t i = 0; i < wave->requests.size(); ++i) {
    const VerifyRequest& r = wave->requests[i];
    if (wave->verdicts[i] == SignatureStatus::kUnavailable) {
      ++unanswered;
      again_.push_back(r);
    } else {
      out.push_back({r.instance, r.ticket, r.sender, wave->verdicts[i]});
    }
  }
  figures_.wide += wave->requests.size() - unanswered;
  if (unanswered > 0) {
    ++figures_.wide_losses;
    wide_not_before_ = now + wide_pause_us_;
    wide_pause_us_ = std::min(2 * wide_pause_us_, kMostPauseUs);
  } else {
    wide_pause_us_ = options_.retry_us;
    // The shortest one of late: a full wave takes longer than an empty one, and the question is
    // what the first signature has to wait for.
    const std::uint64_t took = now - wave->begun_us;
    figures_.wave_us =
        std::max<std::uint64_t>(1, std::min(took, figures_.wave_us + figures_.wave_us / 16 + 1));
  }
}

void Batcher::give_up_wave(std::uint64_t now) {
  wave_->overdue = true;
  again_.insert(again_.end(), wave_->requests.begin(), wave_->requests.end());
  ++figures_.wide_losses;
  wide_not_before_ = now + wide_pause_us_;
  wide_pause_us_ = std::min(2 * wide_pause_us_, kMostPauseUs);
}

void Batcher::start_wave(std::uint64_t now) {
  if (!backends_.wide || wave_ || now < wide_not_before_ || bulk_waiting_ <= threshold()) return;
  auto wave = std::make_shared<Wave>();
  wave->begun_us = now;
  take_from(&Sender::bulk, false, options_.wide_batch, wave->requests);
  take_from(&Sender::bulk, true, options_.wide_batch - wave->requests.size(), wave->requests);
  wave->verdicts.assign(wave->requests.size(), SignatureStatus::kUnavailable);
  wave_ = std::move(wave);
  for_worker_.notify_all();
}

void Batcher::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    for_worker_.wait(lock, [this] { return stopping_ || (wave_ && !wave_->taken); });
    if (stopping_) return;
    const std::shared_ptr<Wave> wave = wave_;
    wave->taken = true;
    lock.unlock();
    std::vector<SignatureJob> jobs;
    jobs.reserve(wave->requests.size());
    for (const VerifyRequest& r : wave->requests)
      jobs.push_back({r.key, r.digest.bytes, r.signature});
    std::vector<SignatureStatus> verdicts(jobs.size(), SignatureStatus::kUnavailable);
    backends_.wide->verify(jobs, verdicts);
    lock.lock();
    wave->verdicts = std::move(verdicts);
    wave->done = true;
    for_worker_.notify_all();
    if (wake_) {
      lock.unlock();
      wake_();
      lock.lock();
    }
  }
}

// An equal part of each sender, again and again, from the one after the last.
void Batcher::take_from(std::deque<Waiting> Sender::*queue, bool suspects, std::size_t room,
                        std::vector<VerifyRequest>& out) {
  std::vector<std::pair<std::uint32_t, Sender*>> turn;
  for (auto& [id, sender] : senders_) {
    if (!(sender.*queue).empty() && (sender.suspicion > 0) == suspects)
      turn.emplace_back(id, &sender);
  }
  const auto after = [&](const auto& entry) { return entry.first > turn_; };
  std::rotate(turn.begin(), std::find_if(turn.begin(), turn.end(), after), turn.end());
  std::vector<std::size_t> parts(turn.size(), 0);
  while (room > 0 && !turn.empty()) {
    const std::size_t part = std::max<std::size_t>(1, room / turn.size());
    std::size_t given = 0;
    for (std::size_t i = 0; i < turn.size() && room > given; ++i) {
      const std::size_t more =
          std::min({part, (turn[i].second->*queue).size() - parts[i], room - given});
      parts[i] += more;
      given += more;
      if (more > 0) turn_ = turn[i].first;
    }
    if (given == 0) break;
    room -= given;
  }
  const bool quorum = queue == &Sender::quorum;
  for (std::size_t i = 0; i < turn.size(); ++i) {
    auto& from = turn[i].second->*queue;
    for (std::size_t k = 0; k < parts[i]; ++k) {
      out.push_back(from.front().request);
      from.pop_front();
    }
    (quorum ? quorum_waiting_ : bulk_waiting_) -= parts[i];
  }
}

// Certificates before other work, suspects last but with a part of their own.
Batcher::Share Batcher::take_share(std::size_t most) {
  Share share;
  const auto suspect = [](const auto& entry) {
    return entry.second.suspicion > 0 && entry.second.size() > 0;
  };
  const bool suspects = std::any_of(senders_.begin(), senders_.end(), suspect);
  const std::size_t kept = suspects ? std::max<std::size_t>(1, most / kSuspectsPart) : 0;
  const auto room = [&](std::size_t keep) {
    const std::size_t used = share.size() + keep;
    return used < most ? most - used : 0;
  };
  take_from(&Sender::quorum, false, room(kept), share.mixed);
  const bool leave_bulk = bulk_held();
  if (!leave_bulk) {
    std::vector<VerifyRequest> bulk;
    take_from(&Sender::bulk, false, room(kept), bulk);
    for (auto it = bulk.begin(); it != bulk.end();) {
      const auto end =
          std::find_if(it, bulk.end(), [&](const auto& r) { return r.sender != it->sender; });
      if (backends_.combined && static_cast<std::size_t>(end - it) >= kLeastCombined) {
        share.combinable.emplace_back(it, end);
      } else {
        share.mixed.insert(share.mixed.end(), it, end);
      }
      it = end;
    }
  }
  take_from(&Sender::quorum, true, room(0), share.mixed);
  if (!leave_bulk) take_from(&Sender::bulk, true, room(0), share.mixed);
  return share;
}

bool Batcher::prefer_combined() {
  const std::lock_guard lock(mutex_);
  const bool faster = individual_rate_.ns == 0 || combined_rate_.ns < individual_rate_.ns;
  return ++combinable_batches_ % kProbe == 0 ? !faster : faster;
}

void Batcher::verify_share(const Share& share, std::vector<VerifyAnswer>& out) {
  const auto one_by_one = [&](std::span<const VerifyRequest> requests) {
    const std::uint64_t us = check(*backends_.individual, requests, out);
    const std::lock_guard lock(mutex_);
    // A few alone are slower, each, than the many that the rates are compared for.
    if (requests.size() >= kLeastCombined) individual_rate_.measured(us, requests.size());
    figures_.individually += requests.size();
  };
  if (!share.mixed.empty()) one_by_one(share.mixed);
  for (const auto& group : share.combinable) {
    if (!prefer_combined()) {
      one_by_one(group);
      continue;
    }
    const std::uint64_t us = check(*backends_.combined, group, out);
    const std::lock_guard lock(mutex_);
    combined_rate_.measured(us, group.size());
    figures_.combined += group.size();
  }
}

std::uint64_t Batcher::check(BatchVerifier& backend, std::span<const VerifyRequest> requests,
                             std::vector<VerifyAnswer>& out) const {
  std::vector<SignatureJob> jobs;
  jobs.reserve(requests.size());
  for (const VerifyRequest& r : requests) jobs.push_back({r.key, r.digest.bytes, r.signature});
  std::vector<SignatureStatus> verdicts(jobs.size(), SignatureStatus::kUnavailable);
  const std::uint64_t start = now_us_();
  backend.verify(jobs, verdicts);
  const std::uint64_t took = now_us_() - start;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    out.push_back({requests[i].instance, requests[i].ticket, requests[i].sender, verdicts[i]});
  }
  return took;
}

void Batcher::judge(std::span<const VerifyAnswer> answers) {
  figures_.answered += answers.size();
  for (const VerifyAnswer& a : answers) {
    const bool good = a.verdict == SignatureStatus::kValid;
    figures_.bad += good ? 0 : 1;
    const auto it = senders_.find(a.sender);
    if (it == senders_.end()) continue;
    std::uint32_t& suspicion = it->second.suspicion;
    if (good) {
      suspicion -= suspicion > 0 ? 1 : 0;
    } else {
      suspicion = std::min(suspicion + kSuspicion, kMostSuspicion);
    }
  }
}

BatcherFigures Batcher::figures() const {
  const std::lock_guard lock(mutex_);
  BatcherFigures out = figures_;
  out.waiting = quorum_waiting_ + bulk_waiting_ + again_.size();
  if (wave_ && !wave_->overdue) out.waiting += wave_->requests.size();
  for (const auto& [id, sender] : senders_) out.suspects += sender.suspicion > 0 ? 1 : 0;
  return out;
}

}  // namespace thresher::crypto
