// What --version prints: the program, its formats, the libraries it runs with.
#pragma once

#include <string>

namespace thresher::cli {

std::string versions();

}  // namespace thresher::cli
