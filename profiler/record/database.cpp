// The SQLite calls, and the sentences for their failures.

#include "profiler/record/database.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sqlite3.h>

#include "engine/core/error.h"

namespace hypatia {

namespace {

/// Refuses what SQLite would take for an empty database, or refuse in its own words.
void check_magic(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw Error(
        Error::Kind::file,
        "can't open the recording \"" + path + "\": " + std::strerror(errno),
        "Recordings are .hyp files; `hypatia run NN --profile FILE` makes one.");
  }
  char magic[16]{};
  file.read(magic, sizeof magic);
  if (file.gcount() != sizeof magic || std::memcmp(magic, "SQLite format 3", 16) != 0) {
    throw Error(
        Error::Kind::file,
        "\"" + path + "\" is not a recording",
        "Recordings are .hyp files that a profiled run writes; this file is something else, or it "
        "was cut before its first bytes were written.");
  }
}

}  // namespace

Database::Database(const std::string& path, Mode mode) : path_(path) {
  if (mode == Mode::read) {
    open_to_read();
  } else if (
      const int code = sqlite3_open_v2(
          path.c_str(), &handle_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr)) {
    const std::string reason = sqlite3_errmsg(handle_);
    sqlite3_close(handle_);
    handle_ = nullptr;
    throw Error(
        Error::Kind::file,
        "can't write the recording \"" + path + "\": " + reason,
        code == SQLITE_CANTOPEN ? "Check that its folder exists and that you may write there."
                                : "Choose another file.");
  }
  sqlite3_busy_timeout(handle_, 2000);
}

/// A killed program leaves a log beside the file that only a writing connection can take in, so
/// that is tried first; a file on a read-only disk is opened as it is.
void Database::open_to_read() {
  check_magic(path_);
  int code = sqlite3_open_v2(path_.c_str(), &handle_, SQLITE_OPEN_READWRITE, nullptr);
  if (code == SQLITE_OK) {
    code = sqlite3_exec(handle_, "SELECT count(*) FROM sqlite_schema", nullptr, nullptr, nullptr);
  }
  if (code == SQLITE_CANTOPEN || code == SQLITE_READONLY) {
    sqlite3_close(handle_);
    const std::string uri = "file:" + path_ + "?immutable=1";
    code = sqlite3_open_v2(uri.c_str(), &handle_, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
  }
  if (code != SQLITE_OK) {
    const std::string reason = sqlite3_errmsg(handle_);
    sqlite3_close(handle_);
    handle_ = nullptr;
    throw Error(
        Error::Kind::file,
        "the recording \"" + path_ + "\" can't be read: " + reason,
        "It is damaged or was cut; record again.");
  }
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_limit(handle_, SQLITE_LIMIT_LENGTH, 256 << 20);
  sqlite3_exec(handle_, "PRAGMA cell_size_check=ON", nullptr, nullptr, nullptr);
}

Database::~Database() {
  sqlite3_close_v2(handle_);
}

void Database::run(const char* statements) {
  if (const int code = sqlite3_exec(handle_, statements, nullptr, nullptr, nullptr)) fail(code);
}

std::int64_t Database::number(const char* query) {
  Statement statement(*this, query);
  return statement.next() ? statement.integer(0) : 0;
}

void Database::fail(int code) const {
  const std::string reason = sqlite3_errmsg(handle_);
  switch (code & 0xff) {
    case SQLITE_FULL:
    case SQLITE_IOERR:
      throw Error(
          Error::Kind::file,
          "the disk gave out while writing \"" + path_ + "\": " + reason,
          "Free some space, or record fewer calls with a schedule.");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw Error(
          Error::Kind::file,
          "another program holds the recording \"" + path_ + "\"",
          "Close it there, or copy the file.");
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      throw Error(
          Error::Kind::file,
          "can't write the recording \"" + path_ + "\": " + reason,
          "Check that its folder exists and that you may write there.");
    default:
      throw Error(
          Error::Kind::file,
          "the recording \"" + path_ + "\" can't be read: " + reason,
          "It is damaged or was cut; record again.");
  }
}

Statement::Statement(Database& database, std::string_view query) : database_(database) {
  check(sqlite3_prepare_v2(
      database.handle(), query.data(), static_cast<int>(query.size()), &handle_, nullptr));
}

Statement::~Statement() {
  sqlite3_finalize(handle_);
}

void Statement::check(int code) const {
  if (code != SQLITE_OK) database_.fail(code);
}

bool Statement::next() {
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_.fail(code);
  return false;
}

void Statement::execute() {
  const int code = sqlite3_step(handle_);
  const int reset = sqlite3_reset(handle_);
  if (code != SQLITE_DONE && code != SQLITE_ROW) database_.fail(reset ? reset : code);
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(handle_, column);
}

double Statement::real(int column) const {
  return sqlite3_column_double(handle_, column);
}

std::string_view Statement::text(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(handle_, column));
  const int size = sqlite3_column_bytes(handle_, column);
  return bytes ? std::string_view(bytes, static_cast<std::size_t>(size)) : std::string_view();
}

std::span<const std::byte> Statement::blob(int column) const {
  const auto* bytes = static_cast<const std::byte*>(sqlite3_column_blob(handle_, column));
  const int size = sqlite3_column_bytes(handle_, column);
  return {bytes, bytes ? static_cast<std::size_t>(size) : 0};
}

void Statement::set_integer(int position, std::int64_t value) {
  check(sqlite3_bind_int64(handle_, position, value));
}

void Statement::set(int position, double value) {
  check(sqlite3_bind_double(handle_, position, value));
}

void Statement::set(int position, std::string_view value) {
  check(sqlite3_bind_text64(
      handle_,
      position,
      value.data() ? value.data() : "",
      value.size(),
      SQLITE_TRANSIENT,
      SQLITE_UTF8));
}

void Statement::set(int position, std::span<const std::byte> value) {
  check(sqlite3_bind_blob64(handle_, position, value.data(), value.size(), SQLITE_TRANSIENT));
}

Transaction::~Transaction() {
  if (!done_) sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

}  // namespace hypatia
