#include "module.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace thresher::crypto::device {
namespace {

constexpr const char* kFileName = "libthresher_cuda.so";

std::string place() {
  if (const char* named = std::getenv("THRESHER_CUDA_MODULE")) return named;
  std::error_code error;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const auto& path :
       {folder / kFileName, folder.parent_path() / "lib" / "thresher" / kFileName}) {
    if (std::filesystem::exists(path, error)) return path;
  }
  return kFileName;  // where the loader looks
}

}  // namespace

Module load_cuda_module() {
  Module out;
  const std::string path = place();
  void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    const char* said = ::dlerror();
    out.problem = path == kFileName
                      ? "no module: this build has no libthresher_cuda.so; build with the CUDA "
                        "toolkit, or name the file in THRESHER_CUDA_MODULE"
                      : "the module cannot be loaded: " + std::string(said != nullptr ? said : "");
    return out;
  }
  const auto abi = reinterpret_cast<ThresherDeviceAbiFunction>(::dlsym(handle, kAbiSymbol));
  const auto api = reinterpret_cast<ThresherDeviceApiFunction>(::dlsym(handle, kApiSymbol));
  if (abi == nullptr || api == nullptr) {
    out.problem = path + " is no module of Thresher: it lacks " + kAbiSymbol + " or " + kApiSymbol;
    return out;
  }
  if (const std::uint32_t found = abi(); found != kDeviceAbi) {
    out.problem = path + " has module ABI " + std::to_string(found) + ", this program needs " +
                  std::to_string(kDeviceAbi) + ": build both from one source tree";
    return out;
  }
  out.api = api();
  return out;
}

}  // namespace thresher::crypto::device
