// What a write-ahead log says of the part of it that was given back: where it begins now, and the
// records in front of that place that nothing has replaced. Private to net/.
//
//   WalBase base{begin, records};
//   if (!save_base("data/wal.base", tag, base)) ...       // then the files in front may go
//   auto base = load_base("data/wal.base", tag);
//
// Guarantees: the file is replaced as a whole, and belongs to one log by its tag. With it and the
// frames from `begin` on the index is made again as it is, each record under the sequence it was
// written with. A file that is not what it was is told as that.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "thresher/core/bytes.hpp"
#include "thresher/core/error.hpp"
#include "thresher/net/node_store.hpp"

namespace thresher::net {

/// A place between two frames.
struct WalPlace {
  std::uint64_t offset = 0;    ///< bytes from the start of the log; 0: before the first frame
  std::uint64_t sequence = 0;  ///< records before it
  std::uint64_t frame = 0;     ///< where the frame before it begins; 0: there is none
  std::uint32_t chain = 0;     ///< checksum of the header of the frame before
};

struct WalBase {
  struct Kept {
    std::uint64_t sequence = 0;
    std::uint32_t table = 0;
    Bytes key;
    Bytes value;
    BodyPlace body;
  };
  WalPlace begin;
  std::vector<Kept> records{};  ///< in the order in which they are read
};

/// That of the log at `path` the base alone is left of what a start begins with.
Error first_file_gone(const std::string& path);
/// False leaves why in errno.
bool save_base(const std::string& path, std::uint64_t tag, const WalBase& base);
/// Empty where there is no file. kCorrupt: it is there, and not what was written. Also the system's
/// errors.
Result<std::optional<WalBase>, Error> load_base(const std::string& path, std::uint64_t tag);

}  // namespace thresher::net
