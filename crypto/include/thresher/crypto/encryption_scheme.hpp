// Encryption to a committee behind one interface: nobody reads a text before enough nodes agree to.
//
//   Bytes sealed = *scheme.encrypt(label, plain);
//   if (scheme.valid(label, sealed.view())) send(*scheme.share(label, sealed.view()));
//   scheme.verify(label, sealed.view(), claims, verdicts);
//   std::optional<Bytes> text = scheme.combine(label, sealed.view(), good_shares);
//
// Guarantees, of every implementation: fewer than threshold() nodes that give shares read nothing
// of a valid ciphertext, and cannot make another one whose text is related to it; whichever shares
// open it, the text is the same. A label says what a ciphertext is for: it is not hidden, and the
// ciphertext is valid under no other. Hides no length. Protocols know threshold encryption by this
// header alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "thresher/core/bytes.hpp"
#include "thresher/core/ids.hpp"

namespace thresher::crypto {

/// 96 bytes, whatever the implementation puts there; from a peer until verify() said yes.
struct DecryptionShare {
  std::array<std::byte, 96> bytes{};
  friend bool operator==(const DecryptionShare&, const DecryptionShare&) = default;
};

/// A share and whose it claims to be.
struct DecryptionClaim {
  NodeId from;
  DecryptionShare share;
};

class EncryptionScheme {
 public:
  virtual ~EncryptionScheme() = default;
  /// Shares that open a ciphertext.
  virtual std::uint32_t threshold() const = 0;
  /// Bytes that a ciphertext has more than its text.
  virtual std::size_t overhead() const = 0;
  /// The same ciphertext every time. Empty when this node holds no secret.
  virtual std::optional<Bytes> encrypt(ByteView label, ByteView text) const = 0;
  /// Whether whoever made it knew the text, and meant this label. Anybody may have made the bytes.
  virtual bool valid(ByteView label, ByteView ciphertext) const = 0;
  /// The own share; the same one every time. Empty when this node holds no secret or the
  /// ciphertext is not valid: of such a one a share might give away another's text.
  virtual std::optional<DecryptionShare> share(ByteView label, ByteView ciphertext) const = 0;
  /// verdicts[i] is 1 when claims[i] is the only share its node can make for the ciphertext, else
  /// 0. Pre: equal sizes, and a valid ciphertext; claims may be anything a peer sent.
  virtual void verify(ByteView label, ByteView ciphertext, std::span<const DecryptionClaim> claims,
                      std::span<std::uint8_t> verdicts) const = 0;
  /// Empty with fewer than threshold() distinct nodes. Pre: the ciphertext is valid, and every
  /// share was verified.
  virtual std::optional<Bytes> combine(ByteView label, ByteView ciphertext,
                                       std::span<const DecryptionClaim> shares) const = 0;
};

}  // namespace thresher::crypto
