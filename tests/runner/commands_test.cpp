// What holds for every verb.
#include <filesystem>
#include <gtest/gtest.h>

#include "exercises/runner/command.h"
#include "profiler/record/recording_file.h"
#include "profiler/record/synthetic.h"
#include "tests/runner/toy.h"

namespace hypatia::runner {

TEST(Commands, EachFileToWriteIsAskedForBeforeTheWork) {
  const Scratch scratch;
  int outputs = 0;
  for (const Command* command : commands()) {
    for (const Option& option : command->options) {
      EXPECT_TRUE(option.writes || option.value != "F") << command->name << " " << option.name;
      if (!option.writes) continue;
      ++outputs;
      Arguments arguments;
      arguments.options[option.name] = (scratch.path / "absent" / "x").string();
      try {
        require_outputs(*command, arguments);
        ADD_FAILURE() << command->name << " " << option.name;
      } catch (const Stop& stop) {
        EXPECT_EQ(stop.code, exit_usage);
        EXPECT_TRUE(contains(stop.message, option.name)) << stop.message;
        EXPECT_TRUE(contains(stop.message, "No such file or directory")) << stop.message;
      }
      arguments.options[option.name] = (scratch.path / "x").string();
      EXPECT_NO_THROW(require_outputs(*command, arguments));
      EXPECT_FALSE(std::filesystem::exists(scratch.path / "x"));
    }
  }
  EXPECT_GE(outputs, 10);
}

TEST(Commands, NoFileOfAnotherKindIsWrittenOver) {
  const Scratch scratch;
  const std::string file = (scratch.path / "x").string();
  for (const Command* command : commands()) {
    for (const Option& option : command->options) {
      if (option.begins.empty()) continue;
      Arguments arguments;
      arguments.options[option.name] = file;
      scratch.write("x", option.begins + "…");
      EXPECT_NO_THROW(require_outputs(*command, arguments)) << command->name << " " << option.name;
      scratch.write("x", "");
      EXPECT_NO_THROW(require_outputs(*command, arguments)) << command->name << " " << option.name;
      scratch.write("x", "my own words");
      EXPECT_THROW(require_outputs(*command, arguments), Stop) << command->name << option.name;
      scratch.write("x", option.begins + "…");
      arguments.words = {(scratch.path / "." / "x").string()};
      EXPECT_THROW(require_outputs(*command, arguments), Stop) << command->name << option.name;
      arguments.words.clear();
      arguments.options["--other"] = file;
      EXPECT_THROW(require_outputs(*command, arguments), Stop) << command->name << option.name;
    }
  }
}

TEST(Profile, NoRecordingThatItReadsIsWrittenOver) {
  const Toy toy;
  const std::string a = (toy.scratch.path / "a.hyp").string();
  const std::string b = (toy.scratch.path / "b.hyp").string();
  write_recording(synthetic_exp({.calls = 10}), a);
  write_recording(synthetic_exp({.calls = 5}), b);
  const std::string of_a = toy.scratch.read("a.hyp"), of_b = toy.scratch.read("b.hyp");
  for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
           {"--trim", "1-3", "--out", "a.hyp"},
           {"--merge", "b.hyp", "--out", "./b.hyp"},
           {"--migrate", "--out", "a.hyp"},
           {"--csv", "a.hyp"},
           {"--csv", "b.hyp"},
           {"--html", "bundle.zip"},
           {"--csv", "new.txt", "--trace", "new.txt"}}) {
    toy.scratch.write("bundle.zip", "PK and more");
    std::vector<std::string> words{"profile", "a.hyp"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = toy.hypatia(words);
    EXPECT_EQ(outcome.code, exit_usage) << more[0] << outcome.output;
    EXPECT_TRUE(contains(outcome.output, "choose another name")) << outcome.output;
    EXPECT_EQ(toy.scratch.read("a.hyp"), of_a);
    EXPECT_EQ(toy.scratch.read("b.hyp"), of_b);
    EXPECT_EQ(toy.scratch.read("bundle.zip"), "PK and more");
  }
  for (int i = 0; i < 2; ++i) {  // what it wrote itself may be written anew
    for (const char* option : {"--csv", "--report", "--trace", "--svg", "--dot", "--html"}) {
      const Outcome outcome = toy.hypatia({"profile", "a.hyp", option, std::string("x") + option});
      EXPECT_EQ(outcome.code, exit_pass) << outcome.output;
    }
    EXPECT_EQ(toy.hypatia({"profile", "a.hyp", "--trim", "2-3", "--out", "c.hyp"}).code, 0);
  }
}

TEST(Why, TakesARecording) {
  const Toy toy;
  write_recording(synthetic_exp(), (toy.scratch.path / "a.hyp").string());
  const Outcome outcome = toy.hypatia({"why", "a.hyp"});
  EXPECT_EQ(outcome.code, exit_pass) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "nodes run on the GPU")) << outcome.output;
  EXPECT_NE(toy.hypatia({"why", "absent.hyp"}).code, exit_pass);
}

TEST(Run, DoesNotSayThatItRecordedWhatIsNotThere) {
  const Toy toy;
  const Outcome absent = toy.hypatia({"run", "00", "--profile", "absent/x.hyp"});
  EXPECT_EQ(absent.code, exit_usage) << absent.output;
  EXPECT_TRUE(contains(absent.output, "absent/x.hyp can't be written")) << absent.output;
  EXPECT_FALSE(contains(absent.output, "the answer is")) << "asked before the program runs";
  const Outcome nothing = toy.hypatia({"run", "00", "--profile", "x.hyp"});
  EXPECT_EQ(nothing.code, exit_environment) << nothing.output;
  EXPECT_TRUE(contains(nothing.output, "nothing was recorded in")) << nothing.output;
  EXPECT_FALSE(contains(nothing.output, "recorded   ")) << nothing.output;
}

TEST(Run, NamesTheFlagsAsTheyWereGiven) {
  const Toy toy;
  const Outcome wrong = toy.hypatia({"run", "00", "--flags", "floatx=float32"});
  EXPECT_EQ(wrong.code, exit_usage) << wrong.output;
  EXPECT_TRUE(contains(wrong.output, "--flags: there is no flag 'floatx'")) << wrong.output;
  EXPECT_TRUE(contains(wrong.output, "floatX")) << wrong.output;
  EXPECT_EQ(toy.hypatia({"run", "00", "--flags", "floatX=float32"}).code, exit_pass);
}

}  // namespace hypatia::runner
