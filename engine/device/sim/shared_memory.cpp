#include "engine/device/sim/shared_memory.h"

#include <algorithm>
#include <cstring>

#include "engine/device/sim/object.h"
#include "engine/device/sim/symbols.h"

namespace hypatia::sim {

SharedMemory::SharedMemory(const Object& object)
    : anchor_(reinterpret_cast<void* (*)()>(object.symbol("hyp_anchor"))) {
  const std::vector<Symbol> symbols = read_symbols(object.path());
  const auto anchor = std::find_if(symbols.begin(), symbols.end(), [](const Symbol& s) {
    return s.per_thread && s.name == "hyp_thread_index";
  });
  if (anchor == symbols.end()) return;
  const std::vector<std::string>& dynamic = object.scan.dynamic_shared;
  for (const Symbol& s : symbols) {
    if (!s.per_thread) continue;
    SharedArray array;
    array.name = s.name;
    array.offset = static_cast<std::ptrdiff_t>(s.offset - anchor->offset);
    array.bytes = s.bytes;
    if (s.name.rfind("hyp_margin_", 0) == 0) {
      array.kind = SharedArray::Kind::margin;
    } else if (s.name.rfind("hyp_", 0) == 0) {
      array.kind = SharedArray::Kind::prelude;
    } else if (std::find(dynamic.begin(), dynamic.end(), s.name) != dynamic.end()) {
      array.kind = SharedArray::Kind::dynamic;
      has_dynamic_ = true;
    } else {
      static_bytes_ += array.bytes;
    }
    arrays_.push_back(std::move(array));
  }
  std::sort(arrays_.begin(), arrays_.end(), [](const SharedArray& a, const SharedArray& b) {
    return a.offset < b.offset;
  });
}

void SharedMemory::poison(std::size_t dynamic_bytes) const {
  for (const SharedArray& array : arrays_) {
    if (array.kind == SharedArray::Kind::fixed)
      std::memset(anchor() + array.offset, 0xff, array.bytes);
    if (array.kind == SharedArray::Kind::dynamic)
      std::memset(anchor() + array.offset, 0xff, dynamic_bytes);
  }
}

}  // namespace hypatia::sim
