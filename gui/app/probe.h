#pragma once
// Where named things were drawn in the last frame, so that scripts and tests can click on them and
// ask for them by name.

#include <imgui.h>
#include <string>
#include <string_view>
#include <vector>

namespace hypatia::gui {

struct Mark {
  std::string name;  // "tab/timeline", "bar/GpuElemwise{exp,no_inplace}"
  ImVec2 low, high;
};

/// Off in the window host unless somebody asks by --marks.
class Probe {
 public:
  void enable() { enabled_ = true; }

  void clear() { marks_.clear(); }

  void mark(std::string_view name, ImVec2 low, ImVec2 high) {
    if (enabled_) marks_.push_back({std::string(name), low, high});
  }

  /// Marks the last ImGui item.
  void mark_item(std::string_view name) {
    mark(name, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  }

  /// The first mark whose name is or begins with `name`; null if there is none.
  const Mark* find(std::string_view name) const;

  const std::vector<Mark>& marks() const { return marks_; }

  /// One line a mark: left, top, right, bottom and the name, in pixels. Replaces the file at once.
  void write(const std::string& path) const;

 private:
  bool enabled_ = false;
  std::vector<Mark> marks_;
};

}  // namespace hypatia::gui
