// stagger validate FILE…: read, and show what was understood and where each value came from.
#include <iostream>

#include "sim/cli/options.hpp"
#include "sim/output/json.hpp"

namespace stagger {

int validate_command(const Options& options) {
  std::string json;
  for_each_file(options.files, [&](const std::string& file) {
    const FileDescription description = describe_file(file, options.sets);
    if (!options.quiet && options.json != "-") {
      if (options.files.size() > 1) std::cout << "# " << file << "\n";
      std::cout << to_yaml(description.effective, description.origins);
    }
    json += (json.empty() ? "" : ",\n") + to_json(description.effective);
  });
  if (!options.json.empty()) write_text(options.json, options.files.size() > 1 ? "[\n" + json + "]\n" : json);
  return kDone;
}

}  // namespace stagger
