// The same for tests, which all include GoogleTest besides.
#include "standard_library.hpp"

#include <gtest/gtest.h>
