#include <memory>

#include "../text.hpp"
#include "thresher/core/hex.hpp"
#include "thresher/crypto/key_file.hpp"

namespace thresher::cli {

Verb make_keys_show() {
  auto path = std::make_shared<std::string>();
  return {{"keys", "show"},
          "Print the public key of a key file. Example: thresher keys show mynet/node0/node.key",
          {{"path", "the key file", path.get(), true}},
          [path] {
            const auto key = crypto::load_key(*path);
            if (!key) return fail(kUsage, key.error().text());
            std::printf("%s\n", to_hex(key->public_key()).c_str());
            return static_cast<int>(kDone);
          }};
}

}  // namespace thresher::cli
