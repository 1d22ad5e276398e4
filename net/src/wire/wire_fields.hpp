// What the encoders and decoders of control parts have in common: bounds before memory is taken.
// Private to net/, for wire.cpp and wire_clients.cpp alone.
//
//   pb::Query in;
//   if (!parse_small(control, in) || !in.has_id()) return std::nullopt;
//
// Guarantees: parse_small and parse_large refuse what is over their limits before Protobuf sees it.
#pragma once

#include <google/protobuf/io/coded_stream.h>

#include <algorithm>
#include <optional>
#include <string>

#include "thresher.pb.h"
#include "thresher/core/bytes.hpp"
#include "thresher/core/hash.hpp"
#include "thresher/net/wire.hpp"

namespace thresher::net::wire {

namespace pb = ::thresher::wire::v3;

/// Lists come in frames, which the transport bounds; this bounds them again. Unit: bytes.
inline constexpr std::size_t kLargeBytes = 8u << 20;
/// Fields of a message without a list, unknown ones included.
inline constexpr std::size_t kSmallFields = 64;
inline constexpr std::size_t kLargeFields = kMaxItems + kSmallFields;
/// What a status says of one peer; its longest text in it.
inline constexpr std::size_t kPeerBytes = 512;
inline constexpr std::size_t kProblemBytes = 256;
/// Of a text that names where a process is.
inline constexpr std::size_t kAddressBytes = 64;
/// Messages within messages.
inline constexpr int kDepth = 4;

inline std::optional<std::uint64_t> varint(ByteView& in) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(in.size(), 10); ++i) {
    const auto byte = std::to_integer<std::uint64_t>(in[i]);
    value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      in = in.subspan(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

// Walks over the outermost fields before Protobuf takes memory for them: a list of empty messages
// costs two bytes an element on the wire and fifty times that in memory.
inline bool few_fields(ByteView in, std::size_t limit) {
  for (std::size_t count = 0; !in.empty(); ++count) {
    const auto tag = varint(in);
    if (!tag || *tag >> 3 == 0 || *tag > ~std::uint32_t{0} || count == limit) return false;
    std::uint64_t size = 0;
    switch (*tag & 7) {
      case 0:
        if (!varint(in)) return false;
        break;
      case 1:
        size = 8;
        break;
      case 2: {
        const auto length = varint(in);
        if (!length) return false;
        size = *length;
        break;
      }
      case 5:
        size = 4;
        break;
      default:
        return false;  // groups: no message has any
    }
    if (size > in.size()) return false;
    in = in.subspan(static_cast<std::size_t>(size));
  }
  return true;
}

template <class M>
bool parse(ByteView in, M& out, std::size_t max_bytes, std::size_t max_fields) {
  if (in.size() > max_bytes || !few_fields(in, max_fields)) return false;
  google::protobuf::io::CodedInputStream coded(reinterpret_cast<const std::uint8_t*>(in.data()),
                                               static_cast<int>(in.size()));
  coded.SetRecursionLimit(kDepth);
  return out.ParseFromCodedStream(&coded) && coded.ConsumedEntireMessage();
}
template <class M>
bool parse_small(ByteView in, M& out) {
  return parse(in, out, kSmallBytes, kSmallFields);
}
template <class M>
bool parse_large(ByteView in, M& out) {
  return parse(in, out, kLargeBytes, kLargeFields);
}

inline Bytes bytes_of(const google::protobuf::MessageLite& m) {
  std::vector<std::byte> out(m.ByteSizeLong());
  if (!out.empty()) m.SerializeWithCachedSizesToArray(reinterpret_cast<std::uint8_t*>(out.data()));
  return Bytes::from(std::move(out));
}

inline std::string text(ByteView view) {
  return std::string(as_text(view));
}
inline std::string text(const Digest& digest) {
  return text(ByteView(digest.bytes));
}
inline bool is_digest(const std::string& field) {
  return field.size() == Digest{}.bytes.size();
}
// Pre: is_digest(field).
inline Digest digest(const std::string& field) {
  Digest out;
  std::copy_n(as_view(field).begin(), out.bytes.size(), out.bytes.begin());
  return out;
}

}  // namespace thresher::net::wire
