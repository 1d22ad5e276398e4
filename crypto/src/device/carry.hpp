// Carry chains over 32-bit words: the only place where device and host code differ.
//
//   Carry c;
//   madd_first(t[0], t[1], a[0], b, c);   // (t1:t0) += a0 b, the carry goes to c
//   madd_next(t[2], t[3], a[2], b, c);    // (t3:t2) += a2 b + c
//   add_carry(t[4], c);                   // t4 += c
//
// On the device the carry is the flag that .cc instructions leave behind, and Carry is empty; ptxas
// fuses a lo and hi pair into one 64-bit multiply-add. On the host the flag is a variable, so that
// the same chains are tested where there is no device. Between the first and the last call of a
// chain there may be no other chain.
#pragma once

#include "hd.hpp"

namespace thresher::crypto::device {

#if defined(__CUDA_ARCH__)

struct Carry {};

THRESHER_HD void madd_first(u32& lo, u32& hi, u32 a, u32 b, Carry&) {
  asm volatile("mad.lo.cc.u32 %0, %2, %3, %0;\n\tmadc.hi.cc.u32 %1, %2, %3, %1;"
               : "+r"(lo), "+r"(hi)
               : "r"(a), "r"(b));
}
THRESHER_HD void madd_next(u32& lo, u32& hi, u32 a, u32 b, Carry&) {
  asm volatile("madc.lo.cc.u32 %0, %2, %3, %0;\n\tmadc.hi.cc.u32 %1, %2, %3, %1;"
               : "+r"(lo), "+r"(hi)
               : "r"(a), "r"(b));
}
THRESHER_HD void add_first(u32& x, u32 y, Carry&) {
  asm volatile("add.cc.u32 %0, %0, %1;" : "+r"(x) : "r"(y));
}
THRESHER_HD void add_next(u32& x, u32 y, Carry&) {
  asm volatile("addc.cc.u32 %0, %0, %1;" : "+r"(x) : "r"(y));
}
THRESHER_HD void add_carry(u32& x, Carry&) {
  asm volatile("addc.u32 %0, %0, 0;" : "+r"(x));
}
THRESHER_HD void sub_first(u32& x, u32 y, Carry&) {
  asm volatile("sub.cc.u32 %0, %0, %1;" : "+r"(x) : "r"(y));
}
THRESHER_HD void sub_next(u32& x, u32 y, Carry&) {
  asm volatile("subc.cc.u32 %0, %0, %1;" : "+r"(x) : "r"(y));
}
/// All ones after a borrow, else zero.
THRESHER_HD u32 borrow_mask(Carry&) {
  u32 mask;
  asm volatile("subc.u32 %0, 0, 0;" : "=r"(mask));
  return mask;
}

#else

struct Carry {
  u64 bit = 0;
};

THRESHER_HD void madd_next(u32& lo, u32& hi, u32 a, u32 b, Carry& c) {
  const u64 sum = (u64{hi} << 32 | lo) + c.bit;
  const u64 out = sum + u64{a} * b;
  c.bit = static_cast<u64>(sum < c.bit) + static_cast<u64>(out < sum);
  lo = static_cast<u32>(out);
  hi = static_cast<u32>(out >> 32);
}
THRESHER_HD void madd_first(u32& lo, u32& hi, u32 a, u32 b, Carry& c) {
  c.bit = 0;
  madd_next(lo, hi, a, b, c);
}
THRESHER_HD void add_next(u32& x, u32 y, Carry& c) {
  const u64 sum = u64{x} + y + c.bit;
  x = static_cast<u32>(sum);
  c.bit = sum >> 32;
}
THRESHER_HD void add_first(u32& x, u32 y, Carry& c) {
  c.bit = 0;
  add_next(x, y, c);
}
THRESHER_HD void add_carry(u32& x, Carry& c) {
  x = static_cast<u32>(x + c.bit);
}
THRESHER_HD void sub_next(u32& x, u32 y, Carry& c) {
  const u64 difference = u64{x} - y - c.bit;
  x = static_cast<u32>(difference);
  c.bit = difference >> 63;
}
THRESHER_HD void sub_first(u32& x, u32 y, Carry& c) {
  c.bit = 0;
  sub_next(x, y, c);
}
THRESHER_HD u32 borrow_mask(Carry& c) {
  return static_cast<u32>(0 - c.bit);
}

#endif

}  // namespace thresher::crypto::device
