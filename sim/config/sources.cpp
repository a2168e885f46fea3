#include "sim/config/sources.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace stagger {
namespace {

/// The bytes of the well-formed UTF-8 character (Unicode, table 3-7) that `text` starts with; 0: there is none.
std::size_t utf8_length(std::string_view text) {
  const auto in = [&](std::size_t i, unsigned low, unsigned high) {
    return i < text.size() && static_cast<unsigned char>(text[i]) >= low && static_cast<unsigned char>(text[i]) <= high;
  };
  const auto tail = [&](std::size_t i) { return in(i, 0x80, 0xBF); };
  if (in(0, 0x00, 0x7F)) return 1;
  if (in(0, 0xC2, 0xDF)) return tail(1) ? 2 : 0;
  if (in(0, 0xE0, 0xEF)) {
    const bool second = in(0, 0xE0, 0xE0) ? in(1, 0xA0, 0xBF) : in(0, 0xED, 0xED) ? in(1, 0x80, 0x9F) : tail(1);
    return second && tail(2) ? 3 : 0;
  }
  if (!in(0, 0xF0, 0xF4)) return 0;
  const bool second = in(0, 0xF0, 0xF0) ? in(1, 0x90, 0xBF) : in(0, 0xF4, 0xF4) ? in(1, 0x80, 0x8F) : tail(1);
  return second && tail(2) && tail(3) ? 4 : 0;
}

/// C0, DEL and C1: a terminal obeys them.
bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  return first < 0x20 || first == 0x7F || (first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0);
}

/// Calls `visit(bytes)` for each character; a byte that is not UTF-8 is one too.
template <class Visit>
void for_each_character(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(utf8_length(text), 1);
    visit(text.substr(0, length));
    text.remove_prefix(length);
  }
}

int count_characters(std::string_view text) {
  int n = 0;
  for_each_character(text, [&](std::string_view) { ++n; });
  return n;
}

/// As many characters, all of them harmless.
std::string harmless(std::string_view text) {
  std::string safe;
  for_each_character(text, [&](std::string_view character) {
    if (character == "\n" || character == "\t")
      safe += ' ';
    else if (utf8_length(character) == 0 || is_control(character))
      safe += '?';
    else
      safe += character;
  });
  return safe;
}

/// The nearest place from `at` back where a character starts.
std::size_t character_start(std::string_view text, std::size_t at) {
  for (int i = 0; i < 3 && at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80; ++i)
    --at;
  return std::min(at, text.size());
}

}  // namespace

void add_problem(std::vector<InputProblem>& problems, InputProblem problem) {
  constexpr std::size_t kMost = 50;
  problems.push_back(std::move(problem));
  if (problems.size() < kMost) return;
  problems.push_back({problems.back().where, "there are too many problems; the rest is not read", "", 0, ""});
  throw InputError(std::move(problems));
}

std::string plain(std::string text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  std::size_t end = 0;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] != '\r')
      text[end++] = text[i];
    else if (i + 1 == text.size() || text[i + 1] != '\n')
      text[end++] = '\n';
  text.resize(end);
  return text;
}

std::string read_file(const std::filesystem::path& path, std::size_t most_bytes) {
  const auto refuse = [&](std::string what) {
    throw InputError({path.string(), std::move(what), "", 0,
                      fmt::format("a readable text file of at most {} MiB", most_bytes >> 20U)});
  };
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status))
    refuse(error && error != std::errc::no_such_file_or_directory ? error.message() : "there is no such file");
  if (std::filesystem::is_directory(status)) refuse("this is a directory");
  if (!std::filesystem::is_regular_file(status)) refuse("this is not a regular file");
  // The file may change at any time: it may become a pipe, on which opening would wait, or grow.
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (file < 0) refuse(std::generic_category().message(errno));
  std::string text;
  std::array<char, 1 << 16> buffer;
  ssize_t n = 0;
  while (text.size() <= most_bytes && (n = ::read(file, buffer.data(), buffer.size())) > 0)
    text.append(buffer.data(), static_cast<std::size_t>(n));
  const int read_error = errno;
  ::close(file);
  if (n < 0) refuse(std::generic_category().message(read_error));
  if (text.size() > most_bytes) refuse("the file is too large");
  return plain(std::move(text));
}

