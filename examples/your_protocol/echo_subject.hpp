// What the simulator has to know of Echo: what nodes must agree on, what a message is about, and
// what is to stay bounded.
#pragma once

#include "echo.hpp"
#include "thresher/testing/subject.hpp"

template <thresher::Threshold kEnough>
struct EchoSubject : thresher::testing::SubjectBase<Echo<kEnough>> {
  using Base = thresher::testing::SubjectBase<Echo<kEnough>>;
  using Base::Base;
  static constexpr bool kOrdered = false;  // nothing is put in order
  using Message = typename Echo<kEnough>::Message;
  using Output = typename Echo<kEnough>::Output;

  // One key, one digest: all that output this key output this digest.
  thresher::sim::OutputFacts facts_of(const Output& o) const {
    const std::uint64_t key = o.number * this->committee.size() + o.origin.value;
    return {.key = key, .digest = thresher::hash(o.payload.view()), .round = o.number};
  }
  thresher::sim::MessageFacts facts_of(const Message& m) const {
    return {.label = "echo", .round = m.number, .bytes = wire_bytes(m)};
  }
  std::size_t held(const Echo<kEnough>& node) const { return node.open(); }

 private:
  static std::uint32_t wire_bytes(const Message& m) {
    return static_cast<std::uint32_t>(sizeof m.origin + sizeof m.number + m.payload.size());
  }
};

template <thresher::Threshold kEnough>
struct thresher::testing::SubjectOf<Echo<kEnough>> {
  using type = EchoSubject<kEnough>;
};
