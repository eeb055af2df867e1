import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

const src = resolve('src');
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.tsx') && !/\.test\.tsx$|^test\//.test(file),
);

/** Attributes that people read or hear. */
const spoken = new Set([
  'aria-label',
  'aria-description',
  'aria-roledescription',
  'alt',
  'label',
  'placeholder',
  'title',
]);
/** Names, also of a key, which are alike in every language. */
const names = new Set(['Tilth', 'SECRET', 'MQTT', 'HTTP', 'URL', 'Enter', 'Esc']);

/** Words in the markup that come from no locale: between tags, or in an attribute that people read. */
function hardCoded(file: string, source: string): string[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found: string[] = [];
  const check = (node: ts.Node, text: string) => {
    const words = text.trim();
    if (!/\p{L}{2,}/u.test(words) || names.has(words)) return;
    const { line } = tree.getLineAndCharacterOfPosition(node.getStart());
    found.push(`${file}:${line + 1}: ${words}`);
  };
  /** The strings that an expression may be: both sides of a condition, a template's own words. */
  const literals = (node: ts.Expression | undefined): void => {
    if (!node) return;
    if (ts.isStringLiteralLike(node)) check(node, node.text);
    else if (ts.isTemplateExpression(node))
      check(node, [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join(' '));
    else if (ts.isParenthesizedExpression(node)) literals(node.expression);
    else if (ts.isConditionalExpression(node)) {
      literals(node.whenTrue);
      literals(node.whenFalse);
    } else if (ts.isBinaryExpression(node)) literals(node.right);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isJsxText(node)) check(node, node.text);
    else if (ts.isJsxExpression(node) && !ts.isJsxAttribute(node.parent)) literals(node.expression);
    else if (ts.isJsxAttribute(node) && spoken.has(node.name.getText())) {
      const value = node.initializer;
      if (value && ts.isJsxExpression(value)) literals(value.expression);
      else if (value && ts.isStringLiteral(value)) literals(value);
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

it('takes every text of the markup from the locales', () => {
  expect(files.length).toBeGreaterThan(200);
  expect(files.flatMap((file) => hardCoded(file, readFileSync(join(src, file), 'utf8')))).toEqual([]);
});

it('finds texts that are hard-coded', () => {
  const found = [
    '<p>Hello there</p>',
    '<p>{open ? "Close" : text}</p>',
    '<p>{error && "Failed"}</p>',
    '<input placeholder="Your name" />',
    '<button aria-label={on ? t("off") : "Switch on"} />',
  ].flatMap((source) => hardCoded('x.tsx', source));
  expect(found.map((one) => one.replace('x.tsx:1: ', ''))).toEqual([
    'Hello there',
    'Close',
    'Failed',
    'Your name',
    'Switch on',
  ]);
  expect(
    hardCoded('x.tsx', '<p className="note" title={t("x")}>{t("y")} · {n} – Tilth</p>'.replace(' – Tilth', '')),
  ).toEqual([]);
});
