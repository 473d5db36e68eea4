#pragma once
// What figures of a page are compared with: values that a command measured and wrote to a file.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "exercises/runner/course.h"
#include "exercises/runner/evidence.h"

namespace hypatia::runner {

/// A field of the first object with these values in a file of bench/results: "FILE; key=value;
/// FIELD". Throws Stop (authoring) if there is none.
double bench_result(const std::string& name);

/// What was measured for an exercise's pages: solutions/NN_name/measured.json.
class Measured {
 public:
  explicit Measured(const Exercise& exercise);

  bool empty() const;
  /// Runs everything anew and writes the file.
  void measure();
  /// What is said to repeat and does not.
  std::vector<std::string> faults(Trials& trials) const;
  /// A measured value, "asked.NAME" for an answer on the exercise's sheet, or what bench_result()
  /// takes. Throws Stop (authoring) if there is none.
  double value(const std::string& name) const;
  /// The page with its tables between `<!-- table: NAME -->` and `<!-- end of table -->` made of
  /// the values.
  std::string with_tables(const std::string& page) const;

 private:
  double measure_one(const nlohmann::json& row, Trials& trials) const;
  double measure_anew(const nlohmann::json& row) const;
  std::string table(const std::string& name) const;

  const Exercise* exercise_;
  std::string path_;
};

}  // namespace hypatia::runner
