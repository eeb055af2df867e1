// Plants faults of one line, one at a time, and notes which tests catch them (scripts/mutants.sh).
// A fault that no test catches may also be one that nobody could notice.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, stripVTControlCharacters } from 'node:util';
import ts from 'typescript';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '60' },
    minutes: { type: 'string', default: '90' },
    list: { type: 'string', default: join(root, 'bin/mutants.json') },
    again: { type: 'string' },
    stages: { type: 'string', default: 'near,related,browser' },
  },
});
const [seed] = positionals;
if (!seed || !/^\d+$/.test(seed)) {
  console.error(
    'usage: scripts/mutants.sh SEED [--count 60] [--minutes 90] [--list FILE] [--again FILE] [--stages near,related,browser]',
  );
  process.exit(2);
}
const until = Date.now() + Number(options.minutes) * 60_000;
const stages = new Set(options.stages.split(','));

/** Deterministic numbers from 0 to 1 (mulberry32), so that a seed always gives the same faults. */
function randomFrom(start) {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
const random = randomFrom(Number(seed));
const pick = (list) => list[Math.floor(random() * list.length)];

/** What browser tests reach: of the console's files and of the server's those that answer it. */
const files = execFileSync('git', ['ls-files', 'web/src', 'internal'], { cwd: root, encoding: 'utf8' }).split('\n');
const kinds = [
  {
    share: 0.67,
    files: files.filter((f) => /^web\/src\/(features|ui|lib|app)\/.*\.tsx?$/.test(f) && !/\.test\.|\.gen\./.test(f)),
  },
  { share: 0.15, files: files.filter((f) => /^web\/src\/(features|ui|app)\/.*\.module\.css$/.test(f)) },
  {
    share: 0.18,
    files: files.filter(
      (f) =>
        /^internal\/(edge\/console|domain\/(captcha|identity|tenant|audit))\/[^/]*\.go$/.test(f) &&
        !/_test\.go$/.test(f),
    ),
  },
];

const swapped = new Map([
  ['===', '!=='],
  ['!==', '==='],
  ['<', '<='],
  ['<=', '<'],
  ['>', '>='],
  ['>=', '>'],
  ['&&', '||'],
  ['||', '&&'],
  ['+', '-'],
  ['-', '+'],
  ['*', '/'],
]);

/** The faults that a TypeScript file has room for: each replaces a piece of one line. */
function typescriptFaults(text, name) {
  const source = ts.createSourceFile(
    name,
    text,
    ts.ScriptTarget.Latest,
    true,
    name.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
  );
  const faults = [];
  const add = (node, to, start = node.getStart(source), end = node.getEnd()) => {
    if (!text.slice(start, end).includes('\n')) faults.push({ start, end, to });
  };
  const visit = (node) => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node)) return;
    if (ts.isBinaryExpression(node)) {
      const to = swapped.get(node.operatorToken.getText(source));
      const words = [node.left, node.right].some(
        (side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side),
      );
      if (to && !(to === '-' && words)) add(node.operatorToken, to);
    } else if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
      add(node, node.operand.getText(source));
    } else if (node.kind === ts.SyntaxKind.TrueKeyword) add(node, 'false');
    else if (node.kind === ts.SyntaxKind.FalseKeyword) add(node, 'true');
    else if (ts.isNumericLiteral(node)) add(node, `(${node.text} + 1)`);
    else if (ts.isIfStatement(node)) add(node.expression, `!(${node.expression.getText(source)})`);
    else if (ts.isConditionalExpression(node)) add(node.condition, `!(${node.condition.getText(source)})`);
    else if (ts.isExpressionStatement(node) && ts.isCallExpression(node.expression)) add(node, 'void 0;');
    else if (ts.isJsxAttribute(node) && !/^(key|className)$/.test(node.name.getText(source))) add(node, '');
    ts.forEachChild(node, visit);
  };
  visit(source);
  return faults;
}

const lineFaults = (text, find) =>
  text.split('\n').flatMap((line, index, lines) => {
    const offset = lines.slice(0, index).join('\n').length + (index ? 1 : 0);
    return find(line).map(({ start, end, to }) => ({ start: offset + start, end: offset + end, to }));
  });

