// A libFuzzer target: whatever bytes a scenario has, reading ends soon, in a scenario or an InputError.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/read_anything.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::filesystem::path folder = STAGGER_SOURCE_DIR "/tests/fuzz/files";
  (void)stagger::read_anything({data, data + size}, folder);  // an exception ends the process, which is a finding
  return 0;
}
