#include <CLI/CLI.hpp>
#include <iostream>
#include <map>
#include <string>
#include <variant>
#include <vector>

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
  // Who writes two dashes does not mean an option of one.
  const bool wide = word.rfind("--", 0) == 0;
  std::erase_if(known, [&](const auto& k) { return flag && (k.rfind("--", 0) == 0) != wide; });
  const std::string stem = word.substr(0, word.find('='));
  const auto near = nearest(stem, known);
  const char* kind = flag ? "unknown option `" : known.empty() ? "unexpected `" : "unknown verb `";
  return usage(app, kind + word + "`" + (near ? "; did you mean `" + *near + "`?" : ""));
}

bool tells(const std::string& standard) {
  return !standard.empty();
}
bool tells(std::uint64_t standard) {
  return standard != 0 && standard != ~std::uint64_t{0};
}
bool tells(double standard) {
  return standard != 0;
}
bool tells(const std::vector<std::string>&) {
  return false;
}

void declare(CLI::App& app, const Verb& verb) {
  for (const Option& option : verb.options) {
    std::visit(
        [&](auto* target) {
          if constexpr (std::is_same_v<decltype(target), bool*>) {
            app.add_flag(option.name, *target, option.help);
          } else {
            CLI::Option* made = app.add_option(option.name, *target, option.help);
            made->required(option.required);
            if (tells(*target)) made->capture_default_str();
            // A repeatable flag takes one value each time: what follows is positional.
            if constexpr (std::is_same_v<decltype(target), std::vector<std::string>*>) {
              if (option.name.starts_with('-')) made->allow_extra_args(false);
            }
          }
        },
        option.target);
  }
}

CLI::App& child(CLI::App& parent, const std::string& name) {
  for (CLI::App* sub : parent.get_subcommands([](const CLI::App*) { return true; })) {
    if (sub->get_name() == name) return *sub;
  }
  CLI::App* made = parent.add_subcommand(name);
  made->allow_extras();
  return *made;
}

// A group says which verbs it has.
void describe_groups(CLI::App& at) {
  std::string verbs;
  for (CLI::App* sub : at.get_subcommands([](const CLI::App*) { return true; })) {
    describe_groups(*sub);
    verbs += (verbs.empty() ? "" : " | ") + sub->get_name();
  }
  if (!verbs.empty() && at.get_parent() != nullptr) at.description(verbs);
}

const CLI::App& deepest(const CLI::App& root) {
  const CLI::App* at = &root;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  return *at;
}

}  // namespace

int dispatch(const std::vector<Verb>& verbs, int argc, char** argv, const std::string& version) {
  CLI::App root("Byzantine-fault-tolerant broadcast and consensus.", "thresher");
  root.allow_extras();
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
  return leaf == leaves.end() ? usage(chosen, "a verb is missing") : leaf->second->run();
}

}  // namespace thresher::cli
