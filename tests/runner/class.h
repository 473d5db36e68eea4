#pragma once
// A class of thirty for the tests of grading: right and wrong answers, and programs that do what a
// grader must survive. Each is the solution of 00_expressions with something changed.

#include <string>
#include <vector>

#include "engine/core/zip.h"

#include "exercises/runner/course.h"
#include "exercises/runner/places.h"
#include "runner/scratch.h"

namespace hypatia::runner {

/// One of the class, and the verdicts that are right for it, separated by blanks.
struct Pupil {
  std::string who, verdict;
  std::string text;  // of 00_expressions
};

inline std::string replaced(std::string text, const std::string& old, const std::string& now) {
  const std::size_t at = text.find(old);
  return at == std::string::npos ? "no '" + old + "' in it" : text.replace(at, old.size(), now);
}

inline const Exercise& expressions() {
  return find_exercise("00");
}

/// The solution with another expression.
inline std::string answer(const std::string& expression) {
  return replaced(
      read_file(expressions().solution()), "pow(a, 2) + pow(b, 2) + 2 * a * b", expression);
}

/// A wrong answer that does something before main.
inline std::string before_main(const std::string& headers, const std::string& body) {
  return headers + answer("pow(a, 2) + pow(b, 2)") + "\nstruct Before {\n  Before() {\n" + body +
         "\n  }\n} before;\n";
}

/// A wrong answer that does something when it is asked.
inline std::string when_asked(const std::string& headers, const std::string& body) {
  return replaced(
      headers + answer("pow(a, 2) + pow(b, 2)"),
      "auto a = vector(\"a\");",
      body + "\n  auto a = vector(\"a\");");
}

/// Cheats that are known: each would pass if the verdict were the program's own.
inline std::vector<Pupil> cheats() {
  const std::string unix_headers =
      "#include <csignal>\n#include <cstdlib>\n#include <fstream>\n#include <string>\n"
      "#include <sys/ptrace.h>\n#include <unistd.h>\n#include <filesystem>\n";
  const std::string claims =
      "    const std::string lines = \"{\\\"begin\\\": \\\"sample\\\"}\\n{\\\"test\\\": "
      "\\\"sample\\\", \\\"status\\\": \\\"pass\\\"}\\n{\\\"end\\\": 1}\\npass  sample\\n\";\n"
      "    for (int end = 1; end < 256; ++end) {\n"
      "      if (::write(end, lines.data(), lines.size()) < 0) continue;\n    }\n";
  return {
      {"writes_the_verdict", "fail", before_main(unix_headers, claims + "    ::_exit(0);")},
      {"exits_early", "fail", before_main(unix_headers, "    std::exit(0);")},
      {"exits_at_exit",
       "fail",
       before_main(unix_headers, "    std::atexit([] { ::_exit(0); });\n    std::exit(1);")},
      {"knows_the_sample", "fail", answer("constant(Array({25, 49})) + 0 * a * b")},
      {"knows_two_lengths",
       "fail",
       answer("switch_(eq(a[0], 1), constant(Array({25, 49})), pow(a, 2) + pow(b, 2))")},
      {"includes_the_solution",
       "build",
       "#include \"../../solutions/00_expressions/solution.cpp\"\n"},
      {"includes_it_by_its_path", "build", "#include \"" + expressions().solution() + "\"\n"},
      {"includes_the_check", "build", "#include \"00_expressions/check.cpp\"\n" + answer("a")},
      {"reads_the_solution",
       "crash fail",
       before_main(
           unix_headers,
           "    std::ifstream file(\"" + expressions().solution() +
               "\");\n    if (file.good()) std::abort();\n"
               "    for (const auto& e : std::filesystem::directory_iterator(\"/\"))\n"
               "      if (e.path() == \"/home\" || e.path() == \"/root\") std::abort();\n"
               "    ::_exit(0);")},
      {"kills_its_parent",
       "fail",
       when_asked(
           unix_headers,
           "  ::kill(::getppid(), SIGKILL);\n  ::ptrace(PTRACE_ATTACH, ::getppid(), 0, 0);\n"
           "  for (int id = 2; id < 70000; ++id)\n    if (id != ::getpid()) ::kill(id, SIGKILL);")},
      {"replaces_functions",
       "fail build",
       "#include <cstddef>\n#include <ctime>\n"
       "extern \"C\" int memcmp(const void*, const void*, std::size_t) { return 0; }\n"
       "extern \"C\" double fabs(double) { return 0; }\n"
       "extern \"C\" int clock_gettime(clockid_t, timespec*) { return 0; }\n" +
           answer("pow(a, 2) + pow(b, 2)") +
           "namespace hypatia::check {\nvoid expect(bool, std::string_view, std::string_view) {}\n"
           "}\n"},
      {"answers_nonsense",
       "fail",
       before_main(
           unix_headers,
           "    const char* end = std::getenv(\"HYPATIA_BORDER\");\n"
           "    const std::string nonsense(100000, '\\7');\n"
           "    if (end && ::write(std::atoi(end), nonsense.data(), nonsense.size()) < 0) "
           "return;")},
  };
}

inline std::vector<Pupil> honest() {
  const std::string starter = pristine(expressions());
  return {
      {"right_1", "pass", read_file(expressions().solution())},
      {"right_2", "pass", answer("pow(a + b, 2)")},
      {"right_3", "pass", answer("(a + b) * (a + b)")},
      {"wrong_starter", "fail", starter},
      {"wrong_half", "fail", answer("pow(a, 2) + pow(b, 2) + a * b")},
      {"wrong_sign", "fail", answer("pow(a, 2) + pow(b, 2) - 2 * a * b")},
      {"wrong_abs", "fail", answer("pow(a, 2) + pow(b, 2) + abs(2 * a * b)")},
      {"does_not_compile", "build", answer("pow(a, 2) +")},
      {"empty", "build", ""},
      {"binary", "build", std::string("\177ELF\0\1\2\377\376", 9)},
  };
}

inline std::vector<Pupil> dangerous() {
  const std::string unix_headers =
      "#include <csignal>\n#include <cstdio>\n#include <cstdlib>\n#include <unistd.h>\n";
  return {
      {"crashes",
       "crash",
       when_asked(unix_headers, "  volatile int* nowhere = nullptr;\n  *nowhere = 1;")},
      {"hangs", "timeout", when_asked(unix_headers, "  for (volatile int i = 0;;) i = i + 1;")},
      {"prints_for_ever",
       "timeout",
       when_asked(unix_headers, "  for (;;) std::puts(\"all work and no play\");")},
      {"starts_200_processes",
       "crash",
       when_asked(
           unix_headers,
           "  for (int i = 0; i < 200; ++i) {\n    const int id = ::fork();\n"
           "    if (id < 0) std::abort();\n    if (id == 0) for (;;) ::pause();\n  }")},
      {"takes_all_memory",
       "crash",
       when_asked(
           unix_headers,
           "  for (;;) {\n    char* more = static_cast<char*>(std::malloc(1 << 26));\n"
           "    if (!more) std::abort();\n    more[0] = 1;\n  }")},
  };
}

/// Writes a pupil's folder below `in`.
inline void hand_in(const Scratch& scratch, const Pupil& pupil) {
  scratch.write("in/" + pupil.who + "/exercises/00_expressions/exercise.cpp", pupil.text);
}

/// Bundles that can't be read: garbage, a path that leads out, a link, and nothing at all.
inline std::vector<Pupil> hand_in_unreadable(const Scratch& scratch) {
  scratch.write("in/garbage.zip", std::string("PK\3\4 no zip \0\377", 15));
  ZipWriter outside((scratch.path / "in/leads_out.zip").string());
  outside.add("../../00_expressions/exercise.cpp", answer("pow(a + b, 2)"), true);
  outside.commit();
  std::filesystem::create_directories(scratch.path / "in/nothing");
  std::filesystem::create_directories(scratch.path / "in/a_link/00_expressions");
  std::filesystem::create_symlink(
      expressions().solution(), scratch.path / "in/a_link/00_expressions/exercise.cpp");
  return {
      {"garbage", "unreadable", ""},
      {"leads_out", "unreadable", ""},
      {"nothing", "unreadable", ""},
      {"a_link", "unreadable", ""},
  };
}

}  // namespace hypatia::runner
