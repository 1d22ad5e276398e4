#include <memory>

#include "../rule_tables.hpp"
#include "../text.hpp"
#include "thresher/verify/text.hpp"

namespace thresher::cli {

Verb make_export_ta() {
  auto name = std::make_shared<std::string>();
  return {{"export-ta"},
          "Print the threshold automaton of a protocol's rule table. Example: thresher export-ta "
          "bracha > bracha.ta",
          {{"protocol", "bracha", name.get(), true}},
          [name] {
            const auto ta = automaton_of(*name);
            if (!ta)
              return fail(kUsage, "no rule table is called '" + *name +
                                      "'; there is: " + rule_table_names());
            std::fputs(verify::print_automaton(*ta).c_str(), stdout);
            return static_cast<int>(kDone);
          }};
}

}  // namespace thresher::cli
