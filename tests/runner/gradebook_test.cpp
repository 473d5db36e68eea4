// A gradebook's forms, against what the programs that read them ask for.
#include "exercises/runner/gradebook.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "exercises/runner/command.h"
#include "exercises/runner/places.h"
#include "exercises/runner/text.h"
#include "runner/class.h"

namespace hypatia::runner {

namespace {

Result result(const std::string& who, const std::string& status, const std::string& message) {
  Result made;
  made.who = who;
  made.verdict.exercise = &expressions();
  made.verdict.status = status;
  made.verdict.message = message;
  if (status == "pass" || status == "fail") {
    for (const std::string& name : expressions().tests)
      made.verdict.tests.push_back({name, status, "wrong-value", message, "1", "2", 0, 1});
    made.verdict.tags = {"wrong-value"};
  }
  return made;
}

// Names and messages that would break a form that did not expect them.
Gradebook book() {
  Gradebook made;
  made.seed = "7";
  made.device = "cpu";
  made.confinement = "confined";
  made.exercises = {"00_expressions"};
  made.learners = {
      {"anna", "in/anna", "", {"a note"}},
      {"bert", "in/bert", "", {}},
      {"carl", "in/carl.zip", "no zip", {}},
  };
  made.results = {
      result("anna", "pass", ""),
      result("bert", "fail", "=<b a=\"1\">&\n\1\xff, \"quoted\""),
      result("carl", "unreadable", "no zip"),
  };
  made.results[1].flags = {"leaves early"};
  made.left_out = {"notes.txt", "<b>.csv"};
  return made;
}

// True if every tag that opens is closed in order, and no control letter is there.
bool well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = 0; (at = xml.find('<', at)) != std::string::npos;) {
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) return false;
    const std::string tag = xml.substr(at + 1, end - at - 1);
    at = end;
    if (tag[0] == '?' || tag[0] == '!' || tag.back() == '/') continue;
    const std::string name = tag.substr(tag[0] == '/' ? 1 : 0, tag.find(' '));
    if (tag[0] != '/') {
      open.push_back(name);
    } else if (open.empty() || "/" + open.back() != tag) {
      return false;
    } else {
      open.pop_back();
    }
  }
  for (const char c : xml) {
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') return false;
  }
  return open.empty();
}

}  // namespace

TEST(Gradebook, TheHandbookShowsItsTable) {
  Gradebook made;
  made.exercises = {"00_expressions", "03_logistic_regression"};
  made.learners = {{"anna", "", "", {}}, {"bert", "", "", {}}};
  made.results = {
      result("anna", "pass", ""),
      result("anna", "pass", ""),
      result("bert", "pass", ""),
      result("bert", "fail", ""),
  };
  for (const std::size_t second : {1U, 3U})
    made.results[second].verdict.exercise = &find_exercise("03");
  made.results[0].verdict.attempts = 5;
  made.results[0].verdict.hints_used = 1;
  made.results[0].minutes = 34;
  made.results[2].verdict.attempts = 9;
  made.results[2].verdict.hints_used = 3;
  made.results[2].minutes = 61;
  const std::vector<std::string> lines = lines_of(to_text(made, ReportOrder::learners));
  const std::string page = read_file(root() + "/docs/course/grading.md");
  int shown_lines = 0;
  for (const std::string& line : lines) {
    const bool of_table =
        line.rfind("who", 0) == 0 || line.rfind("anna", 0) == 0 || line.rfind("bert", 0) == 0;
    const std::string trimmed = line.substr(0, line.find_last_not_of(' ') + 1);
    if (!of_table) continue;
    EXPECT_NE(page.find("    " + trimmed + "\n"), page.npos) << line;
    ++shown_lines;
  }
  EXPECT_EQ(shown_lines, 3);
}

TEST(Gradebook, IsWhatItsDocumentSays) {
  const Gradebook before = book();
  const Gradebook after = gradebook_of(to_json(before));
  EXPECT_EQ(to_json(after), to_json(gradebook_of(to_json(after))));
  EXPECT_EQ(after.passed("anna"), 1);
  EXPECT_EQ(after.passed("bert"), 0);
  EXPECT_EQ(after.results[1].flags, before.results[1].flags);
  EXPECT_EQ(result_of(line_of(before.results[2])).verdict.message, "no zip");
  EXPECT_THROW(gradebook_of("{}"), Stop);
  EXPECT_THROW(gradebook_of("no json"), Stop);
}

TEST(Gradebook, GradescopeTakesIt) {
  const nlohmann::json json = nlohmann::json::parse(to_gradescope(book(), "bert"));
  EXPECT_EQ(json.at("score"), 0);
  ASSERT_EQ(json.at("tests").size(), 1U);
  const nlohmann::json& test = json["tests"][0];
  EXPECT_EQ(test.at("max_score"), 1);
  EXPECT_EQ(test.at("status"), "failed");
  EXPECT_TRUE(test.at("output").is_string());
  EXPECT_EQ(nlohmann::json::parse(to_gradescope(book(), "anna")).at("score"), 1);
}

