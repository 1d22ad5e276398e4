// A file that is read by calls, which say when the disk does not give it. Private to net/.
//
//   const auto file = ReadFile::open(path);
//   if (const auto bytes = file->read(at, size)) use(bytes->view());
//
// Read like memory (MappedFile), a page that the disk does not give ends the process by a signal,
// and one that left the memory after it was checked may come back as something else.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "thresher/core/bytes.hpp"

namespace thresher::net {

class ReadFile {
 public:
  /// Empty: it is not there, or no file.
  static std::optional<ReadFile> open(const std::string& path);
  ReadFile(ReadFile&& other) noexcept;
  ReadFile& operator=(ReadFile&&) = delete;
  ~ReadFile();

  /// When it was opened. Unit: bytes.
  std::size_t size() const { return size_; }
  /// False: the disk does not give it, or the file became shorter. Pre: a part of it.
  bool read(std::size_t at, std::span<std::byte> out) const;
  std::optional<Bytes> read(std::size_t at, std::size_t size) const;
  std::optional<Bytes> all() const { return read(0, size_); }
  /// Has the system read it, so that a later read does not wait.
  void soon(std::size_t at, std::size_t size) const;
  int descriptor() const { return file_; }

 private:
  ReadFile(int file, std::size_t size) : file_(file), size_(size) {}
  int file_;
  std::size_t size_;
};

}  // namespace thresher::net
