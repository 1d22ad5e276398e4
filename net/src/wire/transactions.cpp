#include "wire/transactions.hpp"

#include <algorithm>

#include "thresher/core/transcript.hpp"

namespace thresher::net {
namespace {

template <class T>
void put(T value, std::vector<std::byte>& out) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  out.insert(out.end(), bytes, bytes + sizeof value);
}

}  // namespace

ClientId client_id_of(const PublicKey& key) {
  Writer w;
  w.bytes(as_view("thresher/client/1")).bytes(key);
  const Digest digest = hash(w.view());
  ClientId out;
  std::copy_n(digest.bytes.begin(), out.bytes.size(), out.bytes.begin());
  return out;
}

bool holds_transactions(ByteView payload) {
  while (payload.size() >= kRunHead) {
    const std::size_t size = load<std::uint32_t>(payload.data() + kRunHead - sizeof(std::uint32_t));
    if (size >= kEntryHead) return size <= payload.size() - kRunHead;
    if (size > 0) return false;  // malformed
    payload = payload.subspan(kRunHead);
  }
  return false;
}

void append_entry(std::uint64_t sequence, ByteView data, std::vector<std::byte>& out) {
  put(sequence, out);
  put(static_cast<std::uint32_t>(data.size()), out);
  out.insert(out.end(), data.begin(), data.end());
}

void RunWriter::open(const RunHead& head) {
  if (size_at_ != 0 && head_.client == head.client && head_.valid == head.valid) return;
  head_ = head;
  out_.insert(out_.end(), head.client.bytes.begin(), head.client.bytes.end());
  put(head.valid.since.value, out_);
  put(static_cast<std::uint16_t>(head.valid.until.value - head.valid.since.value), out_);
  size_at_ = out_.size();
  put(std::uint32_t{0}, out_);
}

void RunWriter::grow(std::size_t bytes) {
  const auto size = load<std::uint32_t>(out_.data() + size_at_) + static_cast<std::uint32_t>(bytes);
  std::memcpy(out_.data() + size_at_, &size, sizeof size);
}

void RunWriter::run(const RunHead& head, ByteView entries) {
  open(head);
  out_.insert(out_.end(), entries.begin(), entries.end());
  grow(entries.size());
}

void RunWriter::add(const RunHead& head, std::uint64_t sequence, ByteView data) {
  open(head);
  append_entry(sequence, data, out_);
  grow(kEntryHead + data.size());
}

}  // namespace thresher::net
