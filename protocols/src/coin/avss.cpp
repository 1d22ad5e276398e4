#include "thresher/protocols/coin/avss.hpp"

#include "thresher/protocols/agreement/node_bits.hpp"

namespace thresher::avss {
namespace {

enum Kind : std::uint8_t { kRow, kPoint, kShare, kAsk };

struct Encoder {
  std::uint32_t n;
  Writer& out;

  void operator()(const Row& m) const { out.u8(kRow).u64(m.instance).bytes(m.row.view()); }
  void operator()(const Point& m) const {
    out.u8(kPoint).u64(m.instance).u16(m.dealer.value).bytes(m.point.view());
  }
  void operator()(const Share& m) const {
    out.u8(kShare).u64(m.instance).u16(m.dealer.value).bytes(m.share.view());
  }
  void operator()(const Ask& m) const {
    out.u8(kAsk).u64(m.instance);
    agreement::write_nodes(m.shared, n, out);
    agreement::write_nodes(m.opened, n, out);
  }
};

Bytes rest(Reader& in) {
  return Bytes::copy_of(in.bytes(in.remaining()));
}

}  // namespace

std::uint64_t instance_of(const Word& word) {
  return std::visit([](const auto& m) { return m.instance; }, word);
}

void encode_word(const Word& word, std::uint32_t n, Writer& out) {
  std::visit(Encoder{n, out}, word);
}

std::optional<Word> decode_word(Reader& in, std::uint32_t n) {
  const std::uint8_t kind = in.u8();
  const std::uint64_t instance = in.u64();
  if (!in.ok() || kind > kAsk) return std::nullopt;
  if (kind == kRow) return Row{instance, rest(in)};
  if (kind == kAsk) {
    auto shared = agreement::read_nodes(in, n);
    auto opened = agreement::read_nodes(in, n);
    if (!shared || !opened || !in.done()) return std::nullopt;
    return Ask{instance, *std::move(shared), *std::move(opened)};
  }
  const NodeId dealer{in.u16()};
  if (!in.ok() || dealer.value >= n) return std::nullopt;
  if (kind == kPoint) return Point{instance, dealer, rest(in)};
  return Share{instance, dealer, rest(in)};
}

}  // namespace thresher::avss
