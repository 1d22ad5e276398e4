#!/usr/bin/env python3
"""The Debian package: built, unpacked, and what is in it used."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=240, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


@unittest.skipUnless(shutil.which("dpkg-deb") and shutil.which("dpkg-shlibdeps"), "dpkg is not here")
class Package(unittest.TestCase):
    def test_it_holds_what_a_host_expects(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            run("cpack", "-G", "DEB", "--config", BUILD / "CPackConfig.cmake", "-B", folder / "out", cwd=folder)
            package = next((folder / "out").glob("thresher_*.deb"))
            needs = run("dpkg-deb", "--field", package, "Depends")
            self.assertIn("librocksdb", needs)
            root = folder / "root"
            run("dpkg-deb", "--extract", package, root)
            wanted = ["usr/bin/thresher", "usr/include/thresher/net/client.hpp", "usr/share/man/man1/thresher.1",
                      "usr/share/bash-completion/completions/thresher", "usr/lib/systemd/system/thresher@.service",
                      "usr/share/thresher/deploy/alerts.yml", "usr/share/thresher/deploy/thresher.json",
                      "usr/share/thresher/clients/python/thresher_client.py", "usr/share/doc/thresher/copyright"]
            there = {str(p.relative_to(root)) for p in root.rglob("*")}
            self.assertEqual([w for w in wanted if w not in there], [])
            for name in ("thresherConfig.cmake", "thresher.pc", "thresher-client.pc", "libthresher.so", "libthresher-client.so"):
                self.assertTrue(any(pathlib.Path(p).name == name for p in there), name)
            run(root / "usr/bin/thresher", "--version")
            libraries = next(root.rglob("libthresher.so")).parent
            environment = dict(os.environ, PKG_CONFIG_PATH=str(libraries / "pkgconfig"))
            flags = run("pkg-config", "--cflags", "--libs", "thresher-client", env=environment)
            self.assertIn(str(root), str(pathlib.Path(flags.split()[0][2:]).resolve()))  # moved with the files


if __name__ == "__main__":
    unittest.main()
