#include "ledger/remembered.hpp"

#include <algorithm>

#include "thresher/crypto/signing_key.hpp"
#include "thresher/net/log_proof.hpp"

namespace thresher::net {
namespace {

/// A row up to this long may have any number of places unused.
constexpr std::size_t kShort = 16;
/// In a file: fingerprint, sequence, whether its client is known, and that.
constexpr std::size_t kEntryBytes = 8 + 8 + 8 + 1 + sizeof(ClientId::bytes);

// A fresh key's seed is what the operating system's generator gave.
Digest drawn_secret() {
  return hash(crypto::SigningKey::generate().seed());
}

Digest derived(const Digest& secret) {
  Writer w;
  w.bytes(as_view("inherited")).bytes(secret.bytes);
  return hash(w.view());
}

}  // namespace

Remembered::Remembered()
    : secret_(drawn_secret()), prints_(secret_), inherited_prints_(derived(secret_)) {}

void Remembered::set_secret(const Digest& secret) {
  secret_ = secret;
  prints_ = Fingerprinter(secret_);
  inherited_prints_ = Fingerprinter(derived(secret_));
}

// Runs ask for one client again and again.
Remembered::Row* Remembered::row_of(const ClientId& client) const {
  if (last_row_ == nullptr || last_row_->client != client) {
    const auto it = rows_.find(client);
    last_row_ = it == rows_.end() ? nullptr : it->second.get();
  }
  return last_row_;
}

std::optional<std::uint64_t> Remembered::indexed(const Fingerprint& print) const {
  const auto handle = index_.find(print, [&](std::uint32_t h) { return at(h).print == print; });
  if (!handle) return std::nullopt;
  return oldest_ + offset(*handle);
}

std::optional<std::uint64_t> Remembered::position_of(const Key& key, ByteView data,
                                                     const Digest* payload) const {
  if (const Row* row = row_of(key.client); row != nullptr) {
    const std::uint64_t k = key.sequence - row->first;
    if (k < row->handles.size() && row->handles[k] != kNone &&
        at(row->handles[k]).print == key.print) {
      return oldest_ + offset(row->handles[k]);
    }
  }
  if (const auto found = indexed(key.print)) return found;
  if (inherited_end_ <= oldest_) return std::nullopt;
  const Digest hash = payload != nullptr ? *payload : payload_hash(data);
  return indexed(inherited_prints_.of(key.client, key.sequence, hash.bytes));
}

// Null when it stands too far from the others, or one of other content has the place.
std::uint32_t* Remembered::place_in(Row& row, std::uint64_t sequence) {
  const std::uint64_t k = sequence - row.first;
  if (k >= row.handles.size()) {
    if (k >= 2 * row.used + kShort) return nullptr;
    row.handles.resize(k + 1, kNone);
  }
  return row.handles[k] == kNone ? &row.handles[k] : nullptr;
}

void Remembered::keep(const Key& key, Row* row) {
  entries_.push_back({key.print, key.sequence, key.client});
  rows_of_.push_back(row);
}

void Remembered::add_to_index(const Key& key, std::uint32_t handle) {
  index_.insert(key.print, handle);
  keep(key, nullptr);
}

void Remembered::add(const Key& key) {
  const auto handle = static_cast<std::uint32_t>(oldest_ + entries_.size());
  Row* row = row_of(key.client);
  if (row == nullptr && rows_.size() < kMostRows) {
    auto made = std::make_unique<Row>(Row{key.client, key.sequence});
    row = last_row_ = made.get();
    rows_.emplace(key.client, std::move(made));
  }
  std::uint32_t* place = row == nullptr ? nullptr : place_in(*row, key.sequence);
  if (place == nullptr) return add_to_index(key, handle);
  *place = handle;
  ++row->used;
  keep(key, row);
}

void Remembered::forget_oldest() {
  Row* const row = rows_of_.front();
  const std::uint64_t sequence = entries_[0].sequence;
  if (row == nullptr) index_.erase(entries_[0].print, static_cast<std::uint32_t>(oldest_));
  entries_.pop_front();
  rows_of_.pop_front();
  ++oldest_;
  if (row != nullptr) forget_in(*row, sequence);
}

void Remembered::forget_in(Row& row, std::uint64_t sequence) {
  row.handles[sequence - row.first] = kNone;
  --row.used;
  for (; !row.handles.empty() && row.handles.front() == kNone; ++row.first) {
    row.handles.pop_front();
  }
  if (row.used == 0) return erase(row);
  if (row.handles.size() > 4 * row.used + kShort) dissolve(row);
}

// Few are left in much room: they go to the index.
void Remembered::dissolve(Row& row) {
  for (const std::uint32_t handle : row.handles) {
    if (handle == kNone) continue;
    rows_of_[offset(handle)] = nullptr;
    index_.insert(at(handle).print, handle);
  }
  erase(row);
}

void Remembered::erase(const Row& row) {
  if (last_row_ == &row) last_row_ = nullptr;
  rows_.erase(ClientId(row.client));
}

void Remembered::forget_slot() {
  for (std::uint64_t k = 0; k < slots_.front().count; ++k) forget_oldest();
  counted_ -= slots_.front().count;
  slots_.pop_front();
}

void Remembered::end_slot(Round slot) {
  const std::uint64_t added = entries_.size() - counted_;
  if (added > 0) slots_.push_back({slot, added});
  counted_ += added;
  // The next ones are valid in a later slot, so since kLongestLife before that at the earliest.
  const std::uint64_t next = slot.value + 1;
  if (next > kLongestLife) since_ = std::max(since_, Round{next - kLongestLife});
  while (!slots_.empty() && slots_.front().slot < since_) forget_slot();
  while (size() > kMostRemembered && slots_.size() > 1) {
    since_ = Round{slots_.front().slot.value + 1};
    forget_slot();
  }
}

bool Remembered::inherit(Round since, std::span<const Slot> slots,
                         const RecentTransactions::View& ordered, std::uint64_t length) {
  *this = Remembered();
  since_ = since;
  Round last{0};
  for (const Slot& s : slots) {
    if (s.slot <= last || s.count == 0 || s.count > ordered.size()) return false;
    last = s.slot;
    counted_ += s.count;
    slots_.push_back(s);
  }
  if (counted_ != ordered.size() || counted_ > length) return false;
  oldest_ = length - counted_;
  inherited_end_ = length;
  ordered.each([this](const OrderedTransaction& t) {
    const auto handle = static_cast<std::uint32_t>(oldest_ + entries_.size());
    // In no row: those are compared by this node's own fingerprints.
    add_to_index({{}, t.sequence, inherited_prints_.of(t.client, t.sequence, t.payload.bytes)},
                 handle);
  });
  return true;
}

Remembered::Frozen Remembered::freeze() const {
  return {secret_, since_, slots_, entries_.view(), oldest_, inherited_end_};
}

std::size_t Remembered::Frozen::size() const {
  return secret.bytes.size() + 16 + 16 * slots.size() + kEntryBytes * entries.size() +
         (inherited_end > oldest ? 8 : 0);
}

// It does not say which of them lie in rows: the reader finds a place for each, and for one without
// a client in the index.
void Remembered::Frozen::save(Writer& out) const {
  out.bytes(secret.bytes).u64(since.value).u64(slots.size());
  for (const Slot& s : slots) out.u64(s.slot.value).u64(s.count);
  entries.each([&](const Entry& e) {
    out.u64(e.print.low).u64(e.print.high).u64(e.sequence).u8(e.client == ClientId{} ? 0 : 1);
    out.bytes(e.client.bytes);
  });
  // Nothing where nothing was inherited: so it was before there was such a thing.
  if (inherited_end > oldest) out.u64(inherited_end);
}

bool Remembered::restore(Reader& in, std::uint64_t length) {
  *this = Remembered();
  set_secret(in.digest());
  since_ = Round{in.u64()};
  const std::uint64_t slots = in.u64();
  for (std::uint64_t i = 0; i < slots && in.ok(); ++i) {
    slots_.push_back({Round{in.u64()}, in.u64()});
    counted_ += slots_.back().count;
  }
  if (!in.ok() || counted_ > length || counted_ > in.remaining() / kEntryBytes) return false;
  oldest_ = length - counted_;
  for (std::uint64_t i = 0; i < counted_; ++i) {
    Key key;
    key.print = {in.u64(), in.u64()};
    key.sequence = in.u64();
    const bool known = in.u8() != 0;
    in.fill(key.client.bytes);
    if (known) {
      add(key);
    } else {
      add_to_index(key, static_cast<std::uint32_t>(oldest_ + i));
    }
  }
  if (in.remaining() > 0) inherited_end_ = in.u64();
  return in.ok();
}

}  // namespace thresher::net
