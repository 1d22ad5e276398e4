#include "service/older_clients.hpp"

#include <algorithm>

#include "thresher/core/prng.hpp"
#include "thresher/core/transcript.hpp"
#include "wire/transactions.hpp"

namespace thresher::net {
namespace {

/// In front of a transaction of version 2: client u64, sequence u64, size u32.
constexpr std::size_t kOlderHead = 20;

// One number for the two: the same for the same two, so that what is submitted again is the same.
std::uint64_t sequence_of(std::uint64_t client, std::uint64_t sequence) {
  return mix64(mix64(client) + sequence);
}

// Visits (client, sequence, data) of a Submit; false when malformed (what came before was visited).
template <class F>
bool each_older(ByteView payload, F visit) {
  while (!payload.empty()) {
    if (payload.size() < kOlderHead) return false;
    const auto client = load<std::uint64_t>(payload.data());
    const auto sequence = load<std::uint64_t>(payload.data() + 8);
    const std::size_t size = load<std::uint32_t>(payload.data() + 16);
    if (size > payload.size() - kOlderHead) return false;
    visit(client, sequence, payload.subspan(kOlderHead, size));
    payload = payload.subspan(kOlderHead + size);
  }
  return true;
}

void put_varint(std::uint8_t field, std::uint64_t value, std::vector<std::byte>& out) {
  out.push_back(static_cast<std::byte>(field << 3));
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<std::byte>(value | 0x80));
  out.push_back(static_cast<std::byte>(value));
}

}  // namespace

void OlderClients::leave(ConnectionId link) {
  const auto it = names_.find(link);
  if (it == names_.end()) return;
  kept_ -= it->second.size();
  names_.erase(it);
}

std::optional<Bytes> OlderClients::entries_of(ByteView payload) {
  std::vector<std::byte> out;
  out.reserve(payload.size());
  const bool well_formed =
      each_older(payload, [&](std::uint64_t client, std::uint64_t sequence, ByteView data) {
        append_entry(sequence_of(client, sequence), data, out);
      });
  if (!well_formed) return std::nullopt;
  return Bytes::from(std::move(out));
}

bool OlderClients::expect(ConnectionId link, ByteView payload) {
  Names& names = names_.at(link);
  std::size_t count = 0;
  each_older(payload, [&](std::uint64_t, std::uint64_t, ByteView) { ++count; });
  const std::size_t left = kMostAwaited - std::min(kMostAwaited, kept_);
  if (names.size() + count > std::max(kAlwaysKept, left - std::min(left, count))) return false;
  each_older(payload, [&](std::uint64_t client, std::uint64_t sequence, ByteView) {
    kept_ += names.try_emplace(sequence_of(client, sequence), Name{client, sequence}).second;
  });
  return true;
}

OlderClients::Names::iterator OlderClients::forget(Names& names, Names::iterator at) {
  --kept_;
  return names.erase(at);
}

Bytes OlderClients::acks_of(ConnectionId link, ByteView payload) {
  Names& names = names_.at(link);
  Writer out;
  Reader in(payload);
  while (in.ok() && in.remaining() > 0) {
    const std::uint64_t sequence = in.u64();
    const std::uint64_t position = in.u64();
    const auto it = names.find(sequence);
    if (it == names.end()) continue;
    out.u64(it->second.client).u64(it->second.sequence).u64(position);
    forget(names, it);
  }
  return Bytes::from(out.take());
}

Frame OlderClients::refusal_of(ConnectionId link, Refusal why,
                               const std::vector<std::uint64_t>& sequences, std::uint64_t limit) {
  Names& names = names_.at(link);
  for (const std::uint64_t sequence : sequences) {
    if (const auto it = names.find(sequence); it != names.end()) forget(names, it);
  }
  std::vector<std::byte> control;
  put_varint(1, sequences.size(), control);
  put_varint(2, why == Refusal::kTooLarge ? limit : 0, control);
  return {kRefused, Bytes::from(std::move(control)), {}};
}

Bytes OlderClients::log_of(ByteView runs) {
  Writer out;
  each_transaction(runs, [&](const RunHead& run, std::uint64_t sequence, ByteView data) {
    out.u64(load<std::uint64_t>(run.client.bytes.data())).u64(sequence);
    out.u32(static_cast<std::uint32_t>(data.size())).bytes(data);
  });
  return Bytes::from(out.take());
}

}  // namespace thresher::net
