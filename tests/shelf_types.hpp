// All broadcasts of the shelf as types of a typed test, called by their names.
//
//   TYPED_TEST_SUITE(Mine, Shelf, ShelfNames);
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "thresher/protocols/broadcast/by_name.hpp"

namespace thresher {

template <class Tuple>
struct TypesOf;
template <class... B>
struct TypesOf<std::tuple<B...>> {
  using Types = ::testing::Types<B...>;
};
using Shelf = TypesOf<broadcast::All>::Types;

struct ShelfNames {
  template <class B>
  static std::string GetName(int) {
    return std::string(B::kName);
  }
};

}  // namespace thresher
