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

std::optional<std::uint64_t> number_of(const std::string& name) {
  if (name.rfind(kName, 0) != 0) return std::nullopt;
  std::uint64_t out = 0;
  const char* const end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + kName.size(), end, out);
  return read.ec == std::errc() && read.ptr == end ? std::optional(out) : std::nullopt;
}

std::vector<std::uint64_t> numbers_in(const std::string& folder) {
  std::vector<std::uint64_t> out;
  std::error_code none;
  for (const auto& file : fs::directory_iterator(folder, none)) {
    if (const auto number = number_of(file.path().filename().string())) out.push_back(*number);
  }
  std::ranges::sort(out);
  return out;
}

std::string path_of(const std::string& folder, std::uint64_t number) {
  return folder + "/" + std::string(kName) + std::to_string(number);
}

std::uint32_t checksum(EntryKind kind, ByteView body) {
  // The kind stands in front of the body in the file, and counts.
  return crypto::crc32c(body) ^ (static_cast<std::uint32_t>(kind) * 0x9e3779b1u);
}

}  // namespace

std::vector<std::string> journals_in(const std::string& folder) {
  std::vector<std::string> out;
  for (const std::uint64_t number : numbers_in(folder)) out.push_back(path_of(folder, number));
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
      tell_(std::move(tell)) {}

JournalWriter::~JournalWriter() {
  if (!stopped_) append(EntryKind::kClosed, {});
  flush();
  ::close(file_);
  if (!kept_) (void)::unlink(path_.c_str());
}

void JournalWriter::keep() {
  if (std::exchange(kept_, true)) return;
  const std::vector<std::uint64_t> there = numbers_in(folder_);
  const std::string path = path_of(folder_, there.empty() ? 1 : there.back() + 1);
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
  Writer head;
  head.u32(static_cast<std::uint32_t>(body.size())).u32(checksum(kind, body));
  head.u8(static_cast<std::uint8_t>(kind));
  for (const ByteView part : {head.view(), body})
    unwritten_.insert(unwritten_.end(), part.begin(), part.end());
  bytes_ += head.view().size() + body.size();
}

void JournalWriter::flush() {
  if (unwritten_.empty()) return;
  const int error = write_all(file_, unwritten_);
  unwritten_.clear();
  if (error != 0 && !stopped_) {
    stop("the journal '" + path_ + "' ends, the node goes on without it: " + disk_problem(error));
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
    return Error{ErrorCode::kMalformed, "'" + path + "' is no journal of a node", path,
                 "`thresher node run --journal` writes one into the node's folder, journal/"};
  }
  if (magic != kMagic) {
    return Error{ErrorCode::kUnsupported, "'" + path + "' is a journal of another version", path,
                 "replay it with the program that wrote it"};
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
  constexpr std::size_t kHeadBytes = 9;
  ended_ = true;
  Body head(kHeadBytes);
  if (!file_.read(reinterpret_cast<char*>(head.data()), kHeadBytes)) return;
  Reader in(head);
  const std::uint32_t size = in.u32();
  const std::uint32_t sum = in.u32();
  const auto kind = kind_of(in.u8());
  const std::string place = "entry " + std::to_string(taken_ + 1) + ", at byte " +
                            std::to_string(at_) + " of the file, is damaged";
  if (!kind || size > kMostBody) {
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
  ended_ = false;
  next_ = std::move(entry);
}

}  // namespace thresher::net::journal
