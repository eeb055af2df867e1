# Sourced by scripts that test what a change affects; none of this runs a test.
#   changed_packages FILE…    prints the Go packages of the files
#   affected_packages FILE…   prints these, and those that import them, also in tests
#   affected_specs FILE…      prints the browser tests of the features that the files belong to

# package_of prints a file's Go package: its folder or, for test data, migrations and
# the like, the nearest one above that has Go files.
package_of() {
  local dir
  dir=$(dirname "$1")
  while [ "$dir" != . ] && ! compgen -G "$dir/*.go" > /dev/null; do dir=$(dirname "$dir"); done
  [ "$dir" = . ] || echo "tilth/$dir"
}

changed_packages() {
  local file
  for file; do
    case $file in
      cmd/*|internal/*|web/*.go) package_of "$file" ;;
      api/*.go) echo tilth/api ;;
      # The tests of the edges read the contracts.
      api/*) printf 'tilth/internal/edge/%s\n' console openapi provider ;;
    esac
  done | sort -u
}

affected_packages() {
  local changed
  changed=$(changed_packages "$@")
  [ -n "$changed" ] || return 0
  go list -f '{{.ImportPath}} {{join .Deps " "}} {{join .TestImports " "}} {{join .XTestImports " "}}' ./... |
    awk -v changed="$changed" '
      BEGIN { split(changed, names, "\n"); for (i in names) hit[names[i]] = 1 }
      { line[NR] = $0; for (i = 2; i <= NF; i++) if ($i in hit) hits[$1] = 1; if ($1 in hit) hits[$1] = 1 }
      # A test may import a package that imports the changed one.
      END {
        for (name in hits) reached[name] = 1
        for (n = 1; n <= NR; n++) {
          count = split(line[n], words, " ")
          for (i = 2; i <= count; i++) if (words[i] in hits) reached[words[1]] = 1
        }
        for (name in reached) print name
      }' | sort
}

# The browser tests of a part of the console, where their names do not begin with its name.
specs_of() {
  case $1 in
    alarm) echo alarm tenant-clock ;;
    channel) echo channel telegram ;;
    data) echo data history export video stream calibration ;;
    device) echo device add-device move-device silence ;;
    profile) echo profile people roles webhook home-assistant second-factor ;;
    signin) echo signin captcha-client session single-sign-on brands ;;
    app) echo appearance search failures session ;;
    offline) echo pwa ;;
    *) echo "$1" ;;
  esac
}

# parts_of prints the features that a file of the console belongs to: its own folder's, or those that import
# what it is in (ui/chart, lib/live), at most three; what more import, the first pages show.
parts_of() {
  local module features
  case $1 in
    web/src/features/*) echo "$1" | cut -d/ -f4 ;;
    web/src/app/*|web/index.html|web/src/locales/*) echo app ;;
    web/src/worker/*|web/src/lib/offline/*|web/public/*) echo offline ;;
    web/src/lib/session/*) echo signin ;;
    web/src/ui/*|web/src/lib/*)
      module=$(echo "$1" | cut -d/ -f3-4 | sed 's/\..*//')
      features=$(grep -rlE "from '@/$module(/|')" web/src/features --include='*.ts' --include='*.tsx' | cut -d/ -f4 | sort -u)
      if [ "$(echo "$features" | wc -l)" -gt 3 ]; then echo home; echo alarm; echo signin; else echo "$features"; fi
      ;;
  esac
}

affected_specs() {
  local file part name spec
  for file; do
    case $file in
      e2e/*.spec.ts) echo "$(basename "$file")" ;;
      *) for part in $(parts_of "$file"); do
           for name in $(specs_of "$part"); do
             for spec in e2e/"$name".spec.ts e2e/"$name"-*.spec.ts; do
               [ ! -e "$spec" ] || basename "$spec"
             done
           done
         done ;;
    esac
  done | grep -v '\.alone\.' | sort -u
}
