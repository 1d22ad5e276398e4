#include "journal/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <utility>

#include "files/disk_problem.hpp"
#include "files/odd_file.hpp"
#include "files/write_all.hpp"
#include "thresher/crypto/crc32c.hpp"

namespace thresher::net::journal {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "thresher journal 1\n";
constexpr std::string_view kMagicOfAny = "thresher journal ";
constexpr std::string_view kName = "journal-";
/// The file of a start that has not come to anything yet.
constexpr std::string_view kStarting = "/starting";
/// Journals of a folder beside the one that begins.
constexpr std::size_t kKept = 1;
/// More is written before the caller asks for it.
constexpr std::size_t kMostUnwritten = 1u << 20;
/// No input of a protocol is larger: a frame has at most 8 MiB.
constexpr std::uint32_t kMostBody = 64u << 20;
/// Nor is what the first entry says.
constexpr std::uint32_t kMostHead = 4096;

/// No folder comes to so many starts, and what a number above it is the name of is no journal.
constexpr std::uint64_t kMostNumber = 1'000'000'000'000;

/// Of a name as it is given to a journal: without zeros in front.
std::optional<std::uint64_t> number_of(const std::string& name) {
  if (name.rfind(kName, 0) != 0) return std::nullopt;
  std::uint64_t out = 0;
  const char* const end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + kName.size(), end, out);
  if (read.ec != std::errc() || read.ptr != end || out > kMostNumber) return std::nullopt;
  return std::to_string(out) == name.substr(kName.size()) ? std::optional(out) : std::nullopt;
}

struct Numbers {
  std::vector<std::uint64_t> journals;  // the lowest first
  std::uint64_t taken = 0;              // the highest, also of what only has the name of one
};

// A folder, a link or a pipe with the name of a journal is somebody else's.
Numbers numbers_in(const std::string& folder) {
  Numbers out;
  std::error_code none;
  for (const auto& file : fs::directory_iterator(folder, none)) {
    const auto number = number_of(file.path().filename().string());
    if (!number) continue;
    out.taken = std::max(out.taken, *number);
    std::error_code unknown;
    if (fs::is_regular_file(file.symlink_status(unknown))) out.journals.push_back(*number);
  }
  std::ranges::sort(out.journals);
  return out;
}

std::string path_of(const std::string& folder, std::uint64_t number) {
  return folder + "/" + std::string(kName) + std::to_string(number);
}

std::uint32_t checksum(EntryKind kind, ByteView body) {
  // The kind stands in front of the body in the file, and counts.
  return crypto::crc32c(body) ^ (static_cast<std::uint32_t>(kind) * 0x9e3779b1u);
}

/// In front of an entry's body: its size, its checksum, its kind.
constexpr std::size_t kHeadBytes = 9;

Body front_of(EntryKind kind, ByteView body) {
  Writer out;
  out.u32(static_cast<std::uint32_t>(body.size())).u32(checksum(kind, body));
  return out.u8(static_cast<std::uint8_t>(kind)).take();
}

/// How many of the first `limit` bytes are entries that end there.
std::size_t whole_within(ByteView entries, std::size_t limit) {
  std::size_t whole = 0;
  while (limit - whole >= kHeadBytes) {
    const std::size_t size = kHeadBytes + Reader(entries.subspan(whole)).u32();
    if (limit - whole < size) break;
    whole += size;
  }
  return whole;
}

}  // namespace

std::vector<std::string> journals_in(const std::string& folder) {
  std::vector<std::string> out;
  for (const std::uint64_t number : numbers_in(folder).journals)
    out.push_back(path_of(folder, number));
  return out;
}

Result<std::unique_ptr<JournalWriter>, Error> JournalWriter::create(const std::string& folder,
                                                                    const Head& head,
                                                                    std::uint64_t most_bytes,
                                                                    Tell tell) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return disk_error("cannot make the folder of journals '" + folder + "'", errno, folder);
  const std::string path = folder + std::string(kStarting);
  (void)::unlink(path.c_str());
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return disk_error("cannot make the journal '" + path + "'", errno, path);
  if (const int error = write_all(file, as_view(kMagic))) {
    ::close(file);
    (void)::unlink(path.c_str());
    return disk_error("cannot write the journal '" + path + "'", error, path);
  }
  std::unique_ptr<JournalWriter> out(new JournalWriter(file, folder, most_bytes, std::move(tell)));
  out->append(EntryKind::kHead, encode_head(head));
  out->flush();
  return out;
}

JournalWriter::JournalWriter(int file, std::string folder, std::uint64_t most_bytes, Tell tell)
    : file_(file),
      folder_(std::move(folder)),
      path_(folder_ + std::string(kStarting)),
      most_(most_bytes),
      tell_(std::move(tell)),
      written_(kMagic.size()),
      before_(kMagic.size()) {}

JournalWriter::~JournalWriter() {
  if (!stopped_) append(EntryKind::kClosed, {});
  flush();
  ::close(file_);
  if (!kept_) (void)::unlink(path_.c_str());
}

void JournalWriter::keep() {
  if (std::exchange(kept_, true)) return;
  const auto [there, taken] = numbers_in(folder_);
  if (taken == kMostNumber)
    return stop("the journal '" + path_ + "' ends, no number is left for it: move '" +
                path_of(folder_, taken) + "' away");
  const std::string path = path_of(folder_, taken + 1);
  if (::rename(path_.c_str(), path.c_str()) != 0)
    return stop("the journal '" + path_ + "' cannot be named '" + path +
                "', the node goes on without it: " + disk_problem(errno));
  path_ = path;
  for (std::size_t i = 0; i + kKept < there.size(); ++i)
    (void)::unlink(path_of(folder_, there[i]).c_str());
}

