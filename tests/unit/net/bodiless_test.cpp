// Records that wait for their bodies.
#include "node/bodiless.hpp"

#include <gtest/gtest.h>

namespace thresher::net {
namespace {

TEST(Bodiless, GivesEachRecordOnceWithoutItsBody) {
  Bodiless bodiless;
  EXPECT_TRUE(bodiless.empty());
  const Bytes key = Bytes::copy_of(as_view("key"));
  Restored record;
  record.table = 3;
  record.key = key;
  record.body = Bytes::copy_of(as_view("damaged"));
  bodiless.add(record);
  EXPECT_FALSE(bodiless.has({4, key}));
  EXPECT_TRUE(bodiless.has({3, key}));
  EXPECT_FALSE(bodiless.take({3, Bytes::copy_of(as_view("other"))}));
  const auto taken = bodiless.take({3, key});
  ASSERT_TRUE(taken);
  EXPECT_TRUE(taken->body.empty());
  EXPECT_TRUE(bodiless.empty());
  EXPECT_FALSE(bodiless.take({3, key}));
}

}  // namespace
}  // namespace thresher::net
