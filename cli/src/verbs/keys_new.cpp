#include <memory>

#include "../text.hpp"
#include "thresher/core/hex.hpp"
#include "thresher/crypto/key_file.hpp"

namespace thresher::cli {

Verb make_keys_new() {
  auto path = std::make_shared<std::string>();
  return {{"keys", "new"},
          "Make an Ed25519 key file (PKCS#8 PEM, mode 0600). Example: thresher keys new node.key",
          {{"path", "the file to write", path.get(), true}},
          [path] {
            const auto key = crypto::SigningKey::generate();
            const auto saved = crypto::save_key(key, *path);
            if (!saved) return fail(kUsage, saved.error().text());
            std::printf("%s\n", to_hex(key.public_key()).c_str());
            return static_cast<int>(kDone);
          }};
}

}  // namespace thresher::cli
