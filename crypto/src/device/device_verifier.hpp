// A BatchVerifier over a device: packs signatures into the device's slots, keeps all slots busy,
// unpacks bitmaps. Private to crypto/.
//
//   auto emulator = device::make_emulator();
//   std::string why;
//   auto cuda = device::make_cuda(why);      // null, and why
//
// Guarantees: never waits without end. When the device answers an error or nothing for
// the time its module names, every verdict it still owes is kUnavailable, problem() says why, and
// so it stays for this verifier: a lost CUDA context cannot be used again. The caller then verifies
// the signatures on the processor; no sender is accused.
#pragma once

#include <memory>
#include <string>

#include "thresher/crypto/verifier.hpp"

namespace thresher::crypto::device {

std::unique_ptr<BatchVerifier> make_emulator();
/// Looks for the module at THRESHER_CUDA_MODULE when that is set, else beside the binary, in
/// ../lib/thresher from there, and where the loader looks.
std::unique_ptr<BatchVerifier> make_cuda(std::string& why);
/// Why make_cuda() would give null, without using the device; empty when it should work.
std::string cuda_problem();

}  // namespace thresher::crypto::device
