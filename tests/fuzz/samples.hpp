// What a fuzz target likes to read: standalone.cpp damages these texts, libFuzzer may begin with
// them (bin/fuzz_NAME FOLDER).
#pragma once

#include <string>
#include <vector>

std::vector<std::string> fuzz_samples();
