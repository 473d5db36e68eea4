// What holds for every verb.
#include <filesystem>
#include <gtest/gtest.h>

#include "exercises/runner/command.h"
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
