#pragma once
// An exercise's sheet, exercise.json: its keys, and what is wrong with them in plain words.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "exercises/runner/course.h"

namespace hypatia::runner {

/// A JSON file that an author wrote. Throws Stop (authoring), which names the file, the line and
/// what to look for, if it is none.
nlohmann::json read_json(const std::string& path);
/// The exercise in a folder. Throws Stop (authoring), which names the file and the line or the key.
Exercise read_exercise(const std::string& folder);
/// "'titel' is no key of a sheet. Did you mean 'title'?"; "" if all keys are known.
std::string unknown_key(const Exercise& exercise);

}  // namespace hypatia::runner
