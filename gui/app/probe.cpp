// Looking up marks.

#include "gui/app/probe.h"

namespace hypatia::gui {

const Mark* Probe::find(std::string_view name) const {
  for (const Mark& mark : marks_)
    if (mark.name == name) return &mark;
  for (const Mark& mark : marks_)
    if (mark.name.starts_with(name)) return &mark;
  return nullptr;
}

}  // namespace hypatia::gui
