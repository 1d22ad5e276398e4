// What a part of a node works with besides its own data: a reference to another part of that node.
//
//   class Asking {
//     MissingVertices missing_;            // its own
//     Beside<const Store> store_;          // looked at
//   };
//   State(const State& other) : State(other.config) { *this = other; }
//
// Guarantees: it stands for one part for ever. Assigned, a part takes over the data of the other
// and goes on with the parts of its own node; so nodes whose parts know each other are copied like
// values, by making a node and assigning to it. Copied like a value it is not, as the copy would
// work with parts of the other node: the compiler refuses.
#pragma once

namespace thresher::chassis {

template <class T>
class Beside {
 public:
  Beside(T& part) : part_(&part) {}
  Beside(const Beside&) = delete;
  // NOLINTNEXTLINE(bugprone-unhandled-self-assignment): it assigns nothing
  Beside& operator=(const Beside&) { return *this; }

  T& operator*() const { return *part_; }
  T* operator->() const { return part_; }

 private:
  T* part_;
};

}  // namespace thresher::chassis