TEST(Gradebook, ExercismTakesIt) {
  const nlohmann::json json = nlohmann::json::parse(to_exercism(book(), "bert"));
  EXPECT_EQ(json.at("version"), 3);
  EXPECT_EQ(json.at("status"), "fail");
  ASSERT_EQ(json.at("tests").size(), expressions().tests.size());
  for (const nlohmann::json& test : json["tests"]) {
    EXPECT_EQ(test.at("status"), "fail");
    EXPECT_TRUE(test.at("name").is_string());
    EXPECT_TRUE(test.at("test_code").is_string());
    EXPECT_FALSE(test.at("message").get<std::string>().empty());
    EXPECT_LE(test.at("output").get<std::string>().size(), 500U);
  }
  EXPECT_EQ(nlohmann::json::parse(to_exercism(book(), "anna")).at("status"), "pass");
  const nlohmann::json broken = nlohmann::json::parse(to_exercism(book(), "carl"));
  EXPECT_EQ(broken.at("status"), "error");
  EXPECT_FALSE(broken.at("message").get<std::string>().empty());
}

TEST(Gradebook, JunitIsWellFormed) {
  const std::string xml = to_junit(book());
  EXPECT_TRUE(well_formed(xml)) << xml;
  EXPECT_NE(
      xml.find("<testsuites name=\"hypatia\" tests=\"3\" failures=\"2\" skipped=\"0\">"),
      std::string::npos);
  EXPECT_FALSE(well_formed("<a><b></a></b>"));
}

TEST(Gradebook, CsvHasAsManyCellsEverywhere) {
  const std::string csv = to_csv(book());
  int cells = 0, wanted = 0, rows = 0;
  bool quoted = false;
  for (const char c : csv) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    cells += c == ',' ? 1 : 0;
    if (c != '\n') continue;
    if (rows++ == 0) wanted = cells;
    EXPECT_EQ(cells, wanted) << csv;
    cells = 0;
  }
  EXPECT_EQ(rows, 4);
  EXPECT_NE(csv.find("\"'=<b"), std::string::npos) << "a spreadsheet would compute it";
}

TEST(Gradebook, PagesAreNarrowAndNeedNothingElse) {
  Gradebook wide = book();
  wide.learners[0].who = wide.results[0].who = std::string(80, 'x');
  for (const ReportOrder order :
       {ReportOrder::learners, ReportOrder::exercises, ReportOrder::concepts}) {
    for (const std::string& line : lines_of(to_text(wide, order)))
      EXPECT_LE(line.size(), 100U) << line;
    const std::string page = to_html(wide, order);
    EXPECT_EQ(page.find("http"), std::string::npos);
    EXPECT_EQ(page.find("<script"), std::string::npos);
    EXPECT_EQ(page.find("<b a="), std::string::npos) << "a learner's text became a tag";
    EXPECT_NE(page.find("leaves early"), std::string::npos);
  }
}

TEST(Gradebook, ConceptsComeFirstWhenAskedForWithWhatWentWrong) {
  Gradebook two = book();
  two.exercises.push_back("04_scan");
  Result scan = result("anna", "pass", "");
  scan.verdict.exercise = &find_exercise("04");
  two.results.insert(two.results.begin() + 1, scan);
  const std::vector<std::string> lines = lines_of(to_text(two, ReportOrder::concepts));
  // Of three who were graded on 00 one handed in nothing that could be read.
  EXPECT_EQ(lines[0].rfind("concept ", 0), 0U) << lines[0];
  EXPECT_EQ(lines[1], "expression (00)               1         2        0     0  1 wrong-value");
  const auto row = [&](const std::string& name) {
    return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.rfind(name + " ", 0) == 0;
    });
  };
  EXPECT_TRUE(row("scan (04)")) << "a concept of another exercise";
  EXPECT_TRUE(row("exercise") && row("who")) << "the other tables follow";
  EXPECT_NE(to_html(two, ReportOrder::concepts).find("<h2>Concepts</h2>"), std::string::npos);
  EXPECT_EQ(to_html(two, ReportOrder::learners).find("<h2>Concepts</h2>"), std::string::npos);
}

TEST(Gradebook, NamesWhatWasLeftOut) {
  const Gradebook made = gradebook_of(to_json(book()));
  EXPECT_EQ(made.left_out, book().left_out);
  EXPECT_NE(
      to_text(made, ReportOrder::learners).find("\nleft out: notes.txt, <b>.csv\n"),
      std::string::npos);
  EXPECT_NE(to_html(made, ReportOrder::learners).find("&lt;b&gt;.csv"), std::string::npos);
}