std::string shown(std::string_view text) {
  constexpr std::size_t kHead = 200;
  constexpr std::size_t kTail = 100;
  if (text.size() <= kHead + kTail) return harmless(text);
  return harmless(text.substr(0, character_start(text, kHead))) + " … " +
         harmless(text.substr(character_start(text, text.size() - kTail)));
}

int Sources::add(std::string name, std::string text, std::filesystem::path folder, bool is_option) {
  sources_.push_back({std::move(name), std::move(text), std::move(folder), is_option});
  return static_cast<int>(sources_.size()) - 1;
}

void Sources::check_text(int source) const {
  std::string_view rest = text(source);
  Mark mark{source, 1, 1};
  for (std::size_t length = 0; !rest.empty(); rest.remove_prefix(length), mark.column += static_cast<int>(length)) {
    length = utf8_length(rest);
    const auto byte = static_cast<unsigned char>(rest[0]);
    if (length == 0)
      throw InputError(problem(mark, fmt::format("the byte 0x{:02X} is not UTF-8", byte), "a text file in UTF-8"));
    if (byte == '\n')
      mark = {source, mark.line + 1, 0};
    else if (byte != '\t' && is_control(rest.substr(0, length)))  // whose last byte is its code point
      throw InputError(
          problem(mark, fmt::format("the control character U+{:04X}", static_cast<unsigned char>(rest[length - 1])),
                  "text without control characters"));
  }
}

std::string Sources::read_named(Mark mark, const std::string& name, const std::string& expected,
                                std::size_t most_bytes) const {
  const std::filesystem::path file = folder(mark.source) / name;
  std::error_code error;
  const bool nameable = name.find('\0') == std::string::npos;  // the system would read up to there
  if (!nameable || (!std::filesystem::exists(file, error) && !error))
    throw InputError(problem(mark, fmt::format("there is no file '{}'", shown(name)), expected));
  try {
    return read_file(file, most_bytes);
  } catch (const InputError& refusal) {
    const InputProblem& why = refusal.problems().front();
    throw InputError(problem(mark, fmt::format("'{}' cannot be read: {}", shown(name), why.what), why.expected));
  }
}

std::string_view Sources::line(Mark mark) const {
  if (mark.line == 0) return "";
  std::string_view rest = text(mark.source);
  for (int i = 1; i < mark.line; ++i) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) return "";
    rest.remove_prefix(end + 1);
  }
  return rest.substr(0, rest.find('\n'));
}

std::string Sources::where(Mark mark) const {
  const Source& source = at(mark.source);
  if (mark.line == 0 || source.is_option) return source.name;
  const auto before = static_cast<std::size_t>(std::max(mark.column - 1, 0));
  return fmt::format("{}:{}:{}", source.name, mark.line, count_characters(line(mark).substr(0, before)) + 1);
}

std::string Sources::origin(Mark mark) const {
  const Source& source = at(mark.source);
  return source.is_option ? "--set" : fmt::format("{}:{}", source.name, mark.line);
}

InputProblem Sources::problem(Mark mark, std::string_view what, std::string_view expected) const {
  constexpr std::size_t kNear = 100;  // bytes of a long line on each side of the place
  InputProblem problem{where(mark), shown(what), "", 0, shown(expected)};
  const std::string_view whole = line(mark);
  if (at(mark.source).is_option || whole.empty()) return problem;
  const std::size_t place = std::min(static_cast<std::size_t>(std::max(mark.column - 1, 0)), whole.size());
  const std::size_t begin = character_start(whole, place - std::min(place, kNear));
  const std::size_t end = character_start(whole, place + kNear);
  const std::string before = harmless(whole.substr(begin, place - begin));
  problem.excerpt = before + harmless(whole.substr(place, end - place));
  problem.caret = static_cast<int>(before.size()) + 1;
  return problem;
}

}  // namespace stagger
