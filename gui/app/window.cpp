// Frames are drawn after input, and three more so that ImGui settles; then glfwWaitEventsTimeout.

#include "gui/app/window.h"

#include <GLFW/glfw3.h>
#include <algorithm>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <cmath>
#include <string>

#include "gui/app/base.h"
#include "gui/app/fonts.h"
#include "gui/app/headless.h"
#include "gui/app/ui.h"

namespace hypatia::gui {

namespace {

std::string last_error() {
  const char* text = nullptr;
  glfwGetError(&text);
  return text ? text : "no reason given";
}

[[noreturn]] void no_window(const std::string& why) {
  throw Error(
      Error::Kind::device,
      "no window can be opened: " + why,
      "without a display, `hypatia gui FILE --screenshot view.png` draws a picture and "
      "`hypatia profile FILE --text` prints the report");
}

/// GLFW, its window and ImGui's two backends, taken down in order.
class Window {
 public:
  explicit Window(AppState& state) : state_(state) {
    if (!glfwInit()) no_window(last_error());
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    window_ = glfwCreateWindow(1440, 860, "Hypatia", nullptr, nullptr);
    if (!window_) {
      const std::string why = last_error();
      glfwTerminate();
      no_window(why);
    }
    glfwMakeContextCurrent(window_);
    glfwSwapInterval(1);
    glfwSetWindowUserPointer(window_, this);
    glfwSetDropCallback(window_, dropped);
    if (!state_.marks_path.empty()) state_.probe.enable();
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    ImGui_ImplGlfw_InitForOpenGL(window_, true);
    ImGui_ImplOpenGL3_Init("#version 330");
  }

  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  ~Window() {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
    glfwDestroyWindow(window_);
    glfwTerminate();
  }

  void run() {
    int frames_left = 3;
    while (!glfwWindowShouldClose(window_) && !state_.requests.quit) {
      if (frames_left > 0) {
        glfwPollEvents();
      } else {
        const double before = glfwGetTime();
        const double patience = std::clamp(state_.requests.wake_after, 0.01, 3600.0);
        glfwWaitEventsTimeout(patience);
        if (glfwGetTime() - before < patience * 0.95) frames_left = 3;
      }
      --frames_left;
      frames_left = std::max(frames_left, 0);
      if (ImGui::IsAnyMouseDown()) frames_left = 3;
      if (!glfwGetWindowAttrib(window_, GLFW_ICONIFIED)) draw();
    }
  }

 private:
  static void dropped(GLFWwindow* window, int count, const char** paths) {
    auto* self = static_cast<Window*>(glfwGetWindowUserPointer(window));
    for (int i = 0; i < count; ++i)
      self->state_.open(paths[i]);
  }

  void apply_look() {
    float across = 1, down = 1;
    glfwGetWindowContentScale(window_, &across, &down);
    state_.display_scale = across;
    if (built_scale_ != state_.scale()) {
      build_fonts(state_.scale());
      ImGui_ImplOpenGL3_DestroyFontsTexture();
      ImGui_ImplOpenGL3_CreateFontsTexture();
    }
    if (built_scale_ != state_.scale() || built_theme_ != state_.theme)
      apply_theme(state_.theme, state_.scale());
    built_scale_ = state_.scale();
    built_theme_ = state_.theme;
  }

  void draw() {
    apply_look();
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    ImGui::NewFrame();
    Ui::frame(state_);
    ImGui::Render();
    int width = 0, height = 0;
    glfwGetFramebufferSize(window_, &width, &height);
    glViewport(0, 0, width, height);
    const ImVec4 ground = color_vector(Tone::background);
    glClearColor(ground.x, ground.y, ground.z, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    if (state_.requests.screenshot) take_picture(width, height);
    glfwSwapBuffers(window_);
    if (!state_.marks_path.empty()) state_.probe.write(state_.marks_path);
  }

  void take_picture(int width, int height) {
    state_.requests.screenshot = false;
    Image image;
    image.width = width;
    image.height = height;
    const auto row = static_cast<std::ptrdiff_t>(width);
    image.pixels.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, image.pixels.data());
    for (std::ptrdiff_t y = 0; y < height / 2; ++y)
      std::swap_ranges(
          image.pixels.begin() + y * row,
          image.pixels.begin() + (y + 1) * row,
          image.pixels.begin() + (height - 1 - y) * row);
    const std::string path = "hypatia-" + state_.settings.view + ".png";
    try {
      write_png(image, path);
      state_.say("The picture is in " + path);
    } catch (const Error& error) {
      state_.say(error.summary());
    }
  }

  AppState& state_;
  GLFWwindow* window_ = nullptr;
  float built_scale_ = 0;
  Theme built_theme_ = Theme::dark;
};

}  // namespace

void run_window(AppState& state) {
  Window window(state);
  window.run();
}

}  // namespace hypatia::gui
