// Looking up marks, and writing them for programs that use the mouse.

#include "gui/app/probe.h"

#include <cstdio>
#include <fstream>

namespace hypatia::gui {

const Mark* Probe::find(std::string_view name) const {
  for (const Mark& mark : marks_)
    if (mark.name == name) return &mark;
  for (const Mark& mark : marks_)
    if (mark.name.starts_with(name)) return &mark;
  return nullptr;
}

void Probe::write(const std::string& path) const {
  const std::string partial = path + ".partial";
  {
    std::ofstream file(partial);
    for (const Mark& mark : marks_)
      file << mark.low.x << '\t' << mark.low.y << '\t' << mark.high.x << '\t' << mark.high.y << '\t'
           << mark.name << '\n';
  }
  std::rename(partial.c_str(), path.c_str());
}

}  // namespace hypatia::gui
