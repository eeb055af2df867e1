// Reads what test runners write, for scripts/parts.sh. The first line printed is how many tests
// passed and failed, then come tests that failed once and passed alone, each with its trace.
//   node web/scripts/test-report.mjs go EVENTS          events of go test -json
//   node web/scripts/test-report.mjs vitest REPORT      of Vitest's JSON reporter
//   node web/scripts/test-report.mjs playwright REPORT [REPORT OF THE SECOND RUN]
//   node web/scripts/test-report.mjs playwright-failed REPORT   prints the files of tests that failed
import { existsSync, readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

const [kind, ...files] = process.argv.slice(2);
const read = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '');
const readJson = (file) => JSON.parse(read(file) || '{}');

/** Every test with its outcomes in order, and what it printed at its first failure. */
function goTests(file) {
  const tests = new Map();
  for (const line of read(file).split('\n')) {
    if (!line.startsWith('{')) continue;
    const { Action, Package, Test, Output } = JSON.parse(line);
    if (!Test || Test.includes('/')) continue;
    const name = `${Package}.${Test}`;
    const test = tests.get(name) ?? { name, outcomes: [], trace: '' };
    tests.set(name, test);
    if (Action === 'output' && !test.outcomes.includes('fail')) test.trace += Output;
    if (Action === 'pass' || Action === 'fail') test.outcomes.push(Action);
  }
  return [...tests.values()].map(({ name, outcomes, trace }) => ({
    name,
    passed: outcomes.at(-1) === 'pass',
    failed: outcomes.at(-1) === 'fail',
    flaky: outcomes.includes('fail') && outcomes.at(-1) === 'pass',
    trace,
  }));
}

function vitestTests(file) {
  const { testResults = [] } = readJson(file);
  return testResults.flatMap(({ name: path, assertionResults, status, message }) => [
    // A file that could not be loaded has no tests.
    ...(assertionResults.length === 0 && status === 'failed' ? [{ name: path, failed: true, trace: message }] : []),
    ...assertionResults.map(({ fullName, status }) => ({
      name: fullName,
      passed: status === 'passed',
      failed: status === 'failed',
    })),
  ]);
}

/** A test that was to run and did not, after its file's preparation failed, counts as failed. */
function playwrightTests(file) {
  const inSuite = (suite) => [
    ...(suite.specs ?? []).map((spec) => {
      const results = spec.tests.flatMap((test) => test.results);
      const errors = results.flatMap(({ errors }) =>
        errors.map(({ message }) => stripVTControlCharacters(message ?? '')),
      );
      const traces = results.flatMap(({ attachments }) =>
        attachments.filter(({ name }) => name === 'trace').map(({ path }) => path),
      );
      const wanted = spec.tests.some(({ expectedStatus }) => expectedStatus !== 'skipped');
      const passed = spec.ok && results.some(({ status }) => status !== 'skipped');
      return {
        file: spec.file,
        name: `${spec.file}: ${spec.title}`,
        passed,
        failed: wanted && !passed,
        trace: [...errors, ...traces].join('\n'),
      };
    }),
    ...(suite.suites ?? []).flatMap(inSuite),
  ];
  return (readJson(file).suites ?? []).flatMap(inSuite);
}

/** Tests of the second run count with its outcome: they failed in the first. */
function afterSecondRun(first, second) {
  const again = new Map(second.map((test) => [test.name, test]));
  return first.map((test) =>
    test.failed && again.get(test.name)?.passed ? { ...test, passed: true, failed: false, flaky: true } : test,
  );
}

if (kind === 'playwright-failed') {
  const failed = playwrightTests(files[0]).filter((test) => test.failed);
  console.log([...new Set(failed.map(({ file }) => file))].join('\n'));
  process.exit();
}
const tests = {
  go: () => goTests(files[0]),
  vitest: () => vitestTests(files[0]),
  playwright: () => afterSecondRun(playwrightTests(files[0]), files[1] ? playwrightTests(files[1]) : []),
}[kind]();
console.log(`${tests.filter(({ passed }) => passed).length} ${tests.filter(({ failed }) => failed).length}`);
for (const { name, trace } of tests.filter(({ flaky }) => flaky))
  console.log(`${name}\n${trace.trim().replace(/^/gm, '    ')}`);
