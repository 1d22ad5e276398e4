// Which problems are the machine's.
#include "machine.hpp"

#include <gtest/gtest.h>

#include "verb.hpp"

namespace thresher::cli {
namespace {

TEST(Machine, WhatItLacksOrForbidsHasAStatusOfItsOwn) {
  for (const char* why : {
           "cannot write 'x/wal': No space left on device; free space",
           "cannot write 'x': Disk quota exceeded",
           "cannot write 'x': File too large; raise the limit",
           "cannot open 'x': Permission denied; the folder must belong to whoever runs this",
           "cannot open 'x': Operation not permitted",
           "cannot open 'x': Read-only file system; mount it for writing",
           "cannot read 'x' at byte 7: Input/output error; the disk fails",
           "cannot listen on 127.0.0.1:7: Address already in use; stop what uses the port",
           "cannot listen on 127.0.0.1:7: bind: Address already in use [system:98]",
           "cannot fork: Resource temporarily unavailable",
           "cannot open 'x': Too many open files; raise the limit of open files",
           "cannot map 'x' (Cannot allocate memory)",
           "the disk under 'x' refused a write; free space or replace it (IO error)",
           "this process may open 20 files; raise the limit of open files to 1024 or more",
           "Permission denied",
       }) {
    EXPECT_EQ(status_of(kUsage, why), kResourceMissing) << why;
    EXPECT_EQ(status_of(kFailed, why), kResourceMissing) << why;
  }
}

TEST(Machine, WhatIsWrongUsageOrAFailedRunStaysSo) {
  for (const char* why : {
           "cannot read 'x': No such file or directory; give a genesis file",
           "cannot read 'Permission denied.json': No such file or directory",
           "node 3 at 127.0.0.1:7: cannot connect: Connection refused",
           "the transaction was refused",
           "",
       }) {
    EXPECT_EQ(status_of(kUsage, why), kUsage) << why;
    EXPECT_EQ(status_of(kFailed, why), kFailed) << why;
  }
  EXPECT_EQ(status_of(kNoProgress, "x: No space left on device"), kNoProgress);
  EXPECT_EQ(status_of(kSafetyViolated, "x: No space left on device"), kSafetyViolated);
}

}  // namespace
}  // namespace thresher::cli
