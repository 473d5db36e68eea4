#if __has_include(<cuda.h>)
#include "engine/device/cuda/memory.h"

#include <gtest/gtest.h>

#include "engine/core/error.h"
#include "engine/device/cuda/pinned.h"

#include "tests/engine/device/cuda/fake_driver.h"

namespace hypatia {
namespace {

class FakeAccess final : public MemoryAccess {
 public:
  void settle() override {}

  void read_device(const void* from, void* to, std::size_t bytes) override {
    std::memcpy(to, from, bytes);
  }

  void write_device(void* to, const void* from, std::size_t bytes) override {
    std::memcpy(to, from, bytes);
  }

  std::vector<CUstream> side_streams() override { return side; }

  std::vector<CUstream> side;
};

class MemoryTest : public testing::Test {
 protected:
  void SetUp() override { fake_state().busy = false; }

  Driver driver_ = fake_driver();
  Context context_{driver_, 0, nullptr, "cuda0"};
  FakeAccess access_;
};

TEST_F(MemoryTest, ReusesAtOnceOnTheDefaultQueue) {
  DeviceMemory memory(context_, access_, Place{0}, {});
  const void* first = memory.allocate(1000)->data();
  fake_state().busy = true;
  EXPECT_EQ(memory.allocate(1000)->data(), first);
  EXPECT_EQ(memory.memory().live, 0U);
}

TEST_F(MemoryTest, RestsUntilSideQueuesAreDone) {
  DeviceMemory memory(context_, access_, Place{0}, {});
  access_.side.push_back(reinterpret_cast<CUstream>(std::uintptr_t{8}));
  fake_state().busy = true;
  const void* first = memory.allocate(1000)->data();
  EXPECT_NE(memory.allocate(1000)->data(), first) << "its reader may still run";
  fake_state().busy = false;
  EXPECT_EQ(memory.allocate(1000)->data(), first);
}

TEST_F(MemoryTest, WaitsForRestingMemoryBeforeItGivesUp) {
  CudaSettings settings;
  settings.memory_limit = 64U << 20U;
  DeviceMemory memory(context_, access_, Place{0}, settings);
  access_.side.push_back(reinterpret_cast<CUstream>(std::uintptr_t{8}));
  fake_state().busy = true;
  memory.allocate(60U << 20U);
  EXPECT_NO_THROW(memory.allocate(50U << 20U));
}

TEST_F(MemoryTest, SaysWhatIsAskedAndWhatIsLive) {
  CudaSettings settings;
  settings.memory_limit = 64U << 20U;
  DeviceMemory memory(context_, access_, Place{0}, settings);
  const Ref<Storage> some = memory.allocate(16U << 20U);
  try {
    memory.allocate(60U << 20U);
    FAIL() << "it was there";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::memory);
    EXPECT_EQ(
        error.summary(),
        "cuda0 has no 60.0 MiB left for an array: 16.0 MiB are live in 1 arrays, 48.0 MiB lie free "
        "in the pool, and the pool may hold 64.0 MiB");
  }
  EXPECT_NO_THROW(memory.allocate(16U << 20U));
}

TEST_F(MemoryTest, GivesBackAtOnceWithoutPooling) {
  const int before = fake_state().allocations;
  CudaSettings settings;
  settings.preallocate = -1;
  DeviceMemory memory(context_, access_, Place{0}, settings);
  memory.allocate(5000);
  EXPECT_EQ(fake_state().allocations, before);
  EXPECT_EQ(memory.memory().pooled, 0U);
}

TEST_F(MemoryTest, PinnedMemoryRestsWhileACopyUsesIt) {
  PinnedMemory pinned(context_);
  Ref<Storage> result = pinned.allocate(1000);
  const void* first = result->data();
  pinned.own(*result)->mark(nullptr);
  fake_state().busy = true;
  result = nullptr;
  EXPECT_NE(pinned.allocate(1000)->data(), first);
  fake_state().busy = false;
  EXPECT_EQ(pinned.allocate(1000)->data(), first);
}

TEST_F(MemoryTest, PinnedMemoryIsFoundByAddress) {
  PinnedMemory pinned(context_);
  const Ref<Storage> a = pinned.allocate(10'000), b = pinned.allocate(100);
  char* inside = static_cast<char*>(a->data()) + 5000;
  EXPECT_TRUE(pinned.find(inside, 5000) == a);
  EXPECT_FALSE(pinned.find(inside, 5001)) << "part of it is not ours";
  EXPECT_TRUE(pinned.find(b->data(), 100) == b);
  char other = 0;
  EXPECT_FALSE(pinned.find(&other, 1));
  EXPECT_EQ(pinned.own(*allocate_host(10)), nullptr);
}

TEST_F(MemoryTest, ReadsSizesAsPeopleDo) {
  EXPECT_EQ(readable_bytes(0), "0 bytes");
  EXPECT_EQ(readable_bytes(1023), "1023 bytes");
  EXPECT_EQ(readable_bytes(1536), "1.5 KiB");
  EXPECT_EQ(readable_bytes(std::size_t{5} << 40U), "5.0 TiB");
}

TEST_F(MemoryTest, ContextTellsALostOneFromAnError) {
  const std::string* name = context_.keep_name("train");
  try {
    context_.check_launch(CUDA_ERROR_INVALID_VALUE, name);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.summary().find("a launch of kernel 'train' failed"), std::string::npos);
  }
  EXPECT_FALSE(context_.lost());
  context_.launched(name);
  EXPECT_THROW(context_.check(CUDA_ERROR_ILLEGAL_ADDRESS, "waiting"), Error);
  EXPECT_TRUE(context_.lost());
  try {
    context_.check(CUDA_ERROR_ILLEGAL_ADDRESS, "an allocation");
    FAIL();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("the context is lost"), std::string::npos) << text;
    EXPECT_NE(text.find("in kernel 'train'"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace hypatia
#endif
