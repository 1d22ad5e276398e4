// Changing one declared field of a message: what equivocators and ByzzFuzz do to any protocol.
//
//   bool change(Vote& m, Mutation by) { return by.digest("digest", m.digest) || by.number("view",
//   m.view); }
//
// Guarantees: a function of (field, salt). A field that is asked for by name is the only one that
// changes; without a name each field in turn gets its chance, the first at least as often.
#pragma once

#include <string_view>

#include "thresher/core/prng.hpp"
#include "thresher/protocols/broadcast/bracha.hpp"
#include "thresher/sim/subject.hpp"

namespace thresher::sim {

class Mutation {
 public:
  Mutation(std::string_view field, std::uint64_t salt) : field_(field), salt_(salt) {}

  /// Whether this field is the one: by name, or by a draw when there is no name.
  bool picks(std::string_view field) {
    if (!field_.empty()) return field_ == field;
    return (mix64(salt_ ^ mix64(++asked_)) & 1) != 0;
  }
  std::uint64_t salt() const { return salt_; }

  /// One more or less, or far off.
  bool number(std::string_view field, std::uint64_t& value) {
    if (!picks(field)) return false;
    const std::uint64_t how = mix64(salt_ + 1);
    switch (how % 4) {
      case 0:
        value += 1 + (how >> 8) % 16;
        break;
      case 1:
        value -= value > 0 ? 1 : ~std::uint64_t{0};
        break;
      default:
        value += 1;
        break;
    }
    return true;
  }
  bool digest(std::string_view field, Digest& value) {
    if (!picks(field)) return false;
    value.bytes[salt_ % value.bytes.size()] ^= std::byte{1};
    return true;
  }
  /// Another payload of the same submitter, or other bytes.
  bool payload(std::string_view field, Bytes& value) {
    return picks(field) && another_payload(value);
  }

 private:
  std::string_view field_;
  std::uint64_t salt_;
  std::uint64_t asked_ = 0;
};

/// Bracha's messages stand alone and inside PBFT.
bool mutate_bracha(Bracha::Message& message, Mutation by);

}  // namespace thresher::sim
