#include <CLI/CLI.hpp>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <limits>
#include <map>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "machine.hpp"
#include "thresher/core/names.hpp"
#include "verb.hpp"

namespace thresher::cli {
namespace {

std::vector<std::string> names_in(const CLI::App& app, bool flags) {
  std::vector<std::string> out;
  if (!flags) {
    for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
      out.push_back(sub->get_name());
    }
    return out;
  }
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) out.push_back("--" + name);
    for (const std::string& name : option->get_snames()) out.push_back("-" + name);
  }
  return out;
}

int usage(const CLI::App& app, const std::string& what) {
  std::string where = app.get_name();
  for (const CLI::App* up = app.get_parent(); up != nullptr; up = up->get_parent()) {
    where.insert(0, up->get_name() + " ");
  }
  std::cerr << where << ": " << what << "; see `" << where << " --help`\n";
  return kUsage;
}

int unexpected(const CLI::App& app, const std::string& word) {
  const bool flag = word.rfind('-', 0) == 0;
  std::vector<std::string> known = names_in(app, flag);
  // A word with two dashes is not meant as an option of one.
  const bool wide = word.rfind("--", 0) == 0;
  std::erase_if(known, [&](const auto& k) { return flag && (k.rfind("--", 0) == 0) != wide; });
  const std::string stem = word.substr(0, word.find('='));
  const auto near = nearest(stem, known);
  const char* kind = flag ? "unknown option `" : known.empty() ? "unexpected `" : "unknown verb `";
  return usage(app, kind + word + "`" + (near ? "; did you mean `" + *near + "`?" : ""));
}

// The parser's own conversion takes "-1" for the largest number and 2^64 for less; this one does
// not.
template <class Number>
Number read_number(const std::string& name, const std::string& text) {
  Number number{};
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if constexpr (std::is_floating_point_v<Number>) {
    if (error == std::errc{} && end == last && std::isfinite(number)) return number;
    throw CLI::ValidationError(name, "'" + text + "' is no number; write for example 2.5");
  } else {
    if (error == std::errc{} && end == last) return number;
    const bool large = error == std::errc::result_out_of_range && end == last;
    throw CLI::ValidationError(
        name, "'" + text + "' is " +
                  (large ? "more than " + std::to_string(std::numeric_limits<Number>::max())
                         : "no whole number of 0 or more; write it in digits, as in 4"));
  }
}

// "--nodes" of "-n,--nodes".
std::string long_name(const std::string& names) {
  const auto comma = names.find(',');
  return comma == std::string::npos ? names : names.substr(comma + 1);
}

template <class Number>
CLI::Option* declare_number(CLI::App& app, const Option& option, Number* target) {
  using Plain = std::conditional_t<std::is_same_v<Number, double>, double, std::uint64_t>;
  CLI::Option* made = app.add_option_function<std::string>(
      option.name,
      [target, name = long_name(option.name)](const std::string& text) {
        *target = read_number<Plain>(name, text);
      },
      option.help);
  made->type_name(std::is_same_v<Plain, double> ? "FLOAT" : "UINT");
  if constexpr (std::is_same_v<Number, Plain>) {
    if (*target != 0) made->default_str(CLI::detail::to_string(*target));
  }
  return made;
}

// The parser takes "--journal=5" for true and "--journal=false" for the word left out.
CLI::Option* declare(CLI::App& app, const Option& option, bool* target) {
  return app.add_flag(option.name, *target, option.help)->check([](const std::string& text) {
    return text == "true"
               ? ""
               : "takes no value, and is given '" + text + "'; write it alone, or leave it out";
  });
}
CLI::Option* declare(CLI::App& app, const Option& option, std::uint64_t* target) {
  return declare_number(app, option, target);
}
CLI::Option* declare(CLI::App& app, const Option& option, OptionalNumber* target) {
  return declare_number(app, option, target);
}
CLI::Option* declare(CLI::App& app, const Option& option, double* target) {
  return declare_number(app, option, target);
}
CLI::Option* declare(CLI::App& app, const Option& option, std::string* target) {
  CLI::Option* made = app.add_option(option.name, *target, option.help);
  if (!target->empty()) made->capture_default_str();
  return made;
}
CLI::Option* declare(CLI::App& app, const Option& option, OptionalText* target) {
  return app.add_option_function<std::string>(
      option.name, [target](const std::string& text) { *target = text; }, option.help);
}
CLI::Option* declare(CLI::App& app, const Option& option, std::vector<std::string>* target) {
  CLI::Option* made = app.add_option(option.name, *target, option.help);
  // A repeatable flag takes one value each time: what follows is positional.
  if (option.name.starts_with('-')) made->allow_extra_args(false);
  return made;
}

