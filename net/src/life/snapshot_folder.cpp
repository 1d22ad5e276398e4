#include "life/snapshot_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "thresher/net/synced_file.hpp"

namespace thresher::net {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kVersion = 2;
/// Without a ledger.
constexpr std::uint32_t kFirstVersion = 1;
constexpr char kPartial[] = ".partial";
/// Parts that are hashed beside each other (crypto/hash_many.hpp).
constexpr std::size_t kBeside = 8;

void write(const Manifest& m, Writer& out) {
  const Checkpoint& c = m.checkpoint;
  out.u64(c.slot.value).u64(c.length).bytes(c.log_hash.bytes).bytes(c.root.bytes);
  out.bytes(c.state.bytes).u64(m.bytes).u64(m.chunks.size());
  for (const Digest& chunk : m.chunks) out.bytes(chunk.bytes);
  out.u64(m.ledger_bytes).u64(m.ledger_chunks.size());
  for (const Digest& chunk : m.ledger_chunks) out.bytes(chunk.bytes);
}

std::uint64_t chunks_of(std::uint64_t bytes) {
  return bytes / Manifest::kChunk + (bytes % Manifest::kChunk == 0 ? 0 : 1);
}

// Mirror of the end of write(): a length and the hashes of its parts.
bool read_chunks(Reader& in, std::uint64_t& bytes, std::vector<Digest>& chunks) {
  bytes = in.u64();
  const std::uint64_t count = in.u64();
  constexpr std::size_t kHash = sizeof(Digest::bytes);
  if (!in.ok() || count > in.remaining() / kHash || chunks_of(bytes) != count) return false;
  for (std::uint64_t i = 0; i < count; ++i) chunks.push_back(in.digest());
  return true;
}

/// The slot of a name that is a number and nothing else.
std::optional<Round> slot_in(const std::string& name) {
  std::uint64_t slot = 0;
  const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), slot);
  const bool whole = wrong == std::errc{} && end == name.data() + name.size();
  return whole ? std::optional(Round{slot}) : std::nullopt;
}

// An IncomingSnapshot has it open: that holds a lock on its state.
bool is_in_use(const std::string& incoming) {
  const int file = ::open((incoming + "/state").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool locked = ::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(file);
  return locked;
}

// Negative: the disk refuses.
int created(const std::string& path) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

}  // namespace

Bytes sealed_file(ByteView content) {
  Writer w;
  w.reserve(content.size() + sizeof(Digest::bytes));
  w.bytes(content).bytes(hash(content).bytes);
  return Bytes::from(w.take());
}

std::optional<Bytes> sealed_in(const std::string& path) {
  const auto file = ReadFile::open(path);
  const auto all = file ? file->all() : std::nullopt;
  constexpr std::size_t kHash = sizeof(Digest::bytes);
  if (!all || all->size() < kHash) return std::nullopt;
  const Bytes out = all->slice(0, all->size() - kHash);
  Reader tail(all->view().last(kHash));
  if (hash(out.view()) != tail.digest()) return std::nullopt;
  return out;
}

Bytes chunk_of(const ReadFile& file, std::size_t index) {
  const std::size_t at = index * Manifest::kChunk;
  return file.read(at, std::min(Manifest::kChunk, file.size() - at)).value_or(Bytes{});
}

Digest digest_of(const Manifest& manifest, const ChainContext& chain) {
  Transcript t("thresher/manifest/1", chain);
  write(manifest, t);
  return t.digest();
}

Bytes encode(const Manifest& manifest) {
  Writer w;
  w.u32(kVersion);
  write(manifest, w);
  return Bytes::from(w.take());
}

std::optional<Manifest> decode_manifest(ByteView bytes) {
  Reader in(bytes);
  Manifest out;
  const std::uint32_t version = in.u32();
  out.checkpoint.slot = Round{in.u64()};
  out.checkpoint.length = in.u64();
  out.checkpoint.log_hash = in.digest();
  out.checkpoint.root = in.digest();
  out.checkpoint.state = in.digest();
  if (version != kVersion && version != kFirstVersion) return std::nullopt;
  if (!read_chunks(in, out.bytes, out.chunks)) return std::nullopt;
  if (version == kVersion && !read_chunks(in, out.ledger_bytes, out.ledger_chunks))
    return std::nullopt;
  if (!in.done()) return std::nullopt;
  return out;
}

