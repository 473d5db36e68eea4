// hypatia-gui: the window, or with --screenshot a picture of a view without any display.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

#include "gui/app/demo.h"
#include "gui/app/headless.h"
#include "gui/app/measure.h"
#include "gui/app/session.h"
#include "gui/app/window.h"
#include "gui/views/views.h"

namespace {

using namespace hypatia;
using namespace hypatia::gui;

struct Options {
  std::vector<std::string> files, demos;
  std::string screenshot, view, size = "1280x720", script, theme, marks;
  double scale = 1;
  int node = -1;
  bool list_views = false, measure = false;
};

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Error(Error::Kind::file, "can't read the script " + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void check_view(const std::string& name) {
  if (name.empty() || find_view(name.c_str())) return;
  std::string all;
  for (const View& view : views())
    all += (all.empty() ? "" : ", ") + std::string(view.name);
  throw Error(Error::Kind::value, "there is no view '" + name + "'", "choose one of " + all);
}

std::string demo_list() {
  std::string all;
  for (const std::string& name : demo_names())
    all += (all.empty() ? "" : ", ") + name;
  return all;
}

void take_picture(AppState& state, const Options& options) {
  int width = 0, height = 0;
  char rest = 0;
  if (std::sscanf(options.size.c_str(), "%dx%d%c", &width, &height, &rest) != 2 || width < 200 ||
      height < 150 || width > 16000 || height > 16000)
    throw Error(
        Error::Kind::value,
        "--size is WIDTHxHEIGHT in pixels, from 200x150 to 16000x16000; came '" + options.size +
            "'",
        "for example --size 1280x720");
  Headless host(state, width, height);
  host.settle();
  if (options.node >= 0) run_script(host, "select " + std::to_string(options.node));
  if (!options.script.empty()) run_script(host, read_file(options.script));
  host.settle();
  write_png(host.picture(), options.screenshot);
  for (const auto& document : state.documents)
    if (!document->profile()) throw Error(Error::Kind::file, document->error());
}

void print_measured(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    const Measured measured = measure(file);
    std::printf("%s\nopened in %.0f ms\n", file.c_str(), measured.open_seconds * 1e3);
    for (const FrameTime& frame : measured.frames)
      std::printf(
          "%14.0f ns visible: frame built in %.2f ms\n", frame.visible, frame.seconds * 1e3);
    std::printf("slowest frame %.2f ms\n", measured.slowest_frame * 1e3);
  }
}

int run(const Options& options) {
  if (options.list_views) {
    for (const View& view : views())
      std::printf("%-12s %s\n", view.name, view.question);
    return 0;
  }
  if (options.measure) {
    print_measured(options.files);
    return 0;
  }
  check_view(options.view);
  AppState state;
  const bool window = options.screenshot.empty();
  if (window) load_session(state);
  if (options.theme == "light") state.theme = Theme::light;
  if (options.theme == "dark") state.theme = Theme::dark;
  if (options.scale != 1) state.user_scale = static_cast<float>(options.scale);
  for (const std::string& file : options.files)
    state.open(file);
  for (const std::string& name : options.demos)
    state.documents.push_back(std::make_unique<Document>(make_demo(name), ""));
  state.show(0);
  if (state.documents.size() > 1) state.baseline = 1;
  if (state.documents.empty()) state.settings.view = "course";
  if (!options.view.empty()) state.settings.view = options.view;
  if (!window) {
    take_picture(state, options);
    return 0;
  }
  state.marks_path = options.marks;
  run_window(state);
  save_session(state);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Explore recordings of Hypatia.", "hypatia-gui");
  app.add_option("FILE", options.files, "recordings (.hyp); the second is compared with the first");
  app.add_option("--demo", options.demos, "show made-up recordings: " + demo_list());
  app.add_option("--screenshot", options.screenshot, "draw a PNG instead of opening a window");
  app.add_option("--view", options.view, "the view to show first");
  app.add_option("--size", options.size, "of the picture, WIDTHxHEIGHT")->capture_default_str();
  app.add_option("--script", options.script, "what to do before the picture is taken");
  app.add_option("--node", options.node, "select the node at this position, from 0");
  app.add_option("--theme", options.theme)->check(CLI::IsMember({"dark", "light"}));
  app.add_option("--scale", options.scale, "of everything, 0.5 to 3")->check(CLI::Range(0.5, 3.0));
  app.add_option("--marks", options.marks, "write where everything is drawn, for other programs");
  app.add_flag("--list-views", options.list_views, "print the views' names");
  app.add_flag("--measure", options.measure, "print how long opening and drawing take, and end");
  CLI11_PARSE(app, argc, argv);
  try {
    return run(options);
  } catch (const std::exception& error) {
    std::cerr << "hypatia gui: " << error.what() << '\n';
    return 2;
  }
}
