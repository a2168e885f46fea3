#include "sim/config/tree.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace stagger {
namespace {

constexpr std::size_t kDeepest = 64;
constexpr std::size_t kMostNodes = 200'000;
constexpr std::uintmax_t kLargestFile = 16 << 20;

std::size_t count_nodes(const Tree& tree) {
  std::size_t n = 1;
  for (const Tree& item : tree.items) n += count_nodes(item);
  return n;
}

/// Builds the tree bottom-up: a stack of unfinished collections, each with the key that waits for its value.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const Sources& sources, int source) : sources_(sources), source_(source) {}

  Tree take() { return std::move(root_); }
  std::vector<InputProblem> problems;

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add({.mark = at(mark)}, anchor); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, const std::string& value) override {
    Tree leaf{.mark = at(mark)};
    leaf.kind = Tree::Kind::scalar;
    leaf.text = value;
    add(std::move(leaf), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) fail(at(mark), "an alias inside its own anchor", "a finished anchor");
    Tree copy = found->second;
    copy.mark = at(mark);
    nodes_ += count_nodes(copy);
    check_size(copy.mark);
    add(std::move(copy), 0);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Tree::Kind::sequence, mark, anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Tree::Kind::mapping, mark, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Tree tree;
    YAML::anchor_t anchor;
    bool has_key = false;
    Tree key{};
  };

  Mark at(const YAML::Mark& mark) const { return {source_, mark.line + 1, mark.column + 1}; }

  [[noreturn]] void fail(Mark mark, std::string what, std::string expected) const {
    auto all = problems;
    all.push_back(sources_.problem(mark, std::move(what), std::move(expected)));
    throw InputError(std::move(all));
  }
  void check_size(Mark mark) const {
    if (nodes_ > kMostNodes)
      fail(mark, "the file is too large once its aliases are expanded", fmt::format("at most {} values", kMostNodes));
  }

  void open(Tree::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    Tree tree{.mark = at(mark)};
    tree.kind = kind;
    if (expects_key()) fail(tree.mark, "a list or mapping as a key", "a plain word as key");
    if (stack_.size() >= kDeepest) fail(tree.mark, "nested too deeply", fmt::format("at most {} levels", kDeepest));
    stack_.push_back({std::move(tree), anchor});
  }
  void close() {
    Open done = std::move(stack_.back());
    stack_.pop_back();
    add(std::move(done.tree), done.anchor);
  }
  bool expects_key() const {
    return !stack_.empty() && stack_.back().tree.kind == Tree::Kind::mapping && !stack_.back().has_key;
  }

  void add(Tree tree, YAML::anchor_t anchor) {
    ++nodes_;
    check_size(tree.mark);
    if (anchor != 0) anchors_[anchor] = tree;
    if (stack_.empty()) {
      root_ = std::move(tree);
      return;
    }
    Open& top = stack_.back();
    if (top.tree.kind == Tree::Kind::sequence) {
      top.tree.items.push_back(std::move(tree));
    } else if (top.has_key) {
      top.tree.add(top.key.text, top.key.mark, std::move(tree));
      top.has_key = false;
    } else {
      add_key(top, std::move(tree));
    }
  }
  void add_key(Open& top, Tree key) {
    if (key.kind != Tree::Kind::scalar) fail(key.mark, "an empty, list or mapping key", "a plain word as key");
    if (const Tree* before = top.tree.find(key.text))
      problems.push_back(sources_.problem(
          key.mark, fmt::format("the key '{}' stands twice; first in line {}", key.text, before->mark.line),
          "each key once"));
    top.key = std::move(key);
    top.has_key = true;
  }

  const Sources& sources_;
  int source_;
  Tree root_;
  std::vector<Open> stack_;
  std::map<YAML::anchor_t, Tree> anchors_;
  std::size_t nodes_ = 0;
};

void emit(YAML::Emitter& out, const Tree& tree, const std::string& path,
          const std::map<std::string, std::string>& comments) {
  switch (tree.kind) {
    case Tree::Kind::null:
      out << YAML::Null;
      return;
    case Tree::Kind::scalar:
      out << tree.text;
      if (const auto comment = comments.find(path); comment != comments.end()) out << YAML::Comment(comment->second);
      return;
    case Tree::Kind::sequence:
      out << YAML::BeginSeq;
      for (std::size_t i = 0; i < tree.items.size(); ++i)
        emit(out, tree.items[i], fmt::format("{}.{}", path, i), comments);
      out << YAML::EndSeq;
      return;
    case Tree::Kind::mapping:
      out << YAML::BeginMap;
      for (const Tree& item : tree.items) {
        out << YAML::Key << item.key << YAML::Value;
        emit(out, item, path.empty() ? item.key : path + "." + item.key, comments);
      }
      out << YAML::EndMap;
      return;
  }
}

}  // namespace

