// What the JSON library says of a broken text, in words that need no knowledge of it.
//
//   in_plain_words("[json.exception.out_of_range.406] number overflow parsing '1e999'")
//       == "the number '1e999' is too large"
//
// Guarantees: no name of the library and no byte of the text but a number's own digits comes
// through; what is not known is said without detail.
#pragma once

#include <string>
#include <string_view>

namespace thresher::text {

/// `message` is what nlohmann::json's parser throws or hands to its handler.
std::string in_plain_words(std::string_view message);

}  // namespace thresher::text
