// The file of a journal: entries in their order, each with a checksum. Private to net/.
//
//   auto writer = JournalWriter::create(folder, head, bytes, tell);   // folder/starting
//   (*writer)->keep();                                                // folder/journal-7
//   (*writer)->add(EntryKind::kRun, {});
//   (*writer)->flush();
//
//   auto reader = JournalReader::open(path);
//   while (const auto* entry = reader->peek()) reader->take();
//
// Guarantees: a folder holds the journals of the last two starts that came to keep(), no older one,
// and at most one of a start that did not: starts that are refused push nothing out, and what is no
// file is no journal, whatever its name. A file never grows beyond its bound by more than one
// entry. A disk that takes no more ends the journal and not the node, and so does whoever deletes,
// moves, cuts or continues the file meanwhile; it is told once. A full disk has the end mark stand
// where the last entries did. A reader stops at the first entry that is not whole and says whether
// bytes are damaged, or follow the end mark, or the file just ends there. What was added since the
// last flush() is lost by a kill. The file is for its owner alone (0600): it holds what clients
// submitted.
#pragma once

#include <cstdint>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "journal/entries.hpp"
#include "thresher/core/error.hpp"

namespace thresher::net::journal {

class JournalWriter {
 public:
  using Tell = std::function<void(const std::string&)>;

  /// A journal in the folder, which is made if it is not there. It is gone again when the writer is
  /// destroyed before keep(), and when the next one is made. Errors: those of the disk; `where` is
  /// what could not be made.
  static Result<std::unique_ptr<JournalWriter>, Error> create(const std::string& folder,
                                                              const Head& head,
                                                              std::uint64_t most_bytes, Tell tell);
  ~JournalWriter();
  JournalWriter(const JournalWriter&) = delete;
  JournalWriter& operator=(const JournalWriter&) = delete;

  /// The start has come to something: the journal becomes the folder's next, and the oldest goes.
  void keep();
  void add(EntryKind kind, ByteView body);
  /// False once it has ended: what is added then is lost.
  bool on() const { return !stopped_; }
  void flush();
  const std::string& path() const { return path_; }

 private:
  JournalWriter(int file, std::string folder, std::uint64_t most_bytes, Tell tell);
  void append(EntryKind kind, ByteView body);
  void stop(const std::string& why);
  /// Empty: the file is where it was made, and as long as what was written.
  std::string not_as_written() const;
  void mark_failure(int error);

  int file_;
  std::string folder_;
  std::string path_;
  std::uint64_t most_;
  Tell tell_;
  std::vector<std::byte> unwritten_;
  std::uint64_t bytes_ = 0;
  std::uint64_t written_;  // the file's size
  std::uint64_t before_;   // and before the last flush()
  bool stopped_ = false;
  bool kept_ = false;
};

/// The kept journals of a folder, the oldest first.
std::vector<std::string> journals_in(const std::string& folder);

class JournalReader {
 public:
  struct Entry {
    EntryKind kind{};
    Body body;
  };
  /// kMissing, kIo: it cannot be read. kMalformed: it is no journal. kUnsupported: of another
  /// version of the format.
  static Result<JournalReader, Error> open(const std::string& path);

  /// The next entry; null at the end.
  const Entry* peek();
  /// Pre: peek() is not null.
  Entry take();
  /// Entries that were taken: the head is the first.
  std::uint64_t taken() const { return taken_; }
  /// Why there is no next entry, if bytes are damaged, or follow the end mark. Empty: the file ends
  /// there.
  const std::string& damage() const { return damage_; }

 private:
  explicit JournalReader(std::ifstream file) : file_(std::move(file)) {}
  void read();

  std::ifstream file_;
  std::optional<Entry> next_;
  std::uint64_t taken_ = 0;
  std::uint64_t at_ = 0;  // in the file
  bool ended_ = false;
  std::string damage_;
};

}  // namespace thresher::net::journal
