#include "thresher/core/base64.hpp"

#include <sodium/utils.h>

namespace thresher {
namespace {
constexpr int kVariant = sodium_base64_VARIANT_ORIGINAL_NO_PADDING;
}  // namespace

std::string to_base64(ByteView bytes) {
  std::string out(sodium_base64_ENCODED_LEN(bytes.size(), kVariant), '\0');
  sodium_bin2base64(out.data(), out.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                    bytes.size(), kVariant);
  out.resize(out.size() - 1);  // the zero that ends it
  return out;
}

std::optional<std::vector<std::byte>> from_base64(std::string_view text) {
  std::vector<std::byte> out(text.size());
  std::size_t used = 0;
  const char* end = nullptr;
  if (sodium_base642bin(reinterpret_cast<unsigned char*>(out.data()), out.size(), text.data(),
                        text.size(), nullptr, &used, &end, kVariant) != 0 ||
      end != text.data() + text.size()) {
    return std::nullopt;
  }
  out.resize(used);
  return out;
}

}  // namespace thresher
