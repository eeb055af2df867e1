import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

/** The words that no identifier may contain, and what to use in place of each. The Go sources are held to the same file. */
const banned = new Map(
  readFileSync(resolve('../internal/tools/architecture/testdata/banned-words.txt'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(': ', 2) as [string, string]),
);

function splitWords(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(/[\s_$.-]+/)
    .map((word) => word.toLowerCase());
}

function bannedIn(name: string): string | undefined {
  return splitWords(name)
    .flatMap((word) => [word, word.replace(/s$/, ''), word.replace(/es$/, '')])
    .find((word) => banned.has(word));
}

function identifiers(file: string, source: string): Set<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node) => {
    if (ts.isIdentifier(node)) names.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(
    ts.createSourceFile(
      file,
      source,
      ts.ScriptTarget.Latest,
      false,
      file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
    ),
  );
  return names;
}

/** Names that the contract gives, which stay. */
const contract = identifiers('schema.gen.ts', readFileSync(resolve('src/api/schema.gen.ts'), 'utf8'));

function findBanned(file: string, source: string): string[] {
  return [...file.split('/'), ...identifiers(file, source)]
    .filter((name) => !contract.has(name))
    .flatMap((name) => {
      const word = bannedIn(name);
      return word ? [`${file}: ${name} contains "${word}"; use: ${banned.get(word)}`] : [];
    });
}

it('uses no banned word in an identifier or the name of a file', () => {
  expect(banned.size).toBeGreaterThan(30);
  const found = [resolve('src'), resolve('../e2e')].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !file.includes('node_modules') && !file.endsWith('.gen.ts'))
      .flatMap((file) => findBanned(file, readFileSync(join(folder, file), 'utf8'))),
  );
  expect(found).toEqual([]);
});

it('sees a banned word in a local name, in a type and in the name of a file, but not in a comment or a text', () => {
  expect(findBanned('a.ts', "// tidings\nconst text = 'tidings'; export interface LiveTidings {}")).toHaveLength(1);
  expect(findBanned('a.ts', 'function f() { const tidings = 1; return tidings; }')).toHaveLength(1);
  expect(findBanned('tidings/a.ts', '')).toHaveLength(1);
});
