# Sourced by scripts that run tests: the tests' files are in memory if there is room. Most tests do not check whether
# a disk keeps what it is given, and those that do, with kills and full disks, make folders of their own.
if [ "$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1)" -gt 4194304 ] 2>/dev/null; then
  # All runs use one name, since Go's cached results depend on it.
  export TMPDIR=/dev/shm/tilth-tests
  mkdir -p "$TMPDIR"
fi
