#include "exercises/runner/terminal.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "exercises/runner/process.h"

namespace hypatia::runner {

namespace {

constexpr char control_c = 3, control_d = 4;

// As it was at the start; plain data, because a signal handler reads it.
termios& as_it_was() {
  static termios mode{};
  return mode;
}

void restore() {
  ::tcsetattr(STDIN_FILENO, TCSADRAIN, &as_it_was());
}

}  // namespace

bool at_a_terminal() {
  return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1;
}

Keys::Keys() {
  ::tcgetattr(STDIN_FILENO, &as_it_was());
  on_interrupt(restore);
  resume();
}

Keys::~Keys() {
  on_interrupt(nullptr);
  restore();
}

void Keys::pause() {
  restore();
}

void Keys::resume() {
  termios keys = as_it_was();
  keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);
  keys.c_cc[VMIN] = 1;
  keys.c_cc[VTIME] = 0;
  ::tcsetattr(STDIN_FILENO, TCSADRAIN, &keys);
}

char Keys::next(int milliseconds, int other) {
  std::array<pollfd, 2> watched{pollfd{STDIN_FILENO, POLLIN, 0}, pollfd{other, POLLIN, 0}};
  if (::poll(watched.data(), watched.size(), milliseconds) <= 0) return 0;
  if (watched[0].revents == 0) return 0;
  char key = 0;
  const ssize_t got = ::read(STDIN_FILENO, &key, 1);
  if (got < 0 && errno == EINTR) return 0;
  return got <= 0 || key == control_c || key == control_d ? 'q' : key;
}

std::size_t terminal_columns(int descriptor) {
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void clear_screen() {
  std::printf("\033[H\033[2J");
  std::fflush(stdout);
}

}  // namespace hypatia::runner
