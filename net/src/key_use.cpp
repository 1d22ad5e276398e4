#include "key_use.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

namespace thresher::net {

std::string key_use_path(const std::string& key_path) {
  return key_path + ".used";
}

bool key_was_used(const std::string& key_path, const PublicKey& key) {
  std::ifstream in(key_use_path(key_path), std::ios::binary);
  std::array<char, std::tuple_size_v<PublicKey>> noted{};
  if (!in.read(noted.data(), noted.size())) return false;
  return std::equal(key.begin(), key.end(), noted.begin(),
                    [](std::byte a, char b) { return a == static_cast<std::byte>(b); });
}

bool note_key_use(const std::string& key_path, const PublicKey& key) {
  const std::string path = key_use_path(key_path);
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  const bool written =
      ::write(fd, key.data(), key.size()) == static_cast<ssize_t>(key.size()) && ::fsync(fd) == 0;
  ::close(fd);
  const std::string parent = std::filesystem::path(path).parent_path().string();
  const std::string folder = parent.empty() ? "." : parent;
  const int directory = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return false;
  const bool named = ::fsync(directory) == 0;
  ::close(directory);
  return written && named;
}

}  // namespace thresher::net
