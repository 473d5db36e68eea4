// .npy and .npz: what NumPy wrote reads back, what we write NumPy's format says, and damage is
// told.
#include "engine/core/npy.h"

#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>
#include <limits>
#include <sys/resource.h>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/npy_format.h"

#include "tests/engine/core/messages.h"
#include "tests/engine/core/temporary_folder.h"

namespace hypatia {
namespace {

using tests::TemporaryFolder;

template <std::size_t n>
std::string bytes(const char (&text)[n]) {
  return std::string(text, n - 1);
}

// Written by NumPy's save, savez and savez_compressed.
// clang-format off
const std::string fortran_float32 = bytes(
    "\223NUMPY\001\000v\000{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }    "
    "                                                       \012\000\000\000\000\000\000"
    "\220@\000\000\300\077\000\000\300@\000\000@@\000\000\360@");

const std::string big_endian_int16 = bytes(
    "\223NUMPY\001\000v\000{'descr': '>i2', 'fortran_order': False, 'shape': (2, 3), }   "
    "                                                       \012\377\375\377\376\377\377"
    "\000\000\000\001\000\002");

const std::string version_2_booleans = bytes(
    "\223NUMPY\002\000t\000\000\000{'descr': '|b1', 'fortran_order': False, 'shape': (3,)"
    ", }                                                          \012\001\000\001");

const std::string scalar_uint64 = bytes(
    "\223NUMPY\001\000v\000{'descr': '<u8', 'fortran_order': False, 'shape': (), }       "
    "                                                       \012\000\000\000\000\000\000"
    "\000\200");

const std::string empty = bytes(
    "\223NUMPY\001\000v\000{'descr': '|i1', 'fortran_order': False, 'shape': (0, 3), }   "
    "                                                       \012");

const std::string half = bytes(
    "\223NUMPY\001\000v\000{'descr': '<f2', 'fortran_order': False, 'shape': (1,), }     "
    "                                                       \012\000>");

const std::string fields = bytes(
    "\223NUMPY\001\000v\000{'descr': [('a', '<i4'), ('b', '<f8')], 'fortran_order': False"
    ", 'shape': (1,), }                                     \012\001\000\000\000\000\000"
    "\000\000\000\000\000@");

const std::string stored_zip = bytes(
    "PK\003\004-\000\000\000\000\000\000\000!\000d[\252\277\377\377\377\377\377\377\377"
    "\377\005\000\024\000x.npy\001\000\020\000\220\000\000\000\000\000\000\000\220\000"
    "\000\000\000\000\000\000\223NUMPY\001\000v\000{'descr': '<f8', 'fortran_order': Fals"
    "e, 'shape': (2,), }                                                            \012"
    "\000\000\000\000\000\000\360\077\000\000\000\000\000\000\000@PK\003\004-\000\000\000"
    "\000\000\000\000!\000\331\266\272\350\377\377\377\377\377\377\377\377\005\000\024"
    "\000n.npy\001\000\020\000\210\000\000\000\000\000\000\000\210\000\000\000\000\000"
    "\000\000\223NUMPY\001\000v\000{'descr': '<i8', 'fortran_order': False, 'shape': (), "
    "}                                                              \012\003\000\000\000"
    "\000\000\000\000PK\001\002-\003-\000\000\000\000\000\000\000!\000d[\252\277\220\000"
    "\000\000\220\000\000\000\005\000\000\000\000\000\000\000\000\000\000\000\200\001\000"
    "\000\000\000x.npyPK\001\002-\003-\000\000\000\000\000\000\000!\000\331\266\272\350"
    "\210\000\000\000\210\000\000\000\005\000\000\000\000\000\000\000\000\000\000\000\200"
    "\001\307\000\000\000n.npyPK\005\006\000\000\000\000\002\000\002\000f\000\000\000\206"
    "\001\000\000\000\000");

const std::string deflated_zip = bytes(
    "PK\003\004-\000\000\000\010\000\000\000!\000\221\334'N\377\377\377\377\377\377\377"
    "\377\005\000\024\000w.npy\001\000\020\000@\023\000\000\000\000\000\000h\000\000\000"
    "\000\000\000\000\355\3101\016\202@\024\000\321\245\345\024\277\373\222lA\240!\306"
    "\332\016BCAe6\260\204\302\210\33154\204Sxa\361\012V\026\363\272\231w\323\325m\237"
    "\230\325l:\3728\004=\213^\246J\255\350\264\204Wp\217\333\022F\377\375Ww\217\376\370q"
    "vO\177\364\251\310\255\224yfe\227\037\245\006\000\000\000\000\000\000\370c\037PK\003"
    "\004-\000\000\000\010\000\000\000!\0005\374ec\377\377\377\377\377\377\377\377\005"
    "\000\024\000b.npy\001\000\020\000\224\000\000\000\000\000\000\000Q\000\000\000\000"
    "\000\000\000\233\354\027\352\033\020\311\310P\306P\255\236\222Z\234\\\244n\245\240n"
    "\223i\242\256\243\240\236\226_TR\224\230\027\237_\224\222\012\022wK\314)N\005\212"
    "\027g$\026\244\002\371\032\246:\232:\012\265\012\024\000.\006 `\004b& f\006b\026 "
    "\006\000PK\001\002-\003-\000\000\000\010\000\000\000!\000\221\334'Nh\000\000\000@"
    "\023\000\000\005\000\000\000\000\000\000\000\000\000\000\000\200\001\000\000\000\000"
    "w.npyPK\001\002-\003-\000\000\000\010\000\000\000!\0005\374ecQ\000\000\000\224\000"
    "\000\000\005\000\000\000\000\000\000\000\000\000\000\000\200\001\237\000\000\000b.np"
    "yPK\005\006\000\000\000\000\002\000\002\000f\000\000\000'\001\000\000\000\000");

// clang-format on

std::string print_of(const std::string& file) {
  const TemporaryFolder folder;
  const Array a = load_npy(folder.write("a.npy", file));
  return std::string(name(a.dtype())) + " " + to_text(a.dims()) + " " + to_text(a);
}

std::string replaced(std::string text, const std::string& old, const std::string& by) {
  EXPECT_EQ(old.size(), by.size());
  EXPECT_NE(text.find(old), std::string::npos) << old;
  return text.replace(text.find(old), old.size(), by);
}

TEST(Npy, ReadsWhatNumPyWrote) {
  EXPECT_EQ(print_of(fortran_float32), "float32 (2, 3) [[ 0.   1.5  3. ]\n [ 4.5  6.   7.5]]");
  EXPECT_EQ(print_of(big_endian_int16), "int16 (2, 3) [[-3 -2 -1]\n [ 0  1  2]]");
  EXPECT_EQ(print_of(version_2_booleans), "bool (3,) [ True False  True]");
  EXPECT_EQ(print_of(scalar_uint64), "uint64 () 9223372036854775808");
  EXPECT_EQ(print_of(empty), "int8 (0, 3) []");
}

TEST(Npy, EveryDTypeAndLayoutComesBack) {
  const TemporaryFolder folder;
  for (int i = 0; i < dtype_count; ++i) {
    const Array a = Array::arange(24).reshape({2, 3, 4}).astype(static_cast<DType>(i));
    for (const Array& view : {a, a.transpose(), a.slice(2, -1, INT64_MIN, -2), a[1][2][3]}) {
      save_npy(folder / "a.npy", view);
      EXPECT_TRUE(same_elements(load_npy(folder / "a.npy"), view));
    }
  }
  const Array special(
      {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity(), -0.0});
  save_npy(folder / "a.npy", special);
  EXPECT_EQ(to_text(load_npy(folder / "a.npy")), to_text(special));
}

TEST(Npy, TheHeaderIsNumPys) {
  const TemporaryFolder folder;
  save_npy(folder / "a.npy", Array::arange(3, DType::int16));
  std::string expected =
      bytes("\223NUMPY\1\0v\0{'descr': '<i2', 'fortran_order': False, 'shape': (3,), }");
  expected.append(127 - expected.size(), ' ');
  EXPECT_EQ(read_file(folder / "a.npy"), expected + bytes("\n\0\0\1\0\2\0"));
}

TEST(Npy, RefusesWhatItCantHold) {
  const TemporaryFolder folder;
  const std::string at = folder / "a.npy";
  const auto message = [&](const std::string& file) {
    folder.write("a.npy", file);
    return tests::message_of([&] { load_npy(at); });
  };
  EXPECT_EQ(
      message(half),
      at + " holds elements of dtype '<f2', which arrays don't have\n"
           "   help: convert it in NumPy first: a.astype('float64')");
  EXPECT_EQ(
      message(fields),
      at + " holds elements of dtype '[('a', '<i4'), ('b', '<f8')]', which arrays don't have\n"
           "   help: convert it in NumPy first: a.astype('float64')");
  EXPECT_EQ(
      message("PK and more"),
      at + " is no good .npy: it does not begin with NumPy's magic word\n"
           "   help: write it again, by save_npy or numpy.save");
  EXPECT_EQ(
      message(big_endian_int16.substr(0, 130)),
      at + " is no good .npy: it is cut off: elements of shape (2, 3) and dtype int16 need 12 "
           "bytes, and 2 are there\n   help: write it again, by save_npy or numpy.save");
  EXPECT_EQ(
      message(replaced(big_endian_int16, "'shape': (2, 3)", "'shape': [2, 3)")),
      at + " is no good .npy: its header can't be read\n"
           "   help: write it again, by save_npy or numpy.save");
  EXPECT_EQ(
      message(replaced(big_endian_int16, "'shape'", "'shapf'")),
      at + " is no good .npy: its header has the unknown key 'shapf'\n"
           "   help: write it again, by save_npy or numpy.save");
  EXPECT_EQ(
      message(bytes("\223NUMPY\7\0v\0")),
      at + " is no good .npy: its version is 7, not 1 to 3\n"
           "   help: write it again, by save_npy or numpy.save");
  EXPECT_MESSAGE(
      load_npy(folder / "absent.npy"),
      (folder / "absent.npy") +
          " can't be read: No such file or directory\n"
          "   help: check the path: it should name a .npy file");
  EXPECT_MESSAGE(
      load_npy(folder / "."),
      (folder / ".") +
          " can't be read: it is a folder\n   help: check the path: it should name a .npy file");
  EXPECT_MESSAGE(
      load_npz(folder / "absent.npz"),
      (folder / "absent.npz") +
          " can't be read: No such file or directory\n   help: check the path and its folder");
  EXPECT_MESSAGE(load_npz(folder / "."), (folder / ".") + " can't be read: Is a directory");
}

/// Cuts a file at every step-th byte, which must be refused, and flips that byte, which may not
/// crash.
template <class Load>
void damage(const std::string& file, std::size_t step, Load load) {
  const auto refused = [&](const std::string& text) {
    try {
      load(text);
    } catch (const Error&) {
      return true;
    }
    return false;
  };
  for (std::size_t n = 0; n < file.size(); n += step) {
    EXPECT_TRUE(refused(file.substr(0, n))) << "cut at " << n;
    std::string changed = file;
    changed[n] = static_cast<char>(changed[n] ^ 0xff);
    refused(changed);
  }
}

TEST(Npy, NoCutAndNoChangedByteCrashes) {
  for (const std::string& file : {fortran_float32, version_2_booleans}) {
    damage(file, 1, [](const std::string& text) {
      std::size_t at = 0;
      const ReadBytes read = [&](void* to, std::size_t count) {
        return at += count, text.copy(static_cast<char*>(to), count, at - count);
      };
      read_npy(read, text.size(), "memory");
    });
  }
}

TEST(Npz, NoCutAndNoChangedByteCrashes) {
  const TemporaryFolder folder;
  for (const std::string& file : {stored_zip, deflated_zip})
    damage(file, 5, [&](const std::string& text) { load_npz(folder.write("a", text)); });
}

TEST(Npz, ReadsWhatNumPyWrote) {
  const TemporaryFolder folder;
  const NamedArrays stored = load_npz(folder.write("a.npz", stored_zip));
  ASSERT_EQ(stored.size(), 2U);
  EXPECT_EQ(stored[0].first, "x");
  EXPECT_EQ(to_text(stored[0].second), "[ 1.  2.]");
  EXPECT_EQ(to_text(load_npz(folder / "a.npz", "n")), "3");
  folder.write("b.npz", deflated_zip);
  EXPECT_TRUE(
      same_elements(load_npz(folder / "b.npz", "w"), Array::zeros(DType::float64, {20, 30})));
  EXPECT_TRUE(same_elements(load_npz(folder / "b.npz", "b"), Array::arange(5, DType::int32)));
}

TEST(Npz, ComesBack) {
  const TemporaryFolder folder;
  const NamedArrays arrays{
      {"w", Array::zeros(DType::float32, {100, 100})}, {"größe", Array(3)}, {"none", Array()}};
  for (bool compressed : {false, true}) {
    save_npz(folder / "a.npz", arrays, compressed);
    const NamedArrays back = load_npz(folder / "a.npz");
    ASSERT_EQ(back.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(back[i].first, arrays[i].first);
      EXPECT_TRUE(same_elements(back[i].second, arrays[i].second));
    }
    EXPECT_EQ(std::filesystem::file_size(folder / "a.npz") > 40000, !compressed);
  }
  save_npz(folder / "empty.npz", {});
  EXPECT_TRUE(load_npz(folder / "empty.npz").empty());
}

TEST(Npz, RefusesBadNamesAndDamage) {
  const TemporaryFolder folder;
  const std::string at = folder / "a.npz";
  EXPECT_MESSAGE(
      save_npz(at, {{"w", Array()}, {"w", Array()}}), at + ": two arrays have the name 'w'");
  EXPECT_MESSAGE(save_npz(at, {{"", Array()}}), at + ": an array in a .npz needs a name");
  EXPECT_FALSE(std::filesystem::exists(at));
  folder.write(
      "a.npz", replaced(stored_zip, bytes("\0\0\0\0\0\0\360\077"), bytes("\0\0\0\0\0\0\361\077")));
  EXPECT_MESSAGE(
      load_npz(at),
      at + " is no good .npz: the member x.npy does not match its checksum\n"
           "   help: write it again, by save_npz or numpy.savez");
  EXPECT_MESSAGE(load_npz(at, "v"), at + " holds no array 'v'\n   help: it holds x, n");
  folder.write("a.npz", stored_zip.substr(0, 100));
  EXPECT_MESSAGE(
      load_npz(at),
      at + " is no good .npz: it is cut off, or no zip at all\n"
           "   help: write it again, by save_npz or numpy.savez");
}

TEST(NewFile, LeavesTheOldFileWhereTheNewOneFails) {
  const TemporaryFolder folder;
  const std::string at = folder / "a.npy";
  save_npy(at, Array({1}));
  const std::string old = read_file(at);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  rlimit small = limit;
  small.rlim_cur = 1000;
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string message =
      tests::message_of([&] { save_npy(at, Array::zeros(DType::float64, {1000})); });
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(message, at + " can't be written: File too large");
  EXPECT_EQ(read_file(at), old);
  const std::filesystem::directory_iterator files(folder / ""), end;
  EXPECT_EQ(std::distance(files, end), 1) << "nothing half-written stays";
}

TEST(NewFile, SaysWhyAFileCantBeWrittenOrRead) {
  const TemporaryFolder folder;
  EXPECT_MESSAGE(
      write_file(folder / "no/a", "x"),
      (folder / "no/a") +
          " can't be written: No such file or directory\n"
          "   help: check the path and its folder");
  EXPECT_MESSAGE(
      read_file(folder / "no"),
      (folder / "no") +
          " can't be read: No such file or directory\n"
          "   help: check the path and its folder");
  {
    NewFile file(folder / "a");
    file.write("half");
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "a"));
  write_file(folder / "a", "whole");
  EXPECT_EQ(read_file(folder / "a"), "whole");
}

}  // namespace
}  // namespace hypatia