const cssFaults = (text) =>
  lineFaults(text, (line) =>
    /^\s+[\w-]+: [^;]+;$/.test(line) && !/^\s+--/.test(line) ? [{ start: 0, end: line.length, to: '' }] : [],
  );

const goSwaps = [
  [' == ', ' != '],
  [' != ', ' == '],
  [' < ', ' <= '],
  [' <= ', ' < '],
  [' > ', ' >= '],
  [' >= ', ' > '],
  [' && ', ' || '],
  [' || ', ' && '],
  [' + 1', ' + 2'],
  ['return true', 'return false'],
  ['return false', 'return true'],
];
const goFaults = (text) =>
  lineFaults(text, (line) =>
    /^\s*(\/\/|import|case "|\*)|err [!=]= nil/.test(line)
      ? []
      : goSwaps.flatMap(([from, to]) => {
          const start = line.replace(/"[^"]*"|`[^`]*`|\/\/.*/g, (words) => '_'.repeat(words.length)).indexOf(from);
          return start < 0 ? [] : [{ start, end: start + from.length, to }];
        }),
  );

function faultsOf(file) {
  const text = readFileSync(join(root, file), 'utf8');
  if (file.endsWith('.css')) return cssFaults(text);
  return file.endsWith('.go') ? goFaults(text) : typescriptFaults(text, file);
}

/** The faults of this seed: one a file at most. */
function plan() {
  const count = Number(options.count);
  const chosen = [];
  for (const { share, files } of kinds) {
    const left = [...files];
    for (let wanted = Math.round(count * share); wanted > 0 && left.length > 0; ) {
      const file = pick(left);
      left.splice(left.indexOf(file), 1);
      const faults = faultsOf(file);
      if (faults.length === 0) continue;
      const { start, end, to } = pick(faults);
      const text = readFileSync(join(root, file), 'utf8');
      const line = text.slice(0, start).split('\n').length;
      chosen.push({ file, line, start, end, from: text.slice(start, end), to });
      wanted -= 1;
    }
  }
  return chosen.slice(0, count);
}

/** Runs a command; says 'failed', 'passed', or 'unknown' if it took longer than allowed. */
function run(command, args, seconds, env = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data) => {
        output = (output + data).slice(-200_000);
      });
    let late = false;
    const timer = setTimeout(
      () => {
        late = true;
        process.kill(-child.pid, 'SIGKILL');
      },
      Math.max(1, Math.min(seconds * 1000, until - Date.now())),
    );
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({
        verdict: late ? 'unknown' : code === 0 ? 'passed' : 'failed',
        output: stripVTControlCharacters(output),
      });
    });
  });
}

const affected = (what, file) =>
  execFileSync('bash', ['-c', `. scripts/environment.sh; . scripts/affected.sh; ${what} "$1"`, '-', file], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter(Boolean);

/** The first test that failed, as Vitest, Go and Playwright name it. */
const firstFailure = (output) =>
  /^ *(?:FAIL|×|--- FAIL:|\d+\)) +(.*)$/m.exec(output)?.[1]?.replace(/\s+/g, ' ').slice(0, 160) ?? '';

/** The first error of the output, usually that test's: a fault that a timeout caught may be a slow machine. */
const firstError = (output) => /^\s*(\w*Error: .*|.*_test\.go:\d+: .*)$/m.exec(output)?.[1]?.trim().slice(0, 200) ?? '';

const vitest = (args, seconds) =>
  run('bash', ['-c', 'cd web && npx vitest "$@" --run --bail=1', '-', ...args], seconds);

