#pragma once
// A GUI without a display on made-up recordings, as every GUI test needs it.

#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <string>

#include "gui/app/demo.h"
#include "gui/app/headless.h"

namespace hypatia::gui {

/// State and host together; the host lives in the state's scope.
struct Host {
  explicit Host(std::initializer_list<const char*> demos, int width = 1280, int height = 720)
      : headless(state, width, height) {
    setenv("HYPATIA_COMMAND", "/bin/false", 1);  // the course is not what these tests are about
    for (const char* name : demos)
      state.documents.push_back(std::make_unique<Document>(make_demo(name)));
    state.show(0);
    headless.settle();
  }

  void view(const std::string& name) {
    state.settings.view = name;
    headless.settle();
  }

  AppState state;
  Headless headless;
};

}  // namespace hypatia::gui
