// A queue whose contents of one moment another thread can read while it goes on. Private to net/.
//
//   SharedQueue<Entry> queue;
//   queue.push_back(entry);                           // and pop_front(), on one thread
//   auto then = queue.view();                         // costs a pointer for each kBlock elements
//   then.each([&](const Entry& e) { ... });           // on any thread, whatever the queue does
//
// Guarantees: what a view shows never changes: an element is written once, before a view can show
// it, and lives as long as the queue or a view has it. A queue that is made of a view shares its
// elements, but for those of the last block. Not guaranteed: that a thread sees a view at all; it
// is handed over under a lock, as any object is.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <utility>

namespace thresher::net {

template <class T>
class SharedQueue {
 public:
  /// Small enough for an allocator to use again what was let go.
  static constexpr std::size_t kBlock = 1024;

 private:
  using Block = std::array<T, kBlock>;
  using Blocks = std::deque<std::shared_ptr<Block>>;

 public:
  class View {
   public:
    View() = default;
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    /// Pre: i < size().
    const T& operator[](std::size_t i) const {
      return (*blocks_[(first_ + i) / kBlock])[(first_ + i) % kBlock];
    }
    /// Pre: no more than there are.
    View last(std::size_t count) const {
      View out;
      if (count == 0) return out;
      const std::size_t from = first_ + size_ - count;
      out.first_ = from % kBlock;
      out.size_ = count;
      out.blocks_.assign(blocks_.begin() + static_cast<std::ptrdiff_t>(from / kBlock),
                         blocks_.end());
      return out;
    }
    /// Oldest first.
    template <class F>
    void each(F visit) const {
      std::size_t left = size_;
      std::size_t at = first_;
      for (const auto& block : blocks_) {
        const std::size_t end = std::min(kBlock, at + left);
        left -= end - at;
        for (; at < end; ++at) visit(std::as_const((*block)[at]));
        at = 0;
      }
    }

   private:
    friend class SharedQueue;
    Blocks blocks_;
    std::size_t first_ = 0;  // in the first block
    std::size_t size_ = 0;
  };

  SharedQueue() = default;
  explicit SharedQueue(const View& view) : as_now_(view) {
    if (!as_now_.blocks_.empty())
      as_now_.blocks_.back() = std::make_shared<Block>(*as_now_.blocks_.back());
  }
  SharedQueue(SharedQueue&& other) noexcept : as_now_(std::exchange(other.as_now_, View())) {}
  SharedQueue& operator=(SharedQueue&& other) noexcept {
    as_now_ = std::exchange(other.as_now_, View());
    return *this;
  }
  SharedQueue(const SharedQueue&) = delete;
  SharedQueue& operator=(const SharedQueue&) = delete;
  ~SharedQueue() = default;

  std::size_t size() const { return as_now_.size(); }
  bool empty() const { return as_now_.empty(); }
  /// Pre: i < size().
  const T& operator[](std::size_t i) const { return as_now_[i]; }
  const View& view() const { return as_now_; }

  void push_back(const T& element) {
    const std::size_t at = as_now_.first_ + as_now_.size_;
    if (at == as_now_.blocks_.size() * kBlock) as_now_.blocks_.push_back(std::make_shared<Block>());
    (*as_now_.blocks_.back())[at % kBlock] = element;
    ++as_now_.size_;
  }
  /// Pre: it is not empty.
  void pop_front() {
    --as_now_.size_;
    if (++as_now_.first_ < kBlock) return;
    as_now_.blocks_.pop_front();
    as_now_.first_ = 0;
  }

 private:
  View as_now_;
};

}  // namespace thresher::net
