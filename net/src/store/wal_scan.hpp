// Reads the frames of a write-ahead log in their order and says where it ends, or what is wrong.
// Private to net/.
//
//   WalScan scan;
//   if (auto opened = scan.open(path); !opened) return opened.error();
//   auto read = scan.read({}, [&](const WalFrame& frame) { ...; return true; });
//
//   scan.skim(kBeginTable, [&](const WalRecord& r) { ... });     // tables and keys alone, quickly
//   auto some = scan.check(until, bytes);      // looks at what is durable again
//
// Guarantees: changes nothing. Frames come in order and whole. A frame that a power cut left
// unfinished ends the log; a damaged durable frame is an error that names the byte, as far as
// wal_frame.hpp says; so is a disk that cannot be read, and neither is taken for the other. Errors:
// kCorrupt where durable bytes are not what they were, kUnsupported of another format, else what
// the system says; `where` is a file.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/wal_base.hpp"
#include "store/wal_frame.hpp"
#include "store/wal_window.hpp"
#include "thresher/core/error.hpp"
#include "thresher/core/result.hpp"
#include "thresher/net/node_store.hpp"

namespace thresher::net {

/// A record as it lies in the log.
struct WalRecord {
  std::uint32_t table = 0;
  ByteView key;
  ByteView value;
  BodyPlace body;
};

struct WalFrame {
  std::uint64_t sequence = 0;  ///< of its first record
  std::vector<WalRecord> records;
  WalPlace end;
};

class WalScan {
 public:
  enum class For : std::uint8_t { kStart, kReading };
  /// For whom it is read, which decides what is advised: a node that starts from it, or somebody
  /// who looks at what a node that does not run has.
  explicit WalScan(For whom = For::kStart) : at_rest_(whom == For::kReading) {}

  /// False from the visitor ends the reading with an error.
  using Visit = std::function<bool(const WalFrame&)>;

  /// The head, the size, and what is left of the part that was given back. A log without anything
  /// in it is good and has no tag.
  Result<Unit, Error> open(const std::string& path);
  /// Visits every frame from `from` on; the views live as long as the call. From the beginning, the
  /// records of the part that was given back come first, each as a frame that ends at begin().
  Result<Unit, Error> read(const WalPlace& from, const Visit& visit);

  /// Visits the records from the beginning on, as far as the log can be read, by table and key
  /// alone: values and bodies are neither read nor checked, but in frames with a record of the
  /// table `exact`, which are read as read() does. A quick look before read(), which says what is
  /// wrong.
  void skim(std::uint32_t exact, const std::function<void(const WalRecord&)>& visit);

  /// What is found in a part of the log.
  struct Checked {
    std::optional<Error> problem{};  ///< why the log cannot be read on; empty: it can
    std::vector<Extent>
        damaged{};         ///< parts of the records of one frame that are not what they were
    std::uint64_t at = 0;  ///< where that frame begins
    bool done = false;     ///< all up to `until` was looked at
  };
  /// Looks at the next frames, about `bytes` of them, up to the first one that is damaged: the next
  /// call begins with that one again. Pre: all before `until` is on the disk.
  Checked check(std::uint64_t until, std::uint64_t bytes);

  /// 0 when the file is empty: it has no head yet.
  std::uint64_t tag() const { return tag_; }
  std::uint64_t size() const { return size_; }
  /// In front of the first frame that is there.
  const WalPlace& begin() const { return base_.begin; }
  /// Behind the last whole frame that was read.
  const WalPlace& end() const { return end_; }
  /// From here to the end of the file there are zeros alone.
  std::uint64_t zeros_from() const { return zeros_from_; }
  /// What to say of a durable byte that is not what it was.
  Error damaged(std::uint64_t at) const;
  /// From any thread. `written`: bytes of the file that will not change.
  Result<Bytes> read_body(const BodyPlace& place, std::uint64_t written) const;
  bool read_all(std::byte* data, std::size_t size, std::uint64_t at, std::uint64_t written) const {
    return window_.read(data, size, at, written);
  }
  /// Everything is read anew from here on.
  void forget() { window_.forget(); }

 private:
  /// A frame as it lies in the file; its records are in `payload_`.
  struct Loaded {
    std::array<std::byte, kFrameHeader> raw{};
    std::optional<FrameHeader> header;  ///< empty: there is none
    bool follows = false;               ///< it is the one that comes next here
    std::vector<std::byte> sums;
  };
  Error cannot_read(std::uint64_t at) const;
  Error corrupt(std::string what) const;
  Result<Unit, Error> open_base();
  Result<Unit, Error> belongs(const WalPlace& from) const;
  bool visit_base(const Visit& visit) const;
  Result<Unit, Error> load_header(Loaded& out);
  Result<Unit, Error> load(Loaded& out);
  bool load_keys(const Loaded& frame, std::vector<WalRecord>& out);
  WalPlace behind(const Loaded& frame) const;
  Result<FrameState, Error> frame(WalFrame& out);
  Result<Unit, Error> look_behind();
  bool get(std::byte* data, std::size_t size, std::uint64_t at) const {
    return window_.read(data, size, at, size_);
  }

  bool at_rest_;
  std::string path_;
  mutable WalWindow window_;
  std::uint64_t size_ = 0;
  std::uint64_t tag_ = 0;
  WalBase base_{{kFileHead, 0, 0, 0}};
  WalPlace end_;
  std::uint64_t zeros_from_ = 0;
  std::vector<std::byte> payload_;  // of the frame that is visited
};

}  // namespace thresher::net
