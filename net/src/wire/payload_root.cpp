#include "thresher/net/payload_root.hpp"

#include <algorithm>
#include <utility>

#include "thresher/crypto/hash_many.hpp"
#include "thresher/crypto/sha256.hpp"
#include "wire/transactions.hpp"

namespace thresher::net {
namespace {

/// What the root is the hash of, while the data's hashes are not computed yet.
struct RootInput {
  void clear() {
    bytes.clear();
    data.clear();
    places.clear();
    offsets.clear();
  }
  std::vector<std::byte> bytes;
  std::vector<ByteView> data;          // that a hash stands for
  std::vector<std::size_t> places;     // of these hashes in `bytes`
  std::vector<std::uint32_t> offsets;  // of the data in the payload
};

// `out` is empty; who calls keeps it, so that a payload costs no allocation.
void root_input(ByteView payload, RootInput& out) {
  const auto append = [&out](ByteView part) {
    out.bytes.insert(out.bytes.end(), part.begin(), part.end());
  };
  append(as_view(kRootName));
  for (int shift = 0; shift < 64; shift += 8)
    out.bytes.push_back(static_cast<std::byte>(std::uint64_t{payload.size()} >> shift));
  std::size_t copied = 0;
  each_transaction(payload, [&](const RunHead&, std::uint64_t, ByteView data) {
    if (data.size() < kLeastHashed || data.size() > kMostHashed) return;
    const auto offset = static_cast<std::size_t>(data.data() - payload.data());
    append(payload.subspan(copied, offset - copied));
    out.data.push_back(data);
    out.places.push_back(out.bytes.size());
    out.offsets.push_back(static_cast<std::uint32_t>(offset));
    out.bytes.resize(out.bytes.size() + sizeof(Digest::bytes));
    copied = offset + data.size();
  });
  append(payload.subspan(copied));
}

}  // namespace

Digest payload_root(ByteView payload, DataHashes* hashes) {
  static thread_local RootInput input;
  static thread_local std::vector<Digest> digests;
  input.clear();
  root_input(payload, input);
  digests.resize(input.data.size());
  crypto::hash_many(input.data, digests);
  for (std::size_t i = 0; i < digests.size(); ++i) {
    const auto at = static_cast<std::ptrdiff_t>(input.places[i]);
    std::ranges::copy(digests[i].bytes, input.bytes.begin() + at);
  }
  if (hashes != nullptr) {
    hashes->clear();
    hashes->reserve(digests.size());
    for (std::size_t i = 0; i < digests.size(); ++i)
      hashes->push_back({input.offsets[i], digests[i]});
  }
  return crypto::sha256(input.bytes);
}

}  // namespace thresher::net
