#include "thresher/protocols/broadcast/coded.hpp"

#include <algorithm>

namespace thresher::coded {
namespace {

constexpr std::size_t kLengthBytes = 8;  // in front of the payload

/// The size that most fragments have; 0 when none is there.
std::size_t usual_size(std::span<const Bytes> fragments) {
  std::map<std::size_t, std::size_t> count;
  for (const Bytes& f : fragments) count[f.size()] += f.empty() ? 0 : 1;
  std::size_t best = 0;
  for (const auto& [size, times] : count) best = times > count[best] ? size : best;
  return best;
}

}  // namespace

Fragments::Fragments(const Committee& committee, Threshold join)
    : code_(*coding::ReedSolomon::make(committee.at_least(join), committee.size())) {}

std::size_t Fragments::size(std::size_t payload_size) const {
  return code_.shard_size(kLengthBytes + payload_size);
}

Bytes Fragments::frame(ByteView payload) const {
  Writer framed;
  framed.u64(payload.size()).bytes(payload);
  return Bytes::from(framed.take());
}

std::optional<Bytes> Fragments::unframe(const Bytes& framed) const {
  if (framed.size() < kLengthBytes) return std::nullopt;
  const std::uint64_t size = Reader(framed.view()).u64();
  if (size > framed.size() - kLengthBytes) return std::nullopt;
  return framed.slice(kLengthBytes, size);
}

std::vector<Bytes> Fragments::cut(ByteView payload) const {
  return code_.encode(frame(payload).view());
}

Bytes Fragments::cut(ByteView payload, NodeId of) const {
  return code_.shard(frame(payload).view(), of.value);
}

std::optional<Bytes> Fragments::join(std::span<const Bytes> fragments) const {
  const auto framed = code_.decode(fragments, usual_size(fragments) * needed());
  return framed ? unframe(*framed) : std::nullopt;
}

std::optional<Bytes> Fragments::mend(std::span<const Bytes> fragments) const {
  const std::size_t size = usual_size(fragments);
  std::vector<Bytes> usual(fragments.begin(), fragments.end());
  std::size_t count = 0;
  for (Bytes& f : usual) {
    if (f.size() != size) f = Bytes{};
    count += f.empty() ? 0 : 1;
  }
  if (count < needed()) return std::nullopt;
  const auto wrong = static_cast<unsigned>((count - needed()) / 2);
  const auto mended = code_.correct(usual, size * needed(), wrong);
  return mended ? unframe(mended->payload) : std::nullopt;
}

}  // namespace thresher::coded
