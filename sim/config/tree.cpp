#include "sim/config/tree.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>

namespace stagger {
namespace {

constexpr std::size_t kMostNodes = 200'000;

/// The number of values in a tree; a long text counts as several.
std::size_t count_nodes(const Tree& tree) {
  constexpr std::size_t kBytesOfANode = 100;
  std::size_t n = 1 + (tree.key.size() + tree.text.size()) / kBytesOfANode;
  for (const Tree& item : tree.items) n += count_nodes(item);
  return n;
}

/// Builds the tree bottom-up: a stack of unfinished collections, each with the key that waits for its value.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const Sources& sources, int source) : sources_(sources), source_(source) {}

  Tree take() { return std::move(root_); }
  std::vector<InputProblem> problems;

  void report(Mark mark, std::string_view what, std::string_view expected) {
    add_problem(problems, sources_.problem(mark, what, expected));
  }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add({.mark = at(mark)}, anchor); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Tree leaf{.mark = at(mark)};
    leaf.kind = Tree::Kind::scalar;
    leaf.text = value;
    check_tag(leaf.mark, tag);
    add(std::move(leaf), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) fail(at(mark), "an alias inside its own anchor", "a finished anchor");
    count(count_nodes(found->second), at(mark));
    Tree copy = found->second;
    copy.mark = at(mark);
    add(std::move(copy), 0);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Tree::Kind::sequence, at(mark), tag, anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Tree::Kind::mapping, at(mark), tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Tree tree;
    YAML::anchor_t anchor;
    std::set<std::string, std::less<>> keys{};
    bool has_key = false;
    Tree key{};
  };

  Mark at(const YAML::Mark& mark) const { return {source_, mark.line + 1, mark.column + 1}; }

  [[noreturn]] void fail(Mark mark, std::string_view what, std::string_view expected) const {
    auto all = problems;
    all.push_back(sources_.problem(mark, what, expected));
    throw InputError(std::move(all));
  }
  /// Before the nodes are made, so that a bomb goes off here and not in memory.
  void count(std::size_t nodes, Mark mark) {
    nodes_ += nodes;
    if (nodes_ > kMostNodes)
      fail(mark, "the file is too large once its aliases are expanded", fmt::format("at most {} values", kMostNodes));
  }
  /// yaml-cpp gives a plain scalar the tag "?" and a quoted one "!".
  void check_tag(Mark mark, const std::string& tag) {
    constexpr std::string_view kYamlTags = "tag:yaml.org,2002:";
    if (tag.empty() || tag == "?" || tag == "!") return;
    const std::string written = tag.starts_with(kYamlTags) ? "!!" + tag.substr(kYamlTags.size()) : tag;
    report(mark, fmt::format("the YAML tag '{}' has no meaning here", written), "a value without tag");
  }

  void open(Tree::Kind kind, Mark mark, const std::string& tag, YAML::anchor_t anchor) {
    Tree tree{.mark = mark};
    tree.kind = kind;
    check_tag(mark, tag);
    if (expects_key()) fail(mark, "a list or mapping as a key", "a plain word as key, and no bracket left open");
    if (stack_.size() >= kDeepest) fail(mark, "nested too deeply", fmt::format("at most {} levels", kDeepest));
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
    count(tree.items.empty() ? count_nodes(tree) : 1, tree.mark);  // what a collection holds is counted already
    if (anchor != 0) {
      count(count_nodes(tree), tree.mark);
      anchors_[anchor] = tree;
    }
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
    if (!top.keys.insert(key.text).second)
      report(
          key.mark,
          fmt::format("the key '{}' stands twice; first in line {}", key.text, top.tree.find(key.text)->key_mark.line),
          "each key once");
    if (key.text == "<<") report(key.mark, "'<<' merges nothing here", "the keys themselves");
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

Tree parse_yaml(Sources& sources, int source) {
  sources.check_text(source);
  std::istringstream in(sources.text(source));
  TreeBuilder builder(sources, source);
  try {
    YAML::Parser parser(in);
    parser.HandleNextDocument(builder);
    Tree tree = builder.take();
    TreeBuilder rest(sources, source);
    if (parser.HandleNextDocument(rest))
      builder.report(rest.take().mark, "a second YAML document", "one document per file");
    if (tree.mark.source < 0) tree.mark = {source, 0, 0};
    if (!builder.problems.empty()) throw InputError(builder.problems);
    return tree;
  } catch (const YAML::Exception& error) {
    const Mark mark =
        error.mark.is_null() ? Mark{source, 0, 0} : Mark{source, error.mark.line + 1, error.mark.column + 1};
    builder.report(mark, "not valid YAML: " + error.msg, "'key: value', with a space, indented by spaces and not tabs");
    throw InputError(builder.problems);
  }
}

std::string to_yaml(const Tree& tree, const std::map<std::string, std::string>& comments) {
  YAML::Emitter out;
  emit(out, tree, "", comments);
  return std::string(out.c_str()) + "\n";
}

}  // namespace stagger
