// What nearly every file includes of the standard library, compiled once for all parts. A file still includes what it uses: this
// only saves the time of parsing it again.
#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>
