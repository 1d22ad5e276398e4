#include "channels/round_record.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <optional>
#include <string_view>
#include <tuple>

#include "files/disk_problem.hpp"
#include "files/odd_file.hpp"
#include "thresher/core/hex.hpp"
#include "thresher/crypto/beacon_proof.hpp"
#include "thresher/net/beacon.hpp"
#include "thresher/net/synced_file.hpp"

namespace thresher::net {
namespace {

/// Two numbers of 20 digits, a checksum of 16, and what is between and behind them.
constexpr std::size_t kLineBytes = 20 + 1 + 20 + 1 + 16 + 1;
constexpr std::size_t kDigits = 20;

std::optional<std::uint64_t> number_in(std::string_view digits) {
  std::uint64_t out = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return out;
}

bool is_later(const BeaconRounds& a, const BeaconRounds& b) {
  return std::tie(a.tossed, a.published) > std::tie(b.tossed, b.published);
}

}  // namespace

std::string round_record_path(const std::string& coin_path, const crypto::RistrettoPoint& group) {
  return coin_path + ".rounds-" + to_hex(ByteView(group).first(4));
}

Result<std::uint64_t, Error> carry_beacon_rounds(const std::string& old_coin,
                                                 const std::string& new_coin,
                                                 const crypto::RistrettoPoint& group) {
  RoundRecord now;
  const std::string to = round_record_path(new_coin, group);
  const std::string from = round_record_path(old_coin, group);
  const bool is_new = ::access(to.c_str(), F_OK) != 0;
  if (!old_coin.empty() && ::access(from.c_str(), F_OK) != 0) return std::uint64_t{0};
  if (const auto opened = now.open(to, group); !opened) return opened.error();
  BeaconRounds both = now.rounds();
  if (old_coin.empty()) {
    if (is_new) both.published = kOthersKnow;
  } else {
    RoundRecord before;
    if (const auto opened = before.open(from, group); !opened) return opened.error();
    both.published = std::max(before.rounds().published, both.published);
    both.tossed = std::max(before.rounds().tossed, both.tossed);
  }
  if (both != now.rounds()) {
    if (const auto written = now.write(both); !written) return written.error();
  }
  return both.tossed;
}

RoundRecord::~RoundRecord() {
  if (file_ >= 0) (void)::close(file_);
}

std::string RoundRecord::line_of(const BeaconRounds& rounds) const {
  Transcript t("thresher/beacon-rounds/1", crypto::beacon_context(group_));
  t.u64(rounds.published).u64(rounds.tossed);
  const std::string sum = to_hex(ByteView(t.digest().bytes).first(8));
  std::array<char, kLineBytes + 1> out{};
  (void)std::snprintf(out.data(), out.size(), "%020llu %020llu %s\n",
                      static_cast<unsigned long long>(rounds.published),
                      static_cast<unsigned long long>(rounds.tossed), sum.c_str());
  return out.data();
}

Result<Unit, Error> RoundRecord::open(const std::string& path,
                                      const crypto::RistrettoPoint& group) {
  path_ = path;
  group_ = group;
  if (std::string why = odd_file(path); !why.empty())
    return Error{ErrorCode::kMalformed, std::move(why), path};
  const auto cannot = [&](const char* what) {
    return Error{code_of_errno(errno),
                 std::string("cannot ") + what + " '" + path + "': " + disk_problem(errno), path};
  };
  const std::string none = line_of({}) + line_of({});
  if (::access(path.c_str(), F_OK) != 0 && !replace_synced(path, as_view(none)))
    return cannot("write");
  file_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file_ < 0) return cannot("open");
  // One byte more than belongs there shows a file that is too long.
  std::array<char, 2 * kLineBytes + 1> read{};
  const ssize_t size = ::pread(file_, read.data(), read.size(), 0);
  if (size < 0) return cannot("read");
  bool any = false;
  for (std::size_t k = 0; k < 2 && size == static_cast<ssize_t>(2 * kLineBytes); ++k) {
    const std::string_view line(read.data() + k * kLineBytes, kLineBytes);
    const auto published = number_in(line.substr(0, kDigits));
    const auto tossed = number_in(line.substr(kDigits + 1, kDigits));
    if (!published || !tossed) continue;
    const BeaconRounds found{*published, *tossed};
    if (line_of(found) != line || (any && !is_later(found, rounds_))) continue;
    any = true;
    rounds_ = found;
    older_ = 1 - k;
  }
  if (any) return Unit{};
  return Error{
      ErrorCode::kCorrupt,
      "'" + path + "' does not say which rounds this node published under the group's key", path,
      "if it is damaged, move it away and begin above the last published round with --first"};
}

Result<Unit, Error> RoundRecord::write(const BeaconRounds& rounds) {
  const std::string line = line_of(rounds);
  const auto at = static_cast<off_t>(older_ * kLineBytes);
  const ssize_t written = ::pwrite(file_, line.data(), line.size(), at);
  if (written != static_cast<ssize_t>(line.size()) || ::fdatasync(file_) != 0) {
    const int error = written < 0 ? errno : EIO;
    return Error{code_of_errno(error), "cannot write '" + path_ + "': " + disk_problem(error),
                 path_};
  }
  rounds_ = rounds;
  older_ = 1 - older_;
  return Unit{};
}

}  // namespace thresher::net
