#pragma once
// Strings that stay where they are: Origin holds plain pointers, which a file's texts must outlive.

#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace hypatia {

/// Keeps one copy of each text until it is destroyed. Safe to use from several threads.
class TextPool {
 public:
  const char* keep(std::string_view text) {
    const std::scoped_lock lock(mutex_);
    if (const auto found = known_.find(text); found != known_.end()) return found->second;
    const std::string& kept = texts_.emplace_back(text);
    known_.emplace(kept, kept.c_str());
    return kept.c_str();
  }

 private:
  std::mutex mutex_;
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, const char*> known_;
};

}  // namespace hypatia
