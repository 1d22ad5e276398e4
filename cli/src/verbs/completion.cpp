#include <cstdio>
#include <map>
#include <memory>
#include <set>

#include "../text.hpp"
#include "../verbs.hpp"

namespace thresher::cli {
namespace {

// What may come after the words of a verb ("", " sim", " sim run"): verbs below it, or its options.
using Words = std::map<std::string, std::set<std::string>>;

Words words_of(const std::vector<Verb>& verbs) {
  Words out;
  for (const Verb& verb : verbs) {
    std::string path;
    for (const std::string& word : verb.path) {
      out[path].insert(word);
      path += " " + word;
    }
    out[path].insert("--help");
    for (const Option& option : verb.options) {
      const std::string name = option.name.substr(option.name.find(',') + 1);
      if (name.starts_with("--")) out[path].insert(name);
    }
  }
  return out;
}

// `complete -o default`: where no word fits, the shell offers files.
int print_bash(const Words& words) {
  std::string paths;
  std::string cases;
  for (const auto& [path, next] : words) {
    if (!path.empty()) paths += (paths.empty() ? "\"" : " | \"") + path + "\"";
    cases += "    \"" + path + "\") words=\"";
    for (const std::string& word : next) cases += (cases.back() == '"' ? "" : " ") + word;
    cases += "\" ;;\n";
  }
  std::printf(
      R"(# bash completion of thresher; zsh reads it after: autoload bashcompinit && bashcompinit
_thresher() {
  local path= words= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path ${COMP_WORDS[i]}" in
      %s) path="$path ${COMP_WORDS[i]}" ;;
    esac
  done
  case "$path" in
%s  esac
  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _thresher thresher
)",
      paths.c_str(), cases.c_str());
  return kDone;
}

}  // namespace

Verb make_completion() {
  auto shell = std::make_shared<std::string>("bash");
  return {{"completion"},
          "Print what makes a shell complete verbs and options. Example: thresher completion bash",
          {{"shell", "bash; zsh reads the same", shell.get()}},
          [shell] {
            if (*shell == "bash" || *shell == "zsh") return print_bash(words_of(all_verbs()));
            return fail(kUsage, "there is no completion for '" + *shell + "'; there is bash, zsh");
          }};
}

}  // namespace thresher::cli
