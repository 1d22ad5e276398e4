#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "thresher/core/hash.hpp"
#include "thresher/core/hex.hpp"
#include "thresher/sim/read.hpp"
#include "thresher/sim/results.hpp"

namespace thresher::sim {
namespace {

namespace fs = std::filesystem;

// No other process or thread takes the same name.
fs::path beside(const fs::path& path) {
  static std::atomic<std::uint64_t> counter{0};
  return path.parent_path() / (".new-" + path.filename().string() + "-" +
                               std::to_string(::getpid()) + "-" + std::to_string(counter++));
}

std::error_code last_error() {
  return {errno, std::generic_category()};
}

Error cannot_write(const fs::path& path, ErrorCode code, const std::string& why) {
  return {code, "cannot write '" + path.string() + "': " + why, path.string(),
          "check the folder and the disk"};
}
Error cannot_write(const fs::path& path, const std::error_code& error) {
  return cannot_write(path, code_of_errno(error.value()), error.message());
}

bool write_plain(const fs::path& path, std::string_view content) {
  std::ofstream out(path, std::ios::binary);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  out.close();
  return out.good();
}

bool write_parts(const fs::path& folder, const RunRecord& record) {
  text::Value result =
      outcome_json(record.experiment, record.outcome, {.per_node = true, .costs = false});
  result.set("version", record.version);
  text::Value cost;
  cost.set("cpu_s", record.outcome.cpu_s).set("rss_bytes", record.outcome.rss_bytes);
  std::string nodes;
  for (std::size_t i = 0; i < record.outcome.nodes.size(); ++i) {
    text::Value row;
    row.set("node", i);
    const text::Value measures = node_json(record.outcome.nodes[i]);
    for (const text::Member& member : measures.members()) row.set(member.key, member.value);
    nodes += text::write(row) + "\n";
  }
  return write_plain(folder / "experiment.json", write_experiment(record.experiment) + "\n") &&
         write_plain(folder / "cost.json", text::write(cost) + "\n") &&
         write_plain(folder / "nodes.ndjson", nodes) &&
         write_plain(folder / "result.json", text::write(result) + "\n");
}

}  // namespace

Result<Unit, Error> save_file(const fs::path& path, std::string_view content) {
  std::error_code error;
  // A device or a pipe is written to; a file that took its name would no longer be a device.
  if (fs::exists(path, error) && !fs::is_regular_file(path, error)) {
    if (fs::is_directory(path, error))
      return cannot_write(path, ErrorCode::kMalformed, "it is a folder");
    errno = 0;
    if (write_plain(path, content)) return Unit{};
    return cannot_write(path, last_error());
  }
  const fs::path fresh = beside(path);
  if (!write_plain(fresh, content)) {
    const std::error_code why = last_error();
    fs::remove(fresh, error);
    return cannot_write(path, why);
  }
  fs::rename(fresh, path, error);
  if (error) return cannot_write(path, error);
  return Unit{};
}

Result<FileContent, Error> load_file(const fs::path& path) {
  const auto cannot = [&](ErrorCode code, const std::string& why) {
    return Error{code, "cannot read '" + path.string() + "': " + why, path.string(),
                 "check the path"};
  };
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return cannot(ErrorCode::kMalformed, "it is a folder");
  // Not a stream, which throws where a file that opened cannot be read.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  std::string content;
  std::array<char, 1 << 14> part{};
  ssize_t got = file < 0 ? -1 : 1;
  while (got > 0 || (got < 0 && file >= 0 && errno == EINTR)) {
    got = ::read(file, part.data(), part.size());
    if (got > 0) content.append(part.data(), static_cast<std::size_t>(got));
  }
  const int error = errno;
  if (file >= 0) ::close(file);
  if (got == 0) return FileContent{std::move(content)};
  return cannot(code_of_errno(error), std::strerror(error));
}

Result<Unit, Error> save_run(const fs::path& path, const RunRecord& record) {
  const fs::path folder = path.has_filename() ? path : path.parent_path();  // "run/" is "run"
  const fs::path fresh = beside(folder);
  std::error_code error;
  fs::create_directories(fresh, error);
  if (error) return cannot_write(folder, error);
  if (!write_parts(fresh, record)) {
    const std::error_code why = last_error();
    fs::remove_all(fresh, error);
    return cannot_write(folder, why);
  }
  fs::rename(fresh, folder, error);
  if (!error) return Unit{};
  std::error_code ignored;
  fs::remove_all(fresh, ignored);
  // Another process was there first, with the same result.
  if (fs::exists(folder / "result.json", ignored)) return Unit{};
  if (fs::is_directory(folder, ignored)) {
    return Error{
        ErrorCode::kExists,
        "'" + folder.string() + "' is there and holds no whole run: result.json is missing",
        folder.string(), "remove it and run this again"};
  }
  return cannot_write(folder, error);
}

std::string run_id(const Experiment& experiment, std::string_view version) {
  const std::string content = write_experiment(experiment, -1) + "\n" + std::string(version);
  return to_hex(hash(as_view(content)).bytes).substr(0, 24);
}

}  // namespace thresher::sim
