// One node's part of something that needs several nodes.
//
//   std::vector<Contribution> points{{NodeId{2}, bytes}};
//
// Guarantees: none; who takes it says what was checked.
#pragma once

#include "thresher/core/bytes.hpp"
#include "thresher/core/ids.hpp"

namespace thresher::crypto {

struct Contribution {
  NodeId from;
  Bytes bytes;
};

}  // namespace thresher::crypto