// Options that a verb requires are asked for when that verb was chosen, and not when one below it
// was: `log prove` needs nothing of `log`.
void declare(CLI::App& app, const Verb& verb) {
  for (const Option& option : verb.options) {
    CLI::Option* made =
        std::visit([&](auto* target) { return declare(app, option, target); }, option.target);
    if (option.required) made->description(option.help + " (required)");
  }
}

// The first required option that was not given; empty: all were.
std::string missing_option(const CLI::App& app, const Verb& verb) {
  for (const Option& option : verb.options) {
    if (option.required && app.get_option(long_name(option.name))->count() == 0)
      return long_name(option.name);
  }
  return {};
}

// The first options that were given in vain, and why they are; empty: none were.
std::string useless_options(const CLI::App& app, const Verb& verb) {
  for (const Useless& rule : verb.useless) {
    std::string given;
    for (const std::string& name : rule.options) {
      if (app.get_option(name)->count() > 0) given += (given.empty() ? "" : ", ") + name;
    }
    if (!given.empty() && rule.when()) return "leave out " + given + ": " + rule.why;
  }
  return {};
}

CLI::App& child(CLI::App& parent, const std::string& name) {
  for (CLI::App* sub : parent.get_subcommands([](const CLI::App*) { return true; })) {
    if (sub->get_name() == name) return *sub;
  }
  CLI::App* made = parent.add_subcommand(name);
  made->allow_extras();
  made->require_subcommand(0, 1);
  return *made;
}

// A group says which verbs it has; one that is a verb itself has its own words.
void describe_groups(CLI::App& at) {
  std::string verbs;
  for (CLI::App* sub : at.get_subcommands([](const CLI::App*) { return true; })) {
    describe_groups(*sub);
    verbs += (verbs.empty() ? "" : " | ") + sub->get_name();
  }
  if (verbs.empty() || at.get_parent() == nullptr) return;
  const std::string own = at.get_description();
  at.description(own.empty() ? verbs : own + ". Below it: " + verbs);
}

const CLI::App& deepest(const CLI::App& root) {
  const CLI::App* at = &root;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  return *at;
}

int run(const Verb& verb) {
  try {
    return verb.run();
  } catch (...) {
    const std::string why = refused_by_machine(std::current_exception());
    if (why.empty()) throw;
    std::cerr << "thresher: " << why << '\n';
    return kResourceMissing;
  }
}

std::string exit_statuses() {
  std::string out = "Exit status:";
  for (const auto& [status, what] : kExits)
    out += "\n  " + std::to_string(static_cast<int>(status)) + " " + what;
  return out;
}

}  // namespace

int flush_output(int status) {
  // An earlier flush may have failed: then the reason is forgotten, and only the mark stands.
  errno = 0;
  const bool earlier = std::ferror(stdout) != 0;
  const bool written = static_cast<bool>(std::cout.flush()) && std::fflush(stdout) == 0;
  if (written && !earlier) return status;
  const std::string why = errno != 0 ? std::string(": ") + std::strerror(errno) : "";
  std::cerr << "thresher: some of the output could not be written" << why
            << "; look at where it goes\n";
  return status == kDone ? kResourceMissing : status;
}

int dispatch(const std::vector<Verb>& verbs, int argc, char** argv, const std::string& version) {
  CLI::App root("Byzantine-fault-tolerant broadcast and consensus.", "thresher");
  root.allow_extras();
  // One verb a line: later words are arguments, though there may be a verb of that name.
  root.require_subcommand(0, 1);
  root.set_version_flag("--version", version + "\nCLI11 " CLI11_VERSION);
  std::map<const CLI::App*, const Verb*> leaves;
  for (const Verb& verb : verbs) {
    CLI::App* at = &root;
    for (const std::string& word : verb.path) at = &child(*at, word);
    at->description(verb.help);
    declare(*at, verb);
    leaves[at] = &verb;
  }
  describe_groups(root);
  root.footer(exit_statuses());
  try {
    root.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    return root.exit(asked);
  } catch (const CLI::ParseError& error) {
    const CLI::App& at = deepest(root);
    if (const auto rest = at.remaining(); !rest.empty()) return unexpected(at, rest.front());
    return usage(at, error.what());
  }
  const CLI::App& chosen = deepest(root);
  for (const CLI::App* at = &chosen; at != nullptr; at = at->get_parent()) {
    if (const auto rest = at->remaining(); !rest.empty()) return unexpected(*at, rest.front());
  }
  const auto leaf = leaves.find(&chosen);
  if (leaf == leaves.end()) return usage(chosen, "a verb is missing");
  const Verb& verb = *leaf->second;
  if (const std::string missing = missing_option(chosen, verb); !missing.empty())
    return usage(chosen, missing + " is required");
  if (const std::string why = useless_options(chosen, verb); !why.empty())
    return usage(chosen, why);
  return run(verb);
}

}  // namespace thresher::cli