TEST(Gradebook, TimeIsCountedWithoutPauses) {
  Result made = result("anna", "pass", "");
  const auto at = [](const char* time, const char* event) {
    Entry entry;
    entry.time = time;
    entry.exercise = "00_expressions";
    entry.event = event;
    return entry;
  };
  add_history(
      made,
      {at("2026-01-01T10:00:00Z", "check"),
       at("2026-01-01T10:10:00Z", "hint"),
       at("2026-01-02T10:00:00Z", "check")});
  EXPECT_EQ(made.verdict.attempts, 2);
  EXPECT_EQ(made.verdict.hints_used, 1);
  EXPECT_EQ(made.minutes, 40);  // ten, and thirty for the night
}

TEST(Gradebook, LikeAnswersAreFlaggedAndShortOnesAreNot) {
  std::string body;
  for (int i = 0; i < 12; ++i)
    body += "  int v" + std::to_string(i) + " = f(" + std::to_string(i) + ") * " +
            std::to_string(i * i) + ";\n";
  Gradebook made = book();
  std::vector<Submission> all(3);
  const char* const names[] = {"anna", "bert", "carl"};
  for (std::size_t i = 0; i < 3; ++i)
    all[i].who = names[i];
  all[0].files["00_expressions"] = body;
  all[1].files["00_expressions"] = "// my own work\n" + replaced(body, "v3", "other");
  all[2].files["00_expressions"] = "int v = 1;";
  made.results[1].flags.clear();
  flag_similar(made, all);
  ASSERT_EQ(made.results[0].flags.size(), 1U);
  EXPECT_EQ(made.results[0].flags[0], "100 % like bert");
  EXPECT_TRUE(made.results[1].flags.empty()) << "a pair is told once";
  EXPECT_TRUE(made.results[2].flags.empty());
}

TEST(Gradebook, LikenessesOfThoseWhoAreKeptStay) {
  Gradebook earlier = book();
  earlier.results[0].flags = {"100 % like bert", "90 % like carl", "names ptrace"};
  Gradebook now = book();
  Submission bert;
  bert.who = "bert";
  keep_likenesses(now, earlier, {bert});
  EXPECT_EQ(now.results[0].flags, std::vector<std::string>{"90 % like carl"});
  EXPECT_EQ(now.results[1].flags, book().results[1].flags) << "bert has handed in again";
}

TEST(Gradebook, NotesOfALearnerAreFlagsInEveryForm) {
  // anna has a note and no flag, bert a flag, carl neither.
  EXPECT_NE(to_csv(book()).find("anna,00_expressions,pass,1,1,"), std::string::npos);
  for (const std::string& line : lines_of(to_csv(book())))
    EXPECT_EQ(line.find("a note") != std::string::npos, line.rfind("anna,", 0) == 0) << line;
  const std::string page = to_html(book(), ReportOrder::learners);
  EXPECT_NE(page.find("<th title=\"a note\">anna &#9873;</th>"), std::string::npos) << page;
  EXPECT_NE(page.find(">carl</th>"), std::string::npos);
}

TEST(Gradebook, ADamagedOneIsToldInWords) {
  const std::string whole = to_json(book());
  for (const std::string& text :
       {whole.substr(0, whole.size() / 2), std::string("[]"), std::string()}) {
    try {
      gradebook_of(text);
      ADD_FAILURE() << "taken: " << text;
    } catch (const Stop& stop) {
      EXPECT_NE(stop.message.find("is damaged"), std::string::npos) << stop.message;
      EXPECT_EQ(stop.message.find("json.exception"), std::string::npos) << stop.message;
      EXPECT_NE(stop.help.find("--resume"), std::string::npos) << stop.help;
    }
  }
}

TEST(Gradebook, JunitSkipsWhatNobodyHandedIn) {
  Gradebook made = book();
  made.results[2] = result("carl", "missing", "there is no file for this exercise");
  const std::string xml = to_junit(made);
  EXPECT_TRUE(well_formed(xml)) << xml;
  EXPECT_NE(xml.find("tests=\"3\" failures=\"1\" skipped=\"1\">"), std::string::npos) << xml;
  EXPECT_NE(xml.find("<skipped message=\"there is no file"), std::string::npos) << xml;
}

TEST(Gradebook, MeanAndMedianOfThePoints) {
  Gradebook made = book();
  made.results[1] = result("bert", "pass", "");
  const std::string line = "points of 3 learners: mean 0.7, median 1.0, of 1\n";
  EXPECT_NE(to_text(made, ReportOrder::learners).find(line), std::string::npos);
  made.learners.pop_back();
  made.results = {result("anna", "pass", "")};
  EXPECT_NE(
      to_html(made, ReportOrder::exercises).find("2 learners: mean 0.5, median 0.5, of 1"),
      std::string::npos);
}

}  // namespace hypatia::runner
