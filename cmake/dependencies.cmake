# The Debian packages the suite builds on. What is missing is named by `hypatia doctor`; nothing is downloaded here.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(GTest QUIET)
find_package(benchmark QUIET)

pkg_check_modules(IMGUI QUIET IMPORTED_TARGET imgui)
pkg_check_modules(STB QUIET IMPORTED_TARGET stb)
find_package(glfw3 3.3 QUIET)
find_package(OpenGL QUIET COMPONENTS OpenGL OPTIONAL_COMPONENTS EGL)
if(IMGUI_FOUND AND STB_FOUND AND glfw3_FOUND AND TARGET OpenGL::GL)
  set(HYPATIA_HAVE_GUI_PACKAGES ON)
endif()

# Only the toolkit's headers are needed to build; its libraries are loaded at run time.
if(HYPATIA_CUDA)
  find_path(HYPATIA_CUDA_INCLUDE cuda.h HINTS $ENV{CUDA_HOME}/include $ENV{CUDA_PATH}/include
    PATHS /usr/local/cuda/include /usr/lib/cuda/include /opt/cuda/include)
endif()
