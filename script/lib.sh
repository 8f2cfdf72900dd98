# Shared by the scripts in this folder; sourced, not run.

say() { printf '%s\n' "$*" >&2; }
die() { printf 'error: %s\nhint: %s\n' "$1" "$2" >&2; exit 69; }

# Runs a command, showing its output only when it fails.
quietly() {
  local log
  log=$(mktemp)
  if ! "$@" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    die "failed: $*" "the lines above say why"
  fi
  rm -f "$log"
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then sudo "$@"
  else return 1; fi
}

# Installs a system package with apt (root or sudo) or brew; returns 1 where neither is possible.
install_package() {
  say "installing $1"
  if command -v apt-get >/dev/null 2>&1; then
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q "$1" >/dev/null 2>&1 && return
    as_root apt-get update -q >/dev/null 2>&1 || return 1
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q "$1" >/dev/null 2>&1
  elif command -v brew >/dev/null 2>&1; then
    brew install "$1" >/dev/null 2>&1
  else
    return 1
  fi
}

# need_program PROGRAM PACKAGE [optional]
need_program() {
  command -v "$1" >/dev/null 2>&1 && return
  if install_package "$2" && command -v "$1" >/dev/null 2>&1; then return; fi
  if [ "${3:-}" = optional ]; then
    say "note: $1 is not installed and could not be installed here; runs stay headless"
  else
    die "$1 is required and could not be installed here" "install the package '$2', then run this again"
  fi
}

find_python() {
  local candidate
  for candidate in ${PYTHON:-} python3 python3.13 python3.12 python3.11 python3.14; do
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  return 1
}

make_venv() {
  if .venv/bin/python -m pip --version >/dev/null 2>&1; then return; fi
  say "making .venv"
  rm -rf .venv
  if ! "$1" -m venv .venv >/dev/null 2>&1; then
    # Debian ships venv apart from python3.
    install_package python3-venv || true
    rm -rf .venv
    "$1" -m venv .venv >/dev/null 2>&1 ||
      die "python's venv module does not work here" "install the package 'python3-venv', then run this again"
  fi
}

# install_locked FILE: exactly these versions, checked by hash; skipped while the file is unchanged.
install_locked() {
  if cmp -s "$1" ".venv/.$1"; then return; fi
  say "installing what $1 pins"
  quietly .venv/bin/python -m pip install --disable-pip-version-check --require-hashes --no-deps -r "$1"
  cp "$1" ".venv/.$1"
}
