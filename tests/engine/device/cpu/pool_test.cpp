// The pool covers every item once, from any thread, nested, failing, crowded and after a fork.
#include "engine/device/cpu/pool.h"

#include <array>
#include <atomic>
#include <gtest/gtest.h>
#include <mutex>
#include <numeric>
#include <pthread.h>
#include <sched.h>
#include <set>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "engine/core/cores.h"

namespace hypatia {
namespace {

/// How often each item was covered by one run.
std::vector<int> cover(Pool& pool, std::int64_t items, std::int64_t grain) {
  std::vector<int> times(static_cast<std::size_t>(items), 0);
  pool.each(items, grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i)
      ++times[static_cast<std::size_t>(i)];
  });
  return times;
}

TEST(Pool, NamesItsThreads) {
  Pool pool(3);
  std::mutex mutex;
  std::set<std::string> names;
  // Items long enough to be worth a sleeping thread's wake-up, until each thread had one.
  for (int tries = 0; tries < 1000 && names.size() < 3; ++tries) {
    pool.each(3, 1, [&](std::int64_t, std::int64_t) {
      std::array<char, 16> name{};
      pthread_getname_np(pthread_self(), name.data(), name.size());
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      const std::scoped_lock lock(mutex);
      names.insert(name.data());
    });
  }
  EXPECT_EQ(names.size(), 3u);
  EXPECT_TRUE(names.contains("hypatia cpu 1") && names.contains("hypatia cpu 2"));
}

TEST(Pool, SharesItemsEvenly) {
  for (const int parts : {1, 2, 3, 4, 7, 16}) {
    for (const std::int64_t items : {1, 2, 4, 15, 16, 17, 1000, 65'537, 300'000, 10'000'000}) {
      std::int64_t at = 0;
      for (int part = 0; part < parts; ++part) {
        const std::int64_t begin = at;
        for (int piece = 0; piece < pieces_per_part; ++piece) {
          const auto [first, last] = piece_of_part(items, parts, part, piece);
          ASSERT_EQ(first, at) << items << " items, part " << part << " of " << parts;
          at = last;
        }
        const std::int64_t most = (items + parts - 1) / parts;
        EXPECT_LE(at - begin, most < 4096 ? most : most + 64) << items << " by " << parts;
      }
      EXPECT_EQ(at, items);
    }
  }
}

TEST(Pool, CoversEveryItemOnce) {
  for (const int threads : {1, 2, 3, 4, 7}) {
    Pool pool(threads);
    for (const std::int64_t items : {0, 1, 2, 15, 16, 17, 1000, 65'537, 300'000}) {
      const std::vector<int> times = cover(pool, items, 1);
      EXPECT_EQ(std::accumulate(times.begin(), times.end(), std::int64_t{0}), items);
      for (const int t : times)
        ASSERT_EQ(t, 1) << threads << " threads, " << items << " items";
    }
  }
}

TEST(Pool, ShowsEachRunWhatTheOneBeforeWrote) {
  Pool pool(4);
  std::vector<std::int64_t> now(4096, 0), next(4096, 0);
  for (int round = 1; round <= 2000; ++round) {
    pool.each(4096, 1, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i)
        next[static_cast<std::size_t>(i)] = now[static_cast<std::size_t>(4095 - i)] + 1;
    });
    std::swap(now, next);
    ASSERT_EQ(now, std::vector<std::int64_t>(4096, round));
  }
}

TEST(Pool, StaysBelowGrainOnTheCaller) {
  Pool pool(4);
  const std::thread::id caller = std::this_thread::get_id();
  pool.each(1000, 1000, [&](std::int64_t first, std::int64_t last) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_EQ(last - first, 1000);
  });
}

TEST(Pool, RunsNestedRangesInPlace) {
  Pool pool(4);
  std::atomic<std::int64_t> inner{0};
  pool.each(64, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const std::thread::id outer = std::this_thread::get_id();
      pool.each(100, 1, [&](std::int64_t from, std::int64_t to) {
        EXPECT_EQ(std::this_thread::get_id(), outer);
        inner += to - from;
      });
    }
  });
  EXPECT_EQ(inner, 6400);
}

TEST(Pool, RethrowsTheFirstFailureAndGoesOn) {
  Pool pool(4);
  for (int round = 0; round < 50; ++round) {
    EXPECT_THROW(
        pool.each(
            10'000,
            1,
            [&](std::int64_t first, std::int64_t) {
              if (first >= 2500) throw std::runtime_error("piece");
            }),
        std::runtime_error);
    EXPECT_EQ(cover(pool, 100, 1), std::vector<int>(100, 1));
  }
}

TEST(Pool, ServesSeveralCallers) {
  Pool pool(3);
  std::vector<std::thread> callers;
  std::atomic<std::int64_t> total{0};
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int round = 0; round < 300; ++round) {
        std::atomic<std::int64_t> covered{0};
        pool.each(
            5000, 100, [&](std::int64_t first, std::int64_t last) { covered += last - first; });
        EXPECT_EQ(covered, 5000);
        total += covered;
      }
    });
  }
  for (std::thread& caller : callers)
    caller.join();
  EXPECT_EQ(total, 4 * 300 * 5000);
}

TEST(Pool, WakesSleepersForLongWork) {
  Pool pool(2);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // beyond the spinning
  std::atomic<int> others{0};
  const std::thread::id caller = std::this_thread::get_id();
  for (int round = 0; round < 20 && others == 0; ++round) {
    pool.each(64, 1, [&](std::int64_t, std::int64_t) {
      if (std::this_thread::get_id() != caller) ++others;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    });
  }
  EXPECT_GT(others, 0);
}

TEST(Pool, FinishesWithMoreThreadsThanCores) {
  cpu_set_t before, two;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&two);
  for (std::size_t core = 0; core < CPU_SETSIZE && CPU_COUNT(&two) < 2; ++core) {
    if (CPU_ISSET(core, &before)) CPU_SET(core, &two);
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof two, &two), 0);
  EXPECT_EQ(usable_cores(), CPU_COUNT(&two));
  {
    Pool pool(8);
    const std::int64_t start = monotonic_ns();
    for (int round = 0; round < 500; ++round) {
      std::atomic<std::int64_t> covered{0};
      pool.each(8000, 1, [&](std::int64_t first, std::int64_t last) { covered += last - first; });
      ASSERT_EQ(covered, 8000);
    }
    // A schedule that waits for descheduled threads takes milliseconds a run.
    EXPECT_LT(monotonic_ns() - start, 5'000'000'000);
  }
  sched_setaffinity(0, sizeof before, &before);
}

TEST(Pool, StartsAfreshInAForkedChild) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "under TSan a child of a program with threads can't start any";
#endif
  EXPECT_EQ(cover(pool(), 1000, 1), std::vector<int>(1000, 1));
  const pid_t child = fork();
  if (child == 0) _exit(cover(pool(), 100'000, 1) == std::vector<int>(100'000, 1) ? 0 : 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(Pool, HasAThreadForEachUsableCore) {
  EXPECT_EQ(pool().threads(), usable_cores());
}

}  // namespace
}  // namespace hypatia
