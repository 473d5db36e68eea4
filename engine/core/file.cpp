// Whole files by rename, with the reasons of the system.

#include "engine/core/file.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "engine/core/error.h"

namespace hypatia {

namespace {

Error file_error(const std::string& path, const char* verb, int code) {
  const char* help = code == ENOSPC || code == EDQUOT    ? "free some space on that disk"
                     : code == ENOENT || code == ENOTDIR ? "check the path and its folder"
                     : code == EISDIR && *verb == 'w'    ? "that is a folder: name a file in it"
                     : code == EACCES || code == EROFS
                         ? "check the permissions, or choose another folder"
                         : "";
  return Error(Error::Kind::file, path + " can't be " + verb + ": " + std::strerror(code), help);
}

std::atomic<unsigned> made{0};

/// True for devices, pipes and what stands for an open file, which a rename would replace.
bool is_written_in_place(const std::string& path) {
  struct stat about {};

  if (path.starts_with("/dev/") || path.starts_with("/proc/")) return true;
  return stat(path.c_str(), &about) == 0 && !S_ISREG(about.st_mode);
}

}  // namespace

NewFile::NewFile(const std::string& path) : path_(path) {
  if (is_written_in_place(path)) {
    descriptor_ = open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (descriptor_ < 0) throw file_error(path_, "written", errno);
    return;
  }
  do {
    temporary_ = path + ".new-" + std::to_string(getpid()) + "-" + std::to_string(made++);
    descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0) throw file_error(path_, "written", errno);
}

NewFile::~NewFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void NewFile::fail() {
  throw file_error(path_, "written", errno);
}

void NewFile::write(const void* bytes, std::size_t count) {
  const char* at = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t written = ::write(descriptor_, at, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail();
    at += written;
    count -= static_cast<std::size_t>(written);
  }
}

void NewFile::write(std::string_view text) {
  write(text.data(), text.size());
}

void NewFile::commit() {
  const int descriptor = std::exchange(descriptor_, -1);
  const bool in_place = temporary_.empty();
  if (close(descriptor) == 0 && (in_place || rename(temporary_.c_str(), path_.c_str()) == 0))
    return;
  const int code = errno;
  if (!in_place) unlink(temporary_.c_str());
  throw file_error(path_, "written", code);
}

void require_writable(const std::string& path) {
  const NewFile file(path);
}

void write_file(const std::string& path, std::string_view text) {
  NewFile file(path);
  file.write(text);
  file.commit();
}

std::string read_file(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw file_error(path, "read", errno);
  std::string text;

  struct stat about {};

  if (fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode))
    text.reserve(static_cast<std::size_t>(about.st_size));
  char buffer[65536];
  while (true) {
    const ssize_t got = read(descriptor, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    const int code = errno;
    if (got <= 0) close(descriptor);
    if (got < 0) throw file_error(path, "read", code);
    if (got == 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
  }
}

}  // namespace hypatia
