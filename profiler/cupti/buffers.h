#pragma once
// The memory that CUPTI fills. It asks for buffers on the program's threads, so they are made
// beforehand; full ones wait here until the writer's thread reads them.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace hypatia::cupti {

class BufferPool {
 public:
  static constexpr std::size_t buffer_size = std::size_t{1} << 20;

  struct Filled {
    std::uint8_t* data;
    std::size_t valid;
  };

  BufferPool();

  /// Never null: a null would crash CUPTI before 12.9.
  std::uint8_t* take();
  void give_back(std::uint8_t* buffer);

  void complete(std::uint8_t* buffer, std::size_t valid);
  std::vector<Filled> take_filled();

  /// Nobody reads until `expect_reader(true)`: meanwhile only the latest buffers are kept.
  void expect_reader(bool expected);

 private:
  struct alignas(8) Buffer {
    std::uint8_t bytes[buffer_size];
  };

  std::mutex mutex_;  // never held around a call of CUPTI
  std::vector<std::unique_ptr<Buffer>> all_;
  std::vector<std::uint8_t*> free_;
  std::vector<Filled> filled_;
  bool reader_expected_ = false;
};

}  // namespace hypatia::cupti
