#pragma once
// Verdicts as JSON, for every document that holds some: docs/reference/grading.md tells the fields.

#include <nlohmann/json.hpp>

#include "exercises/runner/verdict.h"

namespace hypatia::runner {

nlohmann::json json_of(const Verdict& verdict);
/// The verdict that json_of wrote. Throws Stop (usage) if the exercise is none of the course's.
Verdict verdict_of(const nlohmann::json& json);

}  // namespace hypatia::runner
