// The same for the program, which also deals with files, threads and clocks.
#include "standard_library.hpp"

#include <atomic>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <thread>
