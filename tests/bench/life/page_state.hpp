// An application whose state has a size that one chooses: a table of records, one written by each
// transaction.
//
//   PageState app({.bytes = 64u << 20});
//   auto node = net::Node::open(options, app);
//
// Guarantees: freeze() costs a pointer for each page of 4 KiB, and apply() copies a page that a
// frozen state still shares, or that no record was written to yet; state() costs the same whatever
// the size. The digest is a sum of mixed words, which is enough to compare nodes that nobody
// attacks, and no more than that.
#pragma once

#include <array>
#include <atomic>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "thresher/core/prng.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/net/application.hpp"

namespace thresher::bench {

struct PageStateOptions {
  std::uint64_t bytes = 64u << 20;  ///< rounded down to a power of two, at least one page
  /// The position at which apply() answers wrongly, once; the largest number: none.
  std::uint64_t wrong_at = std::numeric_limits<std::uint64_t>::max();
};

class PageState final : public net::App {
 public:
  explicit PageState(PageStateOptions options) : wrong_at_(options.wrong_at) {
    std::uint64_t pages = 1;
    while (pages * 2 * sizeof(Page) <= options.bytes) pages *= 2;
    pages_.assign(pages, std::make_shared<Page>());
  }

  Bytes apply(const net::Transaction& t) override {
    // An odd factor reaches every record once before any comes again, in an order that jumps.
    const std::uint64_t record = (t.position * 0x9e3779b97f4a7c15ULL) % (pages_.size() * kRecords);
    auto& page = pages_[record / kRecords];
    if (page.use_count() > 1) page = std::make_shared<Page>(*page);
    std::atomic_thread_fence(std::memory_order_acquire);  // behind the last look of who let it go
    std::uint64_t* const words = page->data() + record % kRecords * kWords;
    sum_ -= mixed(record, words);
    std::uint64_t seed = t.sequence;
    if (t.data.size() >= sizeof seed) std::memcpy(&seed, t.data.data(), sizeof seed);
    for (std::size_t i = 0; i < kWords; ++i) words[i] = mix64(seed ^ (t.position + i));
    sum_ += mixed(record, words);
    ++count_;
    return t.position == wrong_at_ ? Bytes::copy_of(as_view("wrong")) : Bytes{};
  }
  Digest state() const override { return hash(Writer().u64(sum_).u64(count_).view()); }
  std::unique_ptr<net::Frozen> freeze() const override {
    return std::make_unique<View>(count_, pages_);
  }
  bool restore(ByteView bytes) override {
    Reader in(bytes);
    const std::uint64_t count = in.u64();
    if (!in.ok() || in.remaining() != pages_.size() * sizeof(Page)) return false;
    sum_ = 0;
    count_ = count;
    std::uint64_t record = 0;
    for (auto& page : pages_) {
      const ByteView part = in.bytes(sizeof(Page));
      page = std::make_shared_for_overwrite<Page>();
      std::memcpy(page->data(), part.data(), sizeof(Page));
      for (std::size_t i = 0; i < kRecords; ++i, ++record)
        sum_ += mixed(record, page->data() + i * kWords);
    }
    return true;
  }

 private:
  static constexpr std::size_t kWords = 16;    // of a record: 128 bytes
  static constexpr std::size_t kRecords = 32;  // of a page
  using Page = std::array<std::uint64_t, kWords * kRecords>;
  using Pages = std::vector<std::shared_ptr<Page>>;

  class View final : public net::Frozen {
   public:
    View(std::uint64_t count, Pages pages) : count_(count), pages_(std::move(pages)) {}
    bool write(const std::function<bool(ByteView)>& sink) const override {
      if (!sink(Writer().u64(count_).view())) return false;
      std::vector<std::byte> part;  // a call for each page would rest 256 times for each MiB
      for (const auto& page : pages_) {
        const auto bytes = std::as_bytes(std::span(*page));
        part.insert(part.end(), bytes.begin(), bytes.end());
        if (part.size() < kPart) continue;
        if (!sink(part)) return false;
        part.clear();
      }
      return part.empty() || sink(part);
    }

   private:
    static constexpr std::size_t kPart = 1u << 20;
    std::uint64_t count_;
    Pages pages_;
  };

  // A record that was never written counts nothing. Words do not wait for each other: a restore
  // does this for all of the state, and is not what the bench is about.
  static std::uint64_t mixed(std::uint64_t record, const std::uint64_t* words) {
    const std::uint64_t place = mix64(record);
    std::uint64_t out = 0;
    std::uint64_t any = 0;
    for (std::size_t i = 0; i < kWords; ++i) {
      out += mix64(words[i] ^ (place + i));
      any |= words[i];
    }
    return any == 0 ? 0 : out;
  }

  Pages pages_;
  std::uint64_t sum_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t wrong_at_;
};

}  // namespace thresher::bench
