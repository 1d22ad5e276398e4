#include "beside.hpp"

#include <gtest/gtest.h>

#include <type_traits>

namespace thresher::chassis {
namespace {

struct Counter {
  explicit Counter(int& total) : total_(total) {}
  void count() {
    ++own_;
    ++*total_;
  }
  int own_ = 0;
  Beside<int> total_;
};

TEST(Beside, AssignedAPartTakesOverDataAndKeepsThePartsOfItsNode) {
  int here = 0;
  int there = 0;
  Counter a(here);
  Counter b(there);
  a.count();
  a.count();
  b = a;
  EXPECT_EQ(b.own_, 2);
  b.count();
  EXPECT_EQ(b.own_, 3);
  EXPECT_EQ(a.own_, 2);
  EXPECT_EQ(here, 2);
  EXPECT_EQ(there, 1);
}

TEST(Beside, WhatWouldWorkWithPartsOfAnotherNodeIsNotCopied) {
  EXPECT_FALSE(std::is_copy_constructible_v<Counter>);
  EXPECT_TRUE(std::is_copy_assignable_v<Counter>);
}

}  // namespace
}  // namespace thresher::chassis
