#include "older_clients.hpp"

#include "thresher/core/prng.hpp"
#include "thresher/core/transcript.hpp"
#include "transactions.hpp"

namespace thresher::net {
namespace {

/// In front of a transaction of version 2: client u64, sequence u64, size u32.
constexpr std::size_t kOlderHead = 20;

// One number for the two: the same for the same two, so that what is submitted again is the same.
std::uint64_t sequence_of(std::uint64_t client, std::uint64_t sequence) {
  return mix64(mix64(client) + sequence);
}

void put_varint(std::uint8_t field, std::uint64_t value, std::vector<std::byte>& out) {
  out.push_back(static_cast<std::byte>(field << 3));
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<std::byte>(value | 0x80));
  out.push_back(static_cast<std::byte>(value));
}

}  // namespace

std::optional<Bytes> OlderClients::entries_of(ConnectionId link, ByteView payload) {
  Names& names = names_[link];
  std::vector<std::byte> out;
  out.reserve(payload.size());
  while (!payload.empty()) {
    if (payload.size() < kOlderHead || names.size() >= kMostAwaited) return std::nullopt;
    const Name name{load<std::uint64_t>(payload.data()), load<std::uint64_t>(payload.data() + 8)};
    const std::size_t size = load<std::uint32_t>(payload.data() + 16);
    if (size > payload.size() - kOlderHead) return std::nullopt;
    const std::uint64_t sequence = sequence_of(name.client, name.sequence);
    names[sequence] = name;
    append_entry(sequence, payload.subspan(kOlderHead, size), out);
    payload = payload.subspan(kOlderHead + size);
  }
  return Bytes::from(std::move(out));
}

Bytes OlderClients::acks_of(ConnectionId link, ByteView payload) {
  Names& names = names_[link];
  Writer out;
  Reader in(payload);
  while (in.ok() && in.remaining() > 0) {
    const std::uint64_t sequence = in.u64();
    const std::uint64_t position = in.u64();
    const auto it = names.find(sequence);
    if (it == names.end()) continue;
    out.u64(it->second.client).u64(it->second.sequence).u64(position);
    names.erase(it);
  }
  return Bytes::from(out.take());
}

Frame OlderClients::refusal_of(ConnectionId link, Refusal why,
                               const std::vector<std::uint64_t>& sequences, std::uint64_t limit) {
  for (const std::uint64_t sequence : sequences) names_[link].erase(sequence);
  std::vector<std::byte> control;
  put_varint(1, sequences.size(), control);
  put_varint(2, why == Refusal::kTooLarge ? limit : 0, control);
  return {kRefused, Bytes::from(std::move(control)), {}};
}

Bytes OlderClients::log_of(ByteView runs) {
  Writer out;
  each_transaction(runs, [&](const Run& run, std::uint64_t sequence, ByteView data) {
    out.u64(load<std::uint64_t>(run.client.bytes.data())).u64(sequence);
    out.u32(static_cast<std::uint32_t>(data.size())).bytes(data);
  });
  return Bytes::from(out.take());
}

}  // namespace thresher::net