std::optional<MappedFile> MappedFile::of(const ReadFile& file) {
  const std::size_t size = file.size();
  void* data =
      size > 0 ? ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.descriptor(), 0) : nullptr;
  if (data == MAP_FAILED) return std::nullopt;
  return MappedFile(static_cast<const std::byte*>(data), size);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

// While some are hashed the system reads the next ones.
bool consists_of(const ReadFile& file, std::span<const Digest> chunks) {
  constexpr std::size_t kStep = kBeside * Manifest::kChunk;
  const std::size_t all = file.size();
  if (chunks_of(all) != chunks.size()) return false;
  std::vector<std::byte> some(std::min(kStep, all));
  for (std::size_t at = 0; at < all; at += kStep) {
    const auto step = std::span(some).first(std::min(kStep, all - at));
    file.soon(at + step.size(), kStep);
    if (!file.read(at, step)) return false;
    const std::vector<Digest> found = chunk_hashes(step);
    if (!std::ranges::equal(found, chunks.subspan(at / Manifest::kChunk, found.size())))
      return false;
  }
  return true;
}

std::optional<CheckedState> CheckedState::of(const ReadFile& file, std::span<const Digest> chunks) {
  CheckedState out;
  if (file.size() > kCopied) {
    auto mapped = consists_of(file, chunks) ? MappedFile::of(file) : std::nullopt;
    if (!mapped) return std::nullopt;
    out.mapped_.emplace(std::move(*mapped));
    return out;
  }
  auto copy = file.all();
  if (!copy || !std::ranges::equal(chunk_hashes(copy->view()), chunks)) return std::nullopt;
  out.copy_ = std::move(*copy);
  return out;
}

bool SnapshotFile::append_ledger(ByteView bytes) {
  if (!ledger_) {
    const int file = created(partial_ + "/ledger");
    if (file < 0) return false;
    ledger_.emplace(file);
  }
  return ledger_->append(bytes);
}

bool SnapshotFile::finish(const Checkpoint& checkpoint, ByteView own) {
  if (!state_.finish() || (ledger_ && !ledger_->finish())) return false;
  Manifest manifest{checkpoint, state_.bytes(), state_.chunks()};
  if (ledger_) {
    manifest.ledger_bytes = ledger_->bytes();
    manifest.ledger_chunks = ledger_->chunks();
  }
  return (own.empty() || write_synced(partial_ + "/own", sealed_file(own).view())) &&
         write_synced(partial_ + "/manifest", sealed_file(encode(manifest).view()).view()) &&
         put_in_place(partial_, path_);
}

// What has the name was damaged, or the log came to that slot by another way. A crash leaves one of
// the two under it.
bool put_in_place(const std::string& finished, const std::string& name) {
  if (std::rename(finished.c_str(), name.c_str()) == 0) return sync_folder_of(name);
  if (errno != ENOTEMPTY && errno != EEXIST) return false;
  std::error_code error;
  if (::renameat2(AT_FDCWD, finished.c_str(), AT_FDCWD, name.c_str(), RENAME_EXCHANGE) == 0) {
    fs::remove_all(finished, error);
    return sync_folder_of(name);
  }
  // Not every file system exchanges names.
  const std::string before = name + ".before" + kPartial;
  fs::remove_all(before, error);
  if (std::rename(name.c_str(), before.c_str()) != 0) return false;
  if (std::rename(finished.c_str(), name.c_str()) != 0) return false;
  fs::remove_all(before, error);
  return sync_folder_of(name);
}

void SnapshotFolder::create() const {
  std::error_code error;
  if (fs::create_directory(path_, error)) (void)sync_folder_of(path_);
}

