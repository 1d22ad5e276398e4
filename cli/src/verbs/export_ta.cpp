#include <memory>

#include "../rule_tables.hpp"
#include "../text.hpp"
#include "thresher/verify/text.hpp"

namespace thresher::cli {

Verb make_export_ta() {
  auto name = std::make_shared<std::string>();
  auto tla = std::make_shared<bool>(false);
  return {{"export-ta"},
          "Print the threshold automaton of a protocol's rule table. Example: thresher export-ta "
          "bracha > bracha.ta",
          {{"protocol", rule_table_names(), name.get(), true},
           {"--tla", "as TLA+ instead of .ta", tla.get()}},
          [name, tla] {
            const auto ta = automaton_of(*name);
            if (!ta) return fail(kUsage, no_rule_table(*name));
            if (!*tla) {
              std::fputs(verify::print_automaton(*ta).c_str(), stdout);
              return static_cast<int>(kDone);
            }
            const auto text = verify::export_tla(*ta);
            if (!text) {
              return fail(kFailed, "TLA+ cannot express the automaton of '" + *name +
                                       "': " + text.error().text() + "; print it without --tla");
            }
            std::fputs(text->text.c_str(), stdout);
            return static_cast<int>(kDone);
          }};
}

}  // namespace thresher::cli
