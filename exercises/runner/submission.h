#pragma once
// What a learner hands in: a zip that `submit` made, or a folder with exercise files.

#include <map>
#include <string>
#include <vector>

#include "exercises/runner/state.h"

namespace hypatia::runner {

/// One learner's files, in memory: nothing of a bundle is ever unpacked to a path that it names.
struct Submission {
  std::string who;                           // what the bundle says, else the name of its file
  std::string path;                          // as it was found
  std::string problem;                       // why nothing of it could be read
  std::map<std::string, std::string> files;  // exercise id to text
  std::vector<std::string> notes;            // what the teacher should know
  std::vector<Entry> history;                // the learner's own journal, as they sent it
};

/// The submissions that the words name: a .zip, a folder with exercises, or a folder of those or of
/// folders with a .zip; in the order of their names, each `who` once. Files of a class's folder
/// that no one can have handed in, as notes.txt, are left out and named. Throws Stop (usage) on a
/// path that is not there.
std::vector<Submission> find_submissions(
    const std::vector<std::string>& paths, std::vector<std::string>* left_out = nullptr);

/// An exercise of a bundle, and whether the file passed a check as it is.
struct Bundled {
  std::string exercise;
  bool passed = false;
};

/// Writes the learner's edited files, their hashes and the journal, which holds the predictions
/// too. Returns what is in it; throws Stop (usage) if nothing was edited.
std::vector<Bundled> write_bundle(const std::string& who, const std::string& path);
/// The name with what can be neither in a file's name nor in a table replaced by _.
std::string name_in_class(const std::string& who);
/// Whose bundle a file is; "" if it is none of `submit`'s.
std::string owner_of_bundle(const std::string& path);

/// The id of the exercise whose file a path in a bundle is, else "": NN_name/exercise.cpp or
/// NN_name.cpp, in any folder. Throws Stop (usage) on a path that leads out of the bundle.
std::string exercise_at(const std::string& path);

}  // namespace hypatia::runner
