#include "individual.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "../scalar.hpp"
#include "../zip215.hpp"
#include "one_known.hpp"
#include "tables.hpp"

namespace thresher::crypto::lanes {
namespace {

/// Keys with a table of 18 KiB each.
constexpr std::size_t kMostRegistered = 1024;

SignatureStatus verdict_of(Answer answer) {
  switch (answer) {
    case Answer::kValid:
      return SignatureStatus::kValid;
    case Answer::kBadKey:
      return SignatureStatus::kBadKey;
    case Answer::kBad:
      break;
  }
  return SignatureStatus::kBadSignature;
}

}  // namespace

struct Individual::Group {
  Job jobs[kMaxLanes];
  const SignatureJob* sources[kMaxLanes];
  const KeyTable* tables[kMaxLanes];
  std::size_t index[kMaxLanes];
  int count = 0;

  void add(std::size_t i, const SignatureJob& from, const Scalar& s, const Scalar& k,
           const KeyTable* table) {
    Job& job = jobs[count];
    std::memcpy(job.r, from.signature.data(), 32);
    std::memcpy(job.key, from.key.data(), 32);
    recode16(k, job.k);
    recode256(s, job.s);
    sources[count] = &from;
    tables[count] = table;
    index[count++] = i;
  }
};

Individual::Individual(std::string_view name, const Engine& engine)
    : name_(name), engine_(engine), base_(base_table(engine.form)) {}

// Room for new keys is made by those that were not named for longest: another epoch's.
void Individual::register_keys(std::span<const PublicKey> keys) {
  (void)comb_table(engine_.form);
  ++registrations_;
  std::size_t named = 0;
  for (const PublicKey& key : keys) {
    if (const auto it = known_.find(key); it != known_.end()) {
      named += it->second.registered != registrations_ ? 1 : 0;
      it->second.registered = registrations_;
      continue;
    }
    if (named == kMostRegistered) return;
    auto table = key_table(key, engine_.form);
    if (!table) continue;
    if (known_.size() == kMostRegistered) {
      const auto older = [](const auto& a, const auto& b) {
        return a.second.registered < b.second.registered;
      };
      const auto oldest = std::min_element(known_.begin(), known_.end(), older);
      if (oldest->second.registered == registrations_) return;
      known_.erase(oldest);
    }
    known_.emplace(key, Known{std::move(table), registrations_});
    ++named;
  }
}

void Individual::verify(std::span<const SignatureJob> jobs,
                        std::span<SignatureStatus> verdicts) noexcept {
  std::vector<Scalar> k(jobs.size());
  ed25519::challenges(jobs, k);
  verify_challenged(jobs, k, verdicts);
}

void Individual::verify_challenged(std::span<const SignatureJob> jobs, std::span<const Scalar> k,
                                   std::span<SignatureStatus> verdicts) const {
  Group fresh;
  Group known;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const Scalar s = scalar_of(jobs[i]);
    if (!ed25519::below_order(s)) {
      verdicts[i] = SignatureStatus::kBadSignature;
      continue;
    }
    const auto it = known_.find(jobs[i].key);
    const KeyTable* table = it == known_.end() ? nullptr : it->second.table.get();
    Group& group = table == nullptr ? fresh : known;
    group.add(i, jobs[i], s, k[i], table);
    if (group.count == engine_.lanes) run(group, verdicts);
  }
  run(fresh, verdicts);
  run(known, verdicts);
}

void Individual::run(Group& group, std::span<SignatureStatus> verdicts) const {
  if (group.count == 0) return;
  if (group.tables[0] == nullptr && group.count < engine_.worth_it) {
    for (int i = 0; i < group.count; ++i) {
      verdicts[group.index[i]] = ed25519::verify_zip215(*group.sources[i]);
    }
    group.count = 0;
    return;
  }
  Answer answers[kMaxLanes];
  if (group.tables[0] != nullptr && group.count < engine_.known_worth_it) {
    for (int i = 0; i < group.count; ++i) {
      answers[i] = verify_one_known(group.jobs[i], *group.tables[i], engine_.form);
    }
  } else if (group.tables[0] != nullptr) {
    engine_.verify_known(group.jobs, group.tables, group.count, comb_table(engine_.form), answers);
  } else {
    engine_.verify(group.jobs, group.count, base_, answers);
  }
  for (int i = 0; i < group.count; ++i) verdicts[group.index[i]] = verdict_of(answers[i]);
  group.count = 0;
}

}  // namespace thresher::crypto::lanes
