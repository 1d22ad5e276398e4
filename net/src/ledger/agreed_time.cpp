#include "ledger/agreed_time.hpp"

#include <algorithm>
#include <chrono>
#include <functional>

namespace thresher::net {
namespace {

/// No member may claim more, so that time goes on rising by microseconds after it.
constexpr std::uint64_t kLatest = std::uint64_t{1} << 62;

}  // namespace

void append_stamp(std::uint64_t time_us, std::vector<std::byte>& out) {
  const Round at{time_us};
  RunWriter(out).run({ClientId{}, {at, at}}, {});
}

std::optional<std::uint64_t> stamp_of(ByteView payload) {
  if (payload.size() < kRunHead) return std::nullopt;
  ClientId client;
  std::memcpy(client.bytes.data(), payload.data(), client.bytes.size());
  const auto size = load<std::uint32_t>(payload.data() + kRunHead - sizeof(std::uint32_t));
  if (client != ClientId{} || size != 0) return std::nullopt;
  return load<std::uint64_t>(payload.data() + client.bytes.size());
}

std::uint64_t clock_now_us() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto us = std::chrono::duration_cast<std::chrono::microseconds>(now).count();
  return static_cast<std::uint64_t>(std::max<decltype(us)>(us, 0));
}

void AgreedTime::note(NodeId author, std::uint64_t stamp) {
  latest_[author] = std::min(stamp, kLatest);
}

std::uint64_t AgreedTime::next() {
  if (witnesses_ == 0) return 0;
  std::uint64_t reached = 0;
  if (latest_.size() >= witnesses_) {
    sorted_.clear();
    for (const auto& [author, stamp] : latest_) sorted_.push_back(stamp);
    const auto nth = sorted_.begin() + (witnesses_ - 1);
    std::nth_element(sorted_.begin(), nth, sorted_.end(), std::greater<>());
    reached = *nth;
  }
  last_ = std::max(last_ + 1, reached);
  return last_;
}

void AgreedTime::save(Writer& out) const {
  out.u64(last_).u64(latest_.size());
  for (const auto& [author, stamp] : latest_) out.u16(author.value).u64(stamp);
}

bool AgreedTime::restore(Reader& in) {
  last_ = in.u64();
  latest_.clear();
  const std::uint64_t count = in.u64();
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    const NodeId author{in.u16()};
    latest_[author] = in.u64();
  }
  return in.ok();
}

}  // namespace thresher::net