std::vector<Round> SnapshotFolder::slots() const {
  std::vector<Round> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path_, error)) {
    if (const auto slot = slot_in(entry.path().filename().string())) out.push_back(*slot);
  }
  std::ranges::sort(out, std::greater<>());
  return out;
}

std::optional<LoadedSnapshot> SnapshotFolder::load(Round slot) const {
  const std::string path = path_of(slot);
  const auto written = sealed_in(path + "/manifest");
  auto manifest = written ? decode_manifest(written->view()) : std::nullopt;
  const auto file = ReadFile::open(path + "/state");
  if (!manifest || manifest->checkpoint.slot != slot || !file) return std::nullopt;
  if (file->size() != manifest->bytes) return std::nullopt;
  const auto shared = ReadFile::open(path + "/ledger");
  auto ledger = shared && shared->size() > 0 && shared->size() == manifest->ledger_bytes
                    ? shared->all()
                    : std::nullopt;
  if (ledger && chunk_hashes(ledger->view()) != manifest->ledger_chunks) ledger.reset();
  auto own = ledger ? std::nullopt : sealed_in(path + "/own");
  if (!ledger && !own) return std::nullopt;
  auto state = CheckedState::of(*file, manifest->chunks);
  if (!state) return std::nullopt;
  return LoadedSnapshot{std::move(*manifest), std::move(*state), std::move(ledger), std::move(own)};
}

std::optional<StoredSnapshot> SnapshotFolder::stored(Round slot) const {
  const std::string path = path_of(slot);
  auto encoded = sealed_in(path + "/manifest");
  auto manifest = encoded ? decode_manifest(encoded->view()) : std::nullopt;
  auto state = ReadFile::open(path + "/state");
  auto ledger = ReadFile::open(path + "/ledger");
  if (!manifest || manifest->checkpoint.slot != slot || !state || !ledger) return std::nullopt;
  if (manifest->ledger_bytes == 0 || state->size() != manifest->bytes ||
      ledger->size() != manifest->ledger_bytes)
    return std::nullopt;
  return StoredSnapshot{std::move(*encoded), std::move(*manifest), std::move(*state),
                        std::move(*ledger)};
}

void SnapshotFolder::remove_unfinished() const {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path_, error)) {
    std::error_code ignored;
    if (entry.path().extension() == kPartial) fs::remove_all(entry.path(), ignored);
  }
}

void SnapshotFolder::remove_unfinished(Round log_end) const {
  remove_unfinished();
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path_, error)) {
    const fs::path& path = entry.path();
    const auto slot = path.extension() == kIncoming ? slot_in(path.stem().string()) : std::nullopt;
    std::error_code ignored;
    if (slot && *slot <= log_end && !is_in_use(path)) fs::remove_all(path, ignored);
  }
}

// The folder around it is there, or was moved away: a new one would not be the node's.
std::unique_ptr<SnapshotFile> SnapshotFolder::begin(Round slot) const {
  create();
  remove_unfinished(slot);
  const std::string path = path_of(slot);
  const std::string partial = path + kPartial;
  if (::mkdir(partial.c_str(), 0700) != 0) return nullptr;
  const int file = created(partial + "/state");
  if (file < 0) return nullptr;
  return std::unique_ptr<SnapshotFile>(new SnapshotFile(partial, path, file));
}

// A folder loses its name first: one that is half removed must not be taken for whole.
bool SnapshotFolder::keep(std::size_t count, const std::function<bool(Round)>& certified,
                          const std::function<bool(Round)>& held) const {
  bool good = true;
  const std::vector<Round> all = slots();
  std::size_t usable = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool stays = usable < count && certified(all[i]);
    usable += stays ? 1 : 0;
    if (stays || i < count || held(all[i])) continue;
    const std::string path = path_of(all[i]);
    const std::string gone = path + kPartial;
    std::error_code error;
    fs::rename(path, gone, error);
    if (!error) fs::remove_all(gone, error);
    good = good && !error;
  }
  return good;
}

}  // namespace thresher::net
