# The comment that opens a header, up to #pragma once, becomes the description of its file: examples,
# which stand three spaces in, become code, and elsewhere `<` is a character and no tag.
1,/^#pragma once/{
  s|^//   |//!     |
  /^\/\/!     /!s|<|\\<|g
  s|^// |//! |
  s|^//$|//!|
  1s|^|//! \\file\n|
}
