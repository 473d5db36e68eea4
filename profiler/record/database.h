#pragma once
// SQLite with our errors: a connection and a prepared statement, and what its codes mean to users.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace hypatia {

/// A connection; closed with the object. Used by one thread at a time.
class Database {
 public:
  enum class Mode { create, read };

  /// Throws Error of kind file: absent, not writable, not a database, damaged.
  Database(const std::string& path, Mode mode);
  ~Database();

  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Runs statements that return nothing that matters.
  void run(const char* statements);
  /// The first column of the first row.
  std::int64_t number(const char* query);

  sqlite3* handle() const { return handle_; }

  const std::string& path() const { return path_; }

  /// Turns SQLite's code into an Error of kind file.
  [[noreturn]] void fail(int code) const;

 private:
  void open_to_read();

  std::string path_;
  sqlite3* handle_ = nullptr;
};

/// A prepared statement. Bind from 1, read columns from 0.
class Statement {
 public:
  Statement(Database& database, std::string_view query);
  ~Statement();

  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  /// Binds all parameters in order.
  template <typename... Values>
  Statement& bind(const Values&... values) {
    int position = 0;
    (set(++position, values), ...);
    return *this;
  }

  /// Moves to the next row; false after the last one.
  bool next();
  /// Runs to the end and makes the statement ready for the next values.
  void execute();

  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string_view text(int column) const;
  std::span<const std::byte> blob(int column) const;

 private:
  void set(int position, double value);
  void set(int position, std::string_view value);
  void set(int position, std::span<const std::byte> value);
  void set_integer(int position, std::int64_t value);

  template <typename Integer>
  requires std::is_integral_v<Integer>

  void set(int position, Integer value) { set_integer(position, static_cast<std::int64_t>(value)); }

  void set(int position, const std::string& value) { set(position, std::string_view(value)); }

  void set(int position, const char* value) { set(position, std::string_view(value)); }

  void check(int code) const;

  Database& database_;
  sqlite3_stmt* handle_ = nullptr;
};

/// Commits when `commit` is called, else undoes.
class Transaction {
 public:
  explicit Transaction(Database& database) : database_(database) { database_.run("BEGIN"); }

  ~Transaction();

  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void commit() {
    database_.run("COMMIT");
    done_ = true;
  }

 private:
  Database& database_;
  bool done_ = false;
};

}  // namespace hypatia
