// Every view draws on every kind of recording, and all follow one selection.

#include "gui/views/views.h"

#include <gtest/gtest.h>
#include <map>
#include <set>

#include "gui/app/commands.h"
#include "profiler/record/synthetic.h"
#include "tests/gui/host.h"

namespace hypatia::gui {

namespace {

int painted(const Image& image) {
  const std::uint32_t ground = color(Tone::background);
  int count = 0;
  for (const std::uint32_t pixel : image.pixels)
    count += pixel != ground;
  return count;
}

}  // namespace

TEST(Views, EachDrawsOnEachRecording) {
  for (const char* demo : {"exp-cpu", "exp-cuda", "logistic-cpu", "logistic-cuda"}) {
    Host host({demo, "logistic-solution"});
    for (const View& view : views()) {
      host.view(view.name);
      EXPECT_NE(host.state.probe.find(std::string("view/") + view.name), nullptr) << view.name;
      EXPECT_GT(painted(host.headless.picture()), 10'000) << demo << " " << view.name;
    }
  }
}

TEST(Views, EachDrawsOnNothingAtAll) {
  Host host({});
  for (const View& view : views())
    EXPECT_NO_THROW(host.view(view.name)) << view.name;
  auto empty = make_profile(std::make_shared<const Recording>(RecordingData{}));
  host.state.documents.push_back(std::make_unique<Document>(empty));
  for (const View& view : views())
    EXPECT_NO_THROW(host.view(view.name)) << view.name;
}

TEST(Views, ClickingABarSelectsItsNodeEverywhere) {
  Host host({"logistic-cuda"});
  host.view("bars");
  host.headless.click(host.headless.place("node/0/"));
  EXPECT_EQ(host.state.selection.node, 0);
  host.headless.frame();
  EXPECT_NE(host.state.probe.find("card/name"), nullptr);
}

TEST(Views, SortingBarsIsUndone) {
  Host host({"logistic-cuda"});
  host.view("bars");
  host.headless.click(host.headless.place("choice/order/name"));
  EXPECT_EQ(host.state.settings.bar_order, BarOrder::name);
  host.headless.press("ctrl+z");
  EXPECT_EQ(host.state.settings.bar_order, BarOrder::total);
  host.headless.press("ctrl+y");
  EXPECT_EQ(host.state.settings.bar_order, BarOrder::name);
}

TEST(Views, BackReturnsToWhereOneWas) {
  Host host({"logistic-cuda"});
  host.view("bars");
  host.headless.press("4");
  EXPECT_EQ(host.state.settings.view, "timeline");
  host.headless.press("alt+left");
  EXPECT_EQ(host.state.settings.view, "bars");
  host.headless.press("alt+right");
  EXPECT_EQ(host.state.settings.view, "timeline");
}

TEST(Views, WheelZoomsTheTimelineAtTheMouse) {
  Host host({"logistic-cuda"});
  host.view("timeline");
  const Mark mark = *host.state.probe.find("timeline");
  host.headless.wheel({(mark.low.x + mark.high.x) / 2, mark.low.y + 100}, 5);
  const Settings& settings = host.state.settings;
  EXPECT_GT(settings.time_begin, 0);
  EXPECT_LT(settings.time_end, host.state.profile()->length());
  host.headless.press("0");
  EXPECT_EQ(settings.time_begin, settings.time_end);
}

TEST(Views, DraggingOnTheTimelineMeasuresARange) {
  Host host({"logistic-cuda"});
  host.view("timeline");
  const Mark mark = *host.state.probe.find("timeline");
  const float y = mark.high.y - 40;
  host.headless.drag({mark.low.x + 300, y}, {mark.low.x + 400, y});
  EXPECT_TRUE(host.state.selection.has_range());
  host.headless.press("escape");
  EXPECT_FALSE(host.state.selection.has_range());
}

TEST(Views, TheCardHoldsAllThatIsKnownOfANode) {
  Host host({"logistic-cuda"});
  host.view("bars");
  const Profile& profile = *host.state.profile();
  std::set<std::string> met;
  for (int i = 0; i < static_cast<int>(profile.nodes.size()); ++i) {
    host.state.select_node(i);
    host.headless.settle();
    for (const char* part : {"card/name", "card/line/", "card/roofline", "card/histogram"})
      if (host.state.probe.find(part)) met.insert(part);
    bool from_copy = false;
    for (const InputRecord& input : profile.node(i).record->inputs) {
      if (input.node < 0) continue;
      const int from =
          profile.find({profile.node(i).id.function, static_cast<std::uint32_t>(input.node)});
      from_copy |= profile.node(from).record->side == Side::transfer;
    }
    EXPECT_EQ(host.state.probe.find("card/copied") != nullptr, from_copy)
        << profile.node(i).record->name;
  }
  EXPECT_EQ(met.size(), 4u);
}

TEST(Views, TheTimelineEndsWithMemory) {
  Host host({"logistic-cuda"});
  host.view("timeline");
  const Mark* memory = host.state.probe.find("lane/memory");
  ASSERT_NE(memory, nullptr);
  for (const Mark& mark : host.state.probe.marks())
    if (mark.name.starts_with("lane/")) {
      EXPECT_LE(mark.low.y, memory->low.y) << mark.name;
    }
}

TEST(Views, TheTableGroupsByNodeOpClassLineAndShape) {
  Host host({"logistic-cuda"});
  host.view("nodes");
  const Profile& profile = *host.state.profile();
  std::map<std::string, std::set<std::string>> expected;
  for (const NodeStats& node : profile.nodes) {
    expected["op"].insert(node.record->op);
    expected["class"].insert(node.record->op_class);
    expected["line"].insert(node.line.empty() ? "no source line" : node.line);
    expected["shape"].insert(node.shapes.empty() ? "no shape" : node.shapes);
  }
  for (const auto& [word, groups] : expected) {
    host.headless.click(host.headless.place("choice/by/" + word));
    std::set<std::string> shown;
    for (const Mark& mark : host.state.probe.marks())
      if (mark.name.starts_with("row/")) shown.insert(mark.name.substr(mark.name.find('/', 4) + 1));
    EXPECT_EQ(shown, groups) << word;
  }
  host.headless.click(host.headless.place("choice/by/node"));
  const std::string last = "row/" + std::to_string(profile.nodes.size() - 1) + "/";
  EXPECT_NE(host.state.probe.find(last), nullptr) << "one row a node";
}

TEST(Views, RewritesAreToldOneByOne) {
  RecordingData data = synthetic_logistic({});
  data.passes = {
      {1,
       "canonicalize",
       1e-3,
       12,
       11,
       1,
       {{"softplus", "log(1 + exp(x))", "softplus(x)", 300, 100, 4096, 1024, {}}}},
      {1, "fuse", 1e-3, 11, 7, 0, {}},
      {77, "of no function", 1e-3, 1, 1, 0, {}}};
  Host host({});
  host.state.documents.push_back(
      std::make_unique<Document>(make_profile(std::make_shared<const Recording>(std::move(data)))));
  host.view("rewrites");
  EXPECT_NE(host.state.probe.find("rewrites/story"), nullptr);
  EXPECT_NE(host.state.probe.find("rewrite/softplus"), nullptr);
}

TEST(Views, TheRightButtonOpensANodesMenu) {
  Host host({"logistic-cuda"});
  for (const char* view : {"bars", "nodes", "graph", "path"}) {
    host.view(view);
    host.state.select_node(-1);
    // Rows of the table go on behind the card.
    const Mark row = *host.state.probe.find(view == std::string("nodes") ? "row/0/" : "node/2/");
    host.headless.click({row.low.x + 12, row.low.y + 8}, 1);
    ASSERT_NE(host.state.probe.find("menu/Write a note"), nullptr) << view;
    EXPECT_GE(host.state.selection.node, 0) << view;
    host.headless.press("escape");
    host.headless.click({640, 5});
    EXPECT_EQ(host.state.probe.find("menu/"), nullptr) << view;
  }
  const auto choose = [&](const char* entry) {
    host.view("bars");
    host.headless.click(host.headless.place("node/2/"), 1);
    host.headless.click(host.headless.place(entry));
    host.headless.settle();
  };
  choose("menu/A run on the timeline");
  EXPECT_EQ(host.state.settings.view, "timeline");
  EXPECT_GE(host.state.selection.event, 0);
  choose("menu/Spread of its times");
  EXPECT_EQ(host.state.settings.view, "histogram");
  choose("menu/Hide such nodes");
  EXPECT_TRUE(host.state.settings.filter.starts_with("-"));
  EXPECT_EQ(host.state.probe.find("node/2/"), nullptr);
  host.headless.press("ctrl+z");
  EXPECT_TRUE(host.state.settings.filter.empty()) << "hiding is undone";
  choose("menu/Write a note");
  host.headless.type("seen");
  host.headless.click(host.headless.place("notes/add"));
  ASSERT_EQ(host.state.sidecar.notes.size(), 1u);
  EXPECT_EQ(host.state.sidecar.notes[0].text, "seen") << "the field had the keyboard";
}

TEST(Views, CallsAreFollowedNodeByNodeAndTheQueueIsDrawn) {
  Host host({"logistic-cuda"});
  host.view("live");
  EXPECT_NE(host.state.probe.find("spark/"), nullptr);
  host.view("launch");
  EXPECT_NE(host.state.probe.find("launch/queue"), nullptr);
}

TEST(Views, CtrlClickShowsTheSpread) {
  Host host({"logistic-cuda"});
  host.view("bars");
  host.headless.input.keys[static_cast<std::size_t>(key::left_control)] = true;
  host.headless.click(host.headless.place("node/2/"));
  EXPECT_EQ(host.state.settings.view, "histogram");
  EXPECT_EQ(host.state.selection.node, 2);
}

TEST(Views, APictureOfTheViewSaysWhatItShows) {
  Host host({"logistic-cuda"});
  host.view("bars");
  EXPECT_EQ(host.state.probe.find("caption"), nullptr);
  host.state.requests.screenshot = true;
  host.headless.frame();
  EXPECT_NE(host.state.probe.find("caption"), nullptr);
  host.headless.frame();
  EXPECT_EQ(host.state.probe.find("caption"), nullptr);
}

TEST(Commands, PaletteRunsWhatWasTyped) {
  Host host({"logistic-cuda"});
  host.view("bars");
  host.headless.press("ctrl+p");
  ASSERT_TRUE(host.state.palette_open);
  host.headless.type("timeline");
  host.headless.press("enter");
  EXPECT_FALSE(host.state.palette_open);
  EXPECT_EQ(host.state.settings.view, "timeline");
}

TEST(Commands, EveryKeyHasOneMeaning) {
  std::map<std::string, std::string> owners;
  for (const Command& command : commands()) {
    EXPECT_FALSE(command.name.empty());
    if (command.keys.empty()) continue;
    const auto [at, fresh] = owners.emplace(command.keys, command.name);
    EXPECT_TRUE(fresh) << command.keys << ": " << at->second << " and " << command.name;
    EXPECT_NO_THROW(parse_chord(command.keys)) << command.keys;
  }
}

TEST(Commands, QuestionMarkShowsTheKeys) {
  Host host({"logistic-cuda"});
  host.headless.press("?");
  EXPECT_NE(host.state.probe.find("keys"), nullptr);
  host.headless.press("escape");
  EXPECT_EQ(host.state.probe.find("keys"), nullptr);
}

}  // namespace hypatia::gui
