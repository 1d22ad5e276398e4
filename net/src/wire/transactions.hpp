// Transactions as blocks carry them: runs of one client's. Private to net/.
//
//   RunWriter out(packed);
//   out.add(client, validity, sequence, data);             // or a whole run: out.run(...)
//   each_transaction(payload, [](const RunHead& run, std::uint64_t sequence, ByteView data) { ...
//   });
//
// A run is: client 16 bytes, since u64, life u16, size u32, then `size` bytes of entries; an entry
// is: sequence u64, size u32, data. Integers are little-endian. Clients send and subscribers get
// the same entries.
//
// Guarantees: readers visit the same transactions on every node, also of a malformed payload, whose
// rest, from the first malformed run or entry on, holds no transaction.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "thresher/core/bytes.hpp"
#include "thresher/core/ids.hpp"
#include "thresher/net/client_id.hpp"

namespace thresher::net {

/// Slots after which a transaction is too old for every node, whoever submits it.
inline constexpr std::uint64_t kLongestLife = 1u << 14;

/// Bytes in front of a run's entries, and in front of an entry's data.
inline constexpr std::size_t kRunHead = 30;
inline constexpr std::size_t kEntryHead = 12;

/// The slots in which a transaction may be ordered: since <= slot <= until.
struct Validity {
  Round since{0};
  Round until{0};
  friend bool operator==(const Validity&, const Validity&) = default;
};

struct RunHead {
  ClientId client{};
  Validity valid{};
};

/// Little-endian, without alignment. Pre: sizeof(T) bytes are there.
template <class T>
T load(const std::byte* from) {
  static_assert(std::endian::native == std::endian::little, "integers are stored little-endian");
  T out;
  std::memcpy(&out, from, sizeof out);
  return out;
}

/// Visits (sequence, data); false when malformed (what came before was visited).
template <class F>
bool each_entry(ByteView entries, F visit) {
  while (!entries.empty()) {
    if (entries.size() < kEntryHead) return false;
    const auto sequence = load<std::uint64_t>(entries.data());
    const std::size_t size = load<std::uint32_t>(entries.data() + 8);
    if (size > entries.size() - kEntryHead) return false;
    visit(sequence, entries.subspan(kEntryHead, size));
    entries = entries.subspan(kEntryHead + size);
  }
  return true;
}

/// Visits (run, sequence, data) of a payload; false when malformed (what came before was visited).
template <class F>
bool each_transaction(ByteView payload, F visit) {
  while (!payload.empty()) {
    if (payload.size() < kRunHead) return false;
    RunHead run;
    std::memcpy(run.client.bytes.data(), payload.data(), run.client.bytes.size());
    run.valid.since.value = load<std::uint64_t>(payload.data() + 16);
    run.valid.until.value = run.valid.since.value + load<std::uint16_t>(payload.data() + 24);
    const std::size_t size = load<std::uint32_t>(payload.data() + 26);
    if (size > payload.size() - kRunHead || run.valid.until < run.valid.since) return false;
    const auto entry = [&](std::uint64_t sequence, ByteView data) { visit(run, sequence, data); };
    if (!each_entry(payload.subspan(kRunHead, size), entry)) return false;
    payload = payload.subspan(kRunHead + size);
  }
  return true;
}

/// Whether a payload, or several one after another, hold any transaction.
bool holds_transactions(ByteView payload);

/// Appends one entry. Pre: `data` is shorter than 4 GiB.
void append_entry(std::uint64_t sequence, ByteView data, std::vector<std::byte>& out);

/// Appends runs; what has the same head as what came before goes into its run.
class RunWriter {
 public:
  explicit RunWriter(std::vector<std::byte>& out) : out_(out) {}

  /// Whole entries. Pre: `valid` spans at most 65,535 slots; a run stays below 4 GiB.
  void run(const RunHead& head, ByteView entries);
  void add(const RunHead& head, std::uint64_t sequence, ByteView data);
  std::size_t size() const { return out_.size(); }

 private:
  void open(const RunHead& head);
  void grow(std::size_t bytes);

  std::vector<std::byte>& out_;
  RunHead head_{};
  std::size_t size_at_ = 0;  // where the open run's size stands; 0: none is open
};

}  // namespace thresher::net