async function nearTests(file) {
  if (file.endsWith('.css')) return [];
  if (file.endsWith('.go')) {
    const { verdict, output } = await run(
      'bash',
      [
        '-c',
        '. scripts/environment.sh; go test -vet=off -short -failfast "./$(dirname "$1")" ./internal/edge/console',
        '-',
        file,
      ],
      300,
    );
    return [{ by: 'Go', verdict, output }];
  }
  const folder = join(root, dirname(file));
  const tests = execFileSync('bash', ['-c', 'ls "$1"/*.test.ts* "$1"/../*.test.ts* 2>/dev/null || true', '-', folder], {
    encoding: 'utf8',
  })
    .split('\n')
    .filter(Boolean);
  if (tests.length === 0) return [];
  const { verdict, output } = await vitest(
    tests.map((test) => test.slice(root.length + 'web/'.length)),
    180,
  );
  return [{ by: 'Vitest', verdict, output }];
}

async function relatedTests(file) {
  if (!/\.tsx?$/.test(file)) return [];
  // Features that cannot reach the file are left out. What is left of a part that all use takes up to ten minutes.
  const others = affected('unaffected_features', file).map((name) => `--exclude=src/features/${name}/**`);
  const { verdict, output } = await vitest(['related', ...others, file.slice('web/'.length)], 600);
  return [{ by: 'Vitest', verdict, output }];
}

async function browserTests(file) {
  const layout = existsSync(join(root, 'e2e/layout.spec.ts')) && file.startsWith('web/') ? ['layout.spec.ts'] : [];
  const specs = [...affected('affected_specs', file), ...layout];
  if (specs.length === 0) return [];
  const built = await run(
    'bash',
    [
      '-c',
      '. scripts/environment.sh; cd web && npx vite build --logLevel error && cd .. && go build -o bin/tilth-mutant ./cmd/tilth',
    ],
    300,
  );
  if (built.verdict !== 'passed') return [{ by: 'build', ...built }];
  const { verdict, output } = await run(
    'npm',
    ['--prefix', 'web', 'run', 'e2e', '--', '--max-failures=1', '--retries=0', ...specs],
    600,
    { TILTH_E2E_BINARY: join(root, 'bin/tilth-mutant') },
  );
  return [{ by: 'browser', verdict, output }];
}

const list = options.again ? JSON.parse(readFileSync(options.again, 'utf8')) : plan();
const results = [];
const save = () => writeFileSync(options.list, `${JSON.stringify(results, null, 1)}\n`);
process.on('exit', () => save());

for (const [index, fault] of list.entries()) {
  const { file, line, start, end, from, to } = fault;
  const path = join(root, file);
  const text = readFileSync(path, 'utf8');
  const result = { file, line, start, end, from, to, caughtBy: 'none' };
  results.push(result);
  if (text.slice(start, end) !== from) result.caughtBy = 'the line is another one now';
  else if (Date.now() > until) result.caughtBy = 'not tried: no time left';
  else {
    const restore = () => writeFileSync(path, text);
    process.once('SIGTERM', () => {
      restore();
      process.exit(1);
    });
    process.once('SIGINT', () => {
      restore();
      process.exit(1);
    });
    try {
      writeFileSync(path, text.slice(0, start) + to + text.slice(end));
      search: for (const [name, stage] of [
        ['near', nearTests],
        ['related', relatedTests],
        ['browser', browserTests],
      ]) {
        if (!stages.has(name)) continue;
        for (const { by, verdict, output } of await stage(file)) {
          if (verdict === 'failed') {
            Object.assign(result, { caughtBy: by, test: firstFailure(output), reason: firstError(output) });
            break search;
          }
          if (verdict === 'unknown') result.unknown = [...(result.unknown ?? []), name];
        }
      }
    } finally {
      restore();
      process.removeAllListeners('SIGTERM');
      process.removeAllListeners('SIGINT');
    }
  }
  console.log(
    `${String(index + 1).padStart(2)} ${file}:${line}  ${from.trim() || '·'} → ${to.trim() || '(nothing)'}  ${result.caughtBy} ${result.test ?? ''}${result.unknown ? ` (no answer in time: ${result.unknown.join(', ')})` : ''}`,
  );
  save();
}
const counts = new Map();
for (const { caughtBy } of results) counts.set(caughtBy, (counts.get(caughtBy) ?? 0) + 1);
for (const [by, count] of counts) console.log(`${by}: ${count}`);
