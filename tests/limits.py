"""Runs the command of the arguments on each file of the current folder, one by one, and prints its exit
code and what it says; and more, where it takes longer or more memory than a refusal may."""
import os
import shutil
import sys

SECONDS, MEBIBYTES = 1.0, 100

command = shutil.which(sys.argv[1])
with open(command, "rb") as f:
    program = f.read()
sanitized = b"__asan_init" in program or b"__tsan_init" in program

for name in sorted(os.listdir(".")):
    reading, writing = os.pipe()
    child = os.posix_spawn(command, [*sys.argv[1:], name], os.environ, file_actions=[
        (os.POSIX_SPAWN_DUP2, writing, 1), (os.POSIX_SPAWN_DUP2, writing, 2)])
    os.close(writing)
    with os.fdopen(reading) as f:
        said = f.read().splitlines()
    _, status, used = os.wait4(child, 0)
    print(f"{name}: {os.waitstatus_to_exitcode(status)}: {said[0] if said else ''}")
    seconds = used.ru_utime + used.ru_stime
    if seconds > SECONDS and not sanitized:
        print(f"  took {seconds:.2f} s")
    if used.ru_maxrss > MEBIBYTES * 1024 and not sanitized:
        print(f"  took {used.ru_maxrss // 1024} MiB")
if os.path.exists("PWNED"):
    print("a pickle was run")