const Tree* Tree::find(std::string_view name) const {
  if (kind != Kind::mapping) return nullptr;
  const auto found = std::ranges::find(items, name, &Tree::key);
  return found == items.end() ? nullptr : &*found;
}
Tree* Tree::find(std::string_view name) { return const_cast<Tree*>(std::as_const(*this).find(name)); }

Tree& Tree::at_or_new(std::string_view name, Mark where) {
  if (Tree* found = find(name)) return *found;
  kind = Kind::mapping;
  return add(name, where, Tree{.mark = where});
}

Tree& Tree::add(std::string_view name, Mark where, Tree value) {
  value.key = name;
  value.key_mark = where;
  items.push_back(std::move(value));
  return items.back();
}

int Sources::add(std::string name, std::string text, std::filesystem::path folder, bool is_option) {
  sources_.push_back({std::move(name), std::move(text), std::move(folder), is_option});
  return static_cast<int>(sources_.size()) - 1;
}

std::string Sources::where(Mark mark) const {
  const Source& source = sources_.at(static_cast<std::size_t>(mark.source));
  if (mark.line == 0 || source.is_option) return source.name;
  return fmt::format("{}:{}:{}", source.name, mark.line, mark.column);
}

std::string Sources::origin(Mark mark) const {
  const Source& source = sources_.at(static_cast<std::size_t>(mark.source));
  return source.is_option ? "--set" : fmt::format("{}:{}", source.name, mark.line);
}

InputProblem Sources::problem(Mark mark, std::string what, std::string expected) const {
  const Source& source = sources_.at(static_cast<std::size_t>(mark.source));
  if (source.is_option) return {source.name, std::move(what), "", 0, std::move(expected)};
  std::istringstream lines(source.text);
  std::string line;
  for (int i = 0; i < mark.line; ++i)
    if (!std::getline(lines, line)) line.clear();
  if (line.ends_with('\r')) line.pop_back();
  return {where(mark), std::move(what), line, mark.column, std::move(expected)};
}

std::string read_file(const std::filesystem::path& path) {
  const auto refuse = [&](std::string what) {
    throw InputError({path.string(), std::move(what), "", 0, "a readable text file of at most 16 MiB"});
  };
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status))
    refuse(error && error != std::errc::no_such_file_or_directory ? error.message() : "there is no such file");
  if (std::filesystem::is_directory(status)) refuse("this is a directory");
  if (!std::filesystem::is_regular_file(status)) refuse("this is not a regular file");
  if (std::filesystem::file_size(path, error) > kLargestFile) refuse("the file is too large");
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) {
    if (in && in.peek() == std::ifstream::traits_type::eof()) return {};  // an empty file sets failbit on the insertion
    refuse("the file cannot be read");
  }
  return text.str();
}

Tree parse_yaml(Sources& sources, int source) {
  std::istringstream in(sources.text(source));
  TreeBuilder builder(sources, source);
  try {
    YAML::Parser parser(in);
    parser.HandleNextDocument(builder);
    Tree tree = builder.take();
    TreeBuilder rest(sources, source);
    if (parser.HandleNextDocument(rest))
      builder.problems.push_back(sources.problem(rest.take().mark, "a second YAML document", "one document per file"));
    if (tree.mark.source < 0) tree.mark = {source, 0, 0};
    if (!builder.problems.empty()) throw InputError(builder.problems);
    return tree;
  } catch (const YAML::Exception& error) {
    const Mark mark =
        error.mark.is_null() ? Mark{source, 0, 0} : Mark{source, error.mark.line + 1, error.mark.column + 1};
    builder.problems.push_back(sources.problem(mark, "not valid YAML: " + error.msg));
    throw InputError(builder.problems);
  }
}

std::string to_yaml(const Tree& tree, const std::map<std::string, std::string>& comments) {
  YAML::Emitter out;
  emit(out, tree, "", comments);
  return std::string(out.c_str()) + "\n";
}

}  // namespace stagger
