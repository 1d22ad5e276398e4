#include "thresher/crypto/secret.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <set>
#include <sstream>
#include <vector>

#include "thresher/crypto/signing_key.hpp"

namespace thresher::crypto {
namespace {

using Number = std::array<std::byte, 32>;

/// The kernel's flags of the area that holds the address, as in /proc/self/smaps.
std::set<std::string> flags_of(const void* at) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  std::ifstream in("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    char dash = 0;
    std::istringstream head(line);
    if (head >> std::hex >> begin >> dash >> end && dash == '-') {
      inside = begin <= address && address < end;
    } else if (inside && line.rfind("VmFlags:", 0) == 0) {
      std::istringstream words(line.substr(8));
      std::set<std::string> out;
      for (std::string flag; words >> flag;) out.insert(flag);
      return out;
    }
  }
  return {};
}

TEST(Secret, NoCoreHoldsItsPages) {
  const Secret<Number> secret;
  EXPECT_TRUE(flags_of(&*secret).contains("dd"));
  const Number ordinary{};
  EXPECT_FALSE(flags_of(&ordinary).contains("dd"));
  const SigningKey key = SigningKey::generate();
  EXPECT_TRUE(flags_of(&key.seed()).contains("dd"));
}

TEST(Secret, CopiesShareItAndTheLastOneWipesIt) {
  const std::byte* at = nullptr;
  {
    Secret<Number> one;
    at = one->data();
    {
      const Secret<Number> two = one;
      EXPECT_EQ(two->data(), at);
      one->fill(std::byte{7});
      EXPECT_EQ((*two)[31], std::byte{7});
    }
    EXPECT_EQ(at[0], std::byte{7});
  }
  // The page is never given back, so it may be looked at.
  for (std::size_t i = 0; i < sizeof(Number); ++i) EXPECT_EQ(at[i], std::byte{0}) << i;
}

TEST(Secret, ManyDoNotMeetAndAreUsedAgain) {
  std::set<const void*> places;
  {
    std::vector<Secret<Number>> many(5000);
    for (std::size_t i = 0; i < many.size(); ++i) {
      many[i]->fill(static_cast<std::byte>(i));
      places.insert(many[i]->data());
    }
    EXPECT_EQ(places.size(), many.size());
    for (std::size_t i = 0; i < many.size(); ++i) {
      EXPECT_EQ((*many[i])[31], static_cast<std::byte>(i));
    }
  }
  const Secret<Number> again;
  EXPECT_TRUE(places.contains(again->data()));
}

TEST(Secret, AKeyIsTheSameAfterItWasMovedFromAndCopied) {
  SigningKey key = SigningKey::generate();
  const SigningKey copy = key;
  const SigningKey moved = std::move(key);
  const std::array message{std::byte{1}, std::byte{2}};
  EXPECT_EQ(copy.sign(message), moved.sign(message));
  EXPECT_EQ(key.sign(message), moved.sign(message));  // NOLINT(bugprone-use-after-move)
}

}  // namespace
}  // namespace thresher::crypto
