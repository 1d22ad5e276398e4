#!/usr/bin/env python3
"""No kernel of the CUDA module may spill registers or keep arrays in local memory.

    resources_test.py NVCC cuda_module.cu sm_80 sm_90

Compiles the module as the build does and reads what ptxas says; prints the table that
docs/performance/verify.md shows. Exit 1 names the kernel that spills.
"""
import re
import subprocess
import sys

KERNELS = {"hash_kernel", "decode_kernel", "table_kernel", "sum_kernel", "known_kernel",
           "scale_kernel", "bucket_kernel", "settle_kernel", "group_kernel"}
MOST_REGISTERS = {"bucket_kernel": 168}  # three blocks of 128 threads on a multiprocessor
OTHERS = 128  # four


def report(nvcc, source, arch):
    command = [nvcc, "-std=c++17", f"-arch={arch}", "-cubin", "-o", "/dev/null", "-Xptxas", "-v", source]
    out = subprocess.run(command, capture_output=True, text=True)
    if out.returncode != 0:
        sys.exit(out.stdout + out.stderr)
    pattern = (r"Function properties for \w*?\d+([a-z]+_kernel)E\w*\n\s+(\d+) bytes stack frame, "
               r"(\d+) bytes spill stores, (\d+) bytes spill loads\n[^\n]*Used (\d+) registers")
    return {m[0]: tuple(map(int, m[1:])) for m in re.findall(pattern, out.stdout + out.stderr)}


def main():
    nvcc, source, *archs = sys.argv[1:]
    bad = []
    for arch in archs:
        found = report(nvcc, source, arch)
        if set(found) != KERNELS:
            bad.append(f"{arch}: ptxas reported {sorted(found)}, expected {sorted(KERNELS)}")
        for kernel, (stack, stores, loads, registers) in sorted(found.items()):
            print(f"{arch} {kernel}: {registers} registers, stack {stack}, spilled {stores} and {loads} bytes")
            if stack or stores or loads or registers > MOST_REGISTERS.get(kernel, OTHERS):
                bad.append(f"{arch}: {kernel} spills or takes too many registers")
    if bad:
        sys.exit("\n".join(bad))


if __name__ == "__main__":
    main()
