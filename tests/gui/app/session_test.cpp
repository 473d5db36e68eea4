// What is kept beside recordings, how files arrive, and what scripts do.

#include "gui/app/session.h"

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "engine/trace/clock.h"

#include "gui/app/sidecar.h"
#include "profiler/record/recorder.h"
#include "profiler/record/recording_file.h"
#include "profiler/record/synthetic.h"
#include "tests/gui/host.h"

namespace hypatia::gui {

namespace {

/// A folder of its own, also for what is kept beside recordings.
class Session : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("hypatia-gui-" + std::to_string(getpid()) + "-" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
    setenv("HYPATIA_STATE", (folder_ / "state").c_str(), 1);
  }

  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const char* name) const { return (folder_ / name).string(); }

  std::string recording(const char* name) const {
    write_recording(synthetic_logistic({}), path(name));
    return path(name);
  }

  std::string text_file(const char* name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace

TEST_F(Session, OpensAFileAndNeverWritesToIt) {
  const std::string file = recording("run.hyp");
  const auto size = std::filesystem::file_size(file);
  {
    Host host({});
    load_session(host.state);
    host.state.open(file);
    host.headless.settle();
    ASSERT_NE(host.state.profile(), nullptr);
    EXPECT_GT(host.state.profile()->costs.total(), 0);
    host.state.sidecar.notes.push_back({"GpuGemv{inplace}", 0, 0, "look here"});
    host.state.settings.bars_per_cent = true;
    save_session(host.state);
  }
  EXPECT_EQ(std::filesystem::file_size(file), size);
  Host again({});
  load_session(again.state);
  EXPECT_EQ(again.state.recent.at(0), file);
  again.state.open(file);
  again.headless.settle();
  ASSERT_EQ(again.state.sidecar.notes.size(), 1u);
  EXPECT_EQ(again.state.sidecar.notes[0].text, "look here");
  EXPECT_TRUE(again.state.settings.bars_per_cent);
}

TEST_F(Session, SaysWhatIsWrongWithAFile) {
  const std::string whole = recording("whole.hyp");
  std::filesystem::copy_file(whole, path("cut.hyp"));
  std::filesystem::resize_file(path("cut.hyp"), std::filesystem::file_size(whole) / 3);
  for (const std::string& file :
       {path("absent.hyp"), text_file("words.hyp", "not a recording"), path("cut.hyp")}) {
    Host host({});
    host.state.open(file);
    host.headless.settle();
    EXPECT_EQ(host.state.profile(), nullptr) << file;
    EXPECT_FALSE(host.state.document()->error().empty()) << file;
    EXPECT_NO_THROW(host.headless.picture());
  }
}

TEST_F(Session, RefusesARecordingOfANewerVersionByItsVersion) {
  const std::string file = recording("newer.hyp");
  {
    // user_version stands at byte 60 of an SQLite file, big-endian.
    std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(60);
    bytes.write("\0\0\0\x63", 4);
  }
  Host host({});
  host.state.open(file);
  host.headless.settle();
  EXPECT_EQ(host.state.profile(), nullptr);
  EXPECT_NE(host.state.document()->error().find("99"), std::string::npos)
      << host.state.document()->error();
}

TEST_F(Session, FollowsARecordingWhileItIsWritten) {
  const RecordingData data = synthetic_exp({.device = "cpu", .calls = 1});
  Recorder recorder(path("live.hyp"));
  const std::uint32_t function = recorder.add_function(data.functions[0]);
  PlanRecord plan = data.plans[0];
  plan.function = function;
  const std::uint32_t step = recorder.add_plan(plan);
  const auto run = [&](int calls) {
    for (int i = 0; i < calls; ++i) {
      const std::int64_t begin = now();
      const std::uint32_t call = recorder.begin_call(function);
      recorder.begin_step(call, step);
      recorder.end_step(call, step, begin);
      recorder.end_call(function, call, begin);
    }
    recorder.flush();
  };
  const auto frames_until = [](Host& host, std::int64_t calls) {
    for (int i = 0; i < 600; ++i) {
      host.headless.frame();
      if (host.state.profile() && host.state.profile()->calls >= calls) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  };
  run(100);
  Host host({});
  host.state.open(path("live.hyp"));
  host.headless.settle();
  ASSERT_NE(host.state.profile(), nullptr) << host.state.document()->error();
  EXPECT_EQ(host.state.profile()->calls, 100);
  EXPECT_TRUE(host.state.document()->growing());
  EXPECT_LE(host.state.requests.wake_after, 0.5) << "the window must look again by itself";
  run(250);
  frames_until(host, 350);
  EXPECT_EQ(host.state.profile()->calls, 350);
  recorder.finish();
  for (int i = 0; i < 300 && host.state.document()->growing(); ++i) {
    host.headless.frame();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_FALSE(host.state.document()->growing());
  EXPECT_TRUE(host.state.profile()->recording->header().closed);
  EXPECT_TRUE(host.state.document()->error().empty()) << host.state.document()->error();
}

TEST_F(Session, ARecordingOfAKilledProgramDoesNotGrow) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  ASSERT_GT(child, 0);
  waitpid(child, nullptr, 0);
  RecordingData data = synthetic_exp({});
  data.header.closed = false;
  std::array<char, 256> machine{};
  gethostname(machine.data(), machine.size() - 1);
  data.header.machine = machine.data();
  for (const bool runs : {true, false}) {
    data.header.process = runs ? getpid() : child;
    write_recording(data, path("run.hyp"));
    Document document(path("run.hyp"));
    document.poll(true);
    ASSERT_NE(document.profile(), nullptr) << document.error();
    EXPECT_EQ(document.growing(), runs);
  }
}

TEST_F(Session, HandedOutNotesComeWithTheRecording) {
  const std::string file = recording("run.hyp");
  {
    Host host({});
    load_session(host.state);
    host.state.open(file);
    host.headless.settle();
    host.state.sidecar.notes.push_back(
        {host.state.profile()->nodes[2].record->name, 0, 0, "why is this slow?"});
    host.view("notes");
    host.headless.click(host.headless.place("notes/hand out"));
  }
  ASSERT_TRUE(std::filesystem::exists(file + ".notes.json"));
  setenv("HYPATIA_STATE", path("another person").c_str(), 1);
  Host host({});
  load_session(host.state);
  host.state.open(file);
  host.headless.settle();
  EXPECT_TRUE(host.state.sidecar.notes.empty());
  ASSERT_EQ(host.state.sidecar.handed_out.size(), 1u);
  host.state.select_node(2);
  host.headless.settle();
  EXPECT_NE(host.state.probe.find("card/From the teacher"), nullptr);
}

TEST_F(Session, KeepsShowingAFileThatVanished) {
  const std::string file = recording("run.hyp");
  Host host({});
  host.state.open(file);
  host.headless.settle();
  std::filesystem::remove(file);
  host.headless.press("f5");
  host.headless.settle();
  EXPECT_NE(host.state.profile(), nullptr);
  EXPECT_FALSE(host.state.document()->error().empty());
}

TEST_F(Session, ReadsAFileThatGrew) {
  SyntheticOptions options;
  options.calls = 5;
  RecordingData data = synthetic_exp(options);
  data.header.closed = false;
  write_recording(data, path("run.hyp"));
  Host host({});
  host.state.open(path("run.hyp"));
  host.headless.settle();
  const auto before = host.state.profile()->calls;
  options.calls = 200;
  write_recording(synthetic_exp(options), path("run.hyp"));
  host.headless.press("f5");
  host.headless.settle();
  EXPECT_GT(host.state.profile()->calls, before);
}

TEST_F(Session, RecentFilesAreKeptAndOpenFromTheStartPage) {
  const std::string file = recording("mine.hyp");
  {
    AppState state;
    load_session(state);
    state.open(file);
    save_session(state);
  }
  Host host({});
  load_session(host.state);
  host.view("bars");
  ASSERT_EQ(host.state.recent, std::vector<std::string>{file});
  host.headless.click(host.headless.place("recent/" + file));
  host.headless.settle();
  ASSERT_NE(host.state.profile(), nullptr);
  EXPECT_EQ(host.state.document()->path(), file);
}

TEST_F(Session, DamagedStateGivesTheDefaults) {
  std::filesystem::create_directories(path("state"));
  text_file("state/gui.json", "{\"theme\": \"green\", \"scale\": [1], \"recent\": 7");
  Host host({});
  EXPECT_NO_THROW(load_session(host.state));
  EXPECT_EQ(host.state.user_scale, 1);
}

TEST_F(Session, ScriptsDoWhatAPersonDoes) {
  Host host({"logistic-cuda"});
  run_script(
      host.headless,
      "# a comment\nview bars\nclick choice/order/GPU\nselect 2\nkey 4\nexpect timeline\nkey "
      "ctrl+p\n"
      "type graph\nkey enter\nexpect graph\n");
  EXPECT_EQ(host.state.settings.bar_order, BarOrder::gpu);
  EXPECT_EQ(host.state.selection.node, 2);
  EXPECT_EQ(host.state.settings.view, "graph");
  run_script(host.headless, "shot " + path("graph.png"));
  EXPECT_GT(std::filesystem::file_size(path("graph.png")), 1000u);
}

TEST_F(Session, ScriptErrorsNameTheLine) {
  Host host({"logistic-cuda"});
  for (const char* bad : {"\nclik 3 4", "\nclick nothing/here", "\nview nonsense", "\nkey blue"}) {
    try {
      run_script(host.headless, bad);
      ADD_FAILURE() << bad;
    } catch (const Error& error) {
      EXPECT_NE(error.summary().find("line 2"), std::string::npos) << error.summary();
    }
  }
}

}  // namespace hypatia::gui
