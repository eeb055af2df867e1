# Sourced by scripts that test what a change affects; none of this runs a test.
#   changed_packages FILE…    prints the Go packages of the files
#   affected_packages FILE…   prints these, and those that import them, also in tests
#   affected_specs FILE…      prints the browser tests of the features that the files belong to
#   unaffected_features FILE… prints the features of the console that import none of the files
#   widely_imported FILE…     prints those of the files of the console that more than three features import
#   nearest_tests FILE…       prints the Vitest files at most three imports away

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
      cmd/*|internal/*|workshop/*|web/*.go) package_of "$file" ;;
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
  local imports='{{.ImportPath}} {{join .Deps " "}} {{join .TestImports " "}} {{join .XTestImports " "}}'
  { go list -f "$imports" ./... && go list -C workshop -f "$imports" ./...; } |
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

# specs_of prints the browser tests of a part of the console.
specs_of() {
  case $1 in
    activity) echo notices ;;
    alarm) echo alarm alarm-many tenant-clock ;;
    app) echo appearance search failures session ;;
    channel) echo channel telegram ;;
    data) echo data history history-chart chart-axes export video stream calibration ;;
    device) echo device device-sheet device-swap add-device ;;
    first-pages) echo signin home alarm ;;
    home) echo home home-attention home-layout live ;;
    offline) echo pwa ;;
    profile) echo profile people webhook home-assistant second-factor ;;
    session) echo session signin single-sign-on ;;
    signin) echo signin signin-slider captcha-client single-sign-on brands ;;
    *) echo "$1" ;;
  esac
}

# parts_of prints the parts of the console that a file belongs to: its own feature, or those that import it;
# what more than three import, the first pages show.
parts_of() {
  local features
  case $1 in
    web/src/features/*) echo "$1" | cut -d/ -f4 ;;
    web/src/app/*|web/index.html|web/src/locales/*) echo app ;;
    web/src/worker/*|web/src/lib/offline/*|web/public/*) echo offline ;;
    web/src/lib/session/*) echo session ;;
    web/src/ui/*|web/src/lib/*)
      if [ -n "$(widely_imported "$1")" ]; then echo first-pages; else node web/scripts/importers.mjs features "$1"; fi
      ;;
  esac
}

# unaffected_features prints those that import none of the files: their tests open the console, which
# has these files in some page of another feature.
unaffected_features() {
  case " $* " in *' web/src/app/'*|*' web/src/test/'*|*' web/src/locales/'*|*' web/src/api/'*) return 0 ;; esac
  comm -23 <(ls web/src/features) <(node web/scripts/importers.mjs features "$@")
}

widely_imported() {
  local file
  for file; do
    case $file in web/src/ui/*|web/src/lib/*)
      [ "$(node web/scripts/importers.mjs features "$file" | wc -l)" -le 3 ] || echo "$file" ;;
    esac
  done
}

nearest_tests() { node web/scripts/importers.mjs nearest "$@"; }

affected_specs() {
  local file part name
  for file; do
    case $file in
      e2e/*.spec.ts) basename "$file" .spec.ts ;;
      e2e/*.ts) { grep -lF "'./$(basename "$file")'" e2e/*.spec.ts || true; } | xargs -r -n 1 basename -s .spec.ts ;;
      *) for part in $(parts_of "$file"); do
           for name in $(specs_of "$part"); do echo "$name"; done
         done ;;
    esac
  done | grep -v '\.alone$' | sort -u | while read -r name; do
    # A file that was deleted has no tests.
    [ ! -e "e2e/$name.spec.ts" ] || echo "$name.spec.ts"
  done
}