void JournalWriter::add(EntryKind kind, ByteView body) {
  if (stopped_) return;
  if (bytes_ >= most_) {
    append(EntryKind::kFull, {});
    return stop("the journal '" + path_ + "' has reached " + std::to_string(most_) +
                " bytes and ends; a restart begins another, journal.bytes in node.toml makes it "
                "longer");
  }
  append(kind, body);
  if (unwritten_.size() >= kMostUnwritten) flush();
}

void JournalWriter::append(EntryKind kind, ByteView body) {
  const Body front = front_of(kind, body);
  for (const ByteView part : {ByteView(front), body})
    unwritten_.insert(unwritten_.end(), part.begin(), part.end());
  bytes_ += front.size() + body.size();
}

void JournalWriter::flush() {
  if (unwritten_.empty()) return;
  std::string why = not_as_written();
  if (why.empty()) {
    const int error = write_all(file_, unwritten_);
    if (error == 0) {
      before_ = std::exchange(written_, written_ + unwritten_.size());
    } else {
      mark_failure(error);
      why = "the node goes on without it: " + disk_problem(error);
    }
  }
  unwritten_.clear();
  if (!why.empty() && !stopped_) stop("the journal '" + path_ + "' ends, " + why);
}

// Nobody else may touch it while it grows: what came behind a hole could not be read.
std::string JournalWriter::not_as_written() const {
  constexpr const char* kAnother = "; the node goes on without one, and a restart begins another";
  struct stat own {};
  struct stat named {};
  if (::fstat(file_, &own) != 0) return {};  // the write will say why
  const bool there = ::lstat(path_.c_str(), &named) == 0;
  const bool gone = !there && (errno == ENOENT || errno == ENOTDIR);
  if (gone || (there && (named.st_ino != own.st_ino || named.st_dev != own.st_dev)))
    return std::string("it was deleted or moved while the node ran") + kAnother;
  const auto size = static_cast<std::uint64_t>(own.st_size);
  if (size == written_) return {};
  return "somebody else changed it: it has " + std::to_string(size) + " bytes and not the " +
         std::to_string(written_) + " that were written" + kAnother;
}

// A full disk has no room for another entry, but what was taken last can give way to the mark.
void JournalWriter::mark_failure(int error) {
  const Body why = Writer().u32(static_cast<std::uint32_t>(error)).take();
  Body mark = front_of(EntryKind::kDisk, why);
  mark.insert(mark.end(), why.begin(), why.end());
  const off_t end = ::lseek(file_, 0, SEEK_CUR);
  if (end < 0) return;
  const auto taken = static_cast<std::size_t>(static_cast<std::uint64_t>(end) - written_);
  const std::size_t room = taken - std::min(taken, mark.size());
  for (const std::uint64_t at : {written_ + whole_within(unwritten_, room), before_}) {
    const auto place = static_cast<off_t>(at);
    if (::ftruncate(file_, place) != 0 || ::lseek(file_, place, SEEK_SET) < 0) return;
    if (write_all(file_, mark) == 0) return;
  }
}

void JournalWriter::stop(const std::string& why) {
  stopped_ = true;
  flush();
  if (tell_) tell_(why);
}

Result<JournalReader, Error> JournalReader::open(const std::string& path) {
  if (std::string why = odd_file(path); !why.empty())
    return Error{ErrorCode::kMalformed, std::move(why), path};
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return disk_error("cannot read the journal '" + path + "'", errno == 0 ? EIO : errno, path);
  std::string magic(kMagic.size(), '\0');
  file.read(magic.data(), static_cast<std::streamsize>(magic.size()));
  if (!file || magic.rfind(kMagicOfAny, 0) != 0) {
    return Error{ErrorCode::kMalformed,
                 "'" + path + "' is no journal of a node, or its first bytes are damaged", path,
                 "`thresher node run --journal` writes one into the node's folder, journal/"};
  }
  if (magic != kMagic) {
    return Error{ErrorCode::kUnsupported,
                 "'" + path + "' is a journal of another version, or its first bytes are damaged",
                 path, "replay it with the program that wrote it"};
  }
  JournalReader out(std::move(file));
  out.at_ = kMagic.size();
  return out;
}

const JournalReader::Entry* JournalReader::peek() {
  if (!next_ && !ended_) read();
  return next_ ? &*next_ : nullptr;
}

JournalReader::Entry JournalReader::take() {
  THRESHER_ASSERT(peek() != nullptr, "an entry is taken where there is one");
  ++taken_;
  Entry out = std::move(*next_);
  next_.reset();
  return out;
}

void JournalReader::read() {
  ended_ = true;
  Body head(kHeadBytes);
  if (!file_.read(reinterpret_cast<char*>(head.data()), kHeadBytes)) return;
  Reader in(head);
  const std::uint32_t size = in.u32();
  const std::uint32_t sum = in.u32();
  const auto kind = kind_of(in.u8());
  const std::string place = "entry " + std::to_string(taken_ + 1) + ", at byte " +
                            std::to_string(at_) + " of the file, is not what was written";
  if (!kind || size > (taken_ == 0 ? kMostHead : kMostBody)) {
    damage_ = place;
    return;
  }
  Entry entry{*kind, Body(size)};
  if (!file_.read(reinterpret_cast<char*>(entry.body.data()), size)) return;
  if (checksum(*kind, entry.body) != sum) {
    damage_ = place;
    return;
  }
  at_ += kHeadBytes + size;
  ended_ = is_end(*kind);
  next_ = std::move(entry);
  if (ended_ && file_.peek() != std::ifstream::traits_type::eof())
    damage_ = "bytes follow its end mark, from byte " + std::to_string(at_) + " of the file on";
}

}  // namespace thresher::net::journal
